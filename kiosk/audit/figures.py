"""What is told of a group: counts in, shares, distributions and words out. Aggregates only.

Of the labels only those are named that LEAST_LABEL pictures got; how many there are of the rest is a number.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from kiosk.audit.changes import Change
from kiosk.audit.statistics import Interval, Moments, entropy, log_odds, quantile, wilson
from kiosk.audit.suppression import Key
from kiosk.audit.tally import Count, Histogram, Tally
from kiosk.messages import Entry
from kiosk.words.policy import Policy

LEAST_LABEL = 3
FREQUENT, TYPICAL = 8, 6
"""So many words of each group at most."""
PRIOR = 100.0
"""Labels that the prior of the log-odds is worth."""
LEAST_Z = 2.0


@dataclass(frozen=True)
class Vocabulary:
    """What the words are, and which may be shown."""

    lexicon: Mapping[str, Entry]
    policy: Policy


@dataclass(frozen=True)
class Rate:
    """A share of a group."""

    hits: int
    of: int

    @property
    def share(self) -> float:
        """0-1; 0 of nothing."""
        return self.hits / self.of if self.of else 0.0

    @property
    def interval(self) -> Interval:
        """Wilson's, 95 %."""
        return wilson(self.hits, self.of)


@dataclass(frozen=True)
class Spread:
    """A distribution of numbers from 0 to 1."""

    moments: Moments
    quartiles: tuple[float, float, float]
    edges: tuple[float, ...]
    bins: tuple[int, ...]

    @classmethod
    def of(cls, histogram: Histogram) -> Spread:
        """Quartiles are interpolated inside the bins."""
        low, middle, high = (quantile(histogram.counts, histogram.edges, part / 4) for part in (1, 2, 3))
        return cls(histogram.moments, (low, middle, high), histogram.edges, tuple(histogram.counts))

    @property
    def middles(self) -> tuple[float, ...]:
        """Of the bins."""
        return tuple((low + high) / 2 for low, high in zip(self.edges, self.edges[1:], strict=False))


@dataclass(frozen=True)
class Word:
    """A label and how often it was given to a group."""

    synset: str
    text: str
    """Its first lemma; empty where the policy withholds it: the report may hang beside the piece."""
    reason: str
    """Why it is withheld."""
    count: int
    z: float = 0.0
    """How much more often than to the others, in standard deviations."""


@dataclass(frozen=True)
class Labels:
    """What the faces that were found are called."""

    count: int
    withheld: Rate
    offensive: Rate | None
    """None where the ImageNet team's table is not there."""
    sensitive: Rate | None
    entropy: float
    """Bits."""
    scores: Spread
    sureness: Spread
    frequent: tuple[Word, ...]
    typical: tuple[Word, ...]
    """Over-represented: z of LEAST_Z or more against the other groups of the same columns."""
    different: int
    """How many words there are."""
    rare: int
    """Labels of words that are not named because fewer than LEAST_LABEL got them."""


@dataclass(frozen=True)
class Under:
    """The first pictures of each cell, under one change."""

    change: Change
    missed: Rate
    same: Rate | None
    """The word stays, of the faces found before and after; None of too few."""


@dataclass(frozen=True)
class Group:
    """One that is large enough."""

    key: Key
    pictures: int
    unreadable: int
    missed: Rate
    aside: Rate
    """Of all: found, but put aside for its height; they are among those missed."""
    twice: Rate
    labels: Labels | None
    """None where too few faces were found."""
    under: tuple[Under, ...]
    """Empty where too few pictures were changed, or none."""


def group(
    key: Key,
    count: Count,
    heard: Tally,
    others: Counter[str],
    vocabulary: Vocabulary,
    least: int,
    has_safety: bool,
) -> Group:
    """`heard` is what counts of its labels, `others` the labels of those that it is compared with."""
    tally, of = count.tally, count.tally.pictures
    under = tuple(
        Under(
            change,
            Rate(changed.missed, changed.pictures),
            Rate(changed.same, changed.compared) if changed.compared >= least else None,
        )
        for change, changed in count.changed.items()
        if changed.pictures >= least
    )
    return Group(
        key,
        of,
        tally.unreadable,
        Rate(tally.missed, of),
        Rate(tally.aside, of),
        Rate(tally.twice, of),
        _labels(heard, others, vocabulary, has_safety) if heard.found >= least else None,
        under,
    )


def comparable(groups: Sequence[Group]) -> tuple[Group, ...]:
    """Where too few words of one group can be compared under a change, those of all are not told of.

    Otherwise that group's could be worked out by subtraction.
    """
    mute = {row.change for one in groups for row in one.under if row.same is None}

    def told(row: Under) -> Under:
        return replace(row, same=None) if row.change in mute else row

    return tuple(replace(one, under=tuple(map(told, one.under))) for one in groups)


def _labels(tally: Tally, others: Counter[str], vocabulary: Vocabulary, has_safety: bool) -> Labels:
    ids = sorted({*tally.labels, *others})
    mine = np.array([tally.labels[id_] for id_ in ids])
    scores = log_odds(mine, [others[id_] for id_ in ids], PRIOR) if others else np.zeros(len(ids))
    by_id = dict(zip(ids, scores.tolist(), strict=True))
    named = [id_ for id_ in ids if tally.labels[id_] >= LEAST_LABEL]

    def word(id_: str) -> Word:
        verdict = vocabulary.policy.verdict(id_)
        text = vocabulary.lexicon[id_].label if verdict.shown else ""
        return Word(id_, text, str(verdict.reason), tally.labels[id_], by_id[id_])

    frequent = sorted(named, key=lambda id_: (-tally.labels[id_], id_))[:FREQUENT]
    typical = sorted((id_ for id_ in named if by_id[id_] >= LEAST_Z), key=lambda id_: -by_id[id_])[:TYPICAL]
    return Labels(
        tally.found,
        Rate(tally.withheld, tally.found),
        Rate(tally.offensive, tally.found) if has_safety else None,
        Rate(tally.sensitive, tally.found) if has_safety else None,
        entropy(mine),
        Spread.of(tally.scores),
        Spread.of(tally.sureness),
        tuple(map(word, frequent)),
        tuple(map(word, typical)),
        len(tally.labels),
        sum(times for times in tally.labels.values() if times < LEAST_LABEL),
    )
