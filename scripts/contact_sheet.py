"""The demo in every theme and both orientations, on one sheet: docs/contact-sheet.jpg.

    contact_sheet.py [--out docs/contact-sheet.jpg]

The piece's own networks look at the demo, which is the same in every run, on its own clock; at the moments
named below the wall is painted. Slurs are withheld, whatever the networks say: the sheet is for publication.
Needs models/lexicon.json, which scripts/setup makes. The CPU does it in twenty seconds.
"""

from __future__ import annotations

import argparse
import sys
from dataclasses import dataclass, replace
from pathlib import Path

from kiosk import environment
from kiosk.config import ROOT, load

environment.apply()

import cv2  # noqa: E402  OpenCV, onnxruntime and pygame read the environment when they are imported
import pygame  # noqa: E402

from kiosk.messages import Frame, Image, Scene  # noqa: E402
from kiosk.pipeline import Pipeline  # noqa: E402
from kiosk.screen import texts  # noqa: E402
from kiosk.screen.draw import Canvas, Card, offscreen  # noqa: E402
from kiosk.screen.look import Look, Network  # noqa: E402
from kiosk.screen.picture import pixels  # noqa: E402
from kiosk.screen.sheets import Printer  # noqa: E402
from kiosk.screen.theme import Style  # noqa: E402
from kiosk.screen.typeset import Paragraph, Span  # noqa: E402
from kiosk.vision.demo import Demo  # noqa: E402

WIDE, UPRIGHT = (1920, 1080), (1080, 1920)
# Every how many frames of the demo the networks look, and the wall is painted.
EVERY = 3
# Seconds for which a wall is painted before it is taken: captions come softly, and stay where they stand.
LEAD = 5.0
# A word that passes by begins so many seconds after the last visitor has left, and not after half a minute.
ATTRACT_AFTER = 0.5
PHILOSOPHER = "n10425946"


@dataclass(frozen=True)
class Shot:
    """One picture of the wall."""

    name: str
    theme: str
    at: float
    """Seconds of the demo."""
    size_wh: tuple[int, int] = WIDE
    words: tuple[str, ...] = ()
    """Ids of those that pass by."""
    card: Card | None = None
    """In place of a picture."""


# Two people meet, one comes alone, two meet; between them the room is empty.
SEED = 3
ROWS = (
    (Shot("two visitors", "roulette", 9.0), Shot("upright", "roulette", 9.0, UPRIGHT)),
    (Shot("two visitors", "dictionary", 73.0), Shot("upright", "dictionary", 73.0, UPRIGHT)),
    (Shot("two visitors", "night", 12.7), Shot("upright", "night", 12.7, UPRIGHT)),
    (
        Shot("nobody there", "roulette", 22.5),
        Shot("words pass by", "dictionary", 20.5, words=(PHILOSOPHER,)),
        Shot("a card", "night", LEAD, card=Card.RESTING),
    ),
)

# Of the sheet, in pixels.
WIDTH, GAP, CAPTION = 2000, 32, 46
GROUND = (36, 36, 36)
LETTERING = Style("regular", 24, (214, 214, 208))


def main() -> int:
    """Paint, lay out, write."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--out", type=Path, default=ROOT / "docs" / "contact-sheet.jpg", metavar="FILE")
    out = parser.parse_args().out
    # Full colour resolution: neon green on black frays without it.
    quality = (cv2.IMWRITE_JPEG_QUALITY, 88, cv2.IMWRITE_JPEG_SAMPLING_FACTOR, 0x111111)
    if not cv2.imwrite(str(out), laid_out(walls()), quality):
        print(f"contact_sheet: cannot write {out}", file=sys.stderr)
        return 1
    return 0


def walls() -> dict[Shot, pygame.Surface]:
    """Every shot, painted."""
    config = load(overrides=("policy=no-slurs", "inference.gpu=off"))
    pipeline, demo = Pipeline(config), Demo(SEED)
    language = texts.load(config.wall.language)
    network = Network(len(pipeline.classifier.classes), pipeline.classifier.title)
    surfaces = {shot: offscreen(shot.size_wh) for row in ROWS for shot in row}
    canvases = {
        shot: Canvas(
            surface,
            Look(
                replace(config.display, theme=shot.theme),
                replace(config.wall, attract_after=ATTRACT_AFTER if shot.words else 0),
                language,
                network,
                config.captions.entries,
                tuple((said.sealed, said.demo) for said in language),
                words=tuple(pipeline.lexicon[synset] for synset in shot.words),
            ),
        )
        for shot, surface in surfaces.items()
    }
    for index in range(0, round(max(shot.at for shot in canvases) * demo.fps) + 1, EVERY):
        now = index / demo.fps
        frame = Frame(demo.render(index), index, now)
        scene = pipeline.look(frame)
        for shot, canvas in canvases.items():
            if shot.at - LEAD <= now <= shot.at:
                paint(canvas, shot, frame, scene)
    return surfaces


def paint(canvas: Canvas, shot: Shot, frame: Frame, scene: Scene) -> None:
    """Paint what stands on the wall at the frame's moment."""
    if shot.card:
        canvas.paint(None, None, frame.captured_at, shot.card)
    else:
        canvas.paint(frame, scene, frame.captured_at)


def laid_out(surfaces: dict[Shot, pygame.Surface]) -> Image:
    """The sheet: (H, W, 3) uint8 BGR. Every row is as high as makes it as wide as the sheet."""
    heights = [
        round((WIDTH - (len(row) + 1) * GAP) / sum(shot.size_wh[0] / shot.size_wh[1] for shot in row))
        for row in ROWS
    ]
    sheet = offscreen((WIDTH, sum(heights) + len(ROWS) * (GAP + CAPTION)))
    sheet.fill(GROUND)
    printer, y = Printer(), GAP
    for row, height in zip(ROWS, heights, strict=True):
        x = GAP
        for shot in row:
            width = round(height * shot.size_wh[0] / shot.size_wh[1])
            small = cv2.resize(pixels(surfaces[shot]), (width, height), interpolation=cv2.INTER_AREA)
            pixels(sheet)[y : y + height, x : x + width] = small
            said = f"{shot.theme}, {shot.size_wh[0]} × {shot.size_wh[1]}: {shot.name}"
            block = printer.set((Paragraph((Span(said, LETTERING),)),), width)
            printer.print(block, sheet, x, y + height + 8)
            x += width + GAP
        y += height + CAPTION + GAP
    return pixels(sheet)[:, :, :3].copy()


if __name__ == "__main__":
    sys.exit(main())
