"""Text onto surfaces: the plate and the entry of each caption, remembered while they may be wanted again."""

from __future__ import annotations

import contextlib
import functools
import io
import itertools
from collections import OrderedDict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import pygame

from kiosk.errors import ModelError
from kiosk.messages import Caption, Entry, Reason
from kiosk.screen.entry import label, remark, versions
from kiosk.screen.texts import Texts
from kiosk.screen.theme import Style, Theme
from kiosk.screen.typeface import NAMES, Typeface, file, typeface
from kiosk.screen.typeset import Block, Paragraph, Span, typeset, typeset_versions

# A caption stands for seconds and is painted many times. More than so many are never on a wall at once.
CAPTIONS = 32
_WIDTHS = 8192
# The words that pass by want some fifty fonts, captions and the footer a dozen. A fifth of a mebibyte each.
_FONTS = 24
_FILES = 32
# Round the letters of a plate, in ems; at the top counted from its capitals, at the bottom from its baseline.
_PLATE_MARGIN = 0.4
# Round the text of an entry, in pads of the theme; counted in the same way.
_ENTRY_MARGIN = 1.5
# An entry that needs less than this part of its column gets no wider than it needs.
_WELL_FILLED = 0.8


class Printer:
    """Sets and prints text in the fonts of its styles, and no box for a letter that none has."""

    def __init__(self) -> None:
        self._font: _Fonts = functools.lru_cache(_FONTS)(_font)
        # Not of a method: in a ring with its printer it would wait for the garbage collector, with all fonts.
        self._measure = functools.lru_cache(_WIDTHS)(functools.partial(_width_of, self._font))

    def set(self, paragraphs: Sequence[Paragraph], width: int) -> Block:
        """Wrap to `width` pixels."""
        return typeset(paragraphs, width, self._measure)

    def set_versions(
        self, versions: Sequence[Sequence[Paragraph]], widths: Sequence[int]
    ) -> tuple[Block, ...]:
        """Each version wrapped to each width; in the order of versions, then widths."""
        return typeset_versions(versions, widths, self._measure)

    def print(self, block: Block, surface: pygame.Surface, x: int, y: int) -> None:
        """Print text that has been set, with its top left at (x, y)."""
        for run in block.runs:
            at = x + run.x
            for font, text in _pieces(self._font, run.text, run.style):
                width = font.size(text)[0]
                # A soft hyphen by itself, for example: pygame refuses to render what has no width.
                if width:
                    with _told(run.style):
                        letters = font.render(text, True, run.style.colour)
                    surface.blit(letters, (at, y + run.baseline - font.get_ascent()))
                at += width

    def sheet(
        self, block: Block, size_wh: tuple[int, int], x: int, y: int, ground: tuple[int, ...]
    ) -> pygame.Surface:
        """Text at (x, y) on a ground of its own, red, green, blue and opacity."""
        sheet = pygame.Surface(size_wh, pygame.SRCALPHA)
        sheet.fill(ground)
        self.print(block, sheet, x, y)
        return sheet


_Fonts = Callable[[Path, int], pygame.font.Font]


def _width_of(font_of: _Fonts, text: str, style: Style) -> int:
    with _told(style):
        return sum(font.size(piece)[0] for font, piece in _pieces(font_of, text, style))


@contextlib.contextmanager
def _told(style: Style) -> Iterator[None]:
    """Raise as a ModelError what SDL says of a font that is damaged where nobody looked."""
    try:
        yield
    except pygame.error as error:
        raise ModelError(f"{style.family}: the font is damaged: {error}") from error


def _pieces(font_of: _Fonts, text: str, style: Style) -> list[tuple[pygame.font.Font, str]]:
    """A text by the fonts that have its letters; a letter that none has is left out."""
    own = file(style.family, style.face)
    if _typeface(own).letters.issuperset(text):
        return [(font_of(own, style.size), text)]
    families = dict.fromkeys((style.family, style.fallback, *NAMES))
    paths = [file(family, style.face) for family in families]
    pieces: list[tuple[Path, str]] = []
    for letter in text:
        path = next((path for path in paths if letter in _typeface(path).letters), None)
        if path and pieces and pieces[-1][0] == path:
            pieces[-1] = path, pieces[-1][1] + letter
        elif path:
            pieces.append((path, letter))
    return [(font_of(path, style.size), piece) for path, piece in pieces]


def _font(path: Path, size: int) -> pygame.font.Font:
    try:
        return pygame.font.Font(io.BytesIO(_content(path)), size)
    except (OSError, pygame.error) as error:
        raise ModelError(f"{path}: the font cannot be read") from error


@functools.lru_cache(_FILES)
def _content(path: Path) -> bytes:
    """Of a font's file, one for all sizes: a font that was opened by its path keeps the file open."""
    return path.read_bytes()


def _typeface(path: Path) -> Typeface:
    try:
        return typeface(path)
    except ValueError as error:
        raise ModelError(f"{path}: the font {error}") from error


@dataclass(frozen=True)
class _Panel:
    """Text that has been set, with room round it."""

    block: Block
    size_wh: tuple[int, int]
    x: int
    y: int
    """Of the block's top left in the panel."""

    @classmethod
    def of(cls, block: Block, width: int, margin_x: int, margin_y: int) -> _Panel:
        """`width` is that of the text. Margins lie above its first capitals and below its last baseline."""
        if not block.runs:
            return cls(block, (width + 2 * margin_x, 2 * margin_y), margin_x, margin_y)
        first, last = block.runs[0], block.runs[-1]
        y = margin_y - (first.baseline - _capital(first.style))
        return cls(block, (width + 2 * margin_x, y + last.baseline + margin_y), margin_x, y)


def _capital(style: Style) -> int:
    """Height of a capital letter, in pixels."""
    return round(_typeface(file(style.family, style.face)).cap_height * style.size)


class CaptionSheets:
    """A caption's plate and the versions of its entry: sizes at once, pictures when they are asked for."""

    def __init__(
        self, caption: Caption, classes: int, width: int, theme: Theme, texts: Texts, printer: Printer
    ) -> None:
        """`width` is that of the screen, which a plate must not outgrow."""
        self._theme, self._printer = theme, printer
        word = Paragraph((Span(label(caption, texts), theme.plate),))
        margin = round(_PLATE_MARGIN * theme.plate.size)
        block = printer.set((word,), max(1, width - 2 * margin))
        self._plate = _Panel.of(block, block.width, margin, margin)
        self.plate_wh = self._plate.size_wh
        columns = theme.entry_widths
        blocks = printer.set_versions(versions(caption, classes, theme, texts), columns)
        self._entries = [self._panel(*pair) for pair in zip(blocks, itertools.cycle(columns))]
        self.entries_wh = tuple(panel.size_wh for panel in self._entries)
        self._sheets: dict[int, pygame.Surface] = {}

    def _panel(self, block: Block, column: int) -> _Panel:
        margin = round(_ENTRY_MARGIN * self._theme.pad)
        width = column if block.width > _WELL_FILLED * column else block.width
        panel = _Panel.of(block, width, margin, margin)
        rule = self._theme.rule
        size_wh = panel.size_wh[0], panel.size_wh[1] + rule
        return replace(panel, size_wh=size_wh, y=panel.y + rule)

    @functools.cached_property
    def plate(self) -> pygame.Surface:
        """The label on the accent."""
        return self._sheet(self._plate, (*self._theme.accent, 255))

    def entry(self, version: int) -> pygame.Surface:
        """One of `entries_wh`."""
        if version not in self._sheets:
            look = self._theme
            sheet = self._sheet(self._entries[version], (*look.backdrop, look.backdrop_opacity))
            sheet.fill((*look.accent, 255), (0, 0, sheet.get_width(), look.rule))
            self._sheets[version] = sheet
        return self._sheets[version]

    def _sheet(self, panel: _Panel, ground: tuple[int, ...]) -> pygame.Surface:
        return self._printer.sheet(panel.block, panel.size_wh, panel.x, panel.y, ground)


class Sheets:
    """The sheets of the captions that were shown last."""

    def __init__(self, classes: int, width: int, theme: Theme, texts: Texts, printer: Printer) -> None:
        """For guesses of one in `classes`, on a screen of a width."""
        self._classes, self._width, self._theme, self._texts = classes, width, theme, texts
        self._printer = printer
        self._known: OrderedDict[tuple[Entry | None, Reason, str], CaptionSheets] = OrderedDict()

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
