"""Looks in, the same captions out with their boxes where the faces are in the frame that is drawn. Pure.

The network looks a few times a second and its answer is late; frames are drawn far more often. Between
two looks each box is carried on by its visitor's own velocity, and what the detector trembles is taken
out by the 1 Euro filter (Casiez, Roussel and Vogel, "1 Euro Filter: A Simple Speed-based Low-pass Filter for
Noisy Input in Interactive Systems", CHI 2012, doi:10.1145/2207676.2208639): slow where a face rests, quick
where it moves. In three things it differs from the paper: the low-pass starts from where the velocity has
carried it, so that a steady walk has no lag; the velocity's own cutoff rises with the speed too, so that a
halt is noticed at once; and a speed within a dead zone is none.

Places are counted in face heights and sizes in logarithms, so that neither the camera's resolution nor the
visitor's distance changes how a box moves.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

from kiosk.messages import Box, Caption, Scene
from kiosk.screen.fade import smoothstep

# Seconds after a look from where on the velocity carries a box no further.
HORIZON = 0.25
# Before that the velocity fades, from a moment on that comes later the quicker somebody walks, for nobody
# halts at once from a quick walk: in seconds for each face height a second. Someone strolling at 1.5 who
# stops dead is overrun by about a fifth of a face; a longer carry would lag less and overrun more.
BRAKING = 0.03
# Seconds in which a box goes over to what a new look says.
BLEND = 0.12
# Seconds for which a box that is the same to the last bit is a face that was missed; later it is a picture
# in which nothing moves. A caption whose face stays out of sight is gone by then.
MISSED = 0.6
# Face heights. Further off than this from where she was expected, a visitor is found anew, not followed.
JUMP = 1.5
# Natural logarithm: so is one who is twice as large, or half.
SIZE_JUMP = 0.7
# Seconds. Two looks that are nearer than this say nothing of a velocity.
SHORTEST = 1 / 60

Numbers = tuple[float, ...]


@dataclass(frozen=True)
class Limits:
    """What is noise and what is movement. The unit is a face height; for logarithms of sizes it is 1."""

    cutoff: float
    """Hz, at rest."""
    velocity_cutoff: float
    """Hz, at rest."""
    slope: float
    """Hz more for a unit a second, of both cutoffs."""
    dead_zone: float
    """Units a second: a lower speed is none."""
    sure: float
    """Units a second: a higher speed counts in full."""
    play: float
    """Units: what rests does not follow the low-pass within this."""


PLACE = Limits(cutoff=0.45, velocity_cutoff=1.0, slope=2.0, dead_zone=0.2, sure=0.6, play=0.012)
SIZE = Limits(cutoff=0.6, velocity_cutoff=0.5, slope=2.0, dead_zone=0.15, sure=0.4, play=0.012)
# A face that turns gets narrower, but never so quickly that it would be worth predicting.
SHAPE = Limits(cutoff=0.3, velocity_cutoff=0.5, slope=0.0, dead_zone=10.0, sure=20.0, play=0.012)


class Motion:
    """Moves the boxes of the newest scene along with the faces. Whoever is not in it is forgotten."""

    def __init__(self) -> None:
        self._scene: Scene | None = None
        self._visitors: dict[int, _Visitor] = {}

    def see(self, scene: Scene | None) -> None:
        """Give the newest scene, as often as you like; None where there is none."""
        if scene is self._scene:
            return
        self._scene = scene
        known, self._visitors = self._visitors, {}
        for caption in scene.captions if scene else ():
            if scene and caption.box:
                visitor = known.get(caption.track_id)
                if visitor is None or not visitor.see(caption.box, scene.captured_at):
                    visitor = _Visitor(caption.box, scene.captured_at)
                self._visitors[caption.track_id] = visitor

    def captions(self, at: float) -> tuple[Caption, ...]:
        """The newest scene's, in its order, with each box where its face is in a frame captured `at`."""
        return tuple(
            replace(caption, box=self._visitors[caption.track_id].draw(at)) if caption.box else caption
            for caption in (self._scene.captions if self._scene else ())
        )


class _Visitor:
    """One visitor's box, from the first look on."""

    def __init__(self, box: Box, seen_at: float) -> None:
        self._box, self._seen_at = box, seen_at
        place = _Place.of(box)
        self._centre = _Smooth.start(place.centre, PLACE)
        self._size = _Smooth.start(place.size, SIZE)
        self._shape = _Smooth.start(place.shape, SHAPE)
        self._drawn: _Place | None = None
        self._drawn_at = seen_at
        self._seen_since = False
        """Since it was drawn."""
        self._correction = _Place((0.0, 0.0), (0.0,), (0.0,))
        self._corrected_at = seen_at

    def see(self, box: Box, now: float) -> bool:
        """Whether this can be the face that was followed."""
        seconds = now - self._seen_at
        if seconds <= 0:
            return seconds == 0
        # Detectors never say the same twice: the face was missed, and this is still the look before.
        if box == self._box and seconds < MISSED:
            return True
        place, expected = _Place.of(box), self._expected(now)
        if math.dist(place.centre, expected.centre) > JUMP * max(place.height, expected.height):
            return False
        if abs(place.size[0] - expected.size[0]) > SIZE_JUMP:
            return False
        self._centre = self._centre.after(place.centre, seconds, expected.height)
        self._size = self._size.after(place.size, seconds)
        self._shape = self._shape.after(place.shape, seconds)
        self._box, self._seen_at, self._seen_since = box, now, True
        return True

    def draw(self, at: float) -> Box:
        """Where it is in a frame captured `at`: as expected, and at first where it was drawn before."""
        if self._seen_since and self._drawn:
            self._correction = self._drawn.plus(self._expected(self._drawn_at), -1)
            self._corrected_at = self._drawn_at
        self._seen_since = False
        left = 1 - smoothstep((at - self._corrected_at) / BLEND)
        self._drawn, self._drawn_at = self._expected(at).plus(self._correction, left), at
        return self._drawn.box

    def _expected(self, at: float) -> _Place:
        age = at - self._seen_at
        size, shape = self._size.later(age), self._shape.later(age)
        now = _Place(self._centre.value, self._size.value, self._shape.value)
        return _Place(self._centre.later(age, now.height), size, shape)


@dataclass(frozen=True)
class _Place:
    """A box as numbers that can be added up."""

    centre: Numbers
    """x and y, pixels."""
    size: Numbers
    """Logarithm of the geometric mean of width and height, pixels."""
    shape: Numbers
    """Half the logarithm of the height over the width."""

    @classmethod
    def of(cls, box: Box) -> _Place:
        width, height = math.log(max(1.0, box.width)), math.log(max(1.0, box.height))
        return cls(box.centre, ((height + width) / 2,), ((height - width) / 2,))

    @property
    def height(self) -> float:
        """Pixels."""
        return math.exp(self.size[0] + self.shape[0])

    @property
    def box(self) -> Box:
        x, y = self.centre
        half_w, half_h = math.exp(self.size[0] - self.shape[0]) / 2, self.height / 2
        return Box(x - half_w, y - half_h, x + half_w, y + half_h)

    def plus(self, other: _Place, times: float) -> _Place:
        return _Place(
            _sum(self.centre, other.centre, times),
            _sum(self.size, other.size, times),
            _sum(self.shape, other.shape, times),
        )


@dataclass(frozen=True)
class _Smooth:
    """Numbers that move together, after the 1 Euro filter."""

    limits: Limits
    seen: Numbers
    """As the last look had them."""
    filtered: Numbers
    value: Numbers
    """The same, but for what it wanders within the play."""
    velocity: Numbers
    """Units a second."""

    @classmethod
    def start(cls, seen: Numbers, limits: Limits) -> _Smooth:
        return cls(limits, seen, seen, seen, tuple(0.0 for _ in seen))

    def after(self, seen: Numbers, seconds: float, unit: float = 1.0) -> _Smooth:
        """With the next look, `seconds` after the last; `unit` is what the limits are counted in."""
        limits, seconds = self.limits, max(seconds, SHORTEST)
        measured = tuple((x - before) / (seconds * unit) for x, before in zip(seen, self.seen, strict=True))
        weight = _weight(limits.velocity_cutoff + limits.slope * self.speed, seconds)
        moved = replace(self, velocity=_mixed(self.velocity, measured, weight))
        way = moved.belief * seconds * unit
        weight = _weight(limits.cutoff + limits.slope * moved.speed, seconds)
        filtered = _mixed(_sum(self.filtered, moved.velocity, way), seen, weight)
        play = limits.play * unit * (1 - moved.belief)
        carried = _sum(self.value, moved.velocity, way)
        value = tuple(min(x + play, max(x - play, stood)) for x, stood in zip(filtered, carried, strict=True))
        return replace(moved, seen=seen, filtered=filtered, value=value)

    def later(self, age: float, unit: float = 1.0) -> Numbers:
        """Where they are `age` seconds after the look."""
        age = min(HORIZON, max(0.0, age))
        fading = min(HORIZON, BRAKING * self.speed)
        if age > fading:
            age -= (age - fading) ** 2 / (2 * (HORIZON - fading))
        return _sum(self.value, self.velocity, self.belief * age * unit)

    @property
    def belief(self) -> float:
        """0-1: how far the velocity counts."""
        limits = self.limits
        return smoothstep((math.hypot(*self.velocity) - limits.dead_zone) / (limits.sure - limits.dead_zone))

    @property
    def speed(self) -> float:
        """Units a second, as far as they count."""
        return self.belief * math.hypot(*self.velocity)


def _weight(cutoff: float, seconds: float) -> float:
    """0-1: how much of a new look a low-pass of first order takes over; the cutoff in Hz."""
    return 1 - math.exp(-2 * math.pi * cutoff * seconds)


def _sum(a: Numbers, b: Numbers, times: float) -> Numbers:
    return tuple(x + times * y for x, y in zip(a, b, strict=True))


def _mixed(a: Numbers, b: Numbers, weight: float) -> Numbers:
    return tuple(x + weight * (y - x) for x, y in zip(a, b, strict=True))
