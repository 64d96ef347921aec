from __future__ import annotations

import numpy as np

from kiosk.messages import Frame, Scene
from kiosk.screen.keys import Shown
from kiosk.screen.painted import LASTS, Painted


def frame(index: int) -> Frame:
    return Frame(np.zeros((4, 4, 3), np.uint8), index, index / 30)


def test_a_frame_is_painted_once_and_again_with_another_scene_or_card() -> None:
    painted, nothing = Painted(), Shown()
    assert painted.is_new(frame(1), None, "card", nothing, 1.0)
    assert not painted.is_new(frame(1), None, "card", nothing, 1.01)
    assert painted.is_new(frame(1), Scene(1, 0.5, ()), "card", nothing, 1.02)
    assert painted.is_new(frame(2), Scene(1, 0.5, ()), "card", nothing, 1.03)
    assert painted.is_new(None, None, "card", nothing, 1.04)
    assert painted.is_new(None, None, "other", nothing, 1.05)
    assert not painted.is_new(None, None, "other", nothing, 1.06)


def test_what_stands_is_painted_again_once_a_second() -> None:
    painted = Painted()
    times = [second / 60 for second in range(600)]
    assert sum(painted.is_new(None, None, "card", Shown(), now) for now in times) == 10 / LASTS


def test_what_the_staff_see_is_painted_every_time_and_what_comes_after_it_too() -> None:
    painted = Painted()
    assert painted.is_new(frame(1), None, "card", Shown(listed=True), 1.0)
    assert painted.is_new(frame(1), None, "card", Shown(listed=True), 1.01)
    assert painted.is_new(frame(1), None, "card", Shown(), 1.02)
    assert not painted.is_new(frame(1), None, "card", Shown(), 1.03)
    painted.forget()
    assert painted.is_new(frame(1), None, "card", Shown(), 1.04)


def test_no_picture_is_held() -> None:
    painted = Painted()
    painted.is_new(frame(1), None, "card", Shown(), 1.0)
    assert "array" not in repr(vars(painted))
    assert "Frame" not in repr(vars(painted))
