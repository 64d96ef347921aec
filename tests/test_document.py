from __future__ import annotations

import os
from pathlib import Path

import pytest

from kiosk import document
from kiosk.document import Node, Place, Problems
from kiosk.errors import ConfigError


def read(folder: Path, content: str | bytes) -> tuple[Node, list[str]]:
    """The tree of a file with this content, and its problems without the folder's name."""
    path = folder / "k.yaml"
    path.write_bytes(content if isinstance(content, bytes) else content.encode("utf-8", "surrogatepass"))
    problems: Problems = []
    tree = document.read(path, problems)
    return tree, [f"{place}: {problem}".removeprefix(f"{folder}/") for place, problem in problems]


def refusal(folder: Path, content: str | bytes) -> str:
    """The one line with which a file is refused, without the folder's name."""
    with pytest.raises(ConfigError) as caught:
        read(folder, content)
    (line,) = caught.value.problems
    return line.removeprefix(f"{folder}/")


def plain(node: Node) -> object:
    """The tree without its places."""
    if isinstance(node.content, dict):
        return {key: plain(value) for key, value in node.content.items()}
    if isinstance(node.content, list):
        return [plain(item) for item in node.content]
    return node.content


@pytest.mark.parametrize(
    ("written", "read_as"),
    [
        ("no", "no"),
        ("Off", "Off"),
        ("10:30", "10:30"),
        ("00007347", "00007347"),
        ("09820263", "09820263"),
        ("1e3", "1e3"),
        ("1_000", "1_000"),
        ("0x1F", "0x1F"),
        (".nan", ".nan"),
        ("2009-12-01", "2009-12-01"),
        ("null", "null"),
        ("~", "~"),
        ("=", "="),
        ("", ""),
        ("#ff0000", ""),
        ('"#ff0000"', "#ff0000"),
        ("'it''s'", "it's"),
        ('"tab\\tand umlaut \\u00fc"', "tab\tand umlaut \u00fc"),
        (">-\n  two\n  lines", "two lines"),
        ("|\n  two\n  lines", "two\nlines\n"),
    ],
)
def test_a_scalar_stays_the_text_that_was_written(tmp_path: Path, written: str, read_as: str) -> None:
    tree, problems = read(tmp_path, f"key: {written}\n")
    assert plain(tree) == {"key": read_as}
    assert problems == []


@pytest.mark.parametrize("content", ["", "\n\n", "# only a comment\n", "---\n...\n", b"\xef\xbb\xbf"])
def test_an_empty_file_is_an_empty_section(tmp_path: Path, content: str | bytes) -> None:
    tree, problems = read(tmp_path, content)
    assert plain(tree) in ({}, "")
    assert problems == []


def test_a_byte_order_mark_and_windows_line_ends_are_passed_over(tmp_path: Path) -> None:
    tree, problems = read(tmp_path, b"\xef\xbb\xbfa: 1\r\nb: 2\r\n")
    assert plain(tree) == {"a": "1", "b": "2"}
    assert problems == []


def test_every_node_and_every_key_knows_its_place(tmp_path: Path) -> None:
    tree, _ = read(tmp_path, "a: 1\nb:\n  - c:   x\n")
    assert isinstance(tree.content, dict)
    entry = tree.content["b"]
    assert entry.key_place == Place(2, 1, str(tmp_path / "k.yaml"))
    assert isinstance(entry.content, list)
    (item,) = entry.content
    assert isinstance(item.content, dict)
    found = item.content["c"]
    assert (found.place.line, found.place.column) == (3, 10)
    assert found.key_place is not None
    assert (found.key_place.line, found.key_place.column) == (3, 5)
    assert str(found.place) == f"{tmp_path}/k.yaml:3:10"


@pytest.mark.parametrize(
    ("content", "line"),
    [
        ("\ta: 1", "k.yaml:1:1: not YAML: found character '\\t' that cannot start any token. "
                   "Indent with spaces, not tabs"),
        ("a:\n\tb: 1", "k.yaml:2:1: not YAML: found character '\\t' that cannot start any token. "
                       "Indent with spaces, not tabs"),
        ("a: b: c", "k.yaml:1:5: not YAML: mapping values are not allowed here"),
        ("a: [1, 2", "k.yaml:1:9: not YAML: expected ',' or ']', but got '<stream end>'"),
        ("a: 'open", "k.yaml:1:9: not YAML: found unexpected end of stream"),
        ("a: @x", "k.yaml:1:4: not YAML: found character '@' that cannot start any token"),
        ("a: 1\n---\nb: 2\n", "k.yaml:2:1: not YAML: but found another document"),
        ("a: *nobody", "k.yaml:1:4: not YAML: found undefined alias 'nobody'"),
        ("a: &x 1\nb: *x", "k.yaml:1:4: anchors and aliases (& and *) are not allowed; write it out"),
        ("a: &x b\nc: {*x : 1}", "k.yaml:1:4: anchors and aliases (& and *) are not allowed; write it out"),
        ("&x [*x]", "k.yaml:1:1: anchors and aliases (& and *) are not allowed; write it out"),
        ("ok: 1\na: \x00", "k.yaml:2:4: a character that YAML does not allow"),
        ("a: \x1b[31m", "k.yaml:1:4: a character that YAML does not allow"),
        ("a: \uffff", "k.yaml:1:4: a character that YAML does not allow"),
        (b"ok: 1\na: caf\xe9\n", "k.yaml:2:7: must be UTF-8 text; save the file as UTF-8"),
        ("a: 1".encode("utf-16"), "k.yaml:1:1: must be UTF-8 text; save the file as UTF-8"),
        (b"\x80", "k.yaml:1:1: must be UTF-8 text; save the file as UTF-8"),
        ('a: "\\UFFFFFFFF"', "k.yaml: not YAML: an escape or a version number is out of range"),
        (f"%YAML 1.{'9' * 5000}\n---\n", "k.yaml: not YAML: an escape or a version number is out of range"),
        ("a: 1\nb: " + "[" * 3000, "k.yaml:2:4: nested too deeply, at most 20 levels"),
        ("{" * 3000, "k.yaml:1:1: nested too deeply, at most 20 levels"),
        ("- " * 3000, "k.yaml: nested too deeply, at most 20 levels"),
        ("[" * 22 + "]" * 22, "k.yaml:1:1: nested too deeply, at most 20 levels"),
        ("- " * 21 + "x", "k.yaml:1:43: nested too deeply, at most 20 levels"),
        ("#" * (256 * 1024 + 1), "k.yaml: must be at most 256 KiB"),
    ],
    ids=lambda value: repr(value[:24]),
)  # fmt: skip
def test_what_cannot_be_read_on_is_refused_in_one_line_with_its_place(
    tmp_path: Path, content: str | bytes, line: str
) -> None:
    assert refusal(tmp_path, content) == line


def test_twenty_levels_and_256_kib_are_still_read(tmp_path: Path) -> None:
    deepest = "- " * 20 + "x\n"
    tree, problems = read(tmp_path, deepest + "#" * (256 * 1024 - len(deepest)))
    for _ in range(20):
        assert isinstance(tree.content, list)
        (tree,) = tree.content
    assert tree.content == "x"
    assert problems == []


def test_a_text_of_200_kib_is_read_whole(tmp_path: Path) -> None:
    tree, problems = read(tmp_path, f"a: {'word ' * 40960}end\n")
    assert plain(tree) == {"a": "word " * 40960 + "end"}
    assert problems == []


@pytest.mark.parametrize(
    ("content", "problems"),
    [
        ("a: 1\na: 2", ["k.yaml:2:1: a: stands here twice; remove one of the two"]),
        ("a: {b: 1, c: 2, b: 3}", ["k.yaml:1:17: b: stands here twice; remove one of the two"]),
        ("a: 1\n'a': 2\na: 3", [
            "k.yaml:2:1: a: stands here twice; remove one of the two",
            "k.yaml:3:1: a: stands here twice; remove one of the two",
        ]),
        ("[a, b]: 1", ["k.yaml:1:1: a key must be a word"]),
        ("? {a: 1}\n: 2", ["k.yaml:1:3: a key must be a word"]),
        ("a: !new 1", ["k.yaml:1:4: tags ('!new') are not allowed"]),
        ("!new a: 1", ["k.yaml:1:1: tags ('!new') are not allowed"]),
        ("a: !!int '5'", ["k.yaml:1:4: tags ('!!int') are not allowed"]),
        ("a: !!binary aGk=", ["k.yaml:1:4: tags ('!!binary') are not allowed"]),
        ("a: !!python/object/apply:os.system [ls]",
         ["k.yaml:1:4: tags ('!!python/object/apply:os.system') are not allowed"]),
    ],
)  # fmt: skip
def test_what_can_be_passed_over_is_told_and_the_rest_is_read(
    tmp_path: Path, content: str, problems: list[str]
) -> None:
    tree, found = read(tmp_path, f"{content}\nlast: one\n")
    assert found == problems
    assert isinstance(tree.content, dict)
    assert plain(tree.content["last"]) == "one"


def test_of_two_equal_keys_the_first_is_kept(tmp_path: Path) -> None:
    tree, _ = read(tmp_path, "full: true\nfull: false\n")
    assert plain(tree) == {"full": "true"}


def test_a_merge_key_is_a_key_like_any_other(tmp_path: Path) -> None:
    tree, _ = read(tmp_path, "<<: {a: 1}\n")
    assert plain(tree) == {"<<": {"a": "1"}}


def test_a_file_that_is_not_there_or_is_a_folder_is_told_in_one_line(tmp_path: Path) -> None:
    missing = "cannot be read: No such file or directory"
    for path, reason in ((tmp_path / "no.yaml", missing), (tmp_path, "must be a file")):
        with pytest.raises(ConfigError) as caught:
            document.read(path, [])
        assert caught.value.problems == (f"{path}: {reason}",)


@pytest.mark.parametrize(
    ("content", "override", "result"),
    [
        ("", "a=1", {"a": "1"}),
        ("", "a.b=1", {"a": {"b": "1"}}),
        ("a:\n", "a.b=1", {"a": {"b": "1"}}),
        ("a:\n  b: 1\n  c: 2\n", "a.b=3", {"a": {"b": "3", "c": "2"}}),
        ("a: 1", "a=", {"a": ""}),
        ("", " a.b = c=d ", {"a": {"b": "c=d"}}),
        ("", "a=rtsp://u:p@host/1?x=y", {"a": "rtsp://u:p@host/1?x=y"}),
        ("", "a=[1, 2]", {"a": "[1, 2]"}),
    ],
)
def test_an_override_wins_over_the_file(
    tmp_path: Path, content: str, override: str, result: dict[str, object]
) -> None:
    tree, _ = read(tmp_path, content)
    problems: Problems = []
    document.override(tree, override, problems)
    assert plain(tree) == result
    assert problems == []


@pytest.mark.parametrize(
    ("override", "problem"),
    [
        ("", "--set : must be section.key=value"),
        ("a", "--set a: must be section.key=value"),
        ("=1", "--set =1: must be section.key=value"),
        (".=1", "--set .=1: must be section.key=value"),
        ("a..b=1", "--set a..b=1: must be section.key=value"),
        ("a.=1", "--set a.=1: must be section.key=value"),
        ("word.x=1", "--set word.x=1: word: is not a section"),
        ("part.word.x=1", "--set part.word.x=1: part.word: is not a section"),
        ("list.x=1", "--set list.x=1: list: is not a section"),
    ],
)
def test_an_override_that_cannot_be_set_is_told_and_changes_nothing(
    tmp_path: Path, override: str, problem: str
) -> None:
    tree, _ = read(tmp_path, "word: 1\npart: {word: 2}\nlist: [3]\n")
    problems: Problems = []
    document.override(tree, override, problems)
    assert [f"{place}: {text}" for place, text in problems] == [problem]
    assert plain(tree) == {"word": "1", "part": {"word": "2"}, "list": ["3"]}


def test_places_sort_in_the_order_of_the_file_and_overrides_behind_it(tmp_path: Path) -> None:
    tree, _ = read(tmp_path, "word: 1\n")
    problems: Problems = []
    document.override(tree, "bad", problems)
    ((override, _),) = problems
    places = [override, Place(10, 1, "f"), Place(9, 30, "f"), Place(9, 4, "f")]
    assert sorted(places) == [Place(9, 4, "f"), Place(9, 30, "f"), Place(10, 1, "f"), override]


def test_of_a_pipe_nothing_is_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.yaml")
    with pytest.raises(ConfigError, match=r"pipe\.yaml: must be a file"):
        document.read(tmp_path / "pipe.yaml", [])
