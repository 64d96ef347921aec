"""Real faults of real processes: a camera and a stream that hang, a display that goes, and kill -9.

A Wayland compositor that is killed is left out: SDL's own client ends under a headless one before it can be.
What the piece does where the display asks it to go is in test_window.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import cv2
import numpy as np
import pytest

from tests.conftest import ROOT, xvfb
from tests.screenshot import Picture, wait_for

SCREEN_WH = (640, 360)
# Of no theme, no card and no shadow.
MAGENTA = (200, 30, 200)
SERVER = """
import sys, time
import numpy as np
from tests import mjpeg
draw = np.random.default_rng(1)
pictures = [np.clip(np.array(MAGENTA) + draw.integers(-20, 20, (360, 640, 1)), 0, 255).astype(np.uint8)
            for _ in range(20)]
with mjpeg.serve(pictures, port=int(sys.argv[1])) as url:
    print(url, flush=True)
    time.sleep(600)
""".replace("MAGENTA", str(MAGENTA))
XVFB = ["Xvfb", "-displayfd", "1", "-screen", "0", "640x360x24", "-nolisten", "tcp"]
# The piece, but for how long it waits for a flip: an eighth.
IMPATIENT = """
import faulthandler
later = faulthandler.dump_traceback_later
faulthandler.dump_traceback_later = lambda timeout, *, exit: later(timeout / 8, exit=exit)
from kiosk.__main__ import main
raise SystemExit(main())
"""
# As systemd does with Restart=always.
SUPERVISOR = 'while :; do "$@"; done'


def surroundings(folder: Path, display: str) -> dict[str, str]:
    """What a service gives to the piece: homes of its own and a display."""
    home, temporary = folder / "home", folder / "tmp"
    for place in (home, temporary):
        place.mkdir(exist_ok=True)
    return {
        "PATH": os.environ["PATH"],
        "PYTHONPATH": str(ROOT),
        "HOME": str(home),
        "TMPDIR": str(temporary),
        "DISPLAY": display,
    }


@contextmanager
def running(command: list[str], folder: Path, display: str = "") -> Iterator[subprocess.Popen[str]]:
    """A process, and those that it starts; all of them end with the block."""
    with subprocess.Popen(
        command,
        cwd=folder,
        env=surroundings(folder, display),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    ) as process:
        try:
            yield process
        finally:
            # The group: a process that has ended by itself may have left others.
            with suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)


def kiosk(*arguments: str) -> list[str]:
    return [sys.executable, "-B", "-m", "kiosk", "run", *arguments]


def wait_until_live(piece: subprocess.Popen[str]) -> None:
    assert piece.stderr is not None
    assert any("state: live" in said for said in piece.stderr), "it ended"


def line(process: subprocess.Popen[str]) -> str:
    assert process.stdout is not None
    return process.stdout.readline().strip()


def told(process: subprocess.Popen[str]) -> str:
    """What a process that has ended wrote to its log."""
    assert process.stderr is not None
    return process.stderr.read()


def magenta(picture: Picture) -> int:
    """How many pixels of the source's picture are on the screen."""
    blue, green, red = (picture[..., channel].astype(int) for channel in range(3))
    return int(((blue - green > 60) & (red - green > 60)).sum())


def is_seen(picture: Picture) -> bool:
    return magenta(picture) > picture.shape[0] * picture.shape[1] / 4


def is_gone(picture: Picture) -> bool:
    return magenta(picture) == 0


def is_card(picture: Picture) -> bool:
    """Light letters in the middle of a black screen."""
    height, width, _ = picture.shape
    middle = picture[height // 3 : 2 * height // 3, width // 8 : -width // 8]
    return bool((middle.max(axis=2) > 150).sum() > 100 and np.median(middle) < 20)


@contextmanager
def screen(folder: Path) -> Iterator[tuple[str, Path]]:
    """A display, and the folder in which its screen is found."""
    wall = folder / "screen"
    wall.mkdir()
    with xvfb(*SCREEN_WH, fbdir=wall) as display:
        yield display, wall


@pytest.fixture
def source(tmp_path: Path) -> Path:
    """A picture that is easily found again."""
    path = tmp_path / "room.png"
    cv2.imwrite(str(path), np.full((360, 640, 3), MAGENTA, np.uint8))
    return path


def test_a_stream_that_hangs_and_dies_leaves_nobody_on_the_wall_and_comes_back(tmp_path: Path) -> None:
    serve = [sys.executable, "-B", "-c", SERVER]
    with (
        screen(tmp_path) as (display, wall),
        running([*serve, "0"], tmp_path) as server,
        running(kiosk("--source", url := line(server)), tmp_path, display) as piece,
    ):
        if not is_seen(wait_for(wall, is_seen, 20)):
            piece.kill()
            raise AssertionError(told(piece))
        os.killpg(server.pid, signal.SIGSTOP)
        assert is_gone(wait_for(wall, is_gone, 4)), "a frozen picture of a person must not stay"
        assert is_card(wait_for(wall, is_card, 2))
        os.killpg(server.pid, signal.SIGKILL)
        server.wait()
        port = url.rpartition(":")[2].partition("/")[0]
        with running([*serve, port], tmp_path) as again:
            assert line(again) == url
            back = is_seen(wait_for(wall, is_seen, 20))
            piece.send_signal(signal.SIGTERM)
            code = piece.wait(20)
            log = told(piece)
    assert (back, code) == (True, 0), log
    assert "reopening: stream http://127.0.0.1" in log
    assert "stream: gives pictures again" in log


def test_a_camera_that_blocks_ends_the_piece_and_meanwhile_a_card_stands(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "camera.avi")  # OpenCV waits for ever for somebody to write into it
    began = time.monotonic()
    with (
        screen(tmp_path) as (display, wall),
        running(kiosk("--source", "camera.avi"), tmp_path, display) as piece,
    ):
        assert is_card(wait_for(wall, is_card, 20))
        assert piece.wait(40) == 75
        assert time.monotonic() - began > 15
        log = told(piece).splitlines()
    assert log[-1] == "kiosk: stuck: a read has not returned for 15 seconds"
    assert not any("Traceback" in line for line in log)


def test_a_display_that_dies_ends_the_piece(source: Path, tmp_path: Path) -> None:
    with (
        running(XVFB, tmp_path) as server,
        running(kiosk("--source", str(source)), tmp_path, f":{line(server)}") as piece,
    ):
        wait_until_live(piece)
        os.killpg(server.pid, signal.SIGKILL)
        assert piece.wait(20) not in (0, None)
        assert "Traceback" not in told(piece)


def test_a_display_that_hangs_ends_the_piece_too(source: Path, tmp_path: Path) -> None:
    with running(XVFB, tmp_path) as server:
        command = [sys.executable, "-B", "-c", IMPATIENT, "run", "--source", str(source)]
        with running(command, tmp_path, f":{line(server)}") as piece:
            wait_until_live(piece)
            os.killpg(server.pid, signal.SIGSTOP)
            assert piece.wait(30) == 1
            log = told(piece)
    assert "Timeout (0:00:07.500000)!" in log
    assert "window.py" in log, "it is the flip that does not return"


def test_a_piece_that_is_killed_leaves_nothing_and_comes_back(source: Path, tmp_path: Path) -> None:
    loop = ["sh", "-c", SUPERVISOR, "sh", *kiosk("--source", str(source))]
    with screen(tmp_path) as (display, wall), running(loop, tmp_path, display) as supervisor:
        assert is_seen(wait_for(wall, is_seen, 20))
        piece = only_child(supervisor.pid)
        assert left_by(piece, tmp_path) != [], "while it runs its screen is in shared memory"
        os.kill(piece, signal.SIGKILL)
        assert is_gone(wait_for(wall, is_gone, 2)), "the display takes the picture away with its window"
        assert left_by(piece, tmp_path) == []
        assert is_seen(wait_for(wall, is_seen, 20))
        assert only_child(supervisor.pid) != piece


def only_child(pid: int) -> int:
    (child,) = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    return int(child)


def left_by(pid: int, folder: Path) -> list[str]:
    """Files where the piece stood and where it may store, and memory that outlives a process."""
    ours = {"room.png", "home", "tmp", "screen", "screen/Xvfb_screen0"}
    files = {str(path.relative_to(folder)) for path in folder.rglob("*")} - ours
    segments = [row.split() for row in Path("/proc/sysvipc/shm").read_text().splitlines()[1:]]
    return sorted(files) + [f"shared memory {row[1]}" for row in segments if int(row[4]) == pid]
