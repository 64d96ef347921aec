from __future__ import annotations

from collections.abc import Callable

import pytest

from kiosk.config import Config
from kiosk.errors import InferenceError, ModelError
from kiosk.messages import SCENE_ID, Face, Frame
from kiosk.pipeline import IDLE_AFTER, Pipeline, Stages
from kiosk.polygon import corners
from kiosk.sections import (
    CaptionConfig,
    ClassificationConfig,
    DetectionConfig,
    DisplayConfig,
    InferenceConfig,
    ZoneConfig,
)
from kiosk.vision.classify import Classifier
from kiosk.vision.inference import Session
from kiosk.vision.known_answer import AGAIN_AFTER, AT_LATEST
from tests import networks
from tests.room import CLASSES, PICTURE, Detector, Room, entries, face

LEFT_HALF = ZoneConfig(corners("0,0 0.5,0 0.5,1 0,1"))
BUSY, IDLE = 1 / 15, 1 / 5


def test_the_stages_are_warm_before_the_first_visitor() -> None:
    room = Room()
    assert room.detector.warm
    assert room.network.runs >= 3


def test_a_classifier_whose_words_are_unknown_is_refused() -> None:
    network = networks.classifier([*CLASSES, "n09999999"])
    session = Session(network, "other", "cpu", InferenceConfig(gpu="off", threads=1))
    stages = Stages(entries(), Detector(), Classifier(session, ClassificationConfig()))
    with pytest.raises(ModelError, match=r"1 of its classes are not in the lexicon .*n09999999"):
        Pipeline(Config(), stages)


# Who is looked at.


def test_a_visitor_in_the_zone_gets_a_word() -> None:
    # A mirror: at the left of the screen is at the right of the camera's picture.
    scene = Room(zone=LEFT_HALF).watch(1, face(0.75))
    (caption,) = scene.captions
    assert caption.entry is not None
    assert caption.box == face(0.75).box
    assert scene.anybody
    assert [one.why for one in scene.seen] == [""]


def test_who_is_outside_the_zone_is_not_boxed_not_classified_and_not_counted() -> None:
    room = Room(zone=LEFT_HALF)
    runs = room.network.runs
    for _ in range(100):
        scene = room.look(face(0.25))
        assert scene.captions == ()
        assert not scene.anybody
        assert [one.why for one in scene.seen] == ["outside the zone"]
    assert room.network.runs == runs


def test_without_a_mirror_the_zone_is_on_the_other_side() -> None:
    room = Room(zone=LEFT_HALF, display=DisplayConfig(mirror=False))
    assert room.watch(1, face(0.75)).captions == ()
    assert len(room.watch(1, face(0.25)).captions) == 1


@pytest.mark.parametrize(("height", "why"), [(79, "too small"), (80, ""), (300, ""), (301, "too large")])
def test_who_stands_too_far_away_or_too_near_is_outside_too(height: float, why: str) -> None:
    room = Room(detection=DetectionConfig(min_face_height=80, max_face_height=300))
    scene = room.watch(5, face(0.5, height))
    assert [one.why for one in scene.seen] == [why]
    assert len(scene.captions) == (0 if why else 1)
    assert scene.anybody is not bool(why)


def test_of_two_only_the_one_inside_is_named() -> None:
    scene = Room(zone=LEFT_HALF).watch(1, face(0.25), face(0.75))
    assert [caption.box for caption in scene.captions] == [face(0.75).box]


def test_who_leaves_the_zone_is_no_visitor_any_more() -> None:
    room = Room(zone=LEFT_HALF)
    assert room.watch(1, face(0.55)).captions
    assert room.watch(0.7, face(0.45)).captions == ()
    assert not room.watch(1.5, face(0.45)).anybody


def test_an_edited_zone_is_in_force_at_the_next_look() -> None:
    room = Room()
    assert room.watch(1, face(0.25)).captions
    room.edit(zone=LEFT_HALF)
    assert room.look(face(0.25)).seen[0].why == "outside the zone"
    room.edit(zone=ZoneConfig(), detection=DetectionConfig(max_face_height=90))
    assert room.look(face(0.25)).seen[0].why == "too large"
    room.edit(detection=DetectionConfig())
    assert room.look(face(0.25)).seen[0].why == ""


def test_with_nobody_there_the_scene_is_labelled() -> None:
    (caption,) = Room(zone=LEFT_HALF).watch(3).captions
    assert caption.track_id == SCENE_ID


def test_the_scene_is_not_labelled_while_it_holds_somebody_who_stays_outside() -> None:
    room = Room(zone=LEFT_HALF)
    assert room.watch(3).captions
    runs = room.network.runs
    assert room.look(face(0.25)).captions == (), "at once"
    assert room.watch(10, face(0.25)).captions == ()
    # A detector misses a face now and then; she is still there.
    assert room.watch(CaptionConfig().scene_after - 0.2).captions == ()
    assert room.network.runs == runs
    (caption,) = room.watch(1).captions
    assert caption.track_id == SCENE_ID


def test_who_is_gone_is_forgotten_though_no_frames_come() -> None:
    room = Room()
    assert room.watch(1, face(0.5)).captions
    room.now += 10
    room.pipeline.rest(room.now)
    scene = room.look(face(0.5))
    assert not scene.anybody


# A still picture.


def still(room: Room, *faces: Face) -> tuple[int, bool]:
    """How many faces there are, and whether the whole picture was looked at instead."""
    room.detector.faces = faces
    found = room.pipeline.look_at_still(Frame(PICTURE, 0, 0.0))
    assert len(found.guesses) == max(1, len(found.faces))
    return len(found.faces), found.scene.captions[0].track_id == SCENE_ID


def test_in_a_still_picture_the_limits_of_height_hold_and_the_zone_does_not() -> None:
    room = Room(zone=LEFT_HALF, detection=DetectionConfig(min_face_height=80, max_face_height=300))
    assert still(room, face(0.25), face(0.75)) == (2, False)
    assert still(room, face(0.25, 50), face(0.75, 400)) == (0, True)
    assert still(room) == (0, True)


# How often.


def test_in_an_empty_room_it_looks_less_often_and_at_once_more_often_for_a_visitor() -> None:
    room = Room()
    room.look()
    assert room.pipeline.pause == pytest.approx(IDLE)
    room.look(face(0.5))
    assert room.pipeline.pause == pytest.approx(BUSY)
    room.watch(IDLE_AFTER - 0.15)
    assert room.pipeline.pause == pytest.approx(BUSY)
    room.watch(0.3)
    assert room.pipeline.pause == pytest.approx(IDLE)
    room.look(face(0.5))
    assert room.pipeline.pause == pytest.approx(BUSY)


def test_nobody_outside_the_zone_keeps_it_awake() -> None:
    room = Room(zone=LEFT_HALF)
    room.watch(5, face(0.25), face(0.75, 20))
    assert room.pipeline.pause == pytest.approx(IDLE)


def test_both_rates_come_from_the_configuration_and_the_greater_never_holds_for_an_empty_room() -> None:
    room = Room()
    room.edit(detection=DetectionConfig(max_rate=30, idle_rate=2))
    room.watch(4)
    assert room.pipeline.pause == pytest.approx(1 / 2)
    room.look(face(0.5))
    assert room.pipeline.pause == pytest.approx(1 / 30)
    room.edit(detection=DetectionConfig(max_rate=4, idle_rate=10))
    room.watch(4)
    assert room.pipeline.pause == pytest.approx(1 / 4)


# The known answer, once an hour.

Wait = Callable[[Room, float], None]


def empty(room: Room, until: float) -> None:
    room.now = until - 0.1
    room.look()


def visited(room: Room, until: float) -> None:
    room.now = until - 0.1
    room.look(face(0.5))


def closed(room: Room, until: float) -> None:
    room.now = until
    room.pipeline.rest(until)


@pytest.mark.parametrize(
    ("wait", "seconds"), [(empty, AGAIN_AFTER), (closed, AGAIN_AFTER), (visited, AT_LATEST)]
)
def test_a_network_that_went_wrong_ends_the_piece_within_the_hour_or_two(wait: Wait, seconds: float) -> None:
    room = Room(captions=CaptionConfig(scene=False))
    wait(room, start := room.now + 1)
    wait(room, start + seconds - 1)
    room.network.spoilt = True
    wait(room, start + seconds - 0.5)
    with pytest.raises(InferenceError, match="tiny: to the test picture it must answer"):
        wait(room, start + seconds)


def test_a_visitor_is_not_kept_waiting_for_it_but_who_comes_after_her_may_be() -> None:
    room = Room(captions=CaptionConfig(scene=False))
    visited(room, start := room.now + 1)
    visited(room, start + AGAIN_AFTER + 100)
    room.network.spoilt = True
    with pytest.raises(InferenceError):
        empty(room, start + AGAIN_AFTER + 200)


def test_it_is_asked_once_an_hour_and_no_more() -> None:
    room = Room(captions=CaptionConfig(scene=False))
    empty(room, start := room.now + 1)
    runs = room.network.runs
    for minute in range(1, 5 * 60 + 1):
        empty(room, start + 60 * minute)
    assert room.network.runs == runs + 5
