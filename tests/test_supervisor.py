from __future__ import annotations

import logging
import socket
from collections.abc import Iterator
from contextlib import suppress

import numpy as np
import pytest

from kiosk.capture import Condition, Report
from kiosk.errors import CameraError, DisplayError, InferenceError
from kiosk.health import State
from kiosk.messages import Frame, Scene
from kiosk.screen.draw import Card
from kiosk.screen.look import Told
from kiosk.supervisor import CARDS, STATUSES, Supervisor
from kiosk.trust.notify import Notifier
from kiosk.worker import Latest

NOW = 1000.0
Shown = tuple[Frame | None, Scene | None, Card]
WHY = "the cable"


class Wall:
    """Remembers what it was given."""

    def __init__(self) -> None:
        self.shown: list[Shown] = []
        self.told = Told()
        self.is_gone = False

    def show(self, frame: Frame | None, scene: Scene | None, card: Card, told: Told) -> None:
        if self.is_gone:
            raise DisplayError("the display takes no picture any more")
        self.shown.append((frame, scene, card))
        self.told = told


class Desk:
    """A supervisor with all that it looks at."""

    def __init__(self, *, wall: bool = True) -> None:
        self.frames, self.scenes, self.reports = Latest[Frame](), Latest[Scene](), Latest[Report]()
        ours, self.systemd = socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM)
        self.systemd.setblocking(False)
        self.notifier = Notifier(ours, 30.0)
        self.wall = Wall()
        self.supervisor = Supervisor(
            self.frames, self.scenes, self.reports, self.wall if wall else None, self.notifier
        )

    def come(
        self, *, frame: float | None, scene: float | None, condition: Condition = Condition.OPEN
    ) -> None:
        """Put a frame and a scene of some age into the mailboxes, seconds; None for none."""
        self.reports.put(Report(condition, "" if condition is Condition.OPEN else WHY))
        self.frames.clear()
        self.scenes.clear()
        if frame is not None:
            self.frames.put(Frame(np.zeros((2, 2, 3), np.uint8), 0, NOW - frame))
        if scene is not None:
            self.scenes.put(Scene(0, NOW - scene, ()))

    def beat(self, now: float = NOW, *, warm: bool = True, bad: bool = False) -> State:
        return self.supervisor.beat(now, 0.0, 0.0, warm=warm, edits_are_bad=bad)

    def heard(self) -> list[str]:
        """What systemd was told since the last call."""
        messages = []
        with suppress(BlockingIOError):
            while True:
                messages.append(self.systemd.recv(4096).decode())
        return messages


@pytest.fixture
def desk() -> Iterator[Desk]:
    made = Desk()
    yield made
    made.notifier.close()
    made.systemd.close()


def test_live_a_picture_stands_with_what_is_said_of_it(desk: Desk) -> None:
    desk.come(frame=0.1, scene=0.3)
    assert desk.beat() is State.LIVE
    assert desk.wall.shown == [(desk.frames.peek(), desk.scenes.peek(), Card.RESTING)]
    assert desk.heard() == ["READY=1", "STATUS=running", "WATCHDOG=1"]


def test_what_is_said_goes_after_two_seconds_and_the_picture_after_three(desk: Desk) -> None:
    desk.come(frame=0.1, scene=2.1)
    assert desk.beat() is State.LIVE
    desk.come(frame=3.1, scene=0.1)
    assert desk.beat() is State.STALE
    (frame, said, _), last = desk.wall.shown
    assert frame and said is None
    assert last == (None, None, Card.RESTING)


def test_while_the_networks_load_the_picture_stands_alone(desk: Desk) -> None:
    desk.come(frame=0.1, scene=None)
    assert desk.beat(warm=False) is State.WARMING
    assert desk.wall.shown == [(desk.frames.peek(), None, Card.OPENING)]


@pytest.mark.parametrize(
    ("condition", "card"),
    [
        (Condition.OPENING, Card.OPENING),
        (Condition.REOPENING, Card.RESTING),
        (Condition.RESTING, Card.RESTING),
        (Condition.CLOSED, Card.BLACK),
    ],
)
def test_without_a_picture_a_card_stands_whatever_lies_in_the_mailboxes(
    desk: Desk, condition: Condition, card: Card
) -> None:
    desk.come(frame=0.1, scene=0.1, condition=condition)
    desk.beat()
    assert desk.wall.shown == [(None, None, card)]


def test_before_the_first_report_it_is_opening(desk: Desk) -> None:
    assert desk.supervisor.state is State.OPENING
    assert desk.beat() is State.OPENING
    assert desk.wall.shown == [(None, None, Card.OPENING)]
    assert desk.heard() == ["STATUS=starting", "WATCHDOG=1"], "not ready before the networks are"


def test_the_watchdog_hears_nothing_while_no_picture_comes_and_at_once_when_one_does(desk: Desk) -> None:
    desk.come(frame=0.0, scene=0.0)
    desk.beat()
    assert "WATCHDOG=1" in desk.heard()
    for tenth in range(31, 131):
        assert desk.beat(NOW + tenth / 10) is State.STALE
    assert "WATCHDOG=1" not in desk.heard()
    desk.come(frame=-13.1, scene=-13.1)
    assert desk.beat(NOW + 13.1) is State.LIVE
    assert desk.heard() == ["STATUS=running", "WATCHDOG=1"]


@pytest.mark.parametrize("condition", [Condition.REOPENING, Condition.RESTING, Condition.CLOSED])
def test_where_no_picture_can_be_expected_all_is_well(desk: Desk, condition: Condition) -> None:
    desk.come(frame=None, scene=None, condition=condition)
    for second in range(60):
        desk.beat(NOW + second)
    assert desk.heard().count("WATCHDOG=1") == 60


def test_nothing_is_told_of_a_picture_that_the_display_did_not_take(desk: Desk) -> None:
    desk.come(frame=0.1, scene=0.1)
    desk.wall.is_gone = True
    with pytest.raises(DisplayError):
        desk.beat()
    assert desk.heard() == []


def test_a_step_that_never_ends_ends_the_piece_before_anything_is_shown(desk: Desk) -> None:
    desk.come(frame=0.1, scene=0.1)
    with pytest.raises(CameraError):
        desk.supervisor.beat(NOW, 15.1, 0.0, warm=True)
    with pytest.raises(InferenceError):
        desk.supervisor.beat(NOW, 0.0, 15.1, warm=True)
    desk.supervisor.beat(NOW, 0.0, 15.1, warm=False)
    assert len(desk.wall.shown) == 1
    assert desk.heard().count("WATCHDOG=1") == 1


def test_a_bad_edit_is_told_while_all_else_is_well_and_only_then(desk: Desk) -> None:
    desk.come(frame=0.1, scene=0.1)
    desk.beat(bad=True)
    desk.come(frame=None, scene=None, condition=Condition.CLOSED)
    desk.beat(bad=True)
    desk.come(frame=0.1, scene=0.1)
    desk.beat(bad=False)
    assert [message for message in desk.heard() if message.startswith("STATUS=")] == [
        "STATUS=running; an edit of the configuration is bad and not in force",
        "STATUS=closed, by the opening hours",
        "STATUS=running",
    ]


def test_a_state_is_logged_once_when_it_is_entered_and_why(
    desk: Desk, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO)
    desk.come(frame=0.1, scene=0.1)
    for _ in range(3):
        desk.beat()
    desk.come(frame=None, scene=None, condition=Condition.REOPENING)
    for _ in range(3):
        desk.beat()
    assert [record.getMessage() for record in caplog.records] == [
        "state: live",
        f"state: the source failed and is tried again: {WHY}",
    ]


def test_the_wall_knows_why_for_the_staff(desk: Desk) -> None:
    desk.beat()
    assert desk.wall.told == Told("opening the source")
    desk.come(frame=None, scene=None, condition=Condition.REOPENING)
    desk.beat()
    assert desk.wall.told == Told("the source failed and is tried again", WHY)


def test_without_a_wall_it_is_supervised_all_the_same() -> None:
    desk = Desk(wall=False)
    desk.come(frame=0.1, scene=0.1)
    assert desk.beat() is State.LIVE
    assert desk.heard() == ["READY=1", "STATUS=running", "WATCHDOG=1"]
    with pytest.raises(CameraError):
        desk.supervisor.beat(NOW, 16.0, 0.0, warm=True)
    desk.notifier.close()
    desk.systemd.close()


def test_every_state_that_can_be_entered_has_a_status_and_no_card_names_a_fault() -> None:
    assert set(STATUSES) == set(State) - {State.FAULT}
    assert set(CARDS.values()) <= {Card.OPENING, Card.BLACK}
