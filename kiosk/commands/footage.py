"""What the benchmark looks at: footage as a camera gives it, a crowd that stands still, larger pictures.

Footage is made in advance, as JPEGs like those of a USB camera, so that while it plays only that is paid for
which a camera would cost too: to decode them.
"""

from __future__ import annotations

import math
import time
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass

import cv2
import numpy as np

from kiosk.errors import ModelError
from kiosk.messages import Box, Frame, Image
from kiosk.vision.demo import PORTRAITS, Demo
from kiosk.vision.format import Format, Meter
from kiosk.vision.pictures import read_picture
from kiosk.vision.visits import BLOCK_SECONDS, PASSERSBY, block_visits, pose_of

FPS = 30.0
# With the demo's grain about 80 KB a picture, as a USB camera's at 720p.
JPEG_QUALITY = 85
# V4L2 keeps so many pictures until somebody reads them, and meanwhile has no place for a new one.
BUFFERS = 4
# Footage begins with an empty room, so long before two people meet; longer than that it begins again.
BLOCK, BEFORE, LONGEST = 1, 1.5, 40.0
EMPTY_FRAMES = 60
# Where a crowd stands, and what is seen of each, in face heights: shoulders too.
COLUMNS, ROWS, MARGIN = 6, 3, 2.4


@dataclass(frozen=True)
class Sight:
    """A visitor whose whole face is in view."""

    visit: int
    """Another number for each visit."""
    box: Box


@dataclass(frozen=True)
class Footage:
    """Pictures, 30 a second, and who is to be seen in them."""

    jpegs: tuple[bytes, ...]
    sights: tuple[tuple[Sight, ...], ...]
    """For each picture."""

    def seen_in(self, index: int) -> tuple[Sight, ...]:
        """Who is to be seen in picture `index`, from 0; after the last it begins again, with other visits."""
        again, at = divmod(index, len(self.jpegs))
        return tuple(Sight(sight.visit + 1000 * again, sight.box) for sight in self.sights[at])


class Playback:
    """Footage as a camera gives it (a `Source`): taken at a steady rate, and decoded when it is read."""

    def __init__(
        self,
        footage: Footage,
        clock: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        self._footage, self._clock, self._sleep = footage, clock, sleep
        self._meter = Meter("footage", "MJPG")
        self._began: float | None = None
        self._queue: deque[int] = deque()
        self._next = 0

    def taken_at(self, index: int) -> float:
        """When picture `index` was taken, by the clock; before the first `read` this is not known."""
        return (self._began or 0.0) + index / FPS

    def read(self) -> Frame:
        """The oldest that is kept; else wait for the next."""
        index = self._take()
        image = decoded(self._footage.jpegs[index % len(self._footage.jpegs)])
        return self._meter.count(Frame(image, index, self._clock()))

    def skip(self) -> None:
        """The same, and it is not decoded."""
        self._take()
        self._meter.skip(self._clock())

    def _take(self) -> int:
        if self._began is None:
            self._began = self._clock()
        newest = math.floor((self._clock() - self._began) * FPS + 1e-6)
        self._queue.extend(range(self._next, min(newest + 1, self._next + BUFFERS - len(self._queue))))
        self._next = max(self._next, newest + 1)
        if not self._queue:
            self._sleep(max(0.0, self.taken_at(self._next) - self._clock()))
            self._queue.append(self._next)
            self._next += 1
        return self._queue.popleft()

    @property
    def format(self) -> Format | None:
        """What it really gives; None before the second frame."""
        return self._meter.format

    def close(self) -> None:
        """Nothing to let go of."""


def meeting(seconds: float) -> Footage:
    """Footage of the demo: an empty room, then two people come, one after the other."""
    demo = Demo(fps=FPS)
    first = round((block_visits(demo.seed, BLOCK)[0].start - BEFORE) * FPS)
    indices = range(first, first + max(1, round(min(seconds, LONGEST) * FPS)))
    return Footage(
        tuple(encoded(demo.render(index)) for index in indices),
        tuple(_sights(demo, index) for index in indices),
    )


def empty_room() -> Footage:
    """Footage of the demo's room with nobody in it: two seconds of sensor noise, again and again."""
    demo = Demo(fps=FPS)
    first = round((block_visits(demo.seed, BLOCK)[0].start - BEFORE) * FPS) - EMPTY_FRAMES
    indices = range(first, first + EMPTY_FRAMES)
    return Footage(tuple(encoded(demo.render(index)) for index in indices), ((),) * EMPTY_FRAMES)


def crowd(people: int, size_wh: tuple[int, int] = (1280, 720)) -> Image:
    """(H, W, 3) uint8 BGR: so many people before a plain wall, in rows, all of one size; 18 at the most.

    Raises ModelError where a portrait is missing.
    """
    width, height = 1280, 720
    image = np.full((height, width, 3), 140, np.uint8)
    cell_w, cell_h = width // COLUMNS, height // ROWS
    side = min(cell_w, cell_h) - 10
    for at in range(people):
        person = PASSERSBY[at % len(PASSERSBY)]
        portrait = read_picture(PORTRAITS / person.picture)
        x, y = person.face.centre
        half = MARGIN * person.face.height / 2
        top, left = max(0, round(y - half)), max(0, round(x - half))
        seen = cv2.resize(portrait[top : round(y + half), left : round(x + half)], (side, side))
        row, column = divmod(at, COLUMNS)
        x0, y0 = column * cell_w + (cell_w - side) // 2, row * cell_h + (cell_h - side) // 2
        image[y0 : y0 + side, x0 : x0 + side] = seen
    return image if size_wh == (width, height) else enlarged(image, size_wh)


def enlarged(image: Image, size_wh: tuple[int, int]) -> Image:
    """The same picture with more pixels."""
    return np.asarray(cv2.resize(image, size_wh, interpolation=cv2.INTER_CUBIC), np.uint8)


def encoded(image: Image) -> bytes:
    """A JPEG."""
    return cv2.imencode(".jpg", image, (cv2.IMWRITE_JPEG_QUALITY, JPEG_QUALITY))[1].tobytes()


def decoded(jpeg: bytes) -> Image:
    """(H, W, 3) uint8 BGR. Raises ModelError where it is no picture."""
    image = cv2.imdecode(np.frombuffer(jpeg, np.uint8), cv2.IMREAD_COLOR)
    if image is None:
        raise ModelError("the footage of the benchmark cannot be decoded")
    return np.asarray(image, np.uint8)


def _sights(demo: Demo, index: int) -> tuple[Sight, ...]:
    seconds = index / demo.fps
    block = math.floor(seconds / BLOCK_SECONDS)
    poses = demo.poses(index)
    sights = []
    for number, visit in enumerate(block_visits(demo.seed, block)):
        if visit.start <= seconds < visit.end:
            pose = pose_of(visit, seconds)
            if demo.in_view(pose, poses):
                sights.append(Sight(10 * block + number, demo.face_box(pose)))
    return tuple(sights)
