"""A policy's rules: a rule and the categories in, those that it means out. Pure but for reading tables."""

from __future__ import annotations

import difflib
import functools
import re
import time
import warnings
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from kiosk import schema
from kiosk.messages import Entry
from kiosk.words import tables

CONDITIONS = (
    "synset",
    "below",
    "word",
    "gloss",
    "gloss_pattern",
    "capitalised",
    "imageability_below",
    "safety",
)
ID = re.compile(r"n\d{8}", re.ASCII)
MAX_PATTERN = 200  # letters
PATTERN_SECONDS = 2.0  # of this thread's, for all of a file; an honest pattern takes a hundredth
MOST_LISTED = 8
LONGEST_WORD = 60  # for suggestions: WordNet's longest lemma of a person has 42 letters


@dataclass(frozen=True)
class Rule:
    """One condition: exactly one of these keys, and perhaps a reason of its own."""

    synset: str = schema.text("a synset id such as n10609198", "", empty=True)
    below: str = schema.text("a synset, by id or word, and all below it in WordNet", "", empty=True)
    word: str = schema.text("a word that only one category has", "", empty=True)
    gloss: str = schema.text("a text that stands in the gloss, in capitals or not", "", empty=True)
    gloss_pattern: str = schema.text("a regular expression for the gloss", "", empty=True)
    capitalised: bool = schema.boolean("true: the first word begins with a capital", False)
    imageability_below: float = schema.number("less imageable than this, by the ImageNet team", 0, 1, 5)
    safety: str = schema.choice("a class of the ImageNet team's", "", tables.SAFETY)
    reason: schema.ByLanguage = schema.text("in place of the group's reason", ())

    def __post_init__(self) -> None:
        if len([name for name in CONDITIONS if getattr(self, name)]) != 1:
            raise ValueError(f"a rule must have exactly one of {', '.join(CONDITIONS)}")
        check_pattern(self.gloss_pattern)

    @property
    def condition(self) -> tuple[str, str]:
        """Which of CONDITIONS, and its value as it may be printed."""
        name = next(name for name in CONDITIONS if getattr(self, name))
        value = getattr(self, name)
        return name, "true" if value is True else f"{value:g}" if isinstance(value, float) else value


def check_pattern(pattern: str) -> None:
    """Raise ValueError for what is no regular expression, or one that could take for ever."""
    if len(pattern) > MAX_PATTERN:
        raise ValueError(f"gloss_pattern: must be at most {MAX_PATTERN} letters long, not {len(pattern)}")
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error")  # what a later Python will read in another way
            re.compile(pattern, re.IGNORECASE)
    except (re.error, ValueError, OverflowError, RecursionError, Warning) as error:
        raise ValueError(f"gloss_pattern: not a regular expression: {error}") from error
    # The matching steps back and tries again: the ways multiply with every repetition inside another, and
    # with every one that stands beside another.
    bare = re.sub(r"\[\^?\]?[^\]]*\]", "x", re.sub(r"\\.", "x", pattern, flags=re.DOTALL))
    if re.search(r"\)[*+{]", bare) or len(re.findall(r"[*+{]|(?<!\()\?", bare)) > 2:
        raise ValueError("gloss_pattern: too many repetitions (at most two of * + ? {}, and none of a group)")
    if bare.count("(") > 3:
        raise ValueError("gloss_pattern: too many groups (at most three); write several rules")


class Catalogue:
    """The categories, ready to be asked which of them a rule means."""

    def __init__(self, lexicon: Mapping[str, Entry], folder: Path = tables.FOLDER) -> None:
        """`folder` holds the ImageNet team's tables; they are read when a rule needs them."""
        self._lexicon = lexicon
        self._folder = folder
        self._below: dict[str, set[str]] = {}
        self._words: dict[str, dict[str, None]] = {}
        self._branches: dict[str, str] = {}
        self._suggestions_left = 10  # each costs a look through all words
        self._seconds_left = PATTERN_SECONDS
        for id_, entry in lexicon.items():
            for above in (id_, *entry.above):
                self._below.setdefault(above, set()).add(id_)
            for lemma in entry.lemmas:
                for spelling in {lemma, lemma.casefold()}:
                    self._words.setdefault(spelling, {})[id_] = None
            # Of a branch that is no category itself only this is known: its id and its first lemma.
            self._branches.update(
                (above, name)
                for above, name in zip(entry.above, entry.chain, strict=False)  # `above` is the longer
                if above not in lexicon
            )

    def problem(self, condition: str, value: str) -> str | None:
        """Why a synset, a branch or a word cannot be looked up; None where it can, or need not be."""
        if condition not in ("synset", "below", "word"):
            return None
        found = self._candidates(condition, value)
        if len(found) == 1:
            return None
        if found:
            listed = [f"{id_} ({self._described(id_)})" for id_ in found[:MOST_LISTED]]
            more = f", and {len(found) - MOST_LISTED} more" if len(found) > MOST_LISTED else ""
            key = "below" if condition == "below" else "synset"
            return f"'{value}' stands for {len(found)}; write '{key}:' and one of " + "; ".join(listed) + more
        if re.fullmatch(r"\d{8}", value, re.ASCII):
            return f"a synset id begins with n: write n{value}"
        if ID.fullmatch(value):
            return f"{value} is none of the {len(self._lexicon)} categories" + (
                " nor above one" if condition == "below" else ""
            )
        if condition == "synset":
            return f"must be a synset id such as n10609198, not '{value}'; for a word write 'word:'"
        return f"'{value}' is no word of the categories{self._suggestion(value)}"

    def matches(self, rule: Rule) -> frozenset[str]:
        """Ids of the categories that a rule means.

        Raises ConfigError where a table is wanting, ValueError for a pattern that takes too long.
        """
        condition, value = rule.condition
        if condition in ("synset", "word"):
            return frozenset(self._candidates(condition, value))
        if condition == "below":
            return frozenset(self._below[self._candidates(condition, value)[0]])
        return frozenset(self._scan(rule, condition))

    def title(self, rule: Rule) -> str:
        """A rule in words, for example "below: n09620078 (inhabitant)"."""
        condition, value = rule.condition
        name = f" ({self.name(value)})" if ID.fullmatch(value) else ""
        return f"{condition}: {value}{name}"

    def name(self, id_: str) -> str:
        """The first lemma of a category, or of a branch that is none."""
        return self._lexicon[id_].label if id_ in self._lexicon else self._branches.get(id_, id_)

    def below(self, id_: str) -> frozenset[str]:
        """Ids of the categories at and below a synset."""
        return frozenset(self._below.get(id_, ()))

    def _scan(self, rule: Rule, condition: str) -> Iterable[str]:
        entries = self._lexicon.items()
        if condition == "capitalised":
            return [id_ for id_, entry in entries if entry.label[:1].isupper()]
        if condition == "safety":
            return [id_ for id_, safety in self._safety.items() if safety == rule.safety]
        if condition == "imageability_below":
            low = rule.imageability_below
            return [id_ for id_, score in self._imageability.items() if score < low]
        text = re.escape(rule.gloss) if condition == "gloss" else rule.gloss_pattern
        return self._search(re.compile(text, re.IGNORECASE))

    def _search(self, pattern: re.Pattern[str]) -> Iterable[str]:
        """Ids of those with the pattern in the gloss. Raises ValueError where that takes too long."""
        started = time.thread_time()  # not the time of day: a busy machine makes no pattern a bad one
        for id_, entry in self._lexicon.items():
            if pattern.search(entry.gloss):
                yield id_
            if time.thread_time() - started > self._seconds_left:
                raise ValueError("the gloss patterns take too long; use fewer repetitions and choices")
        self._seconds_left -= time.thread_time() - started

    def _candidates(self, condition: str, value: str) -> list[str]:
        """Ids: by id, else by the word as it is written, else by the word in any case."""
        if condition != "word" and ID.fullmatch(value):
            known = self._below if condition == "below" else self._lexicon
            return [value] if value in known else []
        if condition == "synset":
            return []
        found = dict(self._words.get(value) or self._words.get(value.casefold(), {}))
        if condition == "below":
            found.update((id_, None) for id_, name in self._branches.items() if name == value)
        return list(found)

    def _described(self, id_: str) -> str:
        if id_ not in self._lexicon:
            return f"{self.name(id_)}, a branch of {len(self._below[id_])}"
        gloss = self._lexicon[id_].gloss.partition(";")[0]
        return gloss if len(gloss) <= LONGEST_WORD else f"{gloss[:LONGEST_WORD]}…"

    def _suggestion(self, word: str) -> str:
        if self._suggestions_left <= 0 or len(word) > LONGEST_WORD:
            return ""
        self._suggestions_left -= 1
        close = difflib.get_close_matches(word, list(self._words), n=1, cutoff=0.75)
        return f". Did you mean '{close[0]}'?" if close else ""

    @functools.cached_property
    def _safety(self) -> dict[str, str]:
        table = tables.read_safety(self._folder)
        return {id_: value for id_, value in table.items() if id_ in self._lexicon}

    @functools.cached_property
    def _imageability(self) -> dict[str, float]:
        table = tables.read_imageability(self._folder)
        return {id_: value for id_, value in table.items() if id_ in self._lexicon}
