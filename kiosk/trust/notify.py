"""What systemd is told: the piece is ready, it is well, it is stopping, and one of a few states.

In: the states of the piece. Out: datagrams as in sd_notify(3). What is sent is chosen from this module's
own words, so that nothing about a visitor can be among it. The socket must be connected before the seal,
which refuses new ones, and keeps to the one peer that it was connected to.
"""

from __future__ import annotations

import logging
import socket
from collections.abc import MutableMapping
from enum import Enum

log = logging.getLogger(__name__)

SOCKET, WATCHDOG_USEC, WATCHDOG_PID = "NOTIFY_SOCKET", "WATCHDOG_USEC", "WATCHDOG_PID"
LONGEST_PAUSE = 1.0


class Status(Enum):
    """The states, in words for `systemctl status`. None says a thing about who is there."""

    STARTING = "starting"
    LOADING = "loading the networks"
    RUNNING = "running"
    NO_PICTURE = "the source gives no picture; it is tried again"
    RESTING = "resting, the source gives darkness, as with a covered lens"
    STALLED = "not well, the screen or the networks do not follow; systemd will start it anew"
    CLOSED = "closed, by the opening hours"
    BAD_EDIT = "running; an edit of the configuration is bad and not in force"
    CARD = "the configuration is bad; a plain card is on the screen"
    FAULT = "a fault, in the log; a new start mends what can be mended"
    STOPPING = "stopping"


class Notifier:
    """Tells systemd what it does not know yet. Nothing here blocks or raises.

    Call as often as you like: what was told is not told again, what could not be told is tried at the next
    call. Without a connection it does nothing.
    """

    def __init__(self, connection: socket.socket | None = None, interval: float | None = None) -> None:
        """`connection` is a connected AF_UNIX datagram socket; `interval` as in the property."""
        if connection is not None:
            connection.setblocking(False)
        self._connection = connection
        self._interval = interval
        self._said: set[str] = set()
        self._status: Status | None = None
        self._pinged_at: float | None = None

    @property
    def interval(self) -> float | None:
        """Seconds within which systemd must hear from `ping`, else it ends the piece; None: it does not."""
        return self._interval

    @property
    def descriptor(self) -> int | None:
        """The socket's number, for the seal."""
        return None if self._connection is None else self._connection.fileno()

    def ready(self) -> None:
        """The first frame is on the screen."""
        self._say_once("READY=1")

    def stopping(self) -> None:
        """The piece was asked to stop, and does."""
        self._say_once("STOPPING=1")

    def status(self, status: Status) -> None:
        """What state it is in."""
        if status is not self._status and self._send(f"STATUS={status.value}"):
            self._status = status

    def ping(self, now: float) -> None:
        """The piece is well at `now` (seconds, monotonic): frames are drawn. Sent once a second at most."""
        if self._interval is None:
            return
        # sd_watchdog_enabled(3): twice within the interval at least.
        pause = min(LONGEST_PAUSE, self._interval / 2)
        due = self._pinged_at is None or now - self._pinged_at >= pause
        if due and self._send("WATCHDOG=1"):
            self._pinged_at = now

    def close(self) -> None:
        """At the very end: before it, another descriptor could get the number that the seal knows."""
        if self._connection is not None:
            self._connection.close()
            self._connection = None

    def _say_once(self, message: str) -> None:
        if message not in self._said and self._send(message):
            self._said.add(message)

    def _send(self, message: str) -> bool:
        """Whether it got through. It does not where systemd is being restarted, or does not read."""
        if self._connection is None:
            return False
        try:
            self._connection.send(message.encode("ascii"))
        except OSError:
            return False
        return True


def connect(environment: MutableMapping[str, str], pid: int) -> Notifier:
    """A notifier for what systemd wants of this process. Call before the seal.

    Its three variables are taken out of `environment`: they are not meant for what the process may start.
    """
    address = environment.pop(SOCKET, "")
    interval = _interval(environment.pop(WATCHDOG_USEC, ""), environment.pop(WATCHDOG_PID, str(pid)), pid)
    if not address:
        return Notifier()
    if address[0] not in "/@":
        log.warning("systemd is told nothing: %s must be a path or an @name", SOCKET)
        return Notifier()
    connection = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
    try:
        connection.connect(f"\0{address[1:]}" if address[0] == "@" else address)
    except OSError as error:
        connection.close()
        log.warning("systemd is told nothing: %s: %s", SOCKET, error.strerror or error)
        return Notifier()
    return Notifier(connection, interval)


def _interval(microseconds: str, watched: str, pid: int) -> float | None:
    """sd_watchdog_enabled(3): of this process, and a whole number above 0; else nobody watches."""
    is_number = microseconds.isascii() and microseconds.isdigit() and len(microseconds) <= 20
    if watched != str(pid) or not is_number:
        return None
    return int(microseconds) / 1_000_000 or None
