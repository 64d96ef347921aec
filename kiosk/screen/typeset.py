"""Paragraphs in, runs of text with their places out. Pure: the width of a text is asked of `measure`."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from kiosk.screen.theme import Style

Measure = Callable[[str, Style], int]
"""Width of a text in a style, in pixels."""

LEADING = 1.32
"""Height of a line, in ems."""

# A font draws a box for these, or refuses the whole text.
_BREAKS = re.compile("[\x00-\x1f\x7f-\x9f\ud800-\udfff]")


@dataclass(frozen=True)
class Span:
    """Text of one style."""

    text: str
    style: Style


@dataclass(frozen=True)
class Paragraph:
    """Spans that are set one after the other and wrapped together."""

    spans: tuple[Span, ...]
    space_before: float = 0.0
    """In ems of its first span."""


@dataclass(frozen=True)
class Run:
    """A piece of a line; x and y are its top left, in pixels of the block."""

    x: int
    y: int
    text: str
    style: Style


@dataclass(frozen=True)
class Block:
    """Text that has been set."""

    width: int
    height: int
    runs: tuple[Run, ...]


def typeset(paragraphs: Sequence[Paragraph], width: int, measure: Measure) -> Block:
    """Wrap paragraphs to `width` pixels. A word that is longer than a line is broken."""
    runs: list[Run] = []
    y = 0
    for paragraph in paragraphs:
        if runs:
            y += round(paragraph.space_before * paragraph.spans[0].style.size)
        for line in _lines(paragraph, width, measure):
            ascent = max(span.style.size for span in line)
            x = 0
            for span in line:
                # Spans of different sizes stand on one baseline, which lies near 1.07 em below the top.
                runs.append(Run(x, y + round(1.07 * (ascent - span.style.size)), span.text, span.style))
                x += measure(span.text, span.style)
            y += round(ascent * LEADING)
    used = max((run.x + measure(run.text, run.style) for run in runs), default=0)
    return Block(used, y, tuple(runs))


def _lines(paragraph: Paragraph, width: int, measure: Measure) -> list[list[Span]]:
    """Greedy: as many words to a line as it holds."""
    lines: list[list[Span]] = [[]]
    for span in paragraph.spans:
        for word in _words(span, width, measure):
            longer = _merged([*lines[-1], Span(word, span.style)])
            # The whole line is measured: letters of neighbouring words may be kerned, and widths are rounded.
            if lines[-1] and sum(measure(run.text, run.style) for run in _trimmed(longer)) > width:
                lines.append([])
                longer = [Span(word.lstrip(" "), span.style)] if word.strip(" ") else []
            lines[-1] = longer
    return [line for line in map(_trimmed, lines) if line]


def _words(span: Span, width: int, measure: Measure) -> list[str]:
    """The words, each with the space behind it."""
    words = []
    for part in _BREAKS.sub(" ", span.text).split(" "):
        word = part
        while len(word) > 1 and measure(word, span.style) > width:
            fits = next(
                n for n in range(len(word) - 1, 0, -1) if n == 1 or measure(word[:n], span.style) <= width
            )
            words.append(word[:fits])
            word = word[fits:]
        words.append(word + " ")
    words[-1] = words[-1][:-1]
    return [word for word in words if word]


def _merged(line: list[Span]) -> list[Span]:
    """The last span joined to the one before it, if they have one style."""
    if len(line) > 1 and line[-2].style == line[-1].style:
        return [*line[:-2], Span(line[-2].text + line[-1].text, line[-1].style)]
    return line


def _trimmed(line: list[Span]) -> list[Span]:
    """Without the spaces at its end."""
    kept = list(line)
    while kept and not kept[-1].text.rstrip(" "):
        kept.pop()
    if kept:
        kept[-1] = Span(kept[-1].text.rstrip(" "), kept[-1].style)
    return kept
