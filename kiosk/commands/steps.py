"""The benchmark of the vision step: networks bare, the whole step, the detector, and what a crowd costs."""

from __future__ import annotations

import dataclasses
import functools
import statistics
import time
import tracemalloc
from collections.abc import Callable
from pathlib import Path

import numpy as np

from kiosk.commands import footage
from kiosk.commands.timings import (
    WARM_UP,
    Figure,
    Measurement,
    Target,
    in_turns,
    measurement,
    ratio,
    timed,
)
from kiosk.config import Config, model_path
from kiosk.errors import InferenceError, InputError, ModelError
from kiosk.manifest import load_model
from kiosk.messages import Frame, Image
from kiosk.pipeline import Pipeline, Stages
from kiosk.sections import InferenceConfig
from kiosk.vision.classify import CPU_BATCHES, GPU_BATCHES, SIDE, Classifier
from kiosk.vision.demo import Demo
from kiosk.vision.detect import FaceDetector
from kiosk.vision.inference import Session

PRECISIONS = ("", ".fp16", ".int8")
PEOPLE = 16
LARGE_WH = (3840, 2160)
# Virtual seconds: until everybody has been named, and then as long as is measured.
ARRIVAL, STANDING = 2.0, 4.0
STEP_TARGET = Target(Figure.RATIO, 1.10)
GROWTH_TARGET = Target(Figure.RATIO, 1.5)


def bare_networks(config: Config, runs: int) -> list[Measurement]:
    """The classifier bare, on each device that works here, in each precision that lies beside it."""
    found = []
    path = model_path(config.classification.model)
    for device in ("cpu", "cuda", "tensorrt"):
        for precision in PRECISIONS:
            file = path.with_name(f"{path.stem}{precision}.onnx")
            session = _session(file, device, config.inference) if file.exists() else None
            if session is None:
                continue
            for size in CPU_BATCHES if device == "cpu" else GPU_BATCHES:
                work = functools.partial(session.run, np.zeros((size, SIDE, SIDE, 3), np.uint8))
                part = f"{file.name} on {device}, {size} {'face' if size == 1 else 'faces'}"
                found.append(measurement(part, in_turns([work], runs)[0]))
    return found


def whole_step(config: Config, stages: Stages, runs: int) -> list[Measurement]:
    """The whole way of a frame, on the demo: two visitors most of the time; and the detector."""
    # Somebody is classified at every step.
    eager = dataclasses.replace(config.classification, refresh_hz=30.0)
    pipeline = Pipeline(dataclasses.replace(config, classification=eager), anew(config, stages))
    demo = Demo()
    steps: list[float] = []
    insides: list[float] = []
    with _Stopwatch(pipeline.sessions) as bare:
        for at in range(WARM_UP + runs):
            frame = Frame(demo.render(120 + 3 * at), at, at / 10)
            bare.seconds = 0.0
            steps.append(timed(functools.partial(pipeline.look, frame)))
            insides.append(bare.seconds)
    steps, insides = steps[WARM_UP:], insides[WARM_UP:]
    width, height = pipeline.detector.input_wh
    device = pipeline.sessions[0].device
    detector = in_turns([lambda: pipeline.detector(frame)], runs)[0]
    return [
        measurement(
            f"vision step on {device}, the demo",
            steps,
            STEP_TARGET,
            ratio=ratio(steps, insides),
            to="the bare runs of its networks, inside the same steps",
        ),
        measurement("  of it the bare runs", insides),
        measurement(f"detector on {device}, {width}x{height}", detector),
    ]


def growth(config: Config, stages: Stages) -> list[Measurement]:
    """What a step costs with many people, and with a large picture, against one person at 720p."""
    frames = (
        ("1 person stands still, 1280x720", 1, footage.crowd(1)),
        (f"{PEOPLE} people stand still, 1280x720", PEOPLE, footage.crowd(PEOPLE)),
        (f"1 person stands still, {LARGE_WH[0]}x{LARGE_WH[1]}", 1, footage.crowd(1, LARGE_WH)),
    )
    people = [_Standing(config, stages, image) for _, _, image in frames]
    rate = config.detection.max_rate
    in_turns([one.step for one in people], 0, round(ARRIVAL * rate))
    for one, (part, count, _) in zip(people, frames, strict=True):
        if one.seen != count:
            raise InputError(f"{part}: must see {count}, sees {one.seen}: is detection.input too small?")
    times = in_turns([one.step for one in people], round(STANDING * rate), 0)
    memory = [one.memory(round(rate)) for one in people[:2]]
    # In a crowd most steps look at nobody and some at one: the mean counts.
    quotients = [statistics.fmean(time_) / statistics.fmean(times[0]) for time_ in times[1:]]
    first, *others = [part for part, _, _ in frames]
    return [
        measurement(f"step, {first}", times[0]),
        *(
            measurement(f"step, {part}", time_, GROWTH_TARGET, ratio=quotient, to=f"{first}, by the mean")
            for part, time_, quotient in zip(others, times[1:], quotients, strict=True)
        ),
        measurement("memory of a step, 1 person", [memory[0]], unit="KiB"),
        measurement(
            f"memory of a step, {PEOPLE} people",
            [memory[1]],
            GROWTH_TARGET,
            unit="KiB",
            ratio=memory[1] / memory[0],
            to="one person, the most that a step allocates",
        ),
    ]


def anew(config: Config, stages: Stages) -> Stages:
    """The same networks, loaded once, with nobody known to them."""
    classifier = Classifier(stages.classifier.session, config.classification)
    return Stages(stages.lexicon, FaceDetector(stages.detector.session, config.detection), classifier)


class _Standing:
    """The same picture again and again, at the detector's own rate, by a virtual clock."""

    def __init__(self, config: Config, stages: Stages, image: Image) -> None:
        self._pipeline = Pipeline(config, anew(config, stages))
        self._image, self._rate, self._index = image, config.detection.max_rate, 0
        self.seen = 0
        """How many people were seen last."""

    def step(self) -> None:
        frame = Frame(self._image, self._index, self._index / self._rate)
        self._index += 1
        self.seen = len(self._pipeline.look(frame).seen)

    def memory(self, steps: int) -> float:
        """The most that one of so many steps allocates, KiB: numpy's and OpenCV's arrays are in it."""
        most = 0
        tracemalloc.start()
        for _ in range(steps):
            before, _ = tracemalloc.get_traced_memory()
            tracemalloc.reset_peak()
            self.step()
            most = max(most, tracemalloc.get_traced_memory()[1] - before)
        tracemalloc.stop()
        return most / 1024


class _Stopwatch:
    """Adds up the time inside the bare runs of networks, while it is entered."""

    def __init__(self, sessions: tuple[Session, ...]) -> None:
        self._sessions = sessions
        self.seconds = 0.0

    def __enter__(self) -> _Stopwatch:
        for session in self._sessions:
            session.run_unchecked = self._around(session.run_unchecked)  # type: ignore[method-assign]
        return self

    def __exit__(self, *_: object) -> None:
        for session in self._sessions:
            del session.run_unchecked  # the class's own is there again

    def _around(self, call: Callable[..., tuple[np.ndarray, ...]]) -> Callable[..., tuple[np.ndarray, ...]]:
        def timed_call(array: np.ndarray) -> tuple[np.ndarray, ...]:
            began = time.perf_counter()
            outputs = call(array)
            self.seconds += time.perf_counter() - began
            return outputs

        return timed_call


def _session(file: Path, device: str, config: InferenceConfig) -> Session | None:
    """None where the device does not work here."""
    model = load_model(file)
    gpu = "off" if device == "cpu" else "required"
    try:
        return Session(model.content, model.name, device, dataclasses.replace(config, gpu=gpu))
    except InferenceError:
        return None
    except ModelError:
        if device == "cpu":
            raise
        return None  # a precision that this provider cannot run
