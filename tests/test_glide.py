from __future__ import annotations

import itertools
import math

import pytest

from kiosk.screen.glide import HASTE, Glides

FRAME = 1 / 60


def test_an_entry_that_is_new_is_where_it_is_to_stand() -> None:
    (glide,) = Glides(100).update({1: (10, 20)}, 5.0).values()
    assert (glide.place, glide.hops) == ((10, 20), 0)


def test_one_that_is_moved_a_little_glides_there() -> None:
    glides = Glides(100)
    glides.update({1: (0, 0)}, 0.0)
    assert glides.settled
    places = [glides.update({1: (60, 40)}, at * FRAME)[1].place for at in range(60)]
    assert (places[0], places[-1]) == ((0, 0), (60, 40))
    assert glides.settled
    steps = [math.dist(one, other) for one, other in itertools.pairwise(places)]
    assert max(steps) < 1.2 * 72 * FRAME / HASTE
    assert places[12] != (60, 40)


@pytest.mark.parametrize("speed", [100, 300])
def test_behind_a_visitor_who_walks_it_is_not_far(speed: float) -> None:
    glides = Glides(200)
    for at in range(120):
        # A new place with every look, fifteen times a second.
        target = round(speed * (at // 4 * 4) * FRAME), 0
        glide = glides.update({1: target}, at * FRAME)[1]
    assert abs(target[0] - glide.x) < 1.5 * speed * HASTE
    assert glide.hops == 0


def test_one_that_is_moved_far_is_another_piece_there_at_once() -> None:
    glides = Glides(100)
    glides.update({1: (0, 0)}, 0.0)
    far = glides.update({1: (500, 0)}, 1.0)[1]
    assert (far.place, far.hops) == ((500, 0), 1)


def test_nobody_is_remembered() -> None:
    glides = Glides(100)
    glides.update({1: (0, 0), 2: (5, 5)}, 0.0)
    assert set(glides.update({2: (5, 5)}, 1.0)) == {2}
    assert glides.update({1: (50, 0)}, 2.0)[1].place == (50, 0)
    glides.clear()
    assert glides.settled
    assert glides.update({}, 3.0) == {}


def test_one_that_is_in_the_way_arrives_at_once() -> None:
    glides = Glides(100)
    glides.update({1: (0, 0)}, 0.0)
    assert glides.update({1: (60, 0)}, 0.01)[1].place != (60, 0)
    assert glides.arrive(1).place == (60, 0)
    assert glides.update({1: (60, 0)}, 0.02)[1].place == (60, 0)
