"""Two networks' answers to the same pictures in, how well they agree out."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import onnxruntime
from tqdm import tqdm

from kiosk.sections import ClassificationConfig, InferenceConfig
from kiosk.vision.classify import Classifier
from kiosk.vision.inference import Session

TOLERANCE = 1e-4
TOP1_MIN = 0.9

Images = npt.NDArray[np.uint8]
Probabilities = npt.NDArray[np.float32]


@dataclass(frozen=True)
class Agreement:
    """Of one network with another that is right by definition."""

    pictures: int
    top1: float
    """Share of the pictures with the same first answer, 0 to 1."""
    difference: float
    """The largest between two probabilities."""

    def __str__(self) -> str:
        return (
            f"the same first answer on {self.top1:.1%} of {self.pictures} pictures, "
            f"largest difference of a probability {self.difference:.1e}"
        )

    @property
    def is_exact(self) -> bool:
        """The same first answers, and probabilities that differ by rounding alone."""
        return self.top1 == 1 and self.difference < TOLERANCE


def compare(found: Probabilities, wanted: Probabilities) -> Agreement:
    """Both (N, C)."""
    same = found.argmax(axis=1) == wanted.argmax(axis=1)
    return Agreement(len(wanted), float(same.mean()), float(np.abs(found - wanted).max()))


def answers(model: bytes, name: str, images: Images, device: str = "cpu") -> Probabilities:
    """(N, 224, 224, 3) uint8 RGB to (N, C), by the kiosk's own session, after its own checks of the contract.

    Raises ModelError or InferenceError, also where an answer is not finite.
    """
    session = Session(model, name, device, InferenceConfig())
    Classifier(session, ClassificationConfig())
    return _each(lambda image: session.run(image)[0], images, name)


def exact_answers(model: bytes, name: str, images: Images) -> Probabilities:
    """The same of an int8 network, as a CPU with VNNI gives them: without it onnxruntime's sums saturate."""
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 4
    options.intra_op_num_threads = max(1, (os.cpu_count() or 2) - 1)
    options.add_session_config_entry("session.x64quantprecision", "1")
    Classifier(Session(model, name, "cpu", InferenceConfig()), ClassificationConfig())
    session = onnxruntime.InferenceSession(model, options, providers=["CPUExecutionProvider"])
    return _each(lambda image: session.run(None, {"images": image})[0], images, name)


def _each(run: Callable[[Images], Probabilities], images: Images, name: str) -> Probabilities:
    pictures = tqdm(np.split(images, len(images)), name, disable=None, leave=False)
    return np.concatenate([run(picture) for picture in pictures])
