from __future__ import annotations

import numpy as np
import pygame
import pytest

from kiosk.messages import Box, Frame, Image, Scene, Sighting
from kiosk.screen import texts
from kiosk.screen.draw import offscreen
from kiosk.screen.keys import Shown
from kiosk.screen.look import Facts, Look, Told
from kiosk.screen.overlay import ORANGE, WHITE, YELLOW, Overlay
from kiosk.sections import DisplayConfig, StaffConfig, WallConfig

GREY = (90, 90, 90)
SIZES = [(1920, 1080), (1080, 1920), (640, 360)]
FACTS = Facts("0.1.0", "camera 0", True, ("faces: centerface.onnx on cpu", "words: standin.onnx on cpu"), 48)
SEEN = Sighting(Box(200, 200, 280, 300), 0.9)
SMALL = Sighting(Box(600, 200, 620, 230), 0.6, "too small")
LIVE = Told("live")


@pytest.fixture(autouse=True)
def fonts() -> None:
    pygame.font.init()


def paint(
    shown: Shown,
    *seen: Sighting,
    size_wh: tuple[int, int] = (1280, 720),
    facts: Facts = FACTS,
    told: Told = LIVE,
    staff: StaffConfig | None = None,
    picture: bool = True,
) -> Image:
    surface = offscreen(size_wh)
    surface.fill(GREY)
    look = Look(DisplayConfig(), WallConfig(), texts.load("en"), facts=facts, staff=staff or StaffConfig())
    frame = Frame(np.zeros((720, 1280, 3), np.uint8), 0, 0.0) if picture else None
    Overlay(surface, look).paint(shown, frame, Scene(0, 0.0, (), bool(seen), seen), told)
    return np.ascontiguousarray(pygame.surfarray.array3d(surface).transpose(1, 0, 2))


def count(picture: Image, colour: tuple[int, int, int]) -> int:
    return int((picture == colour).all(axis=2).sum())


def touched(picture: Image) -> tuple[int, int, int, int]:
    """Left, top, right, bottom of all that was painted; the last two exclusive."""
    rows, columns = np.nonzero((picture != GREY).any(axis=2))
    return int(columns.min()), int(rows.min()), int(columns.max()) + 1, int(rows.max()) + 1


def test_nothing_is_painted_where_nothing_is_asked_for() -> None:
    assert (paint(Shown(), SEEN) == GREY).all()


def test_a_face_that_is_looked_at_is_white_and_one_that_is_not_is_orange_in_the_mirror() -> None:
    picture = paint(Shown(aim=True), SEEN, SMALL)
    assert tuple(picture[250, 1280 - 280]) == WHITE
    assert tuple(picture[250, 1280 - 201]) == WHITE
    assert tuple(picture[215, 1280 - 620]) == ORANGE
    assert count(picture, YELLOW) == 0
    assert count(paint(Shown(aim=True), SEEN), ORANGE) == 0


def test_the_zone_is_drawn_where_there_is_one() -> None:
    zone = ((0.25, 0.1), (0.75, 0.1), (0.75, 0.9), (0.25, 0.9))
    picture = paint(Shown(aim=True), facts=Facts(zone=zone))
    assert tuple(picture[300, 320]) == YELLOW
    assert tuple(picture[300, 960]) == YELLOW
    assert tuple(picture[72, 640]) == YELLOW


def test_dashed_lines_say_where_eyes_belong() -> None:
    picture = paint(Shown(aim=True))
    for y in (240, 360):
        row = (picture[y] == WHITE).all(axis=1)
        assert 0.3 < row.mean() < 0.7
    assert not (picture[300] != GREY).any()


@pytest.mark.parametrize("size_wh", SIZES)
@pytest.mark.parametrize("shown", [Shown(listed=True), Shown(aim=True), Shown(leaving=0.5)])
def test_every_overlay_fits_on_the_screen(shown: Shown, size_wh: tuple[int, int]) -> None:
    told = Told("the source failed and is tried again", "camera 0: cannot be opened. " * 3)
    picture = paint(shown, size_wh=size_wh, told=told, picture=False)
    left, top, right, bottom = touched(picture)
    # There is ground round the letters on every side.
    assert left > 0 and top > 0 and right < size_wh[0] and bottom < size_wh[1]
    assert count(picture, WHITE) > 60


@pytest.mark.parametrize("size_wh", SIZES)
def test_what_is_said_of_a_face_at_the_edge_stays_on_the_screen(size_wh: tuple[int, int]) -> None:
    corners = [(-20, -20), (1240, -20), (-20, 660), (1240, 660)]
    seen = tuple(Sighting(Box(x, y, x + 60, y + 80), 0.9, "outside the zone") for x, y in corners)
    for sighting in seen:
        alone, without = (
            paint(Shown(aim=True), sighting, size_wh=size_wh),
            paint(Shown(aim=True), size_wh=size_wh),
        )
        changed = (alone != without).any(axis=2)
        letters = changed & (alone.max(axis=2) > 200)
        assert letters.sum() > 100


def test_the_reason_is_told_with_and_without_a_picture() -> None:
    for shown in (Shown(listed=True), Shown(aim=True)):
        for picture in (True, False):
            plain = paint(shown, picture=picture)
            reason = paint(shown, told=Told("live", "because of this and that"), picture=picture)
            assert count(reason, WHITE) > count(plain, WHITE)


def test_a_row_of_which_there_is_nothing_to_say_takes_no_room() -> None:
    bare = paint(Shown(listed=True), facts=Facts(), told=Told())
    full = paint(Shown(listed=True), facts=Facts(source="camera 0"), told=Told("live", "why"))
    heights = [touched(picture)[3] - touched(picture)[1] for picture in (bare, full)]
    row = min(1280, 720) // 36 * 1.32
    assert heights[1] - heights[0] == pytest.approx(3 * row, abs=3)


def test_the_list_says_how_long_escape_must_be_held() -> None:
    at_once = paint(Shown(listed=True), staff=StaffConfig(leave_after=0))
    held = paint(Shown(listed=True), staff=StaffConfig(leave_after=3))
    assert (at_once != held).any()


def test_a_bar_fills_while_escape_is_held() -> None:
    whites = [count(paint(Shown(leaving=part)), WHITE) for part in (0.01, 0.25, 0.5, 0.75, 1.0)]
    steps = np.diff(whites)
    assert (steps > 100).all()
    assert steps.std() < 0.1 * steps.mean()
