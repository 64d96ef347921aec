"""A camera and a wall that are played, with the interfaces of the real ones.

The stage knows what time it is, and lets it pass.
"""

from __future__ import annotations

import math
import zlib
from collections import deque
from typing import TYPE_CHECKING

import numpy as np

from kiosk.errors import CameraError, DisplayError
from kiosk.messages import Frame, Scene
from kiosk.screen.draw import Card
from kiosk.screen.flips import Flips
from kiosk.screen.look import Look, Told
from kiosk.sections import CameraConfig
from kiosk.vision.camera import grab
from kiosk.vision.sources import Plan

if TYPE_CHECKING:
    from tests.stage import Stage

PERIOD = 1 / 16
"""Seconds from frame to frame and from picture to picture: whole in binary, so that sums of it are exact."""
START = 1000.0
OLDEST_PICTURE, OLDEST_CAPTION = 3.0, 2.0
"""Seconds, as promised; the program's own constants are not asked."""


class Camera:
    """What stands behind cv2.VideoCapture: it gives what is coming, and good pictures after that."""

    def __init__(self, stage: Stage) -> None:
        self._stage = stage
        self._draw = np.random.default_rng(7)
        self.coming: deque[tuple[str, float]] = deque()
        """Kinds of pictures, and seconds that each takes to come."""
        self.size_wh = (64, 48)
        self.last = self._noise()
        self.opened_at: list[float] = []
        self.is_late = False
        """Whether the seal does not know the device."""

    def open(self, plan: Plan, config: CameraConfig) -> Source:
        self.opened_at.append(self._stage.now - START)
        kind, seconds = self._next("absent", "open-blocks")
        if kind == "absent":
            raise CameraError("camera 0: cannot be opened")
        self._stage.let_pass(seconds or 8 * PERIOD)
        return Source(self._stage)

    def read(self) -> tuple[bool, np.ndarray | None]:
        """As cv2's."""
        kind, seconds = self._next(
            "ok", "same", "black", "damaged", "grey", "alpha", "deep", "false", "block"
        )
        self._stage.let_pass(seconds or PERIOD)
        return kind not in ("false", ""), self._image(kind)

    def _next(self, *kinds: str) -> tuple[str, float]:
        """What is coming where it is one of `kinds`; a camera that is gone gives none to who reads."""
        if not self.coming:
            return "ok", 0.0
        return self.coming.popleft() if self.coming[0][0] in kinds else ("", 0.0)

    def _noise(self, *, low: int = 60, high: int = 200, channels: tuple[int, ...] = (3,)) -> np.ndarray:
        width, height = self.size_wh
        return self._draw.integers(low, high, (height, width, *channels), np.uint8)

    def _image(self, kind: str) -> np.ndarray:
        if kind == "same":
            return self.last.copy()
        if kind == "black":
            return self._noise(low=0, high=9)
        if kind == "grey":
            return self._noise(channels=())
        if kind == "alpha":
            return self._noise(channels=(4,))
        image = self._noise()
        if kind == "deep":
            return image.astype(np.uint16) * 256
        if kind == "damaged":
            image[len(image) // 3 :] = self._draw.integers(60, 200)
            return image
        self.last = image
        return image


class Source:
    """One opening of the camera."""

    def __init__(self, stage: Stage) -> None:
        self._stage = stage
        self._index = -1

    def read(self) -> Frame:
        image = grab(self._stage.camera, "camera 0")
        self._index += 1
        return Frame(image, self._index, self._stage.now)

    def skip(self) -> None:
        grab(self._stage.camera, "camera 0")
        self._index += 1

    def close(self) -> None:
        self._stage.wall.forget()


class Wall:
    """What the screen is to the piece. Remembers what stood on it, and what must never have stood there."""

    def __init__(self, stage: Stage) -> None:
        self._stage = stage
        self._flips = Flips()
        self.stood: list[tuple[float, str]] = []
        self.marks: list[bool] = [False]
        self.flip_takes = self.flips_take = 0.0
        """The next, and all of them; seconds."""
        self.is_broken = False
        self.gone_at = self.escape_at = math.inf
        self.busy_until = START
        self._flip: float | None = None
        self._forgotten_at = 0.0
        self._forgotten: set[int] = set()

    def announce(self, look: Look) -> None:
        if look.mark != self.marks[-1]:
            self.marks.append(look.mark)

    def show(self, frame: Frame | None, scene: Scene | None, card: Card, told: Told) -> None:
        now = self._stage.now
        if frame:
            self._check(frame, scene, now)
        self._note("caption" if frame and scene and scene.captions else "picture" if frame else card.name)
        if self.is_broken:
            raise DisplayError("the display takes no picture any more")
        self._flip, self.flip_takes = self.flip_takes or self.flips_take, 0.0
        self.busy_until = now + self._flip

    def flipped(self) -> None:
        """Call when `busy_until` is over: this is where the flip of `show` comes back."""
        if self._flip is not None:
            self._flips.took(self._flip, self._stage.now)
            self._flip = None

    def wants_to_leave(self) -> bool:
        if self._stage.now >= self.gone_at:
            raise DisplayError("the display went away")
        return self._stage.now >= self.escape_at

    def close(self) -> None:
        self._note("off")

    def forget(self) -> None:
        """From now on nothing that the camera has given may be seen."""
        self._forgotten_at = self._stage.now
        self._forgotten.add(zlib.crc32(self._stage.camera.last.data))

    def _note(self, what: str) -> None:
        if not self.stood or self.stood[-1][1] != what.lower():
            self.stood.append((self._stage.now - START, what.lower()))

    def _check(self, frame: Frame, scene: Scene | None, now: float) -> None:
        broken = self._stage.broken
        if now - frame.captured_at > OLDEST_PICTURE:
            broken.add(f"a picture {now - frame.captured_at} seconds old")
        if frame.captured_at <= self._forgotten_at or zlib.crc32(frame.image) in self._forgotten:
            broken.add("a picture from before the fault")
        if scene and now - scene.captured_at > OLDEST_CAPTION:
            broken.add(f"a caption {now - scene.captured_at} seconds old")
        if scene and scene.captured_at <= self._forgotten_at:
            broken.add("a caption from before the fault")
