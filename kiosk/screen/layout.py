"""Where each caption goes: beside its face, on the screen, over no face and no other caption. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from kiosk.messages import Box

# An entry stays where it stands until its place is this many face heights off: reading wants a still text.
PATIENCE = 0.5
# Positions along the side of a face that are tried, in screen heights.
STEP = 0.03
# So many visitors, the nearest, get an entry; the others have their label.
ENTRIES = 3


@dataclass(frozen=True)
class Rect:
    """Pixels of the screen: top left, width, height."""

    x: int
    y: int
    width: int
    height: int

    @property
    def right(self) -> int:
        """X of the first column beside it."""
        return self.x + self.width

    @property
    def bottom(self) -> int:
        """Y of the first row below it."""
        return self.y + self.height

    def overlap(self, other: Rect) -> int:
        """Shared area, square pixels."""
        width = min(self.right, other.right) - max(self.x, other.x)
        height = min(self.bottom, other.bottom) - max(self.y, other.y)
        return max(0, width) * max(0, height)

    def contains(self, other: Rect) -> bool:
        """Whether all of `other` lies inside."""
        return (
            self.x <= other.x
            and self.y <= other.y
            and other.right <= self.right
            and other.bottom <= self.bottom
        )

    def nearest(self, x: int, y: int, size_wh: tuple[int, int]) -> Rect:
        """A rectangle of a size as near to (x, y) as fits inside; at the top left where it cannot."""
        width, height = size_wh
        return Rect(
            max(self.x, min(x, self.right - width)), max(self.y, min(y, self.bottom - height)), width, height
        )


@dataclass(frozen=True)
class View:
    """How a frame is shown: scaled, cut or bordered, and mirrored."""

    frame_wh: tuple[int, int]
    screen_wh: tuple[int, int]
    fit: str
    """cover or contain."""
    mirror: bool

    @property
    def scale(self) -> float:
        """Screen pixels for a pixel of the frame."""
        ratios = (self.screen_wh[0] / self.frame_wh[0], self.screen_wh[1] / self.frame_wh[1])
        return max(ratios) if self.fit == "cover" else min(ratios)

    @property
    def source(self) -> tuple[int, int, int, int]:
        """What of the frame is seen: x0, y0, x1, y1 in its pixels, about its middle."""
        width, height = self.frame_wh
        seen_w = min(width, max(1, round(self.screen_wh[0] / self.scale)))
        seen_h = min(height, max(1, round(self.screen_wh[1] / self.scale)))
        x0, y0 = (width - seen_w) // 2, (height - seen_h) // 2
        return x0, y0, x0 + seen_w, y0 + seen_h

    @property
    def target(self) -> Rect:
        """Where on the screen it is seen."""
        x0, y0, x1, y1 = self.source
        width = min(self.screen_wh[0], round((x1 - x0) * self.scale))
        height = min(self.screen_wh[1], round((y1 - y0) * self.scale))
        if self.fit == "cover":
            width, height = self.screen_wh
        return Rect((self.screen_wh[0] - width) // 2, (self.screen_wh[1] - height) // 2, width, height)

    def rect(self, box: Box) -> Rect:
        """A box of the frame on the screen, mirrored with the picture; it may stick out."""
        x0, y0, x1, y1 = self.source
        target = self.target
        scale_x, scale_y = target.width / (x1 - x0), target.height / (y1 - y0)
        left, right = (x1 - box.x1, x1 - box.x0) if self.mirror else (box.x0 - x0, box.x1 - x0)
        x = round(target.x + left * scale_x)
        y = round(target.y + (box.y0 - y0) * scale_y)
        return Rect(x, y, round((right - left) * scale_x), round(box.height * scale_y))


@dataclass(frozen=True)
class Item:
    """A caption to be placed."""

    id: int
    face: Rect | None
    """None for the whole scene."""
    plate_wh: tuple[int, int]
    entries_wh: tuple[tuple[int, int], ...]
    """Sizes of the entry's versions, fullest first."""


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
    ordered = sorted(items, key=lambda item: -(item.face.width * item.face.height) if item.face else 0)
    taken = [item.face for item in items if item.face]
    plates: dict[int, Rect] = {}
    for item in ordered:
        plates[item.id] = _plate(item, area, taken)
        taken.append(plates[item.id])
    placements = []
    for rank, item in enumerate(ordered):
        found = (
            _entry(item, plates[item.id], area, gap, taken, previous.get(item.id)) if rank < ENTRIES else None
        )
        if found is not None:
            taken.append(found[0])
        rect, version = found or (None, 0)
        placements.append(Placement(item.id, plates[item.id], rect, version))
    return tuple(placements)


def _plate(item: Item, area: Rect, taken: Sequence[Rect]) -> Rect:
    face, (width, height) = item.face, item.plate_wh
    if face is None:
        return area.nearest(area.x, area.y, item.plate_wh)
    corners = (
        (face.x, face.y - height),
        (face.right - width, face.y - height),
        (face.x, face.bottom),
        (face.right - width, face.bottom),
        (face.right, face.y),
        (face.x - width, face.y),
    )
    rects = [area.nearest(x, y, item.plate_wh) for x, y in corners]
    return min(rects, key=lambda rect: sum(rect.overlap(other) for other in taken))


def _entry(
    item: Item, plate: Rect, area: Rect, gap: int, taken: Sequence[Rect], before: Placement | None
) -> tuple[Rect, int] | None:
    """The fullest version that fits, and where."""
    for version, size_wh in enumerate(item.entries_wh):
        candidates = list(_beside(item, plate, area, gap, size_wh))
        if before and before.entry and candidates:
            stays = Rect(before.entry.x, before.entry.y, *size_wh)
            patience = round(PATIENCE * item.face.height) if item.face else area.height
            if min(abs(rect.x - stays.x) + abs(rect.y - stays.y) for rect in candidates) <= patience:
                candidates.insert(0, stays)
        for rect in candidates:
            if area.contains(rect) and not any(rect.overlap(other) for other in taken):
                return rect, version
    return None


def _beside(item: Item, plate: Rect, area: Rect, gap: int, size_wh: tuple[int, int]) -> Iterator[Rect]:
    """Places for an entry: right, left, below, above, and along each side, the nearest first."""
    width, height = size_wh
    face = item.face
    if face is None:
        yield Rect(plate.x, plate.bottom + gap, width, height)
        return
    top, bottom = min(face.y, plate.y), max(face.bottom, plate.bottom)
    step = max(1, round(STEP * area.height))
    for away in range(0, area.height, step):
        for slide in (away, -away) if away else (0,):
            y = area.nearest(area.x, face.y + slide, size_wh).y
            if y < face.bottom and y + height > face.y:
                yield Rect(face.right + gap, y, width, height)
                yield Rect(face.x - gap - width, y, width, height)
            x = area.nearest(face.x + slide, area.y, size_wh).x
            if x < face.right and x + width > face.x:
                yield Rect(x, bottom + gap, width, height)
                yield Rect(x, top - gap - height, width, height)
