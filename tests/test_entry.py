from __future__ import annotations

import dataclasses
import itertools

import pytest

from kiosk.config import DisplayConfig
from kiosk.messages import Box, Caption, Definition, Entry
from kiosk.screen.entry import label, remark, versions
from kiosk.screen.texts import ENGLISH, likelihood
from kiosk.screen.theme import theme
from kiosk.screen.typeset import Paragraph

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
    return [
        ["".join(span.text for span in paragraph.spans) for paragraph in version]
        for version in versions(Caption(1, None, entry, probability), classes, LOOK, ENGLISH)
    ]


def test_the_full_entry_says_everything_in_order() -> None:
    full, _, _ = told(HYPOCRITE)
    assert full == [
        "hypocrite  noun",
        "also  dissembler, pretender",
        "WordNet 3.0  a person who professes beliefs that he or she does not hold",
        "Webster 1913  One who plays a part.",
        "Origin (Webster 1913)  F., fr. L. hypocrita",
        "A kind of  deceiver › wrongdoer › bad person › person",
        "one guess of 2,833: 3 %",
    ]


def test_the_middle_one_keeps_what_is_said_of_the_word_and_where_it_comes_from() -> None:
    _, middle, _ = told(HYPOCRITE)
    assert middle == [
        "hypocrite  noun",
        "WordNet 3.0  a person who professes beliefs that he or she does not hold",
        "Webster 1913  One who plays a part.",
        "Origin (Webster 1913)  F., fr. L. hypocrita",
        "one guess of 2,833: 3 %",
    ]


def test_the_short_one_is_the_gloss_and_the_guess() -> None:
    _, _, short = told(HYPOCRITE)
    assert short == [
        "hypocrite  noun",
        "WordNet 3.0  a person who professes beliefs that he or she does not hold",
        "one guess of 2,833: 3 %",
    ]


def test_where_the_dictionaries_are_silent_nothing_is_said() -> None:
    assert told(BARE) == [["person  noun", "WordNet 3.0  a human being", "one guess of 2,833: 3 %"]] * 3


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
    assert "Origin of “grind” (Webster 1913)  AS. grindan" in full
    unknown = dataclasses.replace(swot, definition=dataclasses.replace(definition, of_person=False))
    assert "GCIDE knows “grind”, but not for a person." in told(unknown)[0]


def test_capitals_make_no_other_word() -> None:
    definition = Definition("boer", "A colonist.", True, "Webster 1913")
    boer = Entry("n09635635", ("Boer",), "a settler", (), definition, None, None)
    assert "Webster 1913  A colonist." in told(boer)[0]


@pytest.mark.parametrize(
    ("probability", "said"),
    [
        (0.031, "one guess of 2,833: 3 %"),
        (0.004, "one guess of 2,833: less than 1 %"),
        (0.0, "one guess of 2,833: less than 1 %"),
        (0.01, "one guess of 2,833: 1 %"),
        (0.29, "one guess of 2,833: 29 %"),
        (0.999, "one guess of 2,833: 99 %"),
        (1.0, "one guess of 2,833: 100 %"),
    ],
)
def test_how_sure_the_network_is_in_plain_words(probability: float, said: str) -> None:
    assert likelihood(ENGLISH, probability, 2833) == said


def test_every_whole_percentage_is_said_as_it_is() -> None:
    for percent in range(1, 101):
        assert likelihood(ENGLISH, percent / 100, 10).endswith(f": {percent} %")


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
    caption = Caption(1, Box(0, 0, 10, 10), None, 0.031, "a word for a people")
    assert label(caption, ENGLISH) == "withheld"
    ((paragraph,),) = versions(caption, 2833, LOOK, ENGLISH)
    said = "".join(span.text for span in paragraph.spans)
    assert said == "The data set has a word for this face. It is withheld here: a word for a people."
    ((paragraph,),) = versions(Caption(0, None, None, 0.031, "an insult"), 2833, LOOK, ENGLISH)
    assert "this picture" in paragraph.spans[0].text


def test_a_later_guess_says_that_others_were_withheld() -> None:
    caption = Caption(1, Box(0, 0, 10, 10), HYPOCRITE, 0.031, "", 2)
    assert remark(caption, 2833, ENGLISH) == "one guess of 2,833: 3 %; a later guess: 2 withheld before it"
