"""The parts of a report, be it Markdown or a page: headings, paragraphs, lists, tables and charts."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Heading:
    """1 is the report's title."""

    text: str
    level: int = 2
    opens: bool = False
    """On a new sheet of paper."""


@dataclass(frozen=True)
class Paragraph:
    """Plain text."""

    text: str
    style: str = ""
    """lead: large, below the title; finding: it stands out; note: small; else empty."""


@dataclass(frozen=True)
class Listing:
    """Items."""

    items: tuple[str, ...]


@dataclass(frozen=True)
class Row:
    """Of a table or a chart."""

    cells: tuple[str, ...]
    opens: bool = False
    """It has one cell, and names what the rows below it have in common."""


@dataclass(frozen=True)
class Table:
    """The first column is text, the others are figures, unless `prose`."""

    caption: str
    head: tuple[str, ...]
    rows: tuple[Row, ...]
    prose: bool = False


@dataclass(frozen=True)
class Mark:
    """A value and how far it may be off."""

    value: float
    low: float
    high: float
    bins: tuple[int, ...] = ()
    """The whole distribution, where it is one."""


@dataclass(frozen=True)
class Panel:
    """One measure of every row; all in the units of `value`, where `percent` in shares, 0-1."""

    title: str
    marks: tuple[Mark | None, ...]
    """None for what is not told, and for a row that opens."""
    top: float
    """The end of the axis."""
    start: float = 0.0
    percent: bool = True
    edges: tuple[float, ...] = ()
    """Of the marks' bins."""
    by_ratio: bool = False
    """The axis is of logarithms."""


@dataclass(frozen=True)
class Chart:
    """Panels side by side that share their rows."""

    title: str
    note: str
    """How to read it."""
    rows: tuple[Row, ...]
    panels: tuple[Panel, ...]


Block = Heading | Paragraph | Listing | Table | Chart
