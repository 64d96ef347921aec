"""A place for every plate, at its own face, over no face and no other plate. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from kiosk.screen.places import REACH, STRAY, Choice, Place, sway
from kiosk.screen.rects import Edges, clashes, edges, grown, inside, overlaps
from kiosk.screen.search import Search, modest
from kiosk.screen.view import Rect

# Steps of a search in the order of preference, then of one in the most promising order, and of all for one
# crowd. Where faces stand beside each other the first is enough; past the last, some 5 ms, none is known.
STEPS = (100, 300)
STEPS_IN_ALL = 1000
# What a covered pixel costs: of another's face or of a plate, of one's own face, of its eyes, nose and mouth.
OTHERS, OWN, FEATURES = 4, 1, 2
# A plate that has to cover something moves only where it costs this much less: it must not hop.
BETTER = 1.2


@dataclass(frozen=True)
class Visitor:
    """Whose plate is to stand."""

    face: Rect
    plate_wh: tuple[int, int]
    before: Place | None
    """Where it stood, if it did."""


@dataclass(frozen=True)
class Plate:
    """Where it stands."""

    place: Place
    rect: Rect


class Crowd:
    """The visitors of one frame, the nearest first, and where their plates may stand."""

    def __init__(self, visitors: Sequence[Visitor], area: Rect, gap: int) -> None:
        self.visitors, self.area = visitors, area
        faces = [visitor.face for visitor in visitors]
        self.faces = edges(faces)
        self.margins = np.array([sway(face, gap) for face in faces], np.int64)
        self.choices = [Choice(visitor.face, visitor.plate_wh, area, gap, self.faces) for visitor in visitors]
        self._sizes_wh = np.array([visitor.plate_wh for visitor in visitors], np.int64).reshape(-1, 2)
        self.befores = {at: visitor.before for at, visitor in enumerate(visitors) if visitor.before}
        self.stood = np.zeros((len(visitors), 4), np.int64)
        for at, before in self.befores.items():
            self.stood[at] = edges([before.rect(faces[at], visitors[at].plate_wh, area)])[0]

    def ranges(self, reach: float) -> Edges:
        """Within what each plate is that is no more than `reach` plate heights off its face."""
        height = np.round(reach * self._sizes_wh[:, 1:]).astype(np.int64)
        start, end = self.faces[:, :2] - self._sizes_wh - height, self.faces[:, 2:] + height
        first = inside(np.hstack((start, start + self._sizes_wh)), self.area)
        last = inside(np.hstack((end, end + self._sizes_wh)), self.area)
        return np.hstack((first[:, :2], last[:, 2:]))

    def hopeless(self, at: int) -> bool:
        """Whether a visitor's plate covers a face wherever it stands."""
        choice = self.choices[at]
        return not any(len(places) for places in (choice.corners, choice.sides, choice.off))

    def first(self, fixed: Sequence[Rect] = ()) -> Plate:
        """The nearest's plate, as if there were no others."""
        return _Seating(self, (0,), edges(fixed), edges([])).plates()[0]

    def stand(
        self, fixed: Sequence[Rect] = (), spared: Sequence[Rect] = (), first: Plate | None = None
    ) -> tuple[Plate, ...]:
        """The plates of all; the nearest's may be settled already.

        A plate stays where it stood, by its face, as long as it covers no face, no other plate and none of
        `fixed` there. One that cannot takes the best free place, rather one with room about it that leaves
        `spared` alone; the nearest's need not. If no place is free the others make room. If no arrangement
        does, the plate takes the place where it covers least.
        """
        everybody = range(len(self.visitors))
        if first is None:
            return _Seating(self, everybody, edges(fixed), edges(spared)).plates()
        settled, trembling = [*fixed, first.rect], [*spared, first.rect.grown(int(self.margins[0]))]
        return first, *_Seating(self, everybody[1:], edges(settled), edges(trembling)).plates()


class _Seating:
    """The plates of some of a crowd, put down one after the other."""

    def __init__(self, crowd: Crowd, who: Sequence[int], fixed: Edges, spared: Edges) -> None:
        self._crowd, self._who, self._fixed = crowd, who, fixed
        # What is put down anew keeps clear of these: the faces with what they need to tremble, and more.
        self._shy = np.vstack((grown(crowd.faces, crowd.margins), fixed))
        self._spared = spared
        self._rects = crowd.stood.copy()
        self._standing: npt.NDArray[np.bool_] = np.zeros(len(crowd.visitors), np.bool_)
        self._covering: set[int] = set()
        self._known: dict[tuple[int, bool], Edges] = {}
        self._steps = STEPS_IN_ALL
        self._keep()
        stuck = [at for at in who if not self._standing[at] and not self._sit(at)]
        for at in [at for at in stuck if not self._rearrange(at)]:
            self._squeeze(at)

    def plates(self) -> tuple[Plate, ...]:
        """All of them."""
        return tuple(self._plate(at) for at in self._who)

    def _plate(self, at: int) -> Plate:
        rect, before = _rect(self._rects[at]), self._crowd.befores.get(at)
        stays = before and (self._rects[at] == self._crowd.stood[at]).all()
        place = before if before and stays else self._crowd.choices[at].place(rect)
        covering = at in self._covering
        return Plate(place if place.covering == covering else replace(place, covering=covering), rect)

    def _keep(self) -> None:
        """Leave the plates where they stood that may; those that covered something come last."""
        befores = [(before.covering, at) for at, before in self._crowd.befores.items() if at in self._who]
        taken = np.vstack((self._crowd.faces, self._fixed))
        covers = np.flatnonzero(clashes(self._rects, taken).any(1))
        clash = clashes(self._rects, self._rects)
        for _, at in sorted(befores):
            self._standing[at] = at not in covers and not clash[at, self._standing].any()
        for _, at in befores:
            if self._crowd.befores[at].loose and self._standing[at]:
                self._call_back(at)

    def _call_back(self, at: int) -> None:
        """Put a plate that is off its face back to it if there is room now, or if it is too far off."""
        rect = _rect(self._rects[at])
        astray = rect.distance(self._crowd.visitors[at].face) > STRAY * rect.height
        self._standing[at] = False
        self._standing[at] = self._sit(at, with_room=True) or not astray

    def _sit(self, at: int, *, with_room: bool = False) -> bool:
        """Give a visitor the best free place at her face, if there is one; or only one with room about it."""
        crowd, choice, plates = self._crowd, self._crowd.choices[at], self._rects[self._standing]
        margin, spared = crowd.margins[at : at + 1], self._spared
        # The nearest's goes where it belongs, whoever's entry stands there.
        shy = np.vstack(
            (self._shy, grown(plates, crowd.margins[self._standing]), spared if at else spared[:0])
        )
        # Nor where it would be pushed over its face as soon as that came nearer to the edge.
        shrunk, own = crowd.area.grown(-int(margin[0])), crowd.faces[at : at + 1]
        for along_sides in (False, True):
            places = choice.sides if along_sides else choice.corners
            close = clashes(grown(places, margin), shy)
            close[:, at] = clashes(inside(places, shrunk), own)[:, 0]
            roomy = places[~close.any(1)]
            if len(roomy):
                return self._put(at, roomy[0])
        tight = np.vstack((choice.corners, choice.sides))
        free = tight[~clashes(tight, np.vstack((plates, self._fixed))).any(1)]
        return not with_room and len(free) > 0 and self._put(at, free[0])

    def _rearrange(self, at: int) -> bool:
        """Find a place for one for whom others have to make room: all at their faces, or else close by."""
        near, nearby = self._concerned(at, 0.0), self._concerned(at, REACH)
        return any(
            self._search(at, others, off)
            for others, off in ((near, ()), (nearby, (at,)), (nearby, (at, *nearby)))
        )

    def _concerned(self, at: int, reach: float) -> list[int]:
        """Whose standing plates may be in the way, or in the way of those: all, but in a scattered crowd."""
        ranges, rects, standing = self._crowd.ranges(reach), self._rects, self._standing
        # One that stands off its face already may stay there.
        ranges[standing, :2] = np.minimum(ranges[standing, :2], rects[standing, :2])
        ranges[standing, 2:] = np.maximum(ranges[standing, 2:], rects[standing, 2:])
        meet = clashes(ranges, ranges) & standing
        found = meet[at]
        for _ in range(len(found)):
            found = found | meet[found].any(0)
        return [int(one) for one in np.flatnonzero(found)]

    def _search(self, at: int, others: Sequence[int], off: Sequence[int]) -> bool:
        """`off` are those who may stand off their faces."""
        own = self._places(at, off=at in off)
        if not len(own):
            return False
        # She rather stands where few are in the way; the others rather stay.
        in_the_way = clashes(own, self._rects[others]).sum(1)
        lists = [own[np.argsort(in_the_way, kind="stable")]]
        lists += [np.vstack((self._rects[one], self._places(one, off=one in off))) for one in others]
        found, ended = self._solve(lists, STEPS[0])
        if not ended:
            found, _ = self._solve(modest(lists), STEPS[1])
        if found is None:
            return False
        self._rects[[at, *others]], self._standing[at] = found, True
        return True

    def _solve(self, lists: Sequence[Edges], steps: int) -> tuple[Edges | None, bool]:
        """What is found, and whether that is the last word."""
        steps = min(steps, self._steps)
        search = Search(lists, steps)
        found = search.solve()
        self._steps -= steps - search.steps
        return found, found is not None or search.steps > 0

    def _places(self, at: int, *, off: bool) -> Edges:
        """Where her plate would cover nothing that does not move; `off` her face too."""
        if (at, off) not in self._known:
            choice = self._crowd.choices[at]
            places = choice.off if off else np.vstack((choice.corners, choice.sides))
            free = places[~clashes(places, self._fixed).any(1)] if len(self._fixed) else places
            self._known[at, off] = np.vstack((self._places(at, off=False), free)) if off else free
        return self._known[at, off]

    def _squeeze(self, at: int) -> None:
        """Put a plate for which there is no place where it covers least."""
        crowd, face = self._crowd, self._crowd.visitors[at].face
        others = np.vstack((np.delete(crowd.faces, at, 0), self._fixed, self._rects[self._standing]))
        # The first is where it stood, if it did.
        places = np.vstack((*([crowd.stood[at]] if at in crowd.befores else []), crowd.choices[at].every))
        features = edges([face.grown(-min(face.width, face.height) // 4)])
        own = OWN * overlaps(places, edges([face])) + FEATURES * overlaps(places, features)
        cost = OTHERS * overlaps(places, others).sum(1) + own.sum(1)
        best = int(cost.argmin())
        stays = at in crowd.befores and cost[0] <= BETTER * cost[best]
        self._put(at, places[0 if stays else best])
        self._covering.add(at)

    def _put(self, at: int, rect: npt.NDArray[np.int64]) -> bool:
        self._rects[at], self._standing[at] = rect, True
        return True


def _rect(row: npt.NDArray[np.int64]) -> Rect:
    x0, y0, x1, y1 = row.tolist()
    return Rect(x0, y0, x1 - x0, y1 - y0)
