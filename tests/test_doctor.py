"""The whole examination, in a process: it seals itself, and a sealed pytest could do no more work."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from kiosk.commands import doctor
from kiosk.commands.examination import CHECKS, Examination
from kiosk.config import DEFAULT_PATH
from kiosk.errors import ConfigError, ModelError
from kiosk.trust.machine import Line, State
from tests.conftest import xvfb
from tests.privacy import watch

ROOT = Path(__file__).parent.parent
DISPLAYS = ("DISPLAY", "WAYLAND_DISPLAY", "XDG_RUNTIME_DIR", "SDL_VIDEODRIVER", "SDL_VIDEO_DRIVER")


def kiosk_doctor(*arguments: str, **environment: str) -> tuple[int, str]:
    """Exit code and output, on a machine without a display unless one is given."""
    variables = {name: value for name, value in os.environ.items() if name not in DISPLAYS}
    done = subprocess.run(
        [sys.executable, "-B", "-m", "kiosk", "doctor", "--seconds", "0.2", *arguments],
        cwd=ROOT, env={**variables, **environment},
        text=True, capture_output=True, stdin=subprocess.DEVNULL, timeout=60,
    )  # fmt: skip
    assert "Traceback" not in done.stderr
    return done.returncode, done.stdout


def test_a_machine_with_a_display_is_examined_part_by_part() -> None:
    with xvfb(1024, 768) as name:
        code, out = kiosk_doctor("--json", "--set", "source=demo", DISPLAY=name)
    report = json.loads(out)
    states = [line["state"] for line in report["lines"]]
    # Machines differ: this one may have swap. What is wrong shows in the code, what is unknown does not.
    assert code == (1 if "wrong" in states else 0)
    assert (report["wrong"], report["unknown"]) == (states.count("wrong"), states.count("unknown"))
    found = {line["what"]: line for line in report["lines"]}
    assert set(found) >= {
        "Python", "packages", "configuration", "display", "monitor", "blanking", "seal", "lexicon", "GPU",
        "networks", "demo", "fonts", "service", "swap", "core files", "clock", "memory", "disk", "heat",
    }  # fmt: skip
    right = ("Python", "packages", "configuration", "display", "seal", "networks", "demo", "fonts", "disk")
    assert [(what, found[what]["state"]) for what in right] == [(what, "ok") for what in right]
    assert found["display"]["found"].startswith("x11, screen 0: 1024x768")
    assert found["seal"]["found"].endswith("tried and refused")
    assert "connections" in found["seal"]["found"]
    assert "the seal keeps this program out" in found["core files"]["found"]
    assert found["demo"]["found"].startswith("1280x720 at ")


def test_what_is_wrong_is_told_line_by_line_and_stops_nothing(tmp_path: Path) -> None:
    path = tmp_path / "venue.yaml"
    path.write_text("captions: {hold: long}\nsourc: demo\n", encoding="utf-8")
    code, out = kiosk_doctor("--config", str(path))
    assert code == 1
    lines = out.splitlines()
    assert all(line.startswith(("ok    ", "WRONG ", "?     ")) for line in lines)
    bad = [line for line in lines if line.startswith("WRONG configuration: ")]
    assert bad[0].endswith(
        "venue.yaml:1:18: captions.hold: must be a number from 0 to 60 seconds, not 'long'"
    )
    assert "venue.yaml:2:1: sourc: unknown key" in bad[1]
    assert "?     configuration: what follows is for the defaults, not for yours" in lines
    assert lines[-1].startswith(("ok    heat: ", "?     heat: "))


def test_a_camera_and_a_network_that_are_not_there_are_wrong() -> None:
    code, out = kiosk_doctor("--set", "source=/dev/video98", "--set", "classification.model=models/nix.onnx")
    assert code == 1
    lines = out.splitlines()
    (camera,) = [line for line in lines if " camera: " in line]
    assert camera.startswith("WRONG camera: /dev/video98 is not there. Cure: ")
    assert any(line.startswith("WRONG networks: ") and "nix.onnx" in line for line in lines)
    assert any(line.startswith("ok    fonts: ") for line in lines)


def test_the_examination_writes_nothing_and_opens_no_socket_to_a_network() -> None:
    seen = watch(["-m", "kiosk", "doctor", "--seconds", "0.2", "--set", "source=demo"])
    assert "demo: 1280x720" in seen.out
    assert (seen.written, seen.home, seen.sockets) == ((), (), ())


@pytest.fixture
def examination() -> Examination:
    return Examination(DEFAULT_PATH, (), 0.2)


def good(it: Examination) -> Iterator[Line]:
    yield Line(State.OK, "good", "is good")


def failing(error: Exception) -> doctor.Check:
    def check(it: Examination) -> Iterator[Line]:
        yield Line(State.OK, "part", "began")
        raise error

    return check


@pytest.mark.parametrize(
    ("error", "told"),
    [
        (ConfigError(("one", "two")), ["WRONG part: one", "WRONG part: two"]),
        (ModelError("m.onnx: gone"), ["WRONG part: m.onnx: gone"]),
        (PermissionError(13, "Permission denied", "/proc/x"), ["?     part: /proc/x: Permission denied"]),
        (ValueError("no number"), ["?     part: the system says what is not understood: no number"]),
    ],
)
def test_a_check_that_fails_is_a_line_and_the_next_goes_on(
    error: Exception, told: list[str], examination: Examination, capsys: pytest.CaptureFixture[str]
) -> None:
    lines: list[Line] = []
    doctor.examine((("part", failing(error)), ("good", good)), examination, lines, quiet=False)
    assert [str(line) for line in lines] == ["ok    part: began", *told, "ok    good: is good"]
    assert capsys.readouterr().out.splitlines() == [str(line) for line in lines]


def test_a_library_that_cannot_be_loaded_is_wrong(examination: Examination) -> None:
    lines: list[Line] = []
    error = ImportError("libGL.so.1: cannot open shared object file")
    doctor.examine((("part", failing(error)),), examination, lines, quiet=True)
    assert (lines[1].state, lines[1].found) == (State.WRONG, str(error))
    assert "libgl1" in lines[1].cure


def test_what_nobody_foresaw_is_no_finding_but_the_rest_is_examined(examination: Examination) -> None:
    lines: list[Line] = []
    checks = (("part", failing(TypeError("a fault of the program"))), ("good", good), ("good", good))
    with pytest.raises(TypeError, match="a fault of the program"):
        doctor.examine(checks, examination, lines, quiet=True)
    assert [line.what for line in lines] == ["part", "good", "good"]


def interrupted(it: Examination) -> Iterator[Line]:
    yield Line(State.OK, "part", "began")
    raise KeyboardInterrupt


def test_who_presses_ctrl_c_is_obeyed(examination: Examination) -> None:
    lines: list[Line] = []
    with pytest.raises(KeyboardInterrupt):
        doctor.examine((("part", interrupted), ("good", good)), examination, lines, quiet=True)
    assert [line.what for line in lines] == ["part"]


def test_json_counts_what_is_wrong_and_unknown() -> None:
    lines = [Line(state, "x", "y", "z") for state in (State.WRONG, State.OK, State.UNKNOWN, State.WRONG)]
    report = json.loads(doctor.as_json(lines))
    assert (report["wrong"], report["unknown"]) == (2, 1)
    assert report["lines"][0] == {"state": "wrong", "what": "x", "found": "y", "cure": "z"}


def test_the_seal_comes_before_every_check_that_loads_a_library() -> None:
    assert CHECKS[0] == ("seal", Examination.seal)
    names = [check for _, check in CHECKS]
    assert names.index(Examination.seal_shut) > names.index(Examination.display)
