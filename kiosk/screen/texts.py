"""Everything said on the wall that is neither dictionary text nor the venue's own."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class Texts:
    """One language."""

    part_of_speech: str = "noun"
    also: str = "also"
    gloss_source: str = "WordNet 3.0"
    not_of_person: str = "{source} knows the word, but not for a person."
    other_word_not_of_person: str = "{source} knows “{word}”, but not for a person."
    of_other_word: str = "{source} on “{word}”"
    """Where the dictionary has not the label, but another of its lemmas."""
    origin: str = "Origin ({source})"
    origin_of_other_word: str = "Origin of “{word}” ({source})"
    kind: str = "A kind of"
    guess: str = "one guess of {classes}: {percent}"
    less_than_one: str = "less than 1 %"
    percent: str = "{value} %"
    withheld_label: str = "withheld"
    withheld: str = "The data set has a word for this face. It is withheld here: {reason}."
    withheld_scene: str = "The data set has a word for this picture. It is withheld here: {reason}."
    passed_over: str = "a later guess: {count} withheld before it"
    demo: str = "Demonstration: no camera. These visitors are public-domain portraits."
    opening: str = "One moment."
    sealed: str = (
        "No picture, no face and no label is stored or sent: the computer refuses it. "
        "You are forgotten when you leave."
    )
    sealed_with_stream: str = (
        "No picture, no face and no label is stored: the computer refuses it. It comes from a camera "
        "on the venue's network. You are forgotten when you leave."
    )
    missing: str = "Missing: {layers}."
    not_sealed: str = (
        "This program stores and sends no picture, no face and no label. Here nothing but the program itself "
        "sees to that. You are forgotten when you leave."
    )


ENGLISH = Texts()


def statement(texts: Texts, *, can_store: bool, can_send: bool, stream: bool, missing: Sequence[str]) -> str:
    """What may be claimed of this process, and no more. With a stream `can_send` is true in any case.

    `missing` names what is not in force of the seal.
    """
    if can_store or (can_send and not stream) or missing:
        named = texts.missing.format(layers=", ".join(missing)) if missing else ""
        return f"{texts.not_sealed} {named}".rstrip()
    return texts.sealed_with_stream if can_send else texts.sealed


def likelihood(texts: Texts, probability: float, classes: int) -> str:
    """How sure the network is, in plain words; the share is rounded down, so that 100 % is certainty."""
    # 0.29 * 100 is a little less than 29 in floating point, and would be 28.
    whole = math.floor(probability * 100 + 1e-6)
    percent = texts.percent.format(value=whole) if whole else texts.less_than_one
    return texts.guess.format(classes=f"{classes:,}", percent=percent)
