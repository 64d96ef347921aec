"""`kiosk annotate`: the same networks and the same captions on still pictures."""

from __future__ import annotations

import argparse
import json
import logging
import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import cv2

from kiosk.commands.options import add_config, read_config
from kiosk.config import Config
from kiosk.errors import InputError, UsageError
from kiosk.messages import Frame, Guess
from kiosk.pipeline import Pipeline, Still
from kiosk.screen import texts
from kiosk.screen.draw import paint_picture
from kiosk.screen.look import Look, Network
from kiosk.vision.pictures import read_picture

log = logging.getLogger(__name__)

# A small picture is enlarged until its captions can be read.
SHORTEST_SIDE, LONGEST_SIDE = 1080, 3840
GUESSES = 5
FORMATS = {".jpg", ".jpeg", ".png", ".webp"}


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the options."""
    add_config(parser)
    parser.add_argument("images", type=Path, nargs="+", metavar="IMAGE")
    parser.add_argument(
        "--out",
        type=Path,
        metavar="FILE_OR_FOLDER",
        help="write the captioned picture: a .jpg, .png or .webp file for one IMAGE, else a folder",
    )
    parser.add_argument("--json", action="store_true", help="print one JSON object a picture a line")


def run(arguments: argparse.Namespace) -> int:
    """Annotate each picture; one that cannot be read gets a line, and the others go on."""
    outs = _outs(arguments.images, arguments.out)
    config = read_config(arguments)
    pipeline = Pipeline(config)
    exit_code = 0
    for at, (path, out) in enumerate(zip(arguments.images, outs, strict=True)):
        try:
            # Read-only and with a time of its own, as from any other source.
            frame = Frame(read_picture(path), at, float(at))
        except InputError as error:
            print(f"kiosk: {error}", file=sys.stderr)
            exit_code = error.exit_code
            continue
        still = pipeline.look_at_still(frame)
        if out is not None:
            _write(out, frame, still, pipeline, config)
        print(_as_json(path, frame, still, pipeline) if arguments.json else _as_text(path, still, pipeline))
    return exit_code


def _outs(images: list[Path], out: Path | None) -> list[Path | None]:
    """Where each captioned picture goes. Raises UsageError where two would share a file."""
    if out is None:
        return [None] * len(images)
    if out.suffix.lower() in FORMATS and not out.is_dir():
        if len(images) > 1:
            raise UsageError(f"--out {out}: must be a folder, for there are {len(images)} pictures")
        outs: list[Path | None] = [out]
    else:
        outs = [out / f"{image.stem}.roulette.png" for image in images]
    if len(set(outs)) < len(outs):
        raise UsageError(f"--out {out}: two pictures have the same name; annotate them one by one")
    for image, target in zip(images, outs, strict=True):
        if target is not None and target.resolve() == image.resolve():
            raise UsageError(f"--out {out}: would overwrite {image}")
    return outs


def _write(out: Path, frame: Frame, still: Still, pipeline: Pipeline, config: Config) -> None:
    """Write what the screen would show, not mirrored: a photograph is no mirror."""
    width, height = frame.size_wh
    scale = max(1.0, SHORTEST_SIDE / min(width, height))
    scale = min(scale, LONGEST_SIDE / max(width, height))
    display = replace(config.display, fit="contain", mirror=False, rotate="0", diagonal=0.0)
    network = Network(len(pipeline.classifier.classes), pipeline.classifier.title)
    # On paper no language takes turns with another.
    language = texts.load(config.wall.language)[:1]
    look = Look(display, config.wall, language, network, config.captions.entries, still=True)
    size_wh = max(1, round(width * scale)), max(1, round(height * scale))
    image = paint_picture(frame, still.scene.captions, size_wh, look)
    # Not cv2.imwrite: it returns True when the disk refused the bytes.
    _, encoded = cv2.imencode(out.suffix, image)
    try:
        out.parent.mkdir(parents=True, exist_ok=True)
        out.write_bytes(encoded.tobytes())
    except OSError as error:
        raise InputError(f"{out}: cannot be written: {error.strerror}") from error


def _guesses(guesses: Sequence[Guess], pipeline: Pipeline) -> list[dict[str, object]]:
    return [
        {
            "synset": guess.synset,
            "label": pipeline.lexicon[guess.synset].label,
            "probability": round(guess.probability, 6),
            "withheld": str(pipeline.policy.verdict(guess.synset).reason) or None,
        }
        for guess in guesses[:GUESSES]
    ]


def _as_json(path: Path, frame: Frame, still: Still, pipeline: Pipeline) -> str:
    width, height = frame.size_wh
    faces = [
        {
            "box": [round(side, 1) for side in (face.box.x0, face.box.y0, face.box.x1, face.box.y1)],
            "score": round(face.score, 4),
            "guesses": _guesses(guesses, pipeline),
        }
        for face, guesses in zip(still.faces, still.guesses, strict=False)
    ]
    scene = None if still.faces else _guesses(still.guesses[0], pipeline)
    return json.dumps(
        {"image": str(path), "width": width, "height": height, "faces": faces, "scene": scene},
        ensure_ascii=False,
    )


def _as_text(path: Path, still: Still, pipeline: Pipeline) -> str:
    lines = [f"{path}: {len(still.faces)} {'face' if len(still.faces) == 1 else 'faces'}"]
    for caption in still.scene.captions:
        entry = caption.entry
        lines.append(
            f"  {', '.join(entry.lemmas)}: {entry.gloss}" if entry else f"  withheld: {caption.withheld}"
        )
    return "\n".join(lines)
