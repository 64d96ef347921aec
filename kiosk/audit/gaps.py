"""The clearest difference between groups, measure by measure, and what chance would do: groups in, gaps out.

Every p-value is corrected for how many there are (Holm 1979), so that with no difference anywhere a report
calls one clear in at most 5 % of cases.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from kiosk.audit.changes import Change
from kiosk.audit.figures import Group, Rate, Spread
from kiosk.audit.statistics import (
    Contrast,
    Interval,
    contrast_of_means,
    contrast_of_rates,
    holm,
    newcombe,
    welch,
)
from kiosk.audit.suppression import Key

RATES = ("missed", "twice", "withheld", "offensive", "sensitive")
MEANS = ("scores", "sureness")
CLEAR = 0.05
DEALS = 9999
SEED = 2018


@dataclass(frozen=True)
class Gap:
    """Between two groups of the same columns."""

    columns: tuple[str, ...]
    measure: str
    """One of RATES or MEANS."""
    high: Key
    low: Key
    high_value: float
    low_value: float
    """Shares, or means."""
    interval: Interval
    """Of the difference."""
    widest: tuple[Key, Key, float]
    """The largest difference as such, which may be of groups too small to say much."""
    as_clear: int
    deals: int
    p: float
    corrected: float
    """By Holm, for all gaps of the report."""

    @property
    def difference(self) -> float:
        """At least 0."""
        return self.high_value - self.low_value

    @property
    def is_clear(self) -> bool:
        """Whether chance is a poor explanation."""
        return self.corrected < CLEAR


@dataclass(frozen=True)
class Steadiness:
    """Faces missed under one change, by the two groups of the gap as it is."""

    change: Change
    high: Rate
    low: Rate
    clearest: Gap
    """Under this change, be it between the same groups or not; corrected for the number of changes."""

    @property
    def difference(self) -> float:
        """Below 0 where the change turns the gap round."""
        return self.high.share - self.low.share

    @property
    def interval(self) -> Interval:
        """Newcombe's, 95 %."""
        return newcombe(self.high.hits, self.high.of, self.low.hits, self.low.of)


def gaps(columns: tuple[str, ...], groups: Sequence[Group], deals: int, seed: int) -> tuple[Gap, ...]:
    """One for each measure that two groups or more have; not corrected yet."""
    found = []
    for at, measure in enumerate((*RATES, *MEANS)):
        if measure in RATES:
            gap = _of_rates(
                columns, measure, [(one.key, rate(one, measure)) for one in groups], deals, seed + at
            )
        else:
            gap = _of_means(
                columns, measure, [(one.key, spread(one, measure)) for one in groups], deals, seed + at
            )
        found += gap
    return tuple(found)


def corrected(found: Sequence[Gap]) -> tuple[Gap, ...]:
    """By Holm, all of them together."""
    ps = holm([gap.p for gap in found])
    return tuple(replace(gap, corrected=p) for gap, p in zip(found, ps, strict=True))


def steadiness(gap: Gap, groups: Sequence[Group], deals: int, seed: int) -> tuple[Steadiness, ...]:
    """What changes do to a gap of faces missed; () where they were not tried on two groups or more."""
    tried = {one.key: one.under for one in groups if one.under}
    if len(tried) < 2 or not {gap.high, gap.low} <= set(tried):
        return ()
    high, low = tried[gap.high], tried[gap.low]
    clearest: list[Gap] = []
    for at in range(len(high)):
        rates = [(key, under[at].missed) for key, under in tried.items()]
        clearest += _of_rates(gap.columns, "missed", rates, deals, seed + at)
    return tuple(
        Steadiness(one.change, one.missed, other.missed, found)
        for one, other, found in zip(high, low, corrected(clearest), strict=True)
    )


def rate(one: Group, measure: str) -> Rate | None:
    """Of a group, by its name in RATES; None where that is not told."""
    found = getattr(one, measure) if measure in ("missed", "twice") else getattr(one.labels, measure, None)
    return found if isinstance(found, Rate) else None


def spread(one: Group, measure: str) -> Spread | None:
    """Of a group, by its name in MEANS; None where that is not told."""
    found = getattr(one.labels, measure, None)
    return found if isinstance(found, Spread) else None


def _of_rates(
    columns: tuple[str, ...], measure: str, rates: Sequence[tuple[Key, Rate | None]], deals: int, seed: int
) -> list[Gap]:
    told = [(key, found) for key, found in rates if found]
    if len(told) < 2:
        return []
    contrast = contrast_of_rates(
        [found.hits for _, found in told], [found.of for _, found in told], deals, seed
    )
    values = [(key, found.share) for key, found in told]
    high, low = _ordered(contrast, values)
    one, other = told[high][1], told[low][1]
    interval = newcombe(one.hits, one.of, other.hits, other.of)
    return [_gap(columns, measure, values, high, low, interval, contrast)]


def _of_means(
    columns: tuple[str, ...],
    measure: str,
    spreads: Sequence[tuple[Key, Spread | None]],
    deals: int,
    seed: int,
) -> list[Gap]:
    told = [(key, found) for key, found in spreads if found]
    if len(told) < 2:
        return []
    contrast = contrast_of_means([found.bins for _, found in told], told[0][1].middles, deals, seed)
    values = [(key, found.moments.mean) for key, found in told]
    high, low = _ordered(contrast, values)
    interval = welch(told[high][1].moments, told[low][1].moments)
    return [_gap(columns, measure, values, high, low, interval, contrast)]


def _ordered(contrast: Contrast, values: list[tuple[Key, float]]) -> tuple[int, int]:
    one, other = contrast.pair
    return (one, other) if values[one][1] >= values[other][1] else (other, one)


def _gap(
    columns: tuple[str, ...],
    measure: str,
    values: list[tuple[Key, float]],
    high: int,
    low: int,
    interval: Interval,
    contrast: Contrast,
) -> Gap:
    top, bottom = sorted(contrast.widest, key=lambda at: -values[at][1])
    return Gap(
        columns,
        measure,
        values[high][0],
        values[low][0],
        values[high][1],
        values[low][1],
        interval,
        (values[top][0], values[bottom][0], values[top][1] - values[bottom][1]),
        contrast.as_clear,
        contrast.deals,
        contrast.p,
        contrast.p,
    )
