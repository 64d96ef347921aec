"""A frame and its captions onto a surface. Mirroring happens here: of picture and boxes, never of text."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import cv2
import numpy as np
import pygame

from kiosk.config import DisplayConfig, WallConfig
from kiosk.messages import Caption, Frame, Image
from kiosk.screen.layout import Item, Placement, arrange
from kiosk.screen.sheets import CaptionSheets, Printer, Sheets
from kiosk.screen.texts import ENGLISH, Texts
from kiosk.screen.theme import Theme, theme
from kiosk.screen.typeset import Paragraph, Span
from kiosk.screen.view import Rect, View

# Orange, of no theme.
MARK = (255, 140, 0)


@dataclass(frozen=True)
class Network:
    """What the wall says of the classifier."""

    classes: int
    """How many categories it chooses from."""
    title: str
    """In a line; empty for a network that needs no word of warning."""


class Canvas:
    """Paints onto one 32-bit surface."""

    def __init__(
        self,
        surface: pygame.Surface,
        display: DisplayConfig,
        wall: WallConfig,
        network: Network,
        footnotes: Sequence[str] = (),
        texts: Texts = ENGLISH,
        *,
        mark: bool = False,
    ) -> None:
        """`footnotes` are said at the foot, beside what is said of the network.

        `mark` is a dot in a corner, for the staff: what they edited last is not in force.
        """
        self._surface = surface
        self._display, self._wall, self._network, self._texts = display, wall, network, texts
        self._theme: Theme = theme(display, surface.get_size())
        self._printer = Printer()
        self._sheets = Sheets(network.classes, surface.get_width(), self._theme, texts, self._printer)
        self._items: list[Item] = []
        self._area = Rect(0, 0, 0, 0)
        self._placements: dict[int, Placement] = {}
        self._idle_sheets = {text: self._make_idle(text) for text in (wall.idle, texts.opening) if text}
        self._footer = self._make_footer(footnotes)
        self._mark = mark

    @property
    def remembered(self) -> int:
        """How many captions' sheets are in memory."""
        return len(self._sheets)

    def paint(self, frame: Frame | None, captions: Sequence[Caption], *, anybody: bool = False) -> None:
        """Paint a picture, or black for None, and what is said of it; with nobody there, the idle text."""
        if not captions:
            self._sheets.forget()
        if frame is None:
            self._surface.fill((0, 0, 0))
            self._idle(self._texts.opening)
        else:
            view = View(frame.size_wh, self._surface.get_size(), self._display.fit, self._display.mirror)
            self._picture(frame.image, view)
            if not self._captions(captions, view) and not anybody:
                self._idle(self._wall.idle)
        if self._mark:
            radius = self._theme.pad // 2
            pygame.draw.circle(
                self._surface, MARK, (self._surface.get_width() - 2 * radius, 2 * radius), radius
            )
        if self._footer:
            self._surface.blit(self._footer, (0, self._surface.get_height() - self._footer.get_height()))

    def _picture(self, image: Image, view: View) -> None:
        x0, y0, x1, y1 = view.source
        target = view.target
        seen = image[y0:y1, x0:x1]
        if view.mirror:
            seen = np.asarray(cv2.flip(seen, 1), np.uint8)
        if (target.width, target.height) != self._surface.get_size():
            self._surface.fill((0, 0, 0))
        # Straight into the surface's memory: five times as fast as a surface of its own and a blit.
        pixels = np.asarray(self._surface.get_view("2")).T
        rows = pixels[target.y : target.bottom, target.x : target.right].view(np.uint8)
        shown = rows.reshape(target.height, target.width, 4)
        if (x1 - x0, y1 - y0) == (target.width, target.height):
            cv2.cvtColor(seen, cv2.COLOR_BGR2BGRA, dst=shown)
        else:
            how = cv2.INTER_LINEAR if target.width >= x1 - x0 else cv2.INTER_AREA
            coloured = cv2.cvtColor(seen, cv2.COLOR_BGR2BGRA)
            cv2.resize(coloured, (target.width, target.height), dst=shown, interpolation=how)

    def _captions(self, captions: Sequence[Caption], view: View) -> bool:
        """Whether there was anything to say."""
        sheets: dict[int, CaptionSheets] = {}
        items: list[Item] = []
        for caption in captions:
            face = view.rect(caption.box) if caption.box else None
            # Somebody in a part of the picture that is cut off gets no plate that hangs in the air.
            if face is None or view.shows(face):
                made = sheets[caption.track_id] = self._sheets.of(caption)
                items.append(Item(caption.track_id, face, made.plate_wh, made.entries_wh))
        self._arrange(items, view)
        for item in items:
            if item.face:
                box = pygame.Rect(item.face.x, item.face.y, item.face.width, item.face.height)
                pygame.draw.rect(self._surface, self._theme.accent, box, self._theme.line)
        for id_, placement in self._placements.items():
            if placement.entry:
                entry = sheets[id_].entry(placement.version)
                self._surface.blit(entry, (placement.entry.x, placement.entry.y))
            self._surface.blit(sheets[id_].plate, (placement.plate.x, placement.plate.y))
        return bool(items)

    def _arrange(self, items: list[Item], view: View) -> None:
        """Place the captions, unless nothing has changed: more pictures are painted than are analysed."""
        width, height = self._surface.get_size()
        area = Rect(0, 0, width, height - (self._footer.get_height() if self._footer else 0))
        if any(item.face is None for item in items):
            # The scene's caption stands at the upper left of the picture, not of a black border.
            x, y = view.target.x, view.target.y
            area = Rect(x, y, area.right - x, area.bottom - y)
        if (items, area) != (self._items, self._area):
            placements = arrange(items, area, self._theme.pad, self._placements)
            self._placements = {placement.id: placement for placement in placements}
            self._items, self._area = items, area

    def _make_footer(self, footnotes: Sequence[str]) -> pygame.Surface | None:
        """The warning at the left, the rest at the right; one above the other on a narrow screen."""
        look, width = self._theme, self._surface.get_width()
        left = [self._wall.warning]
        right = [*footnotes, self._wall.note, self._network.title]
        columns = [
            [Paragraph((Span(text, style),)) for text in texts if text]
            for texts, style in ((left, look.warning), (right, look.footer))
        ]
        columns = [column for column in columns if column]
        if not columns:
            return None
        abreast = len(columns) if width > self._surface.get_height() else 1
        if abreast == 1:
            columns = [[paragraph for column in columns for paragraph in column]]
        blocks = [self._printer.set(column, width // abreast - 2 * look.pad) for column in columns]
        sheet = pygame.Surface((width, max(block.height for block in blocks) + 2 * look.pad), pygame.SRCALPHA)
        sheet.fill((*look.backdrop, look.backdrop_opacity))
        for at, block in enumerate(blocks):
            self._printer.print(block, sheet, at * width // abreast + look.pad, look.pad)
        return sheet

    def _make_idle(self, text: str) -> pygame.Surface:
        look = self._theme
        block = self._printer.set((Paragraph((Span(text, look.idle),)),), self._surface.get_width() * 3 // 4)
        size_wh = block.width + 4 * look.pad, block.height + 2 * look.pad
        ground = (*look.backdrop, look.backdrop_opacity)
        return self._printer.sheet(block, size_wh, 2 * look.pad, look.pad, ground)

    def _idle(self, text: str) -> None:
        """In the middle of what the footer leaves free."""
        sheet = self._idle_sheets.get(text)
        if sheet:
            width, height = self._surface.get_size()
            free = height - (self._footer.get_height() if self._footer else 0)
            self._surface.blit(sheet, ((width - sheet.get_width()) // 2, (free - sheet.get_height()) // 2))


def offscreen(size_wh: tuple[int, int]) -> pygame.Surface:
    """A surface to paint on that is on no screen."""
    pygame.font.init()
    return pygame.Surface(size_wh, depth=32)


def paint_picture(
    frame: Frame,
    captions: Sequence[Caption],
    size_wh: tuple[int, int],
    display: DisplayConfig,
    wall: WallConfig,
    network: Network,
) -> Image:
    """What the screen would show, on no screen: (H, W, 3) uint8 BGR."""
    surface = offscreen(size_wh)
    Canvas(surface, display, wall, network).paint(frame, captions)
    pixels = np.asarray(surface.get_view("2")).T
    return np.ascontiguousarray(pixels.view(np.uint8).reshape(size_wh[1], size_wh[0], 4)[:, :, :3])
