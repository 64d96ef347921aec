"""Whom it fails, and how: the counts of every cell in, all that is told out. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from kiosk.audit.figures import Group, Vocabulary, comparable, group
from kiosk.audit.gaps import DEALS, SEED, Gap, Steadiness, corrected, gaps, steadiness
from kiosk.audit.suppression import Key, belongs, keys, select
from kiosk.audit.table import Cell
from kiosk.audit.tally import Count, Tally, total
from kiosk.errors import InputError


@dataclass(frozen=True)
class Grouping:
    """The groups by one column, or by all of them."""

    columns: tuple[str, ...]
    groups: tuple[Group, ...]
    too_small: tuple[Key, ...]
    """Groups that are not told of."""
    steadiness: tuple[Steadiness, ...]
    """Of the gap in faces missed; empty where no pictures were changed."""


@dataclass(frozen=True)
class Findings:
    """All of a report's figures."""

    whole: Group
    """Of all pictures that are told of."""
    groupings: tuple[Grouping, ...]
    gaps: tuple[Gap, ...]
    """Of every grouping and measure, corrected together."""
    least: int
    """Pictures of a group that is told of, and labels of one whose labels are."""
    lost: int
    """Pictures of groups that are too small; they are in no figure."""
    unreadable: int

    def missed(self, grouping: Grouping) -> Gap:
        """The gap in faces missed. Raises StopIteration with fewer than two groups."""
        here = (gap for gap in self.gaps if gap.columns == grouping.columns)
        return next(gap for gap in here if gap.measure == "missed")


def find(
    columns: tuple[str, ...],
    counts: Mapping[Cell, Count],
    vocabulary: Vocabulary,
    least: int,
    has_safety: bool = False,
    deals: int = DEALS,
) -> Findings:
    """`counts` by cells, which have a value a column. Raises InputError where there are too few pictures."""
    sizes = {cell: count.tally.pictures for cell, count in counts.items() if count.tally.pictures}
    faces = select(sizes, least)
    if not faces.cells:
        raise InputError(
            f"no report: {sum(sizes.values())} pictures could be read, and no group has {least} of them"
        )
    whole: Key = (None,) * len(columns)
    named = select({cell: counts[cell].tally.found for cell in faces.cells}, least, faces.is_fine)

    def sums(key: Key, cells: Iterable[Cell]) -> Count:
        return total(counts[cell] for cell in cells if belongs(cell, key))

    def told(key: Key, among: Tally, is_finest: bool) -> Group:
        count, heard = sums(key, faces.cells), sums(key, named.cells).tally
        if is_finest and not named.is_fine:
            heard = Tally()
        return group(key, count, heard, among.labels - heard.labels, vocabulary, least, has_safety)

    places = [(at,) for at in range(len(columns))] + [tuple(range(len(columns)))] * (len(columns) > 1)
    groupings: list[Grouping] = []
    found: list[Gap] = []
    for at in places:
        is_finest = len(at) == len(columns)
        titles = tuple(columns[place] for place in at)
        members = keys(faces.cells, at) if faces.is_fine or not is_finest else ()
        groups = comparable([told(key, sums(whole, named.cells).tally, is_finest) for key in members])
        seed = SEED + 100 * len(groupings)
        here = gaps(titles, groups, deals, seed)
        missed = [gap for gap in here if gap.measure == "missed"]
        steady = steadiness(missed[0], groups, deals, seed + 50) if missed else ()
        small = tuple(key for key in keys(sizes, at) if key not in members)
        groupings.append(Grouping(titles, groups, small, steady))
        found += here
    first = told(whole, Tally(), not columns)
    lost = sum(sizes.values()) - first.pictures
    unreadable = sum(count.tally.unreadable for count in counts.values())
    return Findings(first, tuple(groupings), corrected(found), least, lost, unreadable)
