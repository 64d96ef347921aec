from __future__ import annotations

import logging
import math
import threading
from datetime import datetime, timedelta
from pathlib import Path

import cv2
import numpy as np
import pytest

from kiosk import capture as module
from kiosk import health
from kiosk.capture import Capture, Condition, InForce
from kiosk.clock import Clock
from kiosk.config import Config
from kiosk.errors import CameraError
from kiosk.hours import HoursConfig
from kiosk.messages import Frame, Image, Scene
from kiosk.sections import FramingConfig
from kiosk.vision import judge
from kiosk.vision.format import Format
from kiosk.vision.sources import Plan
from kiosk.vision.stillness import LASTS
from kiosk.worker import Latest

NOISE = np.random.default_rng(7)
OPENED_AT = datetime(2026, 3, 2, 9, 0)  # a Monday


def noise() -> Image:
    """As a camera gives it: no two are the same."""
    return NOISE.integers(60, 200, (96, 128, 3), np.uint8)


def black() -> Image:
    return NOISE.integers(0, 9, (96, 128, 3), np.uint8)


def damaged() -> Image:
    image = noise()
    image[40:] = 128
    return image


class Source:
    """Gives what a list says, a tenth of a second apart; None is a read that fails."""

    fps = 10.0

    def __init__(self, venue: Venue, *images: Image | None) -> None:
        self.venue, self.images, self.closed = venue, list(images), False

    def read(self) -> Frame:
        self.venue.now += 1 / self.fps
        image = self.images.pop(0) if self.images else self.picture()
        if image is None:
            raise CameraError("camera: gives no picture")
        return Frame(image, 0, self.venue.now)

    def picture(self) -> Image:
        return noise()

    def skip(self) -> None:
        self.venue.skipped += 1
        self.read()

    @property
    def format(self) -> Format:
        return Format("camera", 128, 96, self.fps, "MJPG")

    def close(self) -> None:
        self.closed = True


class Venue(threading.Event):
    """A camera on a virtual clock: waiting takes no time, but the clock moves."""

    def __init__(self, kind: str = "camera", config: Config | None = None) -> None:
        super().__init__()
        self.now = 1000.0
        self.wall = OPENED_AT
        self.script: list[Source | None] = []
        self.opened_at: list[float] = []
        self.skipped = 0
        self.scenes: Latest[Scene] = Latest()
        self.frames: Latest[Frame] = Latest()
        self.in_force = InForce(config or Config())
        clock = Clock(lambda: self.now, lambda: self.wall + timedelta(seconds=self.now - 1000))
        self.capture = Capture(Plan(kind, "0"), self.in_force, self.frames, clock, self.open, self.scenes)

    def open(self, *_: object) -> Source:
        self.opened_at.append(round(self.now, 1))
        source = self.script.pop(0) if self.script else Source(self)
        if source is None:
            raise CameraError("camera: cannot be opened")
        return source

    def wait(self, timeout: float | None = None) -> bool:
        self.now += timeout or 0
        return False

    def run(self, seconds: float) -> None:
        end = self.now + seconds
        while self.now < end:
            self.capture.step(self)

    @property
    def condition(self) -> Condition:
        report = self.capture.reports.peek()
        assert report
        return report.condition


def test_a_camera_that_fails_is_tried_again_for_ever_and_ever_more_slowly(
    caplog: pytest.LogCaptureFixture,
) -> None:
    caplog.set_level(logging.INFO)
    venue = Venue()
    venue.script = [None] * 8
    venue.run(170)
    assert np.diff(venue.opened_at[:9]).round().tolist() == [1, 2, 4, 8, 16, 30, 30, 30]
    assert venue.condition is Condition.OPEN
    assert venue.frames.peek() is not None
    assert [record.getMessage() for record in caplog.records] == [
        "reopening: camera: cannot be opened",
        "camera: gives pictures again",
    ]


def test_the_last_picture_goes_when_the_camera_does() -> None:
    venue = Venue()
    source = Source(venue, noise(), None)
    venue.script = [source]
    venue.capture.step(venue)
    assert venue.frames.peek() is not None
    venue.capture.step(venue)
    assert venue.frames.peek() is None
    assert source.closed
    assert venue.condition is Condition.REOPENING


def test_a_minute_of_good_frames_makes_the_next_failure_a_new_one() -> None:
    venue = Venue()
    minute = [noise() for _ in range(620)]
    venue.script = [None, None, None, Source(venue, *minute, None), Source(venue, noise(), None), None]
    venue.run(100)
    waits = np.diff(venue.opened_at).round()
    assert waits[:3].tolist() == [1, 2, 4]
    assert waits[3] == pytest.approx(62 + 1, abs=1), "a second after the failure, not eight"
    assert waits[4:6].tolist() == [2, 4]


def test_the_same_picture_again_and_again_is_not_believed() -> None:
    venue = Venue()
    frozen = noise()
    source = Source(venue, *[frozen.copy() for _ in range(100)])
    venue.script = [source]
    venue.run(5.5)
    assert source.closed
    assert venue.condition is Condition.REOPENING
    assert venue.frames.peek() is None


@pytest.mark.parametrize("kind", ["picture", "video", "demo"])
def test_what_is_no_camera_may_stand_still_and_be_dark(kind: str) -> None:
    venue = Venue(kind)
    source = Source(venue, *[np.zeros((96, 128, 3), np.uint8) for _ in range(400)])
    venue.script = [source]
    venue.run(30)
    assert venue.condition is Condition.OPEN
    assert not source.closed


def test_a_covered_lens_rests_and_is_never_opened_again() -> None:
    venue = Venue()
    source = Source(venue, noise(), *[black() for _ in range(36000)])
    venue.script = [source]
    venue.run(3600)
    assert venue.condition is Condition.RESTING
    assert venue.frames.peek() is None
    assert len(venue.opened_at) == 1
    source.images = []
    venue.run(2)
    assert venue.condition is Condition.OPEN
    assert venue.frames.peek() is not None


def test_a_damaged_picture_is_dropped_and_the_one_before_stays() -> None:
    venue = Venue()
    venue.script = [Source(venue, noise(), damaged(), noise())]
    venue.capture.step(venue)
    before = venue.frames.peek()
    venue.capture.step(venue)
    assert venue.frames.peek() is before
    venue.capture.step(venue)
    assert venue.frames.peek() is not before


def test_a_camera_that_gives_nothing_but_damage_is_opened_again() -> None:
    venue = Venue()
    images = []
    for _ in range(200):
        image = damaged()
        image[40:] = NOISE.integers(0, 255)
        images.append(image)
    source = Source(venue, noise(), *images)
    venue.script = [source]
    venue.run(12)
    assert source.closed


def test_a_change_of_size_is_no_fault() -> None:
    venue = Venue()
    venue.script = [Source(venue, noise(), np.ascontiguousarray(noise()[:64, :80]), noise())]
    sizes = []
    for _ in range(3):
        venue.capture.step(venue)
        frame = venue.frames.peek()
        sizes.append(frame and frame.size_wh)
    assert sizes == [(128, 96), (80, 64), (128, 96)]
    assert venue.condition is Condition.OPEN


def test_outside_opening_hours_the_camera_is_released_and_nothing_is_read() -> None:
    venue = Venue(config=Config(hours=HoursConfig(monday="10:00-18:00")))
    venue.run(60)
    assert venue.opened_at == []
    assert venue.condition is Condition.CLOSED
    venue.now += 3600
    venue.run(1)
    assert venue.condition is Condition.OPEN
    source = Source(venue)
    venue.in_force.config = Config(hours=HoursConfig(monday="closed"))
    venue.run(1)
    assert (venue.condition, venue.frames.peek()) == (Condition.CLOSED, None)
    venue.script = [source]
    venue.in_force.config = Config()
    venue.run(1)
    assert venue.condition is Condition.OPEN


def test_a_wall_clock_that_is_set_back_a_year_changes_only_the_hours() -> None:
    venue = Venue(config=Config(hours=HoursConfig(monday="08:00-18:00")))
    venue.run(5)
    venue.wall -= timedelta(days=364)
    venue.run(5)
    assert venue.condition is Condition.OPEN
    assert len(venue.opened_at) == 1


def test_an_edit_of_the_framing_is_in_force_with_the_next_frame() -> None:
    venue = Venue()
    venue.capture.step(venue)
    venue.in_force.config = Config(framing=FramingConfig(rotate="90"))
    venue.capture.step(venue)
    frame = venue.frames.peek()
    assert frame and frame.size_wh == (96, 128)


def test_a_camera_that_came_after_the_seal_asks_for_a_new_start(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module.landlock, "is_sealed_off", lambda node: node == Path("/dev/video3"))
    absent = Venue()
    absent.script = [None]
    absent.capture.step(absent)  # only absent: tried again
    late = Venue()
    late.capture = Capture(Plan("camera", "3"), late.in_force, late.frames, Clock(), late.open)
    late.script = [None]
    with pytest.raises(CameraError, match="a new start reaches it") as gone:
        late.capture.step(late)
    assert gone.value.exit_code == 75


class Crowd(Source):
    """A picture that is all movement."""

    fps = 30.0


class StillRoom(Crowd):
    """One room with a sensor's noise."""

    WALL = cv2.GaussianBlur(NOISE.integers(40, 200, (96, 128, 3), np.uint8), (0, 0), 9)

    def picture(self) -> Image:
        return np.asarray(self.WALL + NOISE.integers(0, 3, self.WALL.shape, np.uint8), np.uint8)


def test_with_nobody_there_and_something_moving_every_second_picture_is_passed_by() -> None:
    venue = Venue()
    venue.script = [Crowd(venue)]
    venue.run(2)
    assert venue.skipped == 0, "nothing is known yet"
    venue.scenes.put(Scene(0, 0.0, ()))
    venue.run(2.9)
    assert venue.skipped == 0
    venue.run(0.2)
    skipped = venue.skipped
    assert passed_on(venue, 10) == pytest.approx(150, abs=2)
    assert venue.skipped - skipped == pytest.approx(150, abs=2)
    venue.scenes.put(Scene(0, 0.0, (), anybody=True))
    skipped = venue.skipped
    venue.run(5)
    assert venue.skipped == skipped


def deserted(source: type[Source] = StillRoom, fps: float = 30, kind: str = "camera") -> tuple[Venue, Source]:
    """A room in which nobody was for so long that the piece takes it easy."""
    venue = Venue(kind)
    opened = source(venue)
    opened.fps = fps
    venue.script = [opened]
    venue.scenes.put(Scene(0, 0.0, ()))
    venue.run(10)
    return venue, opened


def passed_on(venue: Venue, seconds: float) -> int:
    """How many frames go to the networks and the wall."""
    count, _ = venue.frames.wait_newer(0, 0)
    venue.run(seconds)
    return venue.frames.wait_newer(0, 0)[0] - count


@pytest.mark.parametrize(("fps", "read"), [(60, 10), (30, 10), (25, 12.5), (15, 15), (10, 10), (2, 2)])
def test_of_a_still_room_few_pictures_are_read_and_fewer_go_on(fps: float, read: float) -> None:
    venue, _ = deserted(fps=fps)
    before = venue.skipped
    assert passed_on(venue, 20) == pytest.approx(20 / (math.ceil(LASTS * fps) / fps), rel=0.2)
    assert venue.skipped - before == pytest.approx(20 * (fps - read), abs=0.03 * 20 * fps)
    assert venue.condition is Condition.OPEN


@pytest.mark.parametrize("fps", [30, 10, 5, 2])
def test_no_picture_of_a_still_room_is_so_old_that_a_short_hiccup_blanks_the_wall(fps: float) -> None:
    venue, _ = deserted(fps=fps, kind="stream")
    oldest = 0.0
    for _ in range(400):
        venue.capture.step(venue)
        frame = venue.frames.peek()
        assert frame
        oldest = max(oldest, venue.now - frame.captured_at)
    # A flat part of the picture is not believed for SCENE_AFTER, and meanwhile none is passed on.
    if fps >= 5:
        assert oldest + judge.SCENE_AFTER < health.FRAME_LIFETIME
    assert oldest + 1 / fps < health.SCENE_LIFETIME


def test_what_moves_in_a_still_room_goes_on_at_once_and_for_as_long_as_it_moves() -> None:
    venue, source = deserted()
    source.images = [source.picture() // 2 for _ in range(6)]
    assert passed_on(venue, 0.1) >= 1, "of three one is read"
    frame = venue.frames.peek()
    assert frame and np.median(frame.image) < 80
    source.images = [noise() for _ in range(60)]
    assert passed_on(venue, 2) == pytest.approx(30, abs=1)


def test_a_second_after_the_last_movement_every_picture_that_is_read_still_goes_on() -> None:
    venue, source = deserted()
    source.images = [source.picture() // 2 for _ in range(6)]
    while source.images:
        venue.capture.step(venue)
    assert passed_on(venue, 0.9) == pytest.approx(14, abs=2)
    venue.run(0.5)
    assert passed_on(venue, 7) == pytest.approx(10, abs=1)


def test_what_is_cut_off_is_not_looked_at_for_movement() -> None:
    venue, source = deserted()
    venue.in_force.config = Config(framing=FramingConfig(zoom=2))
    venue.run(3)  # another picture
    source.images = [source.picture() for _ in range(300)]
    for image in source.images:
        assert image is not None
        image[:12] = 255  # of 96 rows the middle 64 are left
    assert passed_on(venue, 7) == pytest.approx(10, abs=1)
    source.images.clear()
    inside = source.picture()
    inside[40:50, 60:68] = 255
    source.images = [inside] * 3
    assert passed_on(venue, 0.1) >= 1


def test_an_edit_of_the_framing_is_seen_at_once_in_a_still_room() -> None:
    venue, _ = deserted()
    venue.in_force.config = Config(framing=FramingConfig(rotate="90"))
    venue.run(0.15)
    frame = venue.frames.peek()
    assert frame and frame.size_wh == (96, 128)


def test_when_somebody_is_seen_in_a_still_room_every_picture_goes_on() -> None:
    venue, _ = deserted()
    venue.scenes.put(Scene(0, 0.0, (), anybody=True))
    assert passed_on(venue, 2) == pytest.approx(60, abs=1)


def test_while_the_staff_look_on_every_picture_goes_on() -> None:
    venue, _ = deserted()
    venue.capture.is_watched = True
    assert passed_on(venue, 2) == pytest.approx(60, abs=1)
    venue.capture.is_watched = False
    venue.run(6)
    assert passed_on(venue, 7) == pytest.approx(10, abs=1)


@pytest.mark.parametrize("interruption", ["darkness", "a read that fails"])
def test_after_an_interruption_a_still_room_is_shown_at_once(interruption: str) -> None:
    venue, source = deserted()
    if interruption == "darkness":
        source.images = [black() for _ in range(120)]
        until = Condition.RESTING
    else:
        source.images = [None]
        venue.script = [StillRoom(venue)]
        until = Condition.REOPENING
    while venue.condition is not until:
        venue.capture.step(venue)
    assert venue.frames.peek() is None
    while venue.condition is not Condition.OPEN:
        venue.capture.step(venue)
    assert venue.frames.peek() is not None


@pytest.mark.parametrize("kind", ["picture", "video", "demo"])
def test_of_what_is_not_live_every_picture_is_read(kind: str) -> None:
    venue = Venue(kind)
    venue.scenes.put(Scene(0, 0.0, ()))
    venue.run(10)
    assert venue.skipped == 0
