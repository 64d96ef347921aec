from __future__ import annotations

import time
from itertools import pairwise
from pathlib import Path
from typing import ClassVar

import cv2
import numpy as np
import pytest

from kiosk.errors import CameraError, ConfigError, InputError
from kiosk.sections import CameraConfig
from kiosk.vision import camera, sources
from kiosk.vision.format import MEASURED_FRAMES
from kiosk.vision.sources import Paced, Plan, open_source, plan
from tests import mjpeg

CONFIG = CameraConfig(width=640, height=480, fps=25)


def patterns(count: int) -> list[np.ndarray]:
    """Pictures whose brightness tells their number."""
    return [np.full((120, 160, 3), 20 + 20 * at, np.uint8) for at in range(count)]


def video(path: Path, count: int = 8, fps: float = 50) -> str:
    writer = cv2.VideoWriter(str(path), cv2.VideoWriter.fourcc(*"MJPG"), fps, (160, 120))
    for image in patterns(count):
        writer.write(image)
    writer.release()
    return str(path)


@pytest.fixture
def devices(tmp_path: Path) -> Path:
    folder = tmp_path / "dev"
    (folder / "v4l" / "by-id").mkdir(parents=True)
    return folder


def test_auto_is_the_demo_where_there_is_no_camera(devices: Path) -> None:
    assert plan("auto", devices) == Plan("demo", "")


def test_auto_takes_the_camera_by_its_lasting_name(devices: Path) -> None:
    for number in (0, 1):
        (devices / f"video{number}").touch()
        (devices / "v4l" / "by-id" / f"usb-Cam-video-index{number}").symlink_to(f"../../video{number}")
    assert plan("auto", devices) == Plan("camera", f"{devices}/v4l/by-id/usb-Cam-video-index0")


def test_auto_takes_a_camera_without_a_lasting_name_too(devices: Path) -> None:
    (devices / "video7").touch()
    assert plan("auto", devices) == Plan("camera", f"{devices}/video7")


@pytest.mark.parametrize(
    ("source", "kind"),
    [
        ("demo", "demo"),
        ("0", "camera"),
        ("/dev/video3", "camera"),
        ("/dev/v4l/by-id/usb-Cam-video-index0", "camera"),
        ("rtsp://10.0.0.5/live", "stream"),
        ("http://localhost:8080/video", "stream"),
    ],
)
def test_a_source_says_what_it_is(source: str, kind: str) -> None:
    found = plan(source)
    assert found.kind == kind
    assert found.is_live == (kind in ("camera", "stream"))


def test_a_password_is_in_no_message() -> None:
    assert str(plan("rtsp://u:secret@10.0.0.5:554/live?token=secret")) == "stream rtsp://10.0.0.5:554"
    for address in (
        "u:se/cret@10.0.0.5:554",
        "u:secret?cret@10.0.0.5/v",
        "u:se#cret@10.0.0.5",
        "10.0.0.5:554/x?password=secret@1",
    ):
        assert str(plan(f"rtsp://{address}")) == "stream rtsp://…"
    for mistake in ("user:secret@host/x", "rtsp:user:secret@h", "http:/user:secret@h", " rtsp://u:se?cret@h"):
        with pytest.raises(ConfigError) as told:
            plan(mistake)
        assert "cret" not in str(told.value)
    assert plan("RTSP://u:secret@camera/live").kind == "stream"
    assert str(plan("demo")) == "demo"


def test_files_are_told_apart_by_their_ending(tmp_path: Path) -> None:
    for name, kind in (("a.jpg", "picture"), ("b.PNG", "picture"), ("c.mp4", "video"), ("d", "video")):
        (tmp_path / name).touch()
        assert plan(str(tmp_path / name)).kind == kind


def test_a_source_that_is_nothing_is_told_what_it_could_be(devices: Path) -> None:
    (devices / "video7").touch()
    with pytest.raises(ConfigError, match=r"no file 'demoo'\. Cameras: .*video7"):
        plan("demoo", devices)


def test_a_metadata_node_is_refused(devices: Path) -> None:
    with pytest.raises(ConfigError, match="index0"):
        plan(f"{devices}/v4l/by-id/usb-Cam-video-index1", devices)


class FakeCapture:
    """cv2.VideoCapture as a driver is: it takes every wish and does what it likes."""

    opened = True
    made: ClassVar[list[FakeCapture]] = []

    def __init__(self, node: object, backend: int = 0) -> None:
        self.node, self.wishes, self.reads, self.released = node, [], 0, False
        self.images: list[object] = []
        FakeCapture.made.append(self)

    def isOpened(self) -> bool:  # noqa: N802  (OpenCV's name)
        return self.opened

    def set(self, wish: int, value: float) -> bool:
        self.wishes.append((wish, value))
        return True

    def get(self, wish: int) -> float:
        return float(cv2.VideoWriter.fourcc(*"YUYV"))

    def read(self) -> tuple[bool, object]:
        self.reads += 1
        image = self.images.pop(0) if self.images else np.full((48, 64, 3), self.reads % 256, np.uint8)
        if isinstance(image, cv2.error):
            raise image
        return image is not None, image

    def grab(self) -> bool:
        self.reads += 1
        return True

    def release(self) -> None:
        self.released = True


@pytest.fixture
def fake(monkeypatch: pytest.MonkeyPatch) -> type[FakeCapture]:
    monkeypatch.setattr(cv2, "VideoCapture", FakeCapture)
    monkeypatch.setattr(FakeCapture, "opened", True)
    FakeCapture.made.clear()
    return FakeCapture


def test_a_camera_is_asked_for_format_then_size_then_rate(fake: type[FakeCapture]) -> None:
    open_source(Plan("camera", "0"), CONFIG)
    assert fake.made[0].node == 0
    assert fake.made[0].wishes == [
        (cv2.CAP_PROP_FOURCC, cv2.VideoWriter.fourcc(*"MJPG")),
        (cv2.CAP_PROP_FRAME_WIDTH, 640),
        (cv2.CAP_PROP_FRAME_HEIGHT, 480),
        (cv2.CAP_PROP_FPS, 25),
    ]


def test_the_dark_frames_after_opening_are_not_shown(fake: type[FakeCapture]) -> None:
    source = open_source(Plan("camera", "0"), CONFIG)
    assert source.read().image[0, 0, 0] == camera.DARK_FRAMES + 1


def test_what_a_camera_really_gives_is_measured_and_logged_once(
    fake: type[FakeCapture], caplog: pytest.LogCaptureFixture
) -> None:
    source = open_source(Plan("camera", "0"), CONFIG)
    with caplog.at_level("INFO"):
        for _ in range(3 * MEASURED_FRAMES):
            source.read()
    (line,) = [record.getMessage() for record in caplog.records]
    assert "asked 640x480 25 fps MJPG; gives 64x48" in line
    assert "YUYV" in line


def test_a_link_is_followed_anew_at_each_opening(fake: type[FakeCapture], tmp_path: Path) -> None:
    link = tmp_path / "camera"
    for number in (0, 1):
        (tmp_path / f"video{number}").touch()
        link.unlink(missing_ok=True)
        link.symlink_to(tmp_path / f"video{number}")
        open_source(Plan("camera", str(link)), CONFIG)
    assert [capture.node for capture in fake.made] == [str(tmp_path / "video0"), str(tmp_path / "video1")]


@pytest.mark.parametrize("shape", [(48, 64), (48, 64, 1), (48, 64, 4), (480, 640, 3)])
def test_a_change_of_format_in_mid_stream_is_no_crash(
    fake: type[FakeCapture], shape: tuple[int, ...]
) -> None:
    source = open_source(Plan("camera", "0"), CONFIG)
    fake.made[0].images = [np.full(shape, 77, np.uint8)]
    frame = source.read()
    assert frame.image.shape == (*shape[:2], 3)
    assert (frame.image == 77).all()


def test_a_camera_that_gives_nothing_or_cannot_be_opened_is_an_error(
    fake: type[FakeCapture], monkeypatch: pytest.MonkeyPatch
) -> None:
    source = open_source(Plan("camera", "0"), CONFIG)
    fake.made[0].images = [None]
    with pytest.raises(CameraError, match="gives no picture"):
        source.read()
    source.close()
    assert fake.made[0].released
    monkeypatch.setattr(fake, "opened", False)
    with pytest.raises(CameraError, match="cannot be opened"):
        open_source(Plan("camera", "0"), CONFIG)


@pytest.mark.parametrize("good", [0, 1, camera.DARK_FRAMES - 1])
def test_a_camera_that_opens_and_gives_nothing_is_in_use_or_its_bus_is_full(
    fake: type[FakeCapture], good: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    def silent(capture: FakeCapture) -> tuple[bool, object]:
        capture.reads += 1
        return (True, np.zeros((48, 64, 3), np.uint8)) if capture.reads <= good else (False, None)

    monkeypatch.setattr(fake, "read", silent)
    with pytest.raises(CameraError, match=r"camera 0: .*another program.*USB bus has no bandwidth") as caught:
        open_source(Plan("camera", "0"), CONFIG)
    assert "disk" not in str(caught.value) and "space" not in str(caught.value)
    assert fake.made[0].released


def test_what_opencv_raises_is_a_camera_error_in_one_line(fake: type[FakeCapture]) -> None:
    source = open_source(Plan("camera", "0"), CONFIG)
    fake.made[0].images = [cv2.error("OpenCV(5.0.0) jpeg.cpp:1:\n error: (-215)\n> in function 'decode'\n")]
    with pytest.raises(CameraError, match=r"^camera 0: [^\n]*in function 'decode'$"):
        source.read()


def test_what_opencv_raises_in_opening_is_a_camera_error_too(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: object) -> object:
        raise cv2.error("no such backend")

    monkeypatch.setattr(cv2, "VideoCapture", broken)
    for what in (Plan("camera", "0"), Plan("stream", "http://127.0.0.1:9/"), Plan("video", "walk.avi")):
        with pytest.raises(CameraError, match="no such backend"):
            open_source(what, CONFIG)


@pytest.mark.parametrize(
    "image",
    [
        np.zeros((48, 64, 2), np.uint8),  # YUYV that nobody has decoded
        np.zeros((48, 64), np.uint16),  # an infrared camera
        np.zeros((0, 64, 3), np.uint8),
        np.zeros((48, 64, 3, 1), np.uint8),
        np.zeros((1, 4096), np.float32),
    ],
    ids=lambda image: f"{image.shape} {image.dtype}",
)
def test_what_is_no_picture_is_a_camera_error_and_no_crash(
    fake: type[FakeCapture], image: np.ndarray
) -> None:
    source = open_source(Plan("camera", "0"), CONFIG)
    fake.made[0].images = [image]
    with pytest.raises(CameraError, match="which is no picture"):
        source.read()
    assert source.read().image.shape == (48, 64, 3)


def test_a_camera_is_called_what_its_driver_calls_it(tmp_path: Path) -> None:
    (tmp_path / "video2").mkdir()
    (tmp_path / "video2" / "name").write_bytes(b"HD Pro Webcam C920\x1b[31m\xff\n")
    assert camera.model("2", tmp_path) == "HD Pro Webcam C920[31m\ufffd"
    assert camera.model("/dev/video2", tmp_path) == "HD Pro Webcam C920[31m\ufffd"
    assert camera.model("3", tmp_path) == "3"
    (tmp_path / "video2" / "name").write_text("\n")
    assert camera.model("2", tmp_path) == "2"


def test_every_source_says_what_it_gives(tmp_path: Path, fake: type[FakeCapture]) -> None:
    source = open_source(Plan("camera", "/dev/video98"), CONFIG)
    assert source.format is None
    source.read(), source.read()
    found = source.format
    assert found is not None
    assert (found.name, found.width, found.height, found.fourcc) == ("/dev/video98", 64, 48, "YUYV")
    assert found.fps > 0


def test_pictures_that_are_passed_by_count(fake: type[FakeCapture]) -> None:
    source = open_source(Plan("camera", "/dev/video98"), CONFIG)
    first = source.read().index
    source.skip(), source.skip()
    assert source.read().index == first + 3


def test_files_and_the_demo_say_what_they_give_too(tmp_path: Path) -> None:
    path = video(tmp_path / "walk.avi")
    cv2.imwrite(str(tmp_path / "one.png"), patterns(3)[2])
    for name, size_wh, fps, fourcc in (
        (path, (160, 120), 50, "MJPG"),
        (str(tmp_path / "one.png"), (160, 120), 10, ""),
        ("demo", (1280, 720), 25, ""),
    ):
        source = open_source(plan(name), CONFIG)
        for _ in range(10):  # so many that a late first one does not matter
            source.read()
        source.close()
        found = source.format
        assert found is not None
        assert (found.name, found.width, found.height, found.fourcc) == (name, *size_wh, fourcc)
        assert 0 < found.fps < 1.5 * fps


def test_a_real_driver_without_a_camera_is_an_error_in_words(tmp_path: Path) -> None:
    with pytest.raises(CameraError, match="cannot be opened"):
        open_source(Plan("camera", str(tmp_path / "video0")), CONFIG)


def test_a_stream_gives_its_pictures() -> None:
    with mjpeg.serve(patterns(8)) as url:
        source = open_source(plan(url), CONFIG)
        frames = [source.read() for _ in range(12)]
        source.close()
    assert source.format is not None
    assert f"stream {source.format.name}" == str(plan(url))
    assert (source.format.width, source.format.height) == (160, 120)
    assert [frame.index for frame in frames] == list(range(12))
    assert {frame.image.shape for frame in frames} == {(120, 160, 3)}
    levels = [round((int(frame.image[60, 80, 0]) - 20) / 20) for frame in frames]
    assert [(b - a) % 8 for a, b in pairwise(levels)] == [1] * 11


def test_a_stream_that_ends_is_an_error_and_its_password_is_not_told() -> None:
    with mjpeg.serve(patterns(2)) as url:
        source = open_source(plan(url.replace("//", "//visitor:secret@")), CONFIG)
        source.read()
    with pytest.raises(CameraError, match="gives no picture") as ended:
        for _ in range(200):
            source.read()
    assert "secret" not in str(ended.value)
    source.close()


def test_a_stream_that_nobody_serves_is_an_error() -> None:
    with pytest.raises(CameraError, match="cannot be opened"):
        open_source(Plan("stream", "http://127.0.0.1:9/video"), CONFIG)


def test_a_video_is_looped_at_its_own_speed(tmp_path: Path) -> None:
    source = open_source(plan(video(tmp_path / "walk.avi")), CONFIG)
    began = time.monotonic()
    levels = [int(source.read().image[60, 80, 0]) for _ in range(20)]
    elapsed = time.monotonic() - began
    source.close()
    assert levels[:8] == pytest.approx([20 + 20 * at for at in range(8)], abs=3)
    assert levels[8:16] == pytest.approx(levels[:8], abs=1)
    assert elapsed >= 19 / 50


def test_a_file_that_is_no_video_or_picture_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("hello")
    with pytest.raises(CameraError, match=r"notes\.txt: cannot be opened as a video"):
        open_source(plan(str(tmp_path / "notes.txt")), CONFIG)
    (tmp_path / "notes.png").write_text("hello")
    with pytest.raises(InputError, match="not a picture"):
        open_source(plan(str(tmp_path / "notes.png")), CONFIG)


def test_a_picture_is_shown_again_and_again(tmp_path: Path) -> None:
    cv2.imwrite(str(tmp_path / "one.png"), patterns(3)[2])
    source = open_source(plan(str(tmp_path / "one.png")), CONFIG)
    first, second = source.read(), source.read()
    np.testing.assert_array_equal(first.image, second.image)
    assert (first.index, second.index) == (0, 1)
    assert second.captured_at > first.captured_at


def test_the_demo_is_a_source_like_any_other() -> None:
    source = open_source(plan("demo"), CONFIG)
    assert source.read().image.shape == (720, 1280, 3)


class Clock:
    """A clock that only sleeping moves."""

    def __init__(self) -> None:
        self.now = 50.0
        self.slept: list[float] = []

    def __call__(self) -> float:
        return self.now

    def sleep(self, seconds: float) -> None:
        self.slept.append(seconds)
        self.now += seconds


def test_a_paced_source_keeps_its_rate_and_builds_up_no_debt() -> None:
    clock = Clock()
    source = Paced(lambda index: np.zeros((4, 6, 3), np.uint8), 10, clock, clock.sleep)
    assert [source.read().captured_at for _ in range(3)] == pytest.approx([50.0, 50.1, 50.2])
    clock.now += 5  # the reader was away: the frames of that time are not made up for
    assert source.read().captured_at == pytest.approx(55.2)
    assert source.read().captured_at == pytest.approx(55.3)


def test_only_linux_lists_devices(monkeypatch: pytest.MonkeyPatch, fake: type[FakeCapture]) -> None:
    monkeypatch.setattr(camera.sys, "platform", "darwin")
    assert sources.cameras() == ("0",)
    monkeypatch.setattr(fake, "opened", False)
    assert sources.cameras() == ()


@pytest.mark.parametrize("source", ["99999999999999", "x" * 5000])
def test_a_source_that_no_system_can_open_is_told_in_a_line(source: str) -> None:
    with pytest.raises(ConfigError):
        plan(source)
