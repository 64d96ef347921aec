"""Where each caption goes: beside its face, on the screen, over no face and no other caption. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from kiosk.screen.places import Place
from kiosk.screen.plates import Crowd, Plate, Visitor
from kiosk.screen.room import Anchor, Better, Room, Told
from kiosk.screen.view import Rect

# Who was behind is nearer only if she is this much larger: two who stand equally near must not take turns.
LOYALTY = 1.2
# Of the face's height: what of a head is above it.
HAIR = 0.6


@dataclass(frozen=True)
class Item:
    """A caption to be placed."""

    id: int
    face: Rect | None
    """None for the whole scene."""
    plate_wh: tuple[int, int]
    entries_wh: tuple[tuple[int, int], ...]
    """Sizes of the entry's versions, the best first and the smallest last."""


@dataclass(frozen=True)
class Placement:
    """Where a caption goes."""

    id: int
    rank: int
    """0 for the nearest visitor, 1 for the next."""
    plate: Rect
    place: Place | None
    """Where at its face the plate is; None for the whole scene's."""
    entry: Rect | None
    """None where there is no room: the label is all that is shown."""
    version: int
    """Which of `entries_wh` it is."""


def arrange(
    items: Sequence[Item], area: Rect, gap: int, previous: Mapping[int, Placement], *, entries: int = 3
) -> tuple[Placement, ...]:
    """Place the captions of one frame inside `area`, nearest visitor first.

    `previous` holds the placements of the frame before: what stands stays where it can.

    The `entries` nearest visitors get an entry, each the fullest version that finds room beside her face,
    `gap` pixels off it, or none. The other plates give way to the nearest's entry. Where no arrangement
    keeps all plates apart and off the faces, a plate goes where it covers least.
    """
    wall = _Wall(_ranked(items, previous), area, gap, previous)
    nearest = wall.nearest() if entries else None
    plates = wall.plates(nearest)
    if nearest and wall.in_vain(plates):
        # Rather a shorter entry than a plate over a face.
        without = wall.plates(None)
        if _covering(without) < _covering(plates):
            nearest, plates = None, without
    return wall.placements(plates, entries, nearest)


def _covering(plates: Mapping[int, Plate]) -> int:
    return sum(plate.place.covering for plate in plates.values())


def _ranked(items: Sequence[Item], previous: Mapping[int, Placement]) -> list[Item]:
    """The nearest first; of two who were there before, in the order of then unless that is plainly wrong."""
    known = sorted((item for item in items if item.id in previous), key=lambda item: previous[item.id].rank)
    new = sorted(
        (item for item in items if item.id not in previous), key=lambda item: (-_size(item), item.id)
    )
    ranked: list[Item] = []
    for item in (*known, *new):
        passed = (at for at, other in enumerate(ranked) if _size(item) > LOYALTY * _size(other))
        ranked.insert(next(passed, len(ranked)), item)
    return ranked


def _head(face: Rect) -> Rect:
    """The face with hair and hat, which an entry covers only where it must."""
    hair = round(HAIR * face.height)
    return Rect(face.x, face.y - hair, face.width, face.height + hair)


def _rim(area: Rect) -> tuple[Rect, ...]:
    """The outermost pixels of the area."""
    return (
        Rect(area.x, area.y, area.width, 1),
        Rect(area.x, area.bottom - 1, area.width, 1),
        Rect(area.x, area.y, 1, area.height),
        Rect(area.right - 1, area.y, 1, area.height),
    )


def _size(item: Item) -> int:
    return item.face.width * item.face.height if item.face else 0


@dataclass(frozen=True)
class _Nearest:
    """The nearest visitor's caption."""

    plate: Plate
    entry: Told


class _Wall:
    """The captions of one frame, the nearest visitor's first, and those of the frame before."""

    def __init__(
        self, ranked: Sequence[Item], area: Rect, gap: int, previous: Mapping[int, Placement]
    ) -> None:
        self._ranked, self._area, self._gap, self._previous = ranked, area, gap, previous
        # A plate may touch the edge of the screen; a text to be read keeps off it, and off hair and hats.
        self._rather_not = [*_rim(area), *(_head(item.face) for item in ranked if item.face)]
        visitors = [self._visitor(item, item.face) for item in ranked if item.face]
        self._ids = [item.id for item in ranked if item.face]
        self._crowd = Crowd(visitors, area, gap)
        # The scene's caption stands at the upper left.
        self._scenes = {
            item.id: area.nearest(area.x + gap, area.y + gap, item.plate_wh)
            for item in ranked
            if item.face is None
        }
        # Somebody came or left: entries that were cut short for want of room are set anew.
        anew = previous.keys() != {item.id for item in ranked}
        self._better = Better.ANYHOW if anew else Better.NEVER

    def nearest(self) -> _Nearest | None:
        """Her caption, if all the others gave way; None where there is no room for it even so."""
        faces = [item.face for item in self._ranked if item.face]
        if not faces or not self._ranked[0].face:
            return None
        scenes = list(self._scenes.values())
        plate = self._crowd.first(scenes)
        if plate.place.covering:
            return None
        captions = [(faces[0], plate.rect), *((face, None) for face in faces[1:])]
        room = Room(self._area, self._gap, [*captions, *((None, scene) for scene in scenes)])
        others = [self._previous[item.id] for item in self._ranked[1:] if item.id in self._previous]
        spared = [before.plate for before in others] + [before.entry for before in others if before.entry]
        spared += self._rather_not
        item, anchor = self._ranked[0], Anchor(faces[0], plate.rect)
        before = self._previous.get(item.id)
        # The others make room when she becomes the nearest, not for a few words more afterwards.
        better = Better.NEVER if before and before.rank == 0 else Better.ANYHOW
        entry = room.tell(item.entries_wh, anchor, self._stood(item), spared, better)
        return _Nearest(plate, entry) if entry else None

    def plates(self, nearest: _Nearest | None) -> dict[int, Plate]:
        """The visitors' plates, by their ids; round the nearest's caption, if that is given."""
        stood = [self._stood(item) for item in self._ranked]
        spared, fixed = [entry.rect for entry in stood if entry], list(self._scenes.values())
        if nearest:
            plates = self._crowd.stand([*fixed, nearest.entry.rect], spared, nearest.plate)
        else:
            plates = self._crowd.stand(fixed, spared)
        return dict(zip(self._ids, plates, strict=True))

    def in_vain(self, plates: Mapping[int, Plate]) -> bool:
        """Whether a plate covers something that could stand free elsewhere, by the faces alone."""
        placed = (plates[id_].place.covering for id_ in self._ids)
        return any(covering and not self._crowd.hopeless(at) for at, covering in enumerate(placed))

    def placements(
        self, plates: Mapping[int, Plate], entries: int, nearest: _Nearest | None
    ) -> tuple[Placement, ...]:
        """Everything, with the entries that find room between the plates."""
        rects = {**self._scenes, **{id_: plate.rect for id_, plate in plates.items()}}
        room = Room(self._area, self._gap, [(item.face, rects[item.id]) for item in self._ranked])
        told: dict[int, Told] = {}
        for rank, item in enumerate(self._ranked[:entries]):
            stood = nearest.entry if nearest and rank == 0 else self._stood(item)
            others = [self._stood(other) for other in self._ranked[rank + 1 : entries]]
            spared = [other.rect for other in others if other]
            spared += self._rather_not
            # The nearest's is as full as there is room for; others are not told anew whenever there is more.
            better = Better.AMPLY if rank == 0 and self._better is Better.NEVER else self._better
            anchor = Anchor(item.face, rects[item.id])
            entry = room.tell(item.entries_wh, anchor, stood, spared, better)
            if entry:
                told[item.id] = entry
                room.take(entry.rect)
        return tuple(
            Placement(
                item.id,
                rank,
                rects[item.id],
                plates[item.id].place if item.id in plates else None,
                told[item.id].rect if item.id in told else None,
                told[item.id].version if item.id in told else 0,
            )
            for rank, item in enumerate(self._ranked)
        )

    def _visitor(self, item: Item, face: Rect) -> Visitor:
        before = self._previous.get(item.id)
        return Visitor(face, item.plate_wh, before.place if before else None)

    def _stood(self, item: Item) -> Told | None:
        before = self._previous.get(item.id)
        return Told(before.entry, before.version) if before and before.entry else None
