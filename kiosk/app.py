"""The running piece: two workers and the draw loop. Alone knows all wings."""

from __future__ import annotations

import faulthandler
import logging
import signal
import threading
from types import FrameType

from kiosk import __version__
from kiosk.analysis import NICENESS, Analysis, News
from kiosk.capture import Capture, InForce
from kiosk.clock import Clock
from kiosk.edits import Edit, Edits
from kiosk.errors import CameraError, KioskError
from kiosk.headless import Teller
from kiosk.health import State
from kiosk.hours import is_over
from kiosk.messages import Frame, Scene
from kiosk.screen.look import Facts, Look
from kiosk.screen.texts import Texts, statement
from kiosk.screen.window import Screen
from kiosk.supervisor import Supervisor
from kiosk.trust.notify import Notifier, Status
from kiosk.trust.seal import Seal
from kiosk.vision.sources import Plan
from kiosk.worker import Latest, Worker

log = logging.getLogger(__name__)

STOP_TIMEOUT = 3.0
WAIT = 0.25
# Where the wall is black nobody waits for a picture.
CLOSED_WAIT = 0.2
# Seconds; not while networks load, which may hold all threads.
HUNG_AFTER = 60.0
ARM_EVERY = 5.0


class Kiosk:
    """Parts are started in order and stopped in reverse."""

    def __init__(
        self,
        start: Edit,
        what: Plan,
        screen: Screen | None,
        sealed: Seal,
        edits: Edits,
        notifier: Notifier,
    ) -> None:
        """Without a screen the piece runs all the same, and tells what it does on standard output.

        What `sealed` says holds is what the wall claims. `start` is in force until one of `edits` is.
        """
        self._screen, self._sealed, self._notifier = screen, sealed, notifier
        self._plan = what
        self._frames, self._scenes = Latest[Frame](), Latest[Scene]()
        self._clock = Clock()
        self._in_force = in_force = InForce(start.config)
        self._capture = Capture(self._plan, in_force, self._frames, self._clock, scenes=self._scenes)
        self._analysis = Analysis(in_force, start.texts, edits, self._frames, self._scenes)
        self._capture_worker = Worker("capture", self._capture.step, self._capture.close)
        self._analysis_worker = Worker("vision", self._analysis.step, niceness=NICENESS)
        self._supervisor = Supervisor(self._frames, self._scenes, self._capture.reports, screen, notifier)
        self._asked_to_stop = threading.Event()
        self._started = self._clock.wall()

    def run(self, seconds: float | None) -> None:
        """Run until asked to stop, or for `seconds`. Raises what ended a worker, or the display."""
        for name in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            signal.signal(name, self._stop)
        log.info("source: %s", self._plan)
        deadline = None if seconds is None else self._clock.monotonic() + seconds
        self._capture_worker.start()
        self._analysis_worker.start()
        try:
            if self._screen:
                self._draw(self._screen, deadline)
            else:
                self._tell(deadline)
        except KioskError as error:
            self._supervisor.fail(str(error))
            raise
        finally:
            faulthandler.cancel_dump_traceback_later()
            if self._supervisor.state is not State.FAULT:
                self._notifier.status(Status.STOPPING)
            self._notifier.stopping()
            # First of all: nobody's picture stays while a worker that hangs is waited for.
            if self._screen:
                self._screen.close()
            self._analysis_worker.stop(STOP_TIMEOUT)
            ended = self._capture_worker.stop(STOP_TIMEOUT)
        if not ended:
            raise CameraError(f"{self._plan}: stuck, a read does not return")

    def _stop(self, signum: int, frame: FrameType | None) -> None:
        self._asked_to_stop.set()

    def _is_over(self, deadline: float | None) -> bool:
        self._capture_worker.check()
        self._analysis_worker.check()
        if is_over(self._in_force.config.hours, self._started, self._clock.wall()):
            log.info("it is time for the daily restart")
            return True
        return self._asked_to_stop.is_set() or (deadline is not None and self._clock.monotonic() >= deadline)

    def _draw(self, screen: Screen, deadline: float | None) -> None:
        announced: News | None = None
        armed_at = 0.0
        while not (self._is_over(deadline) or screen.wants_to_leave()):
            news = self._analysis.news.peek()
            if news and news is not announced:
                screen.announce(self._look(news))
                announced = news
            # A flip that never returns holds this thread: another ends the process, and the service restarts.
            if announced and (now := self._clock.monotonic()) - armed_at > ARM_EVERY:
                faulthandler.dump_traceback_later(HUNG_AFTER, exit=True)
                armed_at = now
            state = self._beat()
            self._capture.is_watched = screen.is_watched
            screen.light(on=state is not State.CLOSED)
            if state is State.CLOSED:
                self._asked_to_stop.wait(CLOSED_WAIT)

    def _beat(self) -> State:
        now, news = self._clock.monotonic(), self._analysis.news.peek()
        return self._supervisor.beat(
            now,
            self._capture_worker.busy_for(now),
            self._analysis_worker.busy_for(now),
            warm=news is not None,
            edits_are_bad=news is not None and news.edits_are_bad,
        )

    def _look(self, news: News) -> Look:
        config = news.config
        return Look(
            config.display,
            config.wall,
            news.texts,
            news.network,
            config.captions.entries,
            tuple(self._footnotes(texts) for texts in news.texts),
            news.edits_are_bad,
            words=news.words,
            staff=config.staff,
            facts=Facts(
                __version__,
                str(self._plan),
                self._plan.is_live,
                news.networks,
                config.detection.min_face_height,
                config.detection.max_face_height,
                config.zone.polygon or (),
            ),
        )

    def _footnotes(self, texts: Texts) -> tuple[str, ...]:
        sealed = self._sealed
        claim = statement(
            texts,
            can_store=sealed.can_store,
            can_send=sealed.can_send,
            stream=bool(sealed.policy.ports),
            missing=sealed.missing,
        )
        return (claim, texts.demo) if self._plan.kind == "demo" else (claim,)

    def _tell(self, deadline: float | None) -> None:
        """Print what the teller says; of a live source states only."""
        teller, count = Teller(self._clock.monotonic()), 0
        while not self._is_over(deadline):
            self._beat()
            count, scene = self._scenes.wait_newer(count, WAIT)
            if scene is not None and not self._plan.is_live:
                for line in teller.lines(scene):
                    print(line, flush=True)  # noqa: T201  (what was asked for)
