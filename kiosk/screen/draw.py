"""A frame and its captions onto a surface. Mirroring happens here: of picture and boxes, never of text."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum

import numpy as np
import pygame

from kiosk.messages import Caption, Frame, Image, Scene
from kiosk.screen import picture
from kiosk.screen.fade import Faded, Fades
from kiosk.screen.footer import footer
from kiosk.screen.layout import Item, Placement, arrange
from kiosk.screen.look import Look
from kiosk.screen.motion import Motion
from kiosk.screen.sheets import CaptionSheets, Printer, Sheets
from kiosk.screen.texts import Texts, current
from kiosk.screen.theme import Theme, theme
from kiosk.screen.typeset import Paragraph, Span
from kiosk.screen.view import Rect, View

# Orange, of no theme.
MARK = (255, 140, 0)


class Card(Enum):
    """What stands on a wall without a picture; the value is the name of its text."""

    OPENING = "opening"
    RESTING = "resting"
    CLOSED = "closed"
    BLACK = ""


@dataclass(frozen=True)
class _Piece:
    """A sheet and where it goes: drawn once more, fainter, while it leaves."""

    sheet: pygame.Surface
    x: int
    y: int


class Canvas:
    """Paints onto one 32-bit surface."""

    def __init__(self, surface: pygame.Surface, look: Look) -> None:
        """Raises ConfigError for a theme that is not there or not good."""
        self._surface, self._look = surface, look
        self._size_wh = width, height = surface.get_size()
        self._theme: Theme = theme(look.display, self._size_wh)
        self._printer = printer = Printer()
        self._sheets = {
            texts.code: Sheets(look.network.classes, width, self._theme, texts, printer)
            for texts in look.texts
        }
        footnotes = look.footnotes or ((),) * len(look.texts)
        self._footers = {
            texts.code: footer(look, texts, said, self._theme, self._size_wh, printer)
            for texts, said in zip(look.texts, footnotes, strict=True)
        }
        foot = max((sheet.get_height() for sheet in self._footers.values() if sheet), default=0)
        self._free = Rect(0, 0, width, height - foot)
        self._notices: dict[str, pygame.Surface] = {}
        self._motion = Motion()
        self._still = Fades[str, _Piece](at_once=look.still)
        self._boxes = Fades[int, Rect](at_once=look.still)
        self._pieces = Fades[tuple[object, ...], _Piece](at_once=look.still)
        self._arranged_for: tuple[object, ...] = ()
        self._placements: dict[int, Placement] = {}

    @property
    def remembered(self) -> int:
        """How many captions' sheets are in memory."""
        return sum(len(sheets) for sheets in self._sheets.values())

    def paint(self, frame: Frame | None, scene: Scene | None, now: float, card: Card = Card.OPENING) -> None:
        """Paint a picture and what is said of it; or no picture, and a card. `now` in seconds, monotonic.

        Without a scene nothing is known yet; in one with nobody there stands the idle text.
        """
        look, texts = self._look, current(self._look.texts, self._look.wall.turn, now)
        self._motion.see(scene if frame else None)
        notice = ""
        if frame is None:
            self._forget()
            self._surface.fill((0, 0, 0))
            notice = getattr(texts, card.value) if card.value else ""
        else:
            view = View(frame.size_wh, self._size_wh, look.display.fit, look.display.mirror)
            picture.paint(frame.image, view, self._surface)
            captions = self._motion.captions(frame.captured_at)
            if not self._captions(captions, scene, texts, view, now) and scene and not scene.anybody:
                notice = look.idle(texts)
        self._standing(notice, texts, now, blank=frame is None and card is Card.BLACK)
        if look.mark:
            radius = self._theme.pad // 2
            pygame.draw.circle(self._surface, MARK, (self._size_wh[0] - 2 * radius, 2 * radius), radius)

    def _forget(self) -> None:
        """Nothing of anybody outlives her picture."""
        self._boxes.clear()
        self._pieces.clear()
        self._placements, self._arranged_for = {}, ()
        for sheets in self._sheets.values():
            sheets.forget()

    def _captions(
        self, captions: Sequence[Caption], scene: Scene | None, texts: Texts, view: View, now: float
    ) -> bool:
        """Whether there was anything to say."""
        if not captions:
            self._sheets[texts.code].forget()
        made: dict[int, CaptionSheets] = {}
        words: dict[int, object] = {}
        items: list[Item] = []
        for caption in captions:
            face = view.rect(caption.box) if caption.box else None
            # Somebody in a part of the picture that is cut off gets no plate that hangs in the air.
            if face is None or view.shows(face):
                sheets = made[caption.track_id] = self._sheets[texts.code].of(caption)
                words[caption.track_id] = caption.entry.synset if caption.entry else caption.withheld
                items.append(Item(caption.track_id, face, sheets.plate_wh, sheets.entries_wh))
        self._arrange(items, scene, view)
        faces = {item.id: item.face for item in items if item.face}
        for box in self._boxes.update(faces, now):
            self._box(box)
        pieces: dict[tuple[object, ...], _Piece] = {}
        for item in items:
            sheets, placed = made[item.id], self._placements[item.id]
            if placed.entry:
                x, y = placed.entry.x, placed.entry.y
                key = (item.id, texts.code, words[item.id], placed.version, x, y)
                pieces[key] = _Piece(sheets.entry(placed.version), x, y)
        for item in items:
            plate = self._placements[item.id].plate
            if item.face and (place := self._placements[item.id].place):
                plate = place.rect(item.face, item.plate_wh, self._free)
            pieces[item.id, texts.code, words[item.id]] = _Piece(made[item.id].plate, plate.x, plate.y)
        for piece in self._pieces.update(pieces, now):
            self._blit(piece)
        return bool(items)

    def _arrange(self, items: list[Item], scene: Scene | None, view: View) -> None:
        """Place the captions anew for a new look; between two, plates go along with their boxes."""
        sizes = [(item.id, item.plate_wh, item.entries_wh) for item in items]
        arranged_for = (scene and scene.captured_at, sizes, view)
        if arranged_for != self._arranged_for:
            area = self._free
            if any(item.face is None for item in items):
                # The scene's caption stands at the upper left of the picture, not of a black border.
                x, y = view.target.x, view.target.y
                area = Rect(x, y, area.right - x, area.bottom - y)
            placed = arrange(items, area, self._theme.pad, self._placements, entries=self._look.entries)
            self._placements = {placement.id: placement for placement in placed}
            self._arranged_for = arranged_for

    def _box(self, box: Faded[int, Rect]) -> None:
        face, line = box.value, self._theme.line
        if box.opacity == 1:
            rect = pygame.Rect(face.x, face.y, face.width, face.height)
            pygame.draw.rect(self._surface, self._theme.accent, rect, line)
            return
        for x, y, width, height in (
            (face.x, face.y, face.width, line),
            (face.x, face.bottom - line, face.width, line),
            (face.x, face.y + line, line, face.height - 2 * line),
            (face.right - line, face.y + line, line, face.height - 2 * line),
        ):
            side = pygame.Surface((max(0, width), max(0, height)))
            side.fill(self._theme.accent)
            side.set_alpha(round(255 * box.opacity))
            self._surface.blit(side, (x, y))

    def _blit(self, faded: Faded[tuple[object, ...], _Piece] | Faded[str, _Piece]) -> None:
        piece = faded.value
        piece.sheet.set_alpha(round(255 * faded.opacity))
        self._surface.blit(piece.sheet, (piece.x, piece.y))

    def _standing(self, notice: str, texts: Texts, now: float, *, blank: bool) -> None:
        """What is said of nobody: the footer, and a text in the middle of what it leaves free."""
        pieces: dict[str, _Piece] = {}
        foot = self._footers[texts.code]
        if foot and not blank:
            pieces[f"footer {texts.code}"] = _Piece(foot, 0, self._size_wh[1] - foot.get_height())
        if notice:
            sheet = self._notice(notice)
            x, y = (self._free.width - sheet.get_width()) // 2, (self._free.height - sheet.get_height()) // 2
            pieces[notice] = _Piece(sheet, x, y)
        if blank:
            self._still.clear()
        for piece in self._still.update(pieces, now):
            self._blit(piece)

    def _notice(self, text: str) -> pygame.Surface:
        if text not in self._notices:
            look = self._theme
            words = (Paragraph((Span(text, look.idle),)),)
            block = self._printer.set(words, self._size_wh[0] * 3 // 4)
            size_wh = block.width + 4 * look.pad, block.height + 2 * look.pad
            ground = (*look.backdrop, look.backdrop_opacity)
            self._notices[text] = self._printer.sheet(block, size_wh, 2 * look.pad, look.pad, ground)
        return self._notices[text]


def offscreen(size_wh: tuple[int, int]) -> pygame.Surface:
    """A surface to paint on that is on no screen."""
    pygame.font.init()
    return pygame.Surface(size_wh, depth=32)


def paint_picture(frame: Frame, captions: Sequence[Caption], size_wh: tuple[int, int], look: Look) -> Image:
    """What the screen would show of a still picture, on no screen: (H, W, 3) uint8 BGR."""
    surface = offscreen(size_wh)
    scene = Scene(frame.index, frame.captured_at, tuple(captions), anybody=True)
    Canvas(surface, look).paint(frame, scene, frame.captured_at)
    return np.ascontiguousarray(picture.pixels(surface)[:, :, :3])
