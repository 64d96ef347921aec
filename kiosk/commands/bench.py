"""`kiosk bench`: the measured speed of each part on this machine, as milliseconds and as ratios.

A ratio compares two things measured in turns in one run, so that a busy machine slows both.
"""

from __future__ import annotations

import argparse
import dataclasses
import functools
import json
import os
import statistics
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path

import numpy as np

from kiosk.commands.options import add_config, read_config
from kiosk.config import Config, model_path
from kiosk.errors import InferenceError, ModelError
from kiosk.manifest import load_model
from kiosk.messages import Frame
from kiosk.pipeline import Pipeline
from kiosk.screen import texts
from kiosk.screen.draw import Canvas, offscreen
from kiosk.screen.look import Look, Network
from kiosk.sections import InferenceConfig
from kiosk.vision import providers
from kiosk.vision.classify import GPU_BATCHES, SIDE
from kiosk.vision.demo import Demo
from kiosk.vision.inference import Session, runtime

WARM_UP = 3
SCREEN_WH = (1920, 1080)
PRECISIONS = ("", ".fp16", ".int8")


@dataclass(frozen=True)
class Measurement:
    """Times of one part."""

    part: str
    median_ms: float
    p95_ms: float
    runs: int
    ratio: float | None = None
    """Of the vision step: to the bare runs of its networks, measured inside the same steps."""


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the options."""
    add_config(parser)
    parser.add_argument("--runs", type=int, default=50, metavar="N", help="measured runs of each part")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    parser.add_argument(
        "--build-engines",
        action="store_true",
        help="build the TensorRT engines of the classifier (minutes), for classification.device: tensorrt",
    )


def run(arguments: argparse.Namespace) -> int:
    """Measure, or build the engines."""
    config = read_config(arguments)
    if arguments.build_engines:
        return _build_engines(config)
    runs = max(1, arguments.runs)
    measurements = [*_networks(config, runs), *_step(config, runs)]
    machine = {
        "machine": providers.machine(),
        "load": round(os.getloadavg()[0], 2),
        "runtime": runtime(),
        **{name: version(name) for name in ("opencv-python", "pygame", "numpy")},
        "python": sys.version.split()[0],
        "threads": providers.threads(config.inference),
    }
    if arguments.json:
        parts = [dataclasses.asdict(measurement) for measurement in measurements]
        print(json.dumps({**machine, "parts": parts}))
    else:
        _print_table(machine, measurements)
    return 0


def _print_table(machine: dict[str, object], measurements: list[Measurement]) -> None:
    print(", ".join(f"{key} {value}" for key, value in machine.items()))
    print(f"\n{'part':44}{'median ms':>11}{'p95 ms':>9}{'runs':>6}{'ratio':>7}")
    for found in measurements:
        ratio = "" if found.ratio is None else f"{found.ratio:.2f}"
        print(f"{found.part:44}{found.median_ms:11.2f}{found.p95_ms:9.2f}{found.runs:6}{ratio:>7}")
    print("\nratio: the whole vision step to the bare runs of its networks, inside the same steps")


def _networks(config: Config, runs: int) -> list[Measurement]:
    """The classifier bare, on each device that works here, in each precision that lies beside it."""
    found = []
    path = model_path(config.classification.model)
    for device in ("cpu", "cuda", "tensorrt"):
        for precision in PRECISIONS:
            file = path.with_name(f"{path.stem}{precision}.onnx")
            session = _session(file, device, config.inference) if file.exists() else None
            if session is None:
                continue
            for size in GPU_BATCHES:
                work = functools.partial(session.run, np.zeros((size, SIDE, SIDE, 3), np.uint8))
                part = f"{file.name} on {device}, {size} {'face' if size == 1 else 'faces'}"
                found.append(_measure(part, runs, work))
    return found


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


def _step(config: Config, runs: int) -> list[Measurement]:
    """The whole way of a frame, on the demo: two visitors most of the time."""
    # Every visitor is classified at every step: the most that a step can cost.
    eager = dataclasses.replace(config.classification, refresh_hz=30.0)
    pipeline = Pipeline(dataclasses.replace(config, classification=eager))
    bare = _Stopwatch()
    for session in pipeline.sessions:
        session.run_unchecked = bare.around(session.run_unchecked)  # type: ignore[method-assign]
    demo = Demo()
    steps: list[float] = []
    insides: list[float] = []
    for at in range(WARM_UP + runs):
        frame = Frame(demo.render(120 + 3 * at), at, at / 10)
        bare.seconds = 0.0
        began = time.perf_counter()
        scene = pipeline.look(frame)
        steps.append(time.perf_counter() - began)
        insides.append(bare.seconds)
    ratio = statistics.median(step / inside for step, inside in zip(steps, insides, strict=True))
    width, height = pipeline.detector.input_wh
    network = Network(len(pipeline.classifier.classes), pipeline.classifier.title)
    look = Look(
        config.display, config.wall, texts.load(config.wall.language), network, config.captions.entries
    )
    canvas = Canvas(offscreen(SCREEN_WH), look)
    device = pipeline.sessions[0].device
    return [
        _measurement(f"vision step on {device}, the demo", steps[WARM_UP:], ratio),
        _measurement("  of it the bare runs", insides[WARM_UP:]),
        _measure(f"detector on {device}, {width}x{height}", runs, lambda: pipeline.detector(frame)),
        _measure(
            f"draw {SCREEN_WH[0]}x{SCREEN_WH[1]}, {len(scene.captions)} captions",
            runs,
            lambda: canvas.paint(frame, scene, time.monotonic()),
        ),
    ]


class _Stopwatch:
    """Adds up the time inside calls."""

    def __init__(self) -> None:
        self.seconds = 0.0

    def around(self, call: Callable[..., tuple[np.ndarray, ...]]) -> Callable[..., tuple[np.ndarray, ...]]:
        def timed(array: np.ndarray) -> tuple[np.ndarray, ...]:
            began = time.perf_counter()
            outputs = call(array)
            self.seconds += time.perf_counter() - began
            return outputs

        return timed


def _measure(part: str, runs: int, work: Callable[[], object]) -> Measurement:
    seconds = []
    for _ in range(WARM_UP + runs):
        began = time.perf_counter()
        work()
        seconds.append(time.perf_counter() - began)
    return _measurement(part, seconds[WARM_UP:])


def _measurement(part: str, seconds: list[float], ratio: float | None = None) -> Measurement:
    milliseconds = sorted(1000 * second for second in seconds)
    p95 = milliseconds[min(len(milliseconds) - 1, round(0.95 * len(milliseconds)))]
    return Measurement(part, statistics.median(milliseconds), p95, len(milliseconds), ratio)


def _build_engines(config: Config) -> int:
    """Build for every batch size, then take away the right to write: opening hours are not for building."""
    model = load_model(model_path(config.classification.model))
    providers.ENGINES.mkdir(exist_ok=True)
    providers.ENGINES.chmod(0o755)
    gpu = dataclasses.replace(config.inference, gpu="required")
    print(f"building the TensorRT engines of {model.name}; this takes minutes", flush=True)
    session = Session(model.content, model.name, "tensorrt", gpu, build_engines=True)
    for size in GPU_BATCHES:
        session.run(np.zeros((size, SIDE, SIDE, 3), np.uint8))
    providers.ENGINES.chmod(0o555)
    print(f"built in {providers.ENGINES}; to use them: classification.device: tensorrt")
    return 0
