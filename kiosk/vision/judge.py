"""Is this a picture worth showing? A live frame in, a verdict out: good, damaged, frozen or black.

A driver says that all is well for as long as it can hand out some buffer; so nothing is taken from what it
says, and all from what it gives. Pure: time is `captured_at`. Of a picture nothing is kept but a checksum,
the height and the colour of a flat part, and since when it has been dark.
"""

from __future__ import annotations

import math
import zlib
from dataclasses import dataclass
from enum import Enum

import cv2
import numpy as np

from kiosk.messages import Frame, Image

# One pixel of each block of JPEG: none of its coefficients can change without changing the block's corner,
# so that this sees what a comparison of the whole picture would, at a hundredth of its cost.
BLOCK = 8

# Sensor noise makes no two pictures of a camera the same (AVProLiveCamera#55). A stream's encoder may leave
# it out, and a still room is then the same picture until the next key frame: 10 s apart is usual.
PATIENCE = {"camera": 5.0, "stream": 30.0}

# A covered lens gives noise of a mean of 3 to 8; a stream that is not stretched to the full range calls 16
# black. In a room at night a lamp or a screen is far lighter and larger than the hot pixels of a sensor.
BLACK_MEAN = 20.0
BLACK_PEAK = 40
BLACK_PEAK_SHARE = 0.001
# Who comes back from black needs a little more, or a scene at the limit would blink.
RETURN_FACTOR = 1.5
BLACK_AFTER, LIGHT_AFTER = 2.0, 0.5

# A decoder fills what it cannot read with one colour, libjpeg with grey: bit for bit, which noise never is.
TAIL_SHARE = 0.25
NOTHING_LEFT = 0.95
COLOUR_TOLERANCE = 2
TAIL_TOLERANCE = 0.05
# Less than a picture may stand on the wall: a scene that has a flat part does not blank it meanwhile.
SCENE_AFTER = 2.0


class Verdict(Enum):
    """What to do with a frame."""

    GOOD = "good"
    """Show it."""
    DAMAGED = "damaged"
    """Drop it; the next may be whole."""
    FROZEN = "frozen"
    """Open the source again: the same picture has come for too long."""
    BLACK = "black"
    """The lens is covered, or the room is dark: say that the piece rests, and leave the source alone."""


@dataclass(frozen=True)
class Tail:
    """The flat lower part of a picture."""

    share: float
    """Of the height, 0-1."""
    colour: tuple[int, int, int]
    """BGR, 0-255."""

    def is_part_of(self, other: Tail) -> bool:
        """Whether it is as the other, or lower where somebody stands before it."""
        apart = max(abs(one - two) for one, two in zip(self.colour, other.colour, strict=True))
        return apart <= COLOUR_TOLERANCE and self.share <= other.share + TAIL_TOLERANCE


def patience(kind: str) -> float:
    """How long the same picture may come, in seconds: of what is no camera or stream, for ever."""
    return PATIENCE.get(kind, math.inf)


class Judge:
    """Watches the frames of one source."""

    def __init__(self, patience: float = math.inf) -> None:
        """`patience` in seconds: the same picture for longer is frozen."""
        self._patience = patience
        self.seen = 0
        """Frames so far."""
        self.damaged = 0
        """Of them those that were damaged."""
        self._checksum = 0
        self._same_since: float | None = None
        self._frozen: int | None = None
        """What the source stood still at: not believed again, also when it was opened anew."""
        self._is_black = False
        self._light_changed_at: float | None = None
        self._tail: Tail | None = None
        self._tail_since = 0.0
        self._scene: Tail | None = None

    def reopened(self) -> None:
        """Call where the source was opened again: how long the picture stands still counts from then."""
        self._same_since = None

    def see(self, frame: Frame) -> Verdict:
        """Call for every frame, in order. A change of its size is no fault."""
        now = frame.captured_at
        self.seen += 1
        sample = sampled(frame.image)
        frozen = self._stands_still(sample, now) >= self._patience
        dark = is_black(sample)
        damaged = not dark and self._is_damaged(sample, now)
        if not damaged:
            self._weigh_light(sample, now)
        # A covered lens may give the same picture for ever, and opening it again brings no light.
        if frozen and not dark:
            self._frozen = self._checksum
            return Verdict.FROZEN
        if self._checksum == self._frozen:
            return Verdict.DAMAGED
        self._frozen = None
        if damaged:
            self.damaged += 1
            return Verdict.DAMAGED
        return Verdict.BLACK if self._is_black else Verdict.GOOD

    def _stands_still(self, sample: Image, now: float) -> float:
        """For how long the picture has been the same, seconds."""
        checksum = zlib.crc32(sample.data)
        if checksum != self._checksum or self._same_since is None:
            self._checksum, self._same_since = checksum, now
        return now - self._same_since

    def _weigh_light(self, sample: Image, now: float) -> None:
        """Black after a while without light, and back after a shorter one with it."""
        factor = RETURN_FACTOR if self._is_black else 1.0
        if is_black(sample, factor) == self._is_black:
            self._light_changed_at = None
            return
        if self._light_changed_at is None:
            self._light_changed_at = now
        if now - self._light_changed_at >= (LIGHT_AFTER if self._is_black else BLACK_AFTER):
            self._is_black = not self._is_black
            self._light_changed_at = None

    def _is_damaged(self, sample: Image, now: float) -> bool:
        """Whether a large lower part is flat; where it stays so for a while, that is the scene."""
        tail = flat_tail(sample)
        if tail is None:
            self._tail = None
            return False
        if tail.share > NOTHING_LEFT:
            return True
        if self._scene is None or not tail.is_part_of(self._scene):
            if self._tail is None or not _alike(tail, self._tail):
                self._tail, self._tail_since = tail, now
            if now - self._tail_since < SCENE_AFTER:
                return True
            self._scene = tail
        # It may grow with the light, from frame to frame.
        self._scene = tail if tail.share > self._scene.share else self._scene
        return False


def sampled(image: Image) -> Image:
    """(H / 8, W / 8, 3) uint8: the upper left pixel of each block of 8 by 8."""
    height, width = (max(1, side // BLOCK) for side in image.shape[:2])
    whole = image[: height * BLOCK, : width * BLOCK]
    return np.asarray(cv2.resize(whole, (width, height), interpolation=cv2.INTER_NEAREST), np.uint8)


def is_black(sample: Image, factor: float = 1.0) -> bool:
    """Whether there is nearly no light in (H, W, 3) uint8, in any colour; `factor` raises the limits."""
    if float(sum(cv2.mean(sample)[:3])) / 3 > factor * BLACK_MEAN:
        return False
    return int(np.count_nonzero(sample > factor * BLACK_PEAK)) <= BLACK_PEAK_SHARE * sample.size


def flat_tail(sample: Image) -> Tail | None:
    """The flat lower part of (H, W, 3) uint8, where it is a quarter or more and the picture has no such top.

    The bars of a film that is wider than the picture are above as well as below it.
    """
    last = sample[-1]
    if (last != last[0]).any():  # nearly every picture, at no cost
        return None
    colour = last[0]
    flat = cv2.inRange(sample, colour, colour).min(axis=1) > 0
    rows = len(flat) if flat.all() else int(np.argmin(flat[::-1]))
    share = rows / len(flat)
    if share < TAIL_SHARE or (flat[0] and rows < len(flat)):
        return None
    return Tail(share, (int(colour[0]), int(colour[1]), int(colour[2])))


def _alike(one: Tail, other: Tail) -> bool:
    return one.is_part_of(other) and other.is_part_of(one)
