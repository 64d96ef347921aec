from __future__ import annotations

import itertools

from hypothesis import given, settings
from hypothesis import strategies as st

from kiosk.screen.rects import edges
from kiosk.screen.search import Search, modest
from kiosk.screen.view import Rect

ENOUGH = 10_000

rects = st.builds(Rect, *(st.integers(0, 12) for _ in range(2)), *(st.integers(1, 7) for _ in range(2)))


def apart(some: tuple[Rect, ...]) -> bool:
    return not any(one.overlap(other) for one, other in itertools.combinations(some, 2))


def crowded(length: int) -> list[list[Rect]]:
    """One too many for their places."""
    return [[Rect(at, 0, 1, 1) for at in range(length - 1)] for _ in range(length)]


@given(st.lists(st.lists(rects, max_size=5), min_size=1, max_size=4))
@settings(max_examples=150, deadline=None)
def test_it_finds_an_arrangement_exactly_where_trying_all_of_them_does(lists: list[list[Rect]]) -> None:
    found = Search([edges(some) for some in lists], ENOUGH).solve()
    assert (found is not None) == any(apart(some) for some in itertools.product(*lists))
    if found is not None:
        chosen = tuple(Rect(x0, y0, x1 - x0, y1 - y0) for x0, y0, x1, y1 in found.tolist())
        assert apart(chosen)
        assert all(rect in some for rect, some in zip(chosen, lists, strict=True))


def test_each_list_gives_its_first_where_nothing_speaks_against_it() -> None:
    lists = [[Rect(0, 0, 2, 2), Rect(9, 9, 1, 1)], [Rect(5, 0, 2, 2), Rect(2, 0, 1, 1)]]
    found = Search([edges(some) for some in lists], ENOUGH).solve()
    assert found is not None
    assert (found == edges([lists[0][0], lists[1][0]])).all()


def test_of_no_list_it_gives_nothing_and_of_an_empty_one_none() -> None:
    assert Search([edges([Rect(0, 0, 1, 1)]), edges([])], ENOUGH).solve() is None


def test_it_stops_at_its_limit() -> None:
    lists = [edges(some) for some in crowded(6)]
    thorough = Search(lists, ENOUGH)
    assert thorough.solve() is None
    assert 100 < ENOUGH - thorough.steps < ENOUGH
    brief = Search(lists, 50)
    assert brief.solve() is None
    assert brief.steps == 0


def test_the_list_with_the_fewest_left_goes_first() -> None:
    # In the order given, every list but the last would have to be gone through again and again.
    lists = [[Rect(0, at, 9, 1), Rect(9, at, 9, 1), Rect(0, at, 18, 1)] for at in range(8)]
    lists.append([Rect(0, 0, 9, 8)])
    search = Search([edges(some) for some in lists], ENOUGH)
    found = search.solve()
    assert found is not None
    assert ENOUGH - search.steps == len(lists)


def test_modest_lists_begin_with_what_overlaps_the_fewest() -> None:
    wide, narrow, other = Rect(0, 0, 9, 1), Rect(0, 0, 1, 1), Rect(5, 0, 1, 1)
    first, second = modest([edges([wide, narrow]), edges([other])])
    assert first.tolist() == edges([narrow, wide]).tolist()
    assert second.tolist() == edges([other]).tolist()
