from __future__ import annotations

import itertools
import random
from dataclasses import replace

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from kiosk.screen.layout import Item, Placement, arrange
from kiosk.screen.places import SWAY
from kiosk.screen.room import PATIENCE
from kiosk.screen.view import Rect

GAP = 14
AREA = Rect(0, 0, 1920, 960)
SCREENS = [(1280, 720), (1920, 1080), (3840, 2160), (720, 1280), (1080, 1920), (2160, 3840)]
ENTRY = ((498, 420), (418, 520), (668, 330), (498, 300), (418, 360), (668, 240), (498, 180), (668, 150))
ENTRIES = 3


def visitor(id_: int, x: int, y: int, width: int, height: int, plate_wh: tuple[int, int] = (180, 62)) -> Item:
    return Item(id_, Rect(x, y, width, height), plate_wh, ENTRY)


def place(
    items: list[Item], area: Rect = AREA, previous: tuple[Placement, ...] = (), entries: int = ENTRIES
) -> tuple[Placement, ...]:
    return arrange(items, area, GAP, {placement.id: placement for placement in previous}, entries=entries)


def of(placements: tuple[Placement, ...], id_: int) -> Placement:
    return next(placement for placement in placements if placement.id == id_)


@st.composite
def walls(draw: st.DrawFn, visitors: int = 12) -> tuple[Rect, list[Item]]:
    """An area and its visitors; some stick out, some stand before others."""
    width, height = draw(st.sampled_from(SCREENS))
    unit = min(width, height) / 1080
    area = Rect(0, 0, width, height - draw(st.integers(0, round(150 * unit))))
    items = []
    for id_ in range(1, draw(st.integers(1, visitors)) + 1):
        face_h = draw(st.integers(round(40 * unit), round(600 * unit)))
        face_w = draw(st.integers(face_h // 2, face_h))
        x = draw(st.integers(-face_w // 2, width - face_w // 2))
        y = draw(st.integers(-face_h // 2, area.height - face_h // 2))
        plate_wh = draw(st.integers(round(60 * unit), round(500 * unit))), round(62 * unit)
        longer = draw(st.floats(0.3, 1.6))
        entries_wh = tuple((round(w * unit), round(h * unit * longer)) for w, h in ENTRY)
        items.append(Item(id_, Rect(x, y, face_w, face_h), plate_wh, entries_wh))
    return area, items


@st.composite
def crowds(draw: st.DrawFn, at_least: int = 1) -> tuple[Rect, list[Item]]:
    """A screen above its footer and up to twelve visitors anywhere on it, some before others."""
    width, height = draw(st.sampled_from(SCREENS))
    chance, count = random.Random(draw(st.integers(0, 2**32))), draw(st.integers(at_least, 12))
    unit, largest = min(width, height) / 1080, chance.choice((150, 300, 500))
    area = Rect(0, 0, width, height - round(chance.uniform(0, 100) * unit))
    entries_wh = tuple((round(w * unit), round(h * unit)) for w, h in ENTRY)
    items = []
    for id_ in range(1, count + 1):
        face_h = round(chance.uniform(40, largest) * unit)
        face_w = round(chance.uniform(0.5, 1) * face_h)
        x = chance.randint(-face_w // 2, width - face_w // 2)
        y = chance.randint(-face_h // 2, area.height - face_h // 2)
        plate_wh = round(chance.uniform(60, 450) * unit), round(62 * unit)
        items.append(Item(id_, Rect(x, y, face_w, face_h), plate_wh, entries_wh))
    return area, items


def faces_of(items: list[Item]) -> list[Rect]:
    return [item.face for item in items if item.face]


def fits(item: Item, plate: Rect, size_wh: tuple[int, int], area: Rect, others: list[Rect]) -> bool:
    """Whether an entry has room beside its face, by trying every place in steps of a few pixels.

    With twice the usual room about it: what a place nearly fits is left to the layout.
    """
    face, (width, height) = item.face, size_wh
    assert face is not None
    off = max(GAP, round(SWAY * face.height))
    both = face.joined(plate) if face.distance(plate) <= plate.height else face
    rows = range(max(area.y, face.y - height + 1), min(area.bottom - height, face.bottom - 1), 4)
    columns = range(max(area.x, face.x - width + 1), min(area.right - width, face.right - 1), 4)
    places = [(x, y) for x in (face.right + off, face.x - off - width) for y in rows]
    places += [(x, y) for y in (both.bottom + off, both.y - off - height) for x in columns]
    return any(
        area.contains(entry) and not any(entry.overlap(other) for other in others)
        for entry in (Rect(x, y, width, height) for x, y in places)
    )


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
    assert 300 <= placement.entry.y <= 300 + GAP


def test_the_entry_stands_at_the_left_where_the_right_is_the_edge() -> None:
    (placement,) = place([visitor(1, 1700, 300, 150, 200)])
    assert placement.entry is not None
    assert placement.entry.right == 1700 - GAP


def test_on_a_narrow_screen_the_entry_stands_below() -> None:
    (placement,) = place([visitor(1, 300, 400, 400, 520)], Rect(0, 0, 1080, 1800))
    assert placement.entry is not None
    # Further off than from a small face: a large one trembles by more.
    assert 920 + GAP < placement.entry.y < 920 + 3 * GAP


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
    above = place([visitor(1, 800, 62 + GAP, 150, 200)])
    assert of(above, 1).plate.bottom == 62 + GAP
    still_above = place([visitor(1, 800, 62, 150, 200)], AREA, above)
    assert of(still_above, 1).plate.bottom == 62
    below = place([visitor(1, 800, 61, 150, 200)], AREA, still_above)
    assert of(below, 1).plate.y == 261
    still_below = place([visitor(1, 800, 300, 150, 200)], AREA, below)
    assert of(still_below, 1).plate.y == 500


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
def test_an_entry_is_as_its_version_and_beside_its_own_face(wall: tuple[Rect, list[Item]]) -> None:
    area, items = wall
    for placement in place(items, area):
        item = next(item for item in items if item.id == placement.id)
        if placement.entry is None:
            continue
        entry, face = placement.entry, item.face
        assert face is not None
        off = max(GAP, round(SWAY * face.height))
        assert (entry.width, entry.height) == item.entries_wh[placement.version]
        beside = entry.y < face.bottom and entry.bottom > face.y
        over_or_under = entry.x < face.right and entry.right > face.x
        assert beside or over_or_under
        assert off <= entry.distance(face) <= off + 2 * placement.plate.height


@given(walls())
@settings(max_examples=60, deadline=None)
def test_the_nearest_chooses_as_if_nobody_else_had_an_entry(wall: tuple[Rect, list[Item]]) -> None:
    area, items = wall
    nearest = min(items, key=lambda item: (-size(item), item.id))
    silent = [item if item is nearest else Item(item.id, item.face, item.plate_wh, ()) for item in items]
    assert of(place(items, area), nearest.id) == of(place(silent, area), nearest.id)


@given(walls())
@settings(max_examples=60, deadline=None)
def test_the_same_faces_are_placed_the_same_in_any_order_and_then_stand_still(
    wall: tuple[Rect, list[Item]],
) -> None:
    area, items = wall
    first = place(items, area)
    assert place(items[::-1], area) == first
    # Of faces in a heap the second frame may find a better arrangement than the first.
    second = place(items, area, first)
    third = place(items[::-1], area, second)
    assert third == second


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


@given(crowds())
@settings(max_examples=60, deadline=None)
def test_no_plate_covers_a_face_or_a_plate_where_there_is_a_place_for_each(
    crowd: tuple[Rect, list[Item]],
) -> None:
    area, items = crowd
    faces = faces_of(items)
    placements = place(items, area)
    plates = [placement.plate for placement in placements]
    assert all(area.contains(plate) for plate in plates)
    free = [placement.plate for placement in placements if placement.place and not placement.place.covering]
    assert not any(plate.overlap(face) for plate in free for face in faces)
    assert not any(one.overlap(other) for one, other in itertools.combinations(free, 2))
    if len(free) == len(plates):
        return
    # The entry is no excuse: without it there is no better arrangement.
    silent = place(items, area, entries=0)
    assert len(free) >= sum(1 for placement in silent if placement.place and not placement.place.covering)


@given(crowds())
@settings(max_examples=40, deadline=None)
def test_the_nearest_is_told_the_fullest_version_that_fits_by_any_of_its_places(
    crowd: tuple[Rect, list[Item]],
) -> None:
    area, items = crowd
    placements = place(items, area)
    nearest = placements[0]
    item = max(items, key=size)
    assert nearest.id == item.id
    assert item.face is not None
    margins = [max(GAP // 2, round(SWAY * face.height)) for face in faces_of(items)]
    taken = [face.grown(margin) for face, margin in zip(faces_of(items), margins, strict=True)]
    by_id = dict(zip([one.id for one in items], margins, strict=True))
    taken += [placement.plate.grown(by_id[placement.id]) for placement in placements]
    fuller = item.entries_wh[: nearest.version] if nearest.entry else item.entries_wh
    assert not any(fits(item, nearest.plate, size_wh, area, taken) for size_wh in fuller)


@given(crowds(at_least=2), st.integers(1, 3))
@settings(max_examples=60, deadline=None)
def test_a_newcomer_who_is_the_nearest_is_told_as_much_as_if_the_others_had_no_entries(
    crowd: tuple[Rect, list[Item]], entries: int
) -> None:
    area, items = crowd
    nearest = max(items, key=size)
    before = place([item for item in items if item is not nearest], area, entries=entries)
    after = of(place(items, area, before, entries), nearest.id)
    silent = [Placement(one.id, one.rank, one.plate, one.place, None, 0) for one in before]
    alone = of(place(items, area, tuple(silent), entries), nearest.id)
    if after.rank == 0 and alone.entry:
        assert after.entry is not None
        assert after.version <= alone.version


@given(crowds(), st.integers(0, 4))
@settings(max_examples=40, deadline=None)
def test_only_so_many_have_an_entry_and_they_are_the_nearest(
    crowd: tuple[Rect, list[Item]], entries: int
) -> None:
    area, items = crowd
    told = {placement.id for placement in place(items, area, entries=entries) if placement.entry}
    nearest = sorted(items, key=lambda item: (-size(item), item.id))[:entries]
    assert told <= {item.id for item in nearest}


def test_a_plate_gives_way_to_the_entry_of_the_nearest() -> None:
    area = Rect(0, 0, 1100, 700)
    near, far = visitor(1, 20, 100, 300, 400), visitor(2, 880, 450, 130, 160, (300, 62))
    above, below = Rect(800, 388, 300, 62), Rect(800, 610, 300, 62)
    assert of(place([near, far], area, entries=0), 2).plate == above
    nearest, other = place([near, far], area)
    assert nearest.version == 0
    assert nearest.entry is not None
    assert nearest.entry.overlap(above)
    assert other.plate == below


def test_an_entry_is_cut_short_rather_than_that_a_plate_covers_a_face() -> None:
    area = Rect(0, 0, 1100, 560)
    near, far = visitor(1, 20, 100, 300, 400), visitor(2, 880, 390, 130, 160, (300, 62))
    assert of(place([near], area), 1).version == 0
    nearest, other = place([near, far], area)
    assert nearest.entry is not None
    assert nearest.version == 1
    assert other.place is not None
    assert not other.place.covering


def test_the_nearest_is_told_more_fully_as_soon_as_there_is_ample_room() -> None:
    area = Rect(0, 0, 1000, 360)
    near, neighbour = visitor(1, 20, 100, 160, 200, (100, 62)), visitor(2, 640, 100, 100, 130)
    before = place([near, neighbour], area)
    assert before[0].entry is not None
    assert before[0].version > 0
    gone_far = replace(neighbour, face=Rect(895, 100, 100, 130))
    after = place([near, gone_far], area, before)
    assert after[0].version < before[0].version


def test_the_others_are_told_more_fully_when_somebody_has_left() -> None:
    area = Rect(0, 0, 1900, 450)
    near, second = visitor(1, 20, 60, 250, 330), visitor(2, 900, 100, 160, 200)
    third = visitor(3, 1400, 150, 100, 130)
    before = place([near, second, third], area)
    assert before[1].entry is not None
    assert before[1].version > 0
    still = place([near, second, replace(third, face=Rect(1780, 150, 100, 130))], area, before)
    assert of(still, 2).version == before[1].version
    after = place([near, second], area, before)
    assert of(after, 2).version < before[1].version


def test_who_becomes_the_nearest_is_told_in_full_though_a_plate_must_move() -> None:
    area = Rect(0, 0, 1100, 700)
    near, far = visitor(1, 20, 100, 300, 400), visitor(2, 880, 450, 130, 160, (300, 62))
    before = place([near, far], area, entries=0)
    after = place([near, far], area, before)
    assert of(before, 2).plate != of(after, 2).plate
    assert of(after, 1).version == 0
    assert place([near, far], area, after) == after


def test_who_was_not_the_nearest_and_becomes_it_is_told_in_full() -> None:
    area = Rect(0, 0, 1100, 700)
    near, far = visitor(1, 20, 100, 300, 400), visitor(2, 880, 450, 130, 160, (300, 62))
    told = place([near, far], area, entries=0)
    short = Rect(340, 100, 418, 520)
    before = [replace(of(told, 1), rank=1, entry=short, version=1), replace(of(told, 2), rank=0)]
    after = place([near, far], area, tuple(before))
    assert of(after, 1).rank == 0
    assert of(after, 1).version == 0
    # Afterwards nobody has to move for a few words.
    before[0] = replace(before[0], rank=0)
    assert of(place([near, far], area, tuple(before)), 1).entry == short


@pytest.mark.parametrize("seed", range(3))
def test_six_trembling_faces_move_no_entry_and_no_plate_from_its_corner(seed: int) -> None:
    chance = random.Random(seed)
    items = [
        visitor(1, 820, 280, 260, 330, (220, 62)),
        visitor(2, 300, 330, 200, 260, (340, 62)),
        visitor(3, 1450, 200, 190, 240, (180, 62)),
        visitor(4, 640, 40, 130, 160, (260, 62)),
        visitor(5, 1240, 660, 120, 150, (200, 62)),
        visitor(6, 20, 200, 100, 120, (160, 62)),
    ]
    before = place(items)
    assert sum(1 for placement in before if placement.entry) >= 2
    for _ in range(60):
        trembling = []
        for item in items:
            assert item.face is not None
            sides = (item.face.x, item.face.y, item.face.right, item.face.bottom)
            x0, y0, x1, y1 = (side + round(chance.uniform(-0.02, 0.02) * item.face.height) for side in sides)
            trembling.append(replace(item, face=Rect(x0, y0, x1 - x0, y1 - y0)))
        after = place(trembling, AREA, before)
        for placement in after:
            then = of(before, placement.id)
            assert placement.place == then.place
            assert (placement.entry, placement.version) == (then.entry, then.version)
            assert placement.rank == then.rank
        before = after


@given(crowds(at_least=2))
@settings(max_examples=60, deadline=None)
def test_when_somebody_leaves_the_plates_of_the_others_do_not_jump(crowd: tuple[Rect, list[Item]]) -> None:
    area, items = crowd
    before = place(items, area)
    # A plate that has to cover something, or to stand off its face, goes where there is more room now.
    assume(all(one.place and not one.place.covering and not one.place.loose for one in before))
    for gone in before[1:]:
        after = place([item for item in items if item.id != gone.id], area, before)
        if before[0].entry:
            assert [one.plate for one in after] == [one.plate for one in before if one is not gone]
            assert after[0].version <= before[0].version


def test_a_scene_beside_faces_keeps_its_place_and_its_plate_clear() -> None:
    scene = Item(0, None, (200, 62), ENTRY)
    placements = place([scene, visitor(1, 20, 90, 150, 200)])
    assert of(placements, 0).plate == Rect(GAP, GAP, 200, 62)
    assert of(placements, 0).rank == 1
    assert not of(placements, 1).plate.overlap(of(placements, 0).plate)


def test_of_nobody_there_is_nothing_to_place() -> None:
    assert place([]) == ()
