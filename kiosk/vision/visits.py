"""A moment of the demo in, who stands where in: the script of the demo's passers-by. Pure.

The stage is 1280 by 720 whatever the size of the picture. The script is cut into blocks of 43 seconds, each
drawn from (seed, number of the block) alone: any moment can be asked for, in any order, at the same cost.
In a block two people meet, and one comes alone; after each the room is empty for a few seconds.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from functools import lru_cache

import numpy as np

from kiosk.messages import Box

STAGE_WH = (1280, 720)
BLOCK_SECONDS = 43.0
WALK_SECONDS = 3.0
# The first visitor is under way when the demo starts: a newcomer sees a face at once.
HEAD_START_SECONDS = 1.2


@dataclass(frozen=True)
class Passerby:
    """A person who may walk through the demo."""

    picture: str
    """File in the folder of portraits; the matte lies beside it."""
    face: Box
    """Pixels of the picture."""
    far_px: tuple[float, float]
    """Height of the face on the stage, from and to, where she stands behind the other."""
    near_px: tuple[float, float]
    """The same where she stands in front."""
    reach: float
    """From the middle of the face to the farther side of the body, in face heights."""
    hem_rows: tuple[int, int] | None
    """Rows of plain cloth, repeated downwards from the second on; None where the picture is long enough."""


PASSERSBY = (
    Passerby("astronaut.png", Box(182, 58, 270, 178), (89, 104), (146, 172), 2.4, None),
    Passerby("grace_hopper.jpg", Box(173, 128, 358, 334), (118, 130), (200, 250), 1.4, (532, 574)),
)


@dataclass(frozen=True)
class Visit:
    """One person's way in, stay and way out. Times in seconds of the demo, lengths in pixels of the stage."""

    person: Passerby
    start: float
    stand_seconds: float
    x: float
    face_px: float
    enters_from: int
    """-1 left, 1 right; `leaves_to` alike."""
    leaves_to: int
    phase: float
    """0-1: no two people sway together."""

    @property
    def end(self) -> float:
        """When the last of her has left the picture."""
        return self.start + self.stand_seconds + 2 * WALK_SECONDS


@dataclass(frozen=True)
class Pose:
    """Where a person is at one moment. Pixels of the stage; angles in radians."""

    person: Passerby
    x: float
    y: float
    """The middle of the face."""
    face_px: float
    turn: float
    """Round the vertical axis; positive looks to the right of the picture."""
    tilt: float
    """Clockwise in the picture."""
    standing: bool


def poses(seed: int, seconds: float) -> tuple[Pose, ...]:
    """Everybody in the room or on the way in or out, the farthest first."""
    block = math.floor(seconds / BLOCK_SECONDS)
    present = (visit for visit in block_visits(seed, block) if visit.start <= seconds < visit.end)
    return tuple(sorted((pose_of(visit, seconds) for visit in present), key=lambda pose: pose.face_px))


@lru_cache(maxsize=4)
def block_visits(seed: int, block: int) -> tuple[Visit, ...]:
    """The three visits of one block: two people together and one alone, in either order."""
    draw = np.random.default_rng((seed, block))
    first, second = together(draw)
    lone_person = PASSERSBY[int(draw.integers(len(PASSERSBY)))]
    empty_after_first, empty_at_end = draw.uniform(3.5, 5.0), draw.uniform(3.5, 5.0)
    meeting_seconds = max(first.end, second.end)
    lone_seconds = BLOCK_SECONDS - meeting_seconds - empty_after_first - empty_at_end
    lone = alone(draw, lone_person, lone_seconds)
    # The opening is always a meeting, seen from inside the room.
    lone_first = block > 0 and draw.random() < 0.5
    meeting_at = lone_seconds + empty_after_first if lone_first else 0.0
    lone_at = 0.0 if lone_first else meeting_seconds + empty_after_first
    if block == 0:
        first = replace(first, start=-HEAD_START_SECONDS, enters_from=nearest_side(first.x))
    begin = block * BLOCK_SECONDS
    return (
        replace(first, start=first.start + begin + meeting_at),
        replace(second, start=second.start + begin + meeting_at),
        replace(lone, start=begin + lone_at),
    )


def together(draw: np.random.Generator) -> tuple[Visit, Visit]:
    """Two people, one near the middle and one behind at the side; the second comes a moment after the first.

    An upright screen shows only the middle third of the stage, and the nearer one stands there.
    """
    people = draw.permutation(len(PASSERSBY))[:2]
    near_side = int(draw.choice((-1, 1)))
    visits = []
    for place, (start, stand_seconds) in enumerate(
        ((0.0, draw.uniform(10.0, 13.0)), (draw.uniform(2.4, 2.9), draw.uniform(8.0, 10.8)))
    ):
        person = PASSERSBY[people[place]]
        near = place == 0
        side = near_side if near else -near_side
        x = STAGE_WH[0] * (0.5 + side * (draw.uniform(0.02, 0.06) if near else draw.uniform(0.27, 0.33)))
        face_px = draw.uniform(*(person.near_px if near else person.far_px))
        # Now and then somebody crosses the whole room, before or behind the other.
        leaves_to = side if draw.random() < 0.6 else -side
        visits.append(Visit(person, start, stand_seconds, x, face_px, side, leaves_to, draw.random()))
    return visits[0], visits[1]


def alone(draw: np.random.Generator, person: Passerby, seconds: float) -> Visit:
    """One person near the middle, at any distance, from 0 to `seconds`."""
    x = STAGE_WH[0] * draw.uniform(0.36, 0.64)
    face_px = draw.uniform(person.far_px[0], person.near_px[1])
    enters_from, leaves_to = (int(side) for side in draw.choice((-1, 1), 2))
    stand_seconds = seconds - 2 * WALK_SECONDS
    return Visit(person, 0.0, stand_seconds, x, face_px, enters_from, leaves_to, draw.random())


def nearest_side(x: float) -> int:
    """-1 for the left half of the stage, 1 for the right."""
    return -1 if x < STAGE_WH[0] / 2 else 1


def pose_of(visit: Visit, seconds: float) -> Pose:
    """Walks in and slows down; stands, sways, breathes, looks about; speeds up and walks out."""
    since_start = seconds - visit.start
    until_end = visit.end - seconds
    away, side, heading = 0.0, 0, 0.0
    if since_start < WALK_SECONDS:
        away, side = (1 - since_start / WALK_SECONDS) ** 1.6, visit.enters_from
        heading = -side
    elif until_end < WALK_SECONDS:
        away, side = (1 - until_end / WALK_SECONDS) ** 1.6, visit.leaves_to
        heading = side
    # How much of a walk it is: fades out over the last steps, and in over the first.
    gait = min(1.0, 4 * away)
    face_px = visit.face_px * (1 + 0.004 * wave(seconds, 3.6, visit.phase))
    outside = STAGE_WH[0] / 2 + side * (STAGE_WH[0] / 2 + visit.person.reach * face_px)
    x = visit.x + away * (outside - visit.x) + 0.05 * face_px * wave(seconds, 4.3, visit.phase) * (1 - gait)
    # Seen from a camera at chest height: who comes nearer rises in the picture.
    y = 432 - 0.55 * visit.face_px + 0.012 * face_px * gait * wave(seconds, 0.55, visit.phase)
    glance = 0.24 * wave(seconds, 5.7, visit.phase) + 0.12 * wave(seconds, 3.1, 2 * visit.phase)
    return Pose(
        person=visit.person,
        x=x,
        y=y,
        face_px=face_px,
        turn=0.5 * gait * heading + (1 - gait) * glance,
        tilt=0.018 * wave(seconds, 6.1, 3 * visit.phase) + 0.02 * gait * heading,
        standing=away == 0.0,
    )


def wave(seconds: float, period: float, phase: float) -> float:
    """A sine from -1 to 1."""
    return math.sin(2 * math.pi * (seconds / period + phase))
