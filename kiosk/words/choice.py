"""Synset in, the dictionary's words for it out: which lemma, which homograph, which sense. Pure."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable, Mapping

from kiosk.messages import Definition
from kiosk.words import gcide
from kiosk.words.gcide import Homograph
from kiosk.words.senses import Judge, echoes
from kiosk.words.wordnet import Synset

_ENOUGH = 0.05
"""The least likeness at which a sense is taken for the one that WordNet means."""

_PERSON_ENDINGS = ("ist", "ian", "ess", "man", "woman")
"""Of such words the claim that they name no person is not made, whatever their senses seem to say."""


def spellings(lemma: str) -> tuple[str, ...]:
    """As a dictionary may print it, in lower case: "half brother", "half-brother"."""
    word = lemma.lower()
    return tuple(dict.fromkeys((word, word.replace(" ", "-"), word.replace("-", " "))))


class Chooser:
    """Knows the dictionary, and which synsets share a lemma."""

    def __init__(
        self,
        synsets: Iterable[Synset],
        chain_of: Callable[[str], tuple[str, ...]],
        dictionary: Mapping[str, tuple[Homograph, ...]],
        judge: Judge,
    ) -> None:
        """All synsets for persons, the way up from each by its id; `dictionary` by headword in lower case."""
        self._chain_of = functools.lru_cache(maxsize=None)(chain_of)
        self._dictionary = dictionary
        self._judge = judge
        self._sharing: dict[str, list[Synset]] = {}
        for synset in synsets:
            for lemma in {lemma.lower() for lemma in synset.lemmas}:
                self._sharing.setdefault(lemma, []).append(synset)

    def define(self, synset: Synset) -> tuple[Definition | None, Homograph | None]:
        """What the dictionary says of the first lemma that it knows for this person, and the homograph.

        A text of "" with `of_person` False says that it knows the word, but not for a person. No definition
        and a homograph: it knows the word for another person, or says no more than the gloss, or the file
        lost some of its senses. Without a definition, which names its headword, only a homograph of the first
        lemma is given: nobody could tell of which word its etymology is.
        """
        known: Homograph | None = None
        claim: Definition | None = None
        its_own = False
        for lemma in synset.lemmas:
            nouns = [h for s in spellings(lemma) for h in self._dictionary.get(s, ()) if h.is_noun]
            candidates = self._candidates(synset, lemma, nouns)
            right = [
                (likeness, sense, homograph)
                for likeness, sense, homograph in candidates
                if not echoes(sense, synset.gloss)
                and self._is_meant(likeness, sense, synset, lemma, candidates)
            ]
            if right:
                _, sense, homograph = max(right, key=lambda candidate: candidate[0])
                source = gcide.source(homograph.headword, sense)
                return Definition(lemma, sense, True, source), homograph
            if nouns and known is None:
                known = max(candidates, key=lambda candidate: candidate[0])[2] if candidates else nouns[0]
                its_own = lemma == synset.lemmas[0]
                if not candidates and not self._may_name_person(lemma, nouns):
                    claim = Definition(lemma, "", False, known.source)
        return claim, known if claim or its_own else None

    def _candidates(
        self, synset: Synset, lemma: str, nouns: Iterable[Homograph]
    ) -> list[tuple[float, str, Homograph]]:
        return [
            (
                self._likeness(sense, synset, lemma) + self._leaning(number, sense, synset, lemma, homograph),
                sense,
                homograph,
            )
            for homograph in nouns
            for number, sense in enumerate(homograph.senses)
            if self._judge.is_person(sense)
        ]

    def _likeness(self, sense: str, synset: Synset, lemma: str) -> float:
        """The judge's score, and a little less for additions to Webster's, which often repeat WordNet."""
        others = (other for other in synset.lemmas if other != lemma)
        about = " ".join((*others, *self._chain_of(synset.id)[:3]))
        score = self._judge.score(sense, synset.gloss, about, lemma)
        return score - (0.05 if sense[:1].islower() else 0.0)

    def _leaning(self, number: int, sense: str, synset: Synset, lemma: str, homograph: Homograph) -> float:
        """For earlier senses, and for the plainest, unless a better one may be among those that are lost."""
        plain = lemma == synset.lemmas[0] and not homograph.lost
        return (self._judge.plainness(sense, lemma) if plain else 0.0) - 0.03 * number

    @staticmethod
    def _repeats(sense: str, homograph: Homograph, synset: Synset) -> bool:
        """Whether an addition to Webster's was taken from WordNet itself: twice the same says no more."""
        return gcide.source(homograph.headword, sense) == gcide.LATER and echoes(sense, synset.gloss)

    def _is_meant(
        self,
        likeness: float,
        sense: str,
        synset: Synset,
        lemma: str,
        candidates: list[tuple[float, str, Homograph]],
    ) -> bool:
        """Whether a sense is like enough, and no other synset with this lemma is much liker.

        Where both dictionaries know the first lemma for one person only, it is the same person.
        """
        rivals = [other for other in self._sharing[lemma.lower()] if other.id != synset.id]
        namesakes = [rival for rival in rivals if rival.lemmas[0].lower() == lemma.lower()]
        alone = len(candidates) == 1 and not namesakes and not candidates[0][2].lost
        if alone and lemma == synset.lemmas[0] and "that which" not in sense:
            return True
        if likeness < _ENOUGH:
            return False
        return all(self._likeness(sense, rival, lemma) <= 1.5 * likeness + 0.03 for rival in rivals)

    def _may_name_person(self, lemma: str, nouns: Iterable[Homograph]) -> bool:
        """Whether it would be rash to say that the dictionary does not know `lemma` for a person."""
        return lemma.endswith(_PERSON_ENDINGS) or any(
            noun.lost or any(map(self._judge.may_name_person, noun.senses)) for noun in nouns
        )
