"""Where entries are to stand in, where they are drawn out: one that is moved a little glides there. Pure.

One that is moved further does not cross the picture: it is another piece, which comes at its new place while
the old one leaves.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Mapping
from dataclasses import dataclass

# Seconds in which the way that is left shrinks to a third: also behind a visitor who walks it is not far.
HASTE = 0.1
# Pixels: nearer than this it has arrived.
ARRIVED = 0.5

Place = tuple[int, int]
"""x and y of the top left, pixels of the screen."""


@dataclass(frozen=True)
class Gliding:
    """An entry on its way, or where it stands."""

    target: Place
    x: float
    y: float
    hops: int = 0
    """How often it went too far to glide."""

    @property
    def place(self) -> Place:
        """Where it is drawn."""
        return round(self.x), round(self.y)

    @property
    def has_arrived(self) -> bool:
        """Whether it stands where it is to."""
        return math.dist(self.target, (self.x, self.y)) < ARRIVED


class Glides:
    """The entries of one screen."""

    def __init__(self, furthest: float) -> None:
        """Pixels: further than this an entry hops."""
        self._furthest = furthest
        self._known: dict[Hashable, Gliding] = {}
        self._updated_at = 0.0

    @property
    def settled(self) -> bool:
        """Whether all stand where they are to."""
        return all(gliding.has_arrived for gliding in self._known.values())

    def clear(self) -> None:
        """Forget all."""
        self._known = {}

    def update(self, targets: Mapping[Hashable, Place], now: float) -> dict[Hashable, Gliding]:
        """Call for every picture that is drawn; who is not among `targets` is forgotten."""
        left = math.exp(-max(0.0, now - self._updated_at) / HASTE)
        self._updated_at = now
        self._known = {key: self._moved(key, target, left) for key, target in targets.items()}
        return self._known

    def arrive(self, key: Hashable) -> Gliding:
        """Let one of them be where it is to stand, without another step of the way."""
        known = self._known[key]
        self._known[key] = Gliding(known.target, *known.target, known.hops)
        return self._known[key]

    def _moved(self, key: Hashable, target: Place, left: float) -> Gliding:
        """`left` is the part of the way that is left."""
        known = self._known.get(key)
        if known is None:
            return Gliding(target, *target)
        if math.dist(target, (known.x, known.y)) > self._furthest:
            return Gliding(target, *target, known.hops + 1)
        x, y = (aim + left * (at - aim) for aim, at in zip(target, (known.x, known.y), strict=True))
        moved = Gliding(target, x, y, known.hops)
        return Gliding(target, *target, known.hops) if moved.has_arrived else moved
