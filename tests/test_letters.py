from __future__ import annotations

import math

import pytest

from kiosk.screen.letters import LARGEST, Letters, height_for, letters, pixels_per_mm
from kiosk.screen.theme import theme
from kiosk.sections import DisplayConfig

FULL_HD = (1920, 1080)
CAP = 0.714  # of the shipped fonts, in ems


def on(size_wh: tuple[int, int] = FULL_HD, **display: float) -> Letters:
    found = letters(DisplayConfig(**display), size_wh)
    assert found is not None
    return found


def test_a_screen_has_as_many_pixels_to_a_millimetre_as_its_diagonal_says() -> None:
    # 16:9 and 50 inches: 1106.9 mm wide.
    assert pixels_per_mm(DisplayConfig(diagonal=50), FULL_HD) == pytest.approx(1920 / 1106.9, rel=1e-4)
    assert pixels_per_mm(DisplayConfig(diagonal=50), (1080, 1920)) == pytest.approx(1920 / 1106.9, rel=1e-4)
    assert pixels_per_mm(DisplayConfig(), FULL_HD) == 0


def test_from_a_metre_a_letter_is_seen_under_twenty_minutes_of_arc() -> None:
    assert height_for(1) == pytest.approx(5.82, abs=0.01)
    assert height_for(5) == pytest.approx(29.1, abs=0.05)
    assert math.degrees(math.atan(height_for(3) / 3000)) * 60 == pytest.approx(20)


def test_with_no_diagonal_nothing_is_known() -> None:
    assert letters(DisplayConfig(letter_height=10, viewing_distance=3), FULL_HD) is None


@pytest.mark.parametrize("size_wh", [FULL_HD, (1080, 1920), (3840, 2160), (1280, 720)])
@pytest.mark.parametrize("name", ["roulette", "dictionary"])
def test_a_capital_is_as_high_on_the_wall_as_was_asked(name: str, size_wh: tuple[int, int]) -> None:
    display = DisplayConfig(theme=name, diagonal=55, letter_height=12)
    size = theme(display, size_wh).body.size
    assert size * CAP / pixels_per_mm(display, size_wh) == pytest.approx(12, rel=0.03)
    assert on(size_wh, diagonal=55, letter_height=12).height_mm == pytest.approx(12)


def test_the_distance_says_how_high_where_no_height_is_asked() -> None:
    assert on(diagonal=55, viewing_distance=3).height_mm == pytest.approx(height_for(3))
    assert on(diagonal=55, viewing_distance=3, letter_height=9).height_mm == pytest.approx(9)


def test_a_height_in_millimetres_is_not_scaled() -> None:
    once, twice = (
        DisplayConfig(diagonal=55, letter_height=9),
        DisplayConfig(diagonal=55, letter_height=9, text_scale=2),
    )
    assert theme(once, FULL_HD) == theme(twice, FULL_HD)


def test_where_no_height_is_asked_it_is_told_what_the_theme_gives() -> None:
    found = on(diagonal=50)
    assert found.height_mm == pytest.approx(24 * CAP / (1920 / 1106.9), rel=1e-3)
    assert found.readable_from_m == pytest.approx(found.height_mm / height_for(1))
    assert str(found) == "letters of the entries are 9.9 mm high, to be read from 1.6 m"


def test_letters_too_low_for_the_distance_are_told() -> None:
    said = str(on(diagonal=55, letter_height=6.1, viewing_distance=3))
    assert said == (
        "letters of the entries are 6.1 mm high, to be read from 1.0 m; to be read from 3 m they need 17.5 mm"
    )


def test_letters_too_high_for_the_screen_are_capped_and_told() -> None:
    display = DisplayConfig(diagonal=24, letter_height=60)
    assert theme(display, FULL_HD).body.size == round(1080 * LARGEST)
    found = on(diagonal=24, letter_height=60)
    assert found.height_mm == pytest.approx(1080 * LARGEST * CAP / pixels_per_mm(display, FULL_HD))
    assert found.crowded
    assert "they do not fit on this screen, 60.0 mm are asked for" in str(found)
    assert "some entries have no room" in str(found)


def test_letters_of_a_usual_height_leave_room() -> None:
    assert not on(diagonal=55, viewing_distance=3).crowded
    assert on(diagonal=55, viewing_distance=5).crowded
