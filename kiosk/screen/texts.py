"""Everything said on the wall that is neither dictionary text nor the venue's own, by language.

In: `wall.language` and the files that it names, of config/texts or of the venue. Out: one `Texts` or two.
"""

from __future__ import annotations

import dataclasses
import math
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from kiosk import schema
from kiosk.config import ROOT, named
from kiosk.document import Node, Problems, key_at
from kiosk.errors import ConfigError

FOLDER = ROOT / "config" / "texts"
KEY = "wall.language"
CODE = re.compile("[a-z]{2,3}")  # ISO 639
PLACEHOLDERS = {
    "not_of_person": ("source",),
    "other_word_not_of_person": ("source", "word"),
    "of_other_word": ("source", "word"),
    "origin": ("source",),
    "origin_of_other_word": ("source", "word"),
    "guess": ("classes", "percent"),
    "percent": ("value",),
    "withheld": ("reason",),
    "withheld_scene": ("reason",),
    "passed_over": ("count", "guess"),
    "missing": ("layers",),
}
NARROW = "\u202f"
"""A narrow space at which no line ends."""


@dataclass(frozen=True)
class Texts:
    """One language; those named in PLACEHOLDERS have something to fill in."""

    code: str = schema.text("code of the language, as the reasons of a policy name it: de")
    name: str = schema.text("its name in itself")
    thousands: str = schema.text("what stands between 2 and 833; a space is never broken", empty=True)
    part_of_speech: str = schema.text("behind the headword, which is a noun, as dictionaries print it")
    also: str = schema.text("before the other words of the category")
    gloss_source: str = schema.text("before the gloss: where it comes from")
    not_of_person: str = schema.text("that {source} has the word, but not for a person")
    other_word_not_of_person: str = schema.text(
        "that {source} has {word}, another word of the category, but not for a person"
    )
    of_other_word: str = schema.text("before what {source} says of {word}, another word of the category")
    origin: str = schema.text("before where the word comes from, with {source}")
    origin_of_other_word: str = schema.text("before where {word} comes from, with {source}")
    kind: str = schema.text("before the chain of broader terms")
    guess: str = schema.text("that this is a guess out of {classes}, how sure: {percent}")
    percent: str = schema.text("{value} in percent")
    less_than_one: str = schema.text("less than one percent")
    passed_over: str = schema.text("{guess}, as above, and that {count} better ones were withheld")
    withheld_label: str = schema.text("in the plate, in place of a word that is withheld")
    withheld: str = schema.text("that the word for a face is withheld, and the {reason}")
    withheld_scene: str = schema.text(
        "that the word for a picture without a face is withheld, and the {reason}"
    )
    demo: str = schema.text("that there is no camera and the visitors are portraits")
    opening: str = schema.text("until there is a picture")
    resting: str = schema.text("while the piece rests, for whatever reason")
    idle: str = schema.text("with nobody there, where the scene is not labelled")
    warning: str = schema.text("the content warning")
    sealed: str = schema.text("that nothing can be stored or sent")
    sealed_with_stream: str = schema.text("that nothing can be stored, with a camera on the network")
    not_sealed: str = schema.text("that nothing is stored or sent, where only the program sees to that")
    missing: str = schema.text("which {layers} of the seal are not in force")
    thousands_from: int = schema.integer("from which number on they are set off", 1000, 1000, 100000)


def load(language: str) -> tuple[Texts, ...]:
    """The texts of a wall's language, or of its two, in their order. Raises ConfigError."""
    texts: list[Texts] = []
    problems: list[str] = []
    for path in files(language):
        try:
            texts.append(_read(path))
        except ConfigError as error:
            problems += error.problems
    codes = [text.code for text in texts]
    if len(set(codes)) < len(codes):
        problems.append(f"{key_at(KEY, language)}: must be two languages, not '{codes[0]}' twice")
    if problems:
        raise ConfigError(tuple(problems))
    return tuple(texts)


def files(language: str) -> tuple[Path, ...]:
    """The files of a wall's language or languages; a path is absolute or from the project's folder.

    Raises ConfigError for a language that there is not, and for more than two.
    """
    names, key = [name.strip() for name in language.split(",")], key_at(KEY, language)
    if len(names) > 2:
        raise ConfigError((f"{key}: must be one language or two, not {len(names)}",))
    found: list[Path] = []
    problems: list[str] = []
    for name in names:
        try:
            found.append(named(FOLDER, name, key))
        except ConfigError as error:
            problems += error.problems
    if problems:
        raise ConfigError(tuple(problems))
    return tuple(found)


def current(texts: Sequence[Texts], turn: float, now: float) -> Texts:
    """Which of the languages stands on the wall: each for `turn` seconds. `now` is monotonic, seconds."""
    return texts[int(now // turn) % len(texts)]


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
    return texts.guess.format(classes=number(texts, classes), percent=percent)


def number(texts: Texts, value: int) -> str:
    """A whole number as it is written in the language."""
    if value < texts.thousands_from:
        return str(value)
    return f"{value:,}".replace(",", texts.thousands.replace(" ", NARROW))


def unbroken(text: str) -> str:
    """The text with no line's end before a mark that is set off by a space, as in « Qui ? » and in 3 %."""
    return re.sub("(?<=«) | (?=[%:;!?»])", NARROW, text)


def _read(path: Path) -> Texts:
    values: dict[str, Any] = dataclasses.asdict(schema.load(path, Texts, check=_check))
    values |= {key: unbroken(value) for key, value in values.items() if isinstance(value, str)}
    return Texts(**values)


def _check(root: Node, problems: Problems) -> None:
    """Placeholders and the code, each problem where it stands."""
    for key, node in root.content.items() if isinstance(root.content, dict) else ():
        if key in Texts.__dataclass_fields__ and isinstance(node.content, str):
            problems += [(node.place, f"{key}: {problem}") for problem in _slips(key, node.content)]


def _slips(key: str, text: str) -> Iterator[str]:
    wanted = {f"{{{name}}}" for name in PLACEHOLDERS.get(key, ())}
    found = set(re.findall(r"\{[^{}]*\}|[{}]", text))
    if found != wanted:
        names = " and ".join(sorted(wanted)) or "nothing between braces"
        yield f"must have {names}, not {' and '.join(sorted(found)) or 'nothing'}"
    if key == "code" and not CODE.fullmatch(text):
        yield f"must be the code of a language, such as de, not '{text}'"


ENGLISH: Texts = load("en")[0]
