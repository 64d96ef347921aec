"""Where each caption goes: beside its face, on the screen, over no face and no other caption. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from kiosk.screen.view import Rect

# An entry stays until its face is this many face heights further off: reading wants a still text.
PATIENCE = 0.5
# So many visitors, the nearest, get an entry; the others have their label.
ENTRIES = 3
# One with an entry counts as this much larger: two who stand equally near must not take turns.
LOYALTY = 1.2


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
    plate: Rect
    entry: Rect | None
    """None where there is no room: the label is all that is shown."""
    version: int
    """Which of `entries_wh` it is."""


def arrange(
    items: Sequence[Item], area: Rect, gap: int, previous: Mapping[int, Placement]
) -> tuple[Placement, ...]:
    """Place the captions of one frame inside `area`, nearest visitor first; `gap` pixels from the face.

    `previous` holds the placements of the frame before. Where no arrangement keeps all apart, a plate
    takes the place with the least overlap, and an entry is left out.
    """
    ordered = sorted(items, key=lambda item: (-_size(item), item.id))
    table = _Table(area, gap, [item.face for item in ordered if item.face])
    plates: dict[int, Rect] = {}
    for at, item in enumerate(ordered):
        before = previous.get(item.id)
        later = [previous[other.id].plate for other in ordered[at + 1 :] if other.id in previous]
        plates[item.id] = table.plate(item, before.plate if before else None, later)
        table.taken.append(plates[item.id])
    entries = _entries(ordered, plates, table, previous)
    return tuple(Placement(item.id, plates[item.id], *entries.get(item.id, (None, 0))) for item in ordered)


def _entries(
    ordered: Sequence[Item], plates: Mapping[int, Rect], table: _Table, previous: Mapping[int, Placement]
) -> dict[int, tuple[Rect, int]]:
    """Where the entries go, and which versions of them."""
    # Somebody came or left: entries that were cut short for want of room are set anew.
    anew = previous.keys() != plates.keys()
    held = {id_ for id_, placement in previous.items() if placement.entry}
    ranked = sorted(ordered, key=lambda item: -_size(item) * (LOYALTY if item.id in held else 1))
    found: dict[int, tuple[Rect, int]] = {}

    def put(item: Item, place: tuple[Rect, int] | None) -> None:
        if place:
            found[item.id] = place
            table.taken.append(place[0])

    for item in ranked[:ENTRIES]:
        kept = table.kept(item, plates[item.id], previous.get(item.id))
        put(item, None if anew and kept and kept[1] else kept)
    for item in ranked:
        if item.id in found or len(found) == ENTRIES:
            continue
        kept = table.kept(item, plates[item.id], previous.get(item.id))
        versions = item.entries_wh[: kept[1]] if kept else item.entries_wh
        put(item, table.entry(item, plates[item.id], versions) if anew or not kept else None)
        if item.id not in found:
            put(item, kept)
    return found


def _size(item: Item) -> int:
    return item.face.width * item.face.height if item.face else 0


class _Table:
    """What stands where already."""

    def __init__(self, area: Rect, gap: int, taken: list[Rect]) -> None:
        self._area, self._gap, self.taken = area, gap, taken
        # What is put down anew keeps this much clear, what stands nothing: it outlasts a trembling face.
        self._clearance = gap // 2

    def plate(self, item: Item, before: Rect | None, later: Sequence[Rect]) -> Rect:
        """At a corner of the face, the top left if free; `later` is where those stood that are to come."""
        places = self._corners(item, self._area)
        free = [place for place in places if not self._hits(place)]
        if before and free:
            # The corner where it stood, moved along with the face.
            stood = min(places, key=lambda place: abs(place.x - before.x) + abs(place.y - before.y))
            others = [rect for rect in (*self.taken, *later) if rect != item.face]
            further_in = self._corners(item, self._area.grown(-self._clearance))
            for place, inner in zip(places, further_in, strict=True):
                if place == stood and place in free:
                    return place
                pressed = item.face and inner.overlap(item.face)
                roomy = place.grown(self._clearance)
                if place in free and not pressed and not any(roomy.overlap(other) for other in others):
                    return place
        if free:
            return free[0]
        return min(places, key=lambda place: sum(place.overlap(other) for other in self.taken))

    def _corners(self, item: Item, area: Rect) -> list[Rect]:
        face, (width, height) = item.face, item.plate_wh
        if face is None:
            return [area.nearest(area.x + self._gap, area.y + self._gap, item.plate_wh)]
        corners = (
            (face.x, face.y - height),
            (face.right - width, face.y - height),
            (face.x, face.bottom),
            (face.right - width, face.bottom),
            (face.right, face.y),
            (face.x - width, face.y),
        )
        return [area.nearest(x, y, item.plate_wh) for x, y in corners]

    def kept(self, item: Item, plate: Rect, before: Placement | None) -> tuple[Rect, int] | None:
        """Where the entry stood and its version, if it still has that size and is still beside its face."""
        if before is None or before.entry is None:
            return None
        entry, version = before.entry, before.version
        if item.entries_wh[version : version + 1] != ((entry.width, entry.height),):
            return None
        anchor, patience = self._anchor(item, plate)
        near = entry.distance(anchor) <= patience
        return (entry, version) if near and self._area.contains(entry) and not self._hits(entry) else None

    def entry(self, item: Item, plate: Rect, versions: Sequence[tuple[int, int]]) -> tuple[Rect, int] | None:
        """Where the best version that fits goes, and which it is."""
        fits: dict[int, bool] = {}
        for version, (width, height) in enumerate(versions):
            if version and width not in fits:
                # Where the lowest of a width finds no room, none of that width does.
                lowest = min(size_wh[1] for size_wh in versions if size_wh[0] == width)
                fits[width] = self._place(item, plate, (width, lowest)) is not None
            place = self._place(item, plate, (width, height)) if fits.get(width, True) else None
            if place:
                return place, version
        return None

    def _place(self, item: Item, plate: Rect, size_wh: tuple[int, int]) -> Rect | None:
        width, height = size_wh
        margin, area = self._clearance, self._area
        # Numbers rather than Rects: in a crowd some ten thousand are compared, several times a second.
        blocked = [(o.x - margin, o.y - margin, o.right + margin, o.bottom + margin) for o in self.taken]
        for x, y in self._beside(item, plate, size_wh):
            right, bottom = x + width, y + height
            if x < area.x or y < area.y or right > area.right or bottom > area.bottom:
                continue
            for x0, y0, x1, y1 in blocked:
                if x < x1 and x0 < right and y < y1 and y0 < bottom:
                    break
            else:
                return Rect(x, y, width, height)
        return None

    def _beside(self, item: Item, plate: Rect, size_wh: tuple[int, int]) -> Iterable[tuple[int, int]]:
        """Places for an entry: right, left, below, above, and along each side, the nearest first."""
        width, height = size_wh
        face, gap, area, clear = item.face, self._gap, self._area, self._clearance
        if face is None:
            return [(plate.x, plate.bottom + gap)]
        anchor, _ = self._anchor(item, plate)
        x0, y0 = face.x, face.y + clear
        beside_x = (face.right + gap, face.x - gap - width)
        beside_y = (anchor.bottom + gap, anchor.y - gap - height)
        # Flush with the face, with the area, or with what stands in the way: if it fits anywhere, then so.
        stops_x, stops_y = {x0, area.x, area.right - width}, {y0, area.y, area.bottom - height}
        for other in self.taken:
            stops_x |= {other.right + clear, other.x - clear - width}
            stops_y |= {other.bottom + clear, other.y - clear - height}
        found = []
        for side, x in enumerate(beside_x):
            if area.x <= x <= area.right - width:
                rows = (y for y in stops_y if face.y - height < y < face.bottom)
                found += [(abs(y - y0), side, y, x) for y in rows]
        for side, y in enumerate(beside_y, start=2):
            if area.y <= y <= area.bottom - height:
                columns = (x for x in stops_x if face.x - width < x < face.right)
                found += [(abs(x - x0), side, y, x) for x in columns]
        return [(x, y) for _, _, y, x in sorted(found)]

    def _anchor(self, item: Item, plate: Rect) -> tuple[Rect, int]:
        """What the entry must be near to, and how near, in pixels."""
        if item.face is None:
            return plate, self._gap
        return item.face.joined(plate), self._gap + round(PATIENCE * item.face.height)

    def _hits(self, rect: Rect) -> bool:
        return any(rect.overlap(other) for other in self.taken)
