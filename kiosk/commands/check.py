"""`kiosk check`: every problem of a configuration, or the word that there is none."""

from __future__ import annotations

import argparse
from pathlib import Path

from kiosk.config import DEFAULT_PATH, load


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the options."""
    parser.add_argument(
        "file", type=Path, nargs="?", default=DEFAULT_PATH, metavar="FILE", help="default: %(default)s"
    )


def run(arguments: argparse.Namespace) -> int:
    """Raise ConfigError with every problem."""
    load(arguments.file)
    print(f"{arguments.file}: good")
    return 0
