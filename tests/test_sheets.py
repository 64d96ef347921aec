from __future__ import annotations

import dataclasses
from pathlib import Path

import numpy as np
import pygame
import pytest

from kiosk.errors import ModelError
from kiosk.messages import Box, Caption, Definition, Entry, Image, Reason
from kiosk.screen.sheets import CaptionSheets, Printer
from kiosk.screen.texts import ENGLISH
from kiosk.screen.theme import Style, Theme, theme
from kiosk.screen.typeset import Block, Paragraph, Span
from kiosk.sections import DisplayConfig
from tests.fontfile import only

BLACK = (0, 0, 0)
LOOK = theme(DisplayConfig(), (1920, 1080))
HUNT = Entry("n1", ("HUNT",), "HE HUNTS", ("person",), None, None, None)
LONG = Entry(
    "n2",
    ("hypocrite", "dissembler", "pretender"),
    "a person who professes beliefs and opinions that he or she does not hold in order to conceal his or her",
    ("deceiver", "person"),
    Definition(
        "hypocrite", "One who plays a part; a false pretender to virtue or piety.", True, "Webster 1913"
    ),
    "F., fr. L. hypocrita, Gr. ὑποκριτής",
    "Webster 1913",
)


@pytest.fixture(autouse=True)
def fonts() -> None:
    pygame.font.init()


def sheets(entry: Entry | None, look: Theme = LOOK, width: int = 1920) -> CaptionSheets:
    caption = Caption(1, Box(0, 0, 9, 9), entry, 0.5, Reason((("", "an insult"),) if entry is None else ()))
    return CaptionSheets(caption, 2833, width, look, ENGLISH, Printer())


def printed(text: str, style: Style) -> tuple[Block, Image]:
    """Set on white paper."""
    printer = Printer()
    block = printer.set([Paragraph((Span(text, style),))], 2000)
    sheet = printer.sheet(block, (max(1, block.width), 100), 0, 0, (255, 255, 255, 255))
    return block, pygame.surfarray.array3d(sheet).transpose(1, 0, 2)


def ink(sheet: pygame.Surface, ground: tuple[int, int, int]) -> tuple[int, int, int, int]:
    """Left, top, right and bottom of what has not the colour of the ground; the last two exclusive."""
    pixels = pygame.surfarray.array3d(sheet).transpose(1, 0, 2)
    far = np.abs(pixels.astype(int) - ground).sum(axis=2) > 200
    rows, columns = np.nonzero(far)
    return int(columns.min()), int(rows.min()), int(columns.max()) + 1, int(rows.max()) + 1


@pytest.mark.parametrize("scale", [0.6, 1, 2])
@pytest.mark.parametrize("name", ["roulette", "dictionary"])
def test_the_capitals_of_a_plate_stand_in_its_middle(name: str, scale: float) -> None:
    look = theme(DisplayConfig(theme=name, text_scale=scale), (1920, 1080))
    plate = sheets(HUNT, look).plate
    left, top, right, bottom = ink(plate, look.accent)
    width, height = plate.get_size()
    assert top == pytest.approx(height - bottom, abs=2)
    assert left == pytest.approx(width - right, abs=0.15 * look.plate.size)
    assert 0.25 * look.plate.size < left < 0.6 * look.plate.size


def test_an_entry_has_a_line_in_the_accent_along_its_top() -> None:
    entry = sheets(LONG).entry(0)
    assert LOOK.rule == 3
    for y, expected in ((0, True), (2, True), (3, False)):
        assert (entry.get_at((5, y))[:3] == LOOK.accent) is expected
    bare = sheets(LONG, dataclasses.replace(LOOK, rule=0))
    assert bare.entry(0).get_at((5, 0))[:3] == LOOK.backdrop
    assert bare.entries_wh[0][1] == sheets(LONG).entries_wh[0][1] - 3


def test_an_entry_is_as_opaque_as_its_theme_says() -> None:
    assert sheets(LONG).entry(0).get_at((1, 10))[3] == 204
    paper = theme(DisplayConfig(theme="dictionary"), (1920, 1080))
    assert sheets(LONG, paper).entry(0).get_at((1, 10)) == (*paper.backdrop, 255)


def test_the_room_round_an_entry_is_the_same_above_below_and_at_its_left() -> None:
    look = dataclasses.replace(LOOK, rule=0)
    entry = sheets(None, look).entry(0)  # no letter of its last line hangs low: "here: an insult."
    left, top, _, bottom = ink(entry, look.backdrop)
    assert left == pytest.approx(top, abs=4)
    assert entry.get_height() - bottom == pytest.approx(top, abs=8)


def test_a_short_entry_is_no_wider_than_it_needs() -> None:
    long, short = sheets(LONG).entries_wh[0], sheets(HUNT).entries_wh[0]
    assert short[0] < 0.8 * long[0]
    assert long[0] > LOOK.entry_widths[0]


def test_there_are_as_many_sizes_as_versions_and_widths_and_each_sheet_has_its_own() -> None:
    made = sheets(LONG)
    assert len(made.entries_wh) == 3 * len(LOOK.entry_widths)
    for version, size_wh in enumerate(made.entries_wh):
        assert made.entry(version).get_size() == size_wh
    assert made.plate.get_size() == made.plate_wh


def test_a_label_that_is_wider_than_the_screen_is_wrapped() -> None:
    entry = dataclasses.replace(HUNT, lemmas=("a label of very many words that goes on and on and on",))
    made = sheets(entry, width=300)
    assert made.plate_wh[0] <= 300
    assert made.plate_wh[1] > 3 * LOOK.plate.size


def test_letters_that_a_font_of_ones_own_has_not_come_from_a_shipped_one(tmp_path: Path) -> None:
    house = tmp_path / "House.ttf"
    house.write_bytes(only("abc"))
    own = Style("regular", 40, BLACK, str(house), "sans")
    plain = dataclasses.replace(own, family="sans")
    # The file is the sans with fewer letters: put together of both, a text looks as if set in one.
    for text in ("abc", "ab ὑποκριτής c", "ʃabə"):
        block, pixels = printed(text, own)
        expected, plain_pixels = printed(text, plain)
        assert block.width == pytest.approx(expected.width, abs=3)
        assert (pixels[:, :10] == plain_pixels[:, :10]).all()
        assert (pixels < 128).sum() == pytest.approx((plain_pixels < 128).sum(), rel=0.03)
    serif, _ = printed("ὑποκριτής", dataclasses.replace(own, fallback="serif"))
    assert serif.width != printed("ὑποκριτής", own)[0].width


def test_a_letter_that_no_font_has_is_left_out_and_is_no_box() -> None:
    style = LOOK.body
    block, pixels = printed("a\u05d0b😀", style)
    plain, plain_pixels = printed("ab", style)
    assert block.width == pytest.approx(plain.width, abs=1)
    assert (pixels[:, : plain.width] == plain_pixels[:, : block.width]).all()


@pytest.mark.parametrize("content", [None, b"no font", only("abc")[:5000]])
def test_a_font_that_cannot_be_read_is_told_in_a_line(tmp_path: Path, content: bytes | None) -> None:
    house = tmp_path / "House.ttf"
    if content is not None:
        house.write_bytes(content)
    with pytest.raises(ModelError, match=r"House\.ttf: the font "):
        Printer().set([Paragraph((Span("a", Style("bold", 10, BLACK, str(house))),))], 100)


def test_a_text_without_a_letter_makes_an_empty_sheet_and_no_error() -> None:
    entry = dataclasses.replace(HUNT, lemmas=("\u05d0",))
    assert sheets(entry).plate.get_width() > 0
    assert sheets(dataclasses.replace(HUNT, lemmas=(" ",))).plate.get_width() > 0
