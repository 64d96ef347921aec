from __future__ import annotations

import numpy as np
import pytest

from kiosk.messages import Frame
from kiosk.vision.format import MEASURED_FRAMES, Format, Meter


def frame(at: float, size_wh: tuple[int, int] = (64, 48)) -> Frame:
    return Frame(np.zeros((size_wh[1], size_wh[0], 3), np.uint8), 0, at)


def test_a_rate_needs_two_frames() -> None:
    meter = Meter("Webcam", "MJPG")
    assert meter.format is None
    meter.count(frame(100.0))
    assert meter.format is None
    meter.count(frame(100.05))
    assert meter.format == Format("Webcam", 64, 48, pytest.approx(20), "MJPG")


def test_two_frames_of_one_moment_have_no_rate() -> None:
    meter = Meter("Webcam")
    for _ in range(3):
        meter.count(frame(100.0))
    assert meter.format is None


def test_a_camera_that_gets_slower_is_seen_to_be_slower() -> None:
    meter = Meter("Webcam")
    now = 0.0
    for step in [1 / 30] * 300 + [1 / 10] * (MEASURED_FRAMES + 1):
        now += step
        meter.count(frame(now))
        assert meter.format is None or 9.9 < meter.format.fps < 30.1
    assert meter.format is not None
    assert meter.format.fps == pytest.approx(10)


def test_the_size_is_that_of_the_last_frame() -> None:
    meter = Meter("Webcam")
    meter.count(frame(0.0))
    meter.count(frame(0.1, (1280, 720)))
    assert meter.format is not None
    assert (meter.format.width, meter.format.height) == (1280, 720)


def test_a_frame_comes_back_as_it_was() -> None:
    one = frame(0.0)
    assert Meter("Webcam").count(one) is one


def test_it_is_written_in_one_line() -> None:
    assert str(Format("Webcam", 1280, 720, 29.97, "MJPG")) == "1280x720 30.0 fps MJPG"
    assert str(Format("demo", 1280, 720, 25, "")) == "1280x720 25.0 fps"
