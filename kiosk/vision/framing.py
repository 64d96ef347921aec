"""What of the camera's picture is used, to see and to show: a frame in, turned and cut. Pure."""

from __future__ import annotations

import cv2
import numpy as np

from kiosk.messages import Frame
from kiosk.sections import FramingConfig

# However far it is zoomed, so much of a picture is left on each side, in pixels.
SMALLEST = 64
TURNS = {
    "90": cv2.ROTATE_90_CLOCKWISE,
    "180": cv2.ROTATE_180,
    "270": cv2.ROTATE_90_COUNTERCLOCKWISE,
}


def framed(frame: Frame, config: FramingConfig) -> Frame:
    """Turned clockwise, then cut to 1/zoom of each side about (x, y) of the turned picture, not mirrored.

    What is cut lies inside the picture and is at least 64 pixels wide and high, where the picture is. The
    same frame comes back where nothing is to be done. A picture that is only cut is a view of the whole one.
    """
    width, height = frame.size_wh
    if config.rotate in ("90", "270"):
        width, height = height, width
    x0, x1 = cut(width, config.zoom, config.x)
    y0, y1 = cut(height, config.zoom, config.y)
    if config.rotate == "0":
        if (x1 - x0, y1 - y0) == (width, height):
            return frame
        return Frame(frame.image[y0:y1, x0:x1], frame.index, frame.captured_at)
    # Cut first, for less is left to be turned: there and back with views, which cost nothing.
    quarters = int(config.rotate) // 90
    seen = np.rot90(np.rot90(frame.image, -quarters)[y0:y1, x0:x1], quarters)
    return Frame(np.asarray(cv2.rotate(seen, TURNS[config.rotate]), np.uint8), frame.index, frame.captured_at)


def cut(length: int, zoom: float, centre: float) -> tuple[int, int]:
    """First pixel and the one after the last of a side: 1/zoom of it about `centre` (0-1), moved inside."""
    kept = min(length, max(SMALLEST, round(length / zoom)))
    first = max(0, min(round(centre * length - kept / 2), length - kept))
    return first, first + kept
