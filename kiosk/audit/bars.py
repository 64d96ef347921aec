"""A chart in, plain HTML out: points and lines without any library, for the page's own style."""

from __future__ import annotations

import math
from collections.abc import Iterator
from html import escape

from kiosk.audit.blocks import Chart, Mark, Panel
from kiosk.audit.wording import SPACE

SIGNS = 4
"""Digits of a place on the axis, in percent of its length."""


def bars(chart: Chart) -> str:
    """A grid: a label a row, and beside it a point and a line in each panel."""
    columns = f"minmax(26mm, max-content) repeat({len(chart.panels)}, 1fr)"
    cells = "".join(_cells(chart))
    return f'<div class="bars" style="grid-template-columns: {columns}">{cells}</div>'


def place(panel: Panel, value: float) -> float:
    """Where on the panel's axis a value lies, 0-1."""
    if panel.by_ratio:
        whole = math.log(panel.top / panel.start)
        share = math.log(max(value, panel.start) / panel.start) / whole
    else:
        share = (value - panel.start) / (panel.top - panel.start)
    return min(1.0, max(0.0, share))


def ends(panel: Panel) -> tuple[str, str]:
    """What stands at the two ends of the axis."""
    unit, sign = (100, f"{SPACE}%") if panel.percent else (1, "")
    return f"{unit * panel.start:g}{sign}", f"{unit * panel.top:g}{sign}"


def _cells(chart: Chart) -> Iterator[str]:
    yield "<div></div>"
    yield from (f'<div class="title">{escape(panel.title)}</div>' for panel in chart.panels)
    for at, row in enumerate(chart.rows):
        if row.opens:
            yield f'<div class="opens" style="grid-column: 1 / -1">{escape(row.cells[0])}</div>'
            continue
        yield f'<div class="label">{escape(row.cells[0])}</div>'
        yield from (_track(panel, panel.marks[at]) for panel in chart.panels)
    yield "<div></div>"
    for panel in chart.panels:
        low, high = ends(panel)
        yield f'<div class="ends"><span>{low}</span><span>{high}</span></div>'


def _track(panel: Panel, mark: Mark | None) -> str:
    if mark is None:
        return "<div>—</div>"
    low, value, high = (100 * place(panel, number) for number in (mark.low, mark.value, mark.high))
    said = f"{100 * mark.value:.3g} %" if panel.percent else f"{mark.value:.2f}"
    return (
        f'<div><div class="track" role="img" aria-label="{said}">'
        f'<span class="line" style="left: {low:.{SIGNS}g}%; width: {high - low:.{SIGNS}g}%"></span>'
        f'<span class="point" style="left: {value:.{SIGNS}g}%"></span></div></div>'
    )
