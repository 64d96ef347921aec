"""Which of a dictionary's senses is the person that WordNet means? Pure.

A sense is for a person when the noun that it defines by is one: "One who …", "A brave warrior; …". Of those
the nearest to the WordNet gloss wins, by shared word stems, rare ones counting for more (a simplified Lesk:
Lesk, "Automatic sense disambiguation using machine readable dictionaries", SIGDOC 1986).
"""

from __future__ import annotations

import functools
import math
import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field

_STOP = frozenset(
    """
    a an the and or of in on at to for from by with as is are was be been being who whom whose which
    that this these those it its he she his her him they their them one ones person persons someone
    somebody anyone any some other another especially esp also etc not no than very more most has have
    had does do did can may such used into out up down over under about usually often sometimes
    particular person's man woman people he's who's
    """.split()  # noqa: SIM905 - a list of so many words is read more easily unquoted
)
_ENDINGS = tuple(
    """
    ations ation ments ment ness ings ing ence ance ents ent ant ists ist ers er ors or
    ies ied ed es ly ial al ic s ion ions y e
    """.split()  # noqa: SIM905 - as above
)
_LEAD = re.compile(
    r"^(?:(?:\([^)]*\)|[A-Z][a-z]*\.|Hence|Specifically|Formerly|Originally|Also|Especially|Esp\.?|Specif\.?"
    r"|Orig\.?|Figuratively|Fig\.?|In general|Generally|Now|(?:[Ii]n|[Aa]mong) (?:[^,]{2,60}))[,:;]\s*)+"
)
_AFTER_HEAD = re.compile(
    r"(?:[a-z]+(?:ed|ing|en|ly)|who|whom|whose|that|which|of|in|on|at|for|from|by|with|to|under|among|above|below|not"
    r"|or|and|but|as|into|over|against|about|without|between|next|when|where|so|very|more|less|within|whether|either"
    r"|especially|esp|having|being|born|able|held|paid|made|sent|set|inferior|superior|subject|during|upon|through"
    r"|like|is|was|other|such|before|after|near|beyond|who's|prone|full|bound|present|apt|both|one|he|she|they|it|\d+)$"
)
_STOPS_PHRASE = re.compile(
    r"(?:who|whom|whose|that|which|in|on|at|for|from|by|with|to|under|among|of|when|where)$"
)
_AGENT = re.compile(r"^(?:One|A person|A man|A woman|Someone|Any one) who (?!is\b|has\b)\w+", re.IGNORECASE)
_TITLE = re.compile(
    r"^(?:[Tt]he|[Aa]n?) (?:[\w-]+ )*(?:title|name|appellation|designation|epithet|nickname|term)\b[^,;]*?"
    r" (?:of|to|for|by|denoting|upon|among|as) (?=(?:an?|any|the|one)\b)"
)
_PRONOUN = re.compile(
    r"^(?:one|he|she|they|those|any one|anyone|someone|somebody|any person|whoever)\b", re.IGNORECASE
)
_THING = (
    "(?:species|genus|fish(?:es)?|birds?|plants?|shrub|moth|insects?|beetle|animals?|ship|vessel|butterfl(?:y|ies)|monkey"
    r"|hawk|tree|horses?|dog|crab|shell|device|machine|instrument|coin|ants?|engine|pieces?|parts?|things?|bars?|sticks?"
    r"|bricks?|forms?|stones?|ends|sides|bones|cards?|signs?|constellations?|states|counties|cities|towns|islands|months|languages?)"
)
_NOT_PERSON = re.compile(
    rf"^(?:[Oo]ne|[Aa]ny one|[Aa]ny) of (?:(?!who\b|sect\b|party\b|class\b|order\b)[^,;.])*?\b{_THING}\b"
)
_ALWAYS = frozenset(
    """
    person man woman boy girl child one native inhabitant member men women people persons fellow youth
    individual citizen adherent follower believer officer maker student expert specialist servant keeper
    disciple dealer leader player writer performer worker practitioner attendant owner supporter
    superior subject female male chief superintendent principal seller teacher descendant holder climber
    councilor counselor somone boss drunkard exegetist imp
    """.split()  # noqa: SIM905 - a list of so many words is read more easily unquoted
)


_ADJECTIVES = frozenset(("equal", "subject", "due", "present"))
"""Person nouns that stand before "to" or "of" as adjectives more often: "a measure equal to a hand"."""
_RASH = frozenset(
    """
    who whose title name nickname term appellation blade gentleman lady children agent hero celt saxon
    """.split()  # noqa: SIM905 - as above
)


@functools.lru_cache(maxsize=20_000)
def stems(text: str) -> frozenset[str]:
    """Content words, roughly stemmed: enough that "negligent" and "negligence" meet."""
    words = re.findall(r"[a-z]+", text.lower())
    return frozenset(_stem(word) for word in words if word not in _STOP and len(word) > 2)


def _stem(word: str) -> str:
    for ending in _ENDINGS:
        if word.endswith(ending) and len(word) - len(ending) >= 3:
            return word[: len(word) - len(ending)]
    return word


@dataclass(frozen=True)
class Judge:
    """Knows which nouns are persons and how rare each stem is."""

    person_nouns: frozenset[str]
    """Lower case: lemmas of which the most frequent noun sense is a person."""
    rarity: dict[str, float] = field(repr=False)
    """Inverse document frequency over the glosses; natural logarithm."""
    rarest: float
    """That of a stem that no gloss has."""

    @classmethod
    def of(cls, person_nouns: Iterable[str], glosses: Iterable[str]) -> Judge:
        """`glosses` of the person synsets are the documents."""
        documents = [stems(gloss) for gloss in glosses]
        counts = Counter(stem for document in documents for stem in document)
        rarity = {stem: math.log(len(documents) / count) for stem, count in counts.items()}
        return cls(frozenset(person_nouns) | _ALWAYS, rarity, max(rarity.values(), default=1.0))

    def is_person(self, sense: str) -> bool:
        """Whether a sense defines its headword as a person."""
        if _NOT_PERSON.search(sense):
            return False
        text = _TITLE.sub("", _LEAD.sub("", sense), count=1)
        if _PRONOUN.match(text):
            return True
        clause = re.split(r"[;:.(–]", text.lower(), maxsplit=1)[0]
        tokens = re.findall(r"[a-z'’-]+|,", clause)
        for number, token in enumerate(tokens):
            follows = tokens[number + 1] if number + 1 < len(tokens) else ","
            if _STOPS_PHRASE.match(token) and number > 0:
                return False
            ends_here = follows == "," or _AFTER_HEAD.match(follows) is not None
            if ends_here and any(
                self._is_person_noun(" ".join(tokens[number + 1 - n : number + 1])) for n in (1, 2)
            ):
                return True
        return False

    def may_name_person(self, sense: str) -> bool:
        """A far laxer test, for claims that a dictionary does *not* know a word for a person."""
        words = re.findall(r"[a-z'’-]+", sense.lower())
        return len(words) < 3 or any(word in _ALWAYS or word in _RASH for word in words)

    def _is_person_noun(self, noun: str) -> bool:
        forms = {noun, noun.removesuffix("s"), noun.removesuffix("es"), re.sub(r"ies$", "y", noun)}
        if noun in _ADJECTIVES:
            return False
        return bool(forms & self.person_nouns) or noun.endswith(("man", "woman", "men", "women"))

    def score(self, sense: str, gloss: str, about: str, headword: str) -> float:
        """Likeness of a sense to a synset, 0-1: the cosine of both, as vectors of rarity.

        `about` holds the other lemmas and the hypernyms, which count a quarter, as does the headword's
        own stem.
        """
        here = self._weights(sense, headword)
        wanted = self._weights(without_examples(gloss), headword)
        near = self._weights(about, headword)
        shared = sum(here[stem] ** 2 for stem in here.keys() & wanted.keys())
        shared += sum(here[stem] ** 2 / 4 for stem in here.keys() & near.keys() - wanted.keys())
        length = math.sqrt(sum(w * w for w in here.values()) * sum(w * w for w in wanted.values()))
        return min(1.0, shared / length) if length else 0.0

    def plainness(self, sense: str, headword: str) -> float:
        """0.06 for "One who smashes" of a smasher, which is like any gloss a little; else 0.

        Not for "One who, or that which, smashes", which is no nearer to a person than to a machine.
        """
        return 0.06 if _AGENT.match(sense) and stems(sense) & stems(headword) else 0.0

    def _weights(self, text: str, headword: str) -> dict[str, float]:
        own = stems(headword)
        return {
            stem: self.rarity.get(stem, self.rarest) * (0.25 if stem in own else 1.0) for stem in stems(text)
        }


def without_examples(gloss: str) -> str:
    """A gloss without the quoted sentences that may follow it."""
    return re.split(r';\s+"', gloss, maxsplit=1)[0]


def echoes(sense: str, gloss: str) -> bool:
    """Whether a sense says what the gloss says in the same words: GCIDE took some from WordNet 1.5."""
    here, there = stems(sense), stems(without_examples(gloss))
    return bool(here | there) and len(here & there) >= 0.75 * len(here | there)
