from __future__ import annotations

import math
from collections.abc import Callable
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kiosk.messages import SCENE_ID, Box, Caption, Reason, Scene
from kiosk.screen.motion import BLEND, HORIZON, Motion

FRAME = 1 / 30
LATE = 0.1
"""Seconds from a frame to what is said of it."""
RATES = (5, 8, 15)
STROLL = 1.5
"""Face heights a second."""

Path = Callable[[float], float]
"""Where a face is, in face heights, by the second."""


def face(x: float, y: float = 500, height: float = 200) -> Box:
    return Box(x - 0.4 * height, y - height / 2, x + 0.4 * height, y + height / 2)


def caption(box: Box | None, id_: int = 1) -> Caption:
    return Caption(id_, box, None, 0.5, Reason((("", "a slur"),)))


def scene(at: float, *boxes: Box) -> Scene:
    return Scene(0, at, tuple(caption(box, id_) for id_, box in enumerate(boxes, start=1)), anybody=True)


def only(captions: tuple[Caption, ...]) -> Box:
    (one,) = captions
    assert one.box is not None
    return one.box


def edges(box: Box) -> tuple[float, float, float, float]:
    return box.x0, box.y0, box.x1, box.y1


class Film:
    """A face that moves, what the detector says of it, and what is drawn; all in face heights."""

    def __init__(
        self,
        path: Path,
        rate: float,
        *,
        seconds: float = 4.0,
        noise: float = 0.0,
        phase: float = 0.0,
        seed: int = 0,
        pixels: float = 200,
    ) -> None:
        """`noise` is the deviation of each edge, `phase` which part of an interval the first look waits."""
        draw = np.random.default_rng(seed)
        looks = []
        for at in np.arange(phase / rate, seconds, 1 / rate):
            true = np.array(edges(face(path(at) * pixels, 2 * pixels, pixels)))
            # Never quite the same: no detector says the same twice.
            looks.append(scene(at, Box(*(true + draw.normal(0, max(noise, 1e-6) * pixels, 4)))))
        motion = Motion()
        rows = []
        for at in np.arange(0, seconds, FRAME):
            said = [look for look in looks if look.captured_at + LATE <= at]
            if said:
                motion.see(said[-1])
                drawn, looked = only(motion.captions(at)), only(said[-1].captions)
                rows.append((at, path(at), *(edge / pixels for edge in edges(drawn) + edges(looked))))
        table = np.array(rows)
        self.at, self.true = table[:, 0], table[:, 1]
        self.drawn, self.looked = table[:, 2:6], table[:, 6:10]
        """(frames, 4): x0, y0, x1, y1."""

    @property
    def ahead(self) -> np.ndarray:
        """By how much the drawn box's centre is further than the face."""
        return self.drawn[:, [0, 2]].mean(axis=1) - self.true

    @property
    def ahead_unmoved(self) -> np.ndarray:
        """The same of a box that stays where the last look saw it."""
        return self.looked[:, [0, 2]].mean(axis=1) - self.true


def walk(at: float) -> float:
    return 1 + STROLL * at


def walk_and_halt(braking: float, speed: float = STROLL) -> Path:
    """Halts at 2 seconds, evenly within `braking` seconds."""

    def path(at: float) -> float:
        braked = min(max(0.0, at - 2), braking)
        slower = braked - braked * braked / (2 * braking) if braking else 0.0
        return 1 + speed * (min(at, 2) + slower)

    return path


@pytest.mark.parametrize(("rate", "most"), [(5, 1 / 3), (10, 1 / 4), (15, 1 / 5)])
def test_the_box_of_somebody_who_stands_trembles_far_less_than_the_detector(rate: int, most: float) -> None:
    noise, variances = 0.02, []
    for seed in range(6):
        film = Film(lambda at: 3.0, rate, seconds=10, noise=noise, seed=seed)
        settled = film.drawn[film.at > 1.5]
        variances.append(settled.var(axis=0))
        assert np.abs(np.diff(settled, axis=0)).max() < 0.6 * noise
        assert film.looked.std(axis=0).mean() > 0.8 * noise
    assert math.sqrt(np.mean(variances)) < most * noise


@pytest.mark.parametrize(("rate", "most", "unmoved"), [(5, 0.165, 0.3), (8, 0.1, 0.2), (15, 0.08, 0.17)])
@pytest.mark.parametrize("noise", [0.0, 0.02])
def test_the_box_goes_with_somebody_who_walks(rate: int, most: float, unmoved: float, noise: float) -> None:
    films = [Film(walk, rate, noise=noise, phase=at / 4, seed=at) for at in range(4)]
    moving = [film.at > film.at[0] + 0.5 for film in films]
    assert np.mean([np.abs(film.ahead[then]).mean() for film, then in zip(films, moving, strict=True)]) < most
    assert (
        np.mean([film.ahead_unmoved[then].mean() for film, then in zip(films, moving, strict=True)])
        < -unmoved
    )


@pytest.mark.parametrize("rate", RATES)
def test_the_box_hardly_overruns_somebody_who_halts_in_a_seventh_of_a_second(rate: int) -> None:
    films = [Film(walk_and_halt(0.15), rate, phase=at / 8) for at in range(8)]
    assert max(film.ahead.max() for film in films) < 0.2
    assert max(np.abs(film.ahead[film.at > 2.15 + 0.4]).max() for film in films) < 0.06


@pytest.mark.parametrize(("rate", "gone_after"), [(5, 0.5), (8, 0.4), (15, 0.4)])
def test_the_box_of_somebody_who_halts_dead_comes_back_soon(rate: int, gone_after: float) -> None:
    films = [Film(walk_and_halt(0.0), rate, noise=0.01, phase=at / 12, seed=at) for at in range(12)]
    over = [film.ahead[film.at > 2].max() for film in films]
    assert np.mean(over) < 0.2
    assert max(over) < 0.25
    assert max(np.abs(film.ahead[film.at >= 2 + gone_after]).max() for film in films) < 0.06


@pytest.mark.parametrize("rate", RATES)
def test_somebody_quick_is_kept_up_with_too(rate: int) -> None:
    film = Film(lambda at: 1 + 4.5 * at, rate)
    moving = film.at > film.at[0] + 0.5
    assert np.abs(film.ahead[moving]).mean() < np.abs(film.ahead_unmoved[moving]).mean() / 3


@pytest.mark.parametrize(("rate", "most"), [(5, 0.07), (8, 0.04), (15, 0.02)])
def test_the_box_of_somebody_who_walks_moves_evenly(rate: int, most: float) -> None:
    film = Film(walk, rate)
    steps = np.diff(film.drawn[film.at > film.at[0] + 0.5][:, 0])
    assert np.abs(steps - STROLL * FRAME).max() < most
    assert steps.min() > -0.005
    jumps = np.diff(film.looked[film.at > film.at[0] + 0.5][:, 0])
    assert jumps.max() > 1.4 * steps.max()


def test_a_look_moves_nothing_at_once() -> None:
    motion = Motion()
    for look in range(20):
        motion.see(scene(look / 8, face(300 + 40 * look + 15 * (-1) ** look, height=200 + 8 * (-1) ** look)))
        for at in np.arange(look / 8 + LATE, (look + 1) / 8 + LATE, FRAME):
            before = only(motion.captions(at))
        # The next look, on a frame that is on the screen already.
        motion.see(scene((look + 1) / 8, face(340 + 40 * look - 15 * (-1) ** look)))
        assert edges(only(motion.captions(at))) == pytest.approx(edges(before), abs=1e-6)


def test_what_a_look_corrected_is_gone_over_to_soon() -> None:
    motion, never_drawn = Motion(), Motion()
    drawn_at = 0.0
    for at, x in ((1.0, 500), (1.1, 515), (1.2, 560)):
        motion.captions(drawn_at := at + 0.05)
        for each in (motion, never_drawn):
            each.see(scene(at, face(x)))
    on_the_way, there = (
        only(motion.captions(drawn_at + BLEND / 2)),
        only(never_drawn.captions(drawn_at + BLEND / 2)),
    )
    assert there.x0 - on_the_way.x0 > 5
    at = drawn_at + BLEND
    assert edges(only(motion.captions(at))) == pytest.approx(edges(only(never_drawn.captions(at))))


def test_the_resolution_of_the_camera_changes_nothing() -> None:
    few, many = (Film(walk_and_halt(0.3), 8, noise=0.02, seed=4, pixels=pixels) for pixels in (60.0, 960.0))
    assert np.allclose(few.drawn, many.drawn, atol=1e-6)


def test_the_first_look_is_drawn_as_it_is() -> None:
    motion = Motion()
    motion.see(scene(7.0, face(500, 300, 123)))
    for at in (7.0, 7.1, 9.0):
        assert edges(only(motion.captions(at))) == pytest.approx(edges(face(500, 300, 123)))


def test_only_the_boxes_change_and_never_the_order() -> None:
    motion = Motion()
    for look in range(4):
        here = 500 + 60 * look
        captions = (
            caption(face(here), 7),
            caption(None, SCENE_ID),
            caption(face(1600 - here), 2),
            caption(face(900), 5),
        )
        motion.see(Scene(0, look / 8, captions))
        drawn = motion.captions(look / 8 + LATE)
    assert [one.track_id for one in drawn] == [7, SCENE_ID, 2, 5]
    assert drawn[1] is captions[1]
    assert all(str(one.withheld) == "a slur" for one in drawn)
    right, left, still = (one.box.centre[0] for one in drawn if one.box)
    assert right > 680
    assert left < 920
    assert still == pytest.approx(900)


def test_seeing_a_scene_twice_is_seeing_it_once() -> None:
    once, often = Motion(), Motion()
    for look in range(6):
        newest = scene(look / 8, face(500 + 40 * look))
        once.see(newest)
        for again in (newest, newest, scene(look / 8, face(500 + 40 * look))):
            often.see(again)
        assert once.captions(look / 8 + LATE) == often.captions(look / 8 + LATE)


def walking(looks: int = 8) -> tuple[Motion, float]:
    """Somebody who has walked to the right at 2 face heights a second, and when she was seen last."""
    motion = Motion()
    for look in range(looks):
        motion.see(scene(look / 10, face(500 + 40 * look)))
        motion.captions(look / 10 + LATE)
    return motion, (looks - 1) / 10


def test_a_box_never_runs_away_when_the_looks_cease() -> None:
    motion, seen_at = walking()
    last = 500 + 40 * 7
    drawn = [only(motion.captions(seen_at + after)).centre[0] for after in np.arange(LATE, 3, FRAME)]
    assert all(later >= sooner - 1e-9 for sooner, later in pairwise(drawn))
    assert last + 0.1 * 400 < drawn[-1] < last + HORIZON * 400
    assert drawn[-1] == pytest.approx(only(motion.captions(seen_at + HORIZON)).centre[0])


def test_a_slow_drift_is_not_predicted() -> None:
    motion = Motion()
    for look in range(30):
        motion.see(scene(look / 10, face(500 + 2 * look)))
        motion.captions(look / 10 + LATE)
    boxes = {only(motion.captions(2.9 + after)) for after in (0.25, 0.3, 0.5, 1.0)}
    assert len(boxes) == 1


def test_who_is_suddenly_elsewhere_is_found_anew() -> None:
    motion, seen_at = walking()
    expected = only(motion.captions(seen_at + 0.1)).centre[0]
    there = face(expected + 2 * 200)
    motion.see(scene(seen_at + 0.1, there))
    for after in (LATE, 0.15, 0.3):
        assert edges(only(motion.captions(seen_at + 0.1 + after))) == pytest.approx(edges(there))


def test_who_is_a_little_off_is_followed() -> None:
    motion, seen_at = walking()
    expected = only(motion.captions(seen_at + 0.1)).centre[0]
    motion.see(scene(seen_at + 0.1, face(expected + 200)))
    assert only(motion.captions(seen_at + 0.11)).centre[0] < expected + 0.3 * 200
    assert only(motion.captions(seen_at + 0.1 + BLEND)).centre[0] > expected + 0.7 * 200


def test_in_a_frame_older_than_the_look_the_box_is_where_the_look_saw_it() -> None:
    motion = Motion()
    for look in range(8):
        motion.see(scene(look / 10, face(500 + 40 * look)))
    assert only(motion.captions(0.6)).centre[0] == pytest.approx(780, abs=0.03 * 200)
    assert only(motion.captions(0.6)) == only(motion.captions(0.7))


def test_a_face_that_was_missed_goes_on_and_does_not_come_back() -> None:
    motion, seen_at = walking()
    before = only(motion.captions(seen_at + LATE)).centre[0]
    missed = face(500 + 40 * 7)
    for look in (1, 2, 3):
        motion.see(scene(seen_at + look / 10, missed))
        now = only(motion.captions(seen_at + look / 10 + LATE)).centre[0]
        assert now >= before
        before = now
    motion.see(scene(seen_at + 0.4, face(500 + 40 * 11)))
    assert only(motion.captions(seen_at + 0.4 + BLEND)).centre[0] > 500 + 40 * 11


def test_in_a_picture_that_stands_still_the_box_comes_back_to_the_face() -> None:
    motion, seen_at = walking()
    for look in range(1, 30):
        motion.see(scene(seen_at + look / 10, face(780)))
        drawn = only(motion.captions(seen_at + look / 10 + LATE))
        if look > 12:
            assert abs(drawn.centre[0] - 780) < 0.03 * 200


def test_whoever_is_not_in_the_newest_scene_is_forgotten() -> None:
    motion, seen_at = walking()
    motion.see(scene(seen_at + 0.1))
    assert motion.captions(seen_at + 0.2) == ()
    motion.see(scene(seen_at + 0.2, face(800)))
    assert edges(only(motion.captions(seen_at + 0.4))) == pytest.approx(edges(face(800)))


def test_without_a_scene_everybody_is_forgotten() -> None:
    motion, seen_at = walking()
    motion.see(None)
    assert motion.captions(seen_at + 0.1) == ()
    assert vars(motion) == vars(Motion())


def test_after_a_clock_that_went_back_it_starts_anew() -> None:
    motion, _ = walking()
    motion.see(scene(0.05, face(600)))
    assert edges(only(motion.captions(0.15))) == pytest.approx(edges(face(600)))


looks = st.tuples(
    st.floats(0, 3),
    st.floats(-2000, 6000),
    st.floats(-2000, 6000),
    st.floats(0, 3000),
    st.floats(0, 3000),
    st.floats(0, 0.5),
)


@settings(max_examples=60, deadline=None)
@given(st.lists(looks, min_size=1, max_size=12))
def test_whatever_is_seen_a_box_is_a_box_near_it(seen: list[tuple[float, ...]]) -> None:
    motion, now = Motion(), 100.0
    for passed, x, y, width, height, after in seen:
        now += passed
        motion.see(scene(now, Box(x, y, x + width, y + height)))
        drawn = only(motion.captions(now + after))
        assert all(math.isfinite(edge) for edge in edges(drawn))
        assert drawn.width > 0
        assert drawn.height > 0
