from __future__ import annotations

import numpy as np
import pytest

from kiosk.messages import Box, Frame, Scene, Sighting
from kiosk.screen.aiming import Mark, Pace, corners, eye_lines, marks, rows
from kiosk.screen.look import Facts
from kiosk.screen.view import Rect, View

HALF = View((1280, 720), (640, 360), "cover", mirror=True)
NEAR = Sighting(Box(100, 200, 180, 300), 0.934)
FAR = Sighting(Box(600, 100, 624, 131), 0.61, "too small")


def frame(index: int = 0, at: float = 0.0) -> Frame:
    return Frame(np.zeros((720, 1280, 3), np.uint8), index, at)


def scene(*seen: Sighting, at: float = 0.0) -> Scene:
    return Scene(0, at, (), bool(seen), seen)


def test_a_face_is_marked_in_the_mirror_with_its_score_its_height_and_why_it_is_left_out() -> None:
    assert marks(scene(NEAR, FAR), HALF) == (
        Mark(Rect(550, 100, 40, 50), "0.93  100 px", is_used=True),
        Mark(Rect(328, 50, 12, 16), "0.61  31 px  too small", is_used=False),
    )


def test_a_face_in_the_part_that_is_cut_off_is_said_to_be_off_the_screen() -> None:
    upright = View((1280, 720), (1080, 1920), "cover", mirror=True)
    (mark,) = marks(scene(NEAR), upright)
    assert mark.text == "0.93  100 px  off the screen"
    assert mark.is_used


@pytest.mark.parametrize("mirror", [False, True])
@pytest.mark.parametrize("fit", ["cover", "contain"])
def test_the_zone_lies_where_its_shares_of_the_picture_are_seen(mirror: bool, fit: str) -> None:
    zone = ((0.25, 0.0), (1.0, 0.0), (1.0, 0.5), (0.25, 0.5))
    view = View((1280, 720), (640, 360), fit, mirror)
    assert corners(Facts(zone=zone), view) == ((160, 0), (640, 0), (640, 180), (160, 180))
    assert corners(Facts(), view) == ()


def test_the_zone_is_cut_and_bordered_like_the_picture() -> None:
    zone = ((0.0, 0.0), (1.0, 1.0), (0.5, 0.5))
    cut = View((1280, 720), (720, 720), "cover", mirror=True)
    assert corners(Facts(zone=zone), cut) == ((-280, 0), (1000, 720), (360, 360))
    bordered = View((1280, 720), (1280, 920), "contain", mirror=True)
    assert corners(Facts(zone=zone), bordered) == ((0, 100), (1280, 820), (640, 460))


def test_eyes_belong_between_a_third_and_the_middle_of_the_picture_not_of_the_screen() -> None:
    assert eye_lines(HALF) == (120, 180)
    assert eye_lines(View((1280, 720), (1280, 920), "contain", mirror=True)) == (340, 460)


def test_a_rate_is_measured_by_what_came_not_by_what_was_seen_of_it() -> None:
    pace = Pace()
    assert pace.rate is None
    for index in range(0, 90, 2):  # every second picture is drawn
        pace.see(index, index / 30)
        pace.see(index, index / 30)
    assert pace.rate == pytest.approx(30)


def test_a_rate_is_not_told_too_soon_and_forgets_what_was_long_ago() -> None:
    pace = Pace()
    for index in range(10):
        pace.see(index, index / 30)
    assert pace.rate is None
    for index in range(10, 90):
        pace.see(index, index / 30)
    for index in range(90, 130):
        pace.see(index, 3 + (index - 90) / 10)
    assert pace.rate == pytest.approx(10)
    pace.see(130, 1000.0)
    assert pace.rate is None


def test_a_source_that_is_opened_anew_counts_anew() -> None:
    pace = Pace()
    for index in range(90):
        pace.see(index, index / 30)
    for index in range(40):
        pace.see(index, 4 + index / 20)
    assert pace.rate == pytest.approx(20)


def test_what_stands_beside_the_picture() -> None:
    frames, looks = Pace(), Pace()
    for index in range(60):
        frames.see(index, index / 30)
    facts = Facts(source="camera 0", smallest=48, largest=400, zone=((0.0, 0.0), (1.0, 0.0), (1.0, 1.0)))
    assert rows(facts, frame(), scene(NEAR, FAR), frames, looks) == (
        ("Source", "camera 0"),
        ("Gives", "1280 x 720, 30.0 pictures a second"),
        ("Detector", "… looks a second"),
        ("Faces", "1 of 2 looked at: those from 48 px to 400 px high"),
        ("Zone", "inside the yellow line"),
        ("Eyes", "of most visitors between the dashed lines"),
    )
    everywhere = dict(rows(Facts(source="camera 0", smallest=48), frame(), None, frames, looks))
    assert everywhere["Faces"] == "0 of 0 looked at: those from 48 px high"
    assert everywhere["Zone"] == "everywhere"


def test_a_source_that_comes_back_with_the_same_count_begins_anew() -> None:
    pace = Pace()
    for index in range(30):
        pace.see(index, index / 30)
    pace.see(29, 60.0)
    assert pace.rate is None
    for index in range(30, 60):
        pace.see(index, 60 + (index - 29) / 15)
    assert pace.rate == pytest.approx(15)
