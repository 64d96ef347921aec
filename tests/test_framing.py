"""What of the camera's picture is used: turned, then cut."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kiosk.messages import Frame
from kiosk.sections import FramingConfig
from kiosk.vision.framing import SMALLEST, TURNS, framed

WIDTH, HEIGHT = 200, 120
ROTATIONS = st.sampled_from(("0", *TURNS))
ZOOMS = st.floats(1, 8)
PLACES = st.floats(0, 1)
SIDES = st.integers(1, 256)


def picture(width: int = WIDTH, height: int = HEIGHT) -> Frame:
    """Every pixel says where it is: (x, y, 7)."""
    rows, columns = np.mgrid[:height, :width]
    image = np.stack((columns, rows, np.full_like(rows, 7)), axis=2).astype(np.uint8)
    return Frame(image, 5, 12.5)


@given(SIDES, SIDES, ROTATIONS, ZOOMS, PLACES, PLACES)
def test_what_is_cut_is_a_part_of_the_turned_picture_that_holds_the_chosen_place(
    width: int, height: int, rotate: str, zoom: float, x: float, y: float
) -> None:
    frame = picture(width, height)
    turned = np.rot90(frame.image, -int(rotate) // 90)
    full_h, full_w = turned.shape[:2]
    seen = framed(frame, FramingConfig(rotate, zoom, x, y))
    seen_w, seen_h = seen.size_wh
    assert seen_w == min(full_w, max(SMALLEST, round(full_w / zoom)))
    assert seen_h == min(full_h, max(SMALLEST, round(full_h / zoom)))
    ((top, left),) = np.argwhere((turned == seen.image[0, 0]).all(axis=2))
    assert (turned[top : top + seen_h, left : left + seen_w] == seen.image).all()
    assert left <= x * full_w <= left + seen_w
    assert top <= y * full_h <= top + seen_h


@pytest.mark.parametrize(
    ("rotate", "at"),
    [
        ("0", (0, 0)),
        ("90", (HEIGHT - 1, 0)),
        ("180", (WIDTH - 1, HEIGHT - 1)),
        ("270", (0, WIDTH - 1)),
    ],
)
def test_the_first_pixel_goes_clockwise_from_corner_to_corner(rotate: str, at: tuple[int, int]) -> None:
    image = np.zeros((HEIGHT, WIDTH, 3), np.uint8)
    image[0, 0] = (1, 2, 3)
    turned = framed(Frame(image, 0, 0.0), FramingConfig(rotate)).image
    assert turned.shape[:2] == ((WIDTH, HEIGHT) if rotate in ("90", "270") else (HEIGHT, WIDTH))
    assert tuple(turned[at[1], at[0]]) == (1, 2, 3)
    assert np.count_nonzero(turned.any(axis=2)) == 1


@pytest.mark.parametrize(
    ("x", "y", "first"),
    [(0.5, 0.5, (50, 28)), (0, 0, (0, 0)), (1, 1, (100, 56)), (0.4, 0.6, (30, 40)), (0.9, 0.1, (100, 0))],
)
def test_twice_as_near_is_half_of_the_width_and_of_the_height(
    x: float, y: float, first: tuple[int, int]
) -> None:
    # Half of the height would be 60 pixels; 64 are left.
    seen = framed(picture(), FramingConfig(zoom=2, x=x, y=y))
    assert seen.size_wh == (100, 64)
    assert tuple(seen.image[0, 0, :2]) == first


def test_it_is_the_turned_picture_that_is_cut() -> None:
    # The right half of what was turned clockwise is what the camera has in its upper half.
    seen = framed(picture(), FramingConfig("90", 1.5, x=1, y=0.5))
    assert seen.size_wh == (80, 133)
    assert seen.image[:, :, 1].max() == 79
    assert seen.image[0, -1, 1] == 0


def test_with_nothing_to_do_it_is_the_same_frame() -> None:
    frame = picture()
    assert framed(frame, FramingConfig()) is frame
    assert framed(frame, FramingConfig(x=0, y=1)) is frame
    tiny = picture(40, 30)
    assert framed(tiny, FramingConfig(zoom=8)) is tiny


@given(ROTATIONS, ZOOMS)
def test_a_frame_keeps_its_number_and_its_time_and_can_not_be_painted_on(rotate: str, zoom: float) -> None:
    seen = framed(picture(), FramingConfig(rotate, zoom))
    assert (seen.index, seen.captured_at) == (5, 12.5)
    assert not seen.image.flags.writeable


def test_what_is_only_cut_is_not_copied() -> None:
    frame = picture()
    assert np.shares_memory(framed(frame, FramingConfig(zoom=2)).image, frame.image)
