from __future__ import annotations

import os
import struct
import time
from collections.abc import Iterable
from pathlib import Path
from typing import ClassVar

import cv2
import numpy as np
import pytest

from kiosk.commands import devices
from kiosk.commands.devices import Node
from kiosk.errors import CameraError, DisplayError
from kiosk.messages import Frame
from kiosk.screen import displays
from kiosk.screen.displays import Found, Monitor
from kiosk.sections import CameraConfig
from kiosk.trust.machine import Line, State
from kiosk.vision.judge import Judge, Verdict
from kiosk.vision.measure import Measured, Measurement, measure
from kiosk.vision.sources import Plan
from tests import mjpeg
from tests.conftest import xvfb

OK, WRONG, UNKNOWN = State.OK, State.WRONG, State.UNKNOWN
ASKED = CameraConfig(width=1280, height=720, fps=30)
CAMERA = Plan("camera", "/dev/v4l/by-id/usb-Cam-video-index0")
BY_ID = "/dev/v4l/by-id/usb-Cam-video-index0: "


def only(lines: Iterable[Line]) -> Line:
    (line,) = lines
    return line


def measured(
    size_wh: tuple[int, int] = (1280, 720),
    fps: float = 29.8,
    damaged: int = 0,
    verdict: Verdict = Verdict.GOOD,
    encoding: str = "MJPG",
) -> Measured:
    return Measured(size_wh, 100 / fps, 101, damaged, verdict, encoding)


# A camera's node.


def test_a_node_is_looked_at_without_opening_it(tmp_path: Path) -> None:
    assert devices.node(tmp_path / "video0") == Node(tmp_path / "video0", False, False, "", ())
    fifo = tmp_path / "video1"  # to open it would wait for ever
    os.mkfifo(fifo)
    found = devices.node(fifo, tmp_path / "proc")
    assert (found.is_there, found.may_be_used, found.users) == (True, True, ())
    assert found.group


def test_who_has_a_camera_open_is_named(tmp_path: Path) -> None:
    node, link = tmp_path / "video0", tmp_path / "by-id"
    node.touch()
    link.symlink_to(node)
    for number, name, target in ((7, "cheese", node), (8, "bash", tmp_path), (os.getpid(), "kiosk", node)):
        process = tmp_path / "proc" / str(number)
        (process / "fd").mkdir(parents=True)
        (process / "comm").write_text(f"{name}\n")
        (process / "fd" / "3").symlink_to(target)
    (tmp_path / "proc" / "9").mkdir()  # another account's: its descriptors are not shown
    assert devices.node(link, tmp_path / "proc").users == ("cheese (7)",)


@pytest.mark.parametrize(
    ("node", "word", "cure"),
    [
        (Node(Path("/dev/video0"), False, False, "", ()), "is not there", "plug it in"),
        (Node(Path("/dev/video0"), True, False, "video", ()), "no right to", "usermod -aG video"),
        (Node(Path("/dev/video0"), True, True, "video", ("zoom (9)",)), "in use by zoom (9)", "end that"),
    ],
)
def test_what_keeps_a_camera_from_being_opened_is_wrong(node: Node, word: str, cure: str) -> None:
    line = only(devices.obstacles(node))
    assert line.state is WRONG
    assert word in line.found
    assert cure in line.cure


def test_a_free_camera_has_no_obstacle() -> None:
    assert list(devices.obstacles(Node(Path("/dev/video0"), True, True, "video", ()))) == []


# What a source gives.


def test_a_camera_that_gives_what_was_asked_for_is_right() -> None:
    line = only(devices.source(CAMERA, ASKED, measured()))
    assert str(line) == f"ok    camera: {BY_ID}1280x720 at 29.8 fps MJPG (asked 1280x720 30)"


@pytest.mark.parametrize(
    ("found", "state", "word", "cure"),
    [
        (measured(fps=9.9, encoding="YUYV"), WRONG, "9.9 fps YUYV (asked 1280x720 30), too slow", "light"),
        (measured(fps=24), OK, "24.0 fps", ""),
        (measured(size_wh=(640, 480)), WRONG, "another size", "camera.width: 640, camera.height: 480"),
        (measured(damaged=9), WRONG, "9 of 101 pictures damaged", "No space left on device"),
        (measured(damaged=1), OK, "29.8 fps", ""),
        (measured(verdict=Verdict.FROZEN), WRONG, "always the same picture", "unplug"),
        (measured(verdict=Verdict.BLACK), UNKNOWN, "black", "uncover"),
        (measured(encoding=""), OK, "29.8 fps (asked", ""),
    ],
)
def test_a_camera_that_gives_something_else_is_told_with_the_cure(
    found: Measured, state: State, word: str, cure: str
) -> None:
    line = only(devices.source(CAMERA, ASKED, found))
    assert line.state is state
    assert word in line.found
    assert cure in line.cure


def test_of_a_stream_and_a_file_nothing_was_asked_and_no_password_is_told() -> None:
    stream = Plan("stream", "rtsp://u:secret@10.0.0.5/live")
    line = only(devices.source(stream, ASKED, measured((640, 360), 12, encoding="")))
    assert str(line) == "ok    stream: rtsp://10.0.0.5: 640x360 at 12.0 fps"
    line = only(devices.source(Plan("demo", ""), ASKED, measured(encoding="")))
    assert str(line) == "ok    demo: 1280x720 at 29.8 fps"


def test_no_pictures_no_camera_and_no_answer() -> None:
    line = devices.no_pictures(CAMERA, "camera X: gives no picture")
    assert (line.state, line.found) == (WRONG, "camera X: gives no picture")
    assert "USB bus without bandwidth" in line.cure
    assert devices.no_pictures(Plan("video", "a.mp4"), "cannot be opened").cure == ""
    assert devices.no_camera().state is UNKNOWN
    assert devices.stuck(CAMERA).state is WRONG


# Measuring.


def test_frames_are_added_up_on_their_own_clock() -> None:
    measurement, draw = Measurement(Judge(5.0), "MJPG"), np.random.default_rng(1)
    for at in range(31):
        found = measurement.add(Frame(draw.integers(0, 256, (48, 64, 3), np.uint8), at, 7 + at / 15))
    assert found == Measured((64, 48), 2.0, 31, 0, Verdict.GOOD, "MJPG")
    assert found.fps == 15


def test_a_single_frame_has_no_rate() -> None:
    frame = Frame(np.full((48, 64, 3), 90, np.uint8), 0, 7.0)
    found = Measurement(Judge()).add(frame)
    assert (found.fps, found.damaged, found.verdict) == (0.0, 1, Verdict.DAMAGED)


def test_the_demo_is_measured() -> None:
    found = measure(Plan("demo", ""), ASKED, 0.3)
    assert found is not None
    assert found.size_wh == (1280, 720)
    assert 0.3 <= found.seconds < 1
    assert found.frames > 2


def test_a_stream_is_measured_and_hung_up() -> None:
    draw = np.random.default_rng(1)
    with mjpeg.serve([draw.integers(0, 256, (120, 160, 3), np.uint8) for _ in range(8)]) as url:
        found = measure(Plan("stream", url), ASKED, 0.3)
    assert found is not None
    assert (found.size_wh, found.verdict) == ((160, 120), Verdict.GOOD)


def test_a_source_that_gives_nothing_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(CameraError, match="cannot be opened"):
        measure(Plan("camera", str(tmp_path / "video0")), ASKED, 0.3)


class FrozenCapture:
    """cv2.VideoCapture of a camera that gives the last buffer again and again."""

    released: ClassVar[list[FrozenCapture]] = []

    def __init__(self, node: object, backend: int = 0) -> None:
        self.image = np.random.default_rng(1).integers(0, 256, (48, 64, 3), np.uint8)

    def isOpened(self) -> bool:  # noqa: N802  (OpenCV's name)
        return True

    def set(self, wish: int, value: float) -> bool:
        return True

    def get(self, wish: int) -> float:
        return 0.0

    def read(self) -> tuple[bool, np.ndarray]:
        time.sleep(0.01)
        return True, self.image.copy()

    def release(self) -> None:
        self.released.append(self)


def test_a_frozen_camera_is_found_in_less_than_five_seconds_and_let_go(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(cv2, "VideoCapture", FrozenCapture)
    FrozenCapture.released.clear()
    found = measure(Plan("camera", "0"), ASKED, 1.1)
    assert found is not None
    assert found.verdict is Verdict.FROZEN
    assert len(FrozenCapture.released) == 1


# The display.


def test_the_screens_of_a_desktop_are_told_and_the_one_that_is_taken() -> None:
    found = Found("x11", ((1920, 1080), (1080, 1920)))
    line = only(devices.display(found, 1))
    assert str(line) == "ok    display: x11, screen 0: 1920x1080, 1: 1080x1920; the piece takes 1"
    line = only(devices.display(found, 2))
    assert (line.state, "no screen 2" in line.found) == (WRONG, True)


def test_sdl_finds_the_screen_of_an_x_server(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("SDL_VIDEODRIVER", raising=False)
    with xvfb(800, 600) as name:
        monkeypatch.setenv("DISPLAY", name)
        assert displays.found() == Found("x11", ((800, 600),))


def test_a_driver_that_nobody_sees_is_no_display(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SDL_VIDEODRIVER", "dummy")
    with pytest.raises(DisplayError, match="'dummy', which nobody sees"):
        displays.found()
    monkeypatch.setenv("SDL_VIDEODRIVER", "x11")
    monkeypatch.setenv("DISPLAY", ":987")
    with pytest.raises(DisplayError, match="SDL finds none"):
        displays.found()


def test_no_display_is_wrong_but_unknown_to_a_shell_that_belongs_to_none() -> None:
    none = devices.no_display("SDL finds none", {}, ())
    assert (none.state, "no desktop runs" in none.found) == (WRONG, True)
    there = devices.no_display("SDL finds none", {"DISPLAY": ""}, ("DISPLAY=:0",))
    assert (there.state, there.cure) == (UNKNOWN, "from the account of the desktop: DISPLAY=:0 kiosk doctor")
    refused = devices.no_display("SDL finds none", {"DISPLAY": ":0"}, ("DISPLAY=:0",))
    assert (refused.state, refused.found) == (WRONG, "SDL finds none (DISPLAY=:0)")


def test_the_desktops_that_run_are_named_as_one_would_set_them(tmp_path: Path) -> None:
    assert displays.desktops(tmp_path) == ()
    for name in ("tmp/.X11-unix/X0", "run/user/1000/wayland-0", "run/user/1000/wayland-0.lock"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).touch()
    assert displays.desktops(tmp_path) == (
        "DISPLAY=:0",
        "XDG_RUNTIME_DIR=/run/user/1000 WAYLAND_DISPLAY=wayland-0",
    )


def edid(width: int, height: int, blank_wh: tuple[int, int], clock_hz: int, cm: tuple[int, int]) -> bytes:
    """A monitor's own description, with one detailed timing."""
    block = bytearray(128)
    block[:8] = b"\0\xff\xff\xff\xff\xff\xff\0"
    block[21:23] = bytes(cm)
    struct.pack_into("<H", block, 54, clock_hz // 10_000)
    for at, active, blank in ((56, width, blank_wh[0]), (59, height, blank_wh[1])):
        block[at], block[at + 1] = active & 0xFF, blank & 0xFF
        block[at + 2] = active >> 8 << 4 | blank >> 8
    return bytes(block)


def plug(root: Path, name: str, status: str, dpms: str = "On", content: bytes = b"") -> None:
    folder = root / "sys/class/drm" / name
    folder.mkdir(parents=True)
    (folder / "status").write_text(f"{status}\n")
    (folder / "dpms").write_text(f"{dpms}\n")
    (folder / "edid").write_bytes(content)


def test_monitors_tell_their_size_rate_and_sleep(tmp_path: Path) -> None:
    (tmp_path / "sys/class/drm/card0").mkdir(parents=True)
    plug(tmp_path, "card0-DP-1", "disconnected", "Off")
    full_hd = edid(1920, 1080, (280, 45), 148_500_000, (121, 68))
    plug(tmp_path, "card0-HDMI-A-1", "connected", "On", full_hd)
    plug(tmp_path, "card0-HDMI-A-2", "connected", "Off", edid(3840, 2160, (560, 90), 594_000_000, (0, 0)))
    plug(tmp_path, "card1-VGA-1", "connected", "On", full_hd[:100])
    first, second, third = displays.monitors(tmp_path)
    assert (first.name, first.is_on, first.size_wh, first.refresh_hz) == ("HDMI-A-1", True, (1920, 1080), 60)
    assert first.diagonal == pytest.approx(54.6, abs=0.1)
    assert (second.is_on, second.size_wh, second.refresh_hz, second.diagonal) == (False, (3840, 2160), 60, 0)
    assert third == Monitor("VGA-1", True, None, 0.0, 0.0)
    lines = list(devices.monitors((first, second, third)))
    assert [(line.state, line.found) for line in lines] == [
        (OK, "HDMI-A-1: 1920x1080 at 60 Hz, 55 inches"),
        (WRONG, "HDMI-A-2: 3840x2160 at 60 Hz, asleep"),
        (OK, "VGA-1: size unknown"),
    ]


def test_no_monitor_known_is_unknown(tmp_path: Path) -> None:
    assert tuple(displays.monitors(tmp_path)) == ()
    assert only(devices.monitors(())).state is UNKNOWN


@pytest.mark.parametrize(
    ("driver", "console", "state"),
    [("", 0, OK), ("", 600, WRONG), ("kmsdrm", 600, WRONG), ("x11", 600, UNKNOWN), ("wayland", 0, UNKNOWN)],
)
def test_who_may_turn_the_screen_black_is_told(driver: str, console: int, state: State) -> None:
    assert only(devices.blanking(driver, console)).state is state


def test_the_consoles_blanking_is_read(tmp_path: Path) -> None:
    with pytest.raises(OSError, match="No such file"):
        displays.console_blanks_after(tmp_path)
    path = tmp_path / "sys/module/kernel/parameters/consoleblank"
    path.parent.mkdir(parents=True)
    path.write_text("600\n")
    assert displays.console_blanks_after(tmp_path) == 600
