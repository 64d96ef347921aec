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
        patience = _off(anchor, self._gap) + (round(PATIENCE * anchor.face.height) if anchor.face else 0)
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
        held = edges([rect.grown(self._gap // 2) for rect in spared])
        sides = _Sides(area, self._gap, anchor, grown(self._taken, margins), held, before)
        fits: dict[int, bool] = {}
        for version, (width, height) in enumerate(versions):
            if version and width not in fits:
                # Where the lowest of a width finds no room, none of that width does.
                lowest = min(size_wh[1] for size_wh in versions if size_wh[0] == width)
                fits[width] = sides.place((width, lowest)) is not None
            found = sides.place((width, height)) if fits.get(width, True) else None
            if found:
                return Told(found, version)
        return None


class _Sides:
    """The sides of one face, and where on them something finds room."""

    def __init__(
        self, area: Rect, gap: int, anchor: Anchor, clear: Edges, spared: Edges, before: Rect | None
    ) -> None:
        """`clear` is what is not covered, and `spared` what rather is not."""
        self._area, self._anchor, self._before = area, anchor, before
        self._margin, self._off = sway(anchor.face, gap), _off(anchor, gap)
        self._clear, self._spared = clear, spared
        self._others = np.vstack((clear, spared))

    def place(self, size_wh: Size) -> Rect | None:
        """The best place for something of a size."""
        found = self._corners(size_wh)
        free = found[~clashes(np.hstack((found, found + size_wh)), self._clear).any(1)]
        if not len(free):
            return None
        sparing = free[~clashes(np.hstack((free, free + size_wh)), self._spared).any(1)]
        x, y = self._best(sparing if len(sparing) else free, size_wh)
        return Rect(x, y, *size_wh)

    def _corners(self, size_wh: Size) -> npt.NDArray[np.int64]:
        """(n, 2): x and y of its places at the right, the left, below and above, inside the area.

        On each side flush with the face, with the area, or with what stands in the way: if it fits anywhere
        there, then so.
        """
        (width, height), area, others = size_wh, self._area, self._others
        face, both, before = self._anchor.face, self._anchor.rect, self._before
        last = Rect(area.x, area.y, area.width - width + 1, area.height - height + 1)
        if face is None:
            x, y = both.x, both.bottom + self._off
            return crossings(*(((x,), (y,)) if last.contains(Rect(x, y, 1, 1)) else ((), ())))
        xs, ys = [face.x, last.x, last.right - 1], [face.y + self._margin, last.y, last.bottom - 1]
        if before:
            xs += [before.x, before.right - width]
            ys += [before.y, before.bottom - height]
        columns = np.concatenate((xs, others[:, 2], others[:, 0] - width))
        rows = np.concatenate((ys, others[:, 3], others[:, 1] - height))
        columns = columns[
            (columns >= max(last.x, face.x - width + 1)) & (columns < min(last.right, face.right))
        ]
        rows = rows[(rows >= max(last.y, face.y - height + 1)) & (rows < min(last.bottom, face.bottom))]
        beside = [x for x in (face.right + self._off, face.x - self._off - width) if last.x <= x < last.right]
        over = [
            y for y in (both.bottom + self._off, both.y - self._off - height) if last.y <= y < last.bottom
        ]
        return np.vstack((crossings(beside, rows), crossings(columns, over)))

    def _best(self, found: npt.NDArray[np.int64], size_wh: Size) -> tuple[int, int]:
        """The one that is the least way from where it was, or else from the face's upper corners."""
        face, before, width = self._anchor.face, self._before, size_wh[0]
        x, y = found.T
        if before:
            # As far as the nearer of two edges moves; if that is the same, where the first line moves least.
            start_moves = abs(found - (before.x, before.y))
            end_moves = abs(found + size_wh - (before.right, before.bottom))
            way, then = np.minimum(start_moves, end_moves).sum(1), start_moves.sum(1)
        elif face:
            right, left = x >= face.right, x + width <= face.x
            way = np.where(right | left, abs(y - face.y - self._margin), abs(x - face.x))
            then = np.where(right, 0, np.where(left, 1, np.where(y >= face.bottom, 2, 3)))
        else:
            way = then = np.zeros(len(found), np.int64)
        best = np.lexsort((x, y, then, way))[0]
        return int(x[best]), int(y[best])


def _off(anchor: Anchor, gap: int) -> int:
    """How far off its face an entry is set."""
    return max(gap, sway(anchor.face, gap))
