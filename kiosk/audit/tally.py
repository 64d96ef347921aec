"""What is counted, cell by cell: observations in, counts out, and no row a person anywhere.

A cell is one value for each group column, the finest group; a coarser one is the sum of its cells.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from kiosk.audit.changes import CHANGES, Change
from kiosk.audit.observation import OFFENSIVE, SENSITIVE, Observation
from kiosk.audit.statistics import Moments

SCORES = tuple(float(edge) for edge in np.linspace(0, 1, 51))
SURENESS = (0.0, *(float(edge) for edge in np.geomspace(1e-4, 1, 41)))
"""Edges of the bins, those of sureness by ratio: of 2,833 words a network may be sure of one by 0.01."""

Numbers = Mapping[str, object]
"""As in a JSON file."""


@dataclass
class Histogram:
    """How some numbers from 0 to 1 are distributed."""

    edges: tuple[float, ...]
    counts: list[int] = field(default_factory=list)
    total: float = 0.0
    squares: float = 0.0

    def __post_init__(self) -> None:
        self.counts = self.counts or [0] * (len(self.edges) - 1)

    def add(self, value: float) -> None:
        """Count one."""
        at = int(np.searchsorted(self.edges, value, side="right")) - 1
        self.counts[min(max(at, 0), len(self.counts) - 1)] += 1
        self.total += value
        self.squares += value * value

    @property
    def moments(self) -> Moments:
        """Exact, not of the bins."""
        return Moments(sum(self.counts), self.total, self.squares)

    @property
    def middles(self) -> tuple[float, ...]:
        """Of the bins."""
        return tuple((low + high) / 2 for low, high in zip(self.edges, self.edges[1:], strict=False))


@dataclass
class Tally:
    """Of the pictures as they are."""

    pictures: int = 0
    """That could be read."""
    unreadable: int = 0
    missed: int = 0
    aside: int = 0
    """Of those missed: a face was found and put aside for its height."""
    twice: int = 0
    """Two faces or more."""
    withheld: int = 0
    offensive: int = 0
    sensitive: int = 0
    scores: Histogram = field(default_factory=lambda: Histogram(SCORES))
    sureness: Histogram = field(default_factory=lambda: Histogram(SURENESS))
    labels: Counter[str] = field(default_factory=Counter)
    """By synset id, of the surest face."""

    @property
    def found(self) -> int:
        """Pictures with a face, which is to say with a label."""
        return self.pictures - self.missed

    def add(self, seen: Observation) -> None:
        """Count one picture."""
        self.pictures += 1
        self.missed += not seen.faces
        self.aside += seen.aside
        self.twice += seen.faces > 1
        if seen.faces:
            self.withheld += seen.withheld
            self.offensive += seen.safety == OFFENSIVE
            self.sensitive += seen.safety == SENSITIVE
            self.scores.add(seen.score)
            self.sureness.add(seen.sureness)
            self.labels[seen.synset] += 1


@dataclass
class Changed:
    """Of those that were changed, under one change."""

    pictures: int = 0
    missed: int = 0
    compared: int = 0
    """A face was found in the picture as it is and in the changed one."""
    same: int = 0
    """And it has the same word."""

    def add(self, before: Observation, after: Observation) -> None:
        """Count one picture."""
        self.pictures += 1
        self.missed += not after.faces
        self.compared += bool(before.faces and after.faces)
        self.same += bool(before.faces and after.faces and before.synset == after.synset)


@dataclass
class Count:
    """All of a cell, or of a group of cells."""

    through: int = 0
    """Number of the last line that is counted."""
    tally: Tally = field(default_factory=Tally)
    changed: dict[Change, Changed] = field(default_factory=lambda: {change: Changed() for change in CHANGES})

    def may_be_kept(self, least: int) -> bool:
        """Whether these are aggregates: of no pictures, and of no labels, that are fewer than `least`."""
        return self.tally.pictures >= least and (self.tally.found == 0 or self.tally.found >= least)


def total(counts: Iterable[Count]) -> Count:
    """The sum of some cells."""
    whole = Count()
    for count in counts:
        whole.through = max(whole.through, count.through)
        mine, other = whole.tally, count.tally
        for name in _SINGLE:
            setattr(mine, name, getattr(mine, name) + getattr(other, name))
        for one, more in ((mine.scores, other.scores), (mine.sureness, other.sureness)):
            one.counts = [left + right for left, right in zip(one.counts, more.counts, strict=True)]
            one.total += more.total
            one.squares += more.squares
        mine.labels.update(other.labels)
        for change, under in count.changed.items():
            for name in _CHANGED:
                setattr(
                    whole.changed[change], name, getattr(whole.changed[change], name) + getattr(under, name)
                )
    return whole


_SINGLE = ("pictures", "unreadable", "missed", "aside", "twice", "withheld", "offensive", "sensitive")
_CHANGED = ("pictures", "missed", "compared", "same")


def as_numbers(count: Count) -> Numbers:
    """For a JSON file."""
    tally = count.tally
    return {
        "through": count.through,
        **{name: getattr(tally, name) for name in _SINGLE},
        **{
            name: [*histogram.counts, histogram.total, histogram.squares]
            for name, histogram in (("scores", tally.scores), ("sureness", tally.sureness))
        },
        "labels": dict(sorted(tally.labels.items())),
        "changed": {
            change.name: [getattr(under, name) for name in _CHANGED]
            for change, under in count.changed.items()
        },
    }


def of_numbers(numbers: Numbers) -> Count:
    """What `as_numbers` made. Raises KeyError, TypeError or ValueError for anything else."""
    tally = Tally(
        **{name: _whole(numbers[name]) for name in _SINGLE},
        scores=_histogram(SCORES, _list(numbers["scores"])),
        sureness=_histogram(SURENESS, _list(numbers["sureness"])),
        labels=Counter({str(name): _whole(times) for name, times in _dict(numbers["labels"]).items()}),
    )
    if (
        not tally.found
        == sum(tally.labels.values())
        == sum(tally.scores.counts)
        == sum(tally.sureness.counts)
    ):
        raise ValueError("every face found must have a score and a label")
    under = _dict(numbers["changed"])
    changed = {change: Changed(*map(_whole, _list(under[change.name]))) for change in CHANGES}
    return Count(_whole(numbers["through"]), tally, changed)


def _histogram(edges: tuple[float, ...], numbers: Sequence[object]) -> Histogram:
    *counts, whole, squares = numbers
    if (
        len(counts) != len(edges) - 1
        or not isinstance(whole, float | int)
        or not isinstance(squares, float | int)
    ):
        raise ValueError("a histogram must have every bin")
    return Histogram(edges, [_whole(number) for number in counts], float(whole), float(squares))


def _whole(number: object) -> int:
    if not isinstance(number, int) or number < 0:
        raise ValueError(f"must be a count, not {number!r}")
    return number


def _list(numbers: object) -> Sequence[object]:
    if not isinstance(numbers, list):
        raise TypeError("must be a list")
    return numbers


def _dict(numbers: object) -> Mapping[str, object]:
    if not isinstance(numbers, dict):
        raise TypeError("must be an object")
    return numbers
