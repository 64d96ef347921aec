from __future__ import annotations

import math
import re
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from kiosk import config
from kiosk.errors import ConfigError
from kiosk.messages import Box, Face
from kiosk.polygon import MOST, Polygon, corners
from kiosk.sections import DetectionConfig, ZoneConfig
from kiosk.vision.zone import Zone

FRAME_WH = (1280, 720)
LEFT_HALF = corners("0,0 0.5,0 0.5,1 0,1")


def face(x: float, y: float, height: float = 100) -> Box:
    """A face whose centre is here, pixels."""
    return Box(x - 0.4 * height, y - height / 2, x + 0.4 * height, y + height / 2)


# What a curator writes.


@pytest.mark.parametrize(
    ("written", "read"),
    [
        ("everywhere", None),
        ("Everywhere ", None),
        ("0.2,0 0.8,0 0.8,1 0.2,1", ((0.2, 0), (0.8, 0), (0.8, 1), (0.2, 1))),
        ("  0.2, 0   .8 ,1.0  0,1 ", ((0.2, 0), (0.8, 1), (0, 1))),
        ("0,0 1,0 0.5,0.5 1,1 0,1", ((0, 0), (1, 0), (0.5, 0.5), (1, 1), (0, 1))),  # with a notch
        ("0,0 0.5,0 1,0 0.5,1", ((0, 0), (0.5, 0), (1, 0), (0.5, 1))),  # a corner that is none
        (  # two sides on one line
            "0,0 0.2,0 0.2,0.5 0.8,0.5 0.8,0 1,0 1,1 0,1",
            ((0, 0), (0.2, 0), (0.2, 0.5), (0.8, 0.5), (0.8, 0), (1, 0), (1, 1), (0, 1)),
        ),
    ],
)
def test_a_zone_is_read_as_it_is_meant(written: str, read: Polygon | None) -> None:
    assert corners(written) == read


@pytest.mark.parametrize(
    ("written", "problem"),
    [
        ("", "must be everywhere, or 3 to 32 corners such as 0.2,0 0.8,0 0.8,1 0.2,1, not empty"),
        ("0,0 1,1", "must be everywhere, or 3 to 32 corners such as .*, not 2 of them"),
        (" ".join(f"0.{at:02},{at % 2}" for at in range(MOST + 1)), ".* 3 to 32 corners .*, not 33 of them"),
        ("0,0 1,0 1.1,1", ".* with x and y from 0 to 1, not '1.1,1'"),
        ("0,0 1,0 -0.1,1", ".*, not '-0.1,1'"),
        ("0,0 1,0 nan,1", ".*, not 'nan,1'"),
        ("0,0 1,0 inf,1", ".*, not 'inf,1'"),
        ("0,0 1,0 1e-3,1", ".*, not '1e-3,1'"),
        ("0.2, 0, 0.8, 0, 0.8, 1", ".*, not '0.2,0,0.8,0,0.8,1'"),
        ("anywhere", ".*, not 'anywhere'"),
        ("0,0 1,0 1,1 1,0", "must name each corner once, not 1,0 twice"),
        ("0,0 1,0 1,1 0.0,0", "must name each corner once, not 0,0 twice"),
        ("0,0 1,1 1,0 0,1", ".* its sides 0,0 to 1,1 and 1,0 to 0,1 cross or touch"),
        ("0,0 1,0 1,1 0.5,0 0,1", ".* its sides 0,0 to 1,0 and 1,1 to 0.5,0 cross or touch"),
        ("0.5,0.5 0.5,1 0,1 0,0 1,1 1,0.2", ".* its sides 0.5,0.5 to 0.5,1 and 0,0 to 1,1 cross or touch"),
        ("0.1,0.3 0.2,0.6 0.3,0.9", "must not turn back on itself, as at 0.1,0.3"),  # not quite, in binary
        ("0,0 1,0 0.5,0 0.5,1", "must not turn back on itself, as at 1,0"),
    ],
)
def test_what_encloses_nothing_is_told_in_a_plain_line(written: str, problem: str) -> None:
    with pytest.raises(ValueError, match=f"^{problem}$"):
        corners(written)


def test_the_zone_of_a_configuration_is_checked_with_its_place(tmp_path: Path) -> None:
    path = tmp_path / "venue.yaml"
    path.write_text('zone:\n  polygon: "0.1,0 0.9,0 0.9,1"\n')
    assert config.load(path).zone.polygon == ((0.1, 0), (0.9, 0), (0.9, 1))
    path.write_text("zone:\n  polygon: 0.1,0 0.9,0\n")
    with pytest.raises(ConfigError, match=r"venue\.yaml:2:12: zone\.polygon: must be .*, not 2 of them"):
        config.load(path)


def written(polygon: Polygon) -> str:
    return " ".join(f"{x:.6f},{y:.6f}" for x, y in polygon)


shares = st.integers(0, 100).map(lambda percent: percent / 100)


def ring(radii: list[float], turn: float = 0.0) -> Polygon:
    """Corners round the middle, each in a direction of its own, so that no two sides cross."""
    angles = [turn + math.tau * at / len(radii) for at in range(len(radii))]
    return tuple(
        (round(0.5 + r * math.cos(a), 6), round(0.5 + r * math.sin(a), 6))
        for r, a in zip(radii, angles, strict=True)
    )


rings = st.builds(ring, st.lists(st.floats(0.1, 0.5), min_size=3, max_size=12), st.floats(0, math.tau))


@given(rings)
def test_any_zone_that_goes_once_round_is_taken(zone: Polygon) -> None:
    assert corners(written(zone)) == zone


@given(st.integers(4, 20), st.floats(0, math.tau), st.integers(0, 19))
def test_two_neighbouring_corners_exchanged_make_sides_that_cross(count: int, turn: float, at: int) -> None:
    zone = list(ring([0.5] * count, turn))
    at %= count
    zone[at], zone[at - 1] = zone[at - 1], zone[at]
    with pytest.raises(ValueError, match="cross or touch"):
        corners(written(tuple(zone)))


@given(st.lists(st.tuples(shares, shares), min_size=3, max_size=8))
def test_of_what_is_taken_no_two_sides_meet(found: list[tuple[float, float]]) -> None:
    try:
        polygon = corners(written(tuple(found)))
    except ValueError:
        return
    assert polygon is not None
    ring = [*polygon, polygon[0]]
    area = sum(x0 * y1 - x1 * y0 for (x0, y0), (x1, y1) in pairwise(ring)) / 2
    assert abs(area) > 1e-9
    # Points along each side, apart from its ends, lie on no other side.
    for at, (start, end) in enumerate(pairwise(ring)):
        for share in (0.25, 0.5, 0.75):
            point = tuple(a + share * (b - a) for a, b in zip(start, end, strict=True))
            for other, (a, b) in enumerate(pairwise(ring)):
                if other != at:
                    assert math.dist(a, point) + math.dist(point, b) > math.dist(a, b) + 1e-12


@given(st.text(alphabet="0123456789., \t-einvrywh", max_size=40))
def test_no_text_whatever_raises_anything_but_a_value_error(text: str) -> None:
    try:
        found = corners(text)
    except ValueError as error:
        assert str(error).startswith("must ")
        assert re.fullmatch(r"[^\n]*", str(error))
        return
    assert found is None or all(0 <= share <= 1 for corner in found for share in corner)


# Who may be looked at.


def test_everywhere_a_face_of_any_height_may_be_looked_at() -> None:
    assert Zone().why_not(face(3, 3, 1), FRAME_WH) == ""
    assert Zone().why_not(face(640, 360, 5000), FRAME_WH) == ""


def test_the_centre_of_a_face_decides() -> None:
    zone = Zone(corners("0,0 0.5,0 0.5,0.5 0,0.5"))
    for x, y in ((639.5, 300), (300, 359.5), (640, 360)):
        assert zone.why_not(face(x, y), FRAME_WH) == ""
    for x, y in ((640.5, 300), (300, 360.5)):
        assert zone.why_not(face(x, y), FRAME_WH) == "outside the zone"


def test_a_zone_is_written_as_it_is_seen_in_the_mirror() -> None:
    # Who stands at the left of a mirror is at the right of the camera's picture.
    assert Zone(LEFT_HALF, mirrored=True).why_not(face(1000, 300), FRAME_WH) == ""
    assert Zone(LEFT_HALF, mirrored=True).why_not(face(300, 300), FRAME_WH) == "outside the zone"


def test_a_zone_is_the_same_part_of_a_picture_of_any_size() -> None:
    zone = Zone(corners("0.25,0.25 0.75,0.25 0.75,0.75 0.25,0.75"))
    for width, height in ((1280, 720), (720, 1280), (64, 64), (7680, 4320)):
        assert zone.why_not(face(0.5 * width, 0.5 * height, 8), (width, height)) == ""
        assert zone.why_not(face(0.5 * width, 0.8 * height, 8), (width, height)) == "outside the zone"
        assert zone.why_not(face(0.2 * width, 0.5 * height, 8), (width, height)) == "outside the zone"


def test_a_notch_is_outside() -> None:
    zone = Zone(corners("0,0 1,0 0.5,0.5 1,1 0,1"))
    assert zone.why_not(face(320, 360), FRAME_WH) == ""
    assert zone.why_not(face(960, 360), FRAME_WH) == "outside the zone"


def test_distance_is_told_by_the_height_of_the_face_limits_included() -> None:
    zone = Zone.of(ZoneConfig(), DetectionConfig(min_face_height=50, max_face_height=200), mirrored=True)
    assert [zone.why_not(face(640, 360, height), FRAME_WH) for height in (49, 50, 200, 201)] == [
        "too small",
        "",
        "",
        "too large",
    ]


def test_with_no_maximum_nobody_is_too_near() -> None:
    zone = Zone.of(ZoneConfig(), DetectionConfig(max_face_height=0), mirrored=True)
    assert zone.why_not(face(640, 360, 720), FRAME_WH) == ""


def test_each_face_that_was_seen_is_told_in_its_order_with_its_score() -> None:
    zone = Zone(LEFT_HALF, smallest=50)
    faces = tuple(
        Face(box, score)
        for box, score in ((face(900, 300), 0.9), (face(300, 300), 0.8), (face(300, 300, 20), 0.7))
    )
    seen = zone.sightings(faces, FRAME_WH)
    assert [(one.box, one.score) for one in seen] == [(one.box, one.score) for one in faces]
    assert [one.why for one in seen] == ["outside the zone", "", "too small"]


points = st.tuples(st.floats(0, FRAME_WH[0]), st.floats(0, FRAME_WH[1]))


@given(points, st.tuples(shares, shares), st.tuples(shares, shares))
def test_a_rectangle_holds_what_lies_between_its_sides(
    point: tuple[float, float], one: tuple[float, float], other: tuple[float, float]
) -> None:
    (x0, x1), (y0, y1) = sorted((one[0], other[0])), sorted((one[1], other[1]))
    assume(x0 < x1 and y0 < y1)
    zone = Zone(((x0, y0), (x1, y0), (x1, y1), (x0, y1)))
    x, y = point[0] / FRAME_WH[0], point[1] / FRAME_WH[1]
    slack = min(abs(x - x0), abs(x - x1), abs(y - y0), abs(y - y1))
    assume(slack > 1e-5)
    assert (zone.why_not(face(*point), FRAME_WH) == "") == (x0 < x < x1 and y0 < y < y1)


def is_off_the_border(zone: Polygon, point: tuple[float, float]) -> bool:
    """So that it does not matter how numbers are rounded."""
    x, y = point
    corners_around = [(x + dx, y + dy) for dx in (-0.1, 0.1) for dy in (-0.1, 0.1)]
    return len({Zone(zone).why_not(face(*corner), FRAME_WH) for corner in corners_around}) == 1


@given(rings, points)
def test_mirrored_a_face_is_inside_where_the_mirrored_face_is_inside_the_same_zone(
    zone: Polygon, point: tuple[float, float]
) -> None:
    assume(is_off_the_border(zone, point))
    turned = face(FRAME_WH[0] - point[0], point[1])
    wanted = Zone(zone).why_not(face(*point), FRAME_WH)
    assert Zone(zone, mirrored=True).why_not(turned, FRAME_WH) == wanted


@given(rings, points, st.integers(1, 11))
def test_with_which_corner_and_in_which_direction_a_zone_begins_is_all_the_same(
    zone: Polygon, point: tuple[float, float], first: int
) -> None:
    assume(is_off_the_border(zone, point))
    first %= len(zone)
    box = face(*point)
    wanted = Zone(zone).why_not(box, FRAME_WH)
    assert Zone(zone[first:] + zone[:first]).why_not(box, FRAME_WH) == wanted
    assert Zone(zone[::-1]).why_not(box, FRAME_WH) == wanted
