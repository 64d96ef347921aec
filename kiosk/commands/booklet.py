"""Sheets of Markdown in, one A4 PDF out, set in the fonts of the screen. Alone imports fpdf.

Of Markdown it knows what the kit uses: `# `, `## `, paragraphs, `- ` and `1. ` items, tables of two columns,
**bold**, *italic* and `code`.
"""

from __future__ import annotations

import datetime
import functools
import itertools
import logging
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from kiosk.screen import typeset
from kiosk.screen.theme import Style
from kiosk.screen.typeset import Paragraph, Span

FONTS = Path(typeset.__file__).parent / "fonts"
A4_WH = (595.28, 841.89)
"""Points (1/72 inch); all lengths on paper are."""
UNITS = 100
"""Type is set in whole hundredths of a point."""
MARGIN_X, TOP = 68.0, 70.0
LOWEST = A4_WH[1] - 68.0
HUNG_SIZES = tuple(half / 2 for half in range(22, 53))
SHEET_SIZES = tuple(half / 2 for half in range(18, 25))
"""11 to 26 and 9 to 12 points: type is as large as its pages hold."""
LEFT_COLUMN = 0.34
"""Of the width."""
NO_BREAK = "\N{NO-BREAK SPACE}"
INK, GREY = (0, 0, 0), (110, 110, 110)
# The same texts give the same bytes; a PDF wants a date, and this one is nobody's.
NO_DATE = datetime.datetime(1970, 1, 1, tzinfo=datetime.timezone.utc)

_STYLED = re.compile(r"(\*\*.+?\*\*|\*[^*\s][^*]*\*|`[^`]+`)")
_ITEM = re.compile(r"(-|\d+\.) +(.*)")


@dataclass(frozen=True)
class Sheet:
    """One part of the kit."""

    name: str
    """For the foot of its pages."""
    markdown: str
    hung: bool
    """On a wall: one page, in large type, with nothing at its foot."""


@dataclass(frozen=True)
class Piece:
    """A block of Markdown."""

    kind: str
    """title, heading, lead, text, item, head or row."""
    cells: tuple[str, ...]
    """Of an item its mark and its text; of a row its cells; else the text."""


@dataclass(frozen=True)
class Strip:
    """What is not broken over two pages: runs of text with their places from its top left, in hundredths."""

    space: float
    """Points above it, but not at the top of a page."""
    height: float
    """Points."""
    runs: tuple[typeset.Run, ...]
    opens: bool = False
    """A heading: the next ones belong to it."""
    ruled: bool = False
    """A line stands above it."""


Page = tuple[tuple[float, Strip], ...]
"""Strips, each with its top in points from the page's."""


def pdf(sheets: Sequence[Sheet], title: str, language: str) -> bytes:
    """The sheets, each on pages of its own. Raises ImportError where fpdf2 is not installed."""
    import fpdf  # an extra: everything else works without

    logging.getLogger("fontTools").setLevel(logging.WARNING)  # it tells of every glyph
    paper = fpdf.FPDF(unit="pt", format="A4")
    paper.set_creation_date(NO_DATE)
    paper.set_title(title)
    paper.set_lang(language)
    paper.set_auto_page_break(False)
    for face, style in (("Regular", ""), ("Bold", "B"), ("Italic", "I")):
        paper.add_font("noto", style, FONTS / f"NotoSans-{face}.ttf")

    def use(style: Style) -> None:
        paper.set_font("noto", {"bold": "B", "italic": "I"}.get(style.face, ""), style.size / UNITS)
        paper.set_text_color(*style.colour)

    @functools.cache
    def ems(text: str, face: str) -> float:
        use(Style(face, 1000 * UNITS, INK))
        return float(paper.get_string_width(text)) / 1000

    def measure(text: str, style: Style) -> int:
        return round(ems(text, style.face) * style.size)

    def write(run: typeset.Run, top: float) -> None:
        use(run.style)
        paper.text(MARGIN_X + run.x / UNITS, top + run.baseline / UNITS, run.text)

    set_ = [(sheet, page) for sheet in sheets for page in _pages(sheet, measure)]
    for number, (sheet, page) in enumerate(set_, start=1):
        paper.add_page()
        for top, strip in page:
            if strip.ruled:
                paper.set_draw_color(*GREY)
                paper.set_line_width(0.3)
                paper.line(MARGIN_X, top - 2.5, A4_WH[0] - MARGIN_X, top - 2.5)
            for run in strip.runs:
                write(run, top)
        if not sheet.hung:
            foot = Style("regular", 8 * UNITS, GREY)
            count = f"{number} / {len(set_)}"
            right = round((A4_WH[0] - 2 * MARGIN_X) * UNITS) - measure(count, foot)
            for x, text in ((0, f"{title} · {sheet.name}"), (right, count)):
                write(typeset.Run(x, 0, text, foot), LOWEST + 22)
    return bytes(paper.output())


def pieces(markdown: str) -> tuple[Piece, ...]:
    """The blocks of a text."""
    return tuple(piece for block in re.split(r"\n\s*\n", markdown.strip("\n")) for piece in _pieces(block))


def _pieces(block: str) -> Iterator[Piece]:
    lines = block.splitlines()
    if block.startswith("## "):
        yield Piece("heading", (block[3:],))
    elif block.startswith("# "):
        yield Piece("title", (block[2:],))
    elif block.startswith("|"):
        rows = [tuple(cell.strip() for cell in line.strip("|").split("|")) for line in lines]
        yield Piece("head", rows[0])
        yield from (Piece("row", row) for row in rows[2:])
    elif _ITEM.match(block):
        items: list[list[str]] = []
        for line in lines:
            if found := _ITEM.match(line):
                items.append([found[1], found[2]])
            else:
                items[-1][1] += f" {line.strip()}"
        yield from (Piece("item", ("•" if mark == "-" else mark, text)) for mark, text in items)
    else:
        text = " ".join(line.strip() for line in lines)
        yield Piece("lead" if re.fullmatch(r"\*[^*]+\*", text) else "text", (text,))


def _pages(sheet: Sheet, measure: typeset.Measure) -> list[Page]:
    """In the largest type in which it needs no more pages than in the smallest."""
    found = pieces(sheet.markdown)
    sizes = HUNG_SIZES if sheet.hung else SHEET_SIZES

    def set_in(size: float) -> list[Page]:
        return paginate([_strip(piece, size, measure) for piece in found])

    best = set_in(sizes[0])
    fewest = len(best)
    for size in sizes[1:]:
        larger = set_in(size)
        if len(larger) > fewest:
            break
        best = larger
    return best


def paginate(strips: Sequence[Strip]) -> list[Page]:
    """Strips to pages; what stands under one heading stays together where it fits on a page."""
    pages: list[list[tuple[float, Strip]]] = [[]]
    top = TOP
    for at, strip in enumerate(strips):
        section = [strip]
        if strip.opens:
            section += itertools.takewhile(lambda other: not other.opens, strips[at + 1 :])
        together = sum(other.height + other.space for other in section) - strip.space
        if together > LOWEST - TOP:  # the heading goes at least with what follows
            together = strip.height + sum(other.height + other.space for other in section[1:2])
        top += strip.space if pages[-1] else 0
        if pages[-1] and top + together > LOWEST:
            pages.append([])
            top = TOP
        pages[-1].append((top, strip))
        top += strip.height
    return [tuple(page) for page in pages]


def _strip(piece: Piece, size: float, measure: typeset.Measure) -> Strip:
    """A piece, set; `size` is that of plain text, in points."""
    width = A4_WH[0] - 2 * MARGIN_X
    if piece.kind == "title":
        return _column(piece.cells[0], 0, width, Style("bold", _em(2.1 * size), INK), measure, 0, opens=True)
    if piece.kind == "heading":
        style = Style("bold", _em(1.2 * size), INK)
        return _column(piece.cells[0], 0, width, style, measure, 1.3 * size, opens=True)
    plain = Style("regular", _em(size), INK)
    if piece.kind == "lead":
        lead = _column(piece.cells[0], 0, width, plain, measure, 0.2 * size)
        return replace(lead, height=lead.height + 0.8 * size)
    if piece.kind == "text":
        return _column(piece.cells[0], 0, width, plain, measure, 0.6 * size)
    indent = 1.9 * size
    cells = piece.cells
    if piece.kind == "item":
        left = _column(cells[0], 0.4 * size, indent, plain, measure, 0.35 * size)
        return _beside(left, _column(cells[1], indent, width, plain, measure, 0))
    middle = LEFT_COLUMN * width
    if piece.kind == "head":
        plain = Style("bold", _em(0.9 * size), GREY)
    left = _column(cells[0], 0, middle - size, plain, measure, (1.0 if piece.kind == "head" else 0.7) * size)
    return replace(_beside(left, _column(cells[-1], middle, width, plain, measure, 0)), ruled=True)


def _column(
    text: str, x0: float, x1: float, style: Style, measure: typeset.Measure, space: float, opens: bool = False
) -> Strip:
    """A paragraph between two places of the line, in points."""
    block = typeset.typeset([Paragraph(spans(text, style))], _em(x1 - x0), measure)
    runs = tuple(replace(run, x=run.x + _em(x0)) for run in block.runs)
    return Strip(space, block.height / UNITS, runs, opens)


def _beside(left: Strip, right: Strip) -> Strip:
    return replace(left, height=max(left.height, right.height), runs=left.runs + right.runs)


def spans(text: str, style: Style) -> tuple[Span, ...]:
    """The text with its **bold**, *italic* and `code`, which is bold too, for one family prints all."""
    found = []
    for part in filter(None, _STYLED.split(typographic(text))):
        if not _STYLED.fullmatch(part):
            found.append(Span(part, style))
        elif part.startswith("`"):  # a command is typed as it stands: on one line, where it fits
            found.append(Span(part[1:-1].replace(" ", NO_BREAK), replace(style, face="bold")))
        else:
            face = "bold" if part.startswith("**") else "italic"
            found.append(Span(part.strip("*"), replace(style, face=face)))
    return tuple(found) or (Span(" ", style),)


def typographic(text: str) -> str:
    """With a curled apostrophe, and no line end before :;?!», after « or between a number and its unit."""
    text = re.sub(r"(?<=\w)'(?=\w)", "’", text)
    text = re.sub(r" (?=[:;?!»](?:\W|$))|(?<=«) ", NO_BREAK, text)
    return re.sub(r"(?<=\d) (?=(?:[a-zA-Z°%×]{1,2}|\d{3})\b|[°%×])", NO_BREAK, text)


def _em(points: float) -> int:
    return round(points * UNITS)
