from __future__ import annotations

import math
from collections import Counter

import numpy as np
import pytest

from kiosk.errors import InferenceError, ModelError
from kiosk.messages import Box, Frame, Track
from kiosk.sections import ClassificationConfig, InferenceConfig, TrackingConfig
from kiosk.vision.classify import GPU_BATCHES, LOOKS_A_STEP, REFRESHES_A_SECOND, Classifier, crop
from kiosk.vision.inference import Array, Session
from kiosk.vision.known_answer import KnownAnswer, picture
from tests import networks
from tests.room import PICTURE, Room, face

CPU = InferenceConfig(gpu="off", threads=1)
CLASSES = ["n00000001", "n00000002", "n00000003"]  # answer to red, green and blue
CONFIG = ClassificationConfig(margin=2, refresh_hz=2, smoothing=1)


def session(**kwargs: object) -> Session:
    return Session(networks.classifier(CLASSES, **kwargs), "tiny", "cpu", CPU)  # type: ignore[arg-type]


def frame(colour_bgr: tuple[int, int, int], at: float = 0.0, size_wh: tuple[int, int] = (640, 360)) -> Frame:
    image = np.full((size_wh[1], size_wh[0], 3), colour_bgr, np.uint8)
    return Frame(image, 0, at)


def track(id_: int, at: float, box: Box | None = None) -> Track:
    return Track(id_, box or Box(300, 150, 340, 200), at)


RED, GREEN = (0, 0, 255), (0, 255, 0)


def test_the_network_sees_rgb() -> None:
    guesses = Classifier(session(), CONFIG)(frame(RED), [track(1, 0)])[1]
    assert guesses[0].synset == CLASSES[0]
    assert guesses[0].probability == pytest.approx(math.e / (math.e + 2), abs=1e-5)
    assert [guess.probability for guess in guesses] == sorted(
        (guess.probability for guess in guesses), reverse=True
    )


def test_a_new_visitor_is_classified_at_once_and_then_a_few_times_a_second() -> None:
    classifier = Classifier(session(), CONFIG)
    looked = [at / 10 for at in range(21) if classifier(frame(RED, at / 10), [track(1, at / 10)])]
    assert looked == pytest.approx([0.0, 0.5, 1.0, 1.5, 2.0])


def test_who_is_out_of_sight_is_not_classified() -> None:
    assert Classifier(session(), CONFIG)(frame(RED, 1.0), [track(1, 0.5)]) == {}


def test_probabilities_are_smoothed_over_the_looks() -> None:
    classifier = Classifier(session(), CONFIG)
    classifier(frame(RED, 0), [track(1, 0)])
    smoothed = {g.synset: g.probability for g in classifier(frame(GREEN, 0.5), [track(1, 0.5)])[1]}
    sharp, flat = math.e / (math.e + 2), 1 / (math.e + 2)
    weight = 1 - math.exp(-0.5)
    assert smoothed[CLASSES[0]] == pytest.approx(sharp + weight * (flat - sharp), abs=1e-5)
    assert smoothed[CLASSES[1]] == pytest.approx(flat + weight * (sharp - flat), abs=1e-5)


def test_probabilities_die_with_the_track() -> None:
    classifier = Classifier(session(), CONFIG)
    classifier(frame(RED, 0), [track(1, 0)])
    classifier(frame(RED, 0.1), [])
    guesses = classifier(frame(GREEN, 0.2), [track(1, 0.2)])[1]
    assert guesses[0].probability == pytest.approx(math.e / (math.e + 2), abs=1e-5)


def looks(
    classifier: Classifier, visitors: int, seconds: float, start: float = 0, rate: float = 15
) -> list[list[int]]:
    """Who was looked at, at each step; all of them stand there all the time."""
    steps = []
    for step in range(round(seconds * rate)):
        at = start + step / rate
        steps.append(list(classifier(frame(RED, at), [track(id_, at) for id_ in range(1, visitors + 1)])))
    return steps


def test_of_a_group_on_a_cpu_who_came_first_goes_first_and_nobody_is_left_out() -> None:
    steps = looks(Classifier(session(), CONFIG), visitors=9, seconds=0.2)
    assert steps == [[1, 2, 3, 4], [5, 6, 7, 8], [9]]


def test_eight_who_come_at_once_all_have_their_words_within_half_a_second() -> None:
    # Confirmed a quarter of a second after they were first seen, at the latest one step later.
    left = 0.5 - TrackingConfig().confirm_after - 1 / 15
    steps = looks(Classifier(session(), CONFIG), visitors=8, seconds=left)
    assert {id_ for step in steps for id_ in step} == set(range(1, 9))


def test_a_newcomer_does_not_wait_for_those_who_are_known() -> None:
    classifier = Classifier(session(), CONFIG)
    looks(classifier, visitors=16, seconds=4)
    assert 17 in classifier(frame(RED, 4), [track(id_, 4) for id_ in range(1, 18)])


def test_those_who_are_known_are_looked_at_again_however_many_come() -> None:
    classifier = Classifier(session(), CONFIG)
    looked: Counter[int] = Counter()
    for step in range(60):
        at = step / 15
        looked.update(list(classifier(frame(RED, at), [track(id_, at) for id_ in range(1, 4 + step)])))
    assert min(looked.values()) >= 1
    assert sum(looked.values()) - len(looked) >= 0.6 * 4 * REFRESHES_A_SECOND


@pytest.mark.parametrize("visitors", [4, 5, 16, 40])
def test_a_crowd_on_a_cpu_takes_turns_and_costs_no_more_than_three(visitors: int) -> None:
    classifier = Classifier(session(), CONFIG)
    looks(classifier, visitors, seconds=4)
    settled = looks(classifier, visitors, seconds=8, start=4)
    assert max(len(step) for step in settled) <= 1
    assert 7 * REFRESHES_A_SECOND <= sum(len(step) for step in settled) <= 8 * REFRESHES_A_SECOND + 1
    times = Counter(id_ for step in settled for id_ in step)
    assert len(times) == visitors
    assert max(times.values()) - min(times.values()) <= 1


def test_each_of_three_is_looked_at_as_often_as_one_alone() -> None:
    alone = Counter(id_ for step in looks(Classifier(session(), CONFIG), 1, seconds=8) for id_ in step)
    together = Counter(id_ for step in looks(Classifier(session(), CONFIG), 3, seconds=8) for id_ in step)
    assert min(together.values()) >= alone[1] - 1 >= 14


def test_one_alone_may_be_looked_at_more_often_than_a_crowd_is() -> None:
    eager = ClassificationConfig(refresh_hz=30)
    assert all(looks(Classifier(session(), eager), visitors=1, seconds=1))


def test_a_crowd_on_a_gpu_is_looked_at_at_once() -> None:
    steps = looks(Classifier(Recorder(), CONFIG), visitors=16, seconds=1.1, rate=10)
    assert [len(step) for step in steps] == [16, 0, 0, 0, 0, 16, 0, 0, 0, 0, 16]


def test_in_a_picture_by_itself_nobody_waits() -> None:
    classifier = Classifier(session(), CONFIG)
    for _ in range(2):
        classifier.forget()
        assert len(classifier(frame(RED), [track(id_, 0) for id_ in range(1, 17)])) == 16
    assert len(classifier(frame(RED, 1), [track(id_, 1) for id_ in range(17, 33)])) == LOOKS_A_STEP


def test_in_a_still_picture_of_a_crowd_everybody_is_looked_at() -> None:
    room = Room()
    room.detector.faces = tuple(face((at + 0.5) / 12, 60) for at in range(12))
    for _ in range(2):
        assert len(room.pipeline.look_at_still(Frame(PICTURE, 0, 0.0)).guesses) == 12


def test_a_look_after_a_long_wait_weighs_more() -> None:
    weights = []
    for wait in (0.5, 2.0, 20.0):
        classifier = Classifier(session(), CONFIG)
        classifier(frame(RED, 0), [track(1, 0)])
        found = {g.synset: g.probability for g in classifier(frame(GREEN, wait), [track(1, wait)])[1]}
        sharp, flat = math.e / (math.e + 2), 1 / (math.e + 2)
        weights.append((found[CLASSES[1]] - flat) / (sharp - flat))
    assert weights == pytest.approx([1 - math.exp(-0.5), 1 - math.exp(-2), 1], abs=1e-4)


class Recorder(Session):
    """A session that remembers which shapes reached it, on a pretended GPU."""

    def __init__(self) -> None:
        super().__init__(networks.classifier(CLASSES), "tiny", "cpu", CPU)
        self.device = "cuda"
        self.shapes: list[tuple[int, ...]] = []

    def run_unchecked(self, array: Array) -> tuple[Array, ...]:
        self.shapes.append(array.shape)
        return tuple(self._session.run(None, {self.input.name: array}))


@pytest.mark.parametrize(
    ("visitors", "batches"), [(1, [1]), (2, [2]), (3, [4]), (7, [8]), (8, [8]), (11, [8, 4])]
)
def test_on_a_gpu_only_warm_shapes_reach_the_network(visitors: int, batches: list[int]) -> None:
    recorder = Recorder()
    classifier = Classifier(recorder, CONFIG)
    classifier.warm_up()
    assert {shape[0] for shape in recorder.shapes} == set(GPU_BATCHES)
    recorder.shapes.clear()
    guesses = classifier(frame(RED), [track(id_, 0) for id_ in range(1, visitors + 1)])
    assert [shape[0] for shape in recorder.shapes] == batches
    assert len(guesses) == visitors
    assert all(best[0].synset == CLASSES[0] for best in guesses.values())


class Ageing(Session):
    """A session that answers well until it is `spoilt`."""

    def __init__(self) -> None:
        super().__init__(networks.classifier(CLASSES), "tiny", "cpu", CPU)
        self.spoilt: float | None = None
        self.runs = 0

    def run_unchecked(self, array: Array) -> tuple[Array, ...]:
        self.runs += 1
        answer = super().run_unchecked(array)
        if self.spoilt is None:
            return answer
        spoilt = np.zeros_like(answer[0])
        spoilt[:, 2] = self.spoilt
        return (spoilt,)


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
def test_one_number_that_is_none_names_nobody(value: float) -> None:
    ageing = Ageing()
    classifier = Classifier(ageing, CONFIG)
    assert classifier(frame(RED), [track(1, 0)])
    ageing.spoilt = value
    with pytest.raises(InferenceError, match=r"tiny: .* not finite"):
        classifier(frame(RED, 1.0), [track(1, 1.0)])


def test_a_network_that_is_broken_from_the_start_is_not_taken() -> None:
    with pytest.raises(InferenceError, match="not finite"):
        Classifier(session(nan=True), CONFIG)


def test_a_classifier_that_answers_as_it_must_is_let_be() -> None:
    ageing = Ageing()
    classifier = Classifier(ageing, CONFIG)
    before = ageing.runs
    classifier.check()
    assert ageing.runs == before + 1


def test_a_classifier_that_goes_on_confidently_and_wrongly_is_found_out() -> None:
    ageing = Ageing()
    classifier = Classifier(ageing, CONFIG)
    ageing.spoilt = 1.0
    with pytest.raises(InferenceError, match="tiny: to the test picture it must answer"):
        classifier.check()


def test_what_it_must_answer_is_what_the_manifest_says_where_it_says_it() -> None:
    answer = KnownAnswer.of(CLASSES, Classifier(session(), CONFIG).answer_to(picture()))
    Classifier(session(), CONFIG, answer).check()
    other = KnownAnswer(answer.synset, answer.probability / 2)
    with pytest.raises(InferenceError, match="it must answer"):
        Classifier(session(), CONFIG, other)


@pytest.mark.parametrize(
    ("kwargs", "problem"),
    [
        ({"side": 128}, "input must be"),
        ({"outputs": 4}, r"output must be \(N, 3\)"),
        ({"metadata": {}}, "classes"),
        ({"metadata": {"classes": "n00000001 n00000001 n00000002"}}, "classes"),
    ],
)
def test_a_network_that_breaks_the_contract_is_refused_in_one_line(
    kwargs: dict[str, object], problem: str
) -> None:
    with pytest.raises(ModelError, match=f"^tiny: [^\n]*{problem}[^\n]*$"):
        Classifier(session(**kwargs), CONFIG)


def coloured(size_wh: tuple[int, int]) -> np.ndarray:
    """Blue tells the column, green the row."""
    width, height = size_wh
    image = np.zeros((height, width, 3), np.uint8)
    image[:, :, 0] = np.linspace(0, 255, width)[None, :]
    image[:, :, 1] = np.linspace(0, 255, height)[:, None]
    return image


@pytest.mark.parametrize(
    ("face", "square"),
    [
        (Box(300, 200, 340, 300), (220, 175, 420, 375)),  # in the open: 2 x 100 about (320, 275)
        (Box(0, 0, 40, 100), (0, 0, 200, 200)),  # in a corner: moved inside
        (Box(600, 400, 640, 480), (480, 320, 640, 480)),  # in the other
        (Box(100, 0, 400, 480), (10, 0, 490, 480)),  # larger than the picture allows
    ],
)
def test_the_crop_is_a_square_inside_the_picture(face: Box, square: tuple[int, int, int, int]) -> None:
    image = coloured((640, 480))
    seen = crop(image, face, 2)
    assert seen.shape == (224, 224, 3)
    x0, y0, x1, y1 = square
    corners = seen[[2, 2, -3, -3], [2, -3, 2, -3]].astype(int)  # RGB
    wanted = [(0, image[y, x, 1], image[y, x, 0]) for y in (y0, y1 - 1) for x in (x0, x1 - 1)]
    np.testing.assert_allclose(corners, wanted, atol=5)


@pytest.mark.parametrize("size_wh", [(1, 1), (3, 900), (900, 3)])
def test_any_picture_gives_a_crop(size_wh: tuple[int, int]) -> None:
    assert crop(coloured(size_wh), Box(0, 0, *size_wh), 2.4).shape == (224, 224, 3)
