"""Paragraphs in, runs of text with their places out. Pure: the width of a text is asked of `measure`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from kiosk.screen.theme import Style

Measure = Callable[[str, Style], int]
"""Width of a text in a style, in pixels."""

LEADING = 1.32
"""Height of a line, in ems."""


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
    room = width
    for span in paragraph.spans:
        for word in _words(span, width, measure):
            wanted = measure(word.rstrip(" "), span.style)
            if wanted > room and lines[-1]:
                lines.append([])
                room = width
                word = word.lstrip(" ")
                if not word:
                    continue
            lines[-1].append(Span(word, span.style))
            room -= measure(word, span.style)
    return [_merged(line) for line in lines if line]


def _words(span: Span, width: int, measure: Measure) -> list[str]:
    """The words, each with the space behind it."""
    words = []
    for part in span.text.replace("\n", " ").split(" "):
        word = part
        while measure(word, span.style) > width and len(word) > 1:
            fits = max(
                1,
                next(n for n in range(len(word), -1, -1) if n <= 1 or measure(word[:n], span.style) <= width),
            )
            words.append(word[:fits])
            word = word[fits:]
        words.append(word + " ")
    words[-1] = words[-1][:-1]
    return [word for word in words if word]


def _merged(line: list[Span]) -> list[Span]:
    """Neighbours of one style as one span, without the space at the end of the line."""
    merged: list[Span] = []
    for span in line:
        if merged and merged[-1].style == span.style:
            merged[-1] = Span(merged[-1].text + span.text, span.style)
        else:
            merged.append(span)
    merged[-1] = Span(merged[-1].text.rstrip(" ") or merged[-1].text, merged[-1].style)
    return merged
