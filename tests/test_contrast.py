from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kiosk.screen.contrast import BLACK, WHITE, Colour, contrast, ink_on, least_contrast, over, rgb

colours = st.tuples(*[st.integers(0, 255)] * 3)
opacities = st.floats(0, 1)


def test_a_colour_is_read_as_it_is_written() -> None:
    assert rgb("#39ff14") == (0x39, 0xFF, 0x14)


def test_contrast_is_as_wcag_has_it() -> None:
    assert contrast(BLACK, WHITE) == pytest.approx(21)
    assert contrast(WHITE, BLACK) == pytest.approx(21)
    assert contrast((119, 119, 119), WHITE) == pytest.approx(4.48, abs=0.01)
    assert contrast((5, 5, 5), (5, 5, 5)) == 1


@given(colours)
def test_black_or_white_reads_on_every_colour(colour: Colour) -> None:
    assert ink_on(colour) in (BLACK, WHITE)
    assert contrast(ink_on(colour), colour) >= 4.5


@given(colours, colours, opacities, colours)
def test_over_no_picture_is_the_contrast_less_than_the_least(
    text: Colour, ground: Colour, opacity: float, picture: Colour
) -> None:
    found = contrast(text, over(ground, picture, opacity))
    assert found >= least_contrast(text, ground, opacity) - 0.01


def test_an_opaque_ground_has_one_contrast() -> None:
    assert least_contrast((34, 28, 21), (244, 236, 216), 1) == pytest.approx(
        contrast((34, 28, 21), (244, 236, 216))
    )


def test_text_that_reads_on_black_and_on_white_vanishes_on_some_grey() -> None:
    grey = (118, 118, 118)
    assert min(contrast(grey, BLACK), contrast(grey, WHITE)) >= 4.5
    assert least_contrast(grey, BLACK, 0) == 1
