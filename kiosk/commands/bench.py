"""`kiosk bench`: the measured speed of each part on this machine, in milliseconds and as ratios.

A ratio compares two things measured in turns in one run, so that a busy machine slows both.
"""

from __future__ import annotations

import argparse
import dataclasses
import json
import os
import statistics
import sys
import time
from collections.abc import Sequence
from importlib.metadata import version

import numpy as np

from kiosk.commands import footage, live
from kiosk.commands.live import Piece, Records
from kiosk.commands.options import add_config, overrides, read_config, seconds
from kiosk.commands.painting import painting
from kiosk.commands.steps import bare_networks, growth, whole_step
from kiosk.commands.timings import Figure, Measurement, Target, measurement, table
from kiosk.config import Config, model_path
from kiosk.edits import Edits, check_named
from kiosk.hours import HoursConfig
from kiosk.manifest import load_model
from kiosk.pipeline import IDLE_AFTER, Stages
from kiosk.screen.look import Network
from kiosk.sections import FramingConfig, ZoneConfig
from kiosk.vision import providers
from kiosk.vision.classify import GPU_BATCHES, SIDE
from kiosk.vision.inference import Session, runtime
from kiosk.vision.stillness import STILL_AFTER

PARTS = ("networks", "step", "growth", "draw", "live", "busy", "empty")
FRAME_TARGETS = Target(Figure.MEDIAN, 25), Target(Figure.P99, 40)
BOX_TARGET = Target(Figure.MEDIAN, 100)
CAPTION_TARGET = Target(Figure.P99, 500)
NOBODY = Target(Figure.MEDIAN, 0)
INTERVAL_TARGET = Target(Figure.P99, 33)
EMPTY_TARGET = Target(Figure.MEDIAN, 150)
# Pixels of a face: those in the footage are all higher.
SMALLEST_FACE = 48
# Of a run that is long enough, so many seconds at its end are to be as those at its beginning.
LASTING_TARGET = Target(Figure.RATIO, 1.1)
COMPARED = 60.0


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the options."""
    add_config(parser)
    parser.add_argument("--runs", type=int, default=50, metavar="N", help="measured runs of each part")
    parser.add_argument(
        "--seconds", type=seconds, default=10.0, metavar="S", help="how long the whole piece runs: default 10"
    )
    parser.add_argument(
        "--only",
        action="append",
        choices=PARTS,
        metavar="PART",
        help=f"measure this part alone; may be given again: {', '.join(PARTS)}",
    )
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    parser.add_argument(
        "--build-engines",
        action="store_true",
        help="build the TensorRT engines of the classifier (minutes), for classification.device: tensorrt",
    )


def run(arguments: argparse.Namespace) -> int:
    """Measure, or build the engines."""
    config = read_config(arguments)
    if arguments.build_engines:
        return _build_engines(config)
    machine = {
        "machine": providers.machine(),
        "load": _load(),
        "runtime": runtime(),
        **{name: version(name) for name in ("opencv-python", "pygame", "numpy")},
        "python": sys.version.split()[0],
        "threads": providers.threads(config.inference),
    }
    # A name and its text are checked first: who measures for a minute must not be told of a typo at its end.
    check_named(config)
    found = _measure(arguments, without_venue(config))
    machine["load at the end"] = _load()
    if arguments.json:
        print(json.dumps({**machine, "parts": [measured.as_json() for measured in found]}))
    else:
        print(", ".join(f"{key} {value}" for key, value in machine.items()), end="\n\n")
        print("\n".join(table(found)))
    return 0


def without_venue(config: Config) -> Config:
    """The configuration without what tells where and when visitors are seen: the footage knows no venue."""
    detection = dataclasses.replace(
        config.detection,
        min_face_height=min(config.detection.min_face_height, SMALLEST_FACE),
        max_face_height=0,
    )
    return dataclasses.replace(
        config, detection=detection, zone=ZoneConfig(), framing=FramingConfig(), hours=HoursConfig()
    )


def _measure(arguments: argparse.Namespace, config: Config) -> list[Measurement]:
    parts = arguments.only or PARTS
    runs, length = max(1, arguments.runs), arguments.seconds
    found: list[Measurement] = []
    if "networks" in parts:
        found += bare_networks(config, runs)
    if set(parts) == {"networks"}:
        return found
    stages = Stages.load(config)
    if "step" in parts:
        found += whole_step(config, stages, runs)
    if "growth" in parts:
        found += growth(config, stages)
    if "draw" in parts:
        network = Network(len(stages.classifier.classes), stages.classifier.title)
        found += painting(config, stages.lexicon, network, 4 * runs)
    edits = Edits(arguments.config, overrides(arguments), config, time.monotonic())
    piece = Piece(config, check_named(config), stages, edits)
    if {"live", "busy"} & set(parts):
        meeting = footage.meeting(length + footage.BEFORE)
        if "live" in parts:
            found += visited(live.play(piece, meeting, length))
        if "busy" in parts:
            found += busy(live.play(piece, meeting, length / 2, loads=os.cpu_count() or 1))
    if "empty" in parts:
        settling = IDLE_AFTER + STILL_AFTER + live.SETTLING
        found += deserted(live.play(piece, footage.empty_room(), length / 2, settling=settling))
    return found


def visited(records: Records) -> list[Measurement]:
    """The figures of a run with visitors."""
    ages = records.frame_ages
    count = min(len(ages) // 2, round(COMPARED * footage.FPS))
    end, beginning = ages[-count:], ages[:count]
    lasting = statistics.median(end) / statistics.median(beginning) if count else None
    return [
        *_rows("live: frame taken to frame shown", ages, *FRAME_TARGETS),
        *_rows(
            f"  in the last {count / footage.FPS:.0f} s",
            end,
            *((LASTING_TARGET,) if count >= COMPARED * footage.FPS else ()),
            ratio=lasting,
            to="as long at the beginning of the same run, by the median",
        ),
        *_rows("live: between two pictures", live.intervals(records)),
        *_rows("live: painting a picture", records.painted_in),
        *_rows("live: age of a box when it is drawn", records.box_ages, BOX_TARGET),
        *_rows("live: a newcomer's caption", records.waits, CAPTION_TARGET),
        *_rows("live: newcomers without, after 1 s", [records.unnamed], NOBODY, unit="people"),
        *_rows("live: processor time a second", live.load(records), unit="ms/s"),
    ]


def busy(records: Records) -> list[Measurement]:
    """The figures of a run beside which networks keep all cores busy."""
    return [
        *_rows("busy: between two pictures", live.intervals(records), INTERVAL_TARGET),
        *_rows("busy: processor time a second", live.load(records), unit="ms/s"),
    ]


def deserted(records: Records) -> list[Measurement]:
    """The figures of a run in an empty room."""
    return [
        *_rows("empty: painting a picture", records.painted_in),
        *_rows("empty: processor time a second", live.load(records), EMPTY_TARGET, unit="ms/s"),
    ]


def _rows(
    part: str,
    values: Sequence[float],
    *targets: Target,
    unit: str = "ms",
    ratio: float | None = None,
    to: str = "",
) -> list[Measurement]:
    """None where there are no values: a policy may hide what it withholds, and then nobody is named."""
    return [measurement(part, values, *targets, unit=unit, ratio=ratio, to=to)] if values else []


def _load() -> float:
    return round(os.getloadavg()[0], 2)


def _build_engines(config: Config) -> int:
    """Build for every batch size, then take away the right to write: opening hours are not for building."""
    model = load_model(model_path(config.classification.model))
    providers.ENGINES.mkdir(exist_ok=True)
    providers.ENGINES.chmod(0o755)
    gpu = dataclasses.replace(config.inference, gpu="required")
    print(f"building the TensorRT engines of {model.name}; this takes minutes", flush=True)
    session = Session(model.content, model.name, "tensorrt", gpu, build_engines=True)
    for size in GPU_BATCHES:
        session.run(np.zeros((size, SIDE, SIDE, 3), np.uint8))
    providers.ENGINES.chmod(0o555)
    print(f"built in {providers.ENGINES}; to use them: classification.device: tensorrt")
    return 0
