"""A V4L2 camera: found, opened, asked for a format, and measured."""

from __future__ import annotations

import logging
import sys
import time
from pathlib import Path

import cv2
import numpy as np

from kiosk.config import CameraConfig
from kiosk.errors import CameraError
from kiosk.messages import Frame, Image

log = logging.getLogger(__name__)

DEVICES = Path("/dev")
# Auto-exposure: the first frames after opening are dark (opencv#23202).
DARK_FRAMES = 20
MEASURED_FRAMES = 60


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


class Camera:
    """A V4L2 camera (or what the platform has), by number or path."""

    def __init__(self, target: str, config: CameraConfig) -> None:
        self._name = f"camera {target}"
        node = int(target) if target.isdecimal() else str(device(target))
        backend = cv2.CAP_V4L2 if sys.platform.startswith("linux") else cv2.CAP_ANY
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
        self._first_at = 0.0
        for _ in range(DARK_FRAMES):
            grab(self._capture, self._name)

    def read(self) -> Frame:
        """The next picture."""
        image = grab(self._capture, self._name)
        frame = Frame(image, self._index, time.monotonic())
        if self._index == 0:
            self._first_at = frame.captured_at
        elif self._index == MEASURED_FRAMES:
            self._report(frame)
        self._index += 1
        return frame

    def close(self) -> None:
        """Release the device."""
        self._capture.release()

    def _report(self, frame: Frame) -> None:
        code = (
            int(self._capture.get(cv2.CAP_PROP_FOURCC))
            .to_bytes(4, "little")
            .decode("ascii", "replace")
            .strip("\0 ")
        )
        fps = MEASURED_FRAMES / (frame.captured_at - self._first_at)
        width, height = frame.size_wh
        log.info("%s: %s; gives %dx%d %.1f fps %s", self._name, self._asked, width, height, fps, code)


def grab(capture: cv2.VideoCapture, name: str) -> Image:
    """The next picture, as BGR. Raises CameraError where none comes."""
    good, image = capture.read()
    if not good or image is None:
        raise CameraError(f"{name}: gives no picture")
    return as_bgr(image)


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
