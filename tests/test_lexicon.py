from __future__ import annotations

import argparse
import json
import re
import time
import unicodedata
from pathlib import Path

import pytest

from kiosk.commands import lexicon as command
from kiosk.errors import ModelError
from kiosk.messages import Entry
from kiosk.words import gcide, wordnet
from kiosk.words import lexicon as lexicon_module
from kiosk.words.lexicon import Lexicon, build, write

CLASSES = Path(__file__).parent.parent / "models" / "classes.txt"
COUNTS = (1323, 46, 635)
"""Defined as persons, known in another sense only, derived: a change must be looked through."""


@pytest.fixture(scope="module")
def built() -> Lexicon:
    started = time.monotonic()
    lexicon = build(CLASSES.read_text().split(), wordnet.data_folder(), gcide.data_folder())
    assert time.monotonic() - started < 60  # twice what is promised, for a busy machine
    return lexicon


@pytest.fixture(scope="module")
def small() -> Lexicon:
    return Lexicon([Entry("n00007846", ("person",), "a being", (), None, "L. persōna", "Webster 1913")])


def entry(lexicon: Lexicon, label: str) -> Entry:
    """The first entry with this label."""
    return next(entry for entry in lexicon.values() if entry.label == label)


def test_there_is_an_entry_for_every_category(built: Lexicon) -> None:
    assert list(built) == CLASSES.read_text().split()
    assert built["n00007846"].chain == ()
    assert entry(built, "soldier").chain == (
        "enlisted person",
        "serviceman",
        "skilled worker",
        "worker",
        "person",
    )
    assert built["n00007846"].above == ()
    assert entry(built, "soldier").above[:5] == (
        "n10058777",
        "n10582746",
        "n10605985",
        "n09632518",
        "n00007846",
    )


def test_as_many_are_defined_and_derived_as_were_when_looked_through(built: Lexicon) -> None:
    definitions = [e.definition for e in built.values() if e.definition]
    counts = (
        sum(d.of_person for d in definitions),
        sum(not d.of_person for d in definitions),
        sum(e.etymology is not None for e in built.values()),
    )
    assert counts == COUNTS


@pytest.mark.parametrize(
    ("label", "headword", "words"),
    [
        ("slattern", "slattern", "negligent of her dress or house"),
        ("soldier", "soldier", "engaged in military service"),
        ("hypocrite", "hypocrite", "plays a part"),
        ("orphan", "orphan", "bereaved of both father and mother"),
        ("flibbertigibbet", "flibbertigibbet", "imp"),
        ("prison guard", "jailer", "keeper of a jail"),
        ("father", "father", "begotten a child"),
    ],
)
def test_the_dictionary_is_quoted_for_the_person(
    built: Lexicon, label: str, headword: str, words: str
) -> None:
    definition = entry(built, label).definition
    assert definition is not None
    assert definition.of_person
    assert definition.headword == headword
    assert words in definition.text
    assert definition.source == "Webster 1913"


def test_a_screw_that_guards_prisoners_is_no_tool(built: Lexicon) -> None:
    screws = [e for e in built.values() if "screw" in e.lemmas]
    assert screws
    for screw in screws:
        assert screw.definition is None or not re.search("cylinder|nail|propel", screw.definition.text)


def test_where_the_word_is_known_for_no_person_that_is_said_and_no_more(built: Lexicon) -> None:
    definition = entry(built, "wallah").definition
    assert definition is not None
    assert not definition.of_person
    assert (definition.headword, definition.text) == ("wallah", "")
    assert all(e.definition.text or not e.definition.of_person for e in built.values() if e.definition)


def test_etymologies_belong_to_their_word(built: Lexicon) -> None:
    soldier = entry(built, "soldier")
    assert soldier.etymology is not None
    assert "fr. L. solidus a piece of money" in soldier.etymology
    assert soldier.etymology_source == "Webster 1913"
    assert entry(built, "slattern").etymology is None  # the file gives it that of "slaty"
    assert entry(built, "hypocrite").etymology == "F., fr. L. hypocrita"  # the Greek was lost by the file


def test_later_additions_are_not_called_websters(built: Lexicon) -> None:
    flapper = entry(built, "flapper").definition
    assert flapper is not None
    assert flapper.source == "GCIDE"


def test_no_markup_is_left(built: Lexicon) -> None:
    damage = re.compile(r"[<>{}\[\]\n\ufffd\\|~^`?]|  |^\s|\s$|--|Webster|PJC|\b1913\b")
    for e in built.values():
        for text in (e.definition.text if e.definition else "", e.etymology or ""):
            assert not damage.search(text), (e.synset, text)
            assert unicodedata.is_normalized("NFC", text)
            assert text.count("(") == text.count(")"), text


def test_the_characters_are_listed_for_the_font(built: Lexicon) -> None:
    characters = built.characters()
    assert {c for e in built.values() for c in "".join((e.gloss, *e.lemmas, *e.chain))} <= characters
    assert {"ς", "ἄ", "’", "–"} <= characters
    assert all(c.isprintable() for c in characters)
    assert {unicodedata.name(c).split()[0] for c in characters if c > "\xff"} <= {
        "GREEK",
        "EN",
        "RIGHT",
        "LEFT",
    }


def test_what_is_written_is_read_and_twice_the_same(built: Lexicon, tmp_path: Path) -> None:
    write(built, tmp_path / "one.json")
    started = time.monotonic()
    again = Lexicon.load(tmp_path / "one.json")
    assert time.monotonic() - started < 1
    assert dict(again) == dict(built)
    write(build(list(built)[:300], wordnet.data_folder(), gcide.data_folder()), tmp_path / "two.json")
    write(build(list(built)[:300], wordnet.data_folder(), gcide.data_folder()), tmp_path / "three.json")
    assert (tmp_path / "two.json").read_bytes() == (tmp_path / "three.json").read_bytes()


@pytest.mark.parametrize(
    "content",
    [
        None,
        b"",
        b"{",
        b"[]",
        b"\xff\xfe",
        b'{"format": "other", "entries": []}',
        b'{"format": "kiosk lexicon 2", "entries": [["n1"]]}',
        b'{"format": "kiosk lexicon 2", "entries": [[1, "a", null, 3, null, null, null, []]]}',
        b'{"format": "kiosk lexicon 1", "entries": []}',  # an older version's
    ],
)
def test_a_missing_or_damaged_file_is_one_line_that_says_how_to_mend_it(
    tmp_path: Path, content: bytes | None
) -> None:
    path = tmp_path / "lexicon.json"
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(ModelError) as caught:
        Lexicon.load(path)
    assert "\n" not in str(caught.value)
    assert "`kiosk lexicon`" in str(caught.value)


def test_an_interrupted_build_leaves_the_good_file(
    small: Lexicon, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "lexicon.json"
    write(small, path)
    good = path.read_bytes()

    def interrupted(content: object, file: object, **_: object) -> None:
        file.write('{"format"')  # type: ignore[attr-defined]
        raise KeyboardInterrupt

    monkeypatch.setattr(lexicon_module.json, "dump", interrupted)
    with pytest.raises(KeyboardInterrupt):
        write(small, path)
    assert path.read_bytes() == good
    assert list(tmp_path.iterdir()) == [path]


def test_an_id_that_is_no_noun_of_wordnet_is_refused() -> None:
    with pytest.raises(ModelError, match="n00000001 is none"):
        build(["n00000001"], wordnet.data_folder(), gcide.data_folder())


def test_the_command_writes_the_file_and_says_what_is_in_it(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    ids = tmp_path / "classes.txt"
    ids.write_text("\n".join(CLASSES.read_text().split()[:60]))
    parser = argparse.ArgumentParser()
    command.configure(parser)
    out = tmp_path / "models" / "lexicon.json"
    assert command.run(parser.parse_args(["--out", str(out), "--classes", str(ids)])) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "lexicon: 0 of 60"
    assert "60 entries" in lines[-1]
    assert len(lines) <= 6
    assert len(json.loads(out.read_text())["entries"]) == 60
    with pytest.raises(ModelError, match="must hold synset ids"):
        command.read_ids(tmp_path / "nowhere.txt")
