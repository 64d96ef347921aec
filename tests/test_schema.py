from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from kiosk import schema
from kiosk.document import Written
from kiosk.errors import ConfigError


@dataclass(frozen=True)
class Lamp:
    """A lamp."""

    name: str = schema.text("its name")
    watts: int = schema.integer("how strong", 40, 1, 100, "W")


@dataclass(frozen=True)
class Hours:
    """When it is open."""

    opens: int = schema.integer("opens at", 10, 0, 23)
    closes: int = schema.integer("closes at", 18, 0, 23)

    def __post_init__(self) -> None:
        """Raise ValueError where it would close before it opens."""
        if self.closes <= self.opens:
            raise ValueError("closes must be after opens")


@dataclass(frozen=True)
class Room:
    """One of each kind."""

    title: str = schema.text("a title", "untitled")
    note: str = schema.text("a note", "", empty=True)
    count: int = schema.integer("a count", 3, 1, 10, "pieces")
    share: float = schema.number("a share", 0.5, 0, 1.5)
    lit: bool = schema.boolean("whether", True)
    fit: str = schema.choice("which", "cover", ("cover", "contain"))
    paint: str = schema.colour("a colour", "#39ff14")
    motto: schema.ByLanguage = schema.text("a motto", ())
    input: tuple[int, int] | None = schema.size("a size", 64, 640, 32)
    screen: tuple[int, int] | None = schema.size("a size", 100, 7680)
    hours: Hours = schema.section(Hours)
    lamps: tuple[Lamp, ...] = ()


def load(folder: Path, content: str, *overrides: str) -> Room:
    path = folder / "r.yaml"
    path.write_text(content, encoding="utf-8")
    return schema.load(path, Room, overrides)


def problems(folder: Path, content: str, *overrides: str) -> list[str]:
    """Every line with which a file is refused, without the folder's name."""
    with pytest.raises(ConfigError) as caught:
        load(folder, content, *overrides)
    return [line.removeprefix(f"{folder}/") for line in caught.value.problems]


def test_an_empty_file_gives_the_defaults(tmp_path: Path) -> None:
    assert load(tmp_path, "") == Room()
    assert load(tmp_path, "hours:\n") == Room()


@pytest.mark.parametrize(
    ("line", "value"),
    [
        ("title: no", "no"),
        ("title: 10:30", "10:30"),
        ("title: 00007347", "00007347"),
        ("title: 1e3", "1e3"),
        ("title: null", "null"),
        ('title: "two\\nlines\\tand a tab"', "two\nlines\tand a tab"),
        ("title: \u014f\u03c9\u0259 \U0001f3ad", "\u014f\u03c9\u0259 \U0001f3ad"),
        ("note:", ""),
        ('note: ""', ""),
        ("count: 007", 7),
        ("count: +7", 7),
        ("count: '7'", 7),
        ("share: 1", 1.0),
        ("share: 1.", 1.0),
        ("share: .5", 0.5),
        ("share: 1e-1", 0.1),
        ("share: 1.5E+0", 1.5),
        ("share: -0", 0.0),
        ("lit: no", False),
        ("lit: OFF", False),
        ("lit: 'False'", False),
        ("lit: Yes", True),
        ("lit: on", True),
        ("fit: contain", "contain"),
        ("paint: '#FF00aa'", "#ff00aa"),
        ("motto: hic", (("", "hic"),)),
        ("motto: {de: hier, en: here}", (("de", "hier"), ("en", "here"))),
        ("motto:", ()),
        ("motto: {}", ()),
        ("input: auto", None),
        ("input: 640x384", (640, 384)),
        ("input: 64x64", (64, 64)),
        ("screen: 7680x4321", (7680, 4321)),
        ("hours: {opens: 9}", Hours(9, 18)),
        ("hours: {}", Hours()),
        ("lamps: []", ()),
        ("lamps: [{name: a, watts: 5}, {name: b}]", (Lamp("a", 5), Lamp("b", 40))),
    ],
)
def test_a_good_value_is_read_as_its_type(tmp_path: Path, line: str, value: Any) -> None:
    found = getattr(load(tmp_path, line), line.partition(":")[0])
    assert found == value
    assert type(found) is (Written if isinstance(value, str) else type(value))


@pytest.mark.parametrize(
    ("line", "problem"),
    [
        ("title:", "r.yaml:1:7: title: must be a text, not empty"),
        ("title: #1", "r.yaml:1:7: title: must be a text, not empty"),
        ('title: "a\\0b"', "r.yaml:1:8: title: must be a text without control characters"),
        ('note: "\\e[31m"', "r.yaml:1:7: note: must be a text without control characters"),
        ('title: "\\ud800"', "r.yaml:1:8: title: must be a text without control characters"),
        ("title: [a]", "r.yaml:1:8: title: must be a single value, not a list"),
        ("title: {a: b}", "r.yaml:1:8: title: must be a single value, not a section"),
        ("count: 0", "r.yaml:1:8: count: must be a whole number from 1 to 10 pieces, not '0'"),
        ("count: 11", "r.yaml:1:8: count: must be a whole number from 1 to 10 pieces, not '11'"),
        ("count: 2.0", "r.yaml:1:8: count: must be a whole number from 1 to 10 pieces, not '2.0'"),
        ("count: 1_0", "r.yaml:1:8: count: must be a whole number from 1 to 10 pieces, not '1_0'"),
        ("count: 1e0", "r.yaml:1:8: count: must be a whole number from 1 to 10 pieces, not '1e0'"),
        ("count: 0x5", "r.yaml:1:8: count: must be a whole number from 1 to 10 pieces, not '0x5'"),
        ("count: \uff15", "r.yaml:1:8: count: must be a whole number from 1 to 10 pieces, not '\uff15'"),
        ("count: 0:05", "r.yaml:1:8: count: must be a whole number from 1 to 10 pieces, not '0:05'"),
        ("count: yes", "r.yaml:1:8: count: must be a whole number from 1 to 10 pieces, not 'yes'"),
        ("count:", "r.yaml:1:7: count: must be a whole number from 1 to 10 pieces, not empty"),
        ("share: nan", "r.yaml:1:8: share: must be a number from 0 to 1.5, not 'nan'"),
        ("share: .nan", "r.yaml:1:8: share: must be a number from 0 to 1.5, not '.nan'"),
        ("share: .inf", "r.yaml:1:8: share: must be a number from 0 to 1.5, not '.inf'"),
        ("share: 1e999", "r.yaml:1:8: share: must be a number from 0 to 1.5, not '1e999'"),
        ("share: 1,5", "r.yaml:1:8: share: must be a number from 0 to 1.5, not '1,5'"),
        ("share: 1_0.0", "r.yaml:1:8: share: must be a number from 0 to 1.5, not '1_0.0'"),
        ("share: 50 %", "r.yaml:1:8: share: must be a number from 0 to 1.5, not '50 %'"),
        ("share: .", "r.yaml:1:8: share: must be a number from 0 to 1.5, not '.'"),
        ("lit: 1", "r.yaml:1:6: lit: must be true or false, not '1'"),
        ("lit: y", "r.yaml:1:6: lit: must be true or false, not 'y'"),
        ("lit:", "r.yaml:1:5: lit: must be true or false, not ''"),
        ("fit: Cover", "r.yaml:1:6: fit: must be one of cover, contain, not 'Cover'. Did you mean 'cover'?"),
        ("fit: stretch", "r.yaml:1:6: fit: must be one of cover, contain, not 'stretch'"),
        ("paint: #ff0000", 'r.yaml:1:7: paint: must be a colour such as "#39ff14", with the quotes: '
                           "a bare # begins a comment"),
        ("paint: red", "r.yaml:1:8: paint: must be a colour such as \"#39ff14\", not 'red'"),
        ("paint: '#fff'", "r.yaml:1:8: paint: must be a colour such as \"#39ff14\", not '#fff'"),
        ("paint: '#1234567'", "r.yaml:1:8: paint: must be a colour such as \"#39ff14\", not '#1234567'"),
        ("motto: [hic]", "r.yaml:1:8: motto: must be a single value, not a list"),
        ("motto: {de: ''}", "r.yaml:1:13: motto: must be a text, not empty"),
        ("motto: {de: [a]}", "r.yaml:1:13: motto: must be a single value, not a list"),
        ("motto: {deutsch: a}", "r.yaml:1:18: motto: 'deutsch' is not the code of a language"),
        ("motto: {'': a}", "r.yaml:1:13: motto: '' is not the code of a language"),
        ('motto: "a\\0b"', "r.yaml:1:8: motto: must be a text without control characters"),
        ("input: 640x400", "r.yaml:1:8: input: must be auto or WIDTHxHEIGHT, each from 64 to 640 (pixels), "
                           "in steps of 32, not '640x400'"),
        ("input: 672x64", "r.yaml:1:8: input: must be auto or WIDTHxHEIGHT, each from 64 to 640 (pixels), "
                          "in steps of 32, not '672x64'"),
        ("input: 32x64", "r.yaml:1:8: input: must be auto or WIDTHxHEIGHT, each from 64 to 640 (pixels), "
                         "in steps of 32, not '32x64'"),
        ("input: 640*384", "r.yaml:1:8: input: must be auto or WIDTHxHEIGHT, each from 64 to 640 (pixels), "
                           "in steps of 32, not '640*384'"),
        ("screen: 99x100", "r.yaml:1:9: screen: must be auto or WIDTHxHEIGHT, "
                           "each from 100 to 7680 (pixels), not '99x100'"),
        ("screen:", "r.yaml:1:8: screen: must be auto or WIDTHxHEIGHT, "
                    "each from 100 to 7680 (pixels), not ''"),
        ("hours: late", "r.yaml:1:8: hours: must be a section of 'key: value' lines"),
        ("hours: [1]", "r.yaml:1:8: hours: must be a section of 'key: value' lines"),
        ("hours: {opens: 20, closes: 8}", "r.yaml:1:8: hours: closes must be after opens"),
        ("lamps: none", "r.yaml:1:8: lamps: must be a list"),
        ("lamps: {a: 1}", "r.yaml:1:8: lamps: must be a list"),
        ("lamps: [red]", "r.yaml:1:9: lamps[0]: must be a section of 'key: value' lines"),
        ("lamps: [{name: a}, {watts: 5}]", "r.yaml:1:20: lamps[1].name: missing (its name)"),
        ("lamps: [{name: a, wats: 5}]", "r.yaml:1:19: lamps[0].wats: unknown key. Did you mean 'watts'?"),
        ("- title", "r.yaml:1:1: the file: must be a section of 'key: value' lines"),
        ("just a text", "r.yaml:1:1: the file: must be a section of 'key: value' lines"),
    ],
)  # fmt: skip
def test_a_bad_value_is_told_with_what_was_wanted_and_what_was_found(
    tmp_path: Path, line: str, problem: str
) -> None:
    assert problems(tmp_path, line) == [problem]


@pytest.mark.parametrize(
    ("line", "problem"),
    [
        ("titel: x", "r.yaml:1:1: titel: unknown key. Did you mean 'title'?"),
        ("hours: {open: 9}", "r.yaml:1:9: hours.open: unknown key. Did you mean 'opens'?"),
        ("zebra: x", "r.yaml:1:1: zebra: unknown key"),
        ("<<: {title: x}", "r.yaml:1:1: <<: unknown key"),
        ("metadata: x", "r.yaml:1:1: metadata: unknown key"),
        ("__class__: x", "r.yaml:1:1: __class__: unknown key"),
    ],
)
def test_an_unknown_key_is_named_with_the_nearest_known_one(tmp_path: Path, line: str, problem: str) -> None:
    assert problems(tmp_path, line) == [problem]


def test_every_problem_is_told_at_once_in_the_order_of_the_file(tmp_path: Path) -> None:
    content = """\
share: 2
lamps:
  - watts: 500
    name: a
  - nam: b
hours: {closes: 99, opens: x}
count: none
count: 4
paint: !big blue
"""
    assert problems(tmp_path, content, "lit=maybe") == [
        "r.yaml:1:8: share: must be a number from 0 to 1.5, not '2'",
        "r.yaml:3:12: lamps[0].watts: must be a whole number from 1 to 100 W, not '500'",
        "r.yaml:5:5: lamps[1].nam: unknown key. Did you mean 'name'?",
        "r.yaml:5:5: lamps[1].name: missing (its name)",
        "r.yaml:6:17: hours.closes: must be a whole number from 0 to 23, not '99'",
        "r.yaml:6:28: hours.opens: must be a whole number from 0 to 23, not 'x'",
        "r.yaml:7:8: count: must be a whole number from 1 to 10 pieces, not 'none'",
        "r.yaml:8:1: count: stands here twice; remove one of the two",
        "r.yaml:9:8: paint: must be a colour such as \"#39ff14\", not 'blue'",
        "r.yaml:9:8: tags ('!big') are not allowed",
        "--set lit=maybe: lit: must be true or false, not 'maybe'",
    ]


@pytest.mark.parametrize("content", ["", "hours:\n", "hours: {}\n", "hours: {opens: 11}\n", "title: x\n"])
def test_an_override_wins_whatever_the_file_says(tmp_path: Path, content: str) -> None:
    room = load(tmp_path, content, "hours.opens=12", "title=first", "title=second")
    assert (room.hours, room.title) == (Hours(12, 18), "second")


@pytest.mark.parametrize(
    ("override", "problem"),
    [
        ("count", "--set count: must be section.key=value"),
        ("count=11", "--set count=11: count: must be a whole number from 1 to 10 pieces, not '11'"),
        ("hours.open=11", "--set hours.open=11: hours.open: unknown key. Did you mean 'opens'?"),
        ("hour.opens=11", "--set hour.opens=11: hour: unknown key. Did you mean 'hours'?"),
        ("hours=9", "--set hours=9: hours: must be a section of 'key: value' lines"),
        ("title.x=1", "--set title.x=1: title: must be a single value, not a section"),
        ("lamps=3", "--set lamps=3: lamps: must be a list"),
    ],
)
def test_a_bad_override_is_told_as_such(tmp_path: Path, override: str, problem: str) -> None:
    assert problems(tmp_path, "", override) == [problem]


def test_an_override_below_a_value_of_the_file_is_not_lost(tmp_path: Path) -> None:
    assert problems(tmp_path, "title: x\n", "title.y=1") == ["--set title.y=1: title: is not a section"]


def test_an_override_mends_a_bad_value_of_the_file(tmp_path: Path) -> None:
    assert load(tmp_path, "count: none\n", "count=4").count == 4


def test_a_quoted_value_cannot_break_the_line_or_fill_the_screen(tmp_path: Path) -> None:
    (line,) = problems(tmp_path, 'fit: "\\e[2J\\nkiosk: all is well"')
    assert line == r"r.yaml:1:6: fit: must be one of cover, contain, not '\x1b[2J\nkiosk: all is well'"
    (line,) = problems(tmp_path, f"fit: {'x' * 200_000}")
    assert len(line) < 700
    assert line.startswith("r.yaml:1:6: fit: must be one of cover, contain, not 'xxx")


def test_the_help_of_a_number_ends_with_its_limits() -> None:
    fields = Room.__dataclass_fields__
    assert fields["count"].metadata["help"] == "a count (1 to 10 pieces)"
    assert fields["share"].metadata["help"] == "a share (0 to 1.5)"
    assert fields["hours"].metadata["help"] == "When it is open."


def test_a_field_may_convert_its_text_in_a_way_of_its_own(tmp_path: Path) -> None:
    def even(value: str) -> int:
        if value not in ("2", "4"):
            raise ValueError(f"must be 2 or 4, not '{value}'")
        return int(value)

    @dataclass(frozen=True)
    class Table:
        """A table."""

        legs: int = schema.converted("so many legs", even)
        seats: int = schema.converted("so many seats", even, 4)

    path = tmp_path / "t.yaml"
    path.write_text("legs: 2\n", encoding="utf-8")
    assert schema.load(path, Table) == Table(2, 4)
    assert Table.__dataclass_fields__["legs"].metadata["help"] == "so many legs"
    path.write_text("seats: 3\n", encoding="utf-8")
    with pytest.raises(ConfigError) as caught:
        schema.load(path, Table)
    assert caught.value.problems == (
        f"{path}:1:1: legs: missing (so many legs)",
        f"{path}:1:8: seats: must be 2 or 4, not '3'",
    )
