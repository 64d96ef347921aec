from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import replace

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from kiosk.screen.places import CORNERS, REACH, Choice
from kiosk.screen.plates import Crowd, Plate, Visitor
from kiosk.screen.rects import edges
from kiosk.screen.view import Rect

GAP = 14
AREA = Rect(0, 0, 1920, 960)
SCREENS = [(1280, 720), (1920, 1080), (3840, 2160), (1080, 1920), (2160, 3840)]


def visitor(x: int, y: int, width: int, height: int, plate_wh: tuple[int, int] = (180, 62)) -> Visitor:
    return Visitor(Rect(x, y, width, height), plate_wh, None)


def stand(visitors: Sequence[Visitor], area: Rect = AREA) -> tuple[Plate, ...]:
    return Crowd(visitors, area, GAP).stand()


def again(visitors: Sequence[Visitor], plates: Sequence[Plate]) -> list[Visitor]:
    """The same in the next frame."""
    return [Visitor(one.face, one.plate_wh, plate.place) for one, plate in zip(visitors, plates, strict=True)]


def covered(visitors: Sequence[Visitor], plates: Sequence[Plate]) -> list[int]:
    """Whose plate covers a face or another plate."""
    rects, faces = [plate.rect for plate in plates], [one.face for one in visitors]
    return [
        at
        for at, rect in enumerate(rects)
        if any(rect.overlap(other) for other in (*faces, *rects[:at], *rects[at + 1 :]))
    ]


@st.composite
def huddles(draw: st.DrawFn) -> tuple[Rect, list[Visitor]]:
    """An area hardly larger than its one to four visitors need."""
    area = Rect(0, 0, draw(st.integers(300, 900)), draw(st.integers(200, 600)))
    visitors = []
    for _ in range(draw(st.integers(1, 4))):
        height = draw(st.integers(24, 300))
        width = draw(st.integers(height // 2, height))
        x = draw(st.integers(-width // 2, area.width - width // 2))
        y = draw(st.integers(-height // 2, area.height - height // 2))
        visitors.append(visitor(x, y, width, height, (draw(st.integers(36, 270)), 37)))
    return area, by_size(visitors)


@st.composite
def crowds(draw: st.DrawFn) -> tuple[Rect, list[Visitor]]:
    """A screen above its footer and one to twelve visitors anywhere on it, some before others."""
    width, height = draw(st.sampled_from(SCREENS))
    chance, count = random.Random(draw(st.integers(0, 2**32))), draw(st.integers(1, 12))
    unit, largest = min(width, height) / 1080, chance.choice((150, 300, 500))
    area = Rect(0, 0, width, height - round(chance.uniform(0, 100) * unit))
    visitors = []
    for _ in range(count):
        face_h = round(chance.uniform(40, largest) * unit)
        face_w = round(chance.uniform(0.5, 1) * face_h)
        x = chance.randint(-face_w // 2, width - face_w // 2)
        y = chance.randint(-face_h // 2, area.height - face_h // 2)
        plate_wh = round(chance.uniform(60, 450) * unit), round(62 * unit)
        visitors.append(visitor(x, y, face_w, face_h, plate_wh))
    return area, by_size(visitors)


def by_size(visitors: list[Visitor]) -> list[Visitor]:
    return sorted(visitors, key=lambda one: -one.face.width * one.face.height)


def places(visitors: Sequence[Visitor], area: Rect) -> list[list[Rect]]:
    """All places of each plate at which it covers no face."""
    faces = edges([one.face for one in visitors])
    choices = [Choice(one.face, one.plate_wh, area, GAP, faces) for one in visitors]
    found = [(*one.corners.tolist(), *one.sides.tolist(), *one.off.tolist()) for one in choices]
    return [list({Rect(x0, y0, x1 - x0, y1 - y0) for x0, y0, x1, y1 in some}) for some in found]


def arranges(lists: Sequence[Sequence[Rect]], taken: tuple[Rect, ...] = ()) -> bool:
    """Whether there is an arrangement: every one of them is tried."""
    if not lists:
        return True
    return any(
        arranges(lists[1:], (*taken, rect))
        for rect in lists[0]
        if not any(rect.overlap(other) for other in taken)
    )


def may_arrange(lists: list[list[Rect]], seed: int) -> bool:
    """Whether an arrangement was found by trying again and again at random, the plate with fewest first."""
    chance = random.Random(seed)
    for _ in range(20):
        left, found = [chance.sample(some, len(some)) for some in lists], True
        while left and found:
            left.sort(key=len)
            first, *left = left
            found = bool(first)
            left = [[one for one in some if not one.overlap(first[0])] for some in left] if found else []
        if found:
            return True
    return False


# Both find their places only if the nearer one leaves the best one.
TIGHT = Rect(0, 0, 700, 300)
NEAR, FAR = visitor(300, 100, 300, 200, (400, 62)), visitor(620, 130, 80, 170, (80, 62))


def test_who_has_a_choice_makes_room_for_who_has_none() -> None:
    alone = stand([NEAR], TIGHT)[0]
    assert alone.rect == Rect(300, 38, 400, 62)
    near, far = stand([NEAR, FAR], TIGHT)
    assert covered([NEAR, FAR], [near, far]) == []
    assert near.rect != alone.rect
    assert far.rect == Rect(620, 68, 80, 62)


def test_one_steps_off_her_face_for_another_who_has_no_place_else() -> None:
    visitors = [visitor(50, 0, 240, 250, (60, 40)), visitor(240, 60, 140, 140, (180, 40))]
    plates = stand(visitors, Rect(0, 0, 500, 170))
    assert covered(visitors, plates) == []
    assert [plate.place.loose for plate in plates] == [True, False]


def test_an_arrangement_is_found_even_for_a_heap_of_faces() -> None:
    # The search in the order of preference does not get these apart.
    heap = [
        visitor(60, 90, 80, 80, (200, 60)),
        visitor(50, 70, 50, 100, (80, 60)),
        visitor(100, 140, 50, 60, (80, 60)),
        visitor(10, 40, 40, 60, (200, 60)),
        visitor(50, 50, 20, 40, (200, 60)),
    ]
    assert covered(heap, stand(heap, Rect(0, 0, 1280, 720))) == []


@given(huddles())
@settings(max_examples=120, deadline=None)
def test_few_plates_cover_something_only_where_every_arrangement_does(
    crowd: tuple[Rect, list[Visitor]],
) -> None:
    area, visitors = crowd
    plates = stand(visitors, area)
    assert (not covered(visitors, plates)) == arranges(places(visitors, area))


@given(crowds(), st.integers(0, 99))
@settings(max_examples=80, deadline=None)
def test_no_plate_covers_a_face_or_a_plate_where_an_arrangement_is_known(
    crowd: tuple[Rect, list[Visitor]], seed: int
) -> None:
    area, visitors = crowd
    plates = stand(visitors, area)
    assert all(area.contains(plate.rect) for plate in plates)
    at_fault = covered(visitors, plates)
    assert not at_fault or not may_arrange(places(visitors, area), seed)
    covering = {at for at, plate in enumerate(plates) if plate.place.covering}
    assert covering <= set(at_fault)
    assert bool(covering) == bool(at_fault)


@given(crowds(), st.integers(0, 99))
@settings(max_examples=60, deadline=None)
def test_whoever_has_a_place_by_herself_gets_one_though_others_have_none(
    crowd: tuple[Rect, list[Visitor]], seed: int
) -> None:
    area, visitors = crowd
    plates = stand(visitors, area)
    lists = places(visitors, area)
    hopeless = {at for at, some in enumerate(lists) if not some}
    if may_arrange([some for some in lists if some], seed):
        assert {at for at, plate in enumerate(plates) if plate.place.covering} == hopeless


@given(crowds())
@settings(max_examples=60, deadline=None)
def test_the_same_faces_have_their_plates_at_the_same_places_again(
    crowd: tuple[Rect, list[Visitor]],
) -> None:
    area, visitors = crowd
    plates = stand(visitors, area)
    assert stand(again(visitors, plates), area) == plates


def test_a_plate_larger_than_the_area_begins_at_its_upper_left() -> None:
    (plate,) = stand([visitor(40, 40, 60, 60, (300, 30))], Rect(0, 0, 200, 200))
    assert plate.rect.x == 0
    assert plate.rect.width == 300


def test_of_nobody_there_are_no_plates() -> None:
    assert stand([]) == ()


def test_who_fills_the_screen_wears_her_plate_at_the_edge_of_her_face() -> None:
    one = visitor(-100, -50, 2100, 1100)
    (plate,) = stand([one])
    assert plate.place.covering
    assert AREA.contains(plate.rect)
    features = one.face.grown(-1100 // 4)
    assert not plate.rect.overlap(features)


def test_a_plate_rather_covers_the_hair_of_its_own_face_than_another_face() -> None:
    area = Rect(0, 0, 400, 400)
    # Nothing is free: a large face on the left, and on the right one that is as high as the screen.
    own, other = visitor(0, 0, 200, 400, (150, 40)), visitor(200, 0, 200, 400, (150, 40))
    for plate, one, neighbour in zip(stand([own, other], area), (own, other), (other, own), strict=True):
        assert one.face.contains(plate.rect)
        assert not plate.rect.overlap(neighbour.face)


def test_a_plate_rather_covers_hair_and_chin_than_eyes_nose_and_mouth() -> None:
    # The forehead is above the screen: what is seen of it at the top are the eyes.
    one = visitor(-100, -600, 2100, 1700, (500, 62))
    (plate,) = stand([one])
    assert plate.rect.y > 675


def test_a_plate_that_has_to_cover_something_does_not_hop() -> None:
    # A little of the face is covered above or below, now less here, now less there.
    area, before = Rect(0, 0, 600, 600), None
    for step in (2, -2, 1, -1, 2, -2):
        one = Visitor(Rect(0, 30 + step, 600, 540), (200, 62), before)
        (plate,) = Crowd([one], area, GAP).stand()
        assert plate.place.covering
        assert plate.rect.y == 0
        before = plate.place
    (below,) = Crowd([Visitor(Rect(0, 10, 600, 540), (200, 62), before)], area, GAP).stand()
    assert below.rect.bottom == 600


def test_of_two_plates_that_meet_the_one_that_covers_something_gives_way() -> None:
    near, far = visitor(800, 300, 200, 300), visitor(1000, 300, 150, 200)
    above, left = CORNERS[0], CORNERS[1]
    covering = Visitor(near.face, near.plate_wh, replace(left, covering=True))
    standing = Visitor(replace(far.face, x=950), far.plate_wh, above)
    clash = covering.face.right - 180, standing.face.x
    assert clash[0] < clash[1] + 180
    plates = stand([covering, standing])
    assert plates[1].place == above
    assert plates[0].place not in (left, replace(left, covering=True))
    swapped = stand([replace(covering, before=left), replace(standing, before=replace(above, covering=True))])
    assert swapped[0].place == left


def test_a_plate_is_not_put_where_the_next_tremble_would_push_it_over_its_face() -> None:
    assert stand([visitor(800, 62 + GAP, 150, 200)])[0].rect.bottom == 62 + GAP
    assert stand([visitor(800, 62 + 2, 150, 200)])[0].rect.y == 264


def test_a_plate_stays_below_though_there_is_room_above_again() -> None:
    one = visitor(800, 20, 150, 200)
    (before,) = stand([one])
    assert before.rect.y == 220
    (after,) = stand([Visitor(Rect(800, 400, 150, 200), one.plate_wh, before.place)])
    assert after.rect.y == 600


def test_a_plate_that_is_off_its_face_comes_back_to_it_when_there_is_room() -> None:
    # A face in the middle of four that leave no room at its sides.
    own = visitor(900, 430, 100, 100)
    around = [
        visitor(640, 260, 250, 450, (60, 30)),
        visitor(1010, 260, 250, 450, (60, 30)),
        visitor(892, 120, 116, 300, (60, 30)),
        visitor(892, 540, 116, 300, (60, 30)),
    ]
    crowd = [*around, own]
    plates = stand(crowd)
    assert covered(crowd, plates) == []
    off = plates[-1]
    assert off.place.loose
    assert 0 < off.rect.distance(own.face) <= REACH * 62
    assert stand(again(crowd, plates)) == plates
    (back,) = stand(again([own], [off]))
    assert back.place in CORNERS
    # It may get a little further off than it was put, but not wherever its face goes.
    for left, up, stays in ((0, 120, True), (600, 0, False)):
        x, y = off.place.shift
        shift = x - left / (own.face.width + 180), y - up / (own.face.height + 62)
        strayed = [*again(crowd, plates)[:-1], replace(own, before=replace(off.place, shift=shift))]
        assert (stand(strayed)[-1].place.shift == shift) == stays


def test_a_plate_leaves_alone_what_is_to_be_spared_and_never_covers_what_is_fixed() -> None:
    near, far = visitor(100, 300, 300, 400), visitor(800, 300, 150, 200)
    above = Rect(0, 200, 1200, 70)
    crowd = Crowd([near, far], AREA, GAP)
    assert all(plate.rect.overlap(above) for plate in crowd.stand())
    # The nearest's plate spares nobody.
    assert [plate.rect.overlap(above) > 0 for plate in crowd.stand(spared=[above])] == [True, False]
    assert not any(plate.rect.overlap(above) for plate in crowd.stand(fixed=[above]))
    # What is spared is covered where it is everywhere; what is fixed is not.
    assert crowd.stand(spared=[AREA])[1].rect == Rect(800, 238, 180, 62)
    assert all(plate.place.covering for plate in crowd.stand(fixed=[AREA]))


def test_the_first_plate_is_where_it_would_be_without_the_others() -> None:
    assert Crowd([NEAR, FAR], TIGHT, GAP).first().rect == Rect(300, 38, 400, 62)


@pytest.mark.parametrize("seed", range(4))
def test_plates_stay_at_their_corners_while_six_faces_tremble(seed: int) -> None:
    chance = random.Random(seed)
    crowd = [
        visitor(820, 280, 260, 330, (220, 62)),
        visitor(300, 330, 200, 260, (340, 62)),
        visitor(1350, 100, 190, 240, (180, 62)),
        visitor(560, 60, 130, 160, (260, 62)),
        visitor(1180, 560, 120, 150, (200, 62)),
        visitor(20, 200, 100, 120, (160, 62)),
    ]
    plates = stand(crowd)
    assert covered(crowd, plates) == []
    for _ in range(60):
        trembling = []
        for one, plate in zip(crowd, plates, strict=True):
            by = [round(chance.uniform(-0.02, 0.02) * one.face.height) for _ in range(4)]
            face = one.face
            moved = Rect(
                face.x + by[0], face.y + by[1], face.width + by[2] - by[0], face.height + by[3] - by[1]
            )
            trembling.append(Visitor(moved, one.plate_wh, plate.place))
        after = stand(trembling)
        assert covered(trembling, after) == []
        assert [plate.place for plate in after] == [plate.place for plate in plates]
        plates = after


@given(crowds())
@settings(max_examples=60, deadline=None)
def test_when_somebody_leaves_no_other_plate_jumps(crowd: tuple[Rect, list[Visitor]]) -> None:
    area, visitors = crowd
    plates = stand(visitors, area)
    # Those go where there is more room now.
    assume(not any(plate.place.covering or plate.place.loose for plate in plates))
    for gone in range(len(visitors)):
        rest = [one for at, one in enumerate(again(visitors, plates)) if at != gone]
        assert list(stand(rest, area)) == [plate for at, plate in enumerate(plates) if at != gone]
