"""Text onto surfaces: the plate and the entry of each caption, remembered while they may be wanted again."""

from __future__ import annotations

import functools
from collections import OrderedDict
from collections.abc import Sequence
from pathlib import Path

import pygame

from kiosk.errors import ModelError
from kiosk.messages import Caption, Entry
from kiosk.screen.entry import label, remark, versions
from kiosk.screen.texts import Texts
from kiosk.screen.theme import Style, Theme
from kiosk.screen.typeset import Block, Paragraph, Span, typeset

FONTS = Path(__file__).parent / "fonts"
FILES = {"regular": "NotoSans-Regular.ttf", "bold": "NotoSans-Bold.ttf", "italic": "NotoSans-Italic.ttf"}
# A caption stands for seconds and is painted many times. More than so many are never on a wall at once.
CAPTIONS = 32
_WIDTHS = 8192


class Printer:
    """Sets and prints text in the shipped fonts."""

    def __init__(self) -> None:
        self._fonts: dict[tuple[str, int], pygame.font.Font] = {}
        self._measure = functools.lru_cache(_WIDTHS)(self._width_of)

    def set(self, paragraphs: Sequence[Paragraph], width: int) -> Block:
        """Wrap to `width` pixels."""
        return typeset(paragraphs, width, self._measure)

    def print(self, block: Block, surface: pygame.Surface, x: int, y: int) -> None:
        """Print text that has been set, with its top left at (x, y)."""
        for run in block.runs:
            # A soft hyphen by itself, for example: pygame refuses to render what has no width.
            if self._measure(run.text, run.style):
                text = self._font(run.style).render(run.text, True, run.style.colour)
                surface.blit(text, (x + run.x, y + run.y))

    def sheet(
        self, block: Block, size_wh: tuple[int, int], x: int, y: int, ground: tuple[int, ...]
    ) -> pygame.Surface:
        """Text at (x, y) on a ground of its own, red, green, blue and opacity."""
        sheet = pygame.Surface(size_wh, pygame.SRCALPHA)
        sheet.fill(ground)
        self.print(block, sheet, x, y)
        return sheet

    def _width_of(self, text: str, style: Style) -> int:
        return self._font(style).size(text)[0]

    def _font(self, style: Style) -> pygame.font.Font:
        key = (style.face, style.size)
        if key not in self._fonts:
            path = FONTS / FILES[style.face]
            try:
                self._fonts[key] = pygame.font.Font(path, style.size)
            except (OSError, pygame.error) as error:
                raise ModelError(f"{path}: the font cannot be read") from error
        return self._fonts[key]


class CaptionSheets:
    """A caption's plate and the versions of its entry: sizes at once, pictures when they are asked for."""

    def __init__(
        self, caption: Caption, classes: int, width: int, theme: Theme, texts: Texts, printer: Printer
    ) -> None:
        """`width` is that of the screen, which a plate must not outgrow."""
        self._theme, self._printer = theme, printer
        inset, pad = theme.pad // 2, theme.pad
        word = Paragraph((Span(label(caption, texts), theme.plate),))
        self._plate = printer.set((word,), width - 2 * inset)
        self._entries = [
            (column, printer.set(text, column))
            for text in versions(caption, classes, theme, texts)
            for column in theme.entry_widths
        ]
        self.plate_wh = self._plate.width + 2 * inset, self._plate.height + 2 * inset
        # A line has room above its letters already.
        self.entries_wh = tuple(
            (column + 2 * pad, block.height + inset + pad) for column, block in self._entries
        )
        self._sheets: dict[int, pygame.Surface] = {}

    @functools.cached_property
    def plate(self) -> pygame.Surface:
        """The label on the accent."""
        inset = self._theme.pad // 2
        return self._printer.sheet(self._plate, self.plate_wh, inset, inset, (*self._theme.accent, 255))

    def entry(self, version: int) -> pygame.Surface:
        """One of `entries_wh`."""
        if version not in self._sheets:
            look, (_, block) = self._theme, self._entries[version]
            ground = (*look.backdrop, look.backdrop_opacity)
            size_wh = self.entries_wh[version]
            self._sheets[version] = self._printer.sheet(block, size_wh, look.pad, look.pad // 2, ground)
        return self._sheets[version]


class Sheets:
    """The sheets of the captions that were shown last."""

    def __init__(self, classes: int, width: int, theme: Theme, texts: Texts, printer: Printer) -> None:
        """For guesses of one in `classes`, on a screen of a width."""
        self._classes, self._width, self._theme, self._texts = classes, width, theme, texts
        self._printer = printer
        self._known: OrderedDict[tuple[Entry | None, str, str], CaptionSheets] = OrderedDict()

    def __len__(self) -> int:
        return len(self._known)

    def forget(self) -> None:
        """Forget all: nobody's word outlives the last visitor."""
        self._known.clear()

    def of(self, caption: Caption) -> CaptionSheets:
        """The caption's, made where they are not remembered. What looks the same is the same."""
        key = caption.entry, caption.withheld, remark(caption, self._classes, self._texts)
        sheets = self._known.get(key)
        if sheets is None:
            sheets = self._known[key] = CaptionSheets(
                caption, self._classes, self._width, self._theme, self._texts, self._printer
            )
            if len(self._known) > CAPTIONS:
                self._known.popitem(last=False)
        self._known.move_to_end(key)
        return sheets
