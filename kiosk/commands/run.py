"""`kiosk run`: the piece on the wall."""

from __future__ import annotations

import argparse
import logging
import os
import time
from dataclasses import replace

from kiosk.commands.options import add_config, overrides, read_config, seconds, size_wh
from kiosk.config import LEXICON_PATH, Config
from kiosk.errors import ConfigError, DisplayError
from kiosk.trust import notify
from kiosk.trust.seal import Policy, Seal, display, ports, seal

log = logging.getLogger(__name__)


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
    parser.add_argument(
        "--or-card",
        action="store_true",
        help="with a bad configuration show a calm card until it is good, then exit 78; for a service",
    )


def run(arguments: argparse.Namespace) -> int:
    """Run until asked to stop."""
    problem = None
    try:
        config = read_config(arguments)
    except ConfigError as error:
        if not arguments.or_card:
            raise
        config, problem = Config(), error
    # Before the seal, which refuses new connections.
    notifier = notify.connect(os.environ, os.getpid())
    sealed = seal_for(config, headless=arguments.headless, notify_=notifier.descriptor)
    # Inside the seal: a thread that a library started before would not be bound by it.
    from kiosk.app import Kiosk
    from kiosk.edits import Edit, Edits, read
    from kiosk.screen import texts
    from kiosk.screen.look import Look
    from kiosk.screen.window import Screen
    from kiosk.standby import stand_by
    from kiosk.vision.sources import plan
    from kiosk.words.lexicon import Lexicon

    def read_all() -> Edit:
        return read(read_config(arguments), Lexicon.load(LEXICON_PATH))

    try:
        if problem:
            raise problem
        edit = read(config, Lexicon.load(LEXICON_PATH))
    except ConfigError as error:
        if not arguments.or_card:
            raise
        plain = Config()
        card = Look(plain.display, replace(plain.wall, warning=""), texts.load(plain.wall.language))
        stand_by(Screen(card, arguments.windowed), error.problems, read_all, notifier, arguments.seconds)
        raise
    what = plan(config.source)
    screen = None
    if not arguments.headless:
        try:
            screen = Screen(
                Look(config.display, config.wall, edit.texts, staff=config.staff),
                arguments.windowed,
                switches_monitor=config.hours.closed_screen == "off",
            )
        except DisplayError as error:
            if not arguments.or_headless:
                raise
            log.warning("%s", error)
            log.warning("going on headless; Ctrl-C ends it")
            if arguments.source is None:
                what = plan("demo")
    edits = Edits(arguments.config, overrides(arguments), config, time.monotonic())
    Kiosk(edit, what, screen, sealed.shut(), edits, notifier).run(arguments.seconds)
    return 0


def seal_for(config: Config, *, headless: bool, notify_: int | None = None) -> Seal:
    """Give up what this configuration does not need, and say what could not be given up. Raises SealError."""
    policy = Policy(
        required=config.privacy.seal == "required",
        display="" if headless else display(os.environ),
        ports=ports(config.source),
        notify=notify_,
    )
    sealed = seal(policy)
    for gap in sealed.gaps:
        log.warning("not sealed: %s", gap)
    return sealed
