"""`kiosk run`: the piece on the wall."""

from __future__ import annotations

import argparse
import sys

from kiosk.app import Kiosk
from kiosk.commands.options import add_config, read_config, seconds, size_wh
from kiosk.errors import DisplayError
from kiosk.screen.window import Screen
from kiosk.vision.sources import plan


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the options."""
    add_config(parser)
    parser.add_argument(
        "--source",
        metavar="SRC",
        help="auto, demo, a camera number, /dev/v4l/by-id/..., a URL, a video, a picture",
    )
    parser.add_argument("--seconds", type=seconds, metavar="S", help="stop by itself after S seconds")
    where = parser.add_mutually_exclusive_group()
    where.add_argument("--windowed", type=size_wh, metavar="WxH", help="in a window rather than fullscreen")
    where.add_argument(
        "--headless",
        action="store_true",
        help="without a screen: prints a JSON line whenever a visitor's caption changes; of a camera or "
        "a stream states only, for a label on disk is a label stored",
    )
    parser.add_argument(
        "--or-headless", action="store_true", help="where there is no display, go on headless, with the demo"
    )


def run(arguments: argparse.Namespace) -> int:
    """Run until asked to stop."""
    config = read_config(arguments)
    what = plan(config.source)  # before a window opens: a mistyped source is told on the console
    screen = None
    if not arguments.headless:
        try:
            screen = Screen(config.display, config.wall, arguments.windowed)
        except DisplayError as error:
            if not arguments.or_headless:
                raise
            print(f"kiosk: {error}\nkiosk: going on headless; Ctrl-C ends it", file=sys.stderr)
            if arguments.source is None:
                what = plan("demo")
    Kiosk(config, what, screen).run(arguments.seconds)
    return 0
