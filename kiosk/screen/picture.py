"""A frame onto a surface: cut, mirrored, scaled and coloured, straight into its memory."""

from __future__ import annotations

import cv2
import numpy as np
import pygame

from kiosk.messages import Image
from kiosk.screen.view import View


def pixels(surface: pygame.Surface) -> Image:
    """(H, W, 4) uint8, BGR and one unused: a 32-bit surface's own memory, locked until this is dropped."""
    width, height = surface.get_size()
    found: Image = np.asarray(surface.get_view("2")).T.view(np.uint8)
    return found.reshape(height, width, 4)


def paint(image: Image, view: View, surface: pygame.Surface) -> None:
    """Paint (H, W, 3) uint8 BGR as `view` shows it; what it leaves free is black."""
    x0, y0, x1, y1 = view.source
    target = view.target
    seen = image[y0:y1, x0:x1]
    if (target.width, target.height) != surface.get_size():
        surface.fill((0, 0, 0))
    # Not by a surface of its own and a blit, which takes five times as long.
    shown = pixels(surface)[target.y : target.bottom, target.x : target.right]
    size_wh = target.width, target.height
    # Made smaller first and larger last: all else is done on the fewer pixels.
    if target.width < x1 - x0:
        # Between pixels, until some would be passed over: a fraction of the time of the mean of an area.
        how = cv2.INTER_AREA if x1 - x0 >= 2 * target.width else cv2.INTER_LINEAR
        seen = np.asarray(cv2.resize(seen, size_wh, interpolation=how), np.uint8)
    if view.mirror:
        seen = np.asarray(cv2.flip(seen, 1), np.uint8)
    if seen.shape[1::-1] == size_wh:
        cv2.cvtColor(seen, cv2.COLOR_BGR2BGRA, dst=shown)
    else:
        coloured = cv2.cvtColor(seen, cv2.COLOR_BGR2BGRA)
        cv2.resize(coloured, size_wh, dst=shown, interpolation=cv2.INTER_LINEAR)
