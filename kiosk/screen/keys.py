"""Keys pressed and released in, what the staff are shown and whether they want to leave out. Pure.

For a keyboard that visitors do not reach; no mouse is needed. What a key shows goes by the same key, or by
itself after a minute: it must not stay on the wall because somebody was called away.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from kiosk.sections import StaffConfig

# Seconds.
LIFETIME = 60.0


class Key(Enum):
    """Those that do something; the value is what is printed on them."""

    LIST = "F1"
    AIM = "F2"
    LEAVE = "Esc"


@dataclass(frozen=True)
class Shown:
    """What of the staff's is on the wall."""

    listed: bool = False
    """The list of keys, and how the piece is."""
    aim: bool = False
    """The aiming view."""
    leaving: float = 0.0
    """0-1: how much is over of the time for which Escape must be held; 0 where it is not held."""


class Keys:
    """Outlives edits of the configuration."""

    def __init__(self, config: StaffConfig) -> None:
        self._config = config
        # Until when, monotonic.
        self._listed_until = self._aim_until = 0.0
        self._held_since: float | None = None
        self._started = self._leave = False

    def change(self, config: StaffConfig) -> None:
        """Go on with an edited configuration; keys that are switched off take along what they showed."""
        if self._config.keys and not config.keys:
            self._listed_until = self._aim_until = 0.0
            self._held_since = None
        self._config = config

    def started(self, now: float) -> None:
        """Call when there is something to be aimed; the aiming view comes by itself, the first time."""
        if not self._started:
            self._started = True
            self._aim_until = max(self._aim_until, now + self._config.aim)

    def press(self, key: Key, now: float) -> None:
        """Call when a key goes down. `now` in seconds, monotonic."""
        if not self._config.keys:
            return
        if key is Key.LIST:
            self._listed_until = now if now < self._listed_until else now + LIFETIME
        elif key is Key.AIM:
            self._aim_until = now if now < self._aim_until else now + LIFETIME
        elif self._held_since is None:
            self._held_since = now

    def release(self, key: Key, now: float) -> None:
        """Call when a key goes up."""
        if key is Key.LEAVE:
            self._leave = self.leaves(now)
            self._held_since = None

    def leaves(self, now: float) -> bool:
        """Whether Escape was held for long enough."""
        held = self._held_since
        return self._leave or (held is not None and now - held >= self._config.leave_after)

    def shown(self, now: float) -> Shown:
        """What is to be painted."""
        held, long = self._held_since, self._config.leave_after
        leaving = 0.0 if held is None else min(1.0, (now - held) / long) if long else 1.0
        return Shown(now < self._listed_until, now < self._aim_until, leaving)
