"""A V4L2 camera: found, opened, asked for a format, and measured. Whatever goes wrong is a CameraError."""

from __future__ import annotations

import logging
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import cv2
import numpy as np

from kiosk.errors import CameraError
from kiosk.messages import Frame, Image
from kiosk.sections import CameraConfig
from kiosk.vision.format import MEASURED_FRAMES, Format, Meter

log = logging.getLogger(__name__)

DEVICES = Path("/dev")
SYSTEM = Path("/sys/class/video4linux")
# Auto-exposure: the first frames after opening are dark (opencv#23202).
DARK_FRAMES = 20
LONGEST_REASON = 200


def cameras(devices: Path = DEVICES) -> tuple[str, ...]:
    """The cameras of this machine, best name first; elsewhere than on Linux only the first, by number."""
    if not sys.platform.startswith("linux"):
        capture = cv2.VideoCapture(0)
        opened = capture.isOpened()
        capture.release()
        return ("0",) if opened else ()
    by_id = sorted(str(link) for link in devices.glob("v4l/by-id/*-video-index0"))
    if by_id:
        return tuple(by_id)
    return tuple(str(node) for node in sorted(devices.glob("video[0-9]*")) if _gives_pictures(node))


def device(target: str) -> Path:
    """The device node of a camera, now: its number changes when it is plugged in again."""
    return DEVICES / f"video{target}" if target.isdecimal() else Path(target).resolve()


def model(target: str, system: Path = SYSTEM) -> str:
    """What the driver calls a camera, such as "HD Pro Webcam C920"; else its number or path."""
    try:
        said = (system / device(target).name / "name").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return target
    return "".join(letter for letter in said if letter.isprintable()).strip() or target


class Camera:
    """A V4L2 camera (or what the platform has), by number or path."""

    def __init__(self, target: str, config: CameraConfig) -> None:
        """Raises CameraError where it is not there, or gives no picture."""
        self._name = f"camera {target}"
        node = int(target) if target.isdecimal() else str(device(target))
        backend = cv2.CAP_V4L2 if sys.platform.startswith("linux") else cv2.CAP_ANY
        with in_words(self._name):
            self._capture = cv2.VideoCapture(node, backend)
            if not self._capture.isOpened():
                known = ", ".join(cameras()) or "none found"
                raise CameraError(f"{self._name}: cannot be opened (absent, or in use). Cameras: {known}")
            # In this order: the size decides among the rates that the format allows. YUYV 1080p gives 6 fps.
            self._capture.set(cv2.CAP_PROP_FOURCC, cv2.VideoWriter.fourcc(*"MJPG"))
            self._capture.set(cv2.CAP_PROP_FRAME_WIDTH, config.width)
            self._capture.set(cv2.CAP_PROP_FRAME_HEIGHT, config.height)
            self._capture.set(cv2.CAP_PROP_FPS, config.fps)
        self._asked = f"asked {config.width}x{config.height} {config.fps} fps MJPG"
        self._index = 0
        self._pass_by_the_dark()
        self.encoding = encoding(self._capture)
        """MJPG, YUYV ..., as the driver says."""
        self._meter = Meter(model(target), self.encoding)

    def read(self) -> Frame:
        """The next picture."""
        frame = self._meter.count(Frame(grab(self._capture, self._name), self._index, time.monotonic()))
        self._count()
        return frame

    def skip(self) -> None:
        """Pass by the next picture."""
        pass_by(self._capture, self._name)
        self._meter.skip(time.monotonic())
        self._count()

    def _count(self) -> None:
        if self._index == MEASURED_FRAMES:
            log.info("%s: %s; gives %s", self._name, self._asked, self.format)
        self._index += 1

    @property
    def format(self) -> Format | None:
        """What it really gives; None before the second frame."""
        return self._meter.format

    def close(self) -> None:
        """Release the device."""
        self._capture.release()

    def _pass_by_the_dark(self) -> None:
        try:
            for _ in range(DARK_FRAMES):
                grab(self._capture, self._name)
        except CameraError as error:
            self._capture.release()
            # The kernel's own word for the second, "No space left on device", sends people to the disk.
            raise CameraError(
                f"{self._name}: can be opened, but gives no picture: another program may be using it, or the "
                "USB bus has no bandwidth left (then another port, without a hub or another camera on it)"
            ) from error


@contextmanager
def in_words(name: str) -> Iterator[None]:
    """Raise as a CameraError what OpenCV raises inside."""
    try:
        yield
    except cv2.error as error:
        reason = " ".join(str(error).split())
        raise CameraError(f"{name}: gives no picture; OpenCV says: {reason[:LONGEST_REASON]}") from error


def grab(capture: cv2.VideoCapture, name: str) -> Image:
    """The next picture, as BGR. Raises CameraError where none comes."""
    with in_words(name):
        good, image = capture.read()
        if not good or image is None:
            raise CameraError(f"{name}: gives no picture")
        if image.dtype != np.uint8 or not image.size or image.shape[2:] not in ((), (1,), (3,), (4,)):
            raise CameraError(f"{name}: gives {image.shape} {image.dtype}, which is no picture")
        return as_bgr(image)


def pass_by(capture: cv2.VideoCapture, name: str) -> None:
    """Wait for the next picture and do not decode it. Raises CameraError where none comes."""
    with in_words(name):
        if not capture.grab():
            raise CameraError(f"{name}: gives no picture")


def encoding(capture: cv2.VideoCapture) -> str:
    """MJPG, YUYV, h264 ...: four letters, as the driver says."""
    code = int(capture.get(cv2.CAP_PROP_FOURCC)) & 0xFFFFFFFF
    return code.to_bytes(4, "little").decode("ascii", "replace").strip("\0 ")


def as_bgr(image: np.ndarray) -> Image:
    """Three channels, whatever came: drivers change to grey or four when they renegotiate (Motion#1054)."""
    if image.ndim == 2 or image.shape[2] == 1:
        return np.asarray(cv2.cvtColor(image, cv2.COLOR_GRAY2BGR), np.uint8)
    if image.shape[2] == 4:
        return np.asarray(cv2.cvtColor(image, cv2.COLOR_BGRA2BGR), np.uint8)
    return image


def _gives_pictures(node: Path) -> bool:
    """A camera has a second node for metadata: its index in sysfs is not 0."""
    index = Path("/sys/class/video4linux") / node.name / "index"
    try:
        return index.read_text().strip() == "0"
    except OSError:
        return True
