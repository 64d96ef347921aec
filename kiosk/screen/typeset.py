"""Paragraphs in, runs of text with their places out. Pure: the width of a text is asked of `measure`.

Set flush left and ragged right, without hyphens: a line ends between two words.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from kiosk.screen.theme import Style

Measure = Callable[[str, Style], int]
"""Width of a text in a style, in pixels."""

LEADING = 1.32
"""Height of a line, in ems."""
ASCENT = 1.07
"""From the top of a line to its baseline, in ems."""

# A last line of one word that is shorter than this part of a line gets company from the line before.
_WIDOW = 0.3
_WORD = re.compile("[^ ]+ ?| ")
# A font draws a box for these, or refuses the whole text.
_BREAKS = re.compile("[\x00-\x1f\x7f-\x9f\ud800-\udfff]")


@dataclass(frozen=True)
class Span:
    """Text of one style. A line may end at its spaces, and between two spans only where one stands there."""

    text: str
    style: Style


@dataclass(frozen=True)
class Paragraph:
    """Spans that are set one after the other and wrapped together."""

    spans: tuple[Span, ...]
    space_before: float = 0.0
    """In ems of its first span."""
    hang: int = 0
    """How far all lines but the first are in, in pixels."""


@dataclass(frozen=True)
class Run:
    """A piece of a line; x and y are the top left of its line, in pixels of the block."""

    x: int
    y: int
    text: str
    style: Style

    @property
    def baseline(self) -> int:
        """On which its letters stand, in pixels of the block."""
        return self.y + _ascent(self.style.size)


@dataclass(frozen=True)
class Block:
    """Text that has been set."""

    width: int
    height: int
    runs: tuple[Run, ...]


@dataclass(frozen=True)
class _Word:
    """What no line end comes into: one span, or several with no space between them, and the space behind."""

    spans: tuple[Span, ...]
    width: int
    bare: int
    """Width without the space behind it."""


_Line = tuple[Span, ...]


def typeset(paragraphs: Sequence[Paragraph], width: int, measure: Measure) -> Block:
    """Wrap paragraphs to `width` pixels. A word that is longer than a line is broken."""
    return typeset_versions((paragraphs,), (width,), measure)[0]


def typeset_versions(
    versions: Sequence[Sequence[Paragraph]], widths: Sequence[int], measure: Measure
) -> tuple[Block, ...]:
    """Each version in each width, in this order: what they have in common is set once."""
    words: dict[Paragraph, tuple[_Word, ...]] = {}
    lines: dict[tuple[Paragraph, int], list[_Line]] = {}
    for paragraph in (paragraph for version in versions for paragraph in version):
        if paragraph not in words:
            words[paragraph] = tuple(_words(paragraph, measure))
            for width in widths:
                lines[paragraph, width] = _lines(paragraph, words[paragraph], width, measure)
    return tuple(
        _stacked([(paragraph, lines[paragraph, width]) for paragraph in version], width, measure)
        for version in versions
        for width in widths
    )


def _stacked(set_: Sequence[tuple[Paragraph, list[_Line]]], width: int, measure: Measure) -> Block:
    runs: list[Run] = []
    y = used = 0
    for paragraph, lines in set_:
        if runs:
            y += round(paragraph.space_before * paragraph.spans[0].style.size)
        for at, line in enumerate(lines):
            size = max(span.style.size for span in line)
            x = _indent(paragraph, width) if at else 0
            baseline = y + _ascent(size)
            for span in line:
                runs.append(Run(x, baseline - _ascent(span.style.size), span.text, span.style))
                x += measure(span.text, span.style)
            used = max(used, x)
            y += round(size * LEADING)
    return Block(used, y, tuple(runs))


def _ascent(size: int) -> int:
    return round(ASCENT * size)


def _indent(paragraph: Paragraph, width: int) -> int:
    # In a column of a few letters there is nothing to spare.
    return min(paragraph.hang, width // 4)


def _lines(paragraph: Paragraph, words: Sequence[_Word], width: int, measure: Measure) -> list[_Line]:
    """Greedy: as many words to a line as it holds."""
    hung = width - _indent(paragraph, width)
    lines: list[list[_Word]] = [[]]
    used, room = 0, width  # used word by word
    for word in _broken(words, hung, measure):
        if lines[-1] and not _fits(lines[-1], word, used, room, measure):
            lines.append([])
            used, room = 0, hung
        if lines[-1] or word.bare:
            lines[-1].append(word)
            used += word.width
    _keep_company(lines, hung, measure)
    return [line for line in map(_merged, lines) if line]


def _fits(line: list[_Word], word: _Word, used: int, room: int, measure: Measure) -> bool:
    """Whether a line that is `used` word by word has room for one more."""
    needed = used + word.bare
    # Letters of neighbouring words may be kerned, and widths are rounded: where it is close the line is
    # measured as a whole, and only there, for that costs.
    doubt = len(line) + word.spans[0].style.size // 4
    if abs(needed - room) > doubt:
        return needed < room
    return _width(_merged([*line, word]), measure) <= room


def _keep_company(lines: list[list[_Word]], room: int, measure: Measure) -> None:
    """No short word is left alone in the last line, where the line before can do without one of its own."""
    if len(lines) < 2 or len(lines[-1]) != 1 or len(lines[-2]) < 3:
        return
    together = [lines[-2][-1], *lines[-1]]
    if lines[-1][0].bare < _WIDOW * room and _width(_merged(together), measure) <= room:
        lines[-2].pop()
        lines[-1] = together


def _words(paragraph: Paragraph, measure: Measure) -> Iterator[_Word]:
    spans: list[Span] = []
    for span in paragraph.spans:
        for text in _WORD.findall(_BREAKS.sub(" ", span.text)):
            spans.append(Span(text, span.style))
            if text.endswith(" "):
                yield _word(spans, measure)
                spans = []
    if spans:
        yield _word(spans, measure)


def _word(spans: Sequence[Span], measure: Measure) -> _Word:
    bare = [Span(span.text.rstrip(" "), span.style) for span in spans]
    return _Word(tuple(spans), _width(spans, measure), _width([span for span in bare if span.text], measure))


def _broken(words: Sequence[_Word], width: int, measure: Measure) -> Iterator[_Word]:
    """The words, those that are wider than a line in pieces."""
    for word in words:
        if word.bare <= width:
            yield word
        else:
            yield from (
                _word([piece], measure) for span in word.spans for piece in _pieces(span, width, measure)
            )


def _pieces(span: Span, width: int, measure: Measure) -> list[Span]:
    """A span cut so that each piece fits, or is one letter."""
    pieces, text = [], span.text
    while len(text) > 1 and measure(text.rstrip(" "), span.style) > width:
        fits = next(
            n for n in range(len(text) - 1, 0, -1) if n == 1 or measure(text[:n], span.style) <= width
        )
        pieces.append(Span(text[:fits], span.style))
        text = text[fits:]
    return [*pieces, Span(text, span.style)]


def _width(line: Sequence[Span], measure: Measure) -> int:
    return sum(measure(span.text, span.style) for span in line)


def _merged(words: Sequence[_Word]) -> _Line:
    """A line's words as few spans as have one style, without the spaces at its end."""
    line: list[Span] = []
    for style, spans in itertools.groupby((span for word in words for span in word.spans), _style):
        line.append(Span("".join(span.text for span in spans), style))
    while line and not line[-1].text.rstrip(" "):
        line.pop()
    if line:
        line[-1] = Span(line[-1].text.rstrip(" "), line[-1].style)
    return tuple(line)


def _style(span: Span) -> Style:
    return span.style
