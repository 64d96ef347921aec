"""Where entries are to stand in, where they are drawn out: one that is moved a little glides there. Pure.

One that is moved further does not cross the picture: it is another piece, which comes at its new place while
the old one leaves.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Mapping
from dataclasses import dataclass, replace

from kiosk.screen.fade import smoothstep

# Seconds from one place to the next.
DURATION = 0.4

Place = tuple[int, int]
"""x and y of the top left, pixels of the screen."""


@dataclass(frozen=True)
class Gliding:
    """An entry on its way, or where it stands."""

    target: Place
    start: Place
    since: float
    hops: int = 0
    """How often it went too far to glide."""

    def at(self, now: float) -> Place:
        """Where it is drawn."""
        way = smoothstep((now - self.since) / DURATION)
        return (
            round(self.start[0] + way * (self.target[0] - self.start[0])),
            round(self.start[1] + way * (self.target[1] - self.start[1])),
        )


class Glides:
    """The entries of one screen."""

    def __init__(self, furthest: float) -> None:
        """Pixels: further than this an entry hops."""
        self._furthest = furthest
        self._known: dict[Hashable, Gliding] = {}

    def clear(self) -> None:
        """Forget all."""
        self._known = {}

    def settled(self, now: float) -> bool:
        """Whether all stand where they are to."""
        return all(now >= gliding.since + DURATION for gliding in self._known.values())

    def update(self, targets: Mapping[Hashable, Place], now: float) -> dict[Hashable, Gliding]:
        """Call for every picture that is drawn; who is not among `targets` is forgotten."""
        self._known = {key: self._moved(key, target, now) for key, target in targets.items()}
        return self._known

    def _moved(self, key: Hashable, target: Place, now: float) -> Gliding:
        known = self._known.get(key)
        if known is None:
            return Gliding(target, target, now)
        if target == known.target:
            return known
        if math.dist(target, known.at(now)) > self._furthest:
            return Gliding(target, target, now, known.hops + 1)
        return replace(known, target=target, start=known.at(now), since=now)
