from __future__ import annotations

import pytest

from kiosk.errors import DisplayError
from kiosk.screen.flips import Flips


def test_a_display_that_is_slow_for_a_while_recovers() -> None:
    flips, now = Flips(), 0.0
    for _ in range(100):
        for seconds in (*[2.5] * 11, 0.016):
            now += seconds
            flips.took(seconds, now)


def test_a_display_that_stays_slow_is_given_up_after_half_a_minute() -> None:
    flips, now = Flips(), 100.0
    with pytest.raises(DisplayError, match="needs 3 seconds for a picture") as given_up:
        for _ in range(1000):
            now += 3
            flips.took(3, now)
    assert now == 130
    assert given_up.value.exit_code == 69


def test_one_flip_that_takes_a_minute_is_enough() -> None:
    with pytest.raises(DisplayError):
        Flips().took(60, 200)
