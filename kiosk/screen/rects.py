"""Many rectangles at once: what they share, in one step for all of them. Pure."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from kiosk.screen.view import Rect

Edges = npt.NDArray[np.int64]
"""(n, 4): left, top, right and bottom of n rectangles, pixels; the latter two exclusive."""


def edges(rects: Sequence[Rect]) -> Edges:
    """The sides of some rectangles."""
    sides = [(rect.x, rect.y, rect.x + rect.width, rect.y + rect.height) for rect in rects]
    return np.array(sides, np.int64).reshape(-1, 4)


def overlaps(some: Edges, others: Edges) -> npt.NDArray[np.int64]:
    """(n, m): the area that each of `some` shares with each of `others`, square pixels."""
    ends = np.minimum(some[:, None, 2:], others[None, :, 2:])
    sides = ends - np.maximum(some[:, None, :2], others[None, :, :2])
    area: npt.NDArray[np.int64] = np.maximum(sides, 0).prod(2)
    return area


def clashes(some: Edges, others: Edges) -> npt.NDArray[np.bool_]:
    """(n, m): whether each of `some` shares a pixel with each of `others`."""
    left, top, right, bottom = (some[:, side, None] for side in range(4))
    clash: npt.NDArray[np.bool_] = (
        (left < others[:, 2]) & (others[:, 0] < right) & (top < others[:, 3]) & (others[:, 1] < bottom)
    )
    return clash


def grown(rects: Edges, margins: npt.NDArray[np.int64]) -> Edges:
    """The same with so many pixels more on every side: (n,), or (1,) for all."""
    wider: Edges = rects + margins[:, None] * np.array((-1, -1, 1, 1))
    return wider


def inside(rects: Edges, area: Rect) -> Edges:
    """The same pushed inside an area; one larger than that at its top left."""
    size_wh = rects[:, 2:] - rects[:, :2]
    corner = np.maximum(np.minimum(rects[:, :2], (area.right, area.bottom) - size_wh), (area.x, area.y))
    return np.hstack((corner, corner + size_wh))


def crossings(xs: npt.ArrayLike, ys: npt.ArrayLike) -> npt.NDArray[np.int64]:
    """(n · m, 2): each of n columns with each of m rows, column by column."""
    columns, rows = np.asarray(xs, np.int64), np.asarray(ys, np.int64)
    return np.column_stack((np.repeat(columns, len(rows)), np.tile(rows, len(columns))))
