"""Under Wayland: weston, nested in an X server. Without a seat, as headless, SDL 2.28 ends with a fault."""

from __future__ import annotations

import os
import signal
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.conftest import xvfb
from tests.test_app import kiosk, wait_for_a_box

SOCKET = "wayland-kiosk"


@contextmanager
def weston(display: str, folder: Path) -> Iterator[subprocess.Popen[bytes]]:
    """A compositor whose screen is a window on an X server; `folder` holds its socket."""
    folder.chmod(0o700)
    command = [
        "weston", "--backend=x11-backend.so", "--use-pixman", "--width=1280", "--height=720",
        f"--socket={SOCKET}", "--idle-time=0",
    ]  # fmt: skip
    environment = {**os.environ, "DISPLAY": display, "XDG_RUNTIME_DIR": str(folder)}
    with subprocess.Popen(
        command, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    ) as compositor:
        deadline = time.monotonic() + 20
        while not (folder / SOCKET).exists():
            assert time.monotonic() < deadline, "weston does not start"
            time.sleep(0.1)
        yield compositor
        compositor.kill()


def test_the_piece_runs_sealed_under_wayland_and_ends_when_the_compositor_is_killed(tmp_path: Path) -> None:
    framebuffer, sockets = tmp_path / "screen", tmp_path / "sockets"
    framebuffer.mkdir()
    sockets.mkdir()
    with xvfb(1280, 720, fbdir=framebuffer) as display, weston(display, sockets) as compositor:
        child = kiosk(
            "run", "--source", "demo", WAYLAND_DISPLAY=SOCKET, XDG_RUNTIME_DIR=str(sockets),
            SDL_VIDEODRIVER="wayland",
        )  # fmt: skip
        wait_for_a_box(framebuffer, child)
        compositor.send_signal(signal.SIGKILL)
        _, err = child.communicate(timeout=30)
    assert child.returncode == 69, err
    assert "the display went away" in err
    assert "Traceback" not in err
