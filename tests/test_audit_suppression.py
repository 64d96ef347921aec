from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from kiosk.audit.suppression import MOST_LOST, belongs, keys, select

LEAST = 10
SIZES = st.dictionaries(
    st.tuples(st.sampled_from("abc"), st.sampled_from("xyz")), st.integers(0, 40), max_size=9
)


@given(SIZES)
def test_nobody_can_work_out_a_small_group_by_subtraction(sizes: dict[tuple[str, str], int]) -> None:
    chosen = select(sizes, LEAST)
    told = {key for at in ((0,), (1,)) for key in keys(chosen.cells, at)} | {(None, None)}
    told |= set(keys(chosen.cells, (0, 1))) if chosen.is_fine else set()
    of = {key: sum(sizes[cell] for cell in chosen.cells if belongs(cell, key)) for key in told}
    if not chosen.cells:
        return
    assert all(size >= LEAST for size in of.values())
    for whole, size in of.items():
        for part, other in of.items():
            if part != whole and all(want in (None, have) for have, want in zip(part, whole, strict=True)):
                assert size - other == 0 or size - other >= LEAST


def test_a_group_of_one_column_is_told_where_it_is_large_enough() -> None:
    chosen = select({("a",): 10, ("b",): 9, ("c",): 30}, LEAST)
    assert chosen.cells == {("a",), ("c",)}
    assert chosen.is_fine


def test_a_few_pictures_in_small_cells_are_left_out_of_everything() -> None:
    sizes = {
        ("dark", "f"): 100,
        ("dark", "m"): 90,
        ("light", "f"): 110,
        ("light", "m"): 100,
        ("light", "n"): 4,
    }
    chosen = select(sizes, LEAST)
    assert chosen.is_fine
    assert chosen.cells == set(sizes) - {("light", "n")}


def test_where_most_cells_are_small_the_columns_are_still_told() -> None:
    sizes = {(skin, gender): 8 for skin in "abc" for gender in "xy"} | {("d", "x"): 9}
    chosen = select(sizes, LEAST)
    assert not chosen.is_fine
    assert chosen.cells == {(skin, gender) for skin in "abc" for gender in "xy"}
    assert MOST_LOST < 1


def test_a_group_that_becomes_too_small_by_that_goes_too() -> None:
    # Without "z", which is too small, "b" has only 9 left.
    sizes = {("a", "x"): 9, ("a", "y"): 9, ("b", "x"): 9, ("b", "z"): 9, ("c", "x"): 9, ("c", "y"): 9}
    assert select(sizes, LEAST).cells == {("a", "x"), ("a", "y"), ("c", "x"), ("c", "y")}


def test_groups_stand_in_the_order_of_their_values() -> None:
    cells = {("IV–VI", "10"), ("I–III", "9"), ("I–III", "b"), ("I–III", "A")}
    assert keys(cells, (0,)) == (("I–III", None), ("IV–VI", None))
    assert [key[1] for key in keys(cells, (1,))] == ["9", "10", "A", "b"]
    assert keys(cells, (0, 1))[0] == ("I–III", "9")
