from __future__ import annotations

import dataclasses

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kiosk.config import DisplayConfig
from kiosk.screen.theme import READABLE, Style, Theme, contrast, theme

accents = st.integers(0, 0xFFFFFF).map(lambda value: f"#{value:06x}")


def look(size_wh: tuple[int, int] = (1920, 1080), accent: str = "#39ff14", text_scale: float = 1) -> Theme:
    return theme(DisplayConfig(accent=accent, text_scale=text_scale), size_wh)


def styles(of: Theme) -> list[Style]:
    values = (getattr(of, field.name) for field in dataclasses.fields(of))
    return [value for value in values if isinstance(value, Style)]


def over_white(of: Theme) -> tuple[int, int, int]:
    share = of.backdrop_opacity / 255
    red, green, blue = (round(part * share + 255 * (1 - share)) for part in of.backdrop)
    return red, green, blue


def test_contrast_is_as_wcag_has_it() -> None:
    assert contrast((0, 0, 0), (255, 255, 255)) == pytest.approx(21)
    assert contrast((255, 255, 255), (0, 0, 0)) == pytest.approx(21)
    assert contrast((119, 119, 119), (255, 255, 255)) == pytest.approx(4.48, abs=0.01)
    assert contrast((5, 5, 5), (5, 5, 5)) == 1


@given(accents)
def test_the_label_can_be_read_on_every_accent(accent: str) -> None:
    plate = look(accent=accent).plate
    assert plate.colour in ((0, 0, 0), (255, 255, 255))
    assert contrast(plate.colour, look(accent=accent).accent) >= 4.5


def test_the_label_on_neon_green_is_black_and_on_navy_white() -> None:
    assert look().plate.colour == (0, 0, 0)
    assert look(accent="#000080").plate.colour == (255, 255, 255)


@given(accents)
def test_all_other_text_can_be_read_before_a_white_wall(accent: str) -> None:
    of = look(accent=accent)
    for style in styles(of):
        if style != of.plate:
            assert contrast(style.colour, over_white(of)) >= READABLE


def test_the_headword_has_the_accent_where_that_can_be_read() -> None:
    assert look().accent == (0x39, 0xFF, 0x14)
    assert look().headword.colour == look().accent
    assert look(accent="#000080").headword.colour != look(accent="#000080").accent


def test_sizes_grow_with_the_shorter_side_of_the_screen() -> None:
    one, two, portrait = look(), look((3840, 2160)), look((1080, 1920))
    assert portrait == one
    for small, large in zip(styles(one), styles(two), strict=True):
        assert large.size == 2 * small.size
    assert (two.line, two.pad) == (2 * one.line, 2 * one.pad)
    assert two.entry_widths == tuple(2 * width for width in one.entry_widths)


def test_the_installer_can_make_all_text_larger() -> None:
    for normal, larger in zip(styles(look()), styles(look(text_scale=1.5)), strict=True):
        assert larger.size == pytest.approx(1.5 * normal.size, abs=0.5)


def test_nothing_vanishes_on_the_smallest_screen() -> None:
    of = look((160, 120), text_scale=0.5)
    assert min(style.size for style in styles(of)) >= 1
    assert of.line >= 1


def test_the_headword_outweighs_the_text_and_the_text_who_speaks() -> None:
    of = look()
    assert of.headword.face == "bold"
    assert of.headword.size > of.body.size > of.voice.size
    assert of.warning.face == "bold"
