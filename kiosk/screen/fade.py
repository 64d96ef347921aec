"""What is there in, how opaque each of it is out: captions come and go softly. Pure.

Nothing flashes. A flash is a pair of opposing changes, and more than three of them in any one second are not
safe (WCAG 2.2, success criterion 2.3.1: https://www.w3.org/TR/WCAG22/#three-flashes-or-below-threshold).
What has come therefore stays for a moment before it may go again, whatever the network says.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from dataclasses import dataclass, replace
from typing import Generic, TypeVar

Key = TypeVar("Key", bound=Hashable)
Value = TypeVar("Value")

# Seconds from nothing to all, and back.
ENTER = 0.2
LEAVE = 0.25
# Seconds from where something begins to come to where it may begin to go. However often it comes and goes, it
# turns at most once up and once down in this time, which makes three flashes in a second at the most.
STAY = 0.4


def smoothstep(x: float) -> float:
    """0 up to 0, 1 from 1 on, and between them 3x² - 2x³, which starts and ends without a jerk."""
    x = min(1.0, max(0.0, x))
    return x * x * (3 - 2 * x)


@dataclass(frozen=True)
class Faded(Generic[Key, Value]):
    """Something to be drawn, and how."""

    key: Key
    value: Value
    """The newest; of what leaves, the last that was given."""
    opacity: float
    """0-1."""
    present: bool
    """False for what leaves."""


@dataclass(frozen=True)
class _State(Generic[Value]):
    value: Value
    progress: float
    """0-1, before easing."""
    present: bool
    rising: bool
    """What has just come rises for a while, present or not."""
    rising_since: float


class Fades(Generic[Key, Value]):
    """Lets what appears fade in and what disappears fade out.

    A key stands for what is seen: with (track id, words) for a key, other words fade in while the old ones
    fade out. A value is whatever the caller needs to draw it once more while it leaves; with the last of
    its opacity it is forgotten.
    """

    def __init__(self, *, at_once: bool = False) -> None:
        """`at_once` is for a still picture: what is present is opaque, and nothing leaves."""
        self._at_once = at_once
        self._states: dict[Key, _State[Value]] = {}
        self._updated_at = 0.0

    @property
    def settled(self) -> bool:
        """Whether all that is there is opaque: nothing will change until something comes or goes."""
        return all(state.present and state.progress == 1 for state in self._states.values())

    def clear(self) -> None:
        """Forget all of it, what leaves too. Call where the picture is gone: nothing outlives it."""
        self._states = {}

    def update(self, present: Mapping[Key, Value], now: float) -> tuple[Faded[Key, Value], ...]:
        """Call for every picture that is drawn, also with nothing present. `now` in seconds, monotonic.

        What leaves comes first, to be painted under what is present, which keeps its order. What appears is
        among it at once, with opacity 0.
        """
        seconds = max(0.0, now - self._updated_at)
        self._updated_at = now
        leaving = {
            key: left
            for key, state in self._states.items()
            if key not in present and not self._at_once and (left := _leave(state, now, seconds)).progress > 0
        }
        there = {key: self._come(key, value, now, seconds) for key, value in present.items()}
        self._states = {**leaving, **there}
        return tuple(
            Faded(key, state.value, smoothstep(state.progress), state.present)
            for key, state in self._states.items()
        )

    def _come(self, key: Key, value: Value, now: float, seconds: float) -> _State[Value]:
        state = self._states.get(key)
        if state is None:
            return _State(value, 1.0 if self._at_once else 0.0, True, True, now)
        since = state.rising_since if state.rising else now
        return _State(value, min(1.0, state.progress + seconds / ENTER), True, True, since)


def _leave(state: _State[Value], now: float, seconds: float) -> _State[Value]:
    if state.rising and now - state.rising_since < STAY:
        return replace(state, progress=min(1.0, state.progress + seconds / ENTER), present=False)
    return replace(state, progress=max(0.0, state.progress - seconds / LEAVE), present=False, rising=False)
