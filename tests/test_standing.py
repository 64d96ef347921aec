from __future__ import annotations

from dataclasses import replace

import numpy as np
import pygame
import pytest

from kiosk.messages import Image
from kiosk.screen import texts
from kiosk.screen.look import Look, Network
from kiosk.screen.sheets import Printer
from kiosk.screen.shift import REACH, STEP, shift
from kiosk.screen.standing import MARK, Standing
from kiosk.screen.theme import theme
from kiosk.sections import DisplayConfig, WallConfig

SIZE_WH = (640, 360)
ROUND = [STEP * step + 1 for step in range(16)]
"""Every place on the way of what is moved."""


@pytest.fixture(autouse=True)
def fonts() -> None:
    pygame.font.init()


def look(**display) -> Look:
    wall = WallConfig(idle="", note="A note.")
    return Look(DisplayConfig(**display), wall, texts.load("en"), Network(10, ""), mark=True)


def standing(looks: Look) -> Standing:
    return Standing(looks, theme(looks.display, SIZE_WH), SIZE_WH, Printer())


def painted(made: Standing, now: float, notice: str = "") -> Image:
    """On white, when all that comes has come."""
    surface = pygame.Surface(SIZE_WH, depth=32)
    for at in (now, now + 1):
        surface.fill((255, 255, 255))
        made.paint(surface, notice, texts.ENGLISH, at)
        made.mark(surface, at)
    return np.ascontiguousarray(pygame.surfarray.array3d(surface).transpose(1, 0, 2))


def moved(picture: Image, dx: int, dy: int) -> Image:
    """The part of a picture that is there wherever it is moved, as it was before it was moved."""
    height, width = picture.shape[:2]
    return picture[2 + dy : height - 2 + dy, 2 + dx : width - 2 + dx]


def test_footer_notice_and_mark_are_moved_together_by_a_pixel_or_two_in_a_minute() -> None:
    made = standing(look())
    unmoved = [moved(painted(made, now, "Step in front."), *shift(now)) for now in ROUND]
    assert all((picture == unmoved[0]).all() for picture in unmoved[1:])
    assert (unmoved[0] < 100).sum() > 1000


def test_nothing_is_moved_where_nobody_wants_it_nor_in_a_still_picture() -> None:
    for looks in (look(shift=False), replace(look(), still=True)):
        made = standing(looks)
        pictures = [painted(made, now, "Step in front.") for now in ROUND]
        assert all((picture == pictures[0]).all() for picture in pictures[1:])
    assert standing(look(shift=False)).free.height - standing(look()).free.height == REACH


@pytest.mark.parametrize("display", [{}, {"theme": "dictionary"}, {"shift": False}])
def test_the_ground_of_the_footer_reaches_the_edges_of_the_screen_wherever_it_is_moved(display: dict) -> None:
    made = standing(look(**display))
    for now in ROUND:
        picture = painted(made, now)
        for edge in (picture[-8:, 0], picture[-8:, -1], picture[-1]):
            assert (edge != 255).any(axis=1).all()
            assert len(np.unique(edge, axis=0)) == 1


def test_the_footer_never_comes_into_the_part_that_it_leaves_free() -> None:
    looks = replace(look(), mark=False)
    made = standing(looks)
    for now in ROUND:
        surface = pygame.Surface(SIZE_WH, depth=32)
        for at in (now, now + 1):
            surface.fill((255, 255, 255))
            made.paint(surface, "", texts.ENGLISH, at)
        assert (pygame.surfarray.array3d(surface)[:, : made.free.height] == 255).all()


def test_the_mark_is_whole_wherever_it_is_moved() -> None:
    made = standing(look())
    counts = {int((painted(made, now) == MARK).all(axis=2).sum()) for now in ROUND}
    assert len(counts) == 1
    assert counts.pop() > 8
