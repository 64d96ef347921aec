from __future__ import annotations

from collections import Counter
from dataclasses import replace
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kiosk.messages import Definition, Entry
from kiosk.screen.attract import (
    FADE,
    LONGEST,
    MOST_WORDS,
    PAUSE,
    SHORTEST,
    YIELD,
    Passing,
    Procession,
    Walk,
    abridged,
    standing,
)

AFTER = 30.0


def entry(at: int, gloss: str = "somebody", **more) -> Entry:
    nothing = {"definition": None, "etymology": None, "etymology_source": None}
    return Entry(f"n{at:08}", (f"word {at}",), gloss, ("person",), **{**nothing, **more})


WORDS = tuple(entry(at) for at in range(12))
LONG = " ".join(["long"] * 30)


class Room:
    """A procession on a virtual clock, asked 20 times a second."""

    def __init__(self, seed: int = 1, words: tuple[Entry, ...] = WORDS, after: float = AFTER) -> None:
        self.procession, self.words, self.after, self.ticks = Procession(seed), words, after, 0

    @property
    def now(self) -> float:
        return self.ticks / 20

    def stay(self, seconds: float, *, alone: bool = True) -> list[Passing | None]:
        seen = []
        for _ in range(round(20 * seconds)):
            self.ticks += 1
            seen.append(self.procession.see(self.words, self.after, self.now, alone=alone))
        return seen


def opacities(seen: list[Passing | None]) -> list[float]:
    return [passing.opacity if passing else 0.0 for passing in seen]


def test_words_come_when_nobody_was_there_for_so_long_and_no_sooner() -> None:
    room = Room()
    assert room.stay(AFTER) == [None] * 600
    assert not room.procession.on
    assert max(opacities(room.stay(3))) == 1
    assert room.procession.on


def test_somebody_who_passes_begins_the_wait_anew() -> None:
    room = Room()
    room.stay(AFTER - 1)
    room.stay(0.1, alone=False)
    assert room.stay(AFTER - 1) == [None] * 580


@pytest.mark.parametrize(("words", "after"), [((), AFTER), (WORDS, 0.0)])
def test_without_words_or_a_time_nothing_ever_passes(words: tuple[Entry, ...], after: float) -> None:
    room = Room(words=words, after=after)
    assert not any(room.stay(300))
    assert not room.procession.on


def test_one_word_at_a_time_comes_slowly_stands_and_goes_slowly() -> None:
    room = Room()
    room.stay(AFTER)
    seen = opacities(room.stay(2 * FADE + SHORTEST + PAUSE))
    assert seen.index(1.0) == pytest.approx(20 * FADE, abs=2)
    assert max(abs(after - before) for before, after in pairwise(seen)) < 0.08
    assert seen.count(1.0) / 20 == pytest.approx(SHORTEST, abs=0.2)
    assert seen[-round(20 * PAUSE) + 2 :] == [0.0] * (round(20 * PAUSE) - 2)
    assert room.procession.on, "nothing else is said in the pause either"


def test_a_word_goes_for_a_visitor_within_three_tenths_of_a_second() -> None:
    for lonely in (0.1, 0.5, 3.0, FADE + SHORTEST + 0.5):
        room = Room()
        room.stay(AFTER + lonely)
        seen = opacities(room.stay(0.5, alone=False))
        assert not room.procession.on
        assert seen == sorted(seen, reverse=True)
        assert 0 < seen[2] < seen[0], "softly"
        assert seen[round(20 * 0.3) - 1 :] == [0.0] * (11 - round(20 * 0.3))
    assert YIELD < 0.3


def test_no_word_comes_again_before_all_have_come_and_no_two_days_are_alike() -> None:
    def day(seed: int) -> list[str]:
        walk = Walk(seed)
        return [walk.next(WORDS).synset for _ in range(36)]

    for seed in range(20):
        order = day(seed)
        for round_ in (order[:12], order[12:24], order[24:]):
            assert Counter(round_) == Counter(word.synset for word in WORDS)
        assert order[:12] != order[12:24]
    assert day(3) == day(3)
    assert len({tuple(day(seed)) for seed in range(20)}) == 20


def test_an_edit_of_the_policy_brings_no_word_twice_and_no_withheld_one() -> None:
    walk, fewer = Walk(5), WORDS[:8]
    before = [walk.next(WORDS).synset for _ in range(6)]
    left = {word.synset for word in fewer} - set(before)
    after = [walk.next(fewer).synset for _ in range(len(left))]
    assert set(after) == left


def test_a_word_that_is_withheld_while_it_stands_goes_at_once() -> None:
    room = Room()
    stood = room.stay(AFTER + 3)[-1]
    assert stood is not None
    room.words = tuple(word for word in WORDS if word.synset != stood.entry.synset)
    seen = room.stay(3)
    assert all(passing.opacity < 1 for passing in seen[1:] if passing and passing.number == stood.number)
    assert not any(passing and passing.number == stood.number for passing in seen[6:])
    assert seen[-1] and seen[-1].entry.synset != stood.entry.synset


def test_an_edit_that_leaves_the_word_shown_does_not_touch_it() -> None:
    room = Room()
    stood = room.stay(AFTER + 3)[-1]
    room.words = tuple(replace(word) for word in WORDS)
    assert room.stay(1)[-1] == stood


def test_without_a_picture_the_word_is_gone_and_the_wait_begins_anew() -> None:
    room = Room()
    room.stay(AFTER + 3)
    room.procession.clear()
    assert room.stay(AFTER) == [None] * 600


@given(st.lists(st.booleans(), min_size=40, max_size=200), st.floats(0.01, 0.6))
def test_nothing_flashes_whoever_comes_and_goes(alone: list[bool], after: float) -> None:
    """Three pairs of opposing changes of a tenth in one second are the most that is safe (WCAG 2.3.1)."""
    room = Room(after=after)
    seen = [level for there in alone for level in opacities(room.stay(0.05, alone=there))]
    for second in range(len(seen) - 20):
        rises, low, high, rising = 0, seen[second], seen[second], False
        for level in seen[second : second + 21]:
            low, high = min(low, level), max(high, level)
            if not rising and level - low >= 0.1:
                rises, rising, high = rises + 1, True, level
            elif rising and high - level >= 0.1:
                rising, low = False, level
        assert rises <= 3


def test_places_are_spread_and_the_first_is_the_middle() -> None:
    places = [Passing(WORDS[0], number, 1.0).place for number in range(64)]
    assert places[0] == (0.5, 0.5)
    for (x, y), (then_x, then_y) in pairwise(places):
        assert max(abs(then_x - x), abs(then_y - y)) > 0.2
    squares = Counter((int(4 * x), int(4 * y)) for x, y in places)
    assert len(squares) == 16
    assert max(squares.values()) <= 6


def test_a_word_stands_for_as_long_as_it_takes_to_read() -> None:
    assert standing(entry(1, "somebody")) == SHORTEST
    assert standing(entry(1, " ".join(["word"] * 19))) == pytest.approx(2 + 21 / 3)
    assert standing(entry(1, " ".join(["word"] * 90))) == LONGEST


def test_what_webster_says_passes_by_where_there_is_time_to_read_it() -> None:
    short = Definition("word 1", "A person of words.", True, "Webster 1913")
    long = Definition("word 1", LONG + " " + LONG, True, "Webster 1913")
    all_of_it = entry(1, definition=short, etymology="L. verbum", etymology_source="Webster 1913")
    assert abridged(all_of_it) == all_of_it
    assert abridged(entry(1, definition=long)).definition is None
    assert abridged(replace(all_of_it, etymology=LONG + LONG)).definition == short
    assert abridged(replace(all_of_it, etymology=LONG + " " + LONG)).etymology is None
    assert abridged(entry(1, LONG, definition=short)) == entry(1, LONG, definition=short)
    assert abridged(entry(1, LONG + " and more than this", definition=short)).definition is None


def test_an_etymology_of_another_word_does_not_pass_by_without_that_word() -> None:
    long = Definition("word 1", LONG + " " + LONG, True, "Webster 1913")
    own = entry(1, definition=long, etymology="L. verbum", etymology_source="Webster 1913")
    assert abridged(own).etymology == "L. verbum"
    assert abridged(replace(own, definition=replace(long, headword="other"))).etymology is None


def test_that_a_dictionary_knows_no_person_of_that_name_takes_time_to_read_too() -> None:
    thing = Definition("word 1", "", False, "Webster 1913")
    gloss = " ".join(["word"] * 20)
    assert standing(entry(1, gloss, definition=thing)) == pytest.approx(standing(entry(1, gloss)) + 3)


@given(st.integers(1, 80), st.integers(0, 80), st.integers(0, 80))
def test_there_is_always_time_to_read_what_is_not_the_gloss(gloss: int, said: int, origin: int) -> None:
    definition = Definition("word 1", " ".join(["a"] * said), True, "Webster 1913") if said else None
    whole = entry(1, " ".join(["a"] * gloss), definition=definition, etymology=" ".join(["a"] * origin))
    told = abridged(whole)
    words = 2 + gloss + (said if told.definition else 0) + (origin if told.etymology else 0)
    assert words <= MOST_WORDS or not (told.definition or told.etymology)
    assert told.gloss == whole.gloss
