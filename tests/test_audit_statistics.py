from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kiosk.audit.statistics import (
    Contrast,
    Interval,
    Moments,
    contrast_of_means,
    contrast_of_rates,
    entropy,
    holm,
    log_odds,
    newcombe,
    quantile,
    welch,
    wilson,
)


def rounded(interval: Interval) -> tuple[float, float]:
    return round(interval.low, 4), round(interval.high, 4)


# The examples of Newcombe 1998 (Statistics in Medicine 17: 857 and 873), methods 3 and 10.


@pytest.mark.parametrize(
    ("hits", "of", "expected"),
    [
        (81, 263, (0.2553, 0.3662)),
        (15, 148, (0.0624, 0.1605)),
        (0, 20, (0.0, 0.1611)),
        (1, 29, (0.0061, 0.1718)),
    ],
)
def test_wilsons_interval_is_the_published_one(hits: int, of: int, expected: tuple[float, float]) -> None:
    assert rounded(wilson(hits, of)) == expected


@pytest.mark.parametrize(
    ("counts", "expected"),
    [
        ((56, 70, 48, 80), (0.0524, 0.3339)),
        ((9, 10, 3, 10), (0.1705, 0.8090)),
        ((10, 10, 0, 20), (0.6791, 1.0)),
        ((10, 10, 0, 10), (0.6075, 1.0)),
    ],
)
def test_newcombes_interval_is_the_published_one(
    counts: tuple[int, int, int, int], expected: tuple[float, float]
) -> None:
    assert rounded(newcombe(*counts)) == expected


def test_of_nothing_nothing_is_known() -> None:
    assert wilson(0, 0) == Interval(0, 1)
    assert entropy([]) == entropy([0, 0]) == 0
    assert Moments().mean == Moments(1, 0.5, 0.25).variance == 0


def test_wilsons_interval_covers() -> None:
    # Not by drawing: the chance of each outcome is known.
    for of in (10, 30, 120):
        covers = [wilson(hits, of) for hits in range(of + 1)]
        ways = [math.comb(of, hits) for hits in range(of + 1)]
        shares = np.linspace(0.005, 0.995, 199)
        chances = [
            sum(
                ways[hits] * share**hits * (1 - share) ** (of - hits)
                for hits in range(of + 1)
                if covers[hits].low <= share <= covers[hits].high
            )
            for share in shares
        ]
        assert 0.945 < np.mean(chances) < 0.965
        assert min(chances) > 0.83  # Wilson's known dip beside 0 and 1 (Brown, Cai and DasGupta 2001)


@given(st.integers(1, 60), st.integers(1, 60), st.data())
def test_a_difference_and_its_interval_turn_round_together(one: int, other: int, data: st.DataObject) -> None:
    hits, other_hits = data.draw(st.integers(0, one)), data.draw(st.integers(0, other))
    there, back = newcombe(hits, one, other_hits, other), newcombe(other_hits, other, hits, one)
    assert there.low == pytest.approx(-back.high)
    assert there.low - 1e-12 <= hits / one - other_hits / other <= there.high + 1e-12


# The permutation tests, against every deal that there is.


def exact_p(hits: list[int], of: list[int]) -> float:
    """Two groups: how many of all ways to deal the hits make as large a difference."""
    total, whole = sum(hits), sum(of)
    observed = abs(hits[0] / of[0] - hits[1] / of[1])
    as_far = [
        math.comb(of[0], first) * math.comb(of[1], total - first)
        for first in range(max(0, total - of[1]), min(of[0], total) + 1)
        if abs(first / of[0] - (total - first) / of[1]) >= observed - 1e-12
    ]
    return sum(as_far) / math.comb(whole, total)


@pytest.mark.parametrize(("hits", "of"), [([7, 1], [20, 20]), ([4, 3], [12, 25]), ([9, 30], [10, 40])])
def test_the_test_of_two_shares_agrees_with_all_deals(hits: list[int], of: list[int]) -> None:
    p = exact_p(hits, of)
    found = contrast_of_rates(hits, of, 20000, 1)
    assert found.p == pytest.approx(p, abs=4 * math.sqrt(p * (1 - p) / 20000) + 1e-4)


def test_the_test_of_means_agrees_with_all_permutations() -> None:
    values, sizes = [0, 0, 1, 2, 3, 5, 5, 7], (3, 3, 2)
    pairs = list(itertools.combinations(range(3), 2))

    def clearest(order: tuple[int, ...]) -> float:
        groups = np.split(np.array(order, float), np.cumsum(sizes)[:-1])
        return max(
            abs(groups[a].mean() - groups[b].mean()) / math.sqrt(1 / sizes[a] + 1 / sizes[b])
            for a, b in pairs
        )

    observed = clearest(tuple(values))
    p = np.mean([clearest(order) >= observed - 1e-9 for order in itertools.permutations(values)])
    histograms = [
        [values[start:end].count(value) for value in range(8)] for start, end in ((0, 3), (3, 6), (6, 8))
    ]
    found = contrast_of_means(histograms, range(8), 20000, 1)
    assert found.p == pytest.approx(p, abs=0.012)
    assert found.pair == (0, 2)


def test_a_difference_between_large_groups_is_not_drowned_by_a_small_one() -> None:
    found = contrast_of_rates([80, 30, 3], [400, 400, 10], 2000, 1)
    assert found.pair == (0, 1)
    assert found.widest == (1, 2)
    assert found.p < 0.001


def test_with_no_hit_and_with_nothing_but_hits_nothing_is_clear() -> None:
    assert contrast_of_rates([0, 0], [30, 40], 99, 1).p == 1
    assert contrast_of_rates([30, 40], [30, 40], 99, 1).p == 1
    assert contrast_of_means([[0, 5], [0, 7]], [1, 2], 99, 1).p == 1


def test_a_p_value_is_never_0_and_a_seed_gives_it_again() -> None:
    assert Contrast((0, 1), (0, 1), 0, 99).p == 0.01
    assert contrast_of_rates([20, 0], [20, 20], 99, 1).p == 0.01
    first, again, other = (contrast_of_rates([9, 4], [30, 30], 999, seed) for seed in (1, 1, 2))
    assert first == again
    assert first.as_clear != other.as_clear


# Holm's correction.


def test_holm_is_the_textbook_one() -> None:
    assert holm([0.01, 0.04, 0.03, 0.005]) == pytest.approx((0.03, 0.06, 0.06, 0.02))
    assert holm([]) == ()


@given(st.lists(st.floats(0, 1), min_size=1, max_size=20))
def test_holm_lies_between_no_correction_and_bonferronis_and_keeps_the_order(ps: list[float]) -> None:
    corrected = holm(ps)
    assert all(p <= own <= min(1, len(ps) * p) + 1e-12 for p, own in zip(ps, corrected, strict=True))
    assert [own for _, own in sorted(zip(ps, corrected, strict=True))] == sorted(corrected)


# Means.


def test_welchs_interval_is_by_hand() -> None:
    # Means 3 and 5, variances 2.5 and 10, five numbers each: error sqrt(2.5), 5.88 degrees, t 2.4586.
    one, other = Moments(5, 15, 55), Moments(5, 25, 165)
    found = welch(one, other)
    assert (found.low, found.high) == pytest.approx(
        (-2 - 2.4586 * math.sqrt(2.5), -2 + 2.4586 * math.sqrt(2.5)), abs=2e-3
    )
    assert welch(Moments(3, 3, 3), Moments(3, 6, 12)) == Interval(-1, -1)


# Words.


def test_a_word_that_a_group_has_more_often_stands_out_and_the_more_the_oftener_it_was_seen() -> None:
    z = log_odds([30, 3, 67], [10, 1, 89], 50)
    assert z[0] > 2
    assert 0 < z[1] < z[0], "the same ratio of fewer"
    assert z[2] < 0
    assert log_odds([10, 1, 89], [30, 3, 67], 50) == pytest.approx(-z)


def test_the_prior_keeps_a_rare_word_back() -> None:
    with_little, with_much = (log_odds([3, 97], [0, 100], strength)[0] for strength in (1, 500))
    assert log_odds([30, 70], [30, 70], 10) == pytest.approx([0, 0])
    assert with_little < 1
    assert with_much < 2


def test_one_word_alone_is_more_than_nothing() -> None:
    assert log_odds([5], [3], 10).tolist() == [0]
    assert log_odds([5, 0], [3, 0], 10).tolist() == [0, 0]


def test_entropy_is_in_bits_and_corrected_for_the_sample() -> None:
    assert entropy([1000] * 8) == pytest.approx(3, abs=1e-3)
    assert entropy([7]) == 0
    random = np.random.default_rng(1)
    plain, corrected = [], []
    for _ in range(300):
        counts = random.multinomial(40, [1 / 16] * 16)
        shares = counts[counts > 0] / 40
        plain.append(-(shares * np.log2(shares)).sum())
        corrected.append(entropy(counts))
    assert abs(np.mean(corrected) - 4) < 0.3 * abs(np.mean(plain) - 4)


@settings(max_examples=50)
@given(st.lists(st.integers(0, 9), min_size=1, max_size=12), st.floats(0, 1))
def test_a_quantile_lies_in_a_bin_that_holds_something(counts: list[int], share: float) -> None:
    found = quantile(counts, range(len(counts) + 1), share)
    if sum(counts):
        assert any(count and at <= found <= at + 1 for at, count in enumerate(counts))


def test_quantiles_are_interpolated_inside_their_bin() -> None:
    assert [quantile([0, 4, 0, 4], [0, 1, 2, 3, 4], share) for share in (0, 0.25, 0.5, 0.75, 1)] == [
        1, 1.5, 2, 3.5, 4,
    ]  # fmt: skip
