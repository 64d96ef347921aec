"""A sheet and where it goes: what the canvas puts onto the picture, fainter while it comes or leaves."""

from __future__ import annotations

from dataclasses import dataclass

import pygame

from kiosk.screen.view import Rect


@dataclass(frozen=True)
class Piece:
    """Its top left in pixels of the screen."""

    sheet: pygame.Surface
    x: int
    y: int

    def covers(self, rect: Rect) -> bool:
        """Whether it lies over a part of a rectangle of the screen."""
        return Rect(self.x, self.y, *self.sheet.get_size()).overlap(rect) > 0

    def blit(self, surface: pygame.Surface, opacity: float = 1.0) -> None:
        """Put it onto a surface; 0-1, 1 is as opaque as the sheet itself."""
        self.sheet.set_alpha(round(255 * opacity))
        surface.blit(self.sheet, (self.x, self.y))
