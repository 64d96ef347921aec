"""The piece on a virtual clock: its real parts, put together as in kiosk.app, and the time that passes.

Real are Capture with its Judge, Analysis with Edits, Supervisor, health, Flips, Notifier and its socket.
In place of threads the camera's reads let the time pass; in it looks are taken and pictures drawn, so that
hours take milliseconds.
"""

from __future__ import annotations

import math
import socket
import threading
from contextlib import suppress
from datetime import datetime, timedelta
from pathlib import Path

from kiosk.analysis import News
from kiosk.capture import Capture, InForce
from kiosk.clock import Clock
from kiosk.config import load
from kiosk.edits import Edits
from kiosk.errors import CameraError
from kiosk.health import State, healthy
from kiosk.hours import is_over
from kiosk.messages import Frame, Scene
from kiosk.screen.look import Look
from kiosk.supervisor import Supervisor
from kiosk.trust.notify import Notifier, Status
from kiosk.vision.sources import Plan
from kiosk.worker import Latest
from tests.played_vision import Vision
from tests.players import PERIOD, START, Camera, Wall

NOON = datetime(2026, 3, 2, 12, 0)
WATCHDOG = 30.0
STOP_TIMEOUT = 3.0
PING = "WATCHDOG=1"


class Ended(BaseException):
    """The piece has ended. Of no type that it catches itself."""

    def __init__(self, code: int, last_words: str = "") -> None:
        super().__init__(code, last_words)
        self.code, self.last_words = code, last_words


class Stage(threading.Event):
    """The piece, and the time that passes. It is also the event for which the capture worker waits.

    Left out of the piece are threads, the camera, the networks, the screen and the seal.
    """

    def __init__(self, venue: Path, kind: str) -> None:
        """`venue` is its configuration."""
        super().__init__()
        self.now, self.wall_time = START, NOON
        self.heard: list[tuple[float, str]] = []
        self.broken: set[str] = set()
        """Promises that were not kept."""
        self.in_force = InForce(load(venue))
        edits = Edits(venue, (), self.in_force.config, self.now)
        frames, scenes = Latest[Frame](), Latest[Scene]()
        self._clock = clock = Clock(lambda: self.now, self._clock_on_the_wall)
        self.camera, self.wall = Camera(self), Wall(self)
        self._capture = Capture(Plan(kind, "0"), self.in_force, frames, clock, self.camera.open, scenes)
        self.vision = Vision(self, clock, frames, scenes, edits)
        ours, self._systemd = socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM)
        self._systemd.setblocking(False)
        self._notifier = Notifier(ours, WATCHDOG)
        reports = self._capture.reports
        self._supervisor = Supervisor(frames, scenes, reports, self.wall, self._notifier)
        self.states: list[State] = [State.OPENING]
        self._announced: News | None = None
        self._read_began = self._read_ends = self._drawn_at = self._pinged_at = START
        self._capture_error: Exception | None = None
        self.stops_at = math.inf

    def leave(self, ended: Ended) -> Ended:
        """As kiosk.app leaves. Gives what the piece ends with."""
        self._notifier.status(Status.STOPPING)
        self._notifier.stopping()
        self.wall.close()
        self._hear()
        if ended.code == 0 and self._read_ends - self.now > STOP_TIMEOUT:
            return Ended(CameraError.exit_code, "stuck, a read does not return")
        return ended

    def close(self) -> None:
        """Let go of the sockets."""
        self._notifier.close()
        self._systemd.close()

    def wait(self, timeout: float | None = None) -> bool:
        """Of the capture worker."""
        self.let_pass(timeout or 0.0)
        return False

    def let_pass(self, seconds: float) -> None:
        """Time passes: looks are taken, and pictures drawn."""
        end = self._read_ends = self.now + seconds
        while self.now < end:
            self.now = min(end, self.now + PERIOD)
            self.vision.advance()
            # Where the wall is black pictures are drawn more seldom: see kiosk.app.
            if self.now - self._drawn_at >= (4 * PERIOD if self.states[-1] is State.CLOSED else PERIOD):
                self._drawn_at = self.now
                self._draw()

    def run(self, seconds: float) -> None:
        """Go on for so long, whatever the camera gives."""
        end = self.now + seconds
        while self.now < end:
            self.step()

    def step(self) -> None:
        """Once round the capture worker's loop."""
        self._read_began = began = self.now
        try:
            if self._capture_error is None:
                self._capture.step(self)
        except Exception as error:  # noqa: BLE001  (as in kiosk.worker: the next beat raises it)
            self._capture_error = error
        if self.now == began:
            self.let_pass(PERIOD)

    def _draw(self) -> None:
        """Once round the loop of kiosk.app."""
        if self.now < self.wall.busy_until:
            return
        try:
            self.wall.flipped()
            for error in (self._capture_error, self.vision.error):
                if error:
                    raise error
            hours, wall_time = self.in_force.config.hours, self._clock.wall()
            if self.now >= self.stops_at or is_over(hours, NOON, wall_time) or self.wall.wants_to_leave():
                raise Ended(0)
            self._beat()
        except Exception as error:  # as in kiosk.cli
            raise Ended(getattr(error, "exit_code", 1), str(error)) from error

    def _clock_on_the_wall(self) -> datetime:
        return self.wall_time + timedelta(seconds=self.now - START)

    def _beat(self) -> None:
        news = self.vision.analysis.news.peek()
        if news and news is not self._announced:
            config, mark = news.config, news.edits_are_bad
            self.wall.announce(Look(config.display, config.wall, news.texts, news.network, mark=mark))
            self._announced = news
        reading_for, looking_for = self.now - self._read_began, self.vision.busy_for(self.now)
        bad = news is not None and news.edits_are_bad
        state = self._supervisor.beat(
            self.now, reading_for, looking_for, warm=news is not None, edits_are_bad=bad
        )
        if state is not self.states[-1]:
            self.states.append(state)
        if PING in self._hear():
            self._pinged_at = self.now
            if not healthy(state):
                self.broken.add(f"a ping in {state}")
        if healthy(state) and self.now - self._pinged_at > 1.0 + 4 * PERIOD:
            self.broken.add(f"no ping in {state}")

    def _hear(self) -> list[str]:
        """What systemd is told now."""
        messages = []
        with suppress(BlockingIOError):
            while True:
                messages.append(self._systemd.recv(4096).decode())
        self.heard += [(self.now - START, message) for message in messages]
        return messages
