from __future__ import annotations

import pytest

from kiosk.screen.keys import LIFETIME, Key, Keys, Shown
from kiosk.sections import StaffConfig

NOTHING = Shown()


def tap(keys: Keys, key: Key, now: float) -> None:
    keys.press(key, now)
    keys.release(key, now + 0.1)


@pytest.mark.parametrize(("key", "shown"), [(Key.LIST, Shown(listed=True)), (Key.AIM, Shown(aim=True))])
def test_what_a_key_shows_goes_by_the_same_key(key: Key, shown: Shown) -> None:
    keys = Keys(StaffConfig())
    assert keys.shown(100) == NOTHING
    tap(keys, key, 100)
    assert keys.shown(101) == shown
    tap(keys, key, 105)
    assert keys.shown(106) == NOTHING
    tap(keys, key, 107)
    assert keys.shown(108) == shown


@pytest.mark.parametrize("key", [Key.LIST, Key.AIM])
def test_what_somebody_forgets_goes_by_itself_after_a_minute(key: Key) -> None:
    keys = Keys(StaffConfig())
    tap(keys, key, 100)
    assert keys.shown(100 + LIFETIME - 0.1) != NOTHING
    assert keys.shown(100 + LIFETIME) == NOTHING
    assert LIFETIME == 60


def test_the_two_do_not_know_each_other() -> None:
    keys = Keys(StaffConfig())
    tap(keys, Key.LIST, 100)
    tap(keys, Key.AIM, 101)
    assert keys.shown(102) == Shown(listed=True, aim=True)
    tap(keys, Key.LIST, 103)
    assert keys.shown(104) == Shown(aim=True)


def test_escape_leaves_when_it_is_held_for_long_enough_and_one_sees_how_long() -> None:
    keys = Keys(StaffConfig(leave_after=2))
    assert not keys.leaves(9)
    keys.press(Key.LEAVE, 10)
    assert [keys.shown(at).leaving for at in (10, 10.5, 11, 12, 13)] == [0, 0.25, 0.5, 1, 1]
    assert [keys.leaves(at) for at in (10, 11.9, 12)] == [False, False, True]


def test_escape_that_is_let_go_too_soon_begins_anew() -> None:
    keys = Keys(StaffConfig(leave_after=2))
    keys.press(Key.LEAVE, 10)
    keys.release(Key.LEAVE, 11.9)
    assert not keys.leaves(20)
    assert keys.shown(20) == NOTHING
    keys.press(Key.LEAVE, 21)
    assert not keys.leaves(22.9)


def test_escape_that_repeats_itself_while_it_is_held_was_pressed_once() -> None:
    keys = Keys(StaffConfig(leave_after=2))
    for tenth in range(21):
        keys.press(Key.LEAVE, 10 + tenth / 10)
    assert keys.leaves(12)


def test_escape_that_was_held_for_long_enough_counts_when_it_is_let_go_before_anybody_asked() -> None:
    keys = Keys(StaffConfig(leave_after=2))
    keys.press(Key.LEAVE, 10)
    keys.release(Key.LEAVE, 12.5)
    assert keys.leaves(13)


def test_escape_leaves_at_once_where_it_need_not_be_held() -> None:
    keys = Keys(StaffConfig(leave_after=0))
    tap(keys, Key.LEAVE, 10)
    assert keys.leaves(11)


def test_keys_that_are_switched_off_do_nothing_not_even_escape() -> None:
    keys = Keys(StaffConfig(keys=False, leave_after=0))
    for key in Key:
        keys.press(key, 10)
    assert keys.shown(11) == NOTHING
    assert not keys.leaves(100)
    for key in Key:
        keys.release(key, 100)
    assert not keys.leaves(200)


def test_keys_that_are_switched_off_by_an_edit_take_along_what_they_showed() -> None:
    keys = Keys(StaffConfig())
    for key in Key:
        keys.press(key, 10)
    keys.change(StaffConfig(keys=False))
    assert keys.shown(11) == NOTHING
    assert not keys.leaves(100)


def test_an_edit_of_something_else_leaves_what_is_shown() -> None:
    keys = Keys(StaffConfig())
    tap(keys, Key.AIM, 10)
    keys.change(StaffConfig(leave_after=5))
    assert keys.shown(11) == Shown(aim=True)
    keys.press(Key.LEAVE, 12)
    assert not keys.leaves(16)
    assert keys.leaves(17)


def test_the_aiming_view_comes_by_itself_after_a_start_and_only_then() -> None:
    keys = Keys(StaffConfig(aim=10))
    keys.started(100)
    assert keys.shown(109.9) == Shown(aim=True)
    for later in range(101, 200):
        keys.started(later)
    assert keys.shown(110) == NOTHING
    assert Keys(StaffConfig(aim=0)).shown(0.0) == NOTHING


def test_the_aiming_view_of_a_start_goes_by_its_key_and_comes_without_keys_too() -> None:
    keys = Keys(StaffConfig(aim=10))
    keys.started(100)
    tap(keys, Key.AIM, 101)
    assert keys.shown(102) == NOTHING
    without = Keys(StaffConfig(aim=10, keys=False))
    without.started(100)
    without.change(StaffConfig(aim=10, keys=False, leave_after=3))
    assert without.shown(102) == Shown(aim=True)
