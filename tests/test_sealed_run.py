"""The whole piece inside the seal: everything that it needs is still allowed."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

from kiosk.trust import evidence, kernel
from tests import mjpeg
from tests.conftest import ROOT, xvfb
from tests.sealed import child

# Of a program that is not sealed the kernel says 0 twice.
SEALED = ("2", "1")


def kiosk(*arguments: str, **environment: str) -> subprocess.Popen[str]:
    inherited = {
        name: value for name, value in os.environ.items() if name not in ("DISPLAY", "WAYLAND_DISPLAY")
    }
    return subprocess.Popen(
        [sys.executable, "-B", "-m", "kiosk", *arguments],
        cwd=ROOT,
        env={**inherited, **environment},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def threads(pid: int) -> dict[str, tuple[str, str]]:
    """Each thread's seccomp mode and whether it has given up new privileges: proc_pid_status(5)."""
    states = {}
    for status in Path(f"/proc/{pid}/task").glob("*/status"):
        try:
            lines = dict(line.split(":\t", 1) for line in status.read_text().splitlines() if ":\t" in line)
        except OSError:
            continue  # it has just ended
        states[status.parent.name] = (lines["Seccomp"], lines["NoNewPrivs"])
    return states


def test_every_thread_of_the_piece_is_bound() -> None:
    """The kiosk's own, and those that cv2, onnxruntime and pygame start."""
    with xvfb(640, 480) as name:
        child = kiosk("run", "--source", "demo", "--windowed", "640x480", "--seconds", "4", DISPLAY=name)
        assert child.stderr is not None
        assert "source: demo" in child.stderr.readline()
        seen: dict[str, tuple[str, str]] = {}
        while child.poll() is None:
            seen |= threads(child.pid)
            time.sleep(0.1)
        _, err = child.communicate()
    assert child.returncode == 0, err
    assert len(seen) >= 4, "main, capture, vision, and what the libraries start"
    assert set(seen.values()) == {SEALED}


def test_a_thread_that_started_before_the_seal_is_a_gap(tmp_path: Path) -> None:
    done = child(
        """
        threading.Thread(target=time.sleep, args=(3,), daemon=True).start()
        from kiosk.cli import main
        sys.exit(main(["run", "--source", "demo", "--headless", "--seconds", "1"]))
        """,
        tmp_path,
    )
    assert done.returncode == 77, done.stderr
    assert "thread" in done.stderr
    assert "Traceback" not in done.stderr


def test_prove_tries_everything_around_the_running_pipeline() -> None:
    proof = kiosk("prove", "--seconds", "2")
    out, err = proof.communicate(timeout=60)
    assert proof.returncode == 0, err
    lines = [line for line in out.splitlines() if line.startswith(("pass", "FAIL"))]
    assert len(lines) > 40
    assert all(line.startswith("pass") for line in lines)
    assert f"All {len(lines)} lines hold" in out
    assert "What this does not prove" in out


def test_the_digest_of_the_program_can_be_computed_from_outside() -> None:
    outside = subprocess.run(
        ["/bin/sh", "-c", evidence.DIGEST_COMMAND], cwd=ROOT, capture_output=True, text=True, check=True
    )
    assert outside.stdout.split()[0] == evidence.program_digest()


def test_prove_reports_a_stream_and_that_it_may_send_to_it() -> None:
    picture = np.random.default_rng(1).integers(0, 255, (240, 320, 3), np.uint8)
    with mjpeg.serve([picture]) as url:
        proof = kiosk("prove", "--source", url, "--seconds", "2", "--report")
        out, err = proof.communicate(timeout=60)
    assert proof.returncode == 0, err
    assert out.startswith("# Nothing is stored")
    assert "FAIL" not in out
    assert "send to nobody but the stream" in out


@pytest.mark.parametrize("layer", ["Landlock", "seccomp"])
def test_prove_fails_where_a_layer_is_missing(layer: str, tmp_path: Path) -> None:
    done = child(
        f"""
        del LAYERS[{layer!r}]
        from kiosk.cli import main
        sys.exit(main(["prove", "--seconds", "0.5"]))
        """,
        tmp_path,
    )
    assert done.returncode == 77
    assert "FAIL" in done.stdout
    assert "do not hold" in done.stderr


def test_without_a_camera_prove_says_so() -> None:
    proof = kiosk("prove", "--source", "camera", "--seconds", "1")
    _, err = proof.communicate(timeout=60)
    if list(Path("/dev").glob("video[0-9]*")):
        assert proof.returncode in (0, 75)
    else:
        assert (proof.returncode, err) == (78, "kiosk: source: no camera was found\n")


@pytest.mark.parametrize("best_effort", [False, True])
def test_a_missing_layer_stops_the_piece_or_is_told(best_effort: bool, tmp_path: Path) -> None:
    done = child(
        f"""
        def missing(policy, scope):
            raise OSError(38, "Function not implemented")
        LAYERS["Landlock"] = missing
        from kiosk.cli import main
        options = ["--set", "privacy.seal=best-effort"] if {best_effort} else []
        sys.exit(main(["run", "--source", "demo", "--headless", "--seconds", "1", *options]))
        """,
        tmp_path,
    )
    if best_effort:
        assert done.returncode == 0, done.stderr
        assert "not sealed: Landlock: Function not implemented" in done.stderr
    else:
        assert done.returncode == 77
        assert "source: demo" not in done.stderr, "nothing was opened"
        assert "Landlock" in done.stderr


@pytest.mark.parametrize("writer", ["np.save", "imwrite", "image.save"])
def test_the_libraries_themselves_can_keep_no_picture(writer: str, tmp_path: Path) -> None:
    """What they return is not asked: cv2.imwrite says True of a picture that was never written (faults)."""
    assert kernel.machine(), "the seal needs Linux on x86-64 or aarch64"
    done = child(
        """
        seal(Policy())
        import cv2, numpy as np, pygame
        picture = np.zeros((8, 8, 3), np.uint8)
        """
        + {
            "np.save": "np.save('kept', picture)",
            "imwrite": "print(cv2.imwrite('kept.png', picture))",
            "image.save": "pygame.image.save(pygame.Surface((8, 8)), 'kept.png')",
        }[writer].join(("        ", "\n")),
        tmp_path,
    )
    assert done.stdout != "" or done.returncode != 0
    assert list(tmp_path.iterdir()) == []
