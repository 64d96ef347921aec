"""The foot of the wall: the content warning, what is claimed, and the venue's own line, as a sheet."""

from __future__ import annotations

from dataclasses import replace

import pygame

from kiosk.screen.look import Look
from kiosk.screen.sheets import Printer
from kiosk.screen.texts import Texts, unbroken
from kiosk.screen.theme import Style, Theme
from kiosk.screen.typeset import Block, Paragraph, Span

# Of the screen's height: a footer that would be higher gets smaller type, and at last is cut.
HIGHEST = 0.3
SMALLER = 0.9
# Smaller is not read by anybody.
SMALLEST = 10
# Pixels by which a column is made narrower, time and again.
STEP = 8


def footer(
    look: Look,
    texts: Texts,
    footnotes: tuple[str, ...],
    theme: Theme,
    size_wh: tuple[int, int],
    printer: Printer,
    spare: int = 0,
) -> pygame.Surface | None:
    """The warning at the left, the rest at the right; on a narrow screen one above the other.

    As wide as the screen of a size, and with `spare` pixels more ground at the left, the right and below,
    so that it can be moved by so much. None where nothing is said.
    """
    width, height = size_wh
    said = [look.warning(texts)], [*footnotes, look.network.title, unbroken(look.wall.note)]
    columns = [[text for text in column if text] for column in said]
    styles = [style for style, column in zip((theme.warning, theme.footer), columns, strict=True) if column]
    columns = [column for column in columns if column]
    if not columns:
        return None
    abreast = len(columns) if width > height else 1
    highest = round(HIGHEST * height)
    blocks = _blocks(columns, styles, width // abreast - 2 * theme.pad, abreast, printer)
    while _height(blocks, theme) > highest and min(style.size for style in styles) > SMALLEST:
        styles = [replace(style, size=max(SMALLEST, int(style.size * SMALLER))) for style in styles]
        blocks = _blocks(columns, styles, width // abreast - 2 * theme.pad, abreast, printer)
    height = min(highest, _height(blocks, theme))
    sheet = pygame.Surface((width + 2 * spare, height + spare), pygame.SRCALPHA)
    sheet.fill((*theme.backdrop, theme.backdrop_opacity))
    for at, block in enumerate(blocks):
        printer.print(block, sheet, spare + at * width // abreast + theme.pad, theme.pad)
    return sheet


def _blocks(
    columns: list[list[str]], styles: list[Style], width: int, abreast: int, printer: Printer
) -> list[Block]:
    set_ = [
        [Paragraph((Span(text, style),)) for text in column]
        for column, style in zip(columns, styles, strict=True)
    ]
    if abreast == 1:
        set_ = [[paragraph for column in set_ for paragraph in column]]
    return [_balanced(column, width, printer) for column in set_]


def _balanced(column: list[Paragraph], width: int, printer: Printer) -> Block:
    """Set as narrow as it can be without another line: the last line is no lone word then."""
    block = printer.set(column, width)
    narrower = block
    while narrower.height == block.height:
        block, width = narrower, width - STEP
        if width < STEP:
            break
        narrower = printer.set(column, width)
    return block


def _height(blocks: list[Block], theme: Theme) -> int:
    return max(block.height for block in blocks) + 2 * theme.pad
