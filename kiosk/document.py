"""A YAML file as a tree of texts, each with its place. Alone imports yaml.

Every scalar stays text, so that YAML 1.1's guesses (`no` is False, `10:30` is 630, `00007347` is 3815)
never happen. Equal keys, aliases, tags, huge and deeply nested files are refused.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from kiosk.errors import ConfigError

MAX_BYTES = 256 * 1024
MAX_DEPTH = 20


@dataclass(frozen=True, order=True)
class Place:
    """Where something stands, counted from 1; sorts in the order of the file."""

    line: int
    column: int
    source: str

    def __str__(self) -> str:
        return f"{self.source}:{self.line}:{self.column}" if self.line < NOT_IN_FILE else self.source


NOT_IN_FILE = 1_000_000_000  # overrides sort behind the lines of the file


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


def _line_and_column(before: str) -> tuple[int, int]:
    return before.count("\n") + 1, len(before) - (before.rfind("\n") + 1) + 1


def _at(mark: Any, name: str) -> Place:
    return Place(mark.line + 1, mark.column + 1, name)


def _convert(node: Any, name: str, problems: Problems, seen: set[int], depth: int) -> Node:
    place = _at(node.start_mark, name)
    if depth > MAX_DEPTH:
        raise ConfigError((f"{place}: nested too deeply, at most {MAX_DEPTH} levels",))
    if id(node) in seen:  # an alias is the same node once more
        raise ConfigError((f"{place}: anchors and aliases (& and *) are not allowed; write it out",))
    seen.add(id(node))
    if not node.tag.startswith("tag:yaml.org,2002:") or "python" in node.tag:
        problems.append((place, f"tags ('{node.tag}') are not allowed"))
    if isinstance(node, yaml.SequenceNode):
        return Node(place, [_convert(item, name, problems, seen, depth + 1) for item in node.value])
    if isinstance(node, yaml.MappingNode):
        content: dict[str, Node] = {}
        for key, value in node.value:
            key_place = _at(key.start_mark, name)
            if not isinstance(key, yaml.ScalarNode):
                problems.append((key_place, "a key must be a word"))
            elif key.value in content:
                problems.append((key_place, f"{key.value}: stands here twice; remove one of the two"))
            else:
                content[key.value] = _convert(value, name, problems, seen, depth + 1)
                content[key.value].key_place = key_place
        return Node(place, content)
    return Node(place, node.value)


def override(root: Node, override: str, problems: Problems) -> None:
    """Set one value, "section.key=value", in the tree."""
    path, equals, value = override.partition("=")
    keys = path.strip().split(".")
    place = Place(NOT_IN_FILE, 0, f"--set {override}")
    if not equals or not all(keys):
        problems.append((place, "must be section.key=value"))
        return
    node = root
    for key in keys[:-1]:
        if not isinstance(node.content, dict):
            return  # the file is wrong here, and the schema says so
        node = node.content.setdefault(key, Node(place, {}))
    if isinstance(node.content, dict):
        node.content[keys[-1]] = Node(place, value.strip())
