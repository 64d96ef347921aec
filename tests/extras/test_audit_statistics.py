"""The audit's figures against scipy's and statsmodels', which calculate them in ways of their own."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from scipy import stats
from statsmodels.stats.multitest import multipletests
from statsmodels.stats.proportion import confint_proportions_2indep, proportion_confint

from kiosk.audit.findings import find
from kiosk.audit.observation import Observation
from kiosk.audit.statistics import (
    Moments,
    contrast_of_means,
    contrast_of_rates,
    entropy,
    holm,
    log_odds,
    newcombe,
    quantile,
    student,
    welch,
    wilson,
)
from kiosk.audit.tally import Count
from tests.auditing import BAKER, COOK, LOUT, SAILOR, vocabulary

DEALS = 20_000


def clearest(*groups: np.ndarray) -> float:
    """The audit's own statistic, from rows a person."""
    return max(
        abs(a.mean() - b.mean()) / math.sqrt(1 / len(a) + 1 / len(b))
        for a, b in itertools.combinations(groups, 2)
    )


def near(p: float) -> float:
    """How far two estimates of a p-value from DEALS and 10,000 draws may lie apart: four standard errors."""
    return 4 * math.sqrt(p * (1 - p) * (1 / DEALS + 1 / 10_000)) + 2e-4


def test_wilsons_interval_is_statsmodels() -> None:
    for of in (1, 2, 10, 37, 400):
        for hits in range(0, of + 1, max(1, of // 9)):
            ours = wilson(hits, of)
            assert (ours.low, ours.high) == pytest.approx(
                proportion_confint(hits, of, method="wilson"), abs=1e-9
            )


def test_newcombes_interval_is_statsmodels() -> None:
    random = np.random.default_rng(1)
    for _ in range(200):
        of, other_of = (int(size) for size in random.integers(5, 300, 2))
        hits, other_hits = int(random.integers(of + 1)), int(random.integers(other_of + 1))
        ours = newcombe(hits, of, other_hits, other_of)
        theirs = confint_proportions_2indep(hits, of, other_hits, other_of, method="newcomb")
        assert (ours.low, ours.high) == pytest.approx(theirs, abs=1e-9)


def test_holms_correction_is_statsmodels() -> None:
    random = np.random.default_rng(2)
    for count in (1, 2, 7, 21):
        ps = random.random(count) ** 3
        assert holm(list(ps)) == pytest.approx(multipletests(ps, method="holm")[1])


def test_students_quantile_is_scipys() -> None:
    for freedom in (5, 6.5, 9, 18, 40.2, 1000, math.inf):
        assert student(freedom) == pytest.approx(stats.t.ppf(0.975, freedom), abs=1e-3)


def test_welchs_interval_is_scipys() -> None:
    random = np.random.default_rng(3)
    for sizes in ((10, 10), (12, 80), (300, 41)):
        one, other = (
            random.normal(0.5, spread, size) for spread, size in zip((0.1, 0.3), sizes, strict=True)
        )
        ours = welch(*(Moments(len(values), values.sum(), (values**2).sum()) for values in (one, other)))
        theirs = stats.ttest_ind(one, other, equal_var=False).confidence_interval(0.95)
        assert (ours.low, ours.high) == pytest.approx((theirs.low, theirs.high), abs=1e-4)


@pytest.mark.parametrize(("hits", "of"), [([14, 5], [60, 60]), ([3, 9], [12, 90]), ([40, 22], [45, 30])])
def test_two_shares_are_tested_as_by_the_hypergeometric_distribution(hits: list[int], of: list[int]) -> None:
    first = stats.hypergeom(sum(of), sum(hits), of[0])
    possible = np.arange(max(0, sum(hits) - of[1]), min(sum(hits), of[0]) + 1)
    gaps = np.abs(possible / of[0] - (sum(hits) - possible) / of[1])
    p = first.pmf(possible)[gaps >= abs(hits[0] / of[0] - hits[1] / of[1]) - 1e-12].sum()
    assert contrast_of_rates(hits, of, DEALS, 1).p == pytest.approx(p, abs=near(p))


@pytest.mark.parametrize(
    ("hits", "of"),
    [([9, 4, 2], [40, 40, 30]), ([30, 18, 3, 1], [200, 100, 12, 10]), ([5, 5, 5], [50, 60, 40])],
)
def test_several_shares_are_tested_as_by_dealing_out_persons(hits: list[int], of: list[int]) -> None:
    groups = [np.array([1.0] * k + [0.0] * (n - k)) for k, n in zip(hits, of, strict=True)]
    theirs = stats.permutation_test(
        groups, clearest, n_resamples=10_000, alternative="greater", rng=np.random.default_rng(1)
    )
    assert contrast_of_rates(hits, of, DEALS, 2).p == pytest.approx(theirs.pvalue, abs=near(theirs.pvalue))


def test_means_are_tested_as_by_dealing_out_persons() -> None:
    random = np.random.default_rng(5)
    values = np.linspace(0.51, 0.99, 13)
    for shift in (0, 1.5):
        groups = [
            values[np.clip(random.poisson(6 + move, size), 0, 12)]
            for move, size in ((0, 40), (0, 25), (shift, 15))
        ]
        theirs = stats.permutation_test(
            groups, clearest, n_resamples=10_000, alternative="greater", rng=np.random.default_rng(1)
        )
        bins = [[int((group == value).sum()) for value in values] for group in groups]
        ours = contrast_of_means(bins, values, DEALS, 3)
        assert ours.p == pytest.approx(theirs.pvalue, abs=near(theirs.pvalue))


def test_the_log_odds_are_those_of_the_posterior() -> None:
    # Monroe et al. approximate mean and scatter of the log-odds ratio under two Dirichlet distributions. What
    # they leave out counts for a word that is most of all words, and here none is.
    random = np.random.default_rng(6)
    shares = random.dirichlet([4] * 20)
    mine, theirs = random.multinomial(900, np.roll(shares, 1)), random.multinomial(1100, shares)
    prior = 40 * (mine + theirs) / (mine + theirs).sum()
    one, other = (
        stats.dirichlet.rvs(counts + prior, 20_000, random_state=random) for counts in (mine, theirs)
    )
    ratio = np.log(one / (1 - one)) - np.log(other / (1 - other))
    z = ratio.mean(axis=0) / ratio.std(axis=0)
    assert np.abs(z).max() > 4
    assert log_odds(mine, theirs, 40) == pytest.approx(z, rel=0.08, abs=0.08)


def test_entropy_is_scipys_with_the_correction() -> None:
    for counts in ([3, 1, 4, 1, 5, 9, 2, 6], [50], [10, 0, 10], [1] * 30):
        found = np.array(counts)
        correction = (np.count_nonzero(found) - 1) / (2 * found.sum() * math.log(2))
        assert entropy(found) == pytest.approx(stats.entropy(found, base=2) + correction)


def test_quantiles_are_scipys_of_the_histogram() -> None:
    counts, edges = np.array([0, 5, 0, 12, 40, 3]), np.array([0, 0.1, 0.2, 0.5, 0.8, 0.9, 1.0])
    theirs = stats.rv_histogram((counts, edges), density=False)
    for share in (0.05, 0.25, 0.5, 0.75, 0.98):
        assert quantile(counts, edges, share) == pytest.approx(theirs.ppf(share))


def test_with_random_groups_a_gap_is_clear_in_at_most_5_of_100_reports() -> None:
    # As in the light suite, with more runs: 1,000 draw the line more sharply than 200.
    random = np.random.default_rng(7)
    words = (BAKER, COOK, LOUT, SAILOR)
    seen = []
    for _ in range(240):
        word = words[random.integers(4)]
        face = Observation(
            1 + (random.random() < 0.1), score=float(random.choice([0.6, 0.7, 0.8])), synset=word,
            sureness=float(random.choice([0.01, 0.1])), withheld=word == LOUT,
            safety={LOUT: "offensive", SAILOR: "sensitive"}.get(word, ""),
        )  # fmt: skip
        seen.append(Observation(0) if random.random() < 0.15 else face)
    cells = list(itertools.product("ABC", "xy"))
    clear = 0
    for _ in range(1000):
        counts = {cell: Count() for cell in cells}
        for one, at in zip(seen, random.choice(6, len(seen), p=[0.3, 0.2, 0.2, 0.1, 0.1, 0.1]), strict=True):
            counts[cells[at]].tally.add(one)
        findings = find(("skin", "gender"), counts, vocabulary(LOUT), 10, True, 499)
        clear += any(gap.is_clear for gap in findings.gaps)
    assert 0 < clear <= 50
