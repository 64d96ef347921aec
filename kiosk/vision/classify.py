"""Tracks in, guesses out: a square round each face that is due goes through the person classifier.

RGB exists only here. Probabilities are smoothed a track and die with it. On a CPU visitors take turns, so
that a crowd costs little more than one of them.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import cv2
import numpy as np
import numpy.typing as npt

from kiosk.config import model_path
from kiosk.errors import ModelError
from kiosk.manifest import load_model
from kiosk.messages import Box, Frame, Guess, Image, Track
from kiosk.sections import ClassificationConfig, InferenceConfig
from kiosk.vision.inference import Session
from kiosk.vision.known_answer import KnownAnswer, picture
from kiosk.vision.providers import has_int8_dot_product

SIDE = 224
# Behind a strict policy the first that may be shown can be far down.
TOP = 20
# A GPU stalls at each new shape: only these batch sizes ever reach it. A batch gains nothing on a CPU.
GPU_BATCHES = (1, 2, 4, 8)
CPU_BATCHES = (1,)
# A step of a CPU takes so many looks at most. One costs about as much as finding all faces: with four a step
# is over when the next is due, and of eight who come at once each has her word within half a second.
LOOKS_A_STEP = 4
# So often, on a CPU, those already known are looked at again: times a second, all of them together. By
# default each of three is looked at as often as one alone, and with sixteen a step costs under half more.
REFRESHES_A_SECOND = 6.0
# The middle of the square lies this far below the middle of the face, in face heights: shoulders show.
DROP = 0.25

Vector = npt.NDArray[np.float32]


@dataclass
class _Look:
    at: float
    probabilities: Vector


class Classifier:
    """A network with the project's contract: uint8 RGB (N, 224, 224, 3) in, probabilities (N, C) out."""

    def __init__(
        self, session: Session, config: ClassificationConfig, known: KnownAnswer | None = None
    ) -> None:
        """`known` is what it must answer to the test picture; without, what it answers now.

        Raises ModelError where the network does not keep the contract, InferenceError where it fails or
        answers something else.
        """
        self.session = session
        self._config = config
        self._batches = CPU_BATCHES if session.device == "cpu" else GPU_BATCHES
        self._takes_turns = session.device == "cpu"
        self._looks: dict[int, _Look] = {}
        self._refresh_due = -math.inf
        self._is_cut = False
        self.classes = tuple(session.metadata.get("classes", "").split())
        """Synset ids, in the order of the outputs."""
        self.title = session.metadata.get("title", "")
        """What the network is, in a line for the wall; empty for a network that needs no word of warning."""
        shape = list(session.input.shape[1:])
        if session.input.type != "tensor(uint8)" or shape != [SIDE, SIDE, 3]:
            raise ModelError(
                f"{session.name}: input must be (N, {SIDE}, {SIDE}, 3) uint8, "
                f"got {session.input.shape} {session.input.type}"
            )
        if not self.classes or len(set(self.classes)) != len(self.classes):
            raise ModelError(f"{session.name}: metadata 'classes' must list every synset id once")
        answer = session.run(picture()[None])[0]
        if answer.shape != (1, len(self.classes)):
            raise ModelError(
                f"{session.name}: output must be (N, {len(self.classes)}), got {answer.shape} for N = 1"
            )
        self._known = known or KnownAnswer.of(self.classes, answer[0])
        self._known.check(self.classes, answer[0], session.name)

    @classmethod
    def open(cls, config: ClassificationConfig, inference: InferenceConfig) -> Classifier:
        """Load the configured network and ask what its answer is known to.

        Its int8 version is taken where a CPU runs it that is made for it. Raises ModelError, InferenceError.
        """
        path = model_path(config.model)
        model = load_model(path)
        session = Session(model.content, model.name, config.device, inference)
        if int8 := _int8_beside(path, session):
            model = load_model(int8)
            session = Session(model.content, model.name, config.device, inference)
        known = KnownAnswer.parse(model.known_answer) if model.known_answer else None
        return cls(session, config, known)

    def check(self) -> None:
        """Ask again what its answer is known to. Raises InferenceError where it is another now."""
        self._known.check(self.classes, self.answer_to(picture()), self.session.name)

    def answer_to(self, image: Image) -> Vector:
        """(C,) probabilities for one picture, (224, 224, 3) uint8 RGB."""
        return self._probabilities([image])[0]

    def change(self, config: ClassificationConfig) -> None:
        """Go on with another margin, rate or smoothing; model and device stay as they were opened."""
        self._config = config

    def forget(self) -> None:
        """Forget every look. At the next call nobody waits for her turn: it may be a picture by itself."""
        self._looks.clear()
        self._is_cut = True

    def warm_up(self) -> None:
        """Run every batch size three times, so that no visitor waits for the first."""
        for size in self._batches:
            for _ in range(3):
                self.session.run(np.zeros((size, SIDE, SIDE, 3), np.uint8))

    def __call__(self, frame: Frame, tracks: Sequence[Track]) -> dict[int, tuple[Guess, ...]]:
        """The best guesses, smoothed, of those tracks that were due for a look and are in sight now.

        On a CPU, newcomers go first, and then whoever has waited longest. A track that is not among `tracks`
        is forgotten.
        """
        now = frame.captured_at
        ids = {track.id for track in tracks}
        self._looks = {id_: look for id_, look in self._looks.items() if id_ in ids}
        due = self._due([track for track in tracks if track.seen_at == now], now)
        crops = [crop(frame.image, track.box, self._config.margin) for track in due]
        for track, probabilities in zip(due, self._probabilities(crops), strict=True):
            self._look(track.id, probabilities, now)
        return {track.id: self._best(self._looks[track.id].probabilities) for track in due}

    def _due(self, tracks: Sequence[Track], now: float) -> list[Track]:
        due = [track for track in tracks if track.id not in self._looks]
        known = [track for track in tracks if track.id in self._looks]
        stale = [track for track in known if now - self._looks[track.id].at >= 1 / self._config.refresh_hz]
        at_once, self._is_cut = self._is_cut or not self._takes_turns, False
        if at_once:
            return due + stale
        # Who is to be looked at more often than a crowd is, is, while she is alone.
        pause = 1 / max(REFRESHES_A_SECOND, self._config.refresh_hz)
        if stale and len(due) < LOOKS_A_STEP and now >= self._refresh_due:
            # From when it was due, not from now: the rate is to be the same whatever that of the steps.
            self._refresh_due = max(self._refresh_due, now - pause) + pause
            due.append(min(stale, key=lambda track: self._looks[track.id].at))
        return due[:LOOKS_A_STEP]

    def _look(self, id_: int, probabilities: Vector, now: float) -> None:
        before = self._looks.get(id_)
        if before is not None and self._config.smoothing > 0:
            weight = 1 - math.exp((before.at - now) / self._config.smoothing)
            probabilities = before.probabilities + np.float32(weight) * (probabilities - before.probabilities)
        self._looks[id_] = _Look(now, probabilities)

    def _probabilities(self, crops: list[Image]) -> list[Vector]:
        found: list[Vector] = []
        while len(found) < len(crops):
            rest = crops[len(found) :]
            size = next((size for size in self._batches if size >= len(rest)), self._batches[-1])
            batch = np.zeros((size, SIDE, SIDE, 3), np.uint8)
            batch[: len(rest)] = rest[:size]
            found.extend(self.session.run(batch)[0][: len(rest)])
        return found

    def _best(self, probabilities: Vector) -> tuple[Guess, ...]:
        top = np.argpartition(-probabilities, min(TOP, len(probabilities) - 1))[:TOP]
        top = top[np.argsort(-probabilities[top], kind="stable")]
        return tuple(Guess(self.classes[at], float(probabilities[at])) for at in top)


def _int8_beside(path: Path, session: Session) -> Path | None:
    """The int8 version of a network, where it lies beside and the CPU that runs it is made for it."""
    int8 = path.with_name(f"{path.stem}.int8.onnx")
    return int8 if session.device == "cpu" and int8.exists() and has_int8_dot_product() else None


def crop(image: Image, face: Box, margin: float) -> Image:
    """(224, 224, 3) uint8 RGB: the square of `margin` face heights round a face.

    The square is moved into the picture where it would stick out, and is at most as large as the picture.
    """
    height, width = image.shape[:2]
    side = max(1, min(round(margin * face.height), height, width))
    x, y = face.centre
    left = min(max(0, round(x - side / 2)), width - side)
    top = min(max(0, round(y + DROP * face.height - side / 2)), height - side)
    square = image[top : top + side, left : left + side]
    # Halves by the mean of four pixels, then between pixels: a fraction of the time of one INTER_AREA.
    while side >= 2 * SIDE:
        side //= 2
        halved = cv2.resize(square[: 2 * side, : 2 * side], (side, side), interpolation=cv2.INTER_AREA)
        square = np.asarray(halved, np.uint8)
    resized = cv2.resize(square, (SIDE, SIDE), interpolation=cv2.INTER_LINEAR)
    return np.asarray(cv2.cvtColor(resized, cv2.COLOR_BGR2RGB), np.uint8)
