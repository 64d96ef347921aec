from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from kiosk.messages import SCENE_ID, Box, Face, Frame, Track
from kiosk.sections import CaptionConfig, TrackingConfig
from kiosk.vision.track import SceneWatch, Tracker

CONFIG = TrackingConfig(confirm_after=0.15, forget_after=1.5)
STEP = 0.1


def face(x: float, y: float = 300, height: float = 100, score: float = 0.9) -> Face:
    return Face(Box(x - 0.4 * height, y - height / 2, x + 0.4 * height, y + height / 2), score)


class Walk:
    """Faces on a virtual clock, ten looks a second."""

    def __init__(self, config: TrackingConfig = CONFIG) -> None:
        self.tracker = Tracker(config)
        self.now = 100.0

    def see(self, *faces: Face) -> tuple[Track, ...]:
        self.now += STEP
        return self.tracker.update(faces, self.now)

    def see_for(self, seconds: float, *faces: Face) -> tuple[Track, ...]:
        tracks: tuple[Track, ...] = ()
        for _ in range(round(seconds / STEP)):
            tracks = self.see(*faces)
        return tracks


def test_a_face_is_confirmed_only_after_a_moment() -> None:
    walk = Walk()
    assert walk.see(face(500)) == ()
    assert walk.see(face(500)) == ()
    (track,) = walk.see(face(500))
    assert track.id == 1
    assert track.box == face(500).box
    assert track.seen_at == walk.now


def test_a_phantom_of_one_look_never_becomes_a_visitor() -> None:
    walk = Walk()
    for _ in range(10):
        assert walk.see(face(500)) == ()
        assert walk.see_for(0.5) == ()


def test_a_track_outlives_a_blink_but_not_a_departure() -> None:
    walk = Walk()
    (before,) = walk.see_for(1, face(500))
    (blinking,) = walk.see_for(1.0)
    assert blinking.id == before.id
    assert blinking.seen_at == before.seen_at
    (after,) = walk.see_for(0.5, face(505))
    assert after.id == before.id
    assert walk.see_for(1.7) == ()


def test_who_comes_back_after_being_forgotten_is_somebody_new() -> None:
    walk = Walk()
    (before,) = walk.see_for(1, face(500))
    walk.see_for(3)
    (after,) = walk.see_for(1, face(500))
    assert after.id > before.id


def test_after_a_pause_of_the_camera_nobody_is_taken_for_who_was_there_before() -> None:
    walk = Walk()
    (before,) = walk.see_for(1, face(500))
    walk.now += 25
    tracks = walk.see_for(1, face(505))
    assert [track.id for track in tracks] == [before.id + 1]


def test_two_who_cross_keep_their_ids() -> None:
    walk = Walk()
    for step in range(60):
        tracks = walk.see(face(200 + 15 * step, 300, 100), face(1085 - 15 * step, 330, 130))
        if step == 10:
            start = {track.id: track.box.centre[0] for track in tracks}
    end = {track.id: track.box.centre[0] for track in tracks}
    assert set(start) == set(end) == {1, 2}
    assert all((start[id_] < 640) == (end[id_] > 640) for id_ in start)


def test_who_is_hidden_while_another_passes_in_front_keeps_her_id() -> None:
    walk = Walk()
    standing, passer = None, None
    for step in range(70):
        x = 100 + 18 * step
        near = face(x, 320, 160)
        hidden = abs(x - 640) < 110
        tracks = walk.see(near) if hidden else walk.see(near, face(640, 300, 100))
        if step == 5:
            passer, standing = sorted(track.id for track in tracks)
            if next(t for t in tracks if t.id == standing).box.height > 120:
                passer, standing = standing, passer
    heights = {track.id: track.box.height for track in tracks}
    assert heights == {standing: 100, passer: 160}


def test_the_order_of_the_faces_does_not_matter() -> None:
    walk = Walk()
    faces = [face(200), face(600), face(1000)]
    first = walk.see_for(1, *faces)
    second = walk.see_for(1, *reversed(faces))
    assert [(track.id, track.box) for track in first] == [(track.id, track.box) for track in second]


def test_a_second_face_does_not_steal_a_visitor() -> None:
    walk = Walk()
    (visitor,) = walk.see_for(1, face(500))
    tracks = walk.see_for(1, face(430), face(500))
    assert {track.box.centre[0]: track.id for track in tracks}[500] == visitor.id


def test_a_face_of_another_size_in_the_same_place_is_another_visitor() -> None:
    walk = Walk()
    (near,) = walk.see_for(1, face(500, height=300))
    tracks = walk.see_for(0.5, face(500, height=60))
    assert {track.id for track in tracks if track.seen_at == walk.now}.isdisjoint({near.id})


def test_lifetimes_are_seconds_whatever_the_frame_rate() -> None:
    for step in (0.02, 0.1, 0.3):
        tracker, now = Tracker(CONFIG), 0.0
        while now < 2:
            now += step
            tracks = tracker.update((face(500),), now)
        assert len(tracks) == 1
        gone = now
        while tracker.update((), now):
            now += 0.02
        assert 1.5 <= now - gone <= 1.55


@given(
    st.lists(
        st.lists(
            st.builds(face, st.floats(0, 1280), st.floats(0, 720), st.floats(20, 700), st.floats(0, 1)),
            max_size=6,
        ),
        max_size=40,
    )
)
def test_ids_are_unique_rise_and_are_never_used_again(looks: list[list[Face]]) -> None:
    walk = Walk()
    ended: set[int] = set()
    alive: set[int] = set()
    for faces in looks:
        ids = [track.id for track in walk.see(*faces)]
        assert ids == sorted(set(ids))
        assert ended.isdisjoint(ids)
        ended |= alive - set(ids)
        alive = set(ids)
        seen = [track.box for track in walk.tracker.update((), walk.now)]
        assert len(seen) == len(set(ids))


def frame(at: float) -> Frame:
    return Frame(np.zeros((72, 128, 3), np.uint8), 0, at)


def test_the_scene_is_looked_at_when_nobody_has_been_there_for_a_while() -> None:
    watch = SceneWatch(CaptionConfig(scene_after=2))
    visitor = (Track(1, Box(0, 0, 10, 10), 0.0),)
    assert watch.subjects(frame(0), visitor, 0) == visitor
    assert watch.subjects(frame(1), (), 1) == ()
    assert watch.subjects(frame(2.9), (), 2.9) == ()
    assert watch.subjects(frame(3), (), 3) == (Track(SCENE_ID, Box(0, 0, 128, 72), 3),)
    assert watch.subjects(frame(4), visitor, 4) == visitor
    assert watch.subjects(frame(5), (), 5) == ()


def test_the_scene_is_left_alone_where_the_venue_says_so() -> None:
    watch = SceneWatch(CaptionConfig(scene=False, scene_after=0))
    assert watch.subjects(frame(0), (), 0) == ()
    assert watch.subjects(frame(9), (), 9) == ()
