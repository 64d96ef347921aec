"""What only the staff ask for, over the finished picture: aiming view, list of keys, the wish to leave.

Plain and legible, in no theme's colours, and in English: it is for somebody on a ladder.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pygame

from kiosk.messages import Frame, Scene
from kiosk.screen import aiming
from kiosk.screen.aiming import Mark, Pace, Row
from kiosk.screen.keys import Key, Shown
from kiosk.screen.look import Look, Told
from kiosk.screen.sheets import Printer
from kiosk.screen.theme import Style
from kiosk.screen.typeset import Block, Paragraph, Span
from kiosk.screen.view import Rect, View

BLACK, WHITE, GREY, DIM = (0, 0, 0), (255, 255, 255), (180, 180, 180), (80, 80, 80)
YELLOW, ORANGE = (255, 214, 0), (255, 140, 0)
# Of what is behind a text, 0-255.
OPACITY = 240
# So many ems are the screen's shorter side.
EMS = 36
# Dashes of a line, and the gaps between them, in ems.
DASH = 0.7


class Overlay:
    """Paints onto a surface of one size."""

    def __init__(self, surface: pygame.Surface, look: Look) -> None:
        self._surface, self._look = surface, look
        width, height = surface.get_size()
        self._screen = Rect(0, 0, width, height)
        self._em = em = max(10, min(width, height) // EMS)
        self._line = max(2, em // 10)
        self._bold, self._plain = Style("bold", em, WHITE), Style("regular", em, WHITE)
        self._printer = Printer()
        self._frames, self._looks = Pace(), Pace()
        self._looked = 0, 0.0
        """How many looks were seen, and when the last was."""

    def paint(self, shown: Shown, frame: Frame | None, scene: Scene | None, told: Told) -> None:
        """Paint what is `shown`, if anything is."""
        if shown.aim:
            self._aim(frame, scene, told)
        if shown.listed:
            self._list(told)
        if shown.leaving:
            self._leaving(shown.leaving)

    def _aim(self, frame: Frame | None, scene: Scene | None, told: Told) -> None:
        facts, rows = self._look.facts, _how(told)
        marks: tuple[Mark, ...] = ()
        if frame:
            self._measure(frame, scene)
            rows += aiming.rows(facts, frame, scene, self._frames, self._looks)
            display = self._look.display
            view = View(frame.size_wh, self._surface.get_size(), display.fit, display.mirror)
            self._zone(aiming.corners(facts, view))
            for y in aiming.eye_lines(view):
                self._dashes(y)
            marks = aiming.marks(scene, view) if scene else ()
        else:
            rows += (("Source", facts.source), ("Gives", "no picture"))
        panel = self._panel("Aiming the camera", rows)
        # Over the footer, not over heads.
        self._surface.blit(panel, (self._em, self._screen.height - panel.get_height() - self._em))
        for mark in marks:
            self._mark(mark)

    def _measure(self, frame: Frame, scene: Scene | None) -> None:
        self._frames.see(frame.index, frame.captured_at)
        count, looked_at = self._looked
        if scene and scene.captured_at != looked_at:
            self._looked = count + 1, scene.captured_at
            self._looks.see(count + 1, scene.captured_at)

    def _zone(self, corners: Sequence[tuple[int, int]]) -> None:
        if corners:
            pygame.draw.polygon(self._surface, BLACK, corners, 3 * self._line)
            pygame.draw.polygon(self._surface, YELLOW, corners, self._line)

    def _dashes(self, y: int) -> None:
        dash, line = max(1, round(DASH * self._em)), self._line
        for x in range(0, self._screen.width, 2 * dash):
            self._surface.fill(BLACK, (x - line, y - line, dash + 2 * line, 3 * line))
            self._surface.fill(WHITE, (x, y, dash, line))

    def _mark(self, mark: Mark) -> None:
        rect, line, colour = mark.rect, self._line, WHITE if mark.is_used else ORANGE
        for side, width in ((rect.grown(line), 3 * line), (rect, line)):
            outline = pygame.Rect(side.x, side.y, side.width, side.height)
            pygame.draw.rect(self._surface, colour if side is rect else BLACK, outline, width)
        block = self._set(mark.text, replace(self._plain, colour=colour))
        plate = self._sheet(block.width + self._em, block.height)
        self._printer.print(block, plate, self._em // 2, 0)
        below = rect.bottom + line
        y = below if below + plate.get_height() <= self._screen.height else rect.y - line - plate.get_height()
        place = self._screen.nearest(rect.x, y, plate.get_size())
        self._surface.blit(plate, (place.x, place.y))

    def _list(self, told: Told) -> None:
        facts, hold = self._look.facts, self._look.staff.leave_after
        rows = (
            *_how(told),
            ("Source", facts.source),
            *(("" if at else "Networks", network) for at, network in enumerate(facts.networks)),
            (Key.LIST.value, "this list, on and off"),
            (Key.AIM.value, "aiming the camera, on and off"),
            (Key.LEAVE.value, f"ends the piece when it is held for {hold:g} s" if hold else "ends the piece"),
        )
        panel = self._panel(f"ImageNet Roulette {facts.version}".rstrip(), rows)
        x = (self._screen.width - panel.get_width()) // 2
        self._surface.blit(
            panel, (x, min(self._screen.height - panel.get_height(), self._screen.height // 8))
        )

    def _leaving(self, part: float) -> None:
        """A bar that fills while Escape is held."""
        em, text = self._em, self._set("Keep Esc pressed to end the piece", self._bold)
        sheet = self._sheet(text.width + 2 * em, text.height + 3 * em)
        self._printer.print(text, sheet, em, em // 2)
        sheet.fill(DIM, (em, text.height + em, text.width, em))
        sheet.fill(WHITE, (em, text.height + em, round(text.width * part), em))
        x = (self._screen.width - sheet.get_width()) // 2
        self._surface.blit(sheet, (x, self._screen.height * 2 // 3 - sheet.get_height()))

    def _panel(self, title: str, rows: Sequence[Row]) -> pygame.Surface:
        """A table of what is named at the left; a row of which there is nothing to say is left out."""
        em, rows = self._em, [row for row in rows if row[1]]
        names = [self._set(name, replace(self._plain, colour=GREY)) for name, _ in rows]
        column = max((name.width for name in names), default=0) + em
        widest = self._screen.width - 4 * em - column
        texts = [self._set(text, self._plain, widest) for _, text in rows]
        head = self._set(title, self._bold)
        width = max(head.width, *(column + text.width for text in texts))
        height = head.height + em // 2 + sum(text.height for text in texts)
        panel = self._sheet(width + 2 * em, height + 2 * em)
        self._printer.print(head, panel, em, em)
        y = em + head.height + em // 2
        for name, text in zip(names, texts, strict=True):
            self._printer.print(name, panel, em, y)
            self._printer.print(text, panel, em + column, y)
            y += text.height
        return panel

    def _set(self, text: str, style: Style, width: int = 0) -> Block:
        return self._printer.set((Paragraph((Span(text, style),)),), width or self._screen.width)

    def _sheet(self, width: int, height: int) -> pygame.Surface:
        sheet = pygame.Surface((width, height), pygame.SRCALPHA)
        sheet.fill((*BLACK, OPACITY))
        return sheet


def _how(told: Told) -> tuple[Row, ...]:
    return ("State", told.state), ("Why", told.reason)
