"""What stands on the wall whoever is there: the footer, a text in the middle, the mark for the staff."""

from __future__ import annotations

from dataclasses import replace

import pygame

from kiosk.screen.fade import Fades
from kiosk.screen.footer import footer
from kiosk.screen.look import Look
from kiosk.screen.piece import Piece
from kiosk.screen.sheets import Printer
from kiosk.screen.shift import REACH, shift
from kiosk.screen.texts import Texts
from kiosk.screen.theme import Theme
from kiosk.screen.typeset import Paragraph, Span
from kiosk.screen.view import Rect

# Orange, of no theme.
MARK = (255, 140, 0)
# A calm grey.
ON_BLACK = (200, 200, 195)


class Standing:
    """Moved by a pixel now and then, where the screen may burn in."""

    def __init__(self, look: Look, theme: Theme, size_wh: tuple[int, int], printer: Printer) -> None:
        self._look, self._theme, self._size_wh, self._printer = look, theme, size_wh, printer
        self._reach = REACH if look.display.shift and not look.still else 0
        footnotes = look.footnotes or ((),) * len(look.texts)
        self._footers = {
            texts.code: footer(look, texts, said, theme, size_wh, printer, self._reach)
            for texts, said in zip(look.texts, footnotes, strict=True)
        }
        width, height = size_wh
        foot = max((sheet.get_height() for sheet in self._footers.values() if sheet), default=0)
        self.free = Rect(0, 0, width, height - foot)
        """What the footer leaves, wherever it is moved."""
        self._notices: dict[tuple[str, bool], pygame.Surface] = {}
        self._fades = Fades[str, Piece](at_once=look.still)

    @property
    def settled(self) -> bool:
        """Whether nothing of it comes or leaves."""
        return self._fades.settled

    def shift(self, now: float) -> tuple[int, int]:
        """By how many pixels all that stands is moved now: right and down."""
        return shift(now) if self._reach else (0, 0)

    def clear(self) -> None:
        """Forget what leaves, too."""
        self._fades.clear()

    def paint(
        self, surface: pygame.Surface, notice: str, texts: Texts, now: float, *, card: bool = False
    ) -> None:
        """Paint the footer, and the text if there is one. `now` in seconds, monotonic.

        A card has no picture: its text needs no ground of its own, and there are no words to warn of.
        """
        dx, dy = self.shift(now)
        pieces: dict[str, Piece] = {}
        if not card and (foot := self._footers[texts.code]):
            y = self._size_wh[1] - (foot.get_height() - self._reach)
            pieces[f"footer {texts.code}"] = Piece(foot, dx - self._reach, y + dy)
        if notice:
            sheet = self._notice(notice, card)
            x, y = (self.free.width - sheet.get_width()) // 2, (self.free.height - sheet.get_height()) // 2
            pieces[f"card {notice}" if card else notice] = Piece(sheet, x + dx, y + dy)
        for piece in self._fades.update(pieces, now):
            piece.value.blit(surface, piece.opacity)

    def mark(self, surface: pygame.Surface, now: float) -> None:
        """Paint the dot that tells the staff that what they edited last is not in force."""
        dx, dy = self.shift(now)
        radius = self._theme.pad // 2
        pygame.draw.circle(surface, MARK, (self._size_wh[0] - 2 * radius + dx, 2 * radius + dy), radius)

    def _notice(self, text: str, card: bool) -> pygame.Surface:
        key = (text, card)
        if key not in self._notices:
            look = self._theme
            # A card stands on black, and a theme of paper has dark letters.
            style = replace(look.idle, colour=ON_BLACK) if card else look.idle
            words = (Paragraph((Span(text, style),)),)
            block = self._printer.set(words, self._size_wh[0] * 3 // 4)
            size_wh = block.width + 4 * look.pad, block.height + 2 * look.pad
            ground = (0, 0, 0, 0) if card else (*look.backdrop, look.backdrop_opacity)
            self._notices[key] = self._printer.sheet(block, size_wh, 2 * look.pad, look.pad, ground)
        return self._notices[key]
