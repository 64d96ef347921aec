from __future__ import annotations

import json
from pathlib import Path

import pytest

from kiosk.errors import ModelError
from kiosk.words import etymology, gcide
from kiosk.words.senses import Judge, echoes


def entry(*parts: tuple[str, str | None, list[str]]) -> dict[str, object]:
    return {
        "pos": [
            {"part_of_speech": p, "etymology": e, "definitions": [{"text": t, "examples": []} for t in texts]}
            for p, e, texts in parts
        ]
    }


LETTER = {
    "slatter": entry(("v. i.", "[E. slat to throw about.]", ["To be careless."])),
    "slattern": entry(
        ("n.", "[From Slate.]", ["A woman who is negligent."]), ("a.", "[From Slate.]", ["Sluttish."])
    ),
    "slaty": entry(("a.", "[From Slate.]", ["Like slate."])),
    "warden": entry(("n.", "[OF. wardein, fr. warder. See Ward.]", ["A keeper; a guardian."])),
    "wardeness": entry(("n.", "[See Warden.]", ["Fem. of Warden.", "A woman who keeps."])),
}


def test_an_etymology_that_belongs_to_a_later_word_is_not_taken() -> None:
    assert gcide.own_etymologies(LETTER)["slattern"] == [None, None]
    assert gcide.own_etymologies(LETTER)["slaty"] == ["[From Slate.]"]
    assert gcide.read_letter(LETTER, {"slattern"})["slattern"][0].etymology is None


def test_a_cross_reference_is_followed_once() -> None:
    wardeness = gcide.read_letter(LETTER, {"wardeness"})["wardeness"][0]
    assert wardeness.etymology == "See warden: OF. wardein, fr. warder"
    assert wardeness.senses == ("A woman who keeps.",)
    assert wardeness.lost


def test_a_homograph_without_an_etymology_shares_the_one_before() -> None:
    letter = {
        "native": entry(("a.", "[L. nativus.]", ["Born."]), ("n.", None, ["One who is born in a place."]))
    }
    assert gcide.read_letter(letter, {"native"})["native"][1].etymology == "L. nativus"


@pytest.mark.parametrize(
    ("raw", "clean"),
    [
        (
            "[OE. souldier, fr. L. solidus solid. See Solid, and cf. Sold, n.]",
            "OE. souldier, fr. L. solidus solid",
        ),
        ("[F., fr. L. hypocrita, Gr. Hypocrisy.]", "F., fr. L. hypocrita"),  # the Greek word is lost
        (
            "[OE. scrue, OF. escroue, female screw, F. , L. scrobis a ditch]",
            "OE. scrue, OF. escroue, female screw",
        ),
        ("[OE. moder, AS. m; akin to D. moeder]", "OE. moder"),  # "AS. m" was "AS. mōdor"
        ("[Gr. mh`thr mother]", "Gr. μήτηρ mother"),
        ("[L. orphanotrophium, Gr. 1913 Webster]", "L. orphanotrophium"),
        ("[NL., fr. Gr.  (Zool.) The larva.\n[1913 Webster]", None),
        ("[From Slate.]", None),
        ("[Cf. Slatter.]", None),
        (None, None),
    ],
)
def test_of_an_etymology_stands_what_is_whole(raw: str | None, clean: str | None) -> None:
    assert etymology.clean(raw) == clean


def test_a_known_stump_ends_an_etymology() -> None:
    assert etymology.clean("[L. senator, F. acad, fr. L. academia.]", "acad") == "L. senator"
    assert etymology.clean("[Tamil milagu pepper.]", "") is None


@pytest.mark.parametrize(
    ("latin", "greek"),
    [
        ("mh`thr", "μήτηρ"),
        ('a"i^ma', "αἷμα"),
        ("'a`nqrwpos", "ἄνθρωπος"),
        ('"armoni`a', "ἁρμονία"),
        ("psychh`", "ψυχή"),
        ("'archai:ko`s", "ἀρχαϊκός"),
    ],
)
def test_greek_stands_in_greek_letters(latin: str, greek: str) -> None:
    assert etymology.greek(latin) == greek


@pytest.mark.parametrize(
    ("raw", "clean"),
    [
        ("The keeper of a jail. See Jail.", "The keeper of a jail."),
        ("A knave [Obs.]; -- used of one's rival", "A knave – used of one’s rival."),
        ("A native of Guinea{1}.", "A native of Guinea."),
        ("Same as Laplander.", None),
        ("A betting man\n[1913 Webster]", None),
        ("An a <i>b</i>", None),
    ],
)
def test_a_sense_is_one_plain_sentence_or_nothing(raw: str, clean: str | None) -> None:
    assert gcide.clean_sense(raw) == clean


def test_a_long_sense_ends_with_a_clause() -> None:
    sense = gcide.clean_sense("One who rules" + "; one who rules and oppresses" * 30 + ".")
    assert sense is not None
    assert 200 < len(sense) <= gcide.LONGEST + 1
    assert sense.endswith("oppresses.")


JUDGE = Judge.of(
    ("warrior", "woman", "extortioner", "equal"),
    (
        "someone who guards prisoners",
        "a brave warrior",
        "a dirty untidy woman",
        "someone who serves in an army",
    ),
)


@pytest.mark.parametrize(
    ("sense", "person"),
    [
        ("One who guards.", True),
        ("A brave warrior; a man of skill.", True),
        ("An extortioner; a skinflint.", True),
        ("Formerly, a woman of rank.", True),
        ("A name given to any warrior.", True),
        ("A cylinder having a continuous rib.", False),
        ("A warrior ant.", False),
        ("One of the pieces of wood.", False),
        ("A measure equal to a hand.", False),
        ("The act of a man.", False),
    ],
)
def test_a_sense_is_for_a_person_when_its_noun_is_one(sense: str, person: bool) -> None:
    assert JUDGE.is_person(sense) is person


def test_the_sense_nearest_to_the_gloss_scores_highest() -> None:
    gloss = 'someone who guards prisoners; "an army of tall guards"'
    near = JUDGE.score("One who guards those in prison.", gloss, "", "keeper")
    far = JUDGE.score("One who serves in an army.", gloss, "", "keeper")
    assert 1 >= near > far == 0


def test_a_sense_taken_from_wordnet_is_known_by_its_words() -> None:
    assert echoes("a native or inhabitant of Djibouti.", "a native or inhabitant of Djibouti")
    assert not echoes("A citizen of the Horn of Africa.", "a native or inhabitant of Djibouti")


def test_a_damaged_dictionary_is_refused(tmp_path: Path) -> None:
    (tmp_path / "words_A.json").write_text(json.dumps({"abbot": {"pos": None}}))
    with pytest.raises(ModelError, match="must be GCIDE as JSON"):
        gcide.read(tmp_path, {"abbot"})
