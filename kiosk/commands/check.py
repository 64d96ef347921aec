"""`kiosk check`: every problem of a configuration, or what is in force and where the networks run."""

from __future__ import annotations

import argparse
import dataclasses
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from kiosk.config import DEFAULT_PATH, Config, load


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the options."""
    parser.add_argument(
        "file", type=Path, nargs="?", default=DEFAULT_PATH, metavar="FILE", help="default: %(default)s"
    )


def run(arguments: argparse.Namespace) -> int:
    """Raise ConfigError with every problem; ModelError and InferenceError where the networks do not load."""
    config = load(arguments.file)
    print(f"{arguments.file}: good")
    for line in changed(config, Config()):
        print(f"  {line}")
    # Only for a good configuration are the networks' libraries loaded.
    from kiosk.pipeline import Pipeline
    from kiosk.vision.inference import runtime

    pipeline = Pipeline(config)
    for session in pipeline.sessions:
        print(f"{session.name}: runs on {session.device} ({runtime()})")
    print(f"{len(pipeline.classifier.classes)} categories, {len(pipeline.lexicon)} of them with words")
    return 0


def changed(section: Any, default: Any, prefix: str = "") -> Iterator[str]:
    """What differs from the defaults, a line each."""
    for field in dataclasses.fields(section):
        value, usual = getattr(section, field.name), getattr(default, field.name)
        if dataclasses.is_dataclass(value):
            yield from changed(value, usual, f"{prefix}{field.name}.")
        elif value != usual:
            yield f"{prefix}{field.name}: {value} (default: {usual})"
