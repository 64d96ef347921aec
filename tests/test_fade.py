from __future__ import annotations

from collections.abc import Iterable
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kiosk.screen.fade import ENTER, LEAVE, STAY, Faded, Fades, smoothstep

FRAME = 1 / 60
FLASH = 0.1
"""A smaller change of relative luminance is no part of a flash (WCAG 2.2, "general flash")."""


class Wall:
    """Fades on a virtual clock, sixty pictures a second. A key is drawn by itself in capitals."""

    def __init__(self, *, at_once: bool = False) -> None:
        self.fades: Fades[str, str] = Fades(at_once=at_once)
        self.now = 50.0

    def show(self, keys: str = "") -> tuple[Faded[str, str], ...]:
        self.now += FRAME
        return self.fades.update({key: key.upper() for key in keys}, self.now)

    def opacity(self, keys: str = "", of: str = "a") -> float:
        return next((faded.opacity for faded in self.show(keys) if faded.key == of), 0.0)

    def opacities(self, keys: str, seconds: float, of: str = "a") -> list[float]:
        return [self.opacity(keys, of) for _ in range(round(seconds / FRAME))]


def turns(opacities: Iterable[float]) -> list[int]:
    """The pictures in which a change of FLASH or more, opposed to the one before, is complete."""
    found: list[int] = []
    extreme, rising = 0.0, False
    for at, opacity in enumerate(opacities):
        if (opacity > extreme) is rising:
            extreme = opacity
        elif abs(opacity - extreme) >= FLASH:
            found.append(at)
            extreme, rising = opacity, not rising
    return found


def flashes(opacities: list[float]) -> int:
    """The most pairs of opposing changes in any one second."""
    found, second = turns(opacities), round(1 / FRAME)
    return max((sum(first <= turn <= first + second for turn in found) // 2 for first in found), default=0)


def empty(now: float) -> dict[str, object]:
    """All that is in one that has had nothing to fade."""
    fades: Fades[str, str] = Fades()
    fades.update({}, now)
    return vars(fades)


def test_it_is_known_what_a_flash_is() -> None:
    assert flashes([0.0, 1.0, 1.0, 1.0]) == 0
    assert flashes([0.0, 0.5, 1.0, 0.5, 0.0]) == 1
    assert flashes([0.0, 1.0, 0.95, 1.0, 0.95, 1.0, 0.95]) == 0
    assert flashes([0.0, 1.0, 0.85, 1.0, 0.85]) == 2
    assert flashes([0.0, 1.0] * 4) == 4 - 1
    assert flashes([0.0, 1.0, *[0.0] * 100] * 4) == 1


def test_easing_starts_and_ends_at_rest() -> None:
    assert [smoothstep(x) for x in (-1, 0, 0.5, 1, 2)] == [0, 0, 0.5, 1, 1]
    assert smoothstep(0.01) < 0.001
    assert 1 - smoothstep(0.99) < 0.001


def test_what_appears_fades_in_from_nothing() -> None:
    wall = Wall()
    opacities = wall.opacities("a", ENTER + 2 * FRAME)
    assert opacities[0] == 0
    assert opacities == sorted(opacities)
    assert 0.3 < opacities[round(ENTER / 2 / FRAME)] < 0.7
    assert opacities[-1] == 1
    assert not wall.opacities("a", 0.1)[0] < 1
    assert ENTER < 0.3


def test_what_disappears_fades_out_and_is_gone() -> None:
    wall = Wall()
    wall.opacities("a", 1)
    opacities = wall.opacities("", LEAVE)
    assert opacities == sorted(opacities, reverse=True)
    assert 0.8 < opacities[2] < 1
    assert 0.3 < opacities[len(opacities) // 2] < 0.7
    wall.show()
    assert wall.show() == ()
    assert LEAVE < 0.3


def test_what_leaves_is_drawn_as_it_was_last_and_under_what_is_there() -> None:
    wall = Wall()
    wall.opacities("abc", 1)
    wall.fades.update({"a": "A", "b": "B moved", "c": "C"}, wall.now)
    faded = wall.show("ca")
    assert [(one.key, one.value, one.present) for one in faded] == [
        ("b", "B moved", False),
        ("c", "C", True),
        ("a", "A", True),
    ]
    assert faded[0].opacity < faded[1].opacity == 1


def test_other_words_cross_with_the_old() -> None:
    wall = Wall()
    wall.opacities("a", 1)
    crossing = [(wall.opacity("b", of="a"), wall.opacity("b", of="b")) for _ in range(3)]
    assert all(old > 0 for old, _ in crossing)
    assert all(new > 0 for _, new in crossing[1:])
    wall.opacities("b", LEAVE)
    assert [one.key for one in wall.show("b")] == ["b"]


def test_what_comes_back_turns_round_from_where_it_stands() -> None:
    wall = Wall()
    wall.opacities("a", 1)
    down = wall.opacities("", LEAVE / 2)
    assert 0.3 < down[-1] < 0.7
    up = wall.opacities("a", ENTER)
    assert down[-1] < up[0] < down[-1] + 2 * FRAME / ENTER
    assert up == sorted(up)
    assert up[-1] == 1


def test_what_has_come_stays_for_a_moment() -> None:
    wall = Wall()
    wall.show("a")
    opacities = wall.opacities("", STAY + LEAVE + 2 * FRAME)
    stays = opacities[: round(STAY / FRAME) - 1]
    assert stays == sorted(stays)
    assert stays[-1] == 1
    assert opacities[-1] == 0
    assert wall.show() == ()


@pytest.mark.parametrize("period", [0.05, 0.1, 0.2, 0.25, 0.3, 0.4, 0.5])
def test_nothing_flashes_however_often_it_comes_and_goes(period: float) -> None:
    wall, hard = Wall(), Wall(at_once=True)
    pictures = [int(at * FRAME / period) % 2 == 0 for at in range(round(3 / FRAME))]
    soft = [wall.opacity("a" if there else "") for there in pictures]
    assert flashes(soft) <= 3
    assert max(soft) == 1
    if period < 0.15:
        assert flashes([hard.opacity("a" if there else "") for there in pictures]) > 3


@settings(max_examples=60, deadline=None)
@given(st.lists(st.tuples(st.booleans(), st.integers(1, 30)), max_size=30))
def test_nothing_flashes_or_jumps_whatever_comes_and_goes(stretches: list[tuple[bool, int]]) -> None:
    wall = Wall()
    opacities = [0.0]
    for there, pictures in stretches:
        opacities += [wall.opacity("a" if there else "") for _ in range(pictures)]
    assert flashes(opacities) <= 3
    steepest = 1.5 * FRAME / min(ENTER, LEAVE)
    assert all(abs(b - a) <= steepest + 1e-9 for a, b in pairwise(opacities))


def test_when_the_picture_is_gone_nothing_leaves() -> None:
    wall = Wall()
    wall.opacities("ab", 1)
    assert len(wall.show("a")) == 2
    wall.fades.clear()
    assert wall.show() == ()
    assert wall.opacities("a", 0.05)[0] == 0
    wall.fades.clear()
    assert vars(wall.fades) == empty(wall.now)


def test_what_is_gone_is_forgotten() -> None:
    wall = Wall()
    wall.opacities("a", 1)
    wall.opacities("", LEAVE + 2 * FRAME)
    assert vars(wall.fades) == empty(wall.now)


def test_it_is_settled_when_nothing_moves() -> None:
    wall = Wall()
    assert wall.fades.settled
    wall.show("a")
    assert not wall.fades.settled
    wall.opacities("a", ENTER + FRAME)
    assert wall.fades.settled
    # Still opaque, but only to stay its while.
    assert wall.opacity() == 1
    assert not wall.fades.settled
    wall.opacities("a", 0.5)
    assert wall.fades.settled
    wall.show()
    assert not wall.fades.settled
    wall.opacities("", 0.5)
    assert wall.fades.settled


def test_a_still_picture_shows_everything_at_once() -> None:
    wall = Wall(at_once=True)
    assert wall.show("ab") == (Faded("a", "A", 1.0, True), Faded("b", "B", 1.0, True))
    assert wall.fades.settled
    assert wall.show("b") == (Faded("b", "B", 1.0, True),)


def test_after_a_pause_or_a_clock_that_went_back_it_goes_on() -> None:
    wall = Wall()
    wall.opacities("a", 0.1)
    wall.now += 3600
    assert wall.opacity("a") == 1
    wall.now -= 10
    assert wall.opacity("a") == 1
    wall.now += 3600
    assert wall.opacity("") == 0
