from __future__ import annotations

from itertools import pairwise

from kiosk.screen.shift import REACH, STEP, shift


def test_all_that_stands_is_moved_by_two_pixels_at_most() -> None:
    places = {shift(second) for second in range(0, 7200, 7)}
    assert REACH == 2
    assert max(max(abs(x), abs(y)) for x, y in places) == REACH
    assert {x for x, _ in places} == {y for _, y in places} == {-2, -1, 0, 1, 2}


def test_it_goes_one_pixel_a_minute_and_comes_round() -> None:
    places = [shift(STEP * step + 0.5) for step in range(64)]
    for (x, y), (then_x, then_y) in pairwise(places):
        assert abs(then_x - x) + abs(then_y - y) == 1
    assert places[:16] == places[16:32]
    assert len(set(places)) == 16


def test_within_a_minute_nothing_moves() -> None:
    assert {shift(second / 10) for second in range(600, 1200)} == {shift(60.0)}
