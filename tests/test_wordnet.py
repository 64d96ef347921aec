from __future__ import annotations

import re
from pathlib import Path

import pytest

from kiosk.errors import ModelError
from kiosk.words import wordnet
from kiosk.words.wordnet import Synset

CLASSES = Path(__file__).parent.parent / "models" / "classes.txt"


@pytest.fixture(scope="module")
def synsets() -> dict[str, Synset]:
    return wordnet.read_synsets(wordnet.data_folder())


def test_one_line_of_the_file_is_read_as_the_manual_says() -> None:
    line = (
        "10622053 18 n 02 soldier 0 foot_soldier 0 004 @ 09943239 n 0000 @i 10058777 n 0000 + 01234567 v 0101"
        ' ~ 09795124 n 0000 | one who serves; "the soldiers stood"  '
    )
    assert wordnet.parse_synset(line) == Synset(
        "n10622053",
        ("soldier", "foot soldier"),
        'one who serves; "the soldiers stood"',
        ("n09943239", "n10058777"),
    )


def test_lemmas_and_glosses_of_all_categories_are_wordnets_to_the_letter(synsets: dict[str, Synset]) -> None:
    wanted = CLASSES.read_text().split()
    data = (wordnet.data_folder() / "data.noun").read_bytes()
    data = data.replace(b"\r\n", b"\n")  # with Unix line ends each id is its line's offset in bytes
    for id_ in wanted:
        line = data[int(id_[1:]) :].split(b"\n", 1)[0].decode()
        words = re.match(r"\d{8} \d\d n ([0-9a-f]{2}) ", line)
        assert words is not None
        lemmas = re.findall(r"(\S+) [0-9a-f] ", line[words.end() :])[: int(words[1], 16)]
        assert synsets[id_].lemmas == tuple(lemma.replace("_", " ") for lemma in lemmas)
        assert synsets[id_].gloss == line[line.index(" | ") + 3 :].rstrip(" ")
    assert len(wanted) == 2833


def test_every_category_reaches_person_over_its_own_hypernyms(synsets: dict[str, Synset]) -> None:
    below = wordnet.below_person(synsets)
    for id_ in CLASSES.read_text().split():
        path = wordnet.path_to_person(synsets, id_)
        if id_ == wordnet.PERSON:
            assert path == ()
            continue
        assert path[-1] == wordnet.PERSON
        assert set(path) <= below
        assert all(up in synsets[down].hypernyms for down, up in zip((id_, *path), path, strict=False))


def test_the_shortest_way_wins_and_then_the_first_pointer() -> None:
    def synset(id_: str, *hypernyms: str) -> Synset:
        return Synset(id_, (id_.upper(),), "", hypernyms)

    few = [synset("a", "thing", "long", "b", "c"), synset("b", "person"), synset("c", "person")]
    few += [synset("long", "b"), synset("thing"), Synset("person", ("person",), "", ("thing",))]
    world = {wordnet.PERSON if s.id == "person" else s.id: s for s in few}
    world = {
        id_: Synset(s.id, s.lemmas, "", tuple(wordnet.PERSON if h == "person" else h for h in s.hypernyms))
        for id_, s in world.items()
    }
    assert wordnet.chain(world, "a") == ("B", "person")
    with pytest.raises(ValueError, match="thing must lie below"):
        wordnet.chain(world, "thing")


def test_files_that_are_not_wordnets_are_refused(tmp_path: Path) -> None:
    (tmp_path / "data.noun").write_text("no such format\n")
    (tmp_path / "index.noun").write_text("no such format\n")
    with pytest.raises(ModelError, match="must be WordNet 3"):
        wordnet.read_synsets(tmp_path)
    with pytest.raises(ModelError, match="must be WordNet 3"):
        wordnet.read_first_senses(tmp_path)


def test_above_are_all_ways_up_within_person_the_shortest_first() -> None:
    hypernyms = {
        "n4": ("n2", "n3", "n9"),
        "n3": ("n5",),
        "n5": (wordnet.PERSON,),
        "n2": (wordnet.PERSON,),
        "n9": (),
        wordnet.PERSON: ("n9",),
    }
    synsets = {id_: wordnet.Synset(id_, (id_,), "", above) for id_, above in hypernyms.items()}
    persons = frozenset(hypernyms) - {"n9"}
    assert wordnet.above(synsets, "n4", persons) == ("n2", wordnet.PERSON, "n3", "n5")
    assert wordnet.above(synsets, wordnet.PERSON, persons) == ()
