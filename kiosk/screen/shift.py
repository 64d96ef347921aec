"""The time in, a pixel or two out by which what always stands in one place is moved. Pure.

A screen on which the same letters stand for months keeps a shadow of them. Moved round a small ring, every
edge is shared out between five columns and five rows, and nobody sees it move.
"""

from __future__ import annotations

REACH = 2
"""Pixels: as far as anything is moved, each way."""
STEP = 60.0
"""Seconds from one pixel to the next."""

# Once round a square of pixels, clockwise from its upper left: each is a neighbour of the one before.
_RING = (
    *((x, -REACH) for x in range(-REACH, REACH)),
    *((REACH, y) for y in range(-REACH, REACH)),
    *((-x, REACH) for x in range(-REACH, REACH)),
    *((-REACH, -y) for y in range(-REACH, REACH)),
)


def shift(now: float) -> tuple[int, int]:
    """Right and down, pixels, from -REACH to REACH. `now` in seconds, monotonic."""
    return _RING[int(now // STEP) % len(_RING)]
