from __future__ import annotations

import itertools

from hypothesis import given, settings
from hypothesis import strategies as st

from kiosk.screen.layout import ENTRIES, PATIENCE, Item, Placement, arrange
from kiosk.screen.view import Rect

GAP = 14
AREA = Rect(0, 0, 1920, 960)
ENTRY = ((498, 420), (418, 520), (668, 330), (498, 300), (418, 360), (668, 240), (498, 180), (668, 150))


def visitor(id_: int, x: int, y: int, width: int, height: int, plate_wh: tuple[int, int] = (180, 62)) -> Item:
    return Item(id_, Rect(x, y, width, height), plate_wh, ENTRY)


def place(
    items: list[Item], area: Rect = AREA, previous: tuple[Placement, ...] = ()
) -> tuple[Placement, ...]:
    return arrange(items, area, GAP, {placement.id: placement for placement in previous})


def of(placements: tuple[Placement, ...], id_: int) -> Placement:
    return next(placement for placement in placements if placement.id == id_)


@st.composite
def walls(draw: st.DrawFn) -> tuple[Rect, list[Item]]:
    """An area and its visitors; some stick out, some stand before others."""
    width, height = draw(
        st.sampled_from([(1280, 720), (1920, 1080), (3840, 2160), (1080, 1920), (720, 1280)])
    )
    unit = min(width, height) / 1080
    area = Rect(0, 0, width, height - draw(st.integers(0, round(150 * unit))))
    items = []
    for id_ in range(1, draw(st.integers(1, 12)) + 1):
        face_h = draw(st.integers(round(40 * unit), round(600 * unit)))
        face_w = draw(st.integers(face_h // 2, face_h))
        x = draw(st.integers(-face_w // 2, width - face_w // 2))
        y = draw(st.integers(-face_h // 2, area.height - face_h // 2))
        plate_wh = draw(st.integers(round(60 * unit), round(500 * unit))), round(62 * unit)
        longer = draw(st.floats(0.3, 1.6))
        entries_wh = tuple((round(w * unit), round(h * unit * longer)) for w, h in ENTRY)
        items.append(Item(id_, Rect(x, y, face_w, face_h), plate_wh, entries_wh))
    return area, items


def corners(item: Item, area: Rect) -> list[Rect]:
    """Where the plate may be, said once more in other words."""
    face, (width, height) = item.face, item.plate_wh
    assert face is not None
    above, below, beside = face.y - height, face.y + face.height, face.y
    left, flush_right = face.x, face.x + face.width - width
    at = [(left, above), (flush_right, above), (left, below), (flush_right, below)]
    at += [(face.x + face.width, beside), (face.x - width, beside)]
    inside = [
        (min(max(x, area.x), area.right - width), min(max(y, area.y), area.bottom - height)) for x, y in at
    ]
    return [Rect(x, y, width, height) for x, y in inside]


def size(item: Item) -> int:
    return item.face.width * item.face.height if item.face else 0


def test_the_plate_stands_on_the_top_left_of_the_box() -> None:
    (placement,) = place([visitor(1, 800, 300, 150, 200)])
    assert placement.plate == Rect(800, 300 - 62, 180, 62)


def test_the_plate_hangs_below_a_box_that_touches_the_top() -> None:
    (placement,) = place([visitor(1, 800, 10, 150, 200)])
    assert placement.plate == Rect(800, 210, 180, 62)


def test_the_plate_of_a_box_at_the_right_edge_stays_on_the_screen() -> None:
    (placement,) = place([visitor(1, 1840, 300, 80, 100)])
    assert placement.plate == Rect(1920 - 180, 300 - 62, 180, 62)


def test_the_entry_stands_at_the_right_of_the_face_if_it_can() -> None:
    (placement,) = place([visitor(1, 800, 300, 150, 200)])
    assert placement.entry is not None
    assert placement.version == 0
    assert placement.entry.x == 950 + GAP
    assert placement.entry.y == 300 + GAP // 2


def test_the_entry_stands_at_the_left_where_the_right_is_the_edge() -> None:
    (placement,) = place([visitor(1, 1700, 300, 150, 200)])
    assert placement.entry is not None
    assert placement.entry.right == 1700 - GAP


def test_on_a_narrow_screen_the_entry_stands_below() -> None:
    (placement,) = place([visitor(1, 300, 400, 400, 520)], Rect(0, 0, 1080, 1800))
    assert placement.entry is not None
    assert placement.entry.y == 920 + GAP


def test_a_face_that_fills_the_screen_has_a_label_and_no_entry() -> None:
    (placement,) = place([visitor(1, 100, 20, 1700, 900)])
    assert placement.entry is None
    assert AREA.contains(placement.plate)


def test_a_shorter_version_is_taken_where_the_full_one_does_not_fit() -> None:
    area = Rect(0, 0, 1920, 300)
    (placement,) = place([visitor(1, 800, 100, 100, 120)], area)
    assert placement.entry is not None
    assert (placement.entry.width, placement.entry.height) == ENTRY[placement.version] == (498, 300)


def test_the_caption_of_the_scene_stands_at_the_upper_left() -> None:
    area = Rect(0, 656, 1080, 1000)
    (placement,) = place([Item(0, None, (200, 62), ENTRY)], area)
    assert placement.plate == Rect(GAP, 656 + GAP, 200, 62)
    assert placement.entry == Rect(GAP, 656 + GAP + 62 + GAP, *ENTRY[0])


def test_only_the_nearest_have_an_entry() -> None:
    area = Rect(0, 0, 7680, 4320)
    items = [
        visitor(id_, 900 * id_ % 7000, 1200 * (id_ % 3) + 500, 50 + id_, 70 + id_) for id_ in range(1, 9)
    ]
    told = {placement.id for placement in place(items, area) if placement.entry}
    assert told == {8, 7, 6}
    assert len(told) == ENTRIES


def test_who_comes_nearer_takes_the_entry_over() -> None:
    area = Rect(0, 0, 7680, 4320)
    items = [visitor(id_, 1500 * id_, 1000, 100, 100 + id_) for id_ in range(1, 5)]
    before = place(items, area)
    assert {placement.id for placement in before if placement.entry} == {2, 3, 4}
    items[0] = visitor(1, 1500, 1000, 200, 250)
    after = place(items, area, before)
    assert {placement.id for placement in after if placement.entry} == {1, 3, 4}


def test_two_who_stand_equally_near_do_not_take_turns() -> None:
    area = Rect(0, 0, 7680, 4320)
    items = [visitor(id_, 1500 * id_, 1000, 100, 100) for id_ in range(1, 5)]
    before = place(items, area)
    told = {placement.id for placement in before if placement.entry}
    items[3] = visitor(4, 6000, 1000, 104, 104)
    after = place(items, area, before)
    assert {placement.id for placement in after if placement.entry} == told == {1, 2, 3}


def test_an_entry_that_was_cut_short_is_told_in_full_when_the_others_have_gone() -> None:
    crowd = [
        visitor(1, 900, 420, 100, 130),
        visitor(2, 300, 100, 280, 300),
        visitor(3, 1350, 100, 280, 300),
        visitor(4, 300, 600, 280, 300),
        visitor(5, 1350, 600, 280, 300),
    ]
    before = place(crowd)
    cut = next(placement for placement in before if placement.entry and placement.version > 0)
    alone = [item for item in crowd if item.id == cut.id]
    assert of(place(alone, AREA, before), cut.id).version == 0


def test_an_entry_stays_while_its_face_walks_a_little_and_follows_when_it_walks_far() -> None:
    before = place([visitor(1, 800, 300, 150, 200)])
    strolled = place([visitor(1, 800 - round(PATIENCE * 200) + 5, 300, 150, 200)], AREA, before)
    assert of(strolled, 1).entry == of(before, 1).entry
    gone = place([visitor(1, 400, 300, 150, 200)], AREA, before)
    assert of(gone, 1).entry != of(before, 1).entry


def test_an_entry_gives_way_to_a_face_that_comes_before_it() -> None:
    before = place([visitor(1, 800, 300, 150, 200)])
    newcomer = visitor(2, 1100, 320, 120, 150)
    after = place([visitor(1, 800, 300, 150, 200), newcomer], AREA, before)
    entry = of(after, 1).entry
    assert entry is not None
    assert newcomer.face is not None
    assert not entry.overlap(newcomer.face)


def test_a_plate_does_not_hop_at_the_edge_between_two_places() -> None:
    above = place([visitor(1, 800, 62, 150, 200)])
    assert of(above, 1).plate.bottom == 62
    below = place([visitor(1, 800, 61, 150, 200)], AREA, above)
    assert of(below, 1).plate.y == 261
    still_below = place([visitor(1, 800, 62, 150, 200)], AREA, below)
    assert of(still_below, 1).plate.y == 262
    above_again = place([visitor(1, 800, 62 + GAP, 150, 200)], AREA, still_below)
    assert of(above_again, 1).plate.bottom == 62 + GAP


@given(walls())
@settings(max_examples=60, deadline=None)
def test_nothing_leaves_the_area_and_no_entry_covers_anything(wall: tuple[Rect, list[Item]]) -> None:
    area, items = wall
    placements = place(items, area)
    assert {placement.id for placement in placements} == {item.id for item in items}
    faces = [item.face for item in items if item.face]
    plates = [placement.plate for placement in placements]
    entries = [placement.entry for placement in placements if placement.entry]
    for rect in (*plates, *entries):
        assert area.contains(rect) or rect.width > area.width
    for entry in entries:
        assert not any(entry.overlap(other) for other in (*faces, *plates))
    assert not any(one.overlap(other) for one, other in itertools.combinations(entries, 2))
    assert len(entries) <= ENTRIES


@given(walls())
@settings(max_examples=60, deadline=None)
def test_a_plate_covers_something_only_where_no_place_was_free(wall: tuple[Rect, list[Item]]) -> None:
    area, items = wall
    placements = place(items, area)
    standing = [item.face for item in items if item.face]
    for item in sorted(items, key=lambda item: (-size(item), item.id)):
        plate, places = of(placements, item.id).plate, corners(item, area)
        assert plate in places
        if any(plate.overlap(other) for other in standing):
            assert all(any(rect.overlap(other) for other in standing) for rect in places)
        standing.append(plate)


@given(walls())
@settings(max_examples=60, deadline=None)
def test_an_entry_is_as_its_version_and_beside_its_own_face(wall: tuple[Rect, list[Item]]) -> None:
    area, items = wall
    for placement in place(items, area):
        item = next(item for item in items if item.id == placement.id)
        if placement.entry is None:
            continue
        entry, face = placement.entry, item.face
        assert face is not None
        assert (entry.width, entry.height) == item.entries_wh[placement.version]
        beside = entry.y < face.bottom and entry.bottom > face.y
        over_or_under = entry.x < face.right and entry.right > face.x
        assert beside or over_or_under
        assert entry.distance(face) >= GAP
        assert entry.distance(face.joined(placement.plate)) <= GAP


@given(walls())
@settings(max_examples=60, deadline=None)
def test_the_nearest_chooses_as_if_nobody_else_had_an_entry(wall: tuple[Rect, list[Item]]) -> None:
    area, items = wall
    nearest = min(items, key=lambda item: (-size(item), item.id))
    silent = [item if item is nearest else Item(item.id, item.face, item.plate_wh, ()) for item in items]
    assert of(place(items, area), nearest.id) == of(place(silent, area), nearest.id)


@given(walls())
@settings(max_examples=60, deadline=None)
def test_the_same_faces_are_placed_the_same_again_and_in_any_order(wall: tuple[Rect, list[Item]]) -> None:
    area, items = wall
    first = place(items, area)
    assert place(items[::-1], area) == first
    second = place(items[::-1], area, first)
    assert {placement.id: placement for placement in second} == {
        placement.id: placement for placement in first
    }


@given(walls(), st.data())
@settings(max_examples=60, deadline=None)
def test_an_entry_does_not_move_when_the_faces_tremble(
    wall: tuple[Rect, list[Item]], data: st.DataObject
) -> None:
    area, items = wall
    items = items[:ENTRIES]
    before = place(items, area)
    moves = st.integers(-2, 2)
    trembling = []
    for item in items:
        face = item.face
        assert face is not None
        moved = Rect(face.x + data.draw(moves), face.y + data.draw(moves), face.width, face.height)
        trembling.append(Item(item.id, moved, item.plate_wh, item.entries_wh))
    after = place(trembling, area, before)
    hopped = [
        placement.id
        for placement in after
        if abs(placement.plate.x - of(before, placement.id).plate.x) > 2
        or abs(placement.plate.y - of(before, placement.id).plate.y) > 2
    ]
    if not hopped:  # a plate that is pushed to another corner may push an entry
        for placement in before:
            if placement.entry:
                now = of(after, placement.id)
                assert (now.entry, now.version) == (placement.entry, placement.version)
