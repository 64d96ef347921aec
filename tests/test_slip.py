from __future__ import annotations

from itertools import pairwise

import numpy as np
import pygame
import pytest

from kiosk.messages import Definition, Entry
from kiosk.screen import texts
from kiosk.screen.attract import Passing
from kiosk.screen.piece import Piece
from kiosk.screen.sheets import Printer
from kiosk.screen.slip import MARGIN, Slips, paragraphs
from kiosk.screen.theme import theme
from kiosk.screen.view import Rect
from kiosk.sections import DisplayConfig

ENGLISH, GERMAN = texts.load("en, de")
ORDERLY = Entry(
    "n10384392",
    ("orderly", "hospital attendant"),
    "a male hospital attendant who has general duties that do not involve the medical treatment of patients",
    ("attendant", "person"),
    None,
    None,
    None,
)
SWOT = Entry(
    "n10684630",
    ("swot", "grind"),
    "an insignificant student",
    ("learner", "person"),
    Definition("grind", "A student that studies hard; a dig; a wonk.", True, "Webster 1913"),
    "AS. grindan",
    "Webster 1913",
)
SIZES = [(1920, 1080), (1080, 1920), (1280, 720), (3840, 2160)]


@pytest.fixture(autouse=True)
def fonts() -> None:
    pygame.font.init()


def free(size_wh: tuple[int, int]) -> Rect:
    return Rect(0, 0, size_wh[0], size_wh[1] * 9 // 10)


def slips(size_wh: tuple[int, int], **display) -> Slips:
    return Slips(theme(DisplayConfig(**display), size_wh), free(size_wh), size_wh, Printer())


def rect(piece: Piece) -> Rect:
    return Rect(piece.x, piece.y, *piece.sheet.get_size())


def entry(label: str, gloss: str) -> Entry:
    return Entry("n00000001", (label,), gloss, ("person",), None, None, None)


def said(found: Entry) -> list[str]:
    looks = theme(DisplayConfig(), (1920, 1080))
    return ["".join(span.text for span in line.spans) for line in paragraphs(found, looks, ENGLISH)]


def test_a_slip_says_headword_part_of_speech_gloss_and_webster_and_not_how_sure_a_network_is() -> None:
    head, gloss, webster, origin = (line.replace("\u00a0", " ") for line in said(SWOT))
    assert head.split() == ["swot", "n."]
    assert gloss.endswith("an insignificant student")
    assert "Webster 1913 on “grind”" in webster
    assert webster.endswith("A student that studies hard; a dig; a wonk.")
    assert origin.endswith("[AS. grindan]")
    assert len(said(ORDERLY)) == 2


@pytest.mark.parametrize("size_wh", SIZES)
@pytest.mark.parametrize("look", [{}, {"theme": "dictionary"}, {"text_scale": 3}])
def test_a_slip_lies_within_the_free_part_of_the_screen_wherever_it_is_put(
    size_wh: tuple[int, int], look: dict
) -> None:
    made, room = slips(size_wh, **look), free(size_wh).grown(-round(MARGIN * min(size_wh)))
    words = (ORDERLY, SWOT, entry("x", "y"), entry("Secretary of Health and Human Services", "a " * 90))
    for number, found in enumerate(4 * words):
        assert room.contains(rect(made.of(Passing(found, number, 1.0), ENGLISH)))


@pytest.mark.parametrize("size_wh", SIZES)
def test_a_headword_is_not_broken_however_long_it_is(size_wh: tuple[int, int]) -> None:
    made = slips(size_wh)
    for label in ("antidisestablishmentarianist", "Dutch-elm-disease-specialist extraordinaire", "I"):
        block, _ = made.set(entry(label, "somebody"), ENGLISH)
        lines = [run.text for run in block.runs]
        for word in label.split():
            assert any(word in line for line in lines), lines
        last = next(run for run in block.runs if label.split()[-1] in run.text)
        assert any("n." in run.text and run.baseline == last.baseline for run in block.runs), (
            "n. is not left alone"
        )


@pytest.mark.parametrize("size_wh", [(1920, 1080), (1080, 1920)])
def test_it_is_read_from_five_metres_on_a_screen_of_fifty_five_inches(size_wh: tuple[int, int]) -> None:
    # 16 minutes of arc are the least that a capital should be seen under: letters.py says why.
    made = slips(size_wh)
    _, looks = made.set(ORDERLY, ENGLISH)
    capital_mm = 0.714 * looks.body.size * 55 * 25.4 / np.hypot(*size_wh)
    assert capital_mm >= 5000 * np.tan(np.radians(16 / 60))
    assert looks.headword.size > 1.8 * looks.body.size


def test_it_is_in_the_themes_colours_with_the_accent_above() -> None:
    for name, accent, ground in (
        ("roulette", (0x39, 0xFF, 0x14, 255), (0x0C, 0x0C, 0x0C, 204)),
        ("dictionary", (0xB3, 0x26, 0x1E, 255), (0xF4, 0xEC, 0xD8, 255)),
    ):
        sheet = slips((1920, 1080), theme=name).of(Passing(ORDERLY, 0, 1.0), ENGLISH).sheet
        assert tuple(sheet.get_at((0, 0))) == accent
        assert tuple(sheet.get_at((2, sheet.get_height() - 2))) == ground


def test_a_slip_is_made_once_and_in_the_language_in_which_its_word_came() -> None:
    made = slips((1280, 720))
    first = made.of(Passing(SWOT, 0, 0.0), ENGLISH)
    assert made.of(Passing(SWOT, 0, 0.5), GERMAN) is first
    assert made.of(Passing(SWOT, 1, 0.0), GERMAN) is not first


def test_two_words_in_a_row_do_not_stand_in_the_same_place() -> None:
    made = slips((1920, 1080))
    places = [rect(made.of(Passing(ORDERLY, number, 1.0), ENGLISH)) for number in range(20)]
    for before, after in pairwise(places):
        assert max(abs(after.x - before.x), abs(after.y - before.y)) > 100
