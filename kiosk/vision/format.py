"""What a source really gives, measured all the time: its frames in, its size, rate and encoding out.

Drivers take every wish and do what they like (opencv#9540, #24289): what they say is not asked.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass

from kiosk.messages import Frame

# Frames over which the rate is averaged.
MEASURED_FRAMES = 60


@dataclass(frozen=True)
class Format:
    """Of a source, as of its last frame. Nothing of what it sees."""

    name: str
    """Of the device or the file; of a stream its address without what may hold a password."""
    width: int
    """Pixels, before the picture is turned or cut."""
    height: int
    fps: float
    """Frames a second, over the last 60 frames."""
    fourcc: str
    """MJPG, YUYV ...: the encoding; empty where there is none."""

    def __str__(self) -> str:
        """Without the name."""
        return f"{self.width}x{self.height} {self.fps:.1f} fps {self.fourcc}".rstrip()


class Meter:
    """Counts the frames of one source. Keeps times only."""

    def __init__(self, name: str, fourcc: str = "") -> None:
        self._name, self._fourcc = name, fourcc
        self._times: deque[float] = deque(maxlen=MEASURED_FRAMES + 1)
        self._size_wh = (0, 0)

    def count(self, frame: Frame) -> Frame:
        """Call for every frame, in order; gives it back."""
        self._times.append(frame.captured_at)
        self._size_wh = frame.size_wh
        return frame

    def skip(self, now: float) -> None:
        """Call for a frame that came and was not decoded."""
        self._times.append(now)

    @property
    def format(self) -> Format | None:
        """None before the second frame: a rate needs two."""
        elapsed = self._times[-1] - self._times[0] if self._times else 0.0
        if elapsed <= 0:
            return None
        return Format(self._name, *self._size_wh, (len(self._times) - 1) / elapsed, self._fourcc)
