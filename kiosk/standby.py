"""While the configuration is bad there is a calm card on the wall, and not a black screen."""

from __future__ import annotations

import logging
import signal
import threading
import time
from collections.abc import Callable, Sequence
from types import FrameType

from kiosk.errors import ConfigError
from kiosk.screen.draw import Card
from kiosk.screen.look import Told
from kiosk.screen.window import Screen
from kiosk.trust.notify import Notifier, Status

log = logging.getLogger(__name__)

# Seconds between two looks at the files.
LOOK_EVERY = 2.0
WAIT = 0.1


def stand_by(
    screen: Screen,
    problems: Sequence[str],
    read: Callable[[], object],
    notifier: Notifier,
    seconds: float | None,
) -> None:
    """Show the card until `read` raises no ConfigError any more, until asked to stop, or for `seconds`.

    Then a new start can take what it reads. What the `problems` were is for the log, and for the staff.
    Raises DisplayError where the display goes.
    """
    for line in problems:
        log.warning("%s", line)
    told = Told("the configuration is bad", problems[0])
    asked_to_stop = threading.Event()

    def stop(signum: int, frame: FrameType | None) -> None:
        asked_to_stop.set()

    for name in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(name, stop)
    start = looked_at = time.monotonic()
    try:
        while not (asked_to_stop.wait(WAIT) or screen.wants_to_leave()):
            now = time.monotonic()
            screen.show(None, None, Card.RESTING, told)
            notifier.ready()
            notifier.status(Status.CARD)
            notifier.ping(now)
            if now - looked_at >= LOOK_EVERY:
                looked_at = now
                if _is_good(read):
                    log.info("the configuration is good now: a new start takes it")
                    return
            if seconds is not None and now - start >= seconds:
                return
    finally:
        notifier.stopping()
        screen.close()


def _is_good(read: Callable[[], object]) -> bool:
    try:
        read()
    except ConfigError:
        return False
    return True
