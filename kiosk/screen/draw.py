"""A frame and its captions onto a surface. Mirroring happens here: of picture and boxes, never of text."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import cv2
import numpy as np
import pygame

from kiosk.config import DisplayConfig, WallConfig
from kiosk.errors import ModelError
from kiosk.messages import Caption, Frame, Image
from kiosk.screen.entry import versions
from kiosk.screen.layout import Item, Placement, Rect, View, arrange
from kiosk.screen.texts import ENGLISH, Texts
from kiosk.screen.theme import Style, Theme, theme
from kiosk.screen.typeset import Block, Paragraph, Span, typeset

FONTS = Path(__file__).parent / "fonts"
_FILES = {"regular": "NotoSans-Regular.ttf", "bold": "NotoSans-Bold.ttf", "italic": "NotoSans-Italic.ttf"}
_REMEMBERED = 64


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
        notice: str = "",
        texts: Texts = ENGLISH,
    ) -> None:
        """`notice` is said at the foot of the picture, beside what is said of the network."""
        self._surface = surface
        self._display, self._wall, self._network, self._texts = display, wall, network, texts
        self._theme: Theme = theme(display, surface.get_size())
        self._fonts: dict[tuple[str, int], pygame.font.Font] = {}
        self._sheets: dict[tuple[Paragraph, ...], pygame.Surface] = {}
        self._placements: dict[int, Placement] = {}
        self._footer = self._make_footer(notice)

    def paint(self, frame: Frame | None, captions: Sequence[Caption]) -> None:
        """Paint a picture, or black for None, and what is said of it."""
        if frame is None:
            self._surface.fill((0, 0, 0))
            self._idle(self._texts.opening)
        else:
            view = View(frame.size_wh, self._surface.get_size(), self._display.fit, self._display.mirror)
            self._picture(frame.image, view)
            self._captions(captions, view)
            if not captions:
                self._idle(self._wall.idle)
        if self._footer:
            self._surface.blit(self._footer, (0, self._surface.get_height() - self._footer.get_height()))

    def _picture(self, image: Image, view: View) -> None:
        x0, y0, x1, y1 = view.source
        target = view.target
        seen = image[y0:y1, x0:x1]
        if view.mirror:
            seen = np.asarray(cv2.flip(seen, 1), np.uint8)
        if (x1 - x0, y1 - y0) != (target.width, target.height):
            enlarging = target.width >= x1 - x0
            how = cv2.INTER_LINEAR if enlarging else cv2.INTER_AREA
            seen = np.asarray(cv2.resize(seen, (target.width, target.height), interpolation=how), np.uint8)
        if (target.width, target.height) != self._surface.get_size():
            self._surface.fill((0, 0, 0))
        # Straight into the surface's memory: five times as fast as a surface of its own and a blit.
        pixels = np.asarray(self._surface.get_view("2")).T
        rows = pixels[target.y : target.bottom, target.x : target.right].view(np.uint8)
        cv2.cvtColor(seen, cv2.COLOR_BGR2BGRA, dst=rows.reshape(target.height, target.width, 4))

    def _captions(self, captions: Sequence[Caption], view: View) -> None:
        sheets: dict[int, tuple[pygame.Surface, ...]] = {}
        items = []
        for caption in captions:
            plate, *entries = sheets[caption.track_id] = self._sheets_of(caption)
            face = view.rect(caption.box) if caption.box else None
            sizes = tuple(entry.get_size() for entry in entries)
            items.append(Item(caption.track_id, face, plate.get_size(), sizes))
        width, height = self._surface.get_size()
        area = Rect(0, 0, width, height - (self._footer.get_height() if self._footer else 0))
        placements = arrange(items, area, self._theme.pad, self._placements)
        self._placements = {placement.id: placement for placement in placements}
        for item in items:
            if item.face:
                box = pygame.Rect(item.face.x, item.face.y, item.face.width, item.face.height)
                pygame.draw.rect(self._surface, self._theme.accent, box, self._theme.line)
        for placement in placements:
            plate, *entries = sheets[placement.id]
            if placement.entry:
                self._surface.blit(entries[placement.version], (placement.entry.x, placement.entry.y))
            self._surface.blit(plate, (placement.plate.x, placement.plate.y))

    def _sheets_of(self, caption: Caption) -> tuple[pygame.Surface, ...]:
        """The plate and the versions of the entry; remembered, for a caption stands for seconds."""
        label = Paragraph((Span(caption.entry.label, self._theme.plate),))
        entries = versions(caption, self._network.classes, self._theme, self._texts)
        plate = self._sheet((label,), self._surface.get_width() - 2 * self._theme.pad, plate=True)
        return plate, *(self._sheet(entry, self._theme.entry_width) for entry in entries)

    def _sheet(self, text: tuple[Paragraph, ...], width: int, *, plate: bool = False) -> pygame.Surface:
        sheet = self._sheets.get(text)
        if sheet is None:
            if len(self._sheets) >= _REMEMBERED:
                self._sheets.clear()
            look = self._theme
            block = typeset(text, width, self._measure)
            pad = look.pad // 2 if plate else look.pad
            backdrop = (*look.accent, 255) if plate else (*look.backdrop, look.backdrop_opacity)
            sheet = pygame.Surface((block.width + 2 * pad, block.height + 2 * (pad // 2)), pygame.SRCALPHA)
            sheet.fill(backdrop)
            self._print(block, sheet, pad, pad // 2)
            self._sheets[text] = sheet
        return sheet

    def _print(self, block: Block, sheet: pygame.Surface, x: int, y: int) -> None:
        for run in block.runs:
            text = self._font(run.style).render(run.text, True, run.style.colour)
            sheet.blit(text, (x + run.x, y + run.y))

    def _make_footer(self, notice: str) -> pygame.Surface | None:
        """The warning at the left and the statement at the right; one above the other on a narrow screen."""
        look, width = self._theme, self._surface.get_width()
        left = [self._wall.warning]
        right = [self._wall.statement, self._network.title, notice]
        columns = [
            [Paragraph((Span(text, style),)) for text in texts if text]
            for texts, style in ((left, look.warning), (right, look.footer))
        ]
        columns = [column for column in columns if column]
        if not columns:
            return None
        abreast = len(columns) if width > self._surface.get_height() else 1
        column_width = width // abreast - 2 * look.pad
        if abreast == 1:
            columns = [[paragraph for column in columns for paragraph in column]]
        blocks = [typeset(column, column_width, self._measure) for column in columns]
        sheet = pygame.Surface((width, max(block.height for block in blocks) + 2 * look.pad), pygame.SRCALPHA)
        sheet.fill((*look.backdrop, look.backdrop_opacity))
        for at, block in enumerate(blocks):
            self._print(block, sheet, at * width // abreast + look.pad, look.pad)
        return sheet

    def _idle(self, text: str) -> None:
        if not text:
            return
        width, height = self._surface.get_size()
        sheet = self._sheet((Paragraph((Span(text, self._theme.idle),)),), width * 3 // 4)
        self._surface.blit(sheet, ((width - sheet.get_width()) // 2, (height - sheet.get_height()) // 2))

    def _measure(self, text: str, style: Style) -> int:
        return self._font(style).size(text)[0]

    def _font(self, style: Style) -> pygame.font.Font:
        key = (style.face, style.size)
        if key not in self._fonts:
            path = FONTS / _FILES[style.face]
            try:
                self._fonts[key] = pygame.font.Font(path, style.size)
            except OSError as error:
                raise ModelError(f"{path}: the font cannot be read") from error
        return self._fonts[key]


def paint_picture(
    frame: Frame,
    captions: Sequence[Caption],
    size_wh: tuple[int, int],
    display: DisplayConfig,
    wall: WallConfig,
    network: Network,
) -> Image:
    """What the screen would show, on no screen: (H, W, 3) uint8 BGR."""
    pygame.font.init()
    surface = pygame.Surface(size_wh, depth=32)
    Canvas(surface, display, wall, network).paint(frame, captions)
    pixels = np.asarray(surface.get_view("2")).T
    return np.ascontiguousarray(pixels.view(np.uint8).reshape(size_wh[1], size_wh[0], 4)[:, :, :3])
