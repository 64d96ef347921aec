"""One rectangle of each list, no two of which overlap: backtracking, with a limit. Pure."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from kiosk.screen.rects import Edges, clashes


class Search:
    """A search for one rectangle of each list, no two of which overlap.

    Depth first, the list with the fewest left before the others, each list in its order; what a choice
    rules out is struck from the other lists at once (forward checking with the smallest domain first;
    Haralick and Elliott, "Increasing tree search efficiency for constraint satisfaction problems", 1980).
    """

    def __init__(self, lists: Sequence[Edges], steps: int) -> None:
        """At most so many `steps` are made, one for every rectangle that is tried; what is left stays."""
        self.steps = steps
        self._rects = np.vstack(lists)
        ends = np.cumsum([len(rects) for rects in lists]).tolist()
        # A set of rectangles is a whole number, a bit for each: and, not and count are a single step each.
        self._lists = [(1 << end) - (1 << start) for start, end in zip((0, *ends), ends, strict=False)]
        self._struck: dict[int, int] = {}

    def solve(self) -> Edges | None:
        """(n, 4): of each list its rectangle; None where there is none, or none was found in time."""
        found = self._choose((1 << len(self._rects)) - 1, tuple(range(len(self._lists))))
        return None if found is None else self._rects[[found[one] for one in range(len(self._lists))]]

    def _choose(self, left: int, waiting: tuple[int, ...]) -> dict[int, int] | None:
        """For each of the waiting lists, which of the rectangles that are left."""
        if not waiting:
            return {}
        fewest = min(waiting, key=lambda one: (left & self._lists[one]).bit_count())
        rest = tuple(one for one in waiting if one != fewest)
        choice = left & self._lists[fewest]
        while choice and self.steps > 0:
            self.steps -= 1
            first = choice & -choice
            choice -= first
            rect = first.bit_length() - 1
            found = self._choose(left & ~self._strikes(rect), rest)
            if found is not None:
                found[fewest] = rect
                return found
        return None

    def _strikes(self, rect: int) -> int:
        """Those that a rectangle overlaps."""
        if rect not in self._struck:
            bits = np.packbits(clashes(self._rects[rect : rect + 1], self._rects), bitorder="little")
            self._struck[rect] = int.from_bytes(bits.tobytes(), "little")
        return self._struck[rect]


def modest(lists: Sequence[Edges]) -> list[Edges]:
    """The same lists, in each first what overlaps the fewest of all."""
    rects = np.vstack(lists)
    struck = np.split(clashes(rects, rects).sum(1), np.cumsum([len(some) for some in lists])[:-1])
    return [some[np.argsort(counts, kind="stable")] for some, counts in zip(lists, struck, strict=True)]
