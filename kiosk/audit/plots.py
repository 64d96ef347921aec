"""A chart in, an SVG element out, drawn by matplotlib: an extra, and everything else works without."""

from __future__ import annotations

import functools
import io
import logging
import re
import textwrap
import warnings
from collections.abc import Sequence
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, Any

from kiosk.audit.blocks import Chart, Mark, Panel
from kiosk.audit.wording import SPACE, percent
from kiosk.screen import typeset

if TYPE_CHECKING:
    from matplotlib.axes import Axes

FONTS = Path(typeset.__file__).parent / "fonts"
WIDTH = 6.85
"""Inches: what an A4 sheet has between its margins."""
ROW, TALL_ROW, LINE, HEAD, FOOT, RIGHT = 0.215, 0.27, 0.13, 0.3, 0.26, 0.35
"""Inches: of a row, of a further line of a head, and around the rows."""
MOST_TOLD = 3
"""Of more panels than these the values do not stand beside their points."""
LETTER = 0.071
"""Inches, of a letter of a label, on average and generously."""
LONGEST = 30
"""Letters of a label; more are cut."""
INK, SOFT, RULE, SHADE, POINT = "#1b1b1b", "#5a5a5a", "#c9c6c0", "#dcd8d0", "#a8380a"
STYLE = {
    "font.family": ["Noto Sans", "DejaVu Sans"],
    "font.size": 8.0,
    "svg.fonttype": "path",  # looks the same wherever it is opened and printed
    "svg.hashsalt": "kiosk",  # the same figures give the same file
    "text.parse_math": False,  # a dollar sign in the name of a group is one
    "text.color": INK,
    "xtick.color": SOFT,
}


def draw(charts: Sequence[Chart]) -> tuple[str, ...]:
    """One SVG element for each. Raises ImportError where matplotlib is not installed."""
    logging.getLogger("matplotlib").setLevel(logging.WARNING)  # it tells when it looks for fonts
    import matplotlib as mpl
    from matplotlib import font_manager

    _fonts(font_manager.fontManager)
    with mpl.rc_context(STYLE), warnings.catch_warnings():
        warnings.simplefilter("ignore")  # a letter that no font has is drawn as a box
        return tuple(_draw(chart, f"chart{at}-") for at, chart in enumerate(charts))


@functools.cache
def _fonts(manager: Any) -> None:
    for path in sorted(FONTS.glob("NotoSans-*.ttf")):
        manager.addfont(path)


def _draw(chart: Chart, prefix: str) -> str:
    from matplotlib.figure import Figure

    labels = [row.cells[0] if row.opens else _cut(row.cells[0]) for row in chart.rows]
    left = 0.1 + LETTER * max(
        len(label) for label, row in zip(labels, chart.rows, strict=True) if not row.opens
    )
    letters = max(6, int((WIDTH - left) / len(chart.panels) / LETTER))
    heads = [textwrap.fill(panel.title, letters) for panel in chart.panels]
    head = HEAD + LINE * max(text.count("\n") for text in heads)
    row = TALL_ROW if any(mark and mark.bins for panel in chart.panels for mark in panel.marks) else ROW
    height = head + FOOT + row * len(labels)
    figure = Figure(figsize=(WIDTH, height))
    axes = figure.subplots(1, len(chart.panels), sharey=True, squeeze=False)[0]
    figure.subplots_adjust(
        left=left / WIDTH, right=1 - RIGHT / WIDTH, bottom=FOOT / height, top=1 - head / height, wspace=0.2
    )
    for axis, panel, text in zip(axes, chart.panels, heads, strict=True):
        axis.set_title(text, loc="left", fontsize=8, weight="bold", pad=5)
        _panel(axis, panel, len(chart.panels))
    for at, label in enumerate(labels):
        axes[0].annotate(
            label,
            (0, at),
            xycoords=("axes fraction", "data"),
            xytext=(-left * 72, 0),
            textcoords="offset points",
            va="center",
            weight="bold" if chart.rows[at].opens else "normal",
            annotation_clip=False,
            bbox={"facecolor": "white", "edgecolor": "none", "pad": 0.8},
        )
    axes[0].set_ylim(len(labels) - 0.4, -0.6)
    drawn = io.BytesIO()
    figure.savefig(drawn, format="svg", metadata={"Date": None, "Creator": None}, transparent=True)
    return _element(drawn.getvalue().decode(), chart.title, prefix)


def _panel(axis: Axes, panel: Panel, panels: int) -> None:
    if panel.by_ratio:
        axis.set_xscale("log")
    axis.set_xlim(panel.start, panel.top)
    for at, mark in enumerate(panel.marks):
        if mark is not None:
            _mark(axis, panel, at, mark, told=panels <= MOST_TOLD)
    ticks = _ticks(panel, panels)
    axis.set_xticks(ticks, [_said(panel, tick) for tick in ticks], fontsize=7)
    axis.set_xticks([], minor=True)
    # What stands at the ends of the axis stays inside of it, so that neighbours do not touch.
    for label, tick in zip(axis.get_xticklabels(), ticks, strict=True):
        label.set_horizontalalignment(
            "left" if tick == panel.start else "right" if tick == panel.top else "center"
        )
    axis.tick_params(axis="x", length=0, pad=3)
    axis.tick_params(axis="y", left=False, labelleft=False)
    axis.grid(axis="x", color=RULE, linewidth=0.5)
    axis.set_axisbelow(True)
    for side in axis.spines.values():
        side.set_visible(False)


def _mark(axis: Axes, panel: Panel, at: float, mark: Mark, told: bool) -> None:
    if mark.bins:
        highest = max(mark.bins)
        edges = [max(edge, panel.start) for edge in panel.edges]
        heights = [at + 0.4 - 0.8 * count / highest for count in mark.bins]
        axis.stairs(heights, edges, baseline=at + 0.4, fill=True, color=SHADE)
    low, high = max(mark.low, panel.start), min(mark.high, panel.top)
    axis.plot([low, high], [at, at], color=INK, linewidth=1.3, solid_capstyle="butt")
    axis.plot([mark.value], [at], "o", color=POINT, markersize=4.6, markeredgewidth=0, clip_on=False)
    if told and not mark.bins:
        text = percent(mark.value) if panel.percent else f"{mark.value:.2f}"
        beside = {"xytext": (4, 0), "textcoords": "offset points", "va": "center"}
        axis.annotate(text, (high, at), **beside, fontsize=7, color=SOFT, annotation_clip=False)


def _ticks(panel: Panel, panels: int) -> tuple[float, ...]:
    if panel.by_ratio:
        powers = (10.0**power for power in range(-4, 1))
        return tuple(tick for tick in powers if panel.start * 0.99 < tick < panel.top * 1.01)
    if panels > MOST_TOLD:
        return (panel.start, panel.top)
    return (panel.start, (panel.start + panel.top) / 2, panel.top)


def _said(panel: Panel, value: float) -> str:
    return f"{100 * value:g}{SPACE}%" if panel.percent else f"{value:g}"


def _cut(label: str) -> str:
    return label if len(label) <= LONGEST else f"{label[: LONGEST - 1]}…"


def _element(svg: str, title: str, prefix: str) -> str:
    """The element alone, as wide as the page lets it be, with names of its own for what it refers to."""
    svg = svg[svg.index("<svg") :]
    svg = re.sub(r"<metadata>.*?</metadata>", "", svg, flags=re.DOTALL)
    svg = re.sub(r'(\bid="|href="#|url\(#)', rf"\1{prefix}", svg)
    head, rest = svg.split(">", 1)
    head = re.sub(r' (width|height)="[^"]*"', "", head)
    return f'{head} role="img" aria-label="{escape(title)}">{rest}'
