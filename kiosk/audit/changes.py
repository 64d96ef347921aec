"""A picture changed in a controlled way: what a camera, the light or a distance could have done to it.

So that an exposure is not mistaken for the model's bias, or the reverse. Pure. Brightness and contrast are of
the picture's own values, 0 to 255, as they are stored.
"""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np

from kiosk.messages import Image

SIGMA = 0.02
"""Of the blur, in heights of the face: 2 pixels for a face of 100."""
MAX_PIXELS = 12_500_000
"""A larger picture is halved before it is set on a canvas four times as large."""


@dataclass(frozen=True)
class Change:
    """One of them."""

    name: str
    title: str
    """As it stands over a column."""


AS_IT_IS = Change("unchanged", "as it is")
DARKER = Change("darker", "half as bright")
BRIGHTER = Change("brighter", "1.5 times as bright")
FLATTER = Change("flatter", "half the contrast")
BLURRED = Change("blurred", "out of focus")
FARTHER = Change("farther", "twice as far away")
CHANGES = (AS_IT_IS, DARKER, BRIGHTER, FLATTER, BLURRED, FARTHER)


def changed(image: Image, change: Change, face_height: float) -> Image:
    """The picture as it would be, (H, W, 3) uint8 BGR; twice as far away it is twice as high and as wide.

    `face_height` in pixels; 0 where no face was found: then it is taken for half of the shorter side.
    """
    if change == DARKER:
        return _scaled(image, 0.5, 0.0)
    if change == BRIGHTER:
        return _scaled(image, 1.5, 0.0)
    if change == FLATTER:
        return _scaled(image, 0.5, 0.5 * float(image.mean()))
    if change == BLURRED:
        height = face_height or min(image.shape[:2]) / 2
        return np.asarray(cv2.GaussianBlur(image, (0, 0), max(SIGMA * height, 0.1)), np.uint8)
    return _surrounded(image) if change == FARTHER else image


def _scaled(image: Image, factor: float, offset: float) -> Image:
    return np.asarray(cv2.convertScaleAbs(image, alpha=factor, beta=offset), np.uint8)


def _surrounded(image: Image) -> Image:
    """In the middle of its own mean colour: the face keeps its pixels and is half as large in the whole."""
    if image.shape[0] * image.shape[1] > MAX_PIXELS:
        image = np.asarray(cv2.resize(image, None, fx=0.5, fy=0.5, interpolation=cv2.INTER_AREA), np.uint8)
    height, width = image.shape[:2]
    canvas = np.empty((2 * height, 2 * width, 3), np.uint8)
    canvas[:] = np.round(image.mean(axis=(0, 1)))
    canvas[height // 2 : height // 2 + height, width // 2 : width // 2 + width] = image
    return canvas
