"""A part of the picture as somebody writes it: a text in, a simple polygon out, or what is wrong. Pure.

A polygon is simple where no two of its sides meet but at the corner that they share; then it has an inside.
"""

from __future__ import annotations

import re
from fractions import Fraction
from itertools import combinations

EVERYWHERE = "everywhere"
FEWEST, MOST = 3, 32

Corner = tuple[float, float]
"""x and y, as shares 0-1 of a picture's width and height, from its upper left."""
Polygon = tuple[Corner, ...]
"""Corners in their order, three at least; the last is joined to the first."""

# As they are written, without rounding: whether three corners are on one line is then no matter of luck.
_Exact = tuple[Fraction, Fraction]
_SHARE = r"(\d?\.\d{1,9}|\d)"
_CORNER = re.compile(f"{_SHARE},{_SHARE}", re.ASCII)
_EXAMPLE = "0.2,0 0.8,0 0.8,1 0.2,1"


def corners(text: str) -> Polygon | None:
    """The corners of a text such as "0.2,0 0.8,0 0.8,1 0.2,1"; None for "everywhere".

    Raises ValueError with what was wanted and found.
    """
    if text.strip().lower() == EVERYWHERE:
        return None
    found = [_corner(part) for part in re.sub(r"\s*,\s*", ",", text.strip()).split()]
    if not FEWEST <= len(found) <= MOST:
        count = f"{len(found)} of them" if found else "empty"
        raise ValueError(
            f"must be {EVERYWHERE}, or {FEWEST} to {MOST} corners such as {_EXAMPLE}, not {count}"
        )
    for one, other in combinations(found, 2):
        if one == other:
            raise ValueError(f"must name each corner once, not {_written(one)} twice")
    _check_simple(found)
    return tuple((float(x), float(y)) for x, y in found)


def _corner(part: str) -> _Exact:
    found = _CORNER.fullmatch(part)
    shares = [Fraction(share) for share in found.groups()] if found else []
    if not shares or max(shares) > 1:
        raise ValueError(
            f"must be {EVERYWHERE}, or corners such as {_EXAMPLE}, with x and y from 0 to 1, not '{part}'"
        )
    return shares[0], shares[1]


def _check_simple(corners: list[_Exact]) -> None:
    """Raise ValueError unless the sides meet only at the corners, each time two."""
    count = len(corners)
    sides = [(corners[at], corners[(at + 1) % count]) for at in range(count)]
    for at, (corner, after) in enumerate(sides):
        before = corners[at - 1]
        if _turn(before, corner, after) == 0 and _are_apart(corner, before, after) <= 0:
            raise ValueError(f"must not turn back on itself, as at {_written(corner)}")
    for one, other in combinations(range(count), 2):
        neighbours = other - one in (1, count - 1)
        if not neighbours and _meet(*sides[one], *sides[other]):
            raise ValueError(
                f"must go once round the zone, corner by corner, but its sides "
                f"{_said(sides[one])} and {_said(sides[other])} cross or touch"
            )


def _turn(a: _Exact, b: _Exact, c: _Exact) -> int:
    """1 or -1 for the two sides of the line from a to b, on one of which c lies; 0 where it is on it."""
    area = (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0])
    return (area > 0) - (area < 0)


def _are_apart(corner: _Exact, before: _Exact, after: _Exact) -> int:
    """1 where, of three corners on one line, the two others lie on different sides of `corner`; else -1."""
    along = sum((b - c) * (a - c) for b, c, a in zip(before, corner, after, strict=True))
    return -1 if along > 0 else 1


def _meet(a: _Exact, b: _Exact, c: _Exact, d: _Exact) -> bool:
    """Whether the sides a-b and c-d share a point: each ends on both sides of the other, and they overlap."""
    overlap = all(
        max(min(a[axis], b[axis]), min(c[axis], d[axis])) <= min(max(a[axis], b[axis]), max(c[axis], d[axis]))
        for axis in (0, 1)
    )
    return overlap and _turn(a, b, c) * _turn(a, b, d) <= 0 and _turn(c, d, a) * _turn(c, d, b) <= 0


def _written(corner: _Exact) -> str:
    return f"{float(corner[0]):g},{float(corner[1]):g}"


def _said(side: tuple[_Exact, _Exact]) -> str:
    return f"{_written(side[0])} to {_written(side[1])}"
