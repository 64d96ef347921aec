from __future__ import annotations

import itertools
import math

from kiosk.screen.glide import DURATION, Glides


def test_an_entry_that_is_new_is_where_it_is_to_stand() -> None:
    (glide,) = Glides(100).update({1: (10, 20)}, 5.0).values()
    assert (glide.at(5.0), glide.hops) == ((10, 20), 0)


def test_one_that_is_moved_a_little_glides_without_a_jerk() -> None:
    glides, frame = Glides(100), 1 / 60
    glides.update({1: (0, 0)}, 0.0)
    places = [glides.update({1: (60, 40)}, at * frame)[1].at(at * frame) for at in range(60)]
    assert (places[0], places[-1]) == ((0, 0), (60, 40))
    steps = [math.dist(one, other) for one, other in itertools.pairwise(places)]
    assert max(steps) < 3 * 72 * frame / DURATION
    assert steps[0] < 2


def test_one_that_is_moved_again_on_its_way_goes_on_from_there() -> None:
    glides = Glides(100)
    glides.update({1: (0, 0)}, 0.0)
    glides.update({1: (80, 0)}, 1.0)
    half = glides.update({1: (80, 0)}, 1.0 + DURATION / 2)[1]
    back = glides.update({1: (0, 0)}, 1.0 + DURATION / 2)[1]
    assert half.at(1.0 + DURATION / 2) == back.at(1.0 + DURATION / 2) == (40, 0)
    assert back.at(3.0) == (0, 0)
    assert back.hops == 0


def test_one_that_is_moved_far_is_another_piece_there_at_once() -> None:
    glides = Glides(100)
    glides.update({1: (0, 0)}, 0.0)
    far = glides.update({1: (500, 0)}, 1.0)[1]
    assert (far.at(1.0), far.hops) == ((500, 0), 1)


def test_nobody_is_remembered() -> None:
    glides = Glides(100)
    glides.update({1: (0, 0), 2: (5, 5)}, 0.0)
    assert set(glides.update({2: (5, 5)}, 1.0)) == {2}
    assert glides.update({1: (50, 0)}, 2.0)[1].at(2.0) == (50, 0)
    glides.clear()
    assert vars(glides) == vars(Glides(100))
