"""The room that faces and plates leave, and where beside its face an entry finds some. Pure."""

from __future__ import annotations

import enum
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from kiosk.screen.places import sway
from kiosk.screen.rects import Edges, clashes, crossings, edges, grown
from kiosk.screen.view import Rect

# An entry stays until its face is this many face heights further off: reading wants a still text.
PATIENCE = 0.5

Size = tuple[int, int]
"""Width and height, pixels."""


@dataclass(frozen=True)
class Anchor:
    """What an entry stands beside."""

    face: Rect | None
    """None for the whole scene's, which stands below its plate."""
    plate: Rect

    @property
    def rect(self) -> Rect:
        """The face with its plate, if that is at it or nearly."""
        if self.face is None:
            return self.plate
        near = self.face.distance(self.plate) <= self.plate.height
        return self.face.joined(self.plate) if near else self.face


@dataclass(frozen=True)
class Told:
    """An entry: where, and which of its versions."""

    rect: Rect
    version: int


class Better(enum.Enum):
    """When an entry that was cut short is told more fully."""

    NEVER = enum.auto()
    AMPLY = enum.auto()
    """Where there is more room than a trembling face takes and gives."""
    ANYHOW = enum.auto()


class Room:
    """An area and what stands in it already."""

    def __init__(self, area: Rect, gap: int, captions: Iterable[tuple[Rect | None, Rect | None]]) -> None:
        """`captions` are the faces with their plates."""
        self._area, self._gap = area, gap
        whose = [(rect, sway(face, gap)) for face, plate in captions for rect in (face, plate) if rect]
        self._taken = edges([rect for rect, _ in whose])
        # What is put down anew keeps so far clear, what stands nothing: it outlasts a trembling face.
        self._margins = np.array([margin for _, margin in whose], np.int64)

    def take(self, entry: Rect) -> None:
        """Put an entry there."""
        self._taken = np.vstack((self._taken, edges([entry])))
        self._margins = np.append(self._margins, self._gap // 2)

    def tell(
        self,
        versions: Sequence[Size],
        anchor: Anchor,
        stood: Told | None,
        spared: Sequence[Rect],
        better: Better,
    ) -> Told | None:
        """The entry as it `stood`, if it can and still has that size, or else the fullest that finds room.

        None where there is no room. `better` says when one that stood cut short is told more fully.
        """
        kept = stood if stood and self._holds(versions, anchor, stood) else None
        if kept is None:
            # One who had none gets none for a tremble either, unless it is all set anew.
            ample = stood is None and better is not Better.ANYHOW
            return self.find(versions, anchor, stood.rect if stood else None, spared, ample=ample)
        if better is Better.NEVER or not kept.version:
            return kept
        fuller, ample = versions[: kept.version], better is Better.AMPLY
        return self.find(fuller, anchor, kept.rect, spared, ample=ample) or kept

    def _holds(self, versions: Sequence[Size], anchor: Anchor, stood: Told) -> bool:
        """Whether an entry may stay where it stood: covering nothing, and not too far off its face."""
        entry = stood.rect
        patience = self._off(anchor) + (round(PATIENCE * anchor.face.height) if anchor.face else 0)
        return (
            versions[stood.version : stood.version + 1] == ((entry.width, entry.height),)
            and entry.distance(anchor.rect) <= patience
            and self._area.contains(entry)
            and not clashes(edges([entry]), self._taken).any()
        )

    def find(
        self,
        versions: Sequence[Size],
        anchor: Anchor,
        before: Rect | None = None,
        spared: Sequence[Rect] = (),
        *,
        ample: bool = False,
    ) -> Told | None:
        """The first of the versions that finds room: as near as can be to where it was `before`.

        Rather where it is clear of `spared` too. It has `ample` room if it had some without what trembles.
        """
        area, margins = self._area, self._margins
        if ample:
            beside = edges([anchor.plate, *([anchor.face] if anchor.face else [])])
            own = (self._taken[:, None] == beside).all(2).any(1)
            reserve = sway(anchor.face, self._gap)
            area, margins = area.grown(-reserve), np.where(own, margins, 2 * margins + reserve)
        clear = grown(self._taken, margins)
        held = edges([rect.grown(self._gap // 2) for rect in spared])
        stops = np.vstack((clear, held))

        def place(size_wh: Size) -> Rect | None:
            found = self._beside(anchor, size_wh, area, stops, before)
            rects = np.hstack((found, found + size_wh))
            free = ~clashes(rects, clear).any(1)
            if not free.any():
                return None
            spares = free & ~clashes(rects, held).any(1)
            x, y = found[(spares if spares.any() else free).argmax()].tolist()
            return Rect(x, y, *size_wh)

        fits: dict[int, bool] = {}
        for version, (width, height) in enumerate(versions):
            if version and width not in fits:
                # Where the lowest of a width finds no room, none of that width does.
                lowest = min(size_wh[1] for size_wh in versions if size_wh[0] == width)
                fits[width] = place((width, lowest)) is not None
            found = place((width, height)) if fits.get(width, True) else None
            if found:
                return Told(found, version)
        return None

    def _beside(
        self, anchor: Anchor, size_wh: Size, area: Rect, others: Edges, before: Rect | None
    ) -> npt.NDArray[np.int64]:
        """(n, 2): x and y of the places inside the area for an entry of a size, the best first.

        At the right of the face, its left, below, above, and along each side, flush with the face, the area
        or one of `others`: if it fits anywhere beside the face, then so.
        """
        (width, height), off = size_wh, self._off(anchor)
        face, both = anchor.face, anchor.rect
        if face is None:
            return _within(area, np.array([(both.x, both.bottom + off)]), size_wh)
        start = face.x, face.y + sway(face, self._gap)
        xs, ys = [start[0], area.x, area.right - width], [start[1], area.y, area.bottom - height]
        if before:
            xs += [before.x, before.right - width]
            ys += [before.y, before.bottom - height]
        columns = np.concatenate((xs, others[:, 2], others[:, 0] - width))
        columns = columns[(columns > face.x - width) & (columns < face.right)]
        rows = np.concatenate((ys, others[:, 3], others[:, 1] - height))
        rows = rows[(rows > face.y - height) & (rows < face.bottom)]
        beside = crossings((face.right + off, face.x - off - width), rows)
        over = crossings(columns, (both.bottom + off, both.y - off - height))
        found = np.vstack((beside, over))
        side = np.concatenate((found[: len(beside), 0] <= face.x, 2 + (found[len(beside) :, 1] <= face.y)))
        slid = np.where(side < 2, abs(found[:, 1] - start[1]), abs(found[:, 0] - start[0]))
        if before:
            # As far as the nearer of two edges moves; if that is the same, where the first line moves least.
            start_moves = abs(found - (before.x, before.y))
            end_moves = abs(found + size_wh - (before.right, before.bottom))
            slid, side = np.minimum(start_moves, end_moves).sum(1), start_moves.sum(1)
        order = np.lexsort((found[:, 0], found[:, 1], side, slid))
        return _within(area, found[order], size_wh)

    def _off(self, anchor: Anchor) -> int:
        """How far off its face an entry is set."""
        return max(self._gap, sway(anchor.face, self._gap))


def _within(area: Rect, corners: npt.NDArray[np.int64], size_wh: Size) -> npt.NDArray[np.int64]:
    """Those at which something of a size is inside an area."""
    last = np.array((area.right, area.bottom)) - size_wh
    within: npt.NDArray[np.int64] = corners[((corners >= (area.x, area.y)) & (corners <= last)).all(1)]
    return within
