"""Does a picture show anything new? Frames of a room with nobody in it in, yes or no out.

The mean of a cell of the picture hardly moves with the noise of the sensor, and does when somebody comes in.
Pure: time is `captured_at`. Of a picture only these means are kept.
"""

from __future__ import annotations

import math

import cv2
import numpy as np

from kiosk.messages import Frame, Image
from kiosk.vision.judge import sampled

# Of a picture of 16:9; a cell is 64 pixels wide at 720p.
CELLS_WH = (20, 12)
# Levels of 255, in any cell and colour. Noise of 6 levels moves the difference of two means by 1 at 720p.
MOVED = 6
# Seconds. So often a still room is shown and looked at all the same: light changes slowly, and somebody may
# stand there whom the detector missed.
LASTS = 0.7
# Seconds. Until then every picture is new, also where what moves is too slow to be seen in each.
STILL_AFTER = 1.0


class Stillness:
    """Compares each frame with one before it, in which something had moved or which is not long ago."""

    def __init__(self) -> None:
        self._means: Image | None = None
        self._means_at = self._moved_at = -math.inf

    def forget(self) -> None:
        """Take the next frame for new, whatever it shows, and for one in which something moved."""
        self._means = None

    def is_still(self, now: float) -> bool:
        """Whether nothing has moved for a second; `now` is monotonic."""
        return self._means is not None and now - self._moved_at >= STILL_AFTER

    def is_new(self, frame: Frame) -> bool:
        """Call in order. Whether something has moved in the last second; of a still room one now and then."""
        means = cv2.resize(sampled(frame.image), CELLS_WH, interpolation=cv2.INTER_AREA)
        now = frame.captured_at
        if moved := self._means is None or int(cv2.absdiff(means, self._means).max()) > MOVED:
            self._moved_at = now
        is_due = now - self._means_at >= LASTS
        if moved or is_due:
            self._means, self._means_at = np.asarray(means, np.uint8), now
        return is_due or not self.is_still(now)
