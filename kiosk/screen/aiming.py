"""A frame and what the detector found in it in, what whoever aims the camera must know out. Pure.

The texts are for the staff, and in English.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass

from kiosk.messages import Box, Frame, Scene
from kiosk.screen.look import Facts
from kiosk.screen.view import Rect, View

# Of the height of the picture. Eyes a third from the top are where portraits have them, and there is room for
# a plate above a tall head; below the middle the captions of children would hang into the footer.
EYES = (1 / 3, 1 / 2)
# Seconds over which a rate is measured, and before which there is none.
WINDOW, SOONEST = 3.0, 0.5

Row = tuple[str, str]
"""A name, and what there is to say of it."""


@dataclass(frozen=True)
class Mark:
    """A face on the screen."""

    rect: Rect
    text: str
    is_used: bool
    """False for a face that is not looked at."""


class Pace:
    """How often something comes."""

    def __init__(self) -> None:
        self._seen: deque[tuple[int, float]] = deque()

    def see(self, index: int, at: float) -> None:
        """Give the newest of something counted, as often as you like; `at` in seconds, monotonic."""
        if self._seen and ((index, at) < self._seen[-1] or self._seen[-1][1] < at - WINDOW):
            self._seen.clear()  # a source that was opened anew counts from 0, perhaps to the same index
        if not self._seen or index > self._seen[-1][0]:
            self._seen.append((index, at))
        while self._seen[0][1] < at - WINDOW:
            self._seen.popleft()

    def clear(self) -> None:
        """Begin anew."""
        self._seen.clear()

    @property
    def rate(self) -> float | None:
        """Times a second; None where too little was seen."""
        if not self._seen:
            return None
        (first, began), (last, ended) = self._seen[0], self._seen[-1]
        return (last - first) / (ended - began) if ended - began >= SOONEST else None


def marks(scene: Scene, view: View) -> tuple[Mark, ...]:
    """Every face that was found: how sure, how high in pixels of the camera, and why it is left out."""
    found = []
    for seen in scene.seen:
        rect = view.rect(seen.box)
        cut = "" if view.shows(rect) else "off the screen"
        said = (f"{seen.score:.2f}", f"{seen.box.height:.0f} px", seen.why, cut)
        found.append(Mark(rect, "  ".join(filter(None, said)), not seen.why))
    return tuple(found)


def corners(facts: Facts, view: View) -> tuple[tuple[int, int], ...]:
    """Those of the zone on the screen; () where there is none."""
    width, height = view.frame_wh
    found = []
    for x, y in facts.zone:
        x = width * (1 - x if view.mirror else x)
        rect = view.rect(Box(x, height * y, x, height * y))
        found.append((rect.x, rect.y))
    return tuple(found)


def eye_lines(view: View) -> tuple[int, int]:
    """Rows of the screen between which the eyes of most visitors should be."""
    upper, lower = (view.target.y + round(part * view.target.height) for part in EYES)
    return upper, lower


def rows(facts: Facts, frame: Frame, scene: Scene | None, frames: Pace, looks: Pace) -> tuple[Row, ...]:
    """What stands beside the picture."""
    width, height = frame.size_wh
    limits = f"from {facts.smallest} px" + (f" to {facts.largest} px" if facts.largest else "")
    found = scene.seen if scene else ()
    used = sum(not seen.why for seen in found)
    return (
        ("Source", facts.source),
        ("Gives", f"{width} x {height}, {_rate(frames)} pictures a second"),
        ("Detector", f"{_rate(looks)} looks a second"),
        ("Faces", f"{used} of {len(found)} looked at: those {limits} high"),
        ("Zone", "inside the yellow line" if facts.zone else "everywhere"),
        ("Eyes", "of most visitors between the dashed lines"),
    )


def _rate(pace: Pace) -> str:
    return "…" if pace.rate is None else f"{pace.rate:.1f}"
