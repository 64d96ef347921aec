"""Which pictures are told of: the sizes of the cells in, those that count out. Pure.

A group that is too small is not told of, and its pictures are in no other figure either: otherwise it could
be worked out by subtraction (Willenborg and de Waal, "Elements of Statistical Disclosure Control", 2001).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from kiosk.audit.table import Cell

Key = tuple[str | None, ...]
"""A group: the value of each column that it is of, None for the others. All None is the whole."""

MOST_LOST = 0.1
"""Of the pictures may be left out for the sake of the groups by all columns; else those are not told of."""


@dataclass(frozen=True)
class Selection:
    """What is told."""

    cells: frozenset[Cell]
    """Whose pictures count."""
    is_fine: bool
    """Whether the cells themselves are told, and not only the groups by one column."""


def select(sizes: Mapping[Cell, int], least: int, fine: bool = True) -> Selection:
    """Every group that is told then has `least` or more. With `fine` false the cells are not told anyway."""
    large = frozenset(cell for cell, size in sizes.items() if size >= least)
    lost = sum(size for cell, size in sizes.items() if cell not in large)
    if fine and (lost <= MOST_LOST * sum(sizes.values()) or all(len(cell) < 2 for cell in sizes)):
        return Selection(large, True)
    left = {cell: size for cell, size in sizes.items() if size}
    while True:
        by_value: dict[tuple[int, str], int] = {}
        for cell, size in left.items():
            for value in enumerate(cell):
                by_value[value] = by_value.get(value, 0) + size
        kept = {
            cell: size
            for cell, size in left.items()
            if all(by_value[value] >= least for value in enumerate(cell))
        }
        if len(kept) == len(left):
            return Selection(frozenset(left), False)
        left = kept


def keys(cells: Iterable[Cell], places: tuple[int, ...]) -> tuple[Key, ...]:
    """The groups by the columns at these places, in the order of their values."""
    found = {tuple(value if at in places else None for at, value in enumerate(cell)) for cell in cells}
    return tuple(sorted(found, key=lambda key: [_order(value or "") for value in key]))


def belongs(cell: Cell, key: Key) -> bool:
    """Whether a cell is part of a group."""
    return all(wanted in (None, value) for value, wanted in zip(cell, key, strict=True))


def _order(value: str) -> str:
    """2 before 10, and I–III before IV–VI."""
    return re.sub(r"\d+", lambda digits: digits[0].zfill(9), value.casefold()).replace("–", " ")
