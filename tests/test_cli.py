"""The command line as a person meets it: a process, its two streams and its exit code."""

from __future__ import annotations

import argparse
import contextlib
import os
import re
import signal
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

from kiosk import __version__, cli, errors
from kiosk.cli import COMMANDS, main
from kiosk.config import DEFAULT_PATH
from kiosk.errors import INTERRUPTED, ConfigError, KioskError

ROOT = Path(__file__).parent.parent
# Where a desktop session would tell SDL to draw.
DISPLAYS = ("DISPLAY", "WAYLAND_DISPLAY", "XDG_RUNTIME_DIR", "SDL_VIDEODRIVER", "SDL_VIDEO_DRIVER")


def kiosk(*arguments: str | Path) -> subprocess.CompletedProcess[str]:
    """Run `python -m kiosk ARGUMENTS` on a machine without a display."""
    variables = {name: value for name, value in os.environ.items() if name not in DISPLAYS}
    return subprocess.run(
        [sys.executable, "-B", "-m", "kiosk", *map(str, arguments)],
        cwd=ROOT, env=variables, text=True, capture_output=True, stdin=subprocess.DEVNULL, timeout=60,
    )  # fmt: skip


def refusal(exit_code: int, *arguments: str | Path) -> list[str]:
    """What stands on standard error of a command that ends with this code."""
    done = kiosk(*arguments)
    assert done.returncode == exit_code, done.stderr
    assert done.stdout == ""
    assert "Traceback" not in done.stderr
    return done.stderr.splitlines()


# Usage.


def test_help_lists_every_command() -> None:
    done = kiosk("--help")
    assert (done.returncode, done.stderr) == (0, "")
    for name, help_ in COMMANDS.items():
        assert f"\n  {name:10}{help_}\n" in done.stdout


def test_version_is_the_packages() -> None:
    done = kiosk("--version")
    assert (done.returncode, done.stdout, done.stderr) == (0, f"kiosk {__version__}\n", "")


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_has_help_of_its_own(command: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as caught:
        main([command, "--help"])
    assert caught.value.code == 0
    out = capsys.readouterr().out
    assert out.startswith(f"usage: kiosk {command} ")
    assert COMMANDS[command] in " ".join(out.split())


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        ((), "kiosk: error: the following arguments are required: COMMAND"),
        (("fly",), "kiosk: error: argument COMMAND: invalid choice: 'fly'"),
        (("--fly",), "kiosk: error: the following arguments are required: COMMAND"),
        (("check", "--fly"), "kiosk check: error: unrecognized arguments: --fly"),
        (("check", "a.yaml", "b.yaml"), "kiosk check: error: unrecognized arguments: b.yaml"),
        (("run", "--seconds"), "kiosk run: error: argument --seconds: expected one argument"),
    ],
)
def test_a_command_line_that_cannot_be_understood_ends_with_2(
    arguments: tuple[str, ...], complaint: str
) -> None:
    lines = refusal(2, *arguments)
    assert lines[0].startswith("usage: kiosk")
    assert lines[-1].startswith(complaint)


@pytest.mark.parametrize(
    ("option", "value", "complaint"),
    [
        ("--seconds", "0", "must be a positive number of seconds, not '0'"),
        ("--seconds", "-1", "must be a positive number of seconds, not '-1'"),
        ("--seconds", "nan", "must be a positive number of seconds, not 'nan'"),
        ("--seconds", "inf", "must be a positive number of seconds, not 'inf'"),
        ("--seconds", "1e999", "must be a positive number of seconds, not '1e999'"),
        ("--seconds", "ten", "must be a positive number of seconds, not 'ten'"),
        ("--seconds", "", "must be a positive number of seconds, not ''"),
        ("--windowed", "640", "must be WIDTHxHEIGHT, each from 160 to 7680, not '640'"),
        ("--windowed", "159x200", "must be WIDTHxHEIGHT, each from 160 to 7680, not '159x200'"),
        ("--windowed", "200x7681", "must be WIDTHxHEIGHT, each from 160 to 7680, not '200x7681'"),
        ("--windowed", "640x480x3", "must be WIDTHxHEIGHT, each from 160 to 7680, not '640x480x3'"),
        ("--windowed", "0x0", "must be WIDTHxHEIGHT, each from 160 to 7680, not '0x0'"),
    ],
)
def test_a_bad_value_of_an_option_is_told_with_what_was_wanted(
    option: str, value: str, complaint: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as caught:
        main(["run", f"{option}={value}"])
    assert caught.value.code == 2
    assert capsys.readouterr().err.splitlines()[-1] == f"kiosk run: error: argument {option}: {complaint}"


def test_a_window_and_no_screen_exclude_each_other(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as caught:
        main(["run", "--headless", "--windowed", "640x480"])
    assert caught.value.code == 2
    assert "not allowed with argument" in capsys.readouterr().err


# Configuration.


def test_check_finds_the_shipped_configuration_good() -> None:
    done = kiosk("check")
    good, detector, classifier, words, policy = done.stdout.splitlines()
    assert (done.returncode, done.stderr) == (0, "")
    assert good == f"{DEFAULT_PATH}: good"
    assert detector.startswith("centerface.onnx: runs on ")
    assert classifier.startswith("standin.onnx: runs on ")
    assert words == "2833 categories, 2833 of them with words"
    assert policy == "policy as-2019: shows 2833, withholds 0"


def test_check_tells_what_differs_from_the_defaults(tmp_path: Path) -> None:
    path = tmp_path / "venue.yaml"
    path.write_text("captions: {hold: 5}\ndisplay: {fit: contain}\ninference: {gpu: off}\n", encoding="utf-8")
    assert kiosk("check", path).stdout.splitlines()[1:4] == [
        "  inference.gpu: off (default: preferred)",
        "  captions.hold: 5.0 (default: 3)",
        "  display.fit: contain (default: cover)",
    ]


def test_a_gpu_that_is_required_and_forbidden_is_a_contradiction() -> None:
    (line,) = refusal(
        78, "run", "--headless", "--set", "inference.gpu=required", "--set", "detection.device=cpu"
    )
    assert "inference.gpu is required, but a device is cpu" in line


def test_check_tells_every_problem_in_a_line_of_its_own_and_ends_with_78(tmp_path: Path) -> None:
    path = tmp_path / "bad.yaml"
    path.write_text('camera:\n  devise: 0\n  width: 5\ndisplay: {fit: "two\\nlines"}\n', encoding="utf-8")
    assert refusal(78, "check", path) == [
        f"kiosk: {path}:2:3: camera.devise: unknown key",
        f"kiosk: {path}:3:10: camera.width: must be a whole number from 160 to 7680 pixels, not '5'",
        rf"kiosk: {path}:4:16: display.fit: must be one of cover, contain, not 'two\nlines'",
    ]


@pytest.mark.parametrize("content", [b"\0", b"\xff\xfe", b"[" * 3000, b'a: "\\UFFFFFFFF"', b"a: *b", b"- a"])
def test_check_survives_a_file_that_is_no_configuration(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "bad.yaml"
    path.write_bytes(content)
    (line,) = refusal(78, "check", path)
    assert line.startswith(f"kiosk: {path}:")


def test_a_bad_configuration_does_not_wait_for_the_libraries_of_the_networks(tmp_path: Path) -> None:
    path = tmp_path / "bad.yaml"
    path.write_text("camera: {devise: 0}\n", encoding="utf-8")
    code = (
        f"import sys; from kiosk.__main__ import main; code = main(['check', {str(path)!r}])\n"
        "print(code, [name for name in ('cv2', 'onnxruntime', 'pygame', 'numpy') if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-B", "-c", code], cwd=ROOT, text=True, capture_output=True)
    assert done.stdout.splitlines()[-1] == "78 []"


def test_a_configuration_that_is_missing_ends_run_with_78(tmp_path: Path) -> None:
    missing = tmp_path / "missing.yaml"
    assert refusal(78, "run", "--headless", "--config", missing) == [
        f"kiosk: {missing}: cannot be read: No such file or directory"
    ]


def test_a_bad_override_ends_run_with_78() -> None:
    assert refusal(78, "run", "--headless", "--set", "camera.widht=640", "--set", "display.mirror") == [
        "kiosk: --set camera.widht=640: camera.widht: unknown key. Did you mean 'width'?",
        "kiosk: --set display.mirror: must be section.key=value",
    ]


@pytest.mark.parametrize("source", ["nosuchfile", "nosuch.mp4", "/nonexistent/picture.png"])
def test_a_source_that_is_none_ends_run_with_78(source: str) -> None:
    (line,) = refusal(78, "run", "--headless", "--source", source)
    assert line.startswith("kiosk: ")
    assert source in line


def test_an_empty_source_ends_run_with_78() -> None:
    assert refusal(78, "run", "--headless", "--source", "") == [
        "kiosk: --set source=: source: must be a text, not empty"
    ]


# Without a display.


@pytest.mark.parametrize("where", [(), ("--windowed", "640x480")])
def test_run_without_a_display_ends_with_69_and_says_what_to_do(where: tuple[str, ...]) -> None:
    *_, line = refusal(
        69, "run", "--source", "demo", "--seconds", "5", *where
    )  # libwayland has its say first
    assert line.startswith("kiosk: no display: ")
    assert "DISPLAY" in line
    assert "--headless" in line


# Exit codes. A command of the test's own stands in for a command that fails.


def failing(error: BaseException) -> SimpleNamespace:
    """A command's module that raises."""

    def run(arguments: argparse.Namespace) -> int:
        raise error

    return SimpleNamespace(configure=lambda parser: None, run=run)


@pytest.mark.parametrize(
    "cls",
    [cls for cls in vars(errors).values() if isinstance(cls, type) and issubclass(cls, KioskError)],
)
def test_every_error_of_the_tree_is_told_plainly_and_ends_with_its_code(
    cls: type[KioskError], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    error = ConfigError(("a:1:1: x", "a:2:1: y")) if cls is ConfigError else cls("x must be y")
    monkeypatch.setattr(cli.importlib, "import_module", lambda name: failing(error))
    assert main(["check"]) == cls.exit_code
    told = ["a:1:1: x", "a:2:1: y"] if cls is ConfigError else ["x must be y"]
    assert capsys.readouterr().err.splitlines() == [f"kiosk: {line}" for line in told]


def test_an_error_that_nobody_foresaw_is_not_hidden_behind_an_exit_code(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(cli.importlib, "import_module", lambda name: failing(ZeroDivisionError("never")))
    with pytest.raises(ZeroDivisionError, match="never"):
        main(["check"])


@pytest.mark.parametrize("buffered", [True, False])
def test_a_reader_that_goes_away_ends_a_command_without_a_word(buffered: bool) -> None:
    # Into a pipe that nobody reads, as in `kiosk check | true`.
    read_end, write_end = os.pipe()
    os.close(read_end)
    variables = {name: value for name, value in os.environ.items() if name != "PYTHONUNBUFFERED"}
    try:
        done = subprocess.run(
            [sys.executable, "-B", *(() if buffered else ("-u",)), "-m", "kiosk", "check"],
            cwd=ROOT, env=variables, stdout=write_end, stderr=subprocess.PIPE, text=True, timeout=60,
        )  # fmt: skip
    finally:
        os.close(write_end)
    assert (done.returncode, done.stderr) == (74, "")


def test_a_policy_that_is_not_there_makes_a_configuration_bad(tmp_path: Path) -> None:
    path = tmp_path / "venue.yaml"
    path.write_text("policy: no-slur\n", encoding="utf-8")
    (line,) = refusal(78, "check", path)
    assert line.startswith(f"kiosk: {path}:1:9: policy: must be one of as-2019, ")
    assert line.endswith("not 'no-slur'. Did you mean 'no-slurs'?")


def test_check_counts_what_rules_in_the_configuration_do(tmp_path: Path) -> None:
    path = tmp_path / "venue.yaml"
    path.write_text("policy: {groups: [{name: house, reason: not here, rules: [{word: wimp}]}]}\n")
    done = kiosk("check", str(path))
    assert done.returncode == 0
    assert f"  policy: written in {path} (default: as-2019)\n" in done.stdout
    assert f"policy written in {path}: shows 2832, withholds 1\n  house: word: wimp: 1\n" in done.stdout


def test_check_says_how_high_letters_are_what_cannot_be_printed_and_until_when_it_is_open(
    tmp_path: Path,
) -> None:
    path = tmp_path / "venue.yaml"
    lines = (
        "display: {diagonal: 55, viewing_distance: 3}",
        "wall: {note: 'Fragen? 問 am Pult.'}",
        "hours: {monday: always, tuesday: always, exceptions: [{date: 2020-01-01, hours: closed}]}",
    )
    path.write_text("\n".join(lines), encoding="utf-8")
    said = kiosk("check", path).stdout.splitlines()
    assert any(
        re.fullmatch(r"letters of the entries are 17\.\d mm high, to be read from 3.*", line) for line in said
    )
    assert "warning: wall.note: no font here has 問: left out" in said
    assert "hours: always open" in said


def test_ctrl_c_ends_a_command_without_a_traceback() -> None:
    command = [sys.executable, "-B", "-m", "kiosk", "bench", "--only", "live", "--seconds", "60"]
    with subprocess.Popen(
        command, cwd=ROOT, text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as process:
        assert process.stderr
        assert "state: live" in process.stderr.readline()
        process.send_signal(signal.SIGINT)
        said, complaints = process.communicate(timeout=30)
    assert (process.returncode, said, complaints) == (INTERRUPTED, "", "")


@pytest.mark.parametrize("made", [KeyboardInterrupt, ImportError, RuntimeError])
def test_ctrl_c_while_libraries_load_is_no_traceback_either(
    made: type[BaseException], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def load(name: str) -> None:
        try:
            signal.raise_signal(signal.SIGINT)
        except KeyboardInterrupt:
            raise made("initialization failed") from None  # as pybind11 does

    monkeypatch.setattr(cli.importlib, "import_module", load)
    before = signal.getsignal(signal.SIGINT)
    signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        assert main(["check"]) == INTERRUPTED
    finally:
        signal.signal(signal.SIGINT, before)
    assert capsys.readouterr() == ("", "")


def test_an_early_ctrl_c_that_got_lost_hides_no_later_error(monkeypatch: pytest.MonkeyPatch) -> None:
    def load(name: str) -> None:
        with contextlib.suppress(KeyboardInterrupt):  # as where a weak reference ends
            signal.raise_signal(signal.SIGINT)
        signal.signal(signal.SIGINT, lambda number, frame: None)  # as the running piece does
        raise RuntimeError("a real fault")

    monkeypatch.setattr(cli.importlib, "import_module", load)
    before = signal.getsignal(signal.SIGINT)
    signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        with pytest.raises(RuntimeError, match="a real fault"):
            main(["check"])
    finally:
        signal.signal(signal.SIGINT, before)


def test_an_error_that_is_no_ctrl_c_is_not_hidden(monkeypatch: pytest.MonkeyPatch) -> None:
    def load(name: str) -> None:
        raise ImportError("no such library")

    monkeypatch.setattr(cli.importlib, "import_module", load)
    with pytest.raises(ImportError, match="no such library"):
        main(["check"])


@pytest.mark.parametrize(("scale", "warned"), [(2, False), (3, True)])
def test_check_warns_of_type_that_leaves_entries_no_room(tmp_path: Path, scale: int, warned: bool) -> None:
    path = tmp_path / "venue.yaml"
    path.write_text(f"display: {{text_scale: {scale}}}\n", encoding="utf-8")
    done = kiosk("check", path)
    assert done.returncode == 0, done.stderr
    line = (
        f"warning: display.text_scale: {scale}: beside a face some entries have no room for letters so high"
    )
    assert (line in done.stdout.splitlines()) is warned
