from __future__ import annotations

import hashlib

import numpy as np
import pytest

from kiosk.errors import InferenceError, ModelError
from kiosk.sections import ClassificationConfig, InferenceConfig
from kiosk.vision.classify import Classifier
from kiosk.vision.known_answer import KnownAnswer, is_due, picture


def test_the_picture_is_the_same_everywhere() -> None:
    drawn = picture()
    assert (drawn.shape, drawn.dtype) == ((224, 224, 3), np.uint8)
    assert (
        hashlib.sha256(drawn.tobytes()).hexdigest()
        == "9c4f72e78f2d9964e9244fdae44439d709151f92d64b3046e768f00b1ab96dd3"
    )


def test_an_answer_is_read_as_it_is_written() -> None:
    answer = KnownAnswer("n10609198", 0.0312)
    assert KnownAnswer.parse(str(answer)) == answer


@pytest.mark.parametrize("text", ["n10609198", "0.5", "n10609198 often", "a b c"])
def test_an_answer_that_is_none_is_one_line(text: str) -> None:
    with pytest.raises(ModelError, match=r"^known_answer must be[^\n]*$"):
        KnownAnswer.parse(text)


CLASSES = ("n1", "n2", "n3", "n4", "n5")


@pytest.mark.parametrize(
    ("answer", "good"),
    [
        ([0.10, 0.09, 0.0, 0.0, 0.0], True),
        ([0.11, 0.12, 0.0, 0.0, 0.0], True),  # neighbours changed places
        ([0.13, 0.09, 0.0, 0.0, 0.0], False),  # too sure
        ([0.07, 0.05, 0.0, 0.0, 0.0], False),  # not sure enough
        ([0.10, 0.2, 0.2, 0.2, 0.0], False),  # three others before it
        ([0.0, 0.0, 0.0, 0.0, 1.0], False),
    ],
)
def test_small_differences_of_arithmetic_are_no_fault_but_another_network_is(
    answer: list[float], good: bool
) -> None:
    probabilities = np.array(answer, np.float32)
    if good:
        KnownAnswer("n1", 0.10).check(CLASSES, probabilities, "net")
    else:
        with pytest.raises(InferenceError, match=r"net: to the test picture it must answer n1 0\.100000"):
            KnownAnswer("n1", 0.10).check(CLASSES, probabilities, "net")


def test_it_is_asked_for_once_an_hour_and_a_visitor_may_put_it_off_for_another() -> None:
    assert [is_due(since, anybody=False) for since in (0, 3599, 3600)] == [False, False, True]
    assert [is_due(since, anybody=True) for since in (0, 3600, 7199, 7200)] == [False, False, False, True]


def test_the_shipped_classifier_answers_as_the_manifest_says() -> None:
    Classifier.open(ClassificationConfig(), InferenceConfig(gpu="off"))
