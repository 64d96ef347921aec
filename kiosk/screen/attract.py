"""Entries in, which of them passes by and how opaque it is out: while nobody is there. Pure.

One word at a time comes slowly, stands for as long as it takes to read, and goes; then for a moment there is
nothing but the room. As soon as somebody is there the word goes, quickly.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass, replace

from kiosk.messages import Entry
from kiosk.screen.fade import smoothstep

# Seconds in which a word comes, and in which it goes by itself.
FADE = 1.0
# Seconds in which it goes for a visitor.
YIELD = 0.25
# Seconds of nothing between two words.
PAUSE = 1.2
# Words read in a second; seconds to find where they stand; the least and the most that one stands, seconds.
SPEED, FINDING, SHORTEST, LONGEST = 3.0, 2.0, 5.0, 14.0
MOST_WORDS = int((LONGEST - FINDING) * SPEED)
# That a dictionary knows a word, but not for a person: a sentence of its own.
REMARK_WORDS = 9
# For the places: Martin Roberts, "The Unreasonable Effectiveness of Quasirandom Sequences", 2018
# (https://extremelearning.com.au/unreasonable-effectiveness-of-quasirandom-sequences/). Each is far from
# those just before, and in the long run all of the room is used alike, for screens that burn in.
_PLASTIC = 1.32471795724474602596


@dataclass(frozen=True)
class Passing:
    """A word that passes by."""

    entry: Entry
    """No more of it than is read in time."""
    number: int
    """Of the words that have come, from 0."""
    opacity: float
    """0-1."""

    @property
    def place(self) -> tuple[float, float]:
        """Where in the room that is left for it: 0-1 from the left, 0-1 from the top."""
        return (0.5 + self.number / _PLASTIC) % 1, (0.5 + self.number / _PLASTIC**2) % 1


@dataclass(frozen=True)
class _Called:
    """A word that was called up."""

    entry: Entry
    """All of it."""
    told: Entry
    number: int
    came_at: float
    stands: float
    """Seconds between coming and going."""
    dismissed_at: float | None = None
    """When somebody came, or it was withheld; None for a word that goes by itself."""

    def opacity(self, now: float) -> float:
        """0-1."""
        if self.dismissed_at is not None and now > self.dismissed_at:
            return self.opacity(self.dismissed_at) * (1 - smoothstep((now - self.dismissed_at) / YIELD))
        going = now - self.came_at - FADE - self.stands
        return smoothstep((now - self.came_at) / FADE) * (1 - smoothstep(going / FADE))

    def over(self, now: float) -> bool:
        """Whether it and the pause behind it are over."""
        if self.dismissed_at is not None:
            return now >= self.dismissed_at + YIELD
        return now >= self.came_at + FADE + self.stands + FADE + PAUSE


class Walk:
    """A way through entries in no order, on which none comes again before all have come."""

    def __init__(self, seed: int) -> None:
        self._random = random.Random(seed)
        self._entries: Sequence[Entry] = ()
        self._ahead: list[Entry] = []
        self._behind: set[str] = set()

    def next(self, entries: Sequence[Entry]) -> Entry:
        """The next of some entries, at least one; they may be others than before."""
        if entries is not self._entries:
            self._entries, self._ahead = entries, self._shuffled(entries)
        if not self._ahead:
            self._behind.clear()
            self._ahead = self._shuffled(entries)
        entry = self._ahead.pop()
        self._behind.add(entry.synset)
        return entry

    def _shuffled(self, entries: Sequence[Entry]) -> list[Entry]:
        left = [entry for entry in entries if entry.synset not in self._behind]
        self._random.shuffle(left)
        return left


class Procession:
    """Which word passes by."""

    def __init__(self, seed: int) -> None:
        """`seed` gives the order: for each start another."""
        self._walk, self._count = Walk(seed), 0
        self._entries: Sequence[Entry] = ()
        self._alone_since: float | None = None
        self._called: _Called | None = None
        self.on = False
        """Whether words pass by, also in the pause between two: nothing else is said then."""

    def see(self, entries: Sequence[Entry], after: float, now: float, *, alone: bool) -> Passing | None:
        """The word to be drawn, if there is one. Call for every picture; `now` in seconds, monotonic.

        `alone` is whether it is known that nobody is there: after `after` seconds of it the words of
        `entries` begin to pass by; never where it is 0 or there are none.
        """
        if not alone:
            self._alone_since = None
        elif self._alone_since is None:
            self._alone_since = now
        since = self._alone_since
        self.on = bool(entries) and after > 0 and since is not None and now - since >= after
        called = self._keep(entries, now)
        if self.on and called is None:
            entry = self._walk.next(entries)
            told = abridged(entry)
            called = self._called = _Called(entry, told, self._count, now, standing(told))
            self._count += 1
        return Passing(called.told, called.number, called.opacity(now)) if called else None

    def clear(self) -> None:
        """Forget the word that passes by. Call where there is no picture."""
        self._called = self._alone_since = None
        self.on = False

    def _keep(self, entries: Sequence[Entry], now: float) -> _Called | None:
        """Send away what must go, and forget what is gone. The word that is still there."""
        called = self._called
        withheld = entries is not self._entries and called is not None and called.entry not in entries
        self._entries = entries
        if called and called.dismissed_at is None and (withheld or not self.on):
            called = replace(called, dismissed_at=now)
        self._called = None if called is None or called.over(now) else called
        return self._called


def abridged(entry: Entry) -> Entry:
    """The entry without what is too long to be read while it passes by; label and gloss always stay."""
    left = MOST_WORDS - _words(entry.label) - _words(entry.gloss)
    definition = entry.definition
    if definition:
        length = _words(definition.text) if definition.of_person else REMARK_WORDS
        definition = definition if length <= left else None
        left -= length if definition else 0
    # The etymology is of the word that the definition is of: without that it would seem to be of the label.
    its_own = entry.definition == definition or _is_label(entry)
    fits = its_own and _words(entry.etymology or "") <= left
    return replace(entry, definition=definition, etymology=entry.etymology if fits else None)


def standing(entry: Entry) -> float:
    """Seconds for which an entry stands in full, SHORTEST to LONGEST: as long as it takes to read."""
    definition, etymology = entry.definition, entry.etymology
    said = REMARK_WORDS if definition and not definition.of_person else 0
    said += _words(f"{entry.label} {entry.gloss} {definition.text if definition else ''} {etymology or ''}")
    return min(LONGEST, max(SHORTEST, FINDING + said / SPEED))


def _is_label(entry: Entry) -> bool:
    return entry.definition is None or entry.definition.headword.casefold() == entry.label.casefold()


def _words(text: str) -> int:
    return len(text.split())
