from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import cv2
import numpy as np
import pytest

from tests import mjpeg
from tests.conftest import ROOT, xvfb
from tests.screenshot import screenshot, wait_for

CLASSES = set((ROOT / "models" / "classes.txt").read_text().split())
GREEN = np.array([0x14, 0xFF, 0x39])


def kiosk(*arguments: str, **environment: str) -> subprocess.Popen[str]:
    names = ("DISPLAY", "WAYLAND_DISPLAY")
    inherited = {name: value for name, value in os.environ.items() if name not in names}
    return subprocess.Popen(
        [sys.executable, "-m", "kiosk", *arguments],
        cwd=ROOT,
        env={**inherited, **environment},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def test_nothing_of_a_picture_is_left_on_the_disk_or_said(tmp_path: Path) -> None:
    secret = np.random.default_rng().integers(0, 256, (64, 64, 3), np.uint8)
    room = portrait_in_a_room(400)
    room[20:84, 20:84] = secret
    source = tmp_path / "room.png"
    cv2.imwrite(str(source), room)
    home = tmp_path / "home"
    home.mkdir()
    child = subprocess.run(
        [sys.executable, "-B", "-m", "kiosk", "run", "--source", str(source), "--headless", "--seconds", "4"],
        cwd=tmp_path,
        env={"PATH": os.environ["PATH"], "HOME": str(home), "PYTHONPATH": str(ROOT)},
        capture_output=True,
        timeout=60,
        check=False,
    )
    assert child.returncode == 0, child.stderr
    assert b'"visitor": 1' in child.stdout, "she was seen"
    source.unlink()
    assert [path for path in tmp_path.rglob("*") if path != home] == []
    rows = [secret[at].tobytes()[:24] for at in range(64)]
    assert not any(row in child.stdout + child.stderr for row in rows)


def test_headless_the_demo_tells_of_its_visitors() -> None:
    child = kiosk("run", "--source", "demo", "--headless", "--seconds", "15")
    out, err = child.communicate(timeout=60)
    assert child.returncode == 0, err
    lines = [json.loads(line) for line in out.splitlines()]
    assert len({line["visitor"] for line in lines}) >= 2
    assert {line["synset"] for line in lines} <= CLASSES
    assert all(set(line) == {"t", "visitor", "synset", "label"} and line["label"] for line in lines)
    assert 0 <= min(line["t"] for line in lines) <= max(line["t"] for line in lines) <= 15


@pytest.mark.parametrize("size_wh", [(1920, 1080), (1080, 1920)])
def test_on_a_screen_a_visitor_is_boxed(size_wh: tuple[int, int], tmp_path: Path) -> None:
    with xvfb(*size_wh, fbdir=tmp_path) as display:
        child = kiosk("run", "--source", "demo", DISPLAY=display)
        picture = wait_for_a_box(tmp_path, child)
        child.send_signal(signal.SIGTERM)
        _, err = child.communicate(timeout=60)
    assert child.returncode == 0, err
    assert picture.shape == (size_wh[1], size_wh[0], 3)


def wait_for_a_box(framebuffer: Path, child: subprocess.Popen[str]) -> np.ndarray:
    """The first screenshot with at least a plate's worth of the accent."""
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline and child.poll() is None:
        time.sleep(0.2)
        picture = screenshot(framebuffer)
        if (picture == GREEN).all(axis=2).sum() > 3000:
            return picture
    child.kill()
    raise AssertionError(f"no box was seen: {child.communicate()[1]}")


def test_an_edit_is_seen_on_the_wall_within_seconds_and_a_bad_one_only_as_a_mark(tmp_path: Path) -> None:
    venue, words, framebuffer = tmp_path / "venue.yaml", tmp_path / "words.yaml", tmp_path / "screen"
    framebuffer.mkdir()
    words.write_text("show: all\n")
    venue.write_text(f"policy: {words}\nsource: demo\n")
    red = "display: {accent: '#ff0000'}\n"
    with xvfb(1280, 720, fbdir=framebuffer) as display:
        child = kiosk("run", "--config", str(venue), DISPLAY=display)
        wait_for_a_box(framebuffer, child)
        venue.write_text(f"policy: {words}\nsource: demo\n{red}")
        wait_for(framebuffer, lambda picture: (picture == (0, 0, 255)).all(axis=2).sum() > 3000)
        venue.write_text("policy: nobody\n")
        wait_for(framebuffer, lambda picture: (picture[:40, -40:] == (0, 140, 255)).all(axis=2).sum() > 50)
        after = screenshot(framebuffer)
        assert after[100:300].mean() > 40, "no black frame"
        child.send_signal(signal.SIGTERM)
        _, err = child.communicate(timeout=60)
    assert child.returncode == 0, err
    assert "in force" in err
    assert "policy: must be one of" in err
    assert "Traceback" not in err


def portrait_in_a_room(x: int) -> np.ndarray:
    image = np.full((720, 1280, 3), 170, np.uint8)
    image[200:712, x : x + 512] = cv2.imread(str(ROOT / "models" / "portraits" / "astronaut.png"))
    return image


def test_a_stream_is_shown_but_its_visitors_are_not_told(tmp_path: Path) -> None:
    rooms = [portrait_in_a_room(300 + 2 * step) for step in range(10)]
    with mjpeg.serve(rooms) as url, xvfb(1280, 720, fbdir=tmp_path) as display:
        child = kiosk("run", "--source", url, DISPLAY=display)
        wait_for_a_box(tmp_path, child)
        child.send_signal(signal.SIGTERM)
        _, err = child.communicate(timeout=30)
        assert child.returncode == 0, err
        child = kiosk("run", "--source", url, "--headless", "--seconds", "6")
        out, err = child.communicate(timeout=60)
    assert (child.returncode, out) == (0, ""), err
    assert "source: stream" in err


@pytest.mark.parametrize("name", ["SIGTERM", "SIGINT", "SIGHUP"])
def test_who_is_asked_to_stop_leaves_with_0(name: str) -> None:
    child = kiosk("run", "--source", "demo", "--headless")
    assert child.stderr is not None
    assert "source: demo" in child.stderr.readline()
    child.send_signal(getattr(signal, name))
    _, err = child.communicate(timeout=30)
    assert child.returncode == 0, err
    assert "Traceback" not in err


def test_a_worker_that_dies_ends_the_piece_with_its_code() -> None:
    child = kiosk(
        "run", "--source", "demo", "--headless", "--set", "classification.model=models/nothing.onnx"
    )
    _, err = child.communicate(timeout=60)
    assert child.returncode == 66
    assert "nothing.onnx: not listed" in err
    assert "Traceback" not in err


def test_without_a_display_a_newcomer_still_sees_it_work() -> None:
    child = kiosk("run", "--or-headless", "--seconds", "8")
    out, err = child.communicate(timeout=60)
    assert child.returncode == 0, err
    assert "no display" in err and "headless" in err
    assert json.loads(out.splitlines()[0])["synset"] in CLASSES


def test_a_camera_that_blocks_does_not_hold_the_piece(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "camera.avi")  # OpenCV waits for ever for somebody to write into it
    child = kiosk("run", "--source", str(tmp_path / "camera.avi"), "--headless", "--seconds", "2")
    _, err = child.communicate(timeout=60)
    assert child.returncode == 75
    assert "stuck" in err


def test_a_bad_configuration_keeps_a_card_on_the_wall_until_it_is_good(tmp_path: Path) -> None:
    venue, framebuffer = tmp_path / "venue.yaml", tmp_path / "screen"
    framebuffer.mkdir()
    venue.write_text("display: {theme: nite}\npolicy: no-slur\n")
    with xvfb(1280, 720, fbdir=framebuffer) as display:
        child = kiosk("run", "--or-card", "--config", str(venue), DISPLAY=display)
        wait_for(framebuffer, lambda picture: (picture[300:420].max(axis=2) > 190).sum() > 300)
        venue.write_text("source: demo\n")
        _, err = child.communicate(timeout=30)
    assert child.returncode == 78
    assert err.count("Did you mean 'night'?") == err.count("Did you mean 'no-slurs'?") == 2
    assert "Traceback" not in err
