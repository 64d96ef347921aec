"""The report's charts: findings in, marks out. How they are drawn, the page decides."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence

from kiosk.audit.blocks import Chart, Mark, Panel, Row
from kiosk.audit.changes import CHANGES
from kiosk.audit.figures import Rate, Spread
from kiosk.audit.findings import Findings
from kiosk.audit.gaps import rate, spread
from kiosk.audit.suppression import Key
from kiosk.audit.tables import Titles, lines, told
from kiosk.audit.wording import name

STEPS = (0.01, 0.02, 0.03, 0.05, 0.1, 0.15, 0.2, 0.3, 0.4, 0.6, 0.8, 1.0)
"""Where an axis of shares may end."""


def overview(found: Findings, titles: Titles) -> Chart:
    """Whose face is missed, and whose word is withheld: the report in one picture."""
    measures = [("missed", "faces missed"), ("twice", "found twice"), ("withheld", "words withheld"),
                ("offensive", "rated offensive"), ("sensitive", "rated sensitive")]  # fmt: skip
    rates = [(title, {one.key: rate(one, measure) for one in told(found)}) for measure, title in measures]
    shown = [(title, by_key) for title, by_key in rates if any(one and one.hits for one in by_key.values())]
    panels = tuple(_panel(found, titles, title, by_key) for title, by_key in (shown or rates[:1]))
    return Chart(
        "Whose face is missed, and whose word is withheld",
        "Point: share; line: its 95 % interval. Faces in shares of the pictures, words in shares of the "
        "faces named.",
        _rows(found, titles),
        panels,
    )


def changes(found: Findings, titles: Titles) -> Chart:
    """Faces missed under each change."""
    tried = [one for one in told(found) if one.under]
    columns = [{one.key: one.under[at].missed for one in tried} for at in range(len(CHANGES))]
    top = max(_top(by_key.values()) for by_key in columns)
    return Chart(
        "Faces missed, as the pictures are and changed",
        "Point: share of the pictures; line: its 95 % interval.",
        _rows(found, titles),
        tuple(
            _panel(found, titles, change.title, by_key, top)
            for change, by_key in zip(CHANGES, columns, strict=True)
        ),
    )


def distributions(found: Findings, titles: Titles) -> Chart:
    """The detector's score, and how sure the network is."""
    panels = []
    for measure, title in (("scores", "the detector's score"), ("sureness", "how sure of the word")):
        by_key = {one.key: shown for one in told(found) if (shown := spread(one, measure))}
        by_ratio = measure == "sureness"
        marks = _in_order(found, titles, {key: _quartiles(one) for key, one in by_key.items()})
        start, top = _ends(list(by_key.values()), by_ratio)
        edges = next((one.edges for one in by_key.values()), ())
        panels.append(Panel(title, marks, top, start, by_ratio, edges, by_ratio))
    return Chart(
        "How the detector scores the faces it finds, and how sure the network is of its words",
        "Point: median; line: the middle half. How sure: by ratio.",
        _rows(found, titles),
        tuple(panels),
    )


def _ends(spreads: Sequence[Spread], by_ratio: bool) -> tuple[float, float]:
    """Of an axis that shows every bin with something in it: whole tenths, or powers of ten."""
    filled = [at for one in spreads for at, count in enumerate(one.bins) if count]
    if not filled:
        return (1e-4, 1.0) if by_ratio else (0.0, 1.0)
    edges = spreads[0].edges
    low, high = edges[min(filled)], edges[max(filled) + 1]
    if by_ratio:
        lowest = math.floor(math.log10(max(low, edges[1])) + 1e-9)
        return 10.0**lowest, 10.0 ** max(math.ceil(math.log10(high) - 1e-9), lowest + 1)
    return math.floor(10 * low + 1e-9) / 10, math.ceil(10 * high - 1e-9) / 10


def _top(rates: Iterable[Rate | None]) -> float:
    """The end of an axis that shows every interval."""
    highest = max((one.interval.high for one in rates if one), default=1.0)
    return next((step for step in STEPS if step >= highest), 1.0)


def _quartiles(found: Spread) -> Mark:
    low, middle, high = found.quartiles
    return Mark(middle, low, high, found.bins)


def _panel(
    found: Findings, titles: Titles, title: str, rates: Mapping[Key, Rate | None], top: float = 0.0
) -> Panel:
    shown = {key: one for key, one in rates.items() if one}
    marks = {key: Mark(one.share, one.interval.low, one.interval.high) for key, one in shown.items()}
    return Panel(title, _in_order(found, titles, marks), top or _top(shown.values()))


def _rows(found: Findings, titles: Titles) -> tuple[Row, ...]:
    rows: list[Row] = []
    for title, keys in lines(found, titles):
        rows += [Row((title,), opens=True)] if title else []
        rows += [Row((name(key),)) for key in keys]
    return tuple(rows)


def _in_order(found: Findings, titles: Titles, marks: Mapping[Key, Mark]) -> tuple[Mark | None, ...]:
    """As `_rows` has them."""
    ordered: list[Mark | None] = []
    for title, keys in lines(found, titles):
        ordered += [None] if title else []
        ordered += [marks.get(key) for key in keys]
    return tuple(ordered)
