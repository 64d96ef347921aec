from __future__ import annotations

import itertools
import json

import numpy as np
import pytest

from kiosk.audit.changes import CHANGES, DARKER
from kiosk.audit.exchange import as_json
from kiosk.audit.figures import LEAST_LABEL, Rate
from kiosk.audit.findings import Findings, find
from kiosk.audit.gaps import MEANS, RATES
from kiosk.audit.observation import Observation
from kiosk.audit.statistics import wilson
from kiosk.audit.table import Cell
from kiosk.audit.tally import Count
from kiosk.audit.wording import verdict
from kiosk.errors import InputError
from tests.auditing import BAKER, COOK, LOUT, REASON, SAILOR, count, subject, vocabulary

COLUMNS = ("skin", "gender")


def found(counts: dict[Cell, Count], *withheld: str, deals: int = 999, least: int = 10) -> Findings:
    columns = COLUMNS[: len(next(iter(counts)))]
    return find(columns, counts, vocabulary(*withheld), least, bool(withheld), deals)


# What is planted is found, and what is not is not.


def test_a_planted_gap_is_found_where_it_is_and_nowhere_else() -> None:
    cells = {("dark", "f"): 30, ("dark", "m"): 3, ("light", "f"): 2, ("light", "m"): 3}
    findings = found({cell: count(100, missed) for cell, missed in cells.items()})
    clear = {(gap.columns, gap.measure) for gap in findings.gaps if gap.is_clear}
    assert clear == {(("skin",), "missed"), (("gender",), "missed"), (COLUMNS, "missed")}
    gap = findings.missed(findings.groupings[2])
    assert gap.high == ("dark", "f")
    assert gap.low == ("light", "f")
    assert gap.difference == pytest.approx(0.28)
    assert gap.interval.low > 0.15
    assert findings.whole.missed == Rate(38, 400)


def test_a_planted_difference_of_words_and_of_scores_is_found() -> None:
    cells = {
        ("dark",): count(200, words=(LOUT, BAKER), score=0.7),
        ("light",): count(200, words=(COOK, COOK, COOK, LOUT), score=0.9),
    }
    findings = found(cells, LOUT)
    clear = {gap.measure: gap for gap in findings.gaps if gap.is_clear}
    assert set(clear) == {"withheld", "offensive", "scores"}
    assert clear["withheld"].high == ("dark",)
    assert (clear["scores"].high, clear["scores"].low) == (("light",), ("dark",))
    dark, light = findings.groupings[0].groups
    assert dark.labels.withheld == Rate(100, 200)
    assert [(word.synset, word.text, word.count) for word in dark.labels.frequent] == [
        (BAKER, "baker", 100), (LOUT, "", 100),
    ]  # fmt: skip
    assert [word.reason for word in dark.labels.frequent] == ["", REASON]
    assert {word.synset for word in dark.labels.typical} == {BAKER, LOUT}
    assert [word.synset for word in light.labels.typical] == [COOK]
    assert dark.labels.entropy == pytest.approx(1, abs=0.01)


def test_with_no_gap_planted_at_most_5_in_100_runs_report_one() -> None:
    # Over 2,000 runs it is 3.4 %: of 200 then sometimes a few more than 10, with another seed.
    random = np.random.default_rng(1)
    words = (BAKER, COOK, LOUT, SAILOR)
    # 240 pictures, of which some are missed, seen twice, withheld, sure or not, all by chance.
    seen = [
        Observation(0)
        if random.random() < 0.15
        else Observation(
            1 + (random.random() < 0.1),
            score=float(random.choice([0.55, 0.65, 0.75, 0.85])),
            synset=(word := words[random.integers(4)]),
            sureness=float(random.choice([0.01, 0.04, 0.2])),
            withheld=word == LOUT,
            safety={LOUT: "offensive", SAILOR: "sensitive"}.get(word, ""),
        )
        for _ in range(240)
    ]
    cells = list(itertools.product("ABC", "xy"))
    clear = tests = 0
    for _ in range(200):
        counts: dict[Cell, Count] = {cell: Count() for cell in cells}
        for one, cell in zip(
            seen, random.choice(len(cells), len(seen), p=[0.3, 0.2, 0.2, 0.1, 0.1, 0.1]), strict=True
        ):
            counts[cells[cell]].tally.add(one)
        findings = found(counts, LOUT, deals=499)
        tests = len(findings.gaps)
        clear += any(gap.is_clear for gap in findings.gaps)
    assert tests == 3 * (len(RATES) + len(MEANS)), "all were made"
    assert 0 < clear <= 10


def test_the_interval_of_a_report_covers() -> None:
    random = np.random.default_rng(4)
    covers = [
        found({("A",): count(150, int(random.binomial(150, 0.07)))}, deals=9).whole.missed.interval
        for _ in range(200)
    ]
    assert sum(one.low <= 0.07 <= one.high for one in covers) >= 186


# What is not told.


def test_a_small_group_is_told_to_be_too_small_and_counts_nowhere() -> None:
    findings = found({("dark",): count(100, 5), ("light",): count(100, 5), ("other",): count(9, 9)})
    (grouping,) = findings.groupings
    assert [one.key for one in grouping.groups] == [("dark",), ("light",)]
    assert grouping.too_small == (("other",),)
    assert findings.whole.missed == Rate(10, 200)
    assert findings.lost == 9
    text = as_json(findings, subject("skin"))
    assert json.loads(text)["groupings"][0]["too_small"] == [{"skin": "other"}]


def test_words_are_told_only_of_enough_faces_and_cannot_be_worked_out() -> None:
    # Of the dark group 95 of 100 are missed: what the five others are called is nobody's business.
    findings = found({("dark",): count(100, 95, words=(SAILOR,)), ("light",): count(100, 0)})
    dark, light = findings.groupings[0].groups
    assert dark.missed.hits == 95
    assert dark.labels is None
    assert light.labels.count == findings.whole.labels.count == 100
    assert SAILOR not in as_json(findings, subject("skin"))
    assert {gap.measure for gap in findings.gaps} == {"missed", "twice"}


def test_where_most_cells_are_small_only_the_columns_are_told() -> None:
    findings = found({cell: count(8, 1) for cell in itertools.product("ABC", "xy")})
    skin, gender, both = findings.groupings
    assert [one.pictures for one in skin.groups] == [16, 16, 16]
    assert [one.pictures for one in gender.groups] == [24, 24]
    assert both.groups == ()
    assert len(both.too_small) == 6


def test_a_word_that_few_got_is_not_named() -> None:
    words = (BAKER,) * 48 + (COOK,) * LEAST_LABEL + (LOUT,) * (LEAST_LABEL - 1)
    labels = found({("dark",): count(len(words), words=words)}).whole.labels
    assert [word.synset for word in labels.frequent] == [BAKER, COOK]
    assert (labels.different, labels.rare) == (3, 2)


def test_too_few_pictures_make_no_report() -> None:
    with pytest.raises(InputError, match="no report: 12 pictures could be read, and no group has 10 of them"):
        found({("dark",): count(6), ("light",): count(6)})
    with pytest.raises(InputError, match="no report: 0 pictures"):
        find((), {}, vocabulary(), 10)


def test_without_groups_the_whole_is_told() -> None:
    findings = find((), {(): count(30, 3)}, vocabulary(), 10)
    assert findings.whole.missed == Rate(3, 30)
    assert (findings.groupings, findings.gaps) == ((), ())


def test_the_figures_do_not_depend_on_the_order_of_the_table() -> None:
    counts = {("dark",): count(50, 9), ("light",): count(60, 3), ("mid",): count(40, 4)}
    assert found(counts) == found(dict(reversed(counts.items())))


# Light or model?


def with_changes(missed: dict[str, tuple[int, ...]], pictures: int = 100, compared: int = 60) -> Findings:
    """Of each group, how many are missed under each of CHANGES."""
    counts: dict[Cell, Count] = {}
    for name, each in missed.items():
        counts[(name,)] = one = count(pictures, each[0])
        for change, times in zip(CHANGES, each, strict=True):
            under = one.changed[change]
            under.pictures, under.missed, under.compared, under.same = (
                pictures,
                times,
                compared,
                compared // 2,
            )
    return found(counts)


def said(findings: Findings) -> str:
    (grouping,) = findings.groupings
    return verdict(findings.missed(grouping), grouping.steadiness)


def test_a_gap_that_light_closes_is_said_to_be_one_of_light() -> None:
    text = said(with_changes({"dark": (40, 70, 6, 40, 41, 45), "light": (3, 10, 3, 3, 4, 9)}))
    assert text.startswith("The gap between dark and light is less than half as large “1.5 times as bright”")
    assert "Look at the light" in text


def test_a_gap_that_nothing_closes_is_said_to_stay() -> None:
    text = said(with_changes({"dark": (40, 50, 38, 40, 41, 45), "light": (3, 10, 3, 3, 4, 9)}))
    assert text.startswith("The gap between dark and light stays, from 35 to 40 points, whatever is changed")


def test_a_gap_that_closes_because_all_are_missed_is_no_comfort() -> None:
    text = said(with_changes({"dark": (40, 95, 38, 40, 41, 45), "light": (3, 90, 3, 3, 4, 9)}))
    assert text.startswith("The gap between dark and light stays, from 35 to 37 points")
    assert text.endswith("It is smaller “half as bright”, but only because the others are missed too.")


def test_a_gap_that_a_change_opens_is_told() -> None:
    text = said(with_changes({"dark": (2, 60, 2, 2, 2, 3), "light": (2, 5, 2, 2, 2, 3)}))
    assert text == (
        "No gap is clear as the pictures are, but one is “half as bright”: there it fails somebody first."
    )


def test_no_gap_anywhere_is_told() -> None:
    text = said(with_changes({"dark": (2,) * 6, "light": (3,) * 6}))
    assert text == "No gap is clear as the pictures are, and none under any change."


def test_too_few_changed_pictures_say_nothing() -> None:
    counts: dict[Cell, Count] = {("dark",): count(400, 60), ("light",): count(400, 5)}
    for one in counts.values():
        for under in one.changed.values():
            under.pictures, under.missed = 10, 1
    assert said(found(counts)).startswith("The changed pictures are too few to say what the gap")


def test_changes_that_were_not_tried_are_not_told() -> None:
    findings = found({("dark",): count(50, 9), ("light",): count(60, 3)})
    assert findings.groupings[0].steadiness == findings.whole.under == ()


def test_where_one_groups_words_cannot_be_compared_nobodys_are() -> None:
    findings = with_changes({"dark": (2,) * 6, "light": (3,) * 6}, compared=60)
    assert all(row.same == Rate(30, 60) for one in findings.groupings[0].groups for row in one.under)
    counts: dict[Cell, Count] = {("dark",): count(50), ("light",): count(50)}
    for one, compared in zip(counts.values(), (4, 50), strict=True):
        for under in one.changed.values():
            under.pictures, under.compared = 50, compared
    groups = found(counts).groupings[0].groups
    assert {row.same for one in groups for row in one.under if row.change == DARKER} == {None}


# For other programs.


def test_the_json_holds_every_figure_and_says_what_it_means() -> None:
    cells = {
        cell: count(100, 20 * at, words=(BAKER, LOUT))
        for at, cell in enumerate(itertools.product("AB", "xy"))
    }
    findings = found(cells, LOUT)
    told = json.loads(as_json(findings, subject(*COLUMNS, has_safety=True)))
    assert told["format"] == "kiosk audit 1"
    assert told["least"] == 10
    assert [grouping["columns"] for grouping in told["groupings"]] == [
        ["skin"],
        ["gender"],
        ["skin", "gender"],
    ]
    group = told["groupings"][2]["groups"][3]
    assert group["group"] == {"skin": "B", "gender": "y"}
    interval = wilson(60, 100)
    assert group["missed"] == {
        "hits": 60,
        "of": 100,
        "share": 0.6,
        "low": interval.low,
        "high": interval.high,
    }
    assert sum(group["labels"]["scores"]["bins"]) == group["labels"]["count"] == 40
    assert {word["label"] for word in group["labels"]["frequent"]} == {"baker", None}
    assert len(told["gaps"]) == 3 * 7
    clear = next(gap for gap in told["gaps"] if gap["clear"])
    assert "Chance is a poor explanation" in clear["sentence"]
    assert clear["p_corrected"] >= clear["p"]
    assert any("does not say why" in text for text in told["meaning"])
