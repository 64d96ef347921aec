"""A picture drawn in code and what a network must answer to it: whether it is the one that was tested.

A graphics card that failed can go on answering, confidently and wrongly (Xid 31); a driver update can change
an algorithm. The answer stands in the manifest beside the digest; it is asked for at the start and then
once an hour.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from kiosk.errors import InferenceError, ModelError
from kiosk.messages import Image

# Devices and precisions round differently: by a few hundredths, and near neighbours may change places.
RATIO = 0.25
AMONG_BEST = 3
# Seconds: with nobody there, and at the latest.
AGAIN_AFTER, AT_LATEST = 3600.0, 7200.0

Vector = npt.NDArray[np.float32]


@dataclass(frozen=True)
class KnownAnswer:
    """The best class for `picture()` and how sure the network is of it."""

    synset: str
    probability: float
    """0-1."""

    @classmethod
    def parse(cls, text: str) -> KnownAnswer:
        """Read "n10609198 0.0312", as the manifest has it. Raises ModelError."""
        try:
            synset, probability = text.split()
            return cls(synset, float(probability))
        except ValueError as error:
            raise ModelError(f"known_answer must be 'SYNSET PROBABILITY', not '{text}'") from error

    @classmethod
    def of(cls, classes: Sequence[str], probabilities: Vector) -> KnownAnswer:
        """The best of the answers (C,) of a network with `classes`."""
        best = int(np.argmax(probabilities))
        return cls(classes[best], float(probabilities[best]))

    def __str__(self) -> str:
        return f"{self.synset} {self.probability:.6f}"

    def check(self, classes: Sequence[str], probabilities: Vector, name: str) -> None:
        """Raise InferenceError unless the network `name`, with these answers, is the one that was tested."""
        best = np.argsort(-probabilities, kind="stable")[:AMONG_BEST]
        found = {classes[at]: float(probabilities[at]) for at in best}
        if abs(found.get(self.synset, 0.0) - self.probability) > RATIO * self.probability:
            raise InferenceError(
                f"{name}: to the test picture it must answer {self}, but answers "
                f"{self.of(classes, probabilities)}: network, driver or device is not what was tested"
            )


def is_due(since: float, *, anybody: bool) -> bool:
    """Whether to ask again, so many seconds after the last time; preferably with nobody there."""
    return since >= (AT_LATEST if anybody else AGAIN_AFTER)


def picture(side: int = 224) -> Image:
    """(side, side, 3) uint8 RGB: a sky, a ground, a head on shoulders; integers only, the same everywhere."""
    y, x = np.mgrid[0:side, 0:side].astype(np.int64) * 224 // side
    image = np.stack((120 + y // 4, 150 + y // 5, 235 - y // 3), axis=2)
    image[y > 160] = (96, 120, 70)
    image[(x - 112) ** 2 + (y - 250) ** 2 < 110**2] = (40, 50, 90)
    image[(x - 112) ** 2 + ((y - 96) * 4 // 5) ** 2 < 46**2] = (224, 180, 150)
    image[((x - 112) ** 2 + (y - 60) ** 2 < 52**2) & (y < 64)] = (70, 40, 20)
    for eye in (94, 130):
        image[(x - eye) ** 2 + (y - 92) ** 2 < 5**2] = (30, 30, 30)
    image[(abs(x - 112) < 18) & (abs(y - 124) < 3)] = (170, 70, 70)
    return image.astype(np.uint8)
