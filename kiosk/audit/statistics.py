"""Intervals, permutation tests and words that a group has more than others: counts in, figures out.

Pure; what draws is given a seed. Nothing here needs a row a person: under a random dealing of the groups the
counts have a (multivariate) hypergeometric distribution, from which they are drawn directly.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

Z95 = 1.959963984540054
"""Of the normal distribution 95 % lie within this."""
# Sums in another order differ in the last digit: what is equal must count as equal.
TIE = 1e-9

Floats = npt.NDArray[np.float64]
Counts = npt.NDArray[np.int64]


@dataclass(frozen=True)
class Interval:
    """A 95 % confidence interval."""

    low: float
    high: float


@dataclass(frozen=True)
class Moments:
    """What is kept of some numbers to know their mean and how they scatter."""

    count: int = 0
    total: float = 0.0
    squares: float = 0.0
    """The sum of the squares."""

    @property
    def mean(self) -> float:
        """0 of nothing."""
        return self.total / self.count if self.count else 0.0

    @property
    def variance(self) -> float:
        """Of the sample, by count - 1; 0 of fewer than two."""
        if self.count < 2:
            return 0.0
        return max(0.0, (self.squares - self.total * self.mean) / (self.count - 1))


@dataclass(frozen=True)
class Contrast:
    """The two groups that stand out most against each other, and how often chance does as much."""

    pair: tuple[int, int]
    """Indices; the difference counted in its own standard errors is the largest."""
    widest: tuple[int, int]
    """The difference as such is the largest; with groups of very different sizes often another pair."""
    as_clear: int
    """In how many of the deals some pair stood out as much or more."""
    deals: int

    @property
    def p(self) -> float:
        """Never 0: the deal that was observed is one of those that are possible (Phipson and Smyth 2010)."""
        return (1 + self.as_clear) / (1 + self.deals)


def wilson(hits: int, of: int) -> Interval:
    """The score interval of a share (Wilson 1927), 0-1; of nothing, all of it."""
    if of == 0:
        return Interval(0.0, 1.0)
    share, spread = hits / of, Z95 * Z95 / of
    middle = (share + spread / 2) / (1 + spread)
    half = Z95 / (1 + spread) * math.sqrt(share * (1 - share) / of + spread / (4 * of))
    return Interval(
        0.0 if hits == 0 else max(0.0, middle - half), 1.0 if hits == of else min(1.0, middle + half)
    )


def newcombe(hits: int, of: int, other_hits: int, other_of: int) -> Interval:
    """Of the difference of two independent shares, the first minus the second (Newcombe 1998, method 10)."""
    one, other = wilson(hits, of), wilson(other_hits, other_of)
    share, other_share = hits / max(of, 1), other_hits / max(other_of, 1)
    down = math.hypot(share - one.low, other.high - other_share)
    up = math.hypot(one.high - share, other_share - other.low)
    return Interval(share - other_share - down, share - other_share + up)


def welch(one: Moments, other: Moments) -> Interval:
    """Of the difference of two means, the first minus the second (Welch 1947); each of two or more."""
    parts = [moments.variance / moments.count for moments in (one, other)]
    error = math.sqrt(sum(parts))
    freedom = math.inf
    if error > 0:
        shares = [
            part * part / (moments.count - 1) for part, moments in zip(parts, (one, other), strict=True)
        ]
        freedom = sum(parts) ** 2 / sum(shares)
    difference, half = one.mean - other.mean, student(freedom) * error
    return Interval(difference - half, difference + half)


def student(freedom: float) -> float:
    """The 97.5 % quantile of Student's t, by Abramowitz and Stegun 26.7.5: to 0.001 from 5 degrees on."""
    z = Z95
    terms = (
        (z**3 + z) / 4,
        (5 * z**5 + 16 * z**3 + 3 * z) / 96,
        (3 * z**7 + 19 * z**5 + 17 * z**3 - 15 * z) / 384,
        (79 * z**9 + 776 * z**7 + 1482 * z**5 - 1920 * z**3 - 945 * z) / 92160,
    )
    return z + sum(term / freedom**power for power, term in enumerate(terms, start=1))


def contrast_of_rates(hits: Sequence[int], of: Sequence[int], deals: int, seed: int) -> Contrast:
    """Are the shares of two or more groups equal? Exact but for the drawing; every `of` at least 1."""
    sizes = np.asarray(of, np.int64)
    draw = np.random.default_rng(seed).multivariate_hypergeometric(sizes, sum(hits), deals, "marginals")
    return _contrast(np.asarray(hits, np.float64), draw.astype(np.float64), sizes)


def contrast_of_means(histograms: npt.ArrayLike, values: npt.ArrayLike, deals: int, seed: int) -> Contrast:
    """Are the means of two or more groups equal? `histograms` (groups, bins), `values` (bins,)."""
    table, worth = np.asarray(histograms, np.int64), np.asarray(values, np.float64)
    sizes = table.sum(axis=1)
    random = np.random.default_rng(seed)
    left = np.tile(sizes, (deals, 1))
    sums = np.zeros((deals, len(sizes)))
    for column in np.flatnonzero(table.sum(axis=0)):
        # Whose are the pictures of this bin? One group after the other draws from all that are left.
        wanted = np.full(deals, table[:, column].sum())
        others = left.sum(axis=1)
        for group in range(len(sizes)):
            others = others - left[:, group]
            got = random.hypergeometric(left[:, group], others, wanted)
            wanted = wanted - got
            left[:, group] -= got
            sums[:, group] += got * worth[column]
    return _contrast((table * worth).sum(axis=1), sums, sizes)


def _contrast(observed: Floats, dealt: Floats, sizes: Counts) -> Contrast:
    """`observed` (groups,) sums, `dealt` (deals, groups) what chance makes of them."""
    pairs = list(itertools.combinations(range(len(sizes)), 2))
    means, dealt_means = observed / sizes, dealt / sizes
    # All that a standard error has of its own: the scatter of the whole is the same in each deal.
    weights = [1 / math.sqrt(1 / sizes[one] + 1 / sizes[other]) for one, other in pairs]
    gaps = [abs(means[one] - means[other]) for one, other in pairs]
    clear = [gap * weight for gap, weight in zip(gaps, weights, strict=True)]
    best = np.zeros(len(dealt))
    for (one, other), weight in zip(pairs, weights, strict=True):
        np.maximum(best, np.abs(dealt_means[:, one] - dealt_means[:, other]) * weight, out=best)
    threshold = max(clear) * (1 - TIE) - TIE
    return Contrast(
        pairs[int(np.argmax(clear))],
        pairs[int(np.argmax(gaps))],
        int(np.count_nonzero(best >= threshold)),
        len(dealt),
    )


def holm(ps: Sequence[float]) -> tuple[float, ...]:
    """p-values corrected for their number, in their order (Holm 1979): step-down, at most 1."""
    order = sorted(range(len(ps)), key=lambda at: ps[at])
    corrected = [0.0] * len(ps)
    highest = 0.0
    for rank, at in enumerate(order):
        highest = max(highest, min(1.0, (len(ps) - rank) * ps[at]))
        corrected[at] = highest
    return tuple(corrected)


def log_odds(counts: npt.ArrayLike, others: npt.ArrayLike, strength: float) -> Floats:
    """How much more a group has of each word than the others: z-scores (words,).

    The log-odds ratio with an informative Dirichlet prior, over its standard deviation (Monroe, Colaresi and
    Quinn 2008, "Fightin' Words"). `counts` and `others` (words,). The prior is the words of both together,
    `strength` of them: a rare word must show itself more often before it stands out.
    """
    mine, theirs = np.asarray(counts, np.float64), np.asarray(others, np.float64)
    whole = mine + theirs
    if np.count_nonzero(whole) < 2:  # nothing that it could be more than
        return np.zeros_like(whole)
    prior = strength * whole / whole.sum()
    mine, theirs = mine + prior, theirs + prior
    odds = np.log(mine / (mine.sum() - mine)) - np.log(theirs / (theirs.sum() - theirs))
    return np.asarray(odds / np.sqrt(1 / mine + 1 / theirs), np.float64)


def entropy(counts: npt.ArrayLike) -> float:
    """In bits, with Miller and Madow's correction for a small sample (Miller 1955); 0 of nothing.

    2 to this power is how many words, each given as often as any other, would be as unforeseeable.
    """
    found = np.asarray(counts, np.float64)
    found = found[found > 0]
    if found.size == 0:
        return 0.0
    shares = found / found.sum()
    plain = float(-(shares * np.log2(shares)).sum())
    return plain + float((found.size - 1) / (2 * found.sum() * math.log(2)))


def quantile(histogram: npt.ArrayLike, edges: npt.ArrayLike, share: float) -> float:
    """The value below which `share` (0-1) lies; each bin counts as evenly filled. `edges` (bins + 1,)."""
    counts, bounds = np.asarray(histogram, np.float64), np.asarray(edges, np.float64)
    wanted = share * counts.sum()
    reached = np.cumsum(counts)
    at = int(np.argmax((reached >= wanted) & (counts > 0)))  # the first that holds anything and suffices
    inside = (wanted - (reached[at] - counts[at])) / counts[at] if counts[at] else 0.0
    return float(bounds[at] + min(1.0, max(0.0, float(inside))) * (bounds[at + 1] - bounds[at]))
