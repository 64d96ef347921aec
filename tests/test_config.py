from __future__ import annotations

import dataclasses
import math
import re
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple, get_args, get_type_hints

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from kiosk import config, document
from kiosk.config import DEFAULT_PATH, Config
from kiosk.errors import ConfigError
from kiosk.sections import CameraConfig


class Key(NamedTuple):
    """A field of the configuration."""

    name: str
    field: Any
    type: Any
    is_section: bool


def keys(cls: Any = Config, prefix: str = "") -> Iterator[Key]:
    """Every field, at every depth."""
    hints = get_type_hints(cls)
    for field in dataclasses.fields(cls):
        hint = hints[field.name]
        below = dataclasses.is_dataclass(hint)
        yield Key(prefix + field.name, field, hint, below)
        if below:
            yield from keys(hint, f"{prefix}{field.name}.")


VALUES = [key for key in keys() if not key.is_section]
NUMBERS = [key for key in VALUES if key.type in (int, float)]


class Limits(NamedTuple):
    """What the help of a number says of it."""

    low: float
    high: float


def limits(key: Key) -> Limits:
    """Read from the end of the help: "(160 to 7680 pixels)"."""
    found = re.search(r"\((-?[\d.]+) to (-?[\d.]+)(?: [^()]+)?\)$", key.field.metadata["help"])
    assert found, f"the help of {key.name} must end with its limits"
    return Limits(float(found[1]), float(found[2]))


def load(content: str | bytes, *overrides: str) -> Config:
    """The configuration that a file with this content gives."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "k.yaml"
        path.write_bytes(content if isinstance(content, bytes) else content.encode("utf-8", "surrogatepass"))
        return config.load(path, overrides)


def problems(content: str | bytes, *overrides: str) -> list[str]:
    """Every line with which a file is refused, without the folder's name."""
    with pytest.raises(ConfigError) as caught:
        load(content, *overrides)
    return [re.sub(r"^/\S*/(?=k\.yaml)", "", line) for line in caught.value.problems]


def value_of(configuration: Config, name: str) -> Any:
    found: Any = configuration
    for part in name.split("."):
        found = getattr(found, part)
    return found


def test_there_are_sections_values_and_numbers_to_test() -> None:
    assert {key.name for key in keys() if key.is_section} >= {"camera", "detection", "captions", "wall"}
    assert len(VALUES) > 20
    assert len(NUMBERS) > 10


# The shipped file.


def test_the_shipped_file_holds_the_defaults() -> None:
    assert config.load() == Config()


def test_the_shipped_file_holds_every_key_in_the_order_of_the_dataclasses() -> None:
    def names(node: document.Node, prefix: str = "") -> Iterator[str]:
        assert isinstance(node.content, dict)
        for key, below in node.content.items():
            yield prefix + key
            if isinstance(below.content, dict):
                yield from names(below, f"{prefix}{key}.")

    assert list(names(document.read(DEFAULT_PATH, []))) == [key.name for key in keys()]


def comment_of(name: str) -> str:
    """The comment beside a key of the shipped file, or the lines of comment right above it."""
    lines = DEFAULT_PATH.read_text(encoding="utf-8").splitlines()
    node = document.read(DEFAULT_PATH, [])
    for part in name.split("."):
        assert isinstance(node.content, dict)
        node = node.content[part]
    assert node.key_place is not None
    at = node.key_place.line - 1
    beside = re.search(r"\s#\s(.*)$", lines[at])
    if beside:
        return beside[1]
    above: list[str] = []
    while at > 0 and lines[at - 1].lstrip().startswith("#"):
        at -= 1
        above.insert(0, lines[at].lstrip().removeprefix("#").strip())
    return " ".join(above)


@pytest.mark.parametrize("key", [*keys()], ids=lambda key: key.name)
def test_the_shipped_file_explains_each_key_with_its_help(key: Key) -> None:
    assert comment_of(key.name) == key.field.metadata["help"]


def test_every_example_of_the_shipped_file_is_a_line_that_can_be_changed() -> None:
    content = DEFAULT_PATH.read_text(encoding="utf-8").replace("width: 1280", "width: 640")
    assert load(content) == dataclasses.replace(Config(), camera=CameraConfig(width=640))


# Limits.


@pytest.mark.parametrize("key", NUMBERS, ids=lambda key: key.name)
def test_a_number_is_good_up_to_its_limits_and_refused_just_outside(key: Key) -> None:
    low, high = limits(key)
    assert low < high
    assert low <= value_of(Config(), key.name) <= high
    if key.type is int:
        assert (low, high) == (int(low), int(high))
        inside, outside = (int(low), int(high)), (int(low) - 1, int(high) + 1)
    else:
        inside, outside = (low, high), (math.nextafter(low, -math.inf), math.nextafter(high, math.inf))
    for number in inside:
        found = value_of(load("", f"{key.name}={number}"), key.name)
        assert found == number
        assert type(found) is key.type
    for number in outside:
        (line,) = problems("", f"{key.name}={number}")
        assert line.startswith(f"--set {key.name}={number}: {key.name}: must be a ")
        assert line.endswith(f", not '{number}'")


@pytest.mark.parametrize("key", NUMBERS, ids=lambda key: key.name)
@pytest.mark.parametrize("written", ["", "nan", "inf", "-inf", "1_0", "0x10", "ten", "1e400", "1:30", "[1]"])
def test_a_number_is_nothing_but_a_finite_number(key: Key, written: str) -> None:
    (line,) = problems("", f"{key.name}={written}")
    assert f"{key.name}: must be a " in line


@pytest.mark.parametrize("key", [key for key in NUMBERS if key.type is int], ids=lambda key: key.name)
def test_a_whole_number_has_no_fraction(key: Key) -> None:
    low, high = limits(key)
    assert len(problems("", f"{key.name}={(low + high) / 2 + 0.25}")) == 1


@pytest.mark.parametrize("key", [key for key in VALUES if key.type is bool], ids=lambda key: key.name)
def test_a_switch_is_put_off_by_the_words_that_people_write(key: Key) -> None:
    for written, value in (("no", False), ("off", False), ("False", False), ("yes", True), ("on", True)):
        assert value_of(load("", f"{key.name}={written}"), key.name) is value
    assert len(problems("", f"{key.name}=0")) == 1


def test_the_size_of_the_detectors_input_is_auto_or_in_steps_of_32() -> None:
    assert load("detection: {input: auto}").detection.input is None
    assert load("detection: {input: 64x1920}").detection.input == (64, 1920)
    for bad in ("32x64", "64x1952", "100x100", "640", "640x384x3", "-64x64", "640 x 384"):
        (line,) = problems("", f"detection.input={bad}")
        assert line.endswith(
            f"detection.input: must be auto or WIDTHxHEIGHT, each from 64 to 1920 (pixels), "
            f"in steps of 32, not '{bad}'"
        )


def test_only_the_texts_on_the_wall_may_be_empty() -> None:
    texts = [key.name for key in VALUES if key.type is str]
    may = [name for name in texts if not _is_refused(f"{name}=")]
    assert may == ["wall.warning", "wall.note", "wall.idle"]


def _is_refused(override: str) -> bool:
    try:
        load("", override)
    except ConfigError:
        return True
    return False


# A curator's mistakes.


def test_all_mistakes_of_a_curator_are_told_at_once_with_place_and_cure() -> None:
    content = """\
source: demo
camera:
  devise: 0
  width: 5
  fps: 30 fps
display:
  accent: #39ff14
  fit: covr
  mirror: nope
  mirror: yes
wal:
  idle: Hello
captions: 3
"""
    assert problems(content, "camera.height=4k") == [
        "k.yaml:3:3: camera.devise: unknown key",
        "k.yaml:4:10: camera.width: must be a whole number from 160 to 7680 pixels, not '5'",
        "k.yaml:5:8: camera.fps: must be a whole number from 1 to 240 frames a second, not '30 fps'",
        'k.yaml:7:10: display.accent: must be a colour such as "#39ff14", with the quotes: '
        "a bare # begins a comment",
        "k.yaml:8:8: display.fit: must be one of cover, contain, not 'covr'. Did you mean 'cover'?",
        "k.yaml:9:11: display.mirror: must be true or false, not 'nope'",
        "k.yaml:10:3: mirror: stands here twice; remove one of the two",
        "k.yaml:11:1: wal: unknown key. Did you mean 'wall'?",
        "k.yaml:13:11: captions: must be a section of 'key: value' lines",
        "--set camera.height=4k: camera.height: must be a whole number from 120 to 4320 pixels, not '4k'",
    ]


def test_an_override_reaches_a_section_that_the_file_leaves_empty() -> None:
    assert load("camera:\n", "camera.width=640").camera.width == 640


def test_an_override_below_a_value_is_refused_and_not_lost() -> None:
    content = DEFAULT_PATH.read_text(encoding="utf-8")
    assert problems(content, "camera.fps.x=6") == ["--set camera.fps.x=6: camera.fps: is not a section"]
    assert problems("", "source.x=1") == ["--set source.x=1: source: must be a single value, not a section"]


def test_a_model_is_looked_for_in_the_projects_folder() -> None:
    assert config.model_path("models/x.onnx") == config.ROOT / "models" / "x.onnx"
    assert config.model_path("/srv/x.onnx") == Path("/srv/x.onnx")
    assert (config.ROOT / "kiosk" / "config.py").is_file()


# Whatever a file holds.

SHIPPED = DEFAULT_PATH.read_text(encoding="utf-8")
WORDS = [key.name.split(".")[-1] for key in keys()]
PIECES = st.sampled_from([
    *WORDS, ":", ": ",
    "\n", "\n  ", "- ", "? ", "[", "]", "{", "}", ", ", "#", " # ", '"', "'", "\\", "\\U", "\\x",
    "&a ", "*a", "!t ",
    "!!int ", "!<", "|\n", ">-\n", "%YAML 1.1\n", "%TAG ", "---\n", "...\n", "<<: ", "\t", " ",
    "\r\n", "\0", "\x85", "\u2028", "\ufeff", "\ud800", "\U0001f3ad", "1e999", "nan", "-1", "0", "no", "auto",
    "#39ff14", "640x384", "9" * 50,
])  # fmt: skip


@st.composite
def damaged(draw: st.DrawFn) -> bytes:
    """The shipped file with a few stretches replaced."""
    content = SHIPPED.encode()
    for _ in range(draw(st.integers(1, 3))):
        start = draw(st.integers(0, len(content)))
        end = min(len(content), start + draw(st.integers(0, 40)))
        content = content[:start] + draw(st.binary(max_size=8)) + content[end:]
    return content


FILES = st.one_of(
    st.binary(max_size=300),
    st.text(max_size=300),
    st.lists(PIECES, max_size=40).map("".join),
    damaged(),
)
# The same files every time: who changes something else must not be stopped by a find of chance.
FUZZ = settings(max_examples=200, deadline=None, database=None, derandomize=True)


def assert_refused_in_plain_lines(content: str | bytes, *overrides: str) -> None:
    """Good, or a ConfigError each line of which begins with its place; nothing else."""
    try:
        load(content, *overrides)
    except ConfigError as error:
        assert error.problems
        assert str(error).splitlines() == list(error.problems)
        for line in error.problems:
            assert re.match(r"/\S+/k\.yaml(:\d+:\d+)?: \S|--set .*: \S", line), line
            assert line.isprintable()
            assert len(line) < 700


@FUZZ
@given(FILES)
@example('a: "\\UFFFFFFFF"')
@example("%YAML 1." + "9" * 5000 + "\n---\n")
@example("a: " + "[" * 3000)
@example("- " * 3000)
@example('"two\\nlines": 1')
@example('camera: {width: "1\\n2"}')
@example("source: " + "x" * 200 * 1024)
@example("x" * 200 * 1024 + ": 1")
@example(b"\xff\xfes\0o\0")
def test_no_file_whatever_raises_anything_but_a_config_error(content: str | bytes) -> None:
    assert_refused_in_plain_lines(content)


@FUZZ
@given(
    st.one_of(st.just(SHIPPED), FILES),
    st.lists(
        st.one_of(
            st.text(max_size=40),
            st.lists(st.sampled_from([*WORDS, *".= 1\n\0\ud800"]), max_size=6).map("".join),
            st.builds("{}={}".format, st.sampled_from([key.name for key in keys()]), st.text(max_size=20)),
        ),
        max_size=3,
    ),
)
def test_no_override_whatever_raises_anything_but_a_config_error(
    content: str | bytes, overrides: list[str]
) -> None:
    assert_refused_in_plain_lines(content, *overrides)


@FUZZ
@given(st.sampled_from([key for key in VALUES if key.type in (int, float, bool)]), st.text(max_size=8))
def test_what_is_taken_has_the_type_that_the_dataclass_promises(key: Key, written: str) -> None:
    try:
        found = value_of(load("", f"{key.name}={written}"), key.name)
    except ConfigError:
        return
    assert type(found) in (get_args(key.type) or (key.type,))


def test_limits_of_a_face_that_nobody_can_keep_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "k.yaml"
    path.write_text("detection: {min_face_height: 80, max_face_height: 60}\n")
    with pytest.raises(ConfigError, match=r"k.yaml:1:12: detection: max_face_height must not be smaller"):
        config.load(path)
    path.write_text("detection: {min_face_height: 80, max_face_height: 0}\n")
    assert config.load(path).detection.max_face_height == 0


def test_a_text_that_would_fill_the_wall_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "k.yaml"
    path.write_text(f"wall: {{note: {'a' * 601}}}\n")
    with pytest.raises(ConfigError, match=r"k.yaml:1:7: wall: note must have at most 600 letters"):
        config.load(path)


def test_the_place_of_an_address_on_the_command_line_holds_no_password(tmp_path: Path) -> None:
    with pytest.raises(ConfigError) as told:
        config.load(DEFAULT_PATH, ["sorce=http://u:SECRET@h/x"])
    assert str(told.value) == "--set sorce: sorce: unknown key. Did you mean 'source'?"
