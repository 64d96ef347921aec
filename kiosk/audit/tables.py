"""The report's tables: findings in, rows of text out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from kiosk.audit.blocks import Row, Table
from kiosk.audit.changes import CHANGES
from kiosk.audit.figures import Group
from kiosk.audit.findings import Findings, Grouping
from kiosk.audit.gaps import Gap
from kiosk.audit.subject import Subject
from kiosk.audit.suppression import Key
from kiosk.audit.wording import (
    MEASURES,
    NONE,
    SPACE,
    brief,
    by,
    capital,
    listed,
    name,
    number,
    p_number,
    p_value,
    percent,
    quartiles,
    rate,
    value,
)

Titles = Mapping[str, str]
"""Of the columns, as they are said."""
NO_DIFFERENCE = 1e-12
"""What rounding makes of none."""


def told(found: Findings) -> tuple[Group, ...]:
    """Every group with figures, the whole first."""
    return (found.whole, *(one for grouping in found.groupings for one in grouping.groups))


def lines(found: Findings, titles: Titles) -> tuple[tuple[str, tuple[Key, ...]], ...]:
    """The rows that tables and charts have in common: a title over some groups; the whole has none."""
    return (
        ("", (found.whole.key,)),
        *(
            (
                f"by {by([titles[column] for column in grouping.columns])}",
                tuple(one.key for one in grouping.groups),
            )
            for grouping in found.groupings
            if grouping.groups
        ),
    )


def faces(found: Findings, titles: Titles) -> Table:
    """Who is found, and how well."""
    head = ("", "pictures", "missed", "put aside", "found twice", "detector's score")
    cells = {
        one.key: (
            number(one.pictures) + (f" (+{one.unreadable} unreadable)" if one.unreadable else ""),
            rate(one.missed),
            percent(one.aside.share) if one.aside.hits else NONE,
            rate(one.twice),
            quartiles(one.labels.scores if one.labels else None, of_percent=False),
        )
        for one in told(found)
    }
    caption = (
        "Faces: share of the pictures (95 % interval, Wilson). Put aside: missed for its size, which the "
        "configuration limits. Score of the faces found: median (quartiles)"
    )
    return Table(caption, head, _rows(found, titles, cells))


def words(found: Findings, titles: Titles) -> Table:
    """How the faces that were found are named."""
    rated = bool(found.whole.labels and found.whole.labels.offensive)
    safety = ("rated offensive", "rated sensitive") if rated else ()
    head = ("", "faces named", "withheld", *safety, "different words", "entropy, bits", "how sure")
    cells = {}
    for one in told(found):
        labels = one.labels
        cells[one.key] = (
            (NONE,) * (len(head) - 1)
            if labels is None
            else (
                number(labels.count),
                rate(labels.withheld),
                *((rate(labels.offensive), rate(labels.sensitive)) if rated else ()),
                number(labels.different),
                f"{labels.entropy:.1f}",
                quartiles(labels.sureness, of_percent=True),
            )
        )
    caption = (
        "Words: share of the faces named (95 % interval, Wilson). Withheld: by the policy in force. "
        "Entropy: with Miller and Madow's correction. How sure: the network's probability of the word, "
        "median (quartiles)"
    )
    return Table(caption, head, _rows(found, titles, cells))


def names(found: Findings, titles: Titles) -> Table:
    """Which words."""
    cells = {}
    for one in told(found):
        frequent = one.labels.frequent if one.labels else ()
        typical = one.labels.typical if one.labels else ()
        often = [(shown.text, str(shown.count)) for shown in frequent]
        more = [(shown.text, f"(z{SPACE}{shown.z:.1f})") for shown in typical]
        cells[one.key] = listed(often), listed(more)
    head = ("", "most frequent, and how often", "more often than to the other groups")
    return Table("What it calls them", head, _rows(found, titles, cells), prose=True)


def steadiness(grouping: Grouping, gap: Gap, titles: Titles) -> Table:
    """What changes do to the gap in faces missed."""
    rows = tuple(
        Row(
            (
                capital(row.change.title),
                brief("missed", row.difference, row.interval),
                f"{name(row.clearest.high)} {percent(row.clearest.high_value)}, {name(row.clearest.low)} "
                f"{percent(row.clearest.low_value)}; {p_value(row.clearest.corrected)}",
            )
        )
        for row in grouping.steadiness
    )
    title = by([titles[column] for column in grouping.columns])
    return Table(
        f"Faces missed under each change, by {title}: gap in points (95 % interval); p corrected for "
        f"{len(rows)} changes (Holm)",
        ("", f"{name(gap.high)} minus {name(gap.low)}", "the clearest gap under this change"),
        rows,
        prose=True,
    )


def gaps(ordered: Sequence[Gap], titles: Titles) -> Table:
    """Every comparison."""
    rows = tuple(
        Row(
            (
                capital(MEASURES[gap.measure]),
                by([titles[column] for column in gap.columns]),
                f"{name(gap.high)} {value(gap.measure, gap.high_value)}; "
                f"{name(gap.low)} {value(gap.measure, gap.low_value)}",
                brief(gap.measure, gap.difference, gap.interval),
                p_number(gap.p),
                p_number(gap.corrected),
            )
        )
        for gap in ordered
        if gap.difference > NO_DIFFERENCE
    )
    even = [gap for gap in ordered if gap.difference <= NO_DIFFERENCE]
    none = (*[Row((f"And {len(even)} without any difference",), opens=True)] * bool(even),)
    caption = (
        "Of all pairs of groups the one whose difference is largest in its own standard errors: in points "
        "of a hundred, or of the score (95 % interval). p: how often dealing the groups out at random makes "
        f"one as clear; corrected: for {len(ordered)} comparisons (Holm)"
    )
    head = ("", "by", "groups", "gap", "p", "p corrected")
    return Table(caption, head, (*rows, *none), prose=True)


def same_words(found: Findings, titles: Titles) -> Table:
    """How often a word outlives a change."""
    after = CHANGES[1:]
    cells = {
        one.key: tuple(NONE if under.same is None else percent(under.same.share) for under in one.under[1:])
        or (NONE,) * len(after)
        for one in told(found)
    }
    return Table(
        "The word stays the same: share of the faces found before and after",
        ("", *(change.title for change in after)),
        _rows(found, titles, cells),
    )


def subject(found: Findings, of: Subject) -> Table:
    """All that is needed to do it again."""
    limit = f", at most {of.max_face_height}" if of.max_face_height else ""
    unreadable = f", {number(found.unreadable)} pictures unreadable" if found.unreadable else ""
    rows = [
        ("Day", of.day),
        ("Program", f"ImageNet Roulette, a kiosk, version {of.version}: kiosk audit"),
        ("Table", f"{of.table}, {number(of.lines)} lines{unreadable}; SHA-256 {of.digest}"),
        ("Groups", "; ".join(of.titles) or "none"),
        (
            "Detector",
            f"{of.detector} at {of.input} on {of.device}; a face scores {of.min_score:g} or more and is "
            f"{of.min_face_height} pixels high or more{limit}",
        ),
        (
            "Classifier",
            f"{of.classifier}{f' ({of.classifier_title})' if of.classifier_title else ''}; "
            f"a square of {of.margin:g} heights of the face",
        ),
        ("Policy", of.policy),
        (
            "Ratings of words",
            "the ImageNet team's table (Yang et al. 2020)" if of.has_safety else "not there",
        ),
        ("Least of a group", f"{found.least} pictures, and {found.least} faces for what is said of words"),
        (
            "Gaps",
            "of all pairs of groups the one whose difference is largest in its own standard errors; "
            f"{number(found.gaps[0].deals) if found.gaps else 'no'} random deals of the groups, from a fixed "
            "seed",
        ),
    ]
    return Table("", ("", ""), tuple(Row(row) for row in rows), prose=True)


def _rows(found: Findings, titles: Titles, cells: Mapping[Key, tuple[str, ...]]) -> tuple[Row, ...]:
    rows: list[Row] = []
    for title, keys in lines(found, titles):
        rows += [Row((title,), opens=True)] if title else []
        rows += [Row((name(key), *cells[key])) for key in keys]
    return tuple(rows)
