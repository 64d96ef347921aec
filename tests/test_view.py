from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kiosk.messages import Box
from kiosk.screen.view import Rect, View

SIZES = [(1280, 720), (1920, 1080), (3840, 2160), (1080, 1920), (720, 1280), (640, 480), (1366, 768)]
views = st.builds(
    View,
    st.tuples(st.integers(160, 3840), st.integers(120, 2160)),
    st.sampled_from(SIZES),
    st.sampled_from(("cover", "contain")),
    st.booleans(),
)


def test_cover_fills_the_screen_and_cuts_the_sides_alike() -> None:
    view = View((1280, 720), (1080, 1920), "cover", mirror=False)
    assert view.target == Rect(0, 0, 1080, 1920)
    assert view.source == (437, 0, 842, 720)


def test_contain_shows_all_between_borders_of_one_size() -> None:
    view = View((1280, 720), (1080, 1920), "contain", mirror=False)
    assert view.source == (0, 0, 1280, 720)
    assert view.target == Rect(0, 656, 1080, 608)


def test_a_portrait_frame_is_contained_between_borders_at_its_sides() -> None:
    view = View((720, 1280), (1920, 1080), "contain", mirror=False)
    assert view.source == (0, 0, 720, 1280)
    assert view.target == Rect(656, 0, 608, 1080)


def test_a_frame_of_the_screens_size_is_shown_pixel_for_pixel() -> None:
    view = View((1920, 1080), (1920, 1080), "cover", mirror=False)
    assert view.rect(Box(10, 20, 110, 220)) == Rect(10, 20, 100, 200)


def test_a_mirror_swaps_left_and_right_and_leaves_the_height() -> None:
    view = View((1280, 720), (1280, 720), "cover", mirror=True)
    assert view.rect(Box(0, 0, 100, 50)) == Rect(1180, 0, 100, 50)
    assert view.rect(Box(1180, 670, 1280, 720)) == Rect(0, 670, 100, 50)


@pytest.mark.parametrize("mirror", [False, True])
@pytest.mark.parametrize("fit", ["cover", "contain"])
def test_the_frames_own_corners_land_on_the_corners_of_the_picture(fit: str, mirror: bool) -> None:
    view = View((1280, 720), (1920, 1080), fit, mirror)
    assert view.rect(Box(0, 0, 1280, 720)) == Rect(0, 0, 1920, 1080)


@given(views)
def test_what_is_seen_of_a_frame_lands_exactly_on_the_picture(view: View) -> None:
    assert view.rect(Box(*view.source)) == view.target


@given(views)
def test_cover_leaves_no_border_and_contain_cuts_nothing(view: View) -> None:
    if view.fit == "cover":
        assert view.target == Rect(0, 0, *view.screen_wh)
        assert view.source[:2] == (0, 0) or 0 in view.source[:2]
    else:
        assert view.source == (0, 0, *view.frame_wh)
        assert Rect(0, 0, *view.screen_wh).contains(view.target)
        assert view.target.width == view.screen_wh[0] or view.target.height == view.screen_wh[1]


@given(views)
def test_a_picture_is_stretched_by_no_more_than_a_pixel_of_rounding(view: View) -> None:
    x0, y0, x1, y1 = view.source
    assert abs(view.target.width - (x1 - x0) * view.scale) <= max(1.0, view.scale)
    assert abs(view.target.height - (y1 - y0) * view.scale) <= max(1.0, view.scale)


@given(views, st.data())
def test_a_box_comes_back_from_the_screen_where_it_was(view: View, data: st.DataObject) -> None:
    width, height = view.frame_wh
    x0, y0 = data.draw(st.floats(0, width - 20)), data.draw(st.floats(0, height - 20))
    box = Box(x0, y0, data.draw(st.floats(x0 + 1, width)), data.draw(st.floats(y0 + 1, height)))
    rect, (left, top, right, bottom), target = view.rect(box), view.source, view.target
    across, down = (right - left) / target.width, (bottom - top) / target.height
    a, b = ((side - target.x) * across for side in (rect.x, rect.right))
    back = (right - b, right - a) if view.mirror else (left + a, left + b)
    assert back == pytest.approx((box.x0, box.x1), abs=0.51 * across + 1e-6)
    rows = [top + (side - target.y) * down for side in (rect.y, rect.bottom)]
    assert rows == pytest.approx([box.y0, box.y1], abs=0.51 * down + 1e-6)


def test_a_visitor_is_shown_if_the_middle_of_her_face_is_in_the_picture() -> None:
    view = View((1280, 720), (1080, 1920), "cover", mirror=False)
    assert view.shows(view.rect(Box(600, 300, 700, 400)))
    assert view.shows(view.rect(Box(410, 300, 480, 400)))
    assert not view.shows(view.rect(Box(400, 300, 470, 400)))
    assert not view.shows(view.rect(Box(0, 300, 100, 400)))
