"""Two reports side by side: two models, detectors or policies. Reports in, blocks out.

As a rule both are of the same pictures. The intervals take them for independent, since a report holds no
picture's own result; where the same pictures fail in both they are wider than they would have to be.
"""

from __future__ import annotations

import math
from collections.abc import Iterator

from kiosk.audit.blocks import Block, Heading, Paragraph, Row, Table
from kiosk.audit.exchange import Report, Told
from kiosk.audit.figures import Rate
from kiosk.audit.gaps import MEANS, RATES
from kiosk.audit.statistics import Interval, newcombe, welch
from kiosk.audit.wording import MEASURES, brief, by, capital, difference, value
from kiosk.errors import InputError

TITLE = "Two audits compared"


def compose(one: Report, other: Report, force: bool = False) -> tuple[Block, ...]:
    """B minus A, group by group. Raises InputError for different tables, unless `force`."""
    if one.digest != other.digest and not force:
        raise InputError(
            f"{one.path} and {other.path} are of different tables: what differs may be the pictures; "
            "--force compares them all the same"
        )
    blocks: list[Block] = [
        Heading(TITLE, 1),
        Paragraph(
            "What changes when something of the piece is exchanged: B minus A, group by group.", "lead"
        ),
        _subjects(one, other),
    ]
    if one.digest != other.digest:
        blocks.append(Paragraph("The tables are not the same: what differs may be the pictures.", "finding"))
    pairs = _pairs(one, other)
    for measure in (*RATES, *MEANS):
        rows = tuple(_rows(measure, pairs, one.titles))
        if rows:
            title = capital(MEASURES[measure])
            blocks += [Heading(title), Table("", ("", "A", "B", "B minus A (95 % interval)"), rows)]
            if measure in RATES:
                blocks += [Paragraph(text) for text in _gaps(measure, pairs, one.titles)]
    lacking = len({*_names(one)} ^ {*_names(other)})
    are = "group is" if lacking == 1 else "groups are"
    lack = f" {lacking} {are} told of in one report only." if lacking else ""
    blocks.append(
        Paragraph(
            "Intervals are 95 %, by Newcombe for shares and by Welch for means, as if the two reports were "
            "of different pictures; of the same ones they are, as a rule, too wide. Many differences stand "
            "here, and none is corrected for that: of twenty intervals one excludes 0 by chance. "
            f"Differences of shares are in points of a hundred.{lack}",
            "note",
        )
    )
    return tuple(blocks)


def _names(report: Report) -> list[tuple[tuple[str, ...], tuple[str, ...]]]:
    return [(told.columns, told.values) for told in report.groups]


def _pairs(one: Report, other: Report) -> list[tuple[Told, Told]]:
    theirs = {(told.columns, told.values): told for told in other.groups}
    return [
        (told, theirs[name]) for name, told in zip(_names(one), one.groups, strict=True) if name in theirs
    ]


def _subjects(one: Report, other: Report) -> Table:
    rows = [
        Row((capital(name.replace("_", " ")), text, other.subject[name]))
        for name, text in one.subject.items()
    ]
    return Table("", ("", f"A: {one.path.name}", f"B: {other.path.name}"), tuple(rows), prose=True)


def _rows(measure: str, pairs: list[tuple[Told, Told]], titles: dict[str, str]) -> Iterator[Row]:
    columns: tuple[str, ...] = ()
    for a, b in pairs:
        found = _difference(measure, a, b)
        if found is None:
            continue
        if a.columns != columns:
            columns = a.columns
            yield Row((f"by {by([titles.get(column, column) for column in columns])}",), opens=True)
        before, after, interval = found
        yield Row(
            (
                ", ".join(a.values) or "all",
                value(measure, before),
                value(measure, after),
                brief(measure, after - before, interval),
            )
        )


def _difference(measure: str, a: Told, b: Told) -> tuple[float, float, Interval] | None:
    """The value in A, in B, and the interval of B minus A."""
    if measure in RATES:
        if measure not in a.rates or measure not in b.rates:
            return None
        one, two = a.rates[measure], b.rates[measure]
        return one.share, two.share, newcombe(two.hits, two.of, one.hits, one.of)
    if measure not in a.means or measure not in b.means:
        return None
    before, after = a.means[measure], b.means[measure]
    return before.mean, after.mean, welch(after, before)


def _gaps(measure: str, pairs: list[tuple[Told, Told]], titles: dict[str, str]) -> Iterator[str]:
    """Of each grouping: whether the widest gap closes, be it A's or B's."""
    for columns in dict.fromkeys(a.columns for a, _ in pairs if a.columns):
        rates = [
            (", ".join(a.values), (a.rates[measure], b.rates[measure]))
            for a, b in pairs
            if a.columns == columns and measure in a.rates and measure in b.rates
        ]
        ordered = [sorted(rates, key=lambda item: item[1][at].share) for at in (0, 1)]
        widest = [
            (found[-1][1][at].share - found[0][1][at].share, at) for at, found in enumerate(ordered) if found
        ]
        size, which = max(widest, default=(0.0, 0))
        if size <= 0:
            continue
        (low, low_rates), (high, high_rates) = ordered[which][0], ordered[which][-1]
        (before, one), (after, two) = (_gap(high_rates[at], low_rates[at]) for at in (0, 1))
        # Square and add, as Newcombe does with two shares (Zou and Donner 2008).
        down = math.hypot(after - two.low, one.high - before)
        up = math.hypot(two.high - after, before - one.low)
        interval = Interval(after - before - down, after - before + up)
        yield (
            f"By {by([titles.get(column, column) for column in columns])} the widest gap is of "
            f"{'AB'[which]}, {high} against {low}: {100 * before:.1f} points in A and {100 * after:.1f} in "
            f"B, a change of {difference(measure, after - before, interval)}."
        )


def _gap(high: Rate, low: Rate) -> tuple[float, Interval]:
    return high.share - low.share, newcombe(high.hits, high.of, low.hits, low.of)
