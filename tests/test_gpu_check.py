from __future__ import annotations

import os
import subprocess
import sys

from tests.conftest import ROOT


def test_without_a_gpu_the_check_says_so_and_is_no_failure(tmp_path: object) -> None:
    done = subprocess.run(
        ["/bin/sh", str(ROOT / "scripts" / "gpu_check.sh")],
        env={"PATH": str(tmp_path) + ":/usr/bin:/bin", "NVIDIA_VISIBLE_DEVICES": "none"},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    if "no GPU here" not in done.stdout:  # there is one: then the whole table must be good
        assert "BAD" not in done.stdout
    assert done.returncode == 0, done.stderr


def test_its_parts_go_through_on_the_cpu() -> None:
    done = subprocess.run(
        [
            sys.executable,
            str(ROOT / "scripts" / "gpu_check.py"),
            "--device",
            "cpu",
            "--runs",
            "1",
            "--long",
            "8",
        ],
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    parts = [line[5:41].strip() for line in done.stdout.splitlines()[1:]]
    assert parts == [
        "detector runs on",
        "classifier runs on, known answer",
        "detector 384x224",
        "standin.onnx, 1/2/4/8 faces",
        "standin.fp16.onnx",
        "plain run / bound buffers",
        "the seal round it",
        "growth over 8 runs",
    ]
    assert "BAD" not in done.stdout
