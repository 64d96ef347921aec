from __future__ import annotations

import dataclasses
from pathlib import Path

import pytest

from kiosk.config import names
from kiosk.errors import ConfigError
from kiosk.screen import typeface
from kiosk.screen.contrast import BLACK, WHITE, contrast, over, rgb
from kiosk.screen.theme_file import FOLDER, Font, ThemeFile, find, font, load
from tests.fontfile import SANS, only


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "own.yaml"


def problems(path: Path, text: str) -> list[str]:
    path.write_text(text, encoding="utf-8")
    with pytest.raises(ConfigError) as caught:
        load(str(path))
    return [problem.removeprefix(f"{path}:") for problem in caught.value.problems]


def test_three_themes_are_shipped() -> None:
    assert names(FOLDER) == ["dictionary", "night", "roulette"]


def test_roulette_names_every_key_at_its_default() -> None:
    assert load("roulette") == ThemeFile()
    text = (FOLDER / "roulette.yaml").read_text(encoding="utf-8")
    for section in dataclasses.fields(ThemeFile):
        assert f"\n{section.name}:\n" in text
        for key in dataclasses.fields(getattr(ThemeFile(), section.name)):
            assert f"\n  {key.name}: " in text


@pytest.mark.parametrize("name", names(FOLDER))
def test_in_a_shipped_theme_everything_reads_before_white_and_black(name: str) -> None:
    colours = load(name).colours
    texts = [colours.body, colours.voice, colours.aside, colours.headword, colours.idle]
    for text in filter(None, texts):
        for picture in (BLACK, WHITE):
            ground = over(rgb(colours.backdrop), picture, colours.backdrop_opacity)
            assert contrast(rgb(text), ground) >= 4.5, text


def test_the_night_is_darker_than_the_others_and_warm() -> None:
    def light(name: str) -> float:
        return contrast(rgb(load(name).colours.body), BLACK)

    assert light("night") < 0.6 * light("roulette")
    red, green, blue = rgb(load("night").colours.body)
    assert red > green > blue
    red, green, blue = rgb(load("dictionary").colours.backdrop)
    assert red > green > blue


def test_a_theme_of_ones_own_names_what_differs(path: Path) -> None:
    path.write_text('colours:\n  accent: "#ff2bd6"\n', encoding="utf-8")
    expected = dataclasses.replace(
        ThemeFile(), colours=dataclasses.replace(ThemeFile().colours, accent="#ff2bd6")
    )
    assert load(str(path)) == expected


def test_a_theme_is_found_by_its_name_or_its_path(path: Path) -> None:
    assert find("night") == FOLDER / "night.yaml"
    assert find(str(path)) == path
    assert find("config/themes/night.yaml") == FOLDER / "night.yaml"
    with pytest.raises(ConfigError) as caught:
        find("nigth")
    assert str(caught.value) == (
        "display.theme: must be one of dictionary, night, roulette or a file, not 'nigth'. "
        "Did you mean 'night'?"
    )


def test_a_file_that_is_not_there_is_told(path: Path) -> None:
    with pytest.raises(ConfigError, match=r"own\.yaml: cannot be read: No such file"):
        load(str(path))


def test_mistakes_are_told_with_their_place_all_at_once(path: Path) -> None:
    found = problems(
        path, 'colors:\n  accent: red\ncolours:\n  accent: red\n  bodi: "#ffffff"\nsizes:\n  body: 2\n'
    )
    assert found == [
        "1:1: colors: unknown key. Did you mean 'colours'?",
        "4:11: colours.accent: must be a colour such as \"#39ff14\", not 'red'",
        "5:3: colours.bodi: unknown key. Did you mean 'body'?",
        "7:9: sizes.body: must be a number from 8 to 90 pixels, not '2'",
    ]


def test_a_text_that_is_too_faint_is_told_with_what_was_found_and_wanted(path: Path) -> None:
    found = problems(path, 'colours:\n  body: "#777777"\n  idle: "#8a8a8a"\n')
    assert found == [
        "2:9: colours.body: #777777 has a contrast of 2.4 with the backdrop #0c0c0c before a white picture; "
        "it must be at least 4.5 (WCAG AA)",
        "3:9: colours.idle: #8a8a8a has a contrast of 3.1 with the backdrop #0c0c0c before a white picture; "
        "it must be at least 4.5 (WCAG AA)",
    ]


def test_the_picture_before_which_a_text_reads_worst_is_named(path: Path) -> None:
    def worst(backdrop: str, opacity: float) -> str:
        lines = problems(
            path,
            f'colours:\n  voice: "#767676"\n  backdrop: "{backdrop}"\n  backdrop_opacity: {opacity}\n',
        )
        return next(line for line in lines if "colours.voice" in line).partition(f"backdrop {backdrop}")[2][
            :25
        ]

    assert worst("#fff0e0", 0.9) == " before a black picture; "
    assert worst("#202020", 0.9) == " before a white picture; "
    assert worst("#000000", 0) == " before a grey picture; i"
    assert worst("#e0e0e0", 1) == "; it must be at least 4.5"


def test_what_reads_before_black_only_is_too_faint(path: Path) -> None:
    text = 'colours:\n  backdrop: "#000000"\n  body: "#ffffff"\n  voice: "#ffffff"\n  backdrop_opacity: {}\n'
    path.write_text(text.format(0.6), encoding="utf-8")
    assert load(str(path)).colours.backdrop_opacity == 0.6
    assert [line.split(" ")[1] for line in problems(path, text.format(0.5))] == [
        "colours.body:",
        "colours.voice:",
    ]


def test_letters_that_are_too_faint_on_the_accent_are_told(path: Path) -> None:
    (found,) = problems(path, 'colours:\n  accent: "#b3261e"\n  plate: "#000000"\n')
    assert found.startswith("3:10: colours.plate: #000000 has a contrast of 3.")


def test_a_fault_of_a_default_stands_where_its_section_does(path: Path) -> None:
    found = problems(path, 'sizes:\n  body: 30\ncolours:\n  backdrop: "#ffffff"\n')
    assert [line.partition(" #")[0] for line in found] == ["4:3: colours.body:", "4:3: colours.voice:"]


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("sans", Font("sans", "bold")),
        ("serif italic", Font("serif", "italic")),
        ("fonts/House.otf", Font("fonts/House.otf", "bold")),
        ("House.TTF", Font("House.TTF", "bold")),
    ],
)
def test_a_font_is_a_family_with_or_without_a_face_or_a_file(value: str, expected: Font) -> None:
    assert font(value, "bold") == expected


@pytest.mark.parametrize("value", ["Helvetica", "serif thin", "sans bold italic"])
def test_a_font_that_is_neither_is_told(path: Path, value: str) -> None:
    assert problems(path, f"fonts:\n  body: {value}\n") == [
        "2:9: fonts.body: must be sans or serif, if need be with regular, bold, italic, "
        f"or a .ttf or .otf file, not '{value}'"
    ]


def test_a_font_file_of_ones_own_is_taken(path: Path) -> None:
    house = path.parent / "House.ttf"
    house.write_bytes(SANS)
    path.write_text(f"fonts:\n  body: {house}\n", encoding="utf-8")
    assert load(str(path)).fonts.body == str(house)


def test_a_font_file_without_greek_is_taken_for_a_shipped_family_has_it(path: Path) -> None:
    house = path.parent / "House.ttf"
    house.write_bytes(only(typeface.LATIN))
    path.write_text(f"fonts:\n  body: {house}\n  fallback: serif\n", encoding="utf-8")
    assert load(str(path)).fonts.fallback == "serif"


def test_letters_that_a_font_file_lacks_are_named(path: Path) -> None:
    house = path.parent / "House.ttf"
    house.write_bytes(only(typeface.LATIN.replace("é", "").replace("–", "")))
    assert problems(path, f"fonts:\n  body: sans\n  aside: {house}\n") == [
        f"3:10: fonts.aside: '{house}' lacks the letters é –"
    ]
    house = path.parent / "Caps.ttf"
    house.write_bytes(only("ABC"))
    (found,) = problems(path, f"fonts:\n  aside: {house}\n")
    assert found.endswith("lacks the letters ! \" # $ % & ' ( ) * + , and others")


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (None, "cannot be read: No such file or directory"),
        (b"<html>", "must be a TrueType or OpenType font, .ttf or .otf"),
        (SANS[:2000], "is a font that is damaged or lacks a table"),
    ],
)
def test_a_font_file_that_cannot_be_used_is_told(path: Path, content: bytes | None, said: str) -> None:
    house = path.parent / "House.ttf"
    if content is not None:
        house.write_bytes(content)
    assert problems(path, f"fonts:\n  plate: {house}\n") == [f"2:10: fonts.plate: '{house}' {said}"]
