"""`kiosk check`: every problem of a configuration, or what is in force and where the networks run."""

from __future__ import annotations

import argparse
import dataclasses
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from kiosk.clock import Clock
from kiosk.config import DEFAULT_PATH, LEXICON_PATH, Config, load, redacted
from kiosk.hours import HoursConfig, told

if TYPE_CHECKING:  # it would load numpy, and a bad configuration is to be told at once
    from kiosk.words.counts import Counts


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the options."""
    parser.add_argument(
        "file", type=Path, nargs="?", default=DEFAULT_PATH, metavar="FILE", help="default: %(default)s"
    )


def run(arguments: argparse.Namespace) -> int:
    """Raise ConfigError with every problem; ModelError and InferenceError where the networks do not load."""
    config = load(arguments.file)
    # Only for a good configuration are the networks' libraries loaded.
    from kiosk.edits import read_with_models
    from kiosk.pipeline import Pipeline
    from kiosk.vision.inference import runtime
    from kiosk.words.lexicon import Lexicon

    read_with_models(config, Lexicon.load(LEXICON_PATH))
    pipeline = Pipeline(config)
    print(f"{arguments.file}: good")
    for line in changed(config, Config()):
        print(f"  {line}")
    for session in pipeline.sessions:
        print(f"{session.name}: runs on {session.device} ({runtime()})")
    print(f"{len(pipeline.classifier.classes)} categories, {len(pipeline.lexicon)} of them with words")
    for line in (*said_of_policy(config.policy, pipeline.policy.counts()), *said_of_wall(config)):
        print(line)
    return 0


def said_of_wall(config: Config) -> Iterator[str]:
    """How high its letters are, what of its texts no font has, and until when it is open now."""
    from kiosk.screen import theme_file
    from kiosk.screen.letters import CROWDED, is_crowded, letters
    from kiosk.screen.typeface import unprintable

    # Whatever the number of its pixels is: what is measured in millimetres is the same.
    size_wh, theme = (1920, 1080), theme_file.load(config.display.theme)
    if high := letters(config.display, size_wh):
        yield str(high)
    elif is_crowded(config.display, size_wh, theme):
        yield f"warning: display.text_scale: {config.display.text_scale:g}: {CROWDED}"
    for key in ("warning", "note", "idle"):
        if lacking := unprintable(getattr(config.wall, key)):
            yield f"warning: wall.{key}: no font here has {' '.join(lacking)}: left out"
    if config.hours != HoursConfig():
        yield f"hours: {told(config.hours, Clock().wall())}"


def said_of_policy(name: object, counts: Counts) -> Iterator[str]:
    """What it shows, how much each rule has the last word on, and which rules mean nothing."""
    yield f"policy {name}: shows {counts.shown}, withholds {counts.withheld}"
    for rule in counts.rules:
        yield f"  {rule.group}: {rule.rule}: {rule.decides}"
    for rule in counts.idle:
        yield f"warning: {rule.place}: {rule.rule} means no category"


def changed(section: Any, default: Any, prefix: str = "") -> Iterator[str]:
    """What differs from the defaults, a line each."""
    for field in dataclasses.fields(section):
        value, usual = getattr(section, field.name), getattr(default, field.name)
        if dataclasses.is_dataclass(usual):
            yield from changed(value, usual, f"{prefix}{field.name}.")
        elif value != usual:
            shown = redacted(value) if field.name == "source" else value
            yield f"{prefix}{field.name}: {shown} (default: {usual})"
