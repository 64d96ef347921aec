from __future__ import annotations

import csv
import re
import subprocess
import sys
from pathlib import Path

import pytest

from kiosk.config import LEXICON_PATH, names
from kiosk.errors import ConfigError
from kiosk.messages import Reason
from kiosk.words.lexicon import Lexicon
from kiosk.words.policy import FOLDER, Policy
from kiosk.words.tables import IMAGEABILITY_FILE, SAFETY_FILE
from kiosk.words.wordnet import PERSON

OWN = ("as-2019", "no-slurs", "occupations-only", "protected")
IMAGENET = ("imagenet-no-offensive", "imagenet-safe", "imagenet-visual")
# Looked through word by word: a change of a number must be looked through again.
ABUSE = {
    "slurs": 22, "faith slurs": 2, "political slurs": 3, "gender": 27, "orientation slurs": 3, "sex": 40,
    "insults": 162, "haters": 14, "double meanings": 5, "drink and drugs": 10, "afflictions": 7,
    "streets": 2, "bondage": 6,
}  # fmt: skip
PROTECTED = {
    "named persons": 13, "crime": 66, "peoples": 314, "migration": 7, "religion": 158, "politics": 69,
    "unions": 4, "orientation": 3, "health": 38, "body": 9, "addiction": 11, "poverty": 9,
}  # fmt: skip
OCCUPATIONS = {
    "work": 322, "professions": 192, "business": 56, "arts": 132, "press": 37, "sport": 101, "office": 68,
    "service": 51,
}  # fmt: skip
GROUPS = {
    "as-2019": {},
    "no-slurs": {**ABUSE, "exceptions": 2},
    "protected": {**ABUSE, **PROTECTED, "exceptions": 9},
    "occupations-only": {**OCCUPATIONS, "exceptions": 133},
}


@pytest.fixture(scope="module")
def lexicon() -> Lexicon:
    return Lexicon.load(LEXICON_PATH)


@pytest.fixture(scope="module")
def policies(lexicon: Lexicon) -> dict[str, Policy]:
    return {name: Policy.load(name, lexicon) for name in OWN}


def header(name: str) -> str:
    lines = (FOLDER / f"{name}.yaml").read_text(encoding="utf-8").splitlines()
    return "\n".join(line for line in lines if line.startswith("#"))


def promised(name: str) -> int:
    found = re.search(r"Withholds ([\d,]+) of the 2,833 categories", header(name))
    assert found, "a header says how many of the categories are withheld"
    return int(found[1].replace(",", ""))


def shown(policy: Policy, lexicon: Lexicon) -> set[str]:
    """Labels, each with its id."""
    return {f"{entry.label} {id_}" for id_, entry in lexicon.items() if policy.verdict(id_).shown}


def is_shown(policy: Policy, lexicon: Lexicon, word: str) -> bool:
    (id_,) = [id_ for id_, entry in lexicon.items() if word in entry.lemmas]
    return policy.verdict(id_).shown


def test_these_are_shipped() -> None:
    assert set(names(FOLDER)) == {*OWN, *IMAGENET}


@pytest.mark.parametrize("name", OWN)
def test_a_header_says_what_the_policy_does_and_for_whom_and_how_many_it_withholds(
    name: str, policies: dict[str, Policy]
) -> None:
    counts = policies[name].counts()
    assert counts.withheld == promised(name)
    assert counts.shown + counts.withheld == 2833
    assert "For " in header(name)


@pytest.mark.parametrize("name", OWN)
def test_every_rule_means_something_and_every_withheld_word_has_a_reason(
    name: str, policies: dict[str, Policy], lexicon: Lexicon
) -> None:
    assert policies[name].counts().idle == ()
    for id_ in lexicon:
        verdict = policies[name].verdict(id_)
        assert bool(verdict.reason) != verdict.shown
        assert len(str(verdict.reason)) <= 60, "a reason stands in a plate"


@pytest.mark.parametrize("name", GROUPS)
def test_each_group_decides_on_as_many_as_were_looked_through(name: str, policies: dict[str, Policy]) -> None:
    assert policies[name].counts().groups == GROUPS[name]


def test_each_policy_shows_less_than_the_one_before(policies: dict[str, Policy], lexicon: Lexicon) -> None:
    sets = [
        shown(policies[name], lexicon) for name in ("as-2019", "no-slurs", "protected", "occupations-only")
    ]
    assert len(sets[0]) == 2833
    assert sets[0] > sets[1] > sets[2] > sets[3]


@pytest.mark.parametrize(
    ("word", "no_slurs", "protected", "occupations"),
    [
        ("gook", False, False, False),
        ("slut", None, None, None),
        ("slattern", None, None, None),
        ("spastic", False, False, False),
        ("nympho", False, False, False),
        ("swot", False, False, False),
        ("hypocrite", False, False, False),
        ("Athenian", True, False, False),
        ("rabbi", True, False, False),
        ("Anglican", True, False, False),
        ("atheist", True, False, False),
        ("monetarist", True, True, True),
        ("Trotskyite", False, False, False),
        ("trade unionist", True, False, False),
        ("bisexual", True, False, False),
        ("epileptic", True, False, False),
        ("bank robber", True, False, False),
        ("Karl Popper", True, False, False),
        ("grandmother", True, True, False),
        ("housemate", True, True, False),
        ("landowner", True, True, False),
        ("oboist", True, True, True),
        ("carpenter", True, True, True),
        ("gynecologist", True, True, True),
        ("rear admiral", True, True, True),
        ("senator", True, True, True),
        ("chiropractor", True, True, True),
        ("bouncer", None, None, None),
    ],
)
def test_words_that_were_looked_at(
    word: str,
    no_slurs: bool | None,
    protected: bool | None,
    occupations: bool | None,
    policies: dict[str, Policy],
    lexicon: Lexicon,
) -> None:
    found = [id_ for id_, entry in lexicon.items() if word in entry.lemmas]
    if no_slurs is None:  # several categories, or none: whatever there is, is abuse
        assert not any(policies["no-slurs"].verdict(id_).shown for id_ in found)
        return
    expected = {"no-slurs": no_slurs, "protected": protected, "occupations-only": occupations}
    assert {name: is_shown(policies[name], lexicon, word) for name in expected} == expected


@pytest.mark.parametrize("name", ["no-slurs", "protected", "occupations-only"])
def test_no_shown_category_has_a_slur_among_its_words(
    name: str, policies: dict[str, Policy], lexicon: Lexicon
) -> None:
    slurs = re.compile(
        r"\b(negro\w*|blackamoor|gook|slant-eye|limey|gringo|goy|gyps[iy]|esquimau|slut|trollop|strumpet"
        r"|whore\w*|hooker|bugger|sod|wanker|tosser|fucker|bastard|spastic|deaf-mute|loony|nutcase|junk(ie|y)|commie"
        r"|cracker|redneck|nympho|pervert|slob|infidel|heathen|mongoloid)\b",
        re.IGNORECASE,
    )
    for id_, entry in lexicon.items():
        if policies[name].verdict(id_).shown:
            assert not slurs.search(", ".join((*entry.lemmas, *entry.chain))), entry.label


@pytest.mark.parametrize("name", ["protected", "occupations-only"])
def test_no_shown_gloss_tells_a_people_or_an_illness(
    name: str, policies: dict[str, Policy], lexicon: Lexicon
) -> None:
    telling = re.compile(
        r"^(\w+ )?(a )?(native|inhabitant|resident) (or \w+ )?of\b(?! a )|\bmember of (the|a|an) \w+ people\b"
        r"|\bperson (with|afflicted|suffering)\b.*(disease|illness|paraly)",
        re.IGNORECASE,
    )
    for id_, entry in lexicon.items():
        if policies[name].verdict(id_).shown:
            assert not telling.search(entry.gloss), f"{entry.label}: {entry.gloss}"


@pytest.mark.parametrize("name", IMAGENET)
def test_without_the_tables_an_imagenet_policy_names_the_command(
    name: str, lexicon: Lexicon, tmp_path: Path
) -> None:
    with pytest.raises(ConfigError, match=r"run scripts/fetch_imagenet_safety\.py"):
        Policy.load(name, lexicon, tmp_path)


def test_every_reason_is_given_in_every_language_and_everywhere_in_the_same_words(
    policies: dict[str, Policy], lexicon: Lexicon, tmp_path: Path
) -> None:
    write_tables(lexicon, tmp_path)
    all_policies = [*policies.values(), *(Policy.load(name, lexicon, tmp_path) for name in IMAGENET)]
    reasons = {policy.verdict(id_).reason for policy in all_policies for id_ in lexicon} - {Reason()}
    assert len(reasons) == len({str(reason) for reason in reasons}) == 34
    for reason in reasons:
        texts = dict(reason.texts)
        assert set(texts) == {"de", "en", "es", "fr", "it"}
        assert len(set(texts.values())) == 5, "no text is left in another language"
        for text in texts.values():
            assert 5 <= len(text) <= 60
            # It stands behind a colon, and the wall's text ends with a full stop.
            assert not re.search(r"""^[^\w]|[.:;!?"'`]|  |\s$""", text), text


def write_tables(lexicon: Lexicon, folder: Path) -> None:
    """Tables of the published sizes: 1,239 safe, 1,156 sensitive, 437 offensive, 158 safe and visual."""
    ids = [id_ for id_ in lexicon if id_ != PERSON]
    classes = ["safe"] * 1239 + ["sensitive"] * 1156 + ["offensive"] * 437
    scores = ["4"] * 158 + ["3.99"] * 1081 + ["5"] * 1593
    for name, column, values in (
        (SAFETY_FILE, "safety", classes),
        (IMAGEABILITY_FILE, "imageability", scores),
    ):
        with (folder / name).open("w", newline="") as file:
            csv.writer(file).writerows([("wnid", column), *zip(ids, values, strict=True)])


def test_the_imagenet_policies_withhold_what_their_headers_say(lexicon: Lexicon, tmp_path: Path) -> None:
    write_tables(lexicon, tmp_path)
    for name in IMAGENET:
        assert Policy.load(name, lexicon, tmp_path).counts().withheld == promised(name), name


def fetch(*arguments: object) -> subprocess.CompletedProcess[str]:
    script = Path(__file__).parent.parent / "scripts" / "fetch_imagenet_safety.py"
    command = [sys.executable, "-B", str(script), *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)


def test_tables_at_hand_are_put_in_place_where_their_counts_are_the_published_ones(
    lexicon: Lexicon, tmp_path: Path
) -> None:
    write_tables(lexicon, tmp_path)
    safety, scores, out = tmp_path / SAFETY_FILE, tmp_path / IMAGEABILITY_FILE, tmp_path / "out"
    done = fetch(safety, scores, "--out", out)
    assert (done.returncode, done.stderr) == (0, "")
    assert Policy.load("imagenet-safe", lexicon, out).counts().shown == 1240
    safety.write_text(safety.read_text().replace("offensive", "safe"))
    done = fetch(safety, scores, "--out", tmp_path / "other")
    assert done.returncode == 1
    assert "safety must be" in done.stderr
    assert not (tmp_path / "other").exists()
