"""Where frames come from: camera, stream, video file, picture, demo. Alone opens cv2.VideoCapture.

A source's `read()` waits for its next frame and returns it; only the thread that reads may close it.
"""

from __future__ import annotations

import re
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

import cv2

from kiosk.config import redacted
from kiosk.document import key_at
from kiosk.errors import CameraError, ConfigError
from kiosk.messages import Frame, Image
from kiosk.sections import CameraConfig
from kiosk.vision.camera import DEVICES, Camera, cameras, encoding, grab, in_words, pass_by
from kiosk.vision.demo import Demo
from kiosk.vision.format import Format, Meter
from kiosk.vision.pictures import read_picture

PICTURE_FPS = 10.0
LONGEST_NUMBER = 3
STREAM_TIMEOUT_MS = 5000
_PICTURES = {".bmp", ".jpeg", ".jpg", ".png", ".tif", ".tiff", ".webp"}


class Source(Protocol):
    """Frames, one after the other."""

    def read(self) -> Frame:
        """Wait for the next frame. Raises CameraError where none comes."""

    def skip(self) -> None:
        """Wait for the next frame and pass it by, at less cost than reading it. Raises CameraError."""

    @property
    def format(self) -> Format | None:
        """What it really gives, as of the last frame; None before the second."""

    def close(self) -> None:
        """Let go of the device. Only the reading thread may call this (opencv-python#121)."""


@dataclass(frozen=True)
class Plan:
    """What to open."""

    kind: str
    """camera, stream, video, picture or demo."""
    target: str
    """Number or path of a camera, URL, or path of a file; empty for the demo."""

    def __str__(self) -> str:
        """For the log."""
        return f"{self.kind} {redacted(self.target)}".rstrip()

    @property
    def is_live(self) -> bool:
        """Whether real passers-by are seen: then nothing about them may be printed."""
        return self.kind in ("camera", "stream")


def plan(source: str, devices: Path = DEVICES) -> Plan:
    """What a `source` of the configuration means here. Raises ConfigError where it means nothing."""
    if source == "demo":
        return Plan("demo", "")
    if source == "auto":
        found = cameras(devices)
        return Plan("camera", found[0]) if found else Plan("demo", "")
    key = key_at("source", source)
    if source.isdecimal() and len(source) > LONGEST_NUMBER:
        raise ConfigError((f"{key}: a camera's number is at most {LONGEST_NUMBER} digits long",))
    if source.isdecimal() or source.startswith(f"{devices}/"):
        if re.search(r"-video-index[1-9]\d*$", source):
            raise ConfigError(
                (f"{key}: {source} carries metadata, no pictures; take the one that ends in -index0",)
            )
        return Plan("camera", source)
    if re.match(r"[a-z]+://", source, re.IGNORECASE):
        return Plan("stream", source)
    path = Path(source)
    if not _exists(path):
        known = ", ".join(cameras(devices)) or "none found"
        raise ConfigError(
            (
                f"{key}: must be auto, demo, a camera, a URL or a file, and there is no file "
                f"'{redacted(source)}'. Cameras: {known}",
            )
        )
    return Plan("picture" if path.suffix.lower() in _PICTURES else "video", source)


def _exists(path: Path) -> bool:
    try:
        return path.exists()
    except OSError:  # a name that is too long, a folder that may not be entered
        return False


def open_source(what: Plan, config: CameraConfig) -> Source:
    """Open it. Raises CameraError where it cannot be opened now, InputError for a picture that is none."""
    if what.kind == "camera":
        return Camera(what.target, config)
    if what.kind == "stream":
        return Stream(what.target, str(what))
    if what.kind == "video":
        return Video(what.target)
    if what.kind == "picture":
        image = read_picture(Path(what.target))
        return Paced(lambda index: image, PICTURE_FPS, name=what.target)
    demo = Demo()
    return Paced(demo.render, demo.fps, name="demo")


class Stream:
    """RTSP or HTTP, through FFmpeg."""

    def __init__(self, url: str, name: str) -> None:
        """`name` is for messages."""
        self._name = name
        timeouts = [
            cv2.CAP_PROP_OPEN_TIMEOUT_MSEC,
            STREAM_TIMEOUT_MS,
            cv2.CAP_PROP_READ_TIMEOUT_MSEC,
            STREAM_TIMEOUT_MS,
        ]
        with in_words(self._name):
            self._capture = cv2.VideoCapture(url, cv2.CAP_FFMPEG, timeouts)
        if not self._capture.isOpened():
            raise CameraError(f"{self._name}: cannot be opened")
        self.encoding = encoding(self._capture)
        """MJPG, h264 ..., as FFmpeg says."""
        self._meter = Meter(redacted(url), self.encoding)
        self._index = -1

    def read(self) -> Frame:
        """The next picture."""
        self._index += 1
        return self._meter.count(Frame(grab(self._capture, self._name), self._index, time.monotonic()))

    def skip(self) -> None:
        """Pass by the next picture."""
        self._index += 1
        pass_by(self._capture, self._name)
        self._meter.skip(time.monotonic())

    @property
    def format(self) -> Format | None:
        """What it really gives; None before the second frame."""
        return self._meter.format

    def close(self) -> None:
        """Hang up."""
        self._capture.release()


class Video:
    """A video file, at its own speed, again and again."""

    def __init__(self, path: str) -> None:
        self._path, self._name = path, f"video {path}"
        self._capture = self._open()
        fps = self._capture.get(cv2.CAP_PROP_FPS)
        self.encoding = encoding(self._capture)
        """MJPG, h264 ..., as FFmpeg says."""
        self._paced = Paced(self._image, fps if 1 <= fps <= 240 else 30.0, name=path, fourcc=self.encoding)

    def read(self) -> Frame:
        """The next picture; after the last, the first."""
        return self._paced.read()

    def skip(self) -> None:
        """Pass by the next picture; it is decoded all the same, for the one after it needs it."""
        self._paced.read()

    @property
    def format(self) -> Format | None:
        """What it really gives; None before the second frame."""
        return self._paced.format

    def close(self) -> None:
        """Close the file."""
        self._capture.release()

    def _open(self) -> cv2.VideoCapture:
        with in_words(self._name):
            capture = cv2.VideoCapture(self._path, cv2.CAP_FFMPEG)
        if not capture.isOpened():
            raise CameraError(f"{self._name}: cannot be opened as a video")
        return capture

    def _image(self, index: int) -> Image:
        try:
            return grab(self._capture, self._name)
        except CameraError:
            # It is over. Opened again rather than rewound: not every format can seek.
            self._capture.release()
            self._capture = self._open()
            return grab(self._capture, self._name)


class Paced:
    """Pictures made or read on demand, at a steady rate."""

    def __init__(
        self,
        image: Callable[[int], Image],
        fps: float,
        clock: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], None] = time.sleep,
        *,
        name: str = "",
        fourcc: str = "",
    ) -> None:
        """`image(index)` gives the picture; `fps` frames a second; name and encoding are for `format`."""
        self._image, self._fps, self._clock, self._sleep = image, fps, clock, sleep
        self._meter = Meter(name, fourcc)
        self._index = -1
        self._due = clock()

    def read(self) -> Frame:
        """The next picture, when it is due; at once for a late reader, and the time lost is skipped."""
        self._wait()
        return self._meter.count(Frame(self._image(self._index), self._index, self._clock()))

    def skip(self) -> None:
        """Pass by the next picture: it is not made."""
        self._wait()
        self._meter.skip(self._clock())

    def _wait(self) -> None:
        self._index += 1
        wait = self._due - self._clock()
        if wait > 0:
            self._sleep(wait)
        now, step = self._clock(), 1 / self._fps
        self._due = self._due + step if self._due + step > now else now + step

    @property
    def format(self) -> Format | None:
        """What it really gives; None before the second frame."""
        return self._meter.format

    def close(self) -> None:
        """Nothing to let go of."""
