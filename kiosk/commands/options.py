"""Options that several commands share."""

from __future__ import annotations

import argparse
import re
import unicodedata
from pathlib import Path

from kiosk.config import DEFAULT_PATH, Config, load


def add_config(parser: argparse.ArgumentParser) -> None:
    """Add --config and --set."""
    parser.add_argument(
        "--config", type=Path, default=DEFAULT_PATH, metavar="FILE", help="default: %(default)s"
    )
    parser.add_argument(
        "--set",
        dest="overrides",
        action="append",
        default=[],
        metavar="SECTION.KEY=VALUE",
        help="change one value of the configuration; may be given again",
    )


def read_config(arguments: argparse.Namespace) -> Config:
    """What --config, --set and, where the command has it, --source say. Raises ConfigError."""
    return load(arguments.config, overrides(arguments))


def overrides(arguments: argparse.Namespace) -> tuple[str, ...]:
    """What the command line changes of the configuration, "section.key=value"."""
    source = getattr(arguments, "source", None)
    return (*arguments.overrides, *(() if source is None else (f"source={source}",)))


def size_wh(text: str) -> tuple[int, int]:
    """WIDTHxHEIGHT, each from 160 to 7680 pixels, as an argparse type."""
    found = re.fullmatch(r"(\d{3,4})x(\d{3,4})", text)
    sides = [int(side) for side in found.groups()] if found else []
    if len(sides) != 2 or not all(160 <= side <= 7680 for side in sides):
        raise argparse.ArgumentTypeError(f"must be WIDTHxHEIGHT, each from 160 to 7680, not '{text}'")
    return sides[0], sides[1]


def line(text: str) -> str:
    """A line of text, as an argparse type: at most 300 letters, none of them a command to a terminal."""
    if len(text) > 300 or any(unicodedata.category(letter) == "Cc" for letter in text):
        raise argparse.ArgumentTypeError("must be one line of at most 300 letters")
    return text


def seconds(text: str) -> float:
    """A positive number of seconds, as an argparse type."""
    try:
        value = float(text)
    except ValueError:
        value = 0.0
    if not 0 < value < float("inf"):
        raise argparse.ArgumentTypeError(f"must be a positive number of seconds, not '{text}'")
    return value
