"""Synset in, words out: WordNet's lemmas, gloss and chain, Webster's definition and etymology.

Built once at set-up into a JSON file; the dictionaries are read for that only.
"""

from __future__ import annotations

import functools
import json
import os
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import astuple
from pathlib import Path

from kiosk.errors import ModelError
from kiosk.messages import Definition, Entry
from kiosk.words import gcide, wordnet
from kiosk.words.choice import Chooser, spellings
from kiosk.words.senses import Judge

FORMAT = "kiosk lexicon 2"
BUILD_COMMAND = "kiosk lexicon"


class Lexicon(Mapping[str, Entry]):
    """All entries by synset id."""

    def __init__(self, entries: Sequence[Entry]) -> None:
        self._entries = {entry.synset: entry for entry in entries}

    def __getitem__(self, synset: str) -> Entry:
        return self._entries[synset]

    def __iter__(self) -> Iterator[str]:
        return iter(self._entries)

    def __len__(self) -> int:
        return len(self._entries)

    def characters(self) -> frozenset[str]:
        """Every character that a caption may have to draw."""
        return frozenset().union(*(_texts(entry) for entry in self.values()))

    @classmethod
    def load(cls, path: Path) -> Lexicon:
        """Read what `write` wrote; ModelError in one line where that cannot be done."""
        try:
            content = json.loads(path.read_text(encoding="utf-8"))
            if content["format"] != FORMAT:
                raise ValueError(f"format must be {FORMAT!r}")
            entries = [_entry(*record) for record in content["entries"]]
        except FileNotFoundError as error:
            raise ModelError(f"{path} must be there: run `{BUILD_COMMAND}` to build it") from error
        except (OSError, ValueError, KeyError, TypeError, RecursionError) as error:
            raise ModelError(f"{path} must be a lexicon and is damaged: run `{BUILD_COMMAND}`") from error
        return cls(entries)


def _entry(
    synset: str,
    lemmas: list[str],
    gloss: str,
    chain: list[str],
    definition: tuple[str, str, bool, str] | None,
    etymology: str | None,
    etymology_source: str | None,
    above: list[str],
) -> Entry:
    words = Definition(*definition) if definition else None
    return Entry(synset, tuple(lemmas), gloss, tuple(chain), words, etymology, etymology_source, tuple(above))


def _texts(entry: Entry) -> str:
    words = entry.definition
    said = (words.headword, words.text, words.source) if words else ()
    told = (entry.etymology or "", entry.etymology_source or "")
    return "".join((*entry.lemmas, entry.gloss, *entry.chain, *said, *told))


def write(lexicon: Lexicon, path: Path) -> None:
    """Write `path` whole or not at all: an interrupted build leaves the old file as it was."""
    content = {"format": FORMAT, "entries": [astuple(entry) for entry in lexicon.values()]}
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=path.name, suffix=".part")
    try:
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            json.dump(content, file, ensure_ascii=False, separators=(",", ":"))
            file.flush()
            os.fsync(file.fileno())
        Path(name).chmod(0o644)  # mkstemp's 0600 would hide it from the kiosk's own user
        Path(name).replace(path)
    finally:
        Path(name).unlink(missing_ok=True)


def build(
    synset_ids: Sequence[str],
    wordnet_folder: Path,
    gcide_folder: Path,
    progress: Callable[[int, int], None] = lambda done, total: None,
) -> Lexicon:
    """Entries for `synset_ids`, in their order. `progress` hears how many of how many are done."""
    synsets = wordnet.read_synsets(wordnet_folder)
    missing = [id_ for id_ in synset_ids if id_ not in synsets]
    if missing:
        raise ModelError(f"synsets must be WordNet 3.0's nouns, but {missing[0]} is none")
    chosen = [synsets[id_] for id_ in synset_ids]
    progress(0, len(chosen))
    wanted = {spelling for synset in chosen for lemma in synset.lemmas for spelling in spellings(lemma)}
    dictionary = gcide.read(gcide_folder, wanted)
    wanted_ids = set(synset_ids)
    persons = wordnet.below_person(synsets)
    first_senses = wordnet.read_first_senses(wordnet_folder)
    judge = Judge.of(
        # A lemma that WordNet writes with a capital is a name: Sir Oliver Lodge makes no person of a lodge.
        (
            lemma
            for lemma, id_ in first_senses.items()
            if id_ in persons and (id_ in wanted_ids or lemma in synsets[id_].lemmas)
        ),
        (synset.gloss for synset in chosen),
    )
    chain_of = functools.partial(wordnet.chain, synsets)
    chooser = Chooser((synsets[id_] for id_ in sorted(persons)), chain_of, dictionary, judge)
    entries = []
    for synset in chosen:
        definition, homograph = chooser.define(synset)
        etymology = homograph.etymology if homograph else None
        source = homograph.source if homograph and etymology else None
        entries.append(
            Entry(
                synset.id,
                synset.lemmas,
                synset.gloss,
                chain_of(synset.id),
                definition,
                etymology,
                source,
                wordnet.above(synsets, synset.id, persons),
            )
        )
        progress(len(entries), len(chosen))
    return Lexicon(entries)
