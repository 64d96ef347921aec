from __future__ import annotations

import dataclasses
import itertools

import pytest

from kiosk.messages import Box, Caption, Definition, Entry, Reason
from kiosk.screen.entry import curled, label, remark, versions
from kiosk.screen.texts import ENGLISH, load
from kiosk.screen.theme import theme
from kiosk.screen.typeset import Paragraph
from kiosk.sections import DisplayConfig

LOOK = theme(DisplayConfig(), (1920, 1080))
HYPOCRITE = Entry(
    "n10195593",
    ("hypocrite", "dissembler", "pretender"),
    "a person who professes beliefs that he or she does not hold",
    ("deceiver", "wrongdoer", "bad person", "person"),
    Definition("hypocrite", "One who plays a part.", True, "Webster 1913"),
    "F., fr. L. hypocrita",
    "Webster 1913",
)
BARE = Entry("n00007846", ("person",), "a human being", (), None, None, None)


def told(entry: Entry, probability: float = 0.031, classes: int = 2833) -> list[list[str]]:
    """What is said, with ordinary spaces for those at which no line ends."""
    return [
        [
            "".join(span.text for span in paragraph.spans).replace("\u00a0", " ").replace("\u202f", " ")
            for paragraph in version
        ]
        for version in versions(Caption(1, None, entry, probability), classes, LOOK, ENGLISH)
    ]


def test_the_full_entry_says_everything_in_order() -> None:
    full, _, _ = told(HYPOCRITE)
    assert full == [
        "hypocrite  n.",
        "also  dissembler, pretender",
        "WordNet 3.0  a person who professes beliefs that he or she does not hold",
        "Webster 1913  One who plays a part.",
        "Origin (Webster 1913)  [F., fr. L. hypocrita]",
        "A kind of  deceiver › wrongdoer › bad person › person",
        "one guess of 2,833: 3 %",
    ]


def test_the_middle_one_keeps_what_is_said_of_the_word_and_where_it_comes_from() -> None:
    _, middle, _ = told(HYPOCRITE)
    assert middle == [
        "hypocrite  n.",
        "WordNet 3.0  a person who professes beliefs that he or she does not hold",
        "Webster 1913  One who plays a part.",
        "Origin (Webster 1913)  [F., fr. L. hypocrita]",
        "one guess of 2,833: 3 %",
    ]


def test_the_short_one_is_the_gloss_and_the_guess() -> None:
    _, _, short = told(HYPOCRITE)
    assert short == [
        "hypocrite  n.",
        "WordNet 3.0  a person who professes beliefs that he or she does not hold",
        "one guess of 2,833: 3 %",
    ]


def test_where_the_dictionaries_are_silent_nothing_is_said() -> None:
    assert told(BARE) == [["person  n.", "WordNet 3.0  a human being", "one guess of 2,833: 3 %"]] * 3


def test_a_word_that_the_dictionary_has_not_for_a_person_is_said_to_be_so() -> None:
    definition = Definition("screw", "A cylinder with a groove.", False, "Webster 1913")
    screw = Entry(
        "n10564905", ("screw",), "someone who guards prisoners", ("person",), definition, None, None
    )
    full, middle, short = told(screw)
    assert "Webster 1913 knows the word, but not for a person." in full
    assert "Webster 1913 knows the word, but not for a person." in middle
    assert "cylinder" not in " ".join((*full, *middle, *short))


def test_a_definition_of_another_lemma_names_it() -> None:
    definition = Definition("grind", "A student that studies hard.", True, "GCIDE")
    swot = Entry("n10684630", ("swot", "grind"), "a student", (), definition, "AS. grindan", "Webster 1913")
    full, _, _ = told(swot)
    assert "GCIDE on “grind”  A student that studies hard." in full
    assert "Origin of “grind” (Webster 1913)  [AS. grindan]" in full
    unknown = dataclasses.replace(swot, definition=dataclasses.replace(definition, of_person=False))
    assert "GCIDE knows “grind”, but not for a person." in told(unknown)[0]


def test_capitals_make_no_other_word() -> None:
    definition = Definition("boer", "A colonist.", True, "Webster 1913")
    boer = Entry("n09635635", ("Boer",), "a settler", (), definition, None, None)
    assert "Webster 1913  A colonist." in told(boer)[0]


@pytest.mark.parametrize(
    ("probability", "said"),
    [
        (0.031, "3 %"),
        (0.004, "less than 1 %"),
        (0.0, "less than 1 %"),
        (0.01, "1 %"),
        (0.29, "29 %"),
        (0.999, "99 %"),
        (1.0, "100 %"),
    ],
)
def test_how_sure_the_network_is_in_plain_words(probability: float, said: str) -> None:
    assert told(BARE, probability)[0][-1] == f"one guess of 2,833: {said}"


def test_every_whole_percentage_is_said_as_it_is() -> None:
    for percent in range(1, 101):
        assert told(BARE, percent / 100)[0][-1].endswith(f": {percent} %")


def test_the_number_of_categories_is_that_of_the_network() -> None:
    assert told(BARE, classes=12)[0][-1] == "one guess of 12: 3 %"


def test_no_paragraph_is_empty_whatever_is_missing() -> None:
    choices = itertools.product(
        (("a",), ("a", "b")),
        ((), ("person",)),
        (None, HYPOCRITE.definition, Definition("a", "", True, "Webster 1913")),
        (None, "", "L. a"),
    )
    for lemmas, chain, definition, etymology in choices:
        entry = Entry(
            "n1", lemmas, "gloss", chain, definition, etymology, "Webster 1913" if etymology else None
        )
        for version in versions(Caption(1, None, entry, 0.5), 10, LOOK, ENGLISH):
            for paragraph in version:
                assert paragraph.spans
                assert all(span.text.strip() for span in paragraph.spans)
            assert "None" not in " ".join(span.text for paragraph in version for span in paragraph.spans)


def test_each_version_is_shorter_than_the_one_before() -> None:
    full, middle, short = (sum(map(len, version)) for version in told(HYPOCRITE))
    assert full > middle > short


def test_who_speaks_is_small_and_the_origin_is_in_italics() -> None:
    full = versions(Caption(1, None, HYPOCRITE, 0.5), 10, LOOK, ENGLISH)[0]

    def starting(words: str) -> Paragraph:
        return next(paragraph for paragraph in full if paragraph.spans[0].text.startswith(words))

    assert starting("WordNet").spans[0].style == LOOK.voice
    assert starting("WordNet").spans[1].style == LOOK.body
    assert starting("Origin").spans[1].style.face == "italic"
    assert starting("hypocrite").spans[0].style == LOOK.headword


def test_of_a_withheld_word_nothing_is_said_but_that_it_is_and_why() -> None:
    reason = Reason((("en", "a word for a people"), ("de", "ein Wort für ein Volk")))
    caption = Caption(1, Box(0, 0, 10, 10), None, 0.031, reason)
    assert label(caption, ENGLISH) == "withheld"
    ((paragraph,),) = versions(caption, 2833, LOOK, ENGLISH)
    said = "".join(span.text for span in paragraph.spans)
    assert said == "The data set has a word for this face. It is withheld here: a word for a people."
    ((paragraph,),) = versions(caption, 2833, LOOK, load("de")[0])
    assert "ein Wort für ein Volk" in paragraph.spans[0].text
    scene = Caption(0, None, None, 0.031, Reason((("", "an insult"),)))
    ((paragraph,),) = versions(scene, 2833, LOOK, ENGLISH)
    assert "this picture" in paragraph.spans[0].text
    assert "an insult" in paragraph.spans[0].text


def test_a_later_guess_says_that_others_were_withheld() -> None:
    caption = Caption(1, Box(0, 0, 10, 10), HYPOCRITE, 0.031, passed_over=2)
    assert remark(caption, 2833, ENGLISH).replace("\u202f", " ") == (
        "one guess of 2,833: 3 %; a later guess: 2 withheld before it"
    )


def test_the_kinds_are_a_path_that_ends_at_person() -> None:
    full = versions(Caption(1, None, HYPOCRITE, 0.5), 10, LOOK, ENGLISH)[0]
    path = next(paragraph for paragraph in full if "deceiver" in [span.text for span in paragraph.spans])
    arrows = [span for span in path.spans if span.style == LOOK.arrow]
    assert [span.text for span in arrows] == ["\u00a0› "] * 3
    assert arrows[0].style.colour == LOOK.accent
    assert path.spans[-1].text == "person"
    assert path.spans[-1].style.face == "bold"
    assert "bad\u00a0person" in [span.text for span in path.spans]


def test_all_lines_of_an_entry_but_the_first_of_a_paragraph_hang() -> None:
    for version in versions(Caption(1, None, HYPOCRITE, 0.5), 10, LOOK, ENGLISH):
        assert {paragraph.hang for paragraph in version} == {LOOK.hang}
    assert LOOK.hang > 0


def test_senses_are_apart_by_half_a_line_whoever_speaks() -> None:
    full = versions(Caption(1, None, HYPOCRITE, 0.5), 10, LOOK, ENGLISH)[0]
    spaces = [paragraph.space_before * paragraph.spans[0].style.size for paragraph in full]
    assert spaces[0] == 0
    assert spaces[2:6] == pytest.approx([0.5 * LOOK.body.size] * 4)
    assert spaces[1] < spaces[2] < spaces[6]


@pytest.mark.parametrize(
    ("typed", "printed"),
    [
        ('a being; "there was too much"', "a being; “there was too much”"),
        ('"she went"; ("or so")', "“she went”; (“or so”)"),
        ("influenced by `White' culture", "influenced by ‘White’ culture"),
        ("maitre d'hotel", "maitre d’hotel"),
        ("one's own; Russ. vol'; you 're", "one’s own; Russ. vol’; you ’re"),
        ('"change the subject"--Winston Churchill', "“change the subject”—Winston Churchill"),
        ("two personalities - one good", "two personalities – one good"),
        ("Anglo-Saxon, ‘as it is’", "Anglo-Saxon, ‘as it is’"),
    ],
)
def test_the_marks_of_a_typewriter_become_those_of_print(typed: str, printed: str) -> None:
    assert curled(typed) == printed
    assert [letter for letter in curled(typed) if letter.isalpha()] == [it for it in typed if it.isalpha()]


def test_no_mark_of_a_typewriter_comes_to_the_wall() -> None:
    definition = Definition("maitre d'", 'The steward\'s "head".', True, "Webster 1913")
    entry = Entry(
        "n1", ("maitre d'", "head waiter's man"), "a `steward'", ("man's man",), definition, "F. d'", "GCIDE"
    )
    said = " ".join(" ".join(version) for version in told(entry)) + label(
        Caption(1, None, entry, 0.5), ENGLISH
    )
    assert not set(said) & set("\"'`")
