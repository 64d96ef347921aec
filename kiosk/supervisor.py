"""One beat of the piece: what stands on the wall now, is all well, and what the service manager is told.

In: the mailboxes of the workers, and for how long each has been at its step. Out: a picture or a card on
the screen, and a state; or an error, where only a new process helps.
"""

from __future__ import annotations

import logging
from typing import Protocol

from kiosk import health
from kiosk.capture import Condition, Report
from kiosk.health import Signs, State
from kiosk.messages import Frame, Scene
from kiosk.screen.draw import Card
from kiosk.screen.look import Told
from kiosk.trust.notify import Notifier, Status
from kiosk.worker import Latest

log = logging.getLogger(__name__)

# The reason is for the log and for the staff. Visitors see the piece, or one calm card.
CARDS = {State.OPENING: Card.OPENING, State.WARMING: Card.OPENING, State.CLOSED: Card.BLACK}
STATUSES = {
    State.OPENING: Status.STARTING,
    State.WARMING: Status.LOADING,
    State.LIVE: Status.RUNNING,
    State.STALE: Status.STALLED,
    State.REOPENING: Status.NO_PICTURE,
    State.RESTING: Status.RESTING,
    State.CLOSED: Status.CLOSED,
}


class Wall(Protocol):
    """What pictures are shown on."""

    def show(self, frame: Frame | None, scene: Scene | None, card: Card, told: Told) -> None:
        """Raises DisplayError where nothing can be shown any more."""


class Supervisor:
    """Holds no picture: what is too old is not shown, whoever still holds it."""

    def __init__(
        self,
        frames: Latest[Frame],
        scenes: Latest[Scene],
        reports: Latest[Report],
        wall: Wall | None,
        notifier: Notifier,
    ) -> None:
        """Without a wall the piece is supervised all the same."""
        self._frames, self._scenes, self._reports = frames, scenes, reports
        self._wall, self._notifier = wall, notifier
        self._seen: float | None = None
        self._looked_at: float | None = None
        self.state = State.OPENING
        """As of the last beat."""

    def beat(
        self, now: float, reading_for: float, looking_for: float, *, warm: bool, edits_are_bad: bool = False
    ) -> State:
        """Call for every picture that is drawn. Raises CameraError, InferenceError and DisplayError.

        `now` is monotonic, seconds; the two durations are how long the workers have been at their steps.
        """
        frame, scene, report = self._frames.peek(), self._scenes.peek(), self._reports.peek()
        signs = Signs(
            report.condition if report else Condition.OPENING,
            reading_for,
            looking_for,
            warm,
            now - frame.captured_at if frame else None,
            self._look_age(scene, now),
        )
        self._enter(health.state(signs), report)
        health.check(signs)
        shown = frame if self.state in (State.LIVE, State.WARMING) else None
        said = scene if scene and now - scene.captured_at < health.SCENE_LIFETIME else None
        if self._wall:
            told = Told(self.state.value, report.reason if report else "")
            self._wall.show(shown, said if shown else None, CARDS.get(self.state, Card.RESTING), told)
        # Not while networks load: until then the service manager waits, and does not watch.
        if self.state not in (State.OPENING, State.WARMING):
            self._notifier.ready()
        bad = edits_are_bad and self.state is State.LIVE
        self._notifier.status(Status.BAD_EDIT if bad else STATUSES[self.state])
        if health.healthy(self.state):
            self._notifier.ping(now)
        return self.state

    def fail(self, reason: str) -> None:
        """Call where the piece is about to end by a fault."""
        self._enter(State.FAULT, Report(Condition.OPEN, reason))
        self._notifier.status(Status.FAULT)

    def _look_age(self, scene: Scene | None, now: float) -> float | None:
        """Seconds since the newest scene was first seen: a look that takes long is not a missing one."""
        captured_at = scene.captured_at if scene else None
        if captured_at != self._seen:
            self._seen, self._looked_at = captured_at, None if scene is None else now
        return None if self._looked_at is None else now - self._looked_at

    def _enter(self, state: State, report: Report | None) -> None:
        if state is not self.state:
            self.state = state
            log.info("state: %s%s", state.value, f": {report.reason}" if report and report.reason else "")
