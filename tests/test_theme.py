from __future__ import annotations

import dataclasses
from pathlib import Path

import pygame
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from kiosk.config import names
from kiosk.errors import ConfigError
from kiosk.screen.contrast import READABLE, WHITE, Colour, contrast, over, rgb
from kiosk.screen.theme import Style, Theme, theme
from kiosk.screen.theme_file import FOLDER, load
from kiosk.screen.typeface import file
from kiosk.sections import DisplayConfig

accents = st.integers(0, 0xFFFFFF).map(lambda value: f"#{value:06x}")
AT_EASE = settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.too_slow])


def look(
    size_wh: tuple[int, int] = (1920, 1080),
    accent: str | None = None,
    text_scale: float = 1,
    name: str = "roulette",
) -> Theme:
    return theme(DisplayConfig(theme=name, accent=accent, text_scale=text_scale), size_wh)


def styles(of: Theme) -> list[Style]:
    values = (getattr(of, field.name) for field in dataclasses.fields(of))
    return [value for value in values if isinstance(value, Style)]


def over_white(of: Theme) -> Colour:
    return over(of.backdrop, WHITE, of.backdrop_opacity / 255)


def test_roulette_is_neon_green_thin_and_exact() -> None:
    of = look()
    assert (of.accent, of.line, of.backdrop, of.backdrop_opacity) == (
        (0x39, 0xFF, 0x14),
        3,
        (12, 12, 12),
        204,
    )
    assert (of.body.size, of.headword.size, of.plate.size) == (24, 36, 36)
    assert of.plate.colour == (0, 0, 0)
    assert of.headword.colour == of.accent


def test_the_dictionary_is_ink_on_opaque_paper_in_a_serif() -> None:
    of = look(name="dictionary")
    assert of.backdrop_opacity == 255
    assert {style.family for style in styles(of)} == {"serif"}
    assert of.headword.colour == rgb(load("dictionary").colours.headword or "")
    assert of.plate.colour == rgb(load("dictionary").colours.plate or "")


@pytest.mark.parametrize("name", names(FOLDER))
@AT_EASE
@given(accents)
def test_the_label_can_be_read_on_every_accent_of_a_venue(name: str, accent: str) -> None:
    of = look(accent=accent, name=name)
    assert of.accent == rgb(accent)
    assert of.plate.colour in ((0, 0, 0), (255, 255, 255))
    assert contrast(of.plate.colour, of.accent) >= 4.5


def test_the_label_on_neon_green_is_black_and_on_navy_white() -> None:
    assert look().plate.colour == (0, 0, 0)
    assert look(accent="#000080").plate.colour == (255, 255, 255)


@pytest.mark.parametrize("name", names(FOLDER))
@AT_EASE
@given(accents)
def test_all_other_text_can_be_read_before_black_and_white(name: str, accent: str) -> None:
    of = look(accent=accent, name=name)
    for style in styles(of):
        if style != of.plate:
            assert contrast(style.colour, over_white(of)) >= READABLE
            assert contrast(style.colour, over(of.backdrop, (0, 0, 0), of.backdrop_opacity / 255)) >= READABLE


@pytest.mark.parametrize("name", names(FOLDER))
def test_the_headword_has_the_venues_accent_where_that_can_be_read(name: str) -> None:
    readable, faint = ("#c00000", "#ffff00") if name == "dictionary" else ("#ffff00", "#000080")
    assert look(accent=readable, name=name).headword.colour == rgb(readable)
    assert look(accent=faint, name=name).headword.colour == look(name=name).body.colour


def test_sizes_grow_with_the_shorter_side_of_the_screen() -> None:
    one, two, portrait = look(), look((3840, 2160)), look((1080, 1920))
    assert dataclasses.replace(portrait, entry_widths=one.entry_widths) == one
    for small, large in zip(styles(one), styles(two), strict=True):
        assert large.size == pytest.approx(2 * small.size, abs=1)
    assert (two.line, two.rule, two.pad) == (2 * one.line, 2 * one.rule, 2 * one.pad)
    assert two.entry_widths == pytest.approx([2 * width for width in one.entry_widths], abs=1)


def test_the_installer_can_make_all_text_larger() -> None:
    for normal, larger in zip(styles(look()), styles(look(text_scale=1.5)), strict=True):
        assert larger.size == pytest.approx(1.5 * normal.size, abs=1)


def test_the_lines_of_a_box_stay_thin_when_text_grows() -> None:
    assert look(text_scale=2.5).line == look().line


def test_where_text_is_very_large_the_footer_is_not() -> None:
    of = look(text_scale=3)
    assert of.body.size == 72
    assert of.footer.size == of.warning.size == 30
    assert of.idle.size == 108
    assert of.headword.size == 108


def test_nothing_vanishes_on_the_smallest_screen() -> None:
    of = look((160, 120), text_scale=0.5)
    assert min(style.size for style in styles(of)) >= 1
    assert of.line >= 1
    assert min(of.entry_widths) >= 1


def test_the_headword_outweighs_the_text_and_the_text_who_speaks() -> None:
    for name in names(FOLDER):
        of = look(name=name)
        assert of.headword.face == "bold"
        assert of.headword.size > of.body.size > of.voice.size
        assert of.aside.face == "italic"
        assert of.warning.face == "bold"


@pytest.mark.parametrize("name", names(FOLDER))
def test_a_line_of_an_entry_has_some_fifty_letters(name: str) -> None:
    pygame.font.init()
    of = look(name=name)
    text = "a person who professes beliefs and opinions that he or she does not hold in order to conceal"
    wide = pygame.font.Font(file(of.body.family, of.body.face), of.body.size).size(text)[0]
    letters = [len(text) * width / wide for width in of.entry_widths]
    assert 46 <= letters[0] <= 54
    assert all(30 <= number <= 60 for number in letters)


def test_no_entry_is_wider_than_the_screen_however_large_its_letters() -> None:
    for size_wh in ((1920, 1080), (1080, 1920), (800, 600)):
        of = look(size_wh, text_scale=3)
        assert max(of.entry_widths) <= size_wh[0] - 4 * of.pad
        assert min(of.entry_widths) < 0.4 * size_wh[0]
        assert len(set(of.entry_widths)) == len(of.entry_widths)


def test_a_theme_of_ones_own_is_in_force(tmp_path: Path) -> None:
    path = tmp_path / "own.yaml"
    path.write_text(
        'colours:\n  accent: "#ff2bd6"\nfonts:\n  body: serif italic\nlines:\n  box: 5\n  rule: 0\n',
        encoding="utf-8",
    )
    of = look(name=str(path))
    assert of.accent == (0xFF, 0x2B, 0xD6)
    assert (of.body.family, of.body.face) == ("serif", "italic")
    assert (of.line, of.rule) == (5, 0)


def test_a_theme_that_there_is_not_is_told() -> None:
    with pytest.raises(ConfigError, match="Did you mean 'roulette'"):
        look(name="roulete")
