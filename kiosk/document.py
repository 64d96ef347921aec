"""A YAML file as a tree of texts, each with its place. Alone imports yaml.

Every scalar stays text, so that YAML 1.1's guesses (`no` is False, `10:30` is 630, `00007347` is 3815)
never happen. Equal keys, aliases, tags, huge and deeply nested files are refused.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from kiosk.errors import ConfigError

MAX_BYTES = 256 * 1024
MAX_DEPTH = 20
TOO_DEEP = re.compile(rf"(?:[\[{{]\s*){{{MAX_DEPTH + 2},}}")
# What BaseLoader gives to a node that has no tag of its own.
PLAIN_TAGS = {f"tag:yaml.org,2002:{kind}" for kind in ("str", "seq", "map")}


@dataclass(frozen=True, order=True)
class Place:
    """Where something stands, counted from 1; sorts in the order of the file."""

    line: int
    column: int
    source: str

    def __str__(self) -> str:
        return f"{self.source}:{self.line}:{self.column}" if self.line < NOT_IN_FILE else self.source


NOT_IN_FILE = 1_000_000_000  # overrides sort behind the lines of the file


class Written(str):
    """A text that somebody wrote, and where: what it names may be looked up long after the file was read."""

    __slots__ = ("place",)
    place: Place

    @classmethod
    def at(cls, place: Place, text: str) -> Written:
        """The text as it stands there."""
        written = cls(text)
        written.place = place
        return written


def key_at(key: str, text: str) -> str:
    """A key for a message about its text, "file:line:column: key"; without the place where no file has it."""
    place = text.place if isinstance(text, Written) else None
    return f"{place}: {key}" if place and place.line < NOT_IN_FILE else key


@dataclass
class Node:
    """A piece of the file, where it stands, and where its key does."""

    place: Place
    content: str | list[Node] | dict[str, Node]
    key_place: Place | None = None


Problems = list[tuple[Place, str]]


def read(path: Path, problems: Problems) -> Node:
    """The tree of a file. Adds to `problems` what can be passed over; raises ConfigError for what cannot."""
    try:
        # Of a pipe nothing may ever come.
        if path.exists() and not path.is_file():
            raise ConfigError((f"{path}: must be a file",))
        with path.open("rb") as file:
            raw = file.read(MAX_BYTES + 1)
    except OSError as error:
        raise ConfigError((f"{path}: cannot be read: {error.strerror}",)) from error
    if len(raw) > MAX_BYTES:
        raise ConfigError((f"{path}: must be at most {MAX_BYTES // 1024} KiB",))
    try:
        content = raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line, column = _line_and_column(raw[: error.start].decode("utf-8", "replace"))
        raise ConfigError((f"{path}:{line}:{column}: must be UTF-8 text; save the file as UTF-8",)) from error
    if found := TOO_DEEP.search(content):  # PyYAML comes to the same end after seconds
        line, column = _line_and_column(content[: found.start()])
        raise ConfigError((f"{path}:{line}:{column}: nested too deeply, at most {MAX_DEPTH} levels",))
    try:
        tree = yaml.compose(content, Loader=yaml.BaseLoader)
        if tree is None:
            return Node(Place(1, 1, str(path)), {})
        return _convert(tree, str(path), problems, set(), 0)
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        place = _at(mark, str(path)) if mark else path
        hint = ". Indent with spaces, not tabs" if "'\\t'" in str(error.problem) else ""
        raise ConfigError((f"{place}: not YAML: {error.problem or error.context}{hint}",)) from error
    except yaml.reader.ReaderError as error:
        line, column = _line_and_column(content[: error.position])
        raise ConfigError((f"{path}:{line}:{column}: a character that YAML does not allow",)) from error
    except RecursionError as error:
        raise ConfigError((f"{path}: nested too deeply, at most {MAX_DEPTH} levels",)) from error
    except (ValueError, OverflowError) as error:  # PyYAML passes on what chr() and int() raise
        raise ConfigError((f"{path}: not YAML: an escape or a version number is out of range",)) from error


def _line_and_column(before: str) -> tuple[int, int]:
    return before.count("\n") + 1, len(before) - (before.rfind("\n") + 1) + 1


def _at(mark: Any, name: str) -> Place:
    return Place(mark.line + 1, mark.column + 1, name)


def _convert(node: Any, name: str, problems: Problems, seen: set[int], depth: int) -> Node:
    place = _at(node.start_mark, name)
    if depth > MAX_DEPTH:
        raise ConfigError((f"{place}: nested too deeply, at most {MAX_DEPTH} levels",))
    _refuse_alias_and_tag(node, place, problems, seen)
    if isinstance(node, yaml.SequenceNode):
        return Node(place, [_convert(item, name, problems, seen, depth + 1) for item in node.value])
    if isinstance(node, yaml.MappingNode):
        content: dict[str, Node] = {}
        for key, value in node.value:
            key_place = _at(key.start_mark, name)
            _refuse_alias_and_tag(key, key_place, problems, seen)
            if not isinstance(key, yaml.ScalarNode):
                problems.append((key_place, "a key must be a word"))
            elif key.value in content:
                problems.append((key_place, f"{key.value}: stands here twice; remove one of the two"))
            else:
                content[key.value] = _convert(value, name, problems, seen, depth + 1)
                content[key.value].key_place = key_place
        return Node(place, content)
    return Node(place, node.value)


def _refuse_alias_and_tag(node: Any, place: Place, problems: Problems, seen: set[int]) -> None:
    if id(node) in seen:  # an alias is the same node once more
        raise ConfigError((f"{place}: anchors and aliases (& and *) are not allowed; write it out",))
    seen.add(id(node))
    if node.tag not in PLAIN_TAGS:
        problems.append((place, f"tags ('{node.tag.replace('tag:yaml.org,2002:', '!!')}') are not allowed"))


def override(root: Node, override: str, problems: Problems) -> None:
    """Set one value, "section.key=value", in the tree."""
    path, equals, value = override.partition("=")
    keys = path.strip().split(".")
    # The value of an address may hold a password.
    shown = path.strip() if "@" in value else override
    place = Place(NOT_IN_FILE, 0, f"--set {shown}")
    if not equals or not all(keys):
        problems.append((place, "must be section.key=value"))
        return
    node = root
    for at, key in enumerate(keys):
        content = {} if node.content == "" else node.content  # "camera:" with nothing below it
        if not isinstance(content, dict):
            problems.append((place, f"{'.'.join(keys[:at]) or 'the file'}: is not a section"))
            return
        node.content = content
        if at == len(keys) - 1:
            content[key] = Node(place, value.strip())
        else:
            node = content.setdefault(key, Node(place, {}))
