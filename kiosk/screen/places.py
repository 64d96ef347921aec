"""Where a plate may stand: at a corner of its face, along a side of it, or close by. Pure."""

from __future__ import annotations

import functools
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from kiosk.screen.rects import Edges, clashes, crossings, edges, inside
from kiosk.screen.view import Rect

# A plate along a side shares this much of the shorter of the two sides with it: a corner's tip is too little.
GRIP = 0.25
# A plate along a side stands at one of so many equal steps, or flush with something.
STEPS = 4
# A plate that can touch its face nowhere is no more than so many plate heights off it.
REACH = 4.0
# One that has been put off it stays until it is further off than this.
STRAY = 6.0
# Of the places off a face, only so many, the nearest, are looked at.
NEARBY = 24
# What is put down anew keeps this much of a face's height clear of it: a box trembles from frame to frame.
SWAY = 0.05


@dataclass(frozen=True)
class Place:
    """Where a plate stands by its face, said so that it goes along with a face that moves and grows."""

    on: tuple[int, int]
    """Which corner of the face: 0 for left and top, 1 for right and bottom."""
    by: tuple[int, int]
    """Which corner of the plate is put there."""
    shift: tuple[float, float] = (0.0, 0.0)
    """How far from there it is, in widths and heights of face and plate together: a side is 0 to 1 long."""
    covering: bool = False
    """Whether it covers a face or a plate, since every place would have."""

    @property
    def loose(self) -> bool:
        """Whether it is off the face, not at a corner or a side."""
        return self.on == self.by and not self.covering

    def rect(self, face: Rect, size_wh: tuple[int, int], area: Rect) -> Rect:
        """The plate there, of a size; pushed inside `area`."""
        width, height = size_wh
        x = face.x + self.on[0] * face.width - self.by[0] * width
        y = face.y + self.on[1] * face.height - self.by[1] * height
        x += round(self.shift[0] * (face.width + width))
        y += round(self.shift[1] * (face.height + height))
        return area.nearest(x, y, size_wh)


# The best first: the top left of the box, as in the original work.
CORNERS = (
    Place((0, 0), (0, 1)),
    Place((1, 0), (1, 1)),
    Place((0, 1), (0, 0)),
    Place((1, 1), (1, 0)),
    Place((1, 0), (0, 0)),
    Place((0, 0), (1, 0)),
    Place((1, 1), (0, 1)),
    Place((0, 1), (1, 1)),
)
# On the face itself: its hair or its chin.
INNER = tuple(Place(corner, corner) for corner in ((0, 0), (1, 0), (0, 1), (1, 1)))


_ON = np.array([place.on for place in (*CORNERS, *INNER)])
_BY = np.array([place.by for place in (*CORNERS, *INNER)])


def at_corners(face: Rect, size_wh: tuple[int, int], area: Rect) -> Edges:
    """Plates of a size at CORNERS, then at INNER, pushed inside `area`; they may cover something."""
    corner = (face.x, face.y) + _ON * (face.width, face.height) - _BY * size_wh
    return inside(np.hstack((corner, corner + size_wh)), area)


def along_sides(face: Rect, size_wh: tuple[int, int], area: Rect, faces: Edges, gap: int) -> Edges:
    """Plates of a size that touch a side of the face, above, below, right and left; the middle first.

    They stand flush with `area` or with one of `faces`, `gap` pixels from it or none, or at equal steps.
    They do not cover the face and do not leave the area; they may cover another of `faces`.
    """
    width, height = size_wh
    found = []
    grip = round(GRIP * min(width, face.width))
    columns = max(area.x, face.x - width + grip), min(area.right - width, face.right - grip)
    for y in (face.y - height, face.bottom):
        if area.y <= y <= area.bottom - height:
            beside = faces[(faces[:, 1] < y + height) & (faces[:, 3] > y)]
            stops = _stops(columns, width, beside[:, 0::2], gap)
            found.append(crossings(stops, (y,)))
    grip = round(GRIP * min(height, face.height))
    rows = max(area.y, face.y - height + grip), min(area.bottom - height, face.bottom - grip)
    for x in (face.right, face.x - width):
        if area.x <= x <= area.right - width:
            beside = faces[(faces[:, 0] < x + width) & (faces[:, 2] > x)]
            stops = _stops(rows, height, beside[:, 1::2], gap)
            found.append(crossings((x,), stops))
    corner = np.vstack(found) if found else np.empty((0, 2), np.int64)
    return np.hstack((corner, corner + size_wh))


def _stops(span: tuple[int, int], length: int, others: Edges, gap: int) -> npt.NDArray[np.int64]:
    """Where in a span something of a length may begin; `others` is (n, 2), from where to where each is."""
    low, high = span
    starts, ends = others[:, 0] - length, others[:, 1]
    steps = low + (high - low) * np.arange(STEPS + 1) // STEPS
    stops = np.concatenate((steps, ends, ends + gap, starts, starts - gap))
    stops = stops[(stops >= low) & (stops <= high)]
    ordered: npt.NDArray[np.int64] = stops[np.lexsort((stops, abs(2 * stops - low - high)))]
    return ordered


def nearby(face: Rect, size_wh: tuple[int, int], area: Rect, faces: Edges, gap: int) -> Edges:
    """Plates of a size within REACH of the face that cover none of `faces`, the nearest first.

    They are `gap` pixels from one of `faces`, or flush with the face or with `area`.
    """
    width, height = size_wh
    reach = round(REACH * height)
    low = np.array((max(area.x, face.x - width - reach), max(area.y, face.y - height - reach)))
    high = np.array(
        (min(area.right - width, face.right + reach), min(area.bottom - height, face.bottom + reach))
    )
    taken = faces[clashes(faces, np.hstack((low, high + size_wh))[None])[:, 0]]
    stops = []
    for axis, length in enumerate(size_wh):
        flush = (face.x, face.right - width) if axis == 0 else (face.y, face.bottom - height)
        ends = (*flush, low[axis], high[axis])
        at = np.concatenate((ends, taken[:, axis] - length - gap, taken[:, axis + 2] + gap))
        stops.append(np.unique(at[(at >= low[axis]) & (at <= high[axis])]))
    corner = crossings(*stops)
    plates = np.hstack((corner, corner + size_wh))
    plates = plates[~clashes(plates, taken).any(1)]
    off = np.maximum(plates[:, :2] - (face.right, face.bottom), (face.x, face.y) - plates[:, 2:]).clip(0)
    return plates[np.argsort(off.sum(1), kind="stable")[:NEARBY]]


class Choice:
    """Where one visitor's plate would cover no face, whatever other plates there are; the best first."""

    def __init__(self, face: Rect, size_wh: tuple[int, int], area: Rect, gap: int, faces: Edges) -> None:
        """`faces` are everybody's."""
        self._where = face, size_wh, area
        self._faces = faces
        self._margin = sway(face, gap)

    @functools.cached_property
    def every(self) -> Edges:
        """At the face and on it, also where it covers something."""
        return np.vstack((self._corners, self._sides))

    @functools.cached_property
    def corners(self) -> Edges:
        """At its corners."""
        return self._free(self._corners[: len(CORNERS)])

    @functools.cached_property
    def sides(self) -> Edges:
        """Along its sides."""
        return self._free(self._sides)

    @functools.cached_property
    def off(self) -> Edges:
        """Close by."""
        return nearby(*self._where, self._faces, self._margin)

    def place(self, rect: Rect) -> Place:
        """The place of a plate that stands at one of them."""
        same = np.flatnonzero((self._corners == edges([rect])).all(1))
        return (*CORNERS, *INNER)[same[0]] if len(same) else place_of(rect, self._where[0])

    @functools.cached_property
    def _corners(self) -> Edges:
        return at_corners(*self._where)

    @functools.cached_property
    def _sides(self) -> Edges:
        return along_sides(*self._where, self._faces, self._margin)

    def _free(self, places: Edges) -> Edges:
        return places[~clashes(places, self._faces).any(1)]


def sway(face: Rect | None, gap: int) -> int:
    """How much room a face and what is at it need to tremble, pixels."""
    return max(gap // 2, round(SWAY * face.height)) if face else gap // 2


def place_of(plate: Rect, face: Rect) -> Place:
    """The place along a side or near by of a plate that stands at a face."""
    width, height = face.width + plate.width, face.height + plate.height
    x, y = plate.x - face.x, plate.y - face.y
    along, down = (x + plate.width) / width, (y + plate.height) / height
    for end in (0, 1):
        if y == (face.height if end else -plate.height) and 0 <= along <= 1:
            return Place((0, end), (1, 1 - end), (along, 0.0))
        if x == (face.width if end else -plate.width) and 0 <= down <= 1:
            return Place((end, 0), (1 - end, 1), (0.0, down))
    return Place((0, 0), (0, 0), (x / width, y / height))


def tether(face: Rect, plate: Rect) -> tuple[tuple[int, int], tuple[int, int]] | None:
    """The line, (x, y) to (x, y), from a face to its plate; None where the plate touches it."""
    if not face.distance(plate):
        return None
    x0, x1 = _bridge((face.x, face.right), (plate.x, plate.right))
    y0, y1 = _bridge((face.y, face.bottom), (plate.y, plate.bottom))
    return (x0, y0), (x1, y1)


def _bridge(one: tuple[int, int], other: tuple[int, int]) -> tuple[int, int]:
    """Where it starts and ends, by one axis: in the middle of what the two share, or at their near ends."""
    start, end = max(one[0], other[0]), min(one[1], other[1])
    if start < end:
        return (start + end) // 2, (start + end) // 2
    return (end, start) if one[0] < other[0] else (start, end)
