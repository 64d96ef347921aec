"""The libraries are kept quiet, and a run of the kiosk keeps nothing and sends nothing."""

from __future__ import annotations

import ast
import importlib.metadata
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from kiosk import environment
from tests.conftest import xvfb
from tests.privacy import BUILD_SERVER_VARIABLES, Seen, watch

ROOT = Path(__file__).parent.parent
DEMO = ("run", "--source", "demo", "--seconds")


def child(code: str, **variables: str) -> subprocess.CompletedProcess[str]:
    """Run a piece of Python with these variables and nothing else in its environment."""
    variables = {"PATH": os.environ["PATH"], "HOME": "/nonexistent", **variables}
    return subprocess.run(
        [sys.executable, "-B", "-c", code],
        cwd=ROOT,
        env=variables,
        text=True,
        capture_output=True,
        timeout=60,
    )


# The settings.


def test_apply_sets_what_keeps_the_libraries_quiet() -> None:
    wanted = {
        "ORT_DISABLE_TELEMETRY": "1",
        "ORT_TELEMETRY_DISABLED": "1",
        "CUDA_CACHE_DISABLE": "1",
        "MESA_SHADER_CACHE_DISABLE": "true",
        "__GL_SHADER_DISK_CACHE": "0",
        "PYTHONDONTWRITEBYTECODE": "1",
        "PYGAME_HIDE_SUPPORT_PROMPT": "1",
        "SDL_AUDIODRIVER": "dummy",
        "SDL_VIDEO_MINIMIZE_ON_FOCUS_LOSS": "0",
        "OPENCV_VIDEOIO_V4L_SELECT_TIMEOUT": "2",
    }
    assert environment.SETTINGS.items() >= wanted.items()
    done = child(
        "import os, sys; from kiosk import environment; environment.apply()\n"
        "import json; print(json.dumps([dict(os.environ), sys.dont_write_bytecode]))",
        ORT_DISABLE_TELEMETRY="0",
        OPENCV_LOG_LEVEL="DEBUG",
        SDL_AUDIODRIVER="alsa",
    )
    assert done.stderr == ""
    found, writes_no_bytecode = json.loads(done.stdout)
    assert found.items() >= environment.SETTINGS.items()
    assert writes_no_bytecode


def test_apply_drops_the_debugging_switches_of_the_libraries_and_nothing_else() -> None:
    foreign = {"OPENCV_TRACE": "1", "OPENCV_DUMP_ERRORS": "1", "ORT_DEFAULT_LOGGER": "x", "CV_IO_X": "1"}
    ours = {"LANG": "C.UTF-8", "CUDA_VISIBLE_DEVICES": "0", "KIOSK_VENV": "x", "XORT_Y": "1"}
    done = child(
        "import os; from kiosk import environment; environment.apply()\n"
        "import json; print(json.dumps(dict(os.environ)))",
        **foreign,
        **ours,
    )
    found = json.loads(done.stdout)
    assert not foreign.keys() & found.keys()
    assert found.items() >= ours.items()


@pytest.mark.parametrize("library", ["onnxruntime", "cv2", "pygame"])
def test_apply_refuses_a_library_that_has_read_its_environment_already(library: str) -> None:
    done = child(
        f"import sys; sys.modules[{library!r}] = object(); from kiosk import environment; environment.apply()"
    )
    assert done.returncode == 1
    assert done.stderr.splitlines()[-1] == (
        f"RuntimeError: the environment must be set before {library} is imported"
    )


def test_apply_may_be_called_again_after_the_libraries_were_imported() -> None:
    done = child(
        "from kiosk import environment; environment.apply(); import onnxruntime, cv2; environment.apply()"
    )
    assert (done.returncode, done.stderr) == (0, "")


def test_the_entry_point_sets_the_environment_before_it_imports_anything_else() -> None:
    first, second, third, *_ = ast.parse((ROOT / "kiosk" / "__main__.py").read_text(encoding="utf-8")).body
    assert isinstance(first, ast.Expr)  # the docstring
    assert ast.unparse(second) == "from kiosk import environment"
    assert ast.unparse(third) == "environment.apply()"


@pytest.mark.parametrize("module", ["__init__", "environment"])
def test_what_runs_before_the_environment_is_set_imports_nothing_that_reads_it(module: str) -> None:
    tree = ast.parse((ROOT / "kiosk" / f"{module}.py").read_text(encoding="utf-8"))
    found = {
        alias.name
        for node in ast.walk(tree)
        if isinstance(node, (ast.Import, ast.ImportFrom))
        for alias in node.names
    }
    assert found <= {"os", "sys"}


def test_no_library_is_imported_before_the_environment_is_set() -> None:
    done = child(
        "import sys\n"
        "from kiosk import environment\n"
        "early = [name for name in environment.LIBRARIES if name in sys.modules]\n"
        "import kiosk.__main__, os\n"
        "print(early, os.environ['ORT_DISABLE_TELEMETRY'])"
    )
    assert (done.stdout, done.stderr) == ("[] 1\n", "")


# The harness sees what there is to see.


def test_the_harness_hands_on_nothing_of_its_own_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in (*BUILD_SERVER_VARIABLES, *environment.SETTINGS, "DISPLAY", "XDG_CACHE_HOME"):
        monkeypatch.setenv(name, "true")
    seen = watch(["-c", "import json, os; print(json.dumps(dict(os.environ)))"])
    found = json.loads(seen.out)
    assert found.keys() - {"LC_CTYPE"} == {"PATH", "HOME"}  # LC_CTYPE: Python's own, where there is no LANG
    assert found["HOME"] != os.environ.get("HOME")


def test_the_harness_sees_nothing_where_there_is_nothing() -> None:
    code = "import json; print(open('README.md').read(1) and 'read'); open('/dev/null', 'w').write('x')"
    assert watch(["-c", code]) == Seen(0, "read\n", "", (), (), ())


@pytest.mark.parametrize(
    ("code", "left"),
    [
        ("open(home / 'f', 'w').write('x')", "f"),
        ("os.close(os.open(home / 'f', os.O_RDWR | os.O_CREAT))", "f"),
        ("os.chdir(home); open('f', 'a').close()", "f"),
        ("os.close(os.open('f', os.O_WRONLY | os.O_CREAT, dir_fd=os.open(home, os.O_RDONLY)))", "f"),
        ("(home / 'f').mkdir()", "f"),
        ("(home / 'f').symlink_to('/etc/passwd')", "f"),
        ("os.mkfifo(home / 'f')", "f"),
        ("import threading; t = threading.Thread(target=(home / 'f').touch); t.start(); t.join()", "f"),
        ("import subprocess; subprocess.run(['/bin/sh', '-c', 'echo x > $HOME/f'])", "f"),
        ("(home / 'f').touch(); (home / 'f').unlink()", None),
    ],
)
def test_the_harness_sees_a_file_however_it_is_made(code: str, left: str | None) -> None:
    seen = watch(["-c", f"import os, pathlib; home = pathlib.Path.home(); print(home); {code}"])
    assert (seen.exit_code, seen.err) == (0, "")
    home = seen.out.strip()
    assert seen.home == ((left,) if left else ())
    assert seen.sockets == ()
    assert f"{home}/f" in seen.written


def test_the_harness_sees_an_attempt_that_fails() -> None:
    seen = watch(["-c", "open('/nonexistent/f', 'w')"])
    assert seen.exit_code == 1
    assert seen.written == ("/nonexistent/f",)


@pytest.mark.parametrize(
    ("code", "families"),
    [
        ("socket.socket(socket.AF_INET, socket.SOCK_DGRAM)", ("AF_INET",)),
        ("socket.socket(socket.AF_INET, socket.SOCK_STREAM)", ("AF_INET",)),
        ("socket.socket(socket.AF_INET6, socket.SOCK_DGRAM)", ("AF_INET6",)),
        ("threading.Thread(target=socket.socket).start()", ("AF_INET",)),
        ("socket.socket(socket.AF_UNIX)", ()),
    ],
)
def test_the_harness_sees_a_socket_to_a_network_and_no_other(code: str, families: tuple[str, ...]) -> None:
    seen = watch(["-W", "ignore", "-c", f"import socket, threading; {code}"])
    assert (seen.exit_code, seen.err) == (0, "")
    assert (seen.sockets, seen.written) == (families, ())


# The promise.

HEADLESS = ("-m", "kiosk", *DEMO, "8", "--headless")
# The same run with the switch against telemetry taken away again.
TALKATIVE = (
    "import sys\n"
    "from kiosk import environment\n"
    "for name in ('ORT_DISABLE_TELEMETRY', 'ORT_TELEMETRY_DISABLED'):\n"
    "    environment.SETTINGS.pop(name)\n"
    "environment.apply()\n"
    # The seal would refuse it, so that only the attempt was seen.
    "from kiosk.trust.seal import LAYERS\n"
    "LAYERS.clear()\n"
    "from kiosk.cli import main\n"
    f"sys.exit(main({[*DEMO, '3', '--headless', '--set', 'privacy.seal=best-effort']!r}))"
)


def onnxruntime_version() -> tuple[int, int]:
    """The version of whichever of its packages is installed."""
    for package in ("onnxruntime-gpu", "onnxruntime"):
        try:
            major, minor, *_ = importlib.metadata.version(package).split(".")
        except importlib.metadata.PackageNotFoundError:
            continue
        return int(major), int(minor)
    raise AssertionError("onnxruntime is not installed")


def assert_keeps_and_sends_nothing(seen: Seen) -> None:
    assert seen.exit_code == 0, seen.err
    assert (seen.written, seen.home, seen.sockets) == ((), (), ())


def test_a_run_without_a_screen_keeps_nothing_and_sends_nothing() -> None:
    seen = watch(HEADLESS)
    assert_keeps_and_sends_nothing(seen)
    assert {json.loads(line)["visitor"] for line in seen.out.splitlines()}, (
        "it saw nobody, so it proved nothing"
    )


def test_a_run_on_a_screen_keeps_nothing_and_sends_nothing() -> None:
    with xvfb(1280, 720) as display:
        seen = watch(["-m", "kiosk", *DEMO, "8", "--windowed", "1280x720"], display)
    assert_keeps_and_sends_nothing(seen)


if onnxruntime_version() >= (1, 29):

    def test_the_harness_catches_the_same_run_when_the_switch_against_telemetry_is_removed() -> None:
        seen = watch(["-c", TALKATIVE])
        assert any("onnxruntime" in path for path in seen.home), seen
        assert any("onnxruntime" in path for path in seen.written), seen

else:

    def test_an_onnxruntime_before_1_29_keeps_nothing_even_without_the_switch() -> None:
        assert watch(["-c", TALKATIVE]).home == ()
