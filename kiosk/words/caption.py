"""Tracks and guesses in, captions out: which word stands on the wall, and for how long. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from kiosk.config import CaptionConfig
from kiosk.messages import SCENE_ID, Caption, Entry, Guess, Track

# A box round a face that is no longer seen would hang in the air: its caption goes after this many seconds
# and comes back, with the same word, if the visitor does before she is forgotten.
LINGER = 0.5


@dataclass
class _Label:
    guess: Guess
    since: float


class Captioner:
    """Holds each label for `hold` seconds, however often the network changes its mind."""

    def __init__(self, config: CaptionConfig, lexicon: Mapping[str, Entry]) -> None:
        self._config = config
        self._lexicon = lexicon
        self._labels: dict[int, _Label] = {}

    def update(
        self, tracks: Sequence[Track], guesses: Mapping[int, Sequence[Guess]], now: float
    ) -> tuple[Caption, ...]:
        """Call for every analysed frame; `guesses` has the tracks that were classified now, best first."""
        ids = {track.id for track in tracks}
        self._labels = {id_: label for id_, label in self._labels.items() if id_ in ids}
        for id_, best in guesses.items():
            self._labels[id_] = self._choose(self._labels.get(id_), best, now)
        shown = (track for track in tracks if track.id in self._labels and now - track.seen_at <= LINGER)
        return tuple(self._caption(track) for track in shown)

    def _choose(self, label: _Label | None, best: Sequence[Guess], now: float) -> _Label:
        if label is None or (now - label.since >= self._config.hold and best[0].synset != label.guess.synset):
            return _Label(best[0], now)
        again = next((guess for guess in best if guess.synset == label.guess.synset), label.guess)
        return _Label(again, label.since)

    def _caption(self, track: Track) -> Caption:
        guess = self._labels[track.id].guess
        box = None if track.id == SCENE_ID else track.box
        return Caption(track.id, box, self._lexicon[guess.synset], guess.probability)
