from __future__ import annotations

from kiosk.screen.rects import edges
from kiosk.screen.room import PATIENCE, Anchor, Better, Room, Told
from kiosk.screen.view import Rect

GAP = 14
AREA = Rect(0, 0, 1200, 800)
FACE = Rect(500, 300, 100, 100)
PLATE = Rect(500, 240, 100, 60)
ANCHOR = Anchor(FACE, PLATE)
VERSIONS = ((300, 200), (200, 300), (300, 100))


def room(*others: Rect, area: Rect = AREA) -> Room:
    return Room(area, GAP, [(FACE, PLATE), *((None, other) for other in others)])


def test_an_entry_stands_at_the_right_the_left_below_or_above_whichever_is_free_first() -> None:
    right, left = Rect(620, 0, 580, 800), Rect(0, 0, 480, 800)
    below, above = Rect(0, 420, 1200, 380), Rect(0, 0, 1200, 230)
    taken: list[Rect] = []
    corners = []
    for wall in (right, left, below, above):
        told = room(*taken).find(((100, 150),), ANCHOR)
        assert told is not None
        corners.append((told.rect.x, told.rect.y))
        taken.append(wall)
    assert corners == [(614, 307), (386, 307), (500, 414), (500, 76)]
    assert room(*taken).find(((100, 150),), ANCHOR) is None


def test_the_first_version_that_fits_is_told() -> None:
    low = Rect(0, 230, 1200, 190)
    assert room(area=low).find(VERSIONS, ANCHOR) == Told(Rect(614, 307, 300, 100), 2)


def test_the_entry_of_the_scene_stands_below_its_plate() -> None:
    plate = Rect(14, 14, 200, 60)
    scene = Room(AREA, GAP, [(None, plate)])
    told = scene.find(VERSIONS, Anchor(None, plate))
    assert told == Told(Rect(14, 74 + GAP, 300, 200), 0)
    assert scene.tell(VERSIONS, Anchor(None, plate), told, (), Better.NEVER) == told


def test_what_is_to_be_spared_is_covered_only_where_nothing_else_is_free() -> None:
    right = Rect(614, 250, 400, 300)
    spared = room().find(VERSIONS, ANCHOR, spared=[right])
    assert spared is not None
    assert not spared.rect.overlap(right)
    assert spared.version == 0
    everything = room().find(VERSIONS, ANCHOR, spared=[AREA])
    assert everything == room().find(VERSIONS, ANCHOR)


def test_an_entry_that_has_to_move_moves_as_little_as_it_can() -> None:
    before = Rect(186, 340, 300, 200)
    told = room().find(VERSIONS, ANCHOR, before)
    assert told == Told(before, 0)
    blocked = room(Rect(300, 480, 50, 50)).find(VERSIONS, ANCHOR, before)
    assert blocked is not None
    assert blocked.rect.right == before.right
    assert blocked.rect.bottom <= 480 - GAP // 2


def test_an_entry_that_grows_keeps_the_edge_it_can() -> None:
    before = Rect(186, 340, 300, 100)
    told = room().find(VERSIONS, ANCHOR, before)
    assert told is not None
    assert told.rect.right == before.right
    assert told.rect.bottom == before.bottom or told.rect.y == before.y


def test_an_entry_stands_as_it_stood_as_long_as_it_is_near_and_covers_nothing() -> None:
    far = round(PATIENCE * FACE.height) + GAP
    near, gone = (Told(Rect(600 + off, 300, 300, 200), 0) for off in (far, far + 1))
    assert room().tell(VERSIONS, ANCHOR, near, (), Better.ANYHOW) == near
    assert room().tell(VERSIONS, ANCHOR, gone, (), Better.ANYHOW) != gone
    assert room(Rect(900, 400, 50, 50)).tell(VERSIONS, ANCHOR, near, (), Better.NEVER) != near
    # As near as the gap's half it may come before it has to go.
    edge = Rect(near.rect.right, 300, 50, 50)
    assert room(edge).tell(VERSIONS, ANCHOR, near, (), Better.NEVER) == near
    assert room(area=Rect(0, 0, 900, 800)).tell(VERSIONS, ANCHOR, near, (), Better.NEVER) != near


def test_an_entry_that_has_another_size_now_is_placed_anew() -> None:
    stood = Told(Rect(614, 307, 300, 200), 0)
    told = room().tell(((320, 220),), ANCHOR, stood, (), Better.NEVER)
    assert told == Told(Rect(614, 307, 320, 220), 0)


def test_one_that_was_cut_short_is_told_more_fully_when_it_may_be() -> None:
    short = Told(Rect(614, 307, 300, 100), 2)
    assert room().tell(VERSIONS, ANCHOR, short, (), Better.NEVER) == short
    for better in (Better.AMPLY, Better.ANYHOW):
        told = room().tell(VERSIONS, ANCHOR, short, (), better)
        assert told is not None
        assert told.version == 0


def test_a_little_more_room_than_before_is_not_ample() -> None:
    short = Told(Rect(614, 307, 300, 100), 2)
    # Just enough on each side for the full one and what it keeps clear.
    walls = Rect(0, 0, 600, 239), Rect(0, 401, 600, 399), Rect(0, 239, 499, 162)
    above, below = Rect(601, 0, 599, 200), Rect(601, 200 + 200 + GAP, 599, 300)
    narrow = room(*walls, above, below)
    told = narrow.tell(VERSIONS, ANCHOR, short, (), Better.ANYHOW)
    assert told is not None
    assert told.version == 0
    assert narrow.tell(VERSIONS, ANCHOR, short, (), Better.AMPLY) == short


def test_a_plate_that_is_off_its_face_does_not_keep_the_entry_off() -> None:
    off = Anchor(FACE, Rect(480, 600, 100, 60))
    apart = Room(
        AREA, GAP, [(off.face, off.plate), (None, Rect(620, 0, 580, 800)), (None, Rect(0, 0, 480, 800))]
    )
    told = apart.find(((90, 100),), off)
    assert told is not None
    assert told.rect.distance(FACE) == GAP


def test_two_entries_do_not_stand_on_each_other() -> None:
    both = room()
    first = both.find(VERSIONS, ANCHOR)
    assert first is not None
    both.take(first.rect)
    second = both.find(VERSIONS, ANCHOR)
    assert second is not None
    assert not second.rect.overlap(first.rect)
    assert edges([second.rect]).shape == (1, 4)
