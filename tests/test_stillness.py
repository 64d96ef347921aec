from __future__ import annotations

import itertools
from collections.abc import Iterator

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kiosk.commands.footage import FPS, decoded, encoded
from kiosk.messages import Frame, Image
from kiosk.vision.demo import Demo
from kiosk.vision.stillness import LASTS, STILL_AFTER, Stillness
from kiosk.vision.visits import block_visits

WH = (1280, 720)
PICTURES = 7
SIZES = st.tuples(st.integers(1, 300), st.integers(1, 300))


def room(sigma: float, wh: tuple[int, int] = WH, level: float = 90) -> Iterator[Image]:
    """A wall that is lighter in the middle, with the noise of a sensor, as MJPG carries it."""
    draw = np.random.default_rng(3)
    light = level * (1 - 0.4 * np.linspace(-1, 1, wh[0])[None, :, None] ** 2)
    pictures = [light + draw.normal(0, sigma, (wh[1], wh[0], 3)) for _ in range(PICTURES)]
    return itertools.cycle(
        decoded(encoded(np.clip(np.rint(picture), 0, 255).astype(np.uint8))) for picture in pictures
    )


def new_at(images: Iterator[Image], seconds: float, stillness: Stillness, fps: float = 10) -> list[float]:
    """When a picture was new, seconds."""
    times = [at / fps for at in range(round(seconds * fps))]
    return [now for now in times if stillness.is_new(Frame(next(images), 0, now))]


@pytest.mark.parametrize(("sigma", "wh"), [(0, WH), (1.5, WH), (12, WH), (6, (1920, 1080)), (3, (640, 480))])
def test_of_a_still_room_one_picture_a_second_is_new(sigma: float, wh: tuple[int, int]) -> None:
    assert new_at(room(sigma, wh), 3.1, Stillness()) == [0, LASTS, 2 * LASTS, 3 * LASTS]


@pytest.mark.parametrize("side", [40, 64, 90])
def test_a_head_that_appears_is_new_at_once_wherever_it_is(side: int) -> None:
    images, draw = room(3), np.random.default_rng(5)
    for _ in range(20):
        stillness = Stillness()
        assert new_at(images, 0.3, stillness) == [0]
        x, y = draw.integers(0, (WH[0] - side, WH[1] - side))
        image = next(images).copy()
        image[y : y + side, x : x + side] = (80, 100, 160)
        assert stillness.is_new(Frame(image, 0, 0.3))


@pytest.mark.parametrize("block", [1, 2, 3])
def test_who_comes_in_is_noticed_before_her_face_is_in_view(block: int) -> None:
    demo, stillness = Demo(fps=FPS), Stillness()
    at = round((block_visits(demo.seed, block)[0].start - 0.5) * FPS)
    assert not demo.visitors(at)
    assert stillness.is_new(in_demo(demo, at))
    while not demo.visitors(at):
        at += 3
        if stillness.is_new(in_demo(demo, at)):
            break
    assert not demo.visitors(at)


def in_demo(demo: Demo, index: int) -> Frame:
    """All at one time, so that only what moves is new."""
    return Frame(decoded(encoded(demo.render(index))), index, 0.0)


def test_after_being_forgotten_anything_is_new() -> None:
    images, stillness = room(1.5), Stillness()
    assert new_at(images, 0.3, stillness) == [0]
    stillness.forget()
    assert new_at(images, 0.3, stillness) == [0]


def test_still_is_a_room_in_which_nothing_moved_for_a_second() -> None:
    images, stillness = room(1.5), Stillness()
    assert not stillness.is_still(100), "nothing was seen"
    for tenth in range(40):
        now = tenth / 10
        image = next(images)
        if tenth == 20:
            image = 255 - image
        stillness.is_new(Frame(image, 0, now))
        # At 2.1 the room looks as before, which is another change.
        moved_at = 0 if tenth < 20 else min(now, 2.1)
        assert stillness.is_still(now) is (now - moved_at >= STILL_AFTER), now


@settings(max_examples=30)
@given(SIZES, SIZES)
def test_pictures_of_any_size_are_compared(one: tuple[int, int], other: tuple[int, int]) -> None:
    stillness = Stillness()
    assert stillness.is_new(Frame(np.full((*one, 3), 90, np.uint8), 0, 0.0))
    assert not stillness.is_new(Frame(np.full((*other, 3), 91, np.uint8), 1, 0.1))
    assert stillness.is_new(Frame(np.full((*other, 3), 120, np.uint8), 2, 0.2))
