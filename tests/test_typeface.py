from __future__ import annotations

import hashlib
import re
import struct
import unicodedata
from pathlib import Path

import numpy as np
import pygame
import pytest

from kiosk.config import LEXICON_PATH
from kiosk.screen import texts
from kiosk.screen.typeface import FACES, FAMILIES, FOLDER, LATIN, NAMES, file, typeface, unprintable
from kiosk.words.lexicon import Lexicon
from tests.fontfile import SANS, format_4, format_12, only, table, with_table, without_table

SHIPPED = [file(family, face) for family in NAMES for face in FACES]


@pytest.fixture(autouse=True)
def fonts() -> None:
    pygame.font.init()


def needed() -> set[str]:
    """Latin, Latin Extended-A, phonetic letters, Greek with all its accents, no Coptic; punctuation."""
    blocks = [(0x20, 0x7F), (0xA0, 0x180), (0x250, 0x2B0), (0x370, 0x3E2), (0x3F0, 0x400), (0x1F00, 0x2000)]
    letters = {chr(code) for first, end in blocks for code in range(first, end)}
    marks = "–—‘’“”„…‹›«»†‡•½¼¾⅓⅔⅛⅜⅝⅞ǎǣȳȝẽḥḳṣṭẓṃṇḍḷṛ\u00a0\u2009\u202f"
    return {letter for letter in letters if unicodedata.category(letter) != "Cn"} | set(marks)


def without_glyph(characters: set[str], path: Path) -> list[str]:
    """Those that the font draws as it draws what it has not; metrics() has numbers for these too."""
    font = pygame.font.Font(path, 20)

    def drawn(letter: str) -> bytes:
        # Behind an A, for pygame refuses to draw a letter that has no width.
        return pygame.image.tobytes(font.render(f"A{letter}", True, (0, 0, 0)), "RGBA")

    nothing = drawn("\u4e00")
    return sorted(letter for letter in characters if drawn(letter) == nothing)


@pytest.mark.parametrize("path", SHIPPED, ids=lambda path: path.stem)
def test_the_search_for_missing_glyphs_finds_one(path: Path) -> None:
    assert without_glyph({"a", "\u05d0", "–"}, path) == ["\u05d0"]
    assert typeface(path).lacks("a\u05d0–\u05d0") == "\u05d0"


@pytest.mark.parametrize("path", SHIPPED, ids=lambda path: path.stem)
def test_every_character_that_dictionaries_need_has_a_glyph(path: Path) -> None:
    assert without_glyph(needed(), path) == []
    assert typeface(path).lacks("".join(needed()) + LATIN) == ""


@pytest.mark.parametrize("path", SHIPPED, ids=lambda path: path.stem)
def test_every_character_of_the_lexicon_has_a_glyph(path: Path) -> None:
    # Built at set-up. Where it is not, what can be in it was tested above.
    characters = Lexicon.load(LEXICON_PATH).characters() if LEXICON_PATH.exists() else frozenset("a")
    assert without_glyph(set(characters), path) == []


@pytest.mark.parametrize("path", SHIPPED, ids=lambda path: path.stem)
def test_every_character_that_the_wall_says_of_itself_has_a_glyph(path: Path) -> None:
    languages = [file.read_text(encoding="utf-8") for file in texts.FOLDER.glob("*.yaml")]
    assert len(languages) >= 5
    assert without_glyph({*"".join(languages)} - {"\n"} | {texts.NARROW}, path) == []


def test_what_no_font_has_is_told() -> None:
    assert unprintable("Überraschung! ὑποκριτής, person") == ""
    assert unprintable("a 😀 b 😀 \u05d0") == "😀\u05d0"


@pytest.mark.parametrize("path", SHIPPED, ids=lambda path: path.stem)
def test_a_capital_is_as_high_as_the_file_says(path: Path) -> None:
    alpha = pygame.surfarray.array_alpha(pygame.font.Font(path, 400).render("H", True, (0, 0, 0)))
    rows = np.nonzero((alpha > 127).any(axis=0))[0]
    assert typeface(path).cap_height * 400 == pytest.approx(rows[-1] - rows[0] + 1, abs=1.5)


@pytest.mark.parametrize("path", SHIPPED, ids=lambda path: path.stem)
def test_a_line_is_as_wide_as_the_average_letter_makes_it(path: Path) -> None:
    text = "a person who professes beliefs and opinions that he or she does not hold"
    wide = pygame.font.Font(path, 100).size(text)[0]
    assert typeface(path).advance * 100 * len(text) == pytest.approx(wide, rel=0.06)


def test_a_family_has_three_faces_and_a_path_is_itself(tmp_path: Path) -> None:
    assert file("serif", "italic") == FOLDER / "NotoSerif-SemiCondensedItalic.ttf"
    assert file(f"{tmp_path}/House.otf", "bold") == tmp_path / "House.otf"
    with pytest.raises(ValueError, match="one of regular, bold, italic, not 'thin'"):
        file("sans", "thin")


def test_every_shipped_font_has_its_provenance_beside_it() -> None:
    said = (FOLDER / "README.md").read_text(encoding="utf-8")
    files = sorted(path.name for path in FOLDER.iterdir() if path.suffix in (".ttf", ".otf"))
    assert files == sorted(path.name for path in SHIPPED)
    assert len(FAMILIES) * len(FACES) == len(files)
    for name in files:
        digest = hashlib.sha256((FOLDER / name).read_bytes()).hexdigest()
        assert re.search(rf"`{re.escape(name)}`[^\n]*`{digest}`", said), name


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "House.ttf"


def test_a_font_has_the_letters_of_its_table_and_no_others(path: Path) -> None:
    path.write_bytes(only("abcé"))
    assert typeface(path).letters == set("abcé ")
    assert without_glyph(set("abcéd"), path) == ["d"]


def test_a_letter_whose_glyph_is_the_empty_box_is_lacking(path: Path) -> None:
    path.write_bytes(with_table(SANS, b"cmap", format_4([(0x61, 68), (0x62, 0), (0x20, 3)])))
    assert typeface(path).letters == set("a ")


def test_letters_beyond_the_first_65536_are_read(path: Path) -> None:
    glyphs = [(0x20, 3), (0x61, 68), (0x1F600, 100)]
    path.write_bytes(with_table(SANS, b"cmap", format_12(glyphs)))
    assert typeface(path).letters == set("a 😀")


def test_a_font_that_says_no_height_is_measured(path: Path) -> None:
    old = bytearray(table(SANS, b"OS/2"))
    struct.pack_into(">H", old, 0, 1)  # the first version has none
    path.write_bytes(with_table(SANS, b"OS/2", bytes(old[:78])))
    assert typeface(path).cap_height == pytest.approx(typeface(file("sans", "regular")).cap_height, abs=0.001)


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"", "must be a TrueType or OpenType font"),
        (b"wOF2" + bytes(100), "must be a TrueType or OpenType font"),
        (b"ttcf" + bytes(100), "must be a TrueType or OpenType font"),
        (b"<html>not found</html>", "must be a TrueType or OpenType font"),
        (SANS[:4], "damaged or lacks a table"),
        (SANS[:3000], "damaged or lacks a table"),
        (SANS[:-1000], "damaged or lacks a table"),
        (without_table(SANS, b"cmap"), "damaged or lacks a table"),
        (without_table(SANS, b"glyf"), "damaged or lacks a table"),
        (without_table(SANS, b"hmtx"), "damaged or lacks a table"),
        (with_table(SANS, b"head", bytes(54)), "damaged or lacks a table"),
        (with_table(SANS, b"cmap", format_12([])), "damaged or lacks a table"),
        (with_table(SANS, b"cmap", struct.pack(">HH", 0, 0)), "damaged or lacks a table"),
    ],
)
def test_what_is_no_whole_font_is_refused(path: Path, content: bytes, said: str) -> None:
    path.write_bytes(content)
    with pytest.raises(ValueError, match=said):
        typeface(path)


def test_a_font_that_is_not_there_is_told(path: Path) -> None:
    with pytest.raises(ValueError, match="cannot be read: No such file"):
        typeface(path)
