from __future__ import annotations

from dataclasses import replace

import pytest

from kiosk.capture import Condition
from kiosk.errors import CameraError, InferenceError
from kiosk.health import Signs, State, check, healthy, state

WELL = Signs(Condition.OPEN, reading_for=0.03, looking_for=0.1, warm=True, frame_age=0.03, look_age=0.2)


def test_new_frames_and_new_looks_are_what_live_means() -> None:
    assert state(WELL) is State.LIVE


@pytest.mark.parametrize(
    ("condition", "wanted"),
    [
        (Condition.OPENING, State.OPENING),
        (Condition.REOPENING, State.REOPENING),
        (Condition.RESTING, State.RESTING),
        (Condition.CLOSED, State.CLOSED),
    ],
)
@pytest.mark.parametrize("age", [None, 0.0, 1000.0])
@pytest.mark.parametrize("warm", [True, False])
def test_where_the_source_gives_no_pictures_its_condition_is_the_state(
    condition: Condition, wanted: State, age: float | None, warm: bool
) -> None:
    assert state(replace(WELL, condition=condition, frame_age=age, look_age=age, warm=warm)) is wanted


@pytest.mark.parametrize(
    ("age", "wanted"), [(None, State.STALE), (0.0, State.LIVE), (3.0, State.LIVE), (3.01, State.STALE)]
)
def test_a_frame_is_new_for_three_seconds(age: float | None, wanted: State) -> None:
    assert state(replace(WELL, frame_age=age)) is wanted


@pytest.mark.parametrize(("age", "wanted"), [(0.0, State.LIVE), (5.0, State.LIVE), (5.01, State.STALE)])
def test_a_look_is_new_for_five_seconds(age: float, wanted: State) -> None:
    assert state(replace(WELL, look_age=age)) is wanted


@pytest.mark.parametrize("changed", [{"warm": False}, {"warm": False, "look_age": 9.0}])
def test_until_the_networks_are_loaded_it_warms_up(changed: dict[str, object]) -> None:
    assert state(replace(WELL, **changed)) is State.WARMING


def test_before_the_first_look_of_a_new_picture_it_is_live() -> None:
    assert state(replace(WELL, look_age=None)) is State.LIVE


def test_while_the_networks_load_an_old_frame_is_still_an_old_frame() -> None:
    assert state(replace(WELL, warm=False, look_age=None, frame_age=3.1)) is State.STALE


@pytest.mark.parametrize("condition", list(Condition))
def test_a_step_may_take_fifteen_seconds_in_any_condition(condition: Condition) -> None:
    check(replace(WELL, condition=condition, reading_for=15.0, looking_for=15.0))
    with pytest.raises(CameraError, match=r"^stuck: a read has not returned for 15 seconds$") as camera:
        check(replace(WELL, condition=condition, reading_for=15.1))
    with pytest.raises(InferenceError, match=r"^stuck: a network does not answer$") as network:
        check(replace(WELL, condition=condition, looking_for=15.1))
    assert (camera.value.exit_code, network.value.exit_code) == (75, 70)


def test_networks_may_take_ten_minutes_to_load_and_then_no_more_than_any_step() -> None:
    check(replace(WELL, warm=False, looking_for=600.0))
    with pytest.raises(InferenceError):
        check(replace(WELL, warm=False, looking_for=600.1))


def test_where_both_hang_the_camera_is_named() -> None:
    with pytest.raises(CameraError):
        check(replace(WELL, reading_for=20.0, looking_for=20.0))


def test_all_is_well_but_where_something_has_stopped() -> None:
    assert {one for one in State if not healthy(one)} == {State.STALE, State.FAULT}


def test_every_state_has_words_of_its_own() -> None:
    assert len({one.value for one in State}) == len(State) == 8
