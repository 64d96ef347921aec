"""The capture worker's step: frames of the source into the mailbox, and what the source is like.

A source that fails is opened again, for ever; one that gives the same picture, damaged ones or darkness is
not believed; outside opening hours it is closed. What it is like goes into a mailbox of its own.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum

from kiosk.clock import Clock
from kiosk.config import Config
from kiosk.errors import CameraError
from kiosk.hours import is_open, told
from kiosk.messages import Frame, Scene
from kiosk.sections import CameraConfig
from kiosk.trust import landlock
from kiosk.vision.camera import device
from kiosk.vision.framing import framed
from kiosk.vision.judge import Judge, Verdict, patience
from kiosk.vision.sources import Plan, Source, open_source
from kiosk.vision.stillness import Stillness
from kiosk.worker import Latest

log = logging.getLogger(__name__)

FIRST_DELAY, LONGEST_DELAY = 1.0, 30.0
# A source that gave good frames for this long has recovered: the next failure is a new one.
RECOVERED_AFTER = 60.0
# A source of which no frame is whole for this long is opened again.
DAMAGED_FOR = 10.0
# With nobody there for so long, fewer pictures are decoded, and of them only those that show something new go
# on, to the networks and the wall.
ALONE_AFTER = 3.0
# Seconds from one picture that is decoded then to the next, at most, of a source that gives more.
INTERVAL, STILL_INTERVAL = 1 / 15, 1 / 10
# Of an interval: cameras are not exact.
TOLERANCE = 1.1
# No wait is longer: an edit of the opening hours, and the end, are seen soon.
WAIT = 0.25


class Condition(Enum):
    """What the source is like."""

    OPENING = "opening"
    """Not yet opened for the first time."""
    OPEN = "open"
    REOPENING = "reopening"
    """It failed, and is tried again."""
    RESTING = "resting"
    """It gives darkness: the lens is covered."""
    CLOSED = "closed"
    """Outside opening hours; the device is released."""


@dataclass(frozen=True)
class Report:
    """What the source is like, and why, for the staff: nothing of what it sees."""

    condition: Condition
    reason: str = ""


@dataclass
class InForce:
    """The configuration that is in force."""

    config: Config
    """Read by every worker, and replaced whole by the one that sees the edits."""


class Capture:
    """Raises CameraError for a camera that was plugged in after the seal.

    The seal knows the devices that it leaves usable; the service starts the piece again, and the new seal
    knows the camera.
    """

    def __init__(
        self,
        what: Plan,
        in_force: InForce,
        frames: Latest[Frame],
        clock: Clock | None = None,
        open_: Callable[[Plan, CameraConfig], Source] = open_source,
        scenes: Latest[Scene] | None = None,
    ) -> None:
        """`in_force` holds what is in force now; the camera is asked for what it said when it was opened.

        `scenes` is where it is said whether anybody is there.
        """
        self._plan, self._in_force, self._frames = what, in_force, frames
        self._scenes = scenes or Latest[Scene]()
        self._alone_since: float | None = None
        self._clock, self._open = clock or Clock(), open_
        self.reports = Latest[Report]()
        self.reports.put(Report(Condition.OPENING))
        self.is_watched = False
        """Whether the staff look on, to aim or to focus: then every picture counts. For any thread to set."""
        self._source: Source | None = None
        self._judge = Judge(patience(what.kind))
        self._stillness = Stillness()
        self._due = 0.0
        self._delay = FIRST_DELAY
        self._good_since: float | None = None
        self._good_at = self._read_at = 0.0

    def step(self, stopping: threading.Event) -> None:
        """Read one frame; or wait a little, for the next try or for opening time."""
        hours, now = self._in_force.config.hours, self._clock.monotonic()
        if not is_open(hours, self._clock.wall()):
            self.close()
            self._due, self._delay = now, FIRST_DELAY
            self._report(Condition.CLOSED, told(hours, self._clock.wall()))
            stopping.wait(WAIT)
        elif self._source is None and now < self._due:
            stopping.wait(min(WAIT, self._due - now))
        else:
            try:
                self._read()
            except CameraError as error:
                self._fail(error)

    def close(self) -> None:
        """Let go of the source and of its last picture."""
        self._clear()
        if self._source is not None:
            self._source.close()
            self._source = None

    def _read(self) -> None:
        if self._source is None:
            self._source = self._open(self._plan, self._in_force.config.camera)
            self._judge.reopened()
            self._good_since, self._good_at = None, self._clock.monotonic()
        is_alone = self._is_alone()
        if is_alone and self._can_wait(self._source):
            self._source.skip()
            return
        frame = self._source.read()
        verdict = self._judge.see(frame) if self._plan.is_live else Verdict.GOOD
        now = self._read_at = self._clock.monotonic()
        if verdict is Verdict.GOOD:
            self._good_since = now if self._good_since is None else self._good_since
            if not is_alone:
                self._stillness.forget()
            shown = framed(frame, self._in_force.config.framing)
            if not is_alone or self._stillness.is_new(shown):
                self._frames.put(shown)
            self._report(Condition.OPEN)
        elif verdict is Verdict.BLACK:
            self._clear()
            self._report(Condition.RESTING, "the picture is black: is the lens covered?")
        elif verdict is Verdict.FROZEN:
            raise CameraError(f"{self._plan}: gives the same picture again and again")
        elif now - self._good_at > DAMAGED_FOR:
            raise CameraError(f"{self._plan}: gives damaged pictures only; the cable or the USB bus?")
        if verdict is not Verdict.DAMAGED:
            self._good_at = now

    def _clear(self) -> None:
        """Nothing is seen, and what comes next is new."""
        self._frames.clear()
        self._stillness.forget()

    def _is_alone(self) -> bool:
        """Whether nobody was there for a while: then fewer pictures of a live source are enough."""
        now, scene = self._clock.monotonic(), self._scenes.peek()
        if not self._plan.is_live or self.is_watched or scene is None or scene.anybody or scene.seen:
            self._alone_since = None
        elif self._alone_since is None:
            self._alone_since = now
        return self._alone_since is not None and now - self._alone_since >= ALONE_AFTER

    def _can_wait(self, source: Source) -> bool:
        """Whether the picture after the next comes soon enough."""
        given, now = source.format, self._clock.monotonic()
        interval = STILL_INTERVAL if self._stillness.is_still(now) else INTERVAL
        return given is not None and now - self._read_at + 2 / given.fps <= TOLERANCE * interval

    def _fail(self, error: CameraError) -> None:
        now = self._clock.monotonic()
        if self._good_since is not None and now - self._good_since > RECOVERED_AFTER:
            self._delay = FIRST_DELAY
        self._good_since = None
        self.close()
        if self._plan.kind == "camera" and landlock.is_sealed_off(device(self._plan.target)):
            raise CameraError(f"{self._plan.target}: came after the seal; a new start reaches it") from error
        self._report(Condition.REOPENING, str(error))
        self._due = now + self._delay
        self._delay = min(2 * self._delay, LONGEST_DELAY)

    def _report(self, condition: Condition, reason: str = "") -> None:
        """Once for each change."""
        report = Report(condition, reason)
        before = self.reports.peek()
        if report != before:
            self.reports.put(report)
            if reason:
                log.warning("%s: %s", condition.value, reason)
            elif before and before.condition is not Condition.OPENING:
                log.info("%s: gives pictures again", self._plan.kind)
