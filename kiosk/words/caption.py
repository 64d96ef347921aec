"""Tracks and guesses in, captions out: which word stands on the wall, and for how long. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from kiosk.messages import SCENE_ID, Caption, Entry, Guess, Reason, Track
from kiosk.sections import CaptionConfig
from kiosk.words.policy import Policy

# A box round a face that is no longer seen would hang in the air: its caption goes after this many seconds
# and comes back, with the same word, if the visitor does before she is forgotten.
LINGER = 0.5
# A label that stands for longer is no answer to a visitor who has turned round or put on a hat.
LONGEST_READING = 20.0


@dataclass
class _Label:
    best: tuple[Guess, ...]
    """The guesses that the label stands for, best first."""
    since: float


class Captioner:
    """Holds each label for `hold` seconds and for the time its entry takes to read.

    So long it stands, however often the network changes its mind.
    What the policy says of a label is asked anew each time: a change is seen on the wall at once.
    """

    def __init__(self, config: CaptionConfig, lexicon: Mapping[str, Entry], policy: Policy) -> None:
        self._lexicon = lexicon
        self._labels: dict[int, _Label] = {}
        self.change(config, policy)

    def change(self, config: CaptionConfig, policy: Policy) -> None:
        """Go on with another configuration; the labels that stand keep standing."""
        self._config, self._policy = config, policy

    def update(
        self, tracks: Sequence[Track], guesses: Mapping[int, Sequence[Guess]], now: float
    ) -> tuple[Caption, ...]:
        """Call for every analysed frame; `guesses` has the tracks that were classified now, best first."""
        ids = {track.id for track in tracks}
        self._labels = {id_: label for id_, label in self._labels.items() if id_ in ids}
        for id_, best in guesses.items():
            self._labels[id_] = self._choose(self._labels.get(id_), tuple(best), now)
        shown = (track for track in tracks if track.id in self._labels and now - track.seen_at <= LINGER)
        return tuple(caption for track in shown if (caption := self._caption(track)))

    def _choose(self, label: _Label | None, best: tuple[Guess, ...], now: float) -> _Label:
        if label is None:
            return _Label(best, now)
        if self._shown(best) == self._shown(label.best):
            return _Label(best, label.since)
        if now - label.since >= self._hold(label):
            return _Label(best, now)
        newest = {guess.synset: guess for guess in best}
        return _Label(tuple(newest.get(guess.synset, guess) for guess in label.best), label.since)

    def _hold(self, label: _Label) -> float:
        """Seconds."""
        choice, speed = self._policy.choose(label.best), self._config.reading_speed
        if choice is None or choice.withheld or not speed:
            return self._config.hold
        words = word_count(self._lexicon[choice.guess.synset])
        return max(self._config.hold, min(words / speed, LONGEST_READING))

    def _shown(self, best: tuple[Guess, ...]) -> str:
        """The synset that these guesses come to on the wall: not the first, where a later one is shown."""
        choice = self._policy.choose(best)
        return (choice.guess if choice else best[0]).synset

    def _caption(self, track: Track) -> Caption | None:
        """None where the policy hides what it withholds."""
        choice = self._policy.choose(self._labels[track.id].best)
        if choice is None:
            return None
        box = None if track.id == SCENE_ID else track.box
        entry = None if choice.withheld else self._lexicon[choice.guess.synset]
        reason = choice.withheld.reason if choice.withheld else Reason()
        return Caption(track.id, box, entry, choice.guess.probability, reason, choice.passed_over)


def word_count(entry: Entry) -> int:
    """How many words there are to read of an entry."""
    definition = entry.definition.text if entry.definition else ""
    return len(
        " ".join((*entry.lemmas, entry.gloss, definition, entry.etymology or "", *entry.chain)).split()
    )
