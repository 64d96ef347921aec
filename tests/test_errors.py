from __future__ import annotations

import re
from collections.abc import Iterator

import pytest

from kiosk import errors
from kiosk.errors import ConfigError, KioskError

TREE = re.findall(r"^[├└]── (\w+) +(\d+)   \S", errors.__doc__ or "", flags=re.MULTILINE)


def below(cls: type[KioskError]) -> Iterator[type[KioskError]]:
    for found in cls.__subclasses__():
        yield found
        yield from below(found)


def test_the_tree_in_the_docstring_is_the_tree_of_classes_with_their_exit_codes() -> None:
    classes = [cls for cls in below(KioskError) if cls.__module__ == "kiosk.errors"]
    assert len(classes) > 5
    assert [(cls.__name__, str(cls.exit_code)) for cls in classes] == TREE


def test_no_failure_ends_like_a_success_or_like_another_failure() -> None:
    codes = [cls.exit_code for cls in below(KioskError)]
    assert all(0 < code < 126 for code in codes)
    assert len(codes) == len(set(codes))


def test_a_config_error_holds_one_line_a_problem() -> None:
    error = ConfigError(("a:1:1: x", "a:2:1: y"))
    assert error.problems == ("a:1:1: x", "a:2:1: y")
    assert str(error) == "a:1:1: x\na:2:1: y"


@pytest.mark.parametrize(
    ("quoted", "line"),
    [
        ("'a\nb'", r"'a\nb'"),
        ("'\x1b[2J'", r"'\x1b[2J'"),
        ("'\ud800'", r"'\ud800'"),
        ("'\u2028'", r"'\u2028'"),
        ("'\u00fcber \u014f \U0001f3ad'", "'\u00fcber \u014f \U0001f3ad'"),
    ],
)
def test_what_a_problem_quotes_cannot_break_its_line(quoted: str, line: str) -> None:
    assert ConfigError((quoted,)).problems == (line,)


def test_a_problem_that_quotes_a_book_keeps_its_beginning_and_its_end() -> None:
    (line,) = ConfigError((f"a:1:1: must be short, not '{'x' * 100_000}'. Did you mean 'y'?",)).problems
    assert len(line) <= 600
    assert line.startswith("a:1:1: must be short, not 'xxx")
    assert line.endswith("xxx'. Did you mean 'y'?")
