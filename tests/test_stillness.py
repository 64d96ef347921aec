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


def new_at(images: Iterator[Image], seconds: float, stillness: Stillness, since: float = 0) -> list[float]:
    """When a picture was new, seconds; ten are seen a second."""
    times = [(since * 10 + at) / 10 for at in range(round(seconds * 10))]
    return [now for now in times if stillness.is_new(Frame(next(images), 0, now))]


def settled(images: Iterator[Image]) -> Stillness:
    """As it is with a room that has been still for two seconds."""
    stillness = Stillness()
    new_at(images, 2, stillness)
    assert stillness.is_still(2)
    return stillness


@pytest.mark.parametrize(("sigma", "wh"), [(0, WH), (1.5, WH), (6, WH), (6, (1920, 1080)), (3, (640, 480))])
def test_of_a_still_room_a_picture_now_and_then_is_new(sigma: float, wh: tuple[int, int]) -> None:
    images, stillness = room(sigma, wh), Stillness()
    assert new_at(images, STILL_AFTER, stillness) == [at / 10 for at in range(10)], "nothing is known yet"
    later = new_at(images, 4, stillness, since=STILL_AFTER)
    assert np.diff(later) == pytest.approx(LASTS, abs=0.101)
    assert len(later) >= 4


@pytest.mark.parametrize("side", [40, 64, 90])
def test_a_head_that_appears_is_new_at_once_wherever_it_is(side: int) -> None:
    images, draw = room(3), np.random.default_rng(5)
    for _ in range(12):
        stillness = settled(images)
        new_at(images, LASTS, stillness, since=2)
        assert not stillness.is_new(Frame(next(images), 0, 2.7))
        x, y = draw.integers(0, (WH[0] - side, WH[1] - side))
        image = next(images).copy()
        image[y : y + side, x : x + side] = (80, 100, 160)
        assert stillness.is_new(Frame(image, 0, 2.8))


@pytest.mark.parametrize(("contrast", "speed"), [(60, 240), (60, 60), (60, 20), (20, 60)])
def test_who_moves_slowly_is_shown_at_the_full_rate(contrast: float, speed: float) -> None:
    images = room(2.5)
    stillness, new = settled(images), []
    for at in range(45):
        image, x = next(images).astype(float), round(300 + speed * at / 15)
        image[300:420, x : x + 120] += contrast
        picture = decoded(encoded(np.clip(image, 0, 255).astype(np.uint8)))
        new.append(stillness.is_new(Frame(picture, 0, 2 + at / 15)))
    assert all(new)


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
    images = room(1.5)
    stillness = settled(images)
    stillness.forget()
    assert new_at(images, 0.3, stillness, since=2) == [2, 2.1, 2.2]


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
    for now in (0.0, 0.5, 1.0):
        stillness.is_new(Frame(np.full((*one, 3), 90, np.uint8), 0, now))
    assert not stillness.is_new(Frame(np.full((*other, 3), 91, np.uint8), 1, 1.1))
    assert stillness.is_new(Frame(np.full((*other, 3), 120, np.uint8), 2, 1.2))
