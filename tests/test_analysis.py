from __future__ import annotations

import threading
from dataclasses import replace

import pytest

from kiosk.analysis import Analysis
from kiosk.capture import InForce
from kiosk.clock import Clock
from kiosk.config import Config
from kiosk.edits import Edit
from kiosk.errors import InferenceError
from kiosk.messages import Face, Frame, Scene
from kiosk.pipeline import Pipeline
from kiosk.sections import DetectionConfig
from kiosk.words.policy import Policy
from kiosk.worker import Latest
from tests.room import PICTURE, Room, face

FPS = 30
"""Of the camera."""
COST = 0.06
"""Seconds that a look takes: a slow CPU."""


class Edits:
    """Good and bad edits, as a test makes them."""

    def __init__(self) -> None:
        self.next: Edit | None = None
        self.are_bad = False

    def poll(self, lexicon: object, now: float) -> Edit | None:
        edit, self.next = self.next, None
        return edit


class Venue(threading.Event):
    """A room that is looked at on a virtual clock: waiting takes no time, but the clock moves.

    The event is the one that stops the worker, which waits on it between two looks.
    """

    def __init__(self, config: Config | None = None) -> None:
        super().__init__()
        self.now, self.started = 1000.0, 0.0
        self.config = config or Config()
        self.frames, self.scenes, self.edits = Latest[Frame](), Latest[Scene](), Edits()
        self.visitor: tuple[float, Face] | None = None
        """When somebody enters, and her face."""
        self.looks: list[float] = []
        self.in_force = InForce(self.config)
        self.analysis = Analysis(
            self.in_force, (), self.edits, self.frames, self.scenes, Clock(lambda: self.now), self.open
        )
        self._captured = 0

    def open(self, config: Config) -> Pipeline:
        self.room = Room(detection=config.detection)
        pipeline, look = self.room.pipeline, self.room.pipeline.look

        def slow(frame: Frame) -> Scene:
            self.looks.append(self.now)
            self.room.detector.faces = ()
            if self.visitor and frame.captured_at >= self.visitor[0]:
                self.room.detector.faces = (self.visitor[1],)
            self.now += COST
            return look(frame)

        pipeline.look = slow  # type: ignore[method-assign]
        return pipeline

    def wait(self, timeout: float | None = None) -> bool:
        self.now += timeout or 0
        return False

    def step(self) -> Scene | None:
        """The camera's newest frame is there; where it was seen already, wait for the next."""
        captured = int(self.now * FPS)
        if captured == self._captured:
            captured += 1
            self.now = captured / FPS
        self._captured = captured
        self.frames.put(Frame(PICTURE, captured, captured / FPS))
        self.analysis.step(self)
        return self.scenes.peek()

    def run(self, seconds: float) -> None:
        end = self.now + seconds
        while self.now < end:
            self.step()


def test_the_first_step_loads_the_networks_and_says_so() -> None:
    venue = Venue()
    assert venue.analysis.news.peek() is None
    venue.analysis.step(venue)
    news = venue.analysis.news.peek()
    assert news is not None
    assert news.network.classes == 3
    assert venue.looks == []


def test_an_empty_room_is_looked_at_five_times_a_second_and_a_visitor_fifteen_times() -> None:
    venue = Venue()
    venue.run(60)
    assert len(venue.looks) == pytest.approx(5 * 60, rel=0.02)
    venue.visitor = (0.0, face(0.5))
    venue.run(1)
    venue.looks.clear()
    venue.run(60)
    assert len(venue.looks) == pytest.approx(15 * 60, rel=0.02)


def test_the_pause_is_counted_from_the_beginning_of_a_look() -> None:
    venue = Venue(replace(Config(), detection=DetectionConfig(max_rate=4, idle_rate=4)))
    venue.run(10)
    assert len(venue.looks) == pytest.approx(4 * 10, abs=1)


@pytest.mark.parametrize("phase", [at / 60 for at in range(15)])
def test_who_enters_an_empty_room_is_captioned_in_half_a_second_and_the_time_to_be_sure(phase: float) -> None:
    venue = Venue()
    venue.run(5)
    entered = venue.now + phase
    venue.visitor = (entered, face(0.5))
    while not (scene := venue.step()) or not any(caption.box for caption in scene.captions):
        assert venue.now < entered + 3
    # As long as the worker waits after it put the scene, it stands on the wall already.
    assert venue.looks[-1] + COST - entered < 0.5 + Config().tracking.confirm_after


def test_without_frames_what_was_said_goes_and_the_room_is_forgotten() -> None:
    venue = Venue()
    venue.visitor = (0.0, face(0.5))
    venue.run(2)
    assert venue.scenes.peek() is not None
    venue.frames.clear()
    venue.now += 10
    venue.analysis.step(venue)
    assert venue.scenes.peek() is None
    assert not venue.step().anybody


def test_an_edit_is_in_force_for_the_next_look_and_told() -> None:
    venue = Venue()
    venue.run(1)
    config = replace(Config(), detection=DetectionConfig(idle_rate=2, max_rate=10))
    venue.edits.next = Edit(config, Policy.load(config.policy, venue.room.pipeline.lexicon), ())
    venue.step()
    news = venue.analysis.news.peek()
    assert news is not None
    assert news.config is config
    assert venue.in_force.config is config
    venue.looks.clear()
    venue.run(10)
    assert len(venue.looks) == pytest.approx(2 * 10, abs=1)


def test_a_bad_edit_is_told_and_its_mending_too() -> None:
    venue = Venue()
    venue.run(1)
    for are_bad in (True, False):
        venue.edits.are_bad = are_bad
        venue.step()
        news = venue.analysis.news.peek()
        assert news is not None
        assert news.edits_are_bad is are_bad


def test_a_network_that_fails_ends_the_worker_and_puts_no_scene() -> None:
    venue = Venue()
    venue.visitor = (0.0, face(0.5))
    venue.run(2)
    before = venue.scenes.peek()
    venue.room.network.spoilt = True
    venue.now += 2 * 3600
    with pytest.raises(InferenceError) as caught:
        venue.step()
    assert caught.value.exit_code == 70
    assert venue.scenes.peek() is before
