"""A frame and its captions onto a surface. Mirroring happens here: of picture and boxes, never of text."""

from __future__ import annotations

from collections.abc import Sequence
from enum import Enum

import numpy as np
import pygame

from kiosk.messages import Caption, Frame, Image, Scene
from kiosk.screen import picture
from kiosk.screen.attract import Procession
from kiosk.screen.fade import Faded, Fades
from kiosk.screen.glide import Glides
from kiosk.screen.layout import Item, Placement, arrange
from kiosk.screen.look import Look
from kiosk.screen.motion import Motion
from kiosk.screen.piece import Piece
from kiosk.screen.places import tether
from kiosk.screen.sheets import CaptionSheets, Printer, Sheets
from kiosk.screen.slip import Slips
from kiosk.screen.standing import Standing
from kiosk.screen.texts import Texts, current
from kiosk.screen.theme import Theme, theme
from kiosk.screen.view import Rect, View

# Of the screen's shorter side: as far an entry glides when it is moved.
FURTHEST = 0.2


class Card(Enum):
    """What stands on a wall without a picture; the value is the name of its text."""

    OPENING = "opening"
    RESTING = "resting"
    BLACK = ""


class Canvas:
    """Paints onto one 32-bit surface."""

    def __init__(self, surface: pygame.Surface, look: Look, procession: Procession | None = None) -> None:
        """`procession` outlives a canvas. Raises ConfigError for a theme that is not there or not good."""
        self._surface, self._look = surface, look
        self._size_wh = surface.get_size()
        self._theme: Theme = theme(look.display, self._size_wh)
        printer = Printer()
        self._sheets = {
            texts.code: Sheets(look.network.classes, self._size_wh[0], self._theme, texts, printer)
            for texts in look.texts
        }
        self._standing = Standing(look, self._theme, self._size_wh, printer)
        self._free = self._standing.free
        self._procession = procession or Procession(0)
        self._slips = Slips(self._theme, self._free, self._size_wh, printer)
        self._passing_opacity = 0.0
        self._motion = Motion()
        self._boxes = Fades[int, Rect](at_once=look.still)
        self._pieces = Fades[tuple[object, ...], Piece](at_once=look.still)
        self._glides = Glides(FURTHEST * min(self._size_wh))
        self._arranged_for: tuple[object, ...] = ()
        self._placements: dict[int, Placement] = {}

    @property
    def remembered(self) -> int:
        """How many captions' sheets are in memory."""
        return sum(len(sheets) for sheets in self._sheets.values())

    def settled(self, now: float) -> bool:
        """Whether another picture of the same frame and scene would be the same, for a moment at least."""
        fades = self._boxes.settled and self._pieces.settled and self._standing.settled
        return fades and self._glides.settled and self._passing_opacity in (0.0, 1.0)

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
            self._words(scene, texts, now)
            captions = () if self._procession.on else self._motion.captions(frame.captured_at)
            said = self._captions(captions, scene, texts, view, now) or self._procession.on
            if scene and not (scene.anybody or said):
                notice = look.idle(texts)
        if frame is None and card is Card.BLACK:
            self._standing.clear()
        else:
            self._standing.paint(self._surface, notice, texts, now, card=frame is None)
        if look.mark:
            self._standing.mark(self._surface, now)

    def _forget(self) -> None:
        """Nothing of anybody outlives her picture."""
        self._procession.clear()
        self._boxes.clear()
        self._pieces.clear()
        self._glides.clear()
        self._placements, self._arranged_for = {}, ()
        for sheets in self._sheets.values():
            sheets.forget()

    def _words(self, scene: Scene | None, texts: Texts, now: float) -> None:
        """While nobody is there words pass by, and the scene's label and the idle text give way to them."""
        alone = scene is not None and not scene.anybody
        passing = self._procession.see(self._look.words, self._look.wall.attract_after, now, alone=alone)
        self._passing_opacity = passing.opacity if passing else 0.0
        if passing and passing.opacity:
            self._slips.of(passing, texts).blit(self._surface, passing.opacity)

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
        free = self._free
        self._surface.set_clip((free.x, free.y, free.width, free.height))
        for box in self._boxes.update(faces, now):
            self._box(box)
        self._surface.set_clip(None)
        pieces: dict[tuple[object, ...], Piece] = {}
        stand = ((id_, placed.entry) for id_, placed in self._placements.items() if placed.entry)
        glides = self._glides.update({id_: (entry.x, entry.y) for id_, entry in stand}, now)
        # What is said of a visitor moves by itself.
        moved = {item.id: (0, 0) if item.face else self._standing.shift(now) for item in items}
        for item in items:
            sheets, placed = made[item.id], self._placements[item.id]
            dx, dy = moved[item.id]
            if glide := glides.get(item.id):
                sheet = sheets.entry(placed.version)
                if any(Piece(sheet, *glide.place).covers(face) for face in faces.values()):
                    glide = self._glides.arrive(item.id)
                x, y = glide.place
                key = (item.id, texts.code, words[item.id], placed.version, glide.hops)
                pieces[key] = Piece(sheet, x + dx, y + dy)
        for item in items:
            plate = self._placements[item.id].plate
            if item.face and (place := self._placements[item.id].place):
                plate = place.rect(item.face, item.plate_wh, self._free)
            dx, dy = moved[item.id]
            sheet = made[item.id].plate
            pieces[item.id, texts.code, words[item.id]] = Piece(sheet, plate.x + dx, plate.y + dy)
            if item.face and (line := tether(item.face, plate)):
                # The only thing that shows whose a plate is that found no room at its face.
                pygame.draw.line(self._surface, self._theme.accent, *line, self._theme.line)
        hopped = {key[:-1] for key in pieces}
        for piece in self._pieces.update(pieces, now):
            # What leaves must not leave over somebody's face, nor beside the same text at its new place.
            hidden = piece.key[:-1] in hopped or any(piece.value.covers(face) for face in faces.values())
            if piece.present or not hidden:
                piece.value.blit(self._surface, piece.opacity)
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
