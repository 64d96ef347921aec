from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from kiosk.screen.rects import clashes, crossings, edges, grown, inside, overlaps
from kiosk.screen.view import Rect

rects = st.lists(
    st.builds(Rect, *(st.integers(-9, 9) for _ in range(2)), *(st.integers(1, 9) for _ in range(2))),
    max_size=5,
)


@given(rects, rects)
@settings(max_examples=60, deadline=None)
def test_many_at_once_are_as_each_by_itself(some: list[Rect], others: list[Rect]) -> None:
    shared = overlaps(edges(some), edges(others))
    clash = clashes(edges(some), edges(others))
    assert shared.shape == clash.shape == (len(some), len(others))
    for i, one in enumerate(some):
        for j, other in enumerate(others):
            assert shared[i, j] == one.overlap(other)
            assert clash[i, j] == (one.overlap(other) > 0)


@given(rects)
@settings(max_examples=30, deadline=None)
def test_what_is_pushed_inside_an_area_is_nearest_to_where_it_was(some: list[Rect]) -> None:
    area = Rect(-3, 2, 7, 5)
    pushed = [area.nearest(one.x, one.y, (one.width, one.height)) for one in some]
    assert (inside(edges(some), area) == edges(pushed)).all()


def test_each_grows_by_its_own_margin_or_all_by_one() -> None:
    some = [Rect(0, 0, 2, 2), Rect(5, 5, 1, 3)]
    own = grown(edges(some), np.array([1, 4]))
    assert (own == edges([some[0].grown(1), some[1].grown(4)])).all()
    assert (grown(edges(some), np.array([3])) == edges([one.grown(3) for one in some])).all()


def test_every_column_crosses_every_row() -> None:
    assert crossings((1, 2), (7, 8, 9)).tolist() == [[1, 7], [1, 8], [1, 9], [2, 7], [2, 8], [2, 9]]
    assert crossings((), (7, 8)).shape == (0, 2)
