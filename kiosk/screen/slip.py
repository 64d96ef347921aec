"""An entry that passes by, as a slip of paper in the theme's colours: in type for the far end of the room."""

from __future__ import annotations

from dataclasses import replace

from kiosk.messages import SCENE_ID, Caption, Entry
from kiosk.screen.attract import Passing
from kiosk.screen.entry import versions
from kiosk.screen.letters import LARGEST
from kiosk.screen.piece import Piece
from kiosk.screen.sheets import Printer
from kiosk.screen.texts import Texts
from kiosk.screen.theme import Style, Theme
from kiosk.screen.typeface import file, typeface
from kiosk.screen.typeset import Block, Paragraph, Span
from kiosk.screen.view import Rect

# Times the entries' type beside a face; then once more the headword, which is seen first and from farthest,
# and the small words that say who speaks.
LARGER, HEADWORD, VOICE = 2.4, 1.5, 0.8
# Times the line along the top of an entry.
RULE = 2
# Parts of the screen's shorter side: what is left free all round, and within the slip round the text.
MARGIN, PADDING = 0.06, 0.05
# Part of the screen's width that a line has at most where the screen is wide.
MEASURE = 0.56
# Of the room that there is; a slip that would be higher gets smaller type.
HIGHEST, SMALLER = 0.86, 0.92
# Pixels: no line is as long.
MUCH = 1_000_000


class Slips:
    """Makes one at a time, when its word comes."""

    def __init__(self, theme: Theme, free: Rect, size_wh: tuple[int, int], printer: Printer) -> None:
        """`free` is what the footer leaves of a screen of a size."""
        shorter = min(size_wh)
        theme = enlarged(theme, min(LARGER, LARGEST * shorter / theme.body.size))
        self._theme = replace(
            theme,
            headword=_times(theme.headword, HEADWORD),
            voice=_times(theme.voice, VOICE),
            rule=RULE * theme.rule,
        )
        self._room = free.grown(-round(MARGIN * shorter))
        self._padding = round(PADDING * shorter)
        widest = self._room.width - 2 * self._padding
        self._width = min(widest, round(MEASURE * size_wh[0])) if size_wh[0] > size_wh[1] else widest
        self._printer = printer
        self._number = -1
        self._piece: Piece | None = None

    def of(self, passing: Passing, texts: Texts) -> Piece:
        """The slip of a word in its place; in the language in which it came."""
        if self._piece is None or passing.number != self._number:
            self._piece, self._number = self._made(passing, texts), passing.number
        return self._piece

    def _made(self, passing: Passing, texts: Texts) -> Piece:
        block, theme = self.set(passing.entry, texts)
        pad, rule = self._padding, theme.rule
        # Counted from the headword's capitals and from the last baseline, as the eye does.
        y = rule + round(1.25 * pad) - (block.runs[0].baseline - _capital(block.runs[0].style))
        width, height = block.width + 2 * pad, y + block.runs[-1].baseline + pad
        ground = (*theme.backdrop, theme.backdrop_opacity)
        sheet = self._printer.sheet(block, (width, height), pad, y, ground)
        sheet.fill((*theme.accent, 255), (0, 0, width, rule))
        left, top = passing.place
        x = self._room.x + round(left * max(0, self._room.width - width))
        y = self._room.y + round(top * max(0, self._room.height - height))
        return Piece(sheet, x, y)

    def set(self, entry: Entry, texts: Texts) -> tuple[Block, Theme]:
        """The text of a slip, and the theme in whose sizes it fits."""
        highest = HIGHEST * self._room.height - 2 * self._padding
        theme = self._unbroken(entry, texts)
        block = self._printer.set(paragraphs(entry, theme, texts), self._width)
        while block.height > highest and theme.body.size > 1:
            theme = enlarged(theme, SMALLER)
            block = self._printer.set(paragraphs(entry, theme, texts), self._width)
        return block, theme

    def _unbroken(self, entry: Entry, texts: Texts) -> Theme:
        """The theme with a headword so small that none of its words is broken, nor n. left alone."""
        theme = self._theme
        head, *_ = paragraphs(entry, theme, texts)
        word, part_of_speech = head.spans
        words = [Paragraph((Span(text, theme.headword),)) for text in word.text.split()]
        longest = self._printer.set(words, MUCH).width
        room = self._width - theme.hang - self._printer.set((Paragraph((part_of_speech,)),), MUCH).width
        return replace(theme, headword=_times(theme.headword, min(1.0, room / max(1, longest))))


def paragraphs(entry: Entry, theme: Theme, texts: Texts) -> tuple[Paragraph, ...]:
    """Headword, gloss, and what Webster's says of it."""
    caption = Caption(SCENE_ID, None, entry, 0.0)
    # But for the last, which says how sure the network is: none was asked here.
    return versions(caption, 0, theme, texts)[1][:-1]


def enlarged(theme: Theme, times: float) -> Theme:
    """The theme with what an entry is set in larger."""
    return replace(
        theme,
        headword=_times(theme.headword, times),
        body=_times(theme.body, times),
        voice=_times(theme.voice, times),
        aside=_times(theme.aside, times),
        hang=round(theme.hang * times),
    )


def _times(style: Style, times: float) -> Style:
    return replace(style, size=max(1, round(style.size * times)))


def _capital(style: Style) -> int:
    """Height of a capital letter, in pixels."""
    return round(typeface(file(style.family, style.face)).cap_height * style.size)
