"""The vision worker on a virtual clock: the real Analysis and Pipeline with networks that are played."""

from __future__ import annotations

import threading
from functools import cache
from typing import TYPE_CHECKING

import numpy as np

from kiosk.analysis import WAIT, Analysis
from kiosk.clock import Clock
from kiosk.config import Config
from kiosk.edits import Edits
from kiosk.errors import ModelError
from kiosk.messages import Box, Entry, Face, Frame, Scene
from kiosk.pipeline import Pipeline, Stages
from kiosk.screen import texts
from kiosk.sections import DetectionConfig, InferenceConfig
from kiosk.vision.classify import Classifier
from kiosk.vision.inference import Session
from kiosk.worker import Latest
from tests import networks
from tests.players import PERIOD, START

if TYPE_CHECKING:
    from tests.stage import Stage

FACE = Face(Box(20, 10, 44, 40), 0.9)
WORDS = {id_: Entry(id_, ("a word",), "", (), None, None, None) for id_ in ("n1", "n2")}


class PlayedSession(Session):
    """A real network whose run is played: it fails or lies as the script says."""

    def __init__(self) -> None:
        super().__init__(_model(), "tiny", "cpu", InferenceConfig(gpu="off", threads=1))
        self.fault = ""
        """nan, cuda-error or wrong."""

    def run_unchecked(self, array: np.ndarray) -> tuple[np.ndarray, ...]:
        if self.fault == "cuda-error":
            raise RuntimeError("CUDA failure 700: an illegal memory access was encountered\n; GPU=0")
        answer = {"nan": (np.nan, np.nan), "wrong": (0.1, 0.9)}.get(self.fault, (0.7, 0.3))
        return (np.array([answer] * len(array), np.float32),)


@cache
def _model() -> bytes:
    return networks.classifier(["n1", "n2"])


class Detector:
    """A face wherever there is light."""

    def __init__(self, session: Session) -> None:
        self.session = session

    def __call__(self, frame: Frame) -> tuple[Face, ...]:
        return (FACE,) if frame.image.mean() > 40 else ()

    def change(self, config: DetectionConfig) -> None:
        """Its limits are none."""

    def warm_up(self) -> None:
        """It is."""


class Found(Latest[Frame]):
    """The frames' mailbox as it was when a step of the vision worker began."""

    def __init__(self, frames: Latest[Frame]) -> None:
        super().__init__()
        self._frames = frames
        self.count = 0
        self._found: Frame | None = None

    def look(self) -> bool:
        """Whether there is a frame that was not yet taken."""
        self.count, self._found = self._frames.wait_newer(self.count, 0)
        return self._found is not None

    def wait_newer(self, count: int, timeout: float) -> tuple[int, Frame | None]:
        return self.count, self._found

    def peek(self) -> Frame | None:
        return self._frames.peek()


class Pause(threading.Event):
    """What a step of the vision worker waits for at its end."""

    seconds = 0.0

    def wait(self, timeout: float | None = None) -> bool:
        self.seconds = timeout or 0.0
        return False


class Vision:
    """The vision worker. A step's work is done when the time that it takes is over."""

    def __init__(
        self, stage: Stage, clock: Clock, frames: Latest[Frame], scenes: Latest[Scene], edits: Edits
    ) -> None:
        self._stage = stage
        self._found = Found(frames)
        self.analysis = Analysis(
            stage.in_force, texts.load("en"), edits, self._found, scenes, clock, self._load
        )
        self.session = PlayedSession()
        self.has_model = True
        self.loading_takes, self.look_takes = 8 * PERIOD, 2 * PERIOD
        self.error: Exception | None = None
        self._began: float | None = None
        self._until = START
        self._is_waiting = False

    def busy_for(self, now: float) -> float:
        """As Worker's."""
        return 0.0 if self._began is None else now - self._began

    def advance(self) -> None:
        """Call for every moment."""
        now = self._stage.now
        if self._is_waiting and self._found.look():
            self._is_waiting, self._until = False, now + self.look_takes
        if self.error or now < self._until:
            return
        if self._began is None:
            self._began, self._until = now, now + self._duration()
            return
        pause = Pause()
        try:
            self.analysis.step(pause)
        except Exception as error:  # noqa: BLE001  (as in kiosk.worker: the next beat raises it)
            self.error = error
        self._began, self._until, self._is_waiting = None, now + pause.seconds, False

    def _load(self, config: Config) -> Pipeline:
        if not self.has_model:
            raise ModelError("models/nothing.onnx: not listed in the manifest")
        classifier = Classifier(self.session, config.classification)
        return Pipeline(config, Stages(WORDS, Detector(self.session), classifier))

    def _duration(self) -> float:
        if self.analysis.news.peek() is None:
            return self.loading_takes
        if self._found.look():
            return self.look_takes
        self._is_waiting = True
        return WAIT
