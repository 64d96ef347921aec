from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from kiosk.screen.places import CORNERS, INNER, REACH, Choice, Place, sway, tether
from kiosk.screen.rects import Edges, edges
from kiosk.screen.view import Rect

AREA = Rect(0, 0, 1280, 700)
GAP = 9


@st.composite
def faces(draw: st.DrawFn) -> Rect:
    height = draw(st.integers(20, 400))
    width = draw(st.integers(height // 2, height))
    return Rect(
        draw(st.integers(-width // 2, 1280 - width // 2)), draw(st.integers(-height // 2, 650)), width, height
    )


sizes = st.tuples(st.integers(40, 500), st.integers(20, 60))


def rects(some: Edges) -> list[Rect]:
    return [Rect(x0, y0, x1 - x0, y1 - y0) for x0, y0, x1, y1 in some.tolist()]


def choice(face: Rect, size_wh: tuple[int, int], others: list[Rect]) -> Choice:
    return Choice(face, size_wh, AREA, GAP, edges([face, *others]))


@given(faces(), sizes, st.lists(faces(), max_size=5))
@settings(max_examples=60, deadline=None)
def test_no_place_covers_a_face_or_leaves_the_area(
    face: Rect, size_wh: tuple[int, int], others: list[Rect]
) -> None:
    chosen = choice(face, size_wh, others)
    for rect in rects(chosen.corners) + rects(chosen.sides) + rects(chosen.off):
        assert (rect.width, rect.height) == size_wh
        assert AREA.contains(rect)
        assert not any(rect.overlap(one) for one in (face, *others))


@given(faces(), sizes, st.lists(faces(), max_size=5))
@settings(max_examples=60, deadline=None)
def test_a_plate_shows_whose_it_is(face: Rect, size_wh: tuple[int, int], others: list[Rect]) -> None:
    chosen = choice(face, size_wh, others)
    for rect in rects(chosen.sides):
        assert face.grown(1).overlap(rect) > 1, "it touches the face by more than a corner's tip"
    off = rects(chosen.off)
    assert all(rect.distance(face) <= REACH * size_wh[1] for rect in off)


def test_the_corners_come_as_they_are_named() -> None:
    face, size_wh = Rect(600, 300, 100, 120), (150, 40)
    found = rects(choice(face, size_wh, []).corners)
    assert found == [place.rect(face, size_wh, AREA) for place in CORNERS]
    assert found[0] == Rect(600, 260, 150, 40)


def test_along_a_side_a_plate_stands_flush_with_what_is_in_the_way() -> None:
    face, size_wh = Rect(600, 300, 100, 120), (150, 40)
    neighbour = Rect(500, 200, 80, 90)
    beside = [rect.x for rect in rects(choice(face, size_wh, [neighbour]).sides) if rect.bottom == face.y]
    assert {neighbour.right, neighbour.right + sway(face, GAP)} <= set(beside)
    assert all(x >= neighbour.right for x in beside)


@given(faces(), sizes, st.lists(faces(), max_size=5))
@settings(max_examples=60, deadline=None)
def test_a_place_says_where_the_plate_is(face: Rect, size_wh: tuple[int, int], others: list[Rect]) -> None:
    chosen = choice(face, size_wh, others)
    for some, loose in ((chosen.corners, False), (chosen.sides, False), (chosen.off, None)):
        for rect in rects(some):
            place = chosen.place(rect)
            assert place.rect(face, size_wh, AREA) == rect
            if loose is not None:
                assert place.loose == loose
            elif rect.distance(face):
                assert place.loose == (place not in CORNERS)


@given(faces(), sizes, st.integers(-300, 300), st.integers(-200, 200), st.floats(0.5, 2))
@settings(max_examples=60, deadline=None)
def test_a_plate_along_a_side_stays_at_it_while_the_face_moves_and_grows(
    face: Rect, size_wh: tuple[int, int], x: int, y: int, growth: float
) -> None:
    everywhere = Rect(-9000, -9000, 18000, 18000)
    chosen = Choice(face, size_wh, everywhere, GAP, edges([face]))
    later = Rect(face.x + x, face.y + y, round(face.width * growth), round(face.height * growth))
    for rect in rects(chosen.sides):
        moved = chosen.place(rect).rect(later, size_wh, everywhere)
        assert not moved.overlap(later)
        assert moved.grown(1).overlap(later)


def test_on_the_face_is_on_the_face() -> None:
    face, size_wh = Rect(600, 300, 200, 220), (150, 40)
    assert all(face.contains(place.rect(face, size_wh, AREA)) for place in INNER)
    assert not Place((0, 0), (0, 0), covering=True).loose


def test_a_plate_off_its_face_is_tethered_to_it() -> None:
    face = Rect(600, 300, 100, 120)
    assert tether(face, Rect(600, 260, 150, 40)) is None
    assert tether(face, Rect(640, 200, 200, 40)) == ((670, 300), (670, 240))
    assert tether(face, Rect(300, 450, 200, 40)) == ((600, 420), (500, 450))
    assert tether(face, Rect(720, 310, 200, 40)) == ((700, 330), (720, 330))
