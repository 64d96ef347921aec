"""A document's texts to frozen dataclasses: typed, strict, every problem at once with line and column.

A dataclass field is made by one of the functions `text`, `integer`, `number`, `boolean`, `choice`,
`colour` and `section`, which keep the help and the limits beside the default;
`tuple[SomeDataclass, ...]` is a list of sections. A text may be a section: `text_or_section`, `ByLanguage`.
"""

from __future__ import annotations

import dataclasses
import difflib
import math
import re
import typing
import unicodedata
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, TypeVar

from kiosk.document import Node, Problems, Written, override, read
from kiosk.errors import ConfigError

T = TypeVar("T")
REQUIRED = dataclasses.MISSING
ByLanguage = tuple[tuple[str, str], ...]  # of a `text`: pairs of a code, such as de ("": all), and a text


def _field(help: str, default: Any, convert: Callable[[str], Any], limits: str = "") -> Any:
    metadata = {"help": f"{help} ({limits})" if limits else help, "convert": convert}
    return dataclasses.field(default=default, metadata=metadata)


def text(help: str, default: Any = REQUIRED, empty: bool = False) -> Any:
    """A field of text; `empty` says whether it may be."""

    def convert(value: str) -> str:
        # NUL and half a surrogate pair end whatever draws them or opens them as a path.
        if any(unicodedata.category(letter) in ("Cc", "Cs") for letter in value if letter not in "\n\t"):
            raise ValueError("must be a text without control characters")
        if not value and not empty:
            raise ValueError("must be a text, not empty")
        return value

    return _field(help, default, convert)


@dataclasses.dataclass(frozen=True)
class Inline:
    """A section that somebody else will read, where a name could stand as well."""

    node: Node
    key: str
    """Where it stands, "section.key"."""

    def __str__(self) -> str:
        """For a person."""
        return f"written in {self.node.place.source}"


def text_or_section(help: str, default: str) -> Any:
    """A field of text, or of a section that `load_inline` will read (Inline)."""
    made = text(help, default)
    return dataclasses.field(default=default, metadata={**made.metadata, "inline": True})


def number(help: str, default: float, low: float, high: float, unit: str = "") -> Any:
    """A field for a finite number from low to high."""
    limits = _limits(low, high, unit)
    return _field(help, default, lambda value: _number(value, low, high, unit, whole=False), limits)


def integer(help: str, default: int, low: int, high: int, unit: str = "") -> Any:
    """A field for a whole number from low to high."""
    limits = _limits(low, high, unit)
    return _field(help, default, lambda value: int(_number(value, low, high, unit, whole=True)), limits)


def boolean(help: str, default: bool) -> Any:
    """A field for true or false; yes, no, on and off are understood."""
    words = {"true": True, "yes": True, "on": True, "false": False, "no": False, "off": False}

    def convert(value: str) -> bool:
        if value.lower() not in words:
            raise ValueError(f"must be true or false, not '{value}'")
        return words[value.lower()]

    return _field(help, default, convert)


def choice(help: str, default: str, options: Sequence[str]) -> Any:
    """A field for one word out of several."""

    def convert(value: str) -> str:
        if value not in options:
            raise ValueError(f"must be one of {', '.join(options)}, not '{value}'{_suggest(value, options)}")
        return value

    return _field(help, default, convert)


def colour(help: str, default: Any = None) -> Any:
    """A field for a colour, "#rrggbb"; without a default also "auto", which is None."""

    def convert(value: str) -> str | None:
        if value == "auto" and default is None:
            return None
        if not value:
            raise ValueError('must be a colour such as "#39ff14", with the quotes: a bare # begins a comment')
        if not re.fullmatch(r"#[0-9a-fA-F]{6}", value):
            raise ValueError(f"must be a colour such as \"#39ff14\", not '{value}'")
        return value.lower()

    return _field(help, default, convert)


def converted(help: str, convert: Callable[[str], T], default: Any = REQUIRED) -> Any:
    """A field for what `convert` makes of its text; ValueError is its word for what was wanted and found."""
    return _field(help, default, convert)


def size(help: str, low: int, high: int, multiple: int = 1) -> Any:
    """A field for "auto" (None, the default) or a size "WIDTHxHEIGHT" in pixels (a pair of int)."""

    def convert(value: str) -> tuple[int, int] | None:
        if value == "auto":
            return None
        found = re.fullmatch(r"([0-9]{1,5})x([0-9]{1,5})", value)
        sides = tuple(int(side) for side in found.groups()) if found else ()
        if not sides or not all(low <= side <= high and side % multiple == 0 for side in sides):
            steps = f", in steps of {multiple}" if multiple > 1 else ""
            raise ValueError(
                f"must be auto or WIDTHxHEIGHT, each from {low} to {high} (pixels){steps}, not '{value}'"
            )
        return sides[0], sides[1]

    return _field(help, None, convert)


def section(cls: type[T]) -> T:
    """A field that is a section of its own, all keys of which have defaults."""
    made: T = dataclasses.field(default_factory=cls, metadata={"help": (cls.__doc__ or "").strip()})
    return made


def load(
    path: Path,
    cls: type[T],
    overrides: Sequence[str] = (),
    check: Callable[[Node, Problems], None] = lambda root, problems: None,
) -> T:
    """Read a file into `cls`; `overrides` are texts "section.key=value" that win over the file.

    `check` adds problems that only the caller can see. Raises ConfigError with every problem, in the
    order of the file.
    """
    problems: Problems = []
    root = read(path, problems)
    for setting in overrides:
        override(root, setting, problems)
    return _checked(root, cls, "", check, problems)


def load_inline(
    inline: Inline, cls: type[T], check: Callable[[Node, Problems], None] = lambda root, problems: None
) -> T:
    """Read a section into `cls`, as `load` does a file. Raises ConfigError with every problem."""
    return _checked(inline.node, cls, inline.key, check, [])


def _checked(
    root: Node, cls: type[T], name: str, check: Callable[[Node, Problems], None], problems: Problems
) -> T:
    check(root, problems)
    bound = _bind(cls, root, name, problems)
    if problems or bound is None:
        raise ConfigError(tuple(f"{place}: {problem}" for place, problem in sorted(problems)))
    return bound


def _limits(low: float, high: float, unit: str) -> str:
    return f"{low:g} to {high:g} {unit}".rstrip()


def _number(value: str, low: float, high: float, unit: str, *, whole: bool) -> float:
    pattern = r"[+-]?\d+" if whole else r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?"
    kind = "a whole number" if whole else "a number"
    wanted = f"must be {kind} from {_limits(low, high, unit)}"
    found = float(value) if re.fullmatch(pattern, value, re.ASCII) and len(value) < 40 else math.nan
    if not low <= found <= high:  # also for NaN
        raise ValueError(f"{wanted}, not '{value}'" if value else f"{wanted}, not empty")
    return found


def _suggest(word: str, known: Sequence[str]) -> str:
    close = difflib.get_close_matches(word, known, n=1, cutoff=0.6)
    return f". Did you mean '{close[0]}'?" if close else ""


def _bind(cls: type[T], node: Node, prefix: str, problems: Problems) -> T | None:
    """An instance of `cls`, or None after adding to `problems`."""
    if node.content == "":  # "camera:" with nothing below it
        node = Node(node.place, {})
    if not isinstance(node.content, dict):
        problems.append((node.place, f"{prefix or 'the file'}: must be a section of 'key: value' lines"))
        return None
    before = len(problems)
    fields = {field.name: field for field in dataclasses.fields(typing.cast(Any, cls))}
    hints = typing.get_type_hints(cls)
    for key, value in node.content.items():
        if key not in fields:
            name = f"{prefix}.{key}" if prefix else key
            problems.append(
                (value.key_place or value.place, f"{name}: unknown key{_suggest(key, list(fields))}")
            )
    values: dict[str, Any] = {}
    for key, field in fields.items():
        name = f"{prefix}.{key}" if prefix else key
        if key in node.content:
            values[key] = _value(field, hints[key], node.content[key], name, problems)
        elif field.default is REQUIRED and field.default_factory is REQUIRED:
            problems.append((node.place, f"{name}: missing ({field.metadata['help']})"))
    if len(problems) > before:
        return None
    try:
        return cls(**values)
    except ValueError as error:  # keys that contradict each other
        problems.append((node.place, f"{prefix or 'the file'}: {error}"))
        return None


def _value(field: Any, hint: Any, node: Node, name: str, problems: Problems) -> Any:
    if dataclasses.is_dataclass(hint):
        return _bind(typing.cast(Any, hint), node, name, problems)
    if hint == ByLanguage:
        parts = node.content if isinstance(node.content, dict) else {"": node} if node.content != "" else {}
        for code in parts:
            if parts[code] is not node and not re.fullmatch("[a-z]{2,3}", code):
                problems.append((parts[code].place, f"{name}: '{code}' is not the code of a language"))
        return tuple((code, _value(field, str, part, name, problems)) for code, part in parts.items())
    if typing.get_origin(hint) is tuple:
        if not isinstance(node.content, list):
            problems.append((node.place, f"{name}: must be a list"))
            return None
        item = typing.get_args(hint)[0]
        return tuple(
            _value(field, item, part, f"{name}[{at}]", problems) for at, part in enumerate(node.content)
        )
    if isinstance(node.content, dict) and field.metadata.get("inline"):
        return Inline(node, name)
    if not isinstance(node.content, str):
        kind = "a list" if isinstance(node.content, list) else "a section"
        problems.append((node.place, f"{name}: must be a single value, not {kind}"))
        return None
    try:
        made = field.metadata["convert"](node.content)
        return Written.at(node.place, made) if isinstance(made, str) else made
    except ValueError as error:
        problems.append((node.place, f"{name}: {error}"))
        return None
