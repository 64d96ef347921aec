"""A pipeline whose visitors a test puts before the camera, and whose network it can spoil."""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace

import numpy as np

from kiosk.config import Config
from kiosk.messages import Box, Entry, Face, Frame, Scene
from kiosk.pipeline import Pipeline, Stages
from kiosk.sections import ClassificationConfig, DetectionConfig, InferenceConfig
from kiosk.vision.classify import Classifier
from kiosk.vision.inference import Array, Session
from kiosk.words.lexicon import Lexicon
from kiosk.words.policy import Policy
from tests import networks

CLASSES = ["n00000001", "n00000002", "n00000003"]
FRAME_WH = (1280, 720)
PICTURE = np.full((FRAME_WH[1], FRAME_WH[0], 3), (40, 80, 160), np.uint8)


def face(x: float, height: float = 100) -> Face:
    """A face in the middle of the height; `x` is the share of the camera's width at its centre."""
    left, top = x * FRAME_WH[0] - 0.4 * height, (FRAME_WH[1] - height) / 2
    return Face(Box(left, top, left + 0.8 * height, top + height), 0.9)


class Detector:
    """Finds whom a test puts there."""

    def __init__(self) -> None:
        self.faces: tuple[Face, ...] = ()
        self.session = SimpleNamespace(name="eyes", device="cpu")
        self.warm = False

    def __call__(self, frame: Frame) -> tuple[Face, ...]:
        return self.faces

    def change(self, config: DetectionConfig) -> None:
        """Nothing of it concerns a detector that knows."""

    def warm_up(self) -> None:
        self.warm = True


class Ageing(Session):
    """A network that answers well until it is `spoilt`, and counts its runs."""

    def __init__(self) -> None:
        super().__init__(networks.classifier(CLASSES), "tiny", "cpu", InferenceConfig(gpu="off", threads=1))
        self.spoilt, self.runs = False, 0

    def run_unchecked(self, array: Array) -> tuple[Array, ...]:
        self.runs += 1
        answer = super().run_unchecked(array)
        return tuple(1 - value for value in answer) if self.spoilt else answer


def entries() -> Lexicon:
    words = ("orderly", "oboist", "skeptic")
    return Lexicon(
        [
            Entry(synset, (word,), f"a person called {word}", ("person",), None, None, None)
            for synset, word in zip(CLASSES, words, strict=True)
        ]
    )


class Room:
    """A pipeline, and who stands before its camera."""

    def __init__(self, **sections: object) -> None:
        self.config = replace(Config(), **sections)
        self.detector, self.network = Detector(), Ageing()
        stages = Stages(entries(), self.detector, Classifier(self.network, ClassificationConfig()))
        self.pipeline = Pipeline(self.config, stages)
        self.now = 1000.0

    def look(self, *faces: Face) -> Scene:
        """One look, a tenth of a second after the last."""
        self.now += 0.1
        self.detector.faces = faces
        return self.pipeline.look(Frame(PICTURE, 0, self.now))

    def watch(self, seconds: float, *faces: Face) -> Scene:
        """Many looks at the same; the last is given back."""
        for _ in range(round(10 * seconds)):
            scene = self.look(*faces)
        return scene

    def edit(self, **sections: object) -> None:
        self.config = replace(self.config, **sections)
        self.pipeline.change(self.config, Policy.load(self.config.policy, self.pipeline.lexicon))
