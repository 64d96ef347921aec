"""The unit as scripts/install-service writes it, judged by systemd's own tools; nothing is enabled."""

from __future__ import annotations

import argparse
import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from kiosk.app import STOP_TIMEOUT
from kiosk.commands import run
from kiosk.environment import SETTINGS

ROOT = Path(__file__).parent.parent
UNIT, DISPLAY_UNIT = "kiosk.service", "kiosk-display.service"
MOST_EXPOSED = 1.5


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A set-up project in a folder whose name is as awkward as a path may be."""
    made = tmp_path / "a gallery kiosk & more | übrigens"
    for folder in ("scripts", "config", "models", ".venv/bin"):
        (made / folder).mkdir(parents=True)
    for name in ("install-service", UNIT, DISPLAY_UNIT):
        shutil.copy2(ROOT / "scripts" / name, made / "scripts" / name)
    (made / "config/kiosk.yaml").touch()
    (made / "models/lexicon.json").touch()
    (made / ".venv/bin/python").symlink_to(sys.executable)
    return made


@pytest.fixture
def tools(tmp_path: Path) -> Path:
    """A folder that goes before the PATH: what a machine with these tools would have."""
    made = tmp_path / "tools"
    made.mkdir()
    tool(made, "cage", "exit 0")
    return made


def tool(folder: Path, name: str, script: str) -> None:
    (folder / name).write_text(f"#!/bin/sh\n{script}\n", encoding="utf-8")
    (folder / name).chmod(0o755)


def install(project: Path, tools: Path, *options: str) -> subprocess.CompletedProcess[str]:
    variables = {key: value for key, value in os.environ.items() if key not in ("DISPLAY", "KIOSK_VENV")}
    variables |= {
        "PATH": f"{tools}:{os.environ['PATH']}",
        "XAUTHORITY": str(project / "a cookie"),
        "LC_ALL": "C.UTF-8",
    }
    return subprocess.run(
        [project / "scripts/install-service", *options],
        env=variables, text=True, capture_output=True, stdin=subprocess.DEVNULL, timeout=60,
    )  # fmt: skip


def installed(project: Path, tools: Path, *options: str) -> Path:
    """The folder with the units."""
    root = project.parent / "root"
    done = install(project, tools, "--root", str(root), *options)
    assert (done.returncode, done.stderr) == (0, "")
    return root / "etc/systemd/system"


def analyze(*arguments: str | Path) -> str:
    assert shutil.which("systemd-analyze"), "systemd-analyze is missing. On Debian: apt-get install systemd"
    done = subprocess.run(
        ["systemd-analyze", *map(str, arguments)],
        text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=60,
    )  # fmt: skip
    return done.stdout


def exposure(unit: Path) -> float:
    found = re.search(
        rf"level for {unit.name}: ([\d.]+)", analyze("security", "--offline=true", "--no-pager", unit)
    )
    assert found
    return float(found.group(1))


def complaints(unit: Path) -> list[str]:
    """What systemd has to say against a unit, but not against others that this machine has."""
    return [line for line in analyze("verify", "--man=no", unit).splitlines() if unit.name in line]


def settings(unit: Path, key: str) -> list[str]:
    lines = unit.read_text(encoding="utf-8").splitlines()
    return [line.partition("=")[2] for line in lines if line.startswith(f"{key}=")]


def call_groups() -> dict[str, list[str]]:
    """What systemd means by its names for groups of system calls."""
    groups: dict[str, list[str]] = {}
    for line in analyze("syscall-filter").splitlines():
        if line.startswith("@"):
            groups[line.strip()] = []
        elif line.startswith("    ") and not line.strip().startswith("#"):
            groups[list(groups)[-1]].append(line.strip())
    return groups


def allowed_calls(unit: Path) -> set[str]:
    """The system calls that a unit's filter lets through; its first line is one of allowed calls."""
    groups, allowed = call_groups(), set[str]()

    def members(name: str) -> set[str]:
        return set().union(*map(members, groups[name])) if name in groups else {name}

    for line in settings(unit, "SystemCallFilter"):
        named = set().union(*(members(name) for name in line.removeprefix("~").split()))
        allowed = allowed - named if line.startswith("~") else allowed | named
    return allowed


@pytest.mark.parametrize("display", ["--x11", "--cage"])
def test_the_unit_is_as_closed_as_was_promised(project: Path, tools: Path, display: str) -> None:
    units = installed(project, tools, display)
    assert exposure(units / UNIT) <= MOST_EXPOSED
    if display == "--cage":
        assert exposure(units / DISPLAY_UNIT) <= MOST_EXPOSED


def test_the_filter_of_system_calls_lets_the_program_seal_itself(project: Path, tools: Path) -> None:
    allowed = allowed_calls(installed(project, tools) / UNIT)
    needed = {"landlock_create_ruleset", "landlock_add_rule", "landlock_restrict_self", "seccomp", "prctl"}
    assert needed | {"shmget", "memfd_create", "clone3", "ioctl"} <= allowed
    assert not {"ptrace", "io_uring_setup", "setxattr", "mount", "process_vm_readv", "chown"} & allowed


def test_a_unit_that_lost_its_locks_is_found_out(project: Path, tools: Path) -> None:
    unit = installed(project, tools) / UNIT
    text = unit.read_text(encoding="utf-8")
    unit.write_text(re.sub(r"^(Private|Protect)\w+=.*\n", "", text, flags=re.MULTILINE), encoding="utf-8")
    assert exposure(unit) > MOST_EXPOSED


@pytest.mark.parametrize(
    "options", [("--x11",), ("--cage",), ("--stream", "10.0.0.5"), ("--cage", "--stream", "any")]
)
def test_systemd_has_nothing_against_the_units(project: Path, tools: Path, options: tuple[str, ...]) -> None:
    units = installed(project, tools, *options)
    found = sorted(units.iterdir())
    assert [path.name for path in found] == [DISPLAY_UNIT, UNIT][0 if "--cage" in options else 1 :]
    for unit in found:
        assert complaints(unit) == []
        assert not re.search(r"@[A-Z]+@|^#", unit.read_text(encoding="utf-8"), re.MULTILINE)


def test_a_slip_in_a_unit_is_seen(project: Path, tools: Path) -> None:
    unit = installed(project, tools) / UNIT
    unit.write_text(unit.read_text(encoding="utf-8").replace("LimitCORE", "LimitCore"), encoding="utf-8")
    assert any("LimitCore" in line for line in complaints(unit))


def test_the_unit_runs_this_project_with_this_configuration(project: Path, tools: Path) -> None:
    config = project.parent / "the venue" / "venue.yaml"
    config.parent.mkdir()
    config.touch()
    unit = installed(project, tools, "--config", str(config), "--user", "gallery") / UNIT
    assert settings(unit, "ExecStart") == [
        f'"{project}/.venv/bin/python" -B -m kiosk run --or-card --config "{config}"'
    ]
    assert settings(unit, "WorkingDirectory") == [str(project)]
    assert settings(unit, "User") == ["gallery"]
    # Homes and /tmp are hidden, the project and the configuration's folder may lie there.
    assert f'"{project}"' in settings(unit, "BindReadOnlyPaths")[0]
    assert f'"{config.parent}"' in settings(unit, "BindReadOnlyPaths")[0]


def test_the_program_understands_what_the_unit_asks_of_it(project: Path, tools: Path) -> None:
    (command,) = settings(installed(project, tools) / UNIT, "ExecStart")
    words = shlex.split(command)
    parser = argparse.ArgumentParser()
    run.configure(parser)
    asked = parser.parse_args(words[words.index("run") + 1 :])
    assert str(asked.config) == f"{project}/config/kiosk.yaml"
    assert asked.or_card


@pytest.mark.parametrize("display", ["--x11", "--cage"])
def test_systemd_waits_for_the_first_frame_and_ends_a_piece_that_hangs(
    project: Path, tools: Path, display: str
) -> None:
    unit = installed(project, tools, display) / UNIT
    assert settings(unit, "Type") == ["notify"]
    assert settings(unit, "NotifyAccess") == ["main"]
    assert settings(unit, "WatchdogSec") == ["30"]
    # A signal that a crash reporter answers to would hand it the memory.
    assert settings(unit, "WatchdogSignal") == ["SIGKILL"]
    # What it takes to stop: two workers, each given some seconds.
    assert float(settings(unit, "TimeoutStopSec")[0]) > 2 * STOP_TIMEOUT
    assert float(settings(unit, "TimeoutStartSec")[0]) >= 60


@pytest.mark.parametrize("display", ["--x11", "--cage"])
def test_the_piece_reaches_systemd_out_of_its_sandbox(project: Path, tools: Path, display: str) -> None:
    unit = installed(project, tools, display) / UNIT
    # Where it is for services of the system. It stands for itself: an abstract name would be hidden.
    notify = Path("/run/systemd/notify")
    hiding = [*settings(unit, "InaccessiblePaths"), *settings(unit, "TemporaryFileSystem")]
    hidden = [Path(path.lstrip("-+").split(":")[0]) for line in hiding for path in line.split()]
    assert Path("/run/systemd/journal") in hidden
    assert not {notify, *notify.parents} & set(hidden)
    assert "AF_UNIX" in settings(unit, "RestrictAddressFamilies")[0].split()
    assert {"socket", "connect", "sendto"} <= allowed_calls(unit)
    # The main process itself tells it: no shell and no compositor stands between.
    assert settings(unit, "ExecStart")[0].startswith(f'"{project}/.venv/bin/python" ')


def test_the_unit_and_the_program_agree_on_the_environment(project: Path, tools: Path) -> None:
    unit = installed(project, tools) / UNIT
    given = dict(pair.split("=", 1) for line in settings(unit, "Environment") for pair in line.split())
    assert {key: value for key, value in given.items() if SETTINGS.get(key, value) != value} == {}
    for name in ("ORT_DISABLE_TELEMETRY", "ORT_TELEMETRY_DISABLED", "MESA_SHADER_CACHE_DISABLE"):
        assert given[name] == SETTINGS[name]
    assert given["HOME"] == given["XDG_CACHE_HOME"] == "/nonexistent"


def test_only_a_stream_opens_the_network_and_only_to_its_address(project: Path, tools: Path) -> None:
    unit = installed(project, tools) / UNIT
    assert settings(unit, "PrivateNetwork") == ["yes"]
    assert settings(unit, "RestrictAddressFamilies") == ["AF_UNIX AF_NETLINK"]
    assert settings(unit, "IPAddressAllow") == []
    unit = installed(project, tools, "--stream", "10.0.0.5") / UNIT
    assert settings(unit, "PrivateNetwork") == []
    assert settings(unit, "IPAddressAllow") == ["10.0.0.5"]
    assert settings(unit, "IPAddressDeny") == ["any"]


def test_the_x_session_is_reached_though_tmp_and_homes_are_hidden(project: Path, tools: Path) -> None:
    unit = installed(project, tools, "--x11") / UNIT
    assert "-/tmp/.X11-unix" in settings(unit, "BindReadOnlyPaths")
    assert settings(unit, "LoadCredential") == [f"xauthority:{project}/a cookie"]
    assert any("XAUTHORITY=%d/xauthority" in line for line in settings(unit, "Environment"))


def test_under_cage_a_buffer_may_have_a_size_and_nobody_needs_x(project: Path, tools: Path) -> None:
    unit = installed(project, tools, "--cage") / UNIT
    assert settings(unit, "LimitFSIZE") == []  # it would refuse the memfd of a Wayland client
    assert ".X11-unix" not in unit.read_text(encoding="utf-8")
    runtime = settings(unit.with_name(DISPLAY_UNIT), "RuntimeDirectory")
    assert any(f"XDG_RUNTIME_DIR=%t/{runtime[0]} " in line for line in settings(unit, "Environment"))


@pytest.mark.parametrize(("version", "backs_off"), [(252, False), (254, True)])
def test_the_wall_comes_back_by_itself_after_every_exit(
    project: Path, tools: Path, version: int, backs_off: bool
) -> None:
    tool(tools, "systemctl", f"echo 'systemd {version} ({version}.1-1)'")
    unit = installed(project, tools) / UNIT
    assert settings(unit, "Restart") == ["always"]
    assert settings(unit, "StartLimitIntervalSec") == ["0"]
    # Also a bad configuration (78) is tried again: it may have been mended. But never in a hot loop.
    assert settings(unit, "RestartPreventExitStatus") == []
    assert float(settings(unit, "RestartSec")[0]) >= 2
    assert bool(settings(unit, "RestartMaxDelaySec")) is backs_off


def test_a_systemd_that_does_not_know_the_locks_is_refused(project: Path, tools: Path) -> None:
    tool(tools, "systemctl", "echo 'systemd 249 (249.11)'")
    done = install(project, tools, "--root", str(project.parent / "root"))
    assert done.returncode == 69
    assert done.stderr == "install-service: systemd 250 or newer is needed, found 249\n"


def test_installing_and_removing_can_each_be_done_twice(project: Path, tools: Path) -> None:
    root = project.parent / "root"
    units = root / "etc/systemd/system"

    def said(*options: str) -> str:
        done = install(project, tools, "--root", str(root), *options)
        assert (done.returncode, done.stderr) == (0, "")
        return done.stdout

    assert f"wrote {units}/{UNIT}\n" in said("--cage")
    before = {path: (path.read_bytes(), path.stat().st_mtime_ns) for path in units.iterdir()}
    assert f"{units}/{UNIT} is as it should be\n" in said("--cage")
    assert {path: (path.read_bytes(), path.stat().st_mtime_ns) for path in units.iterdir()} == before
    assert f"removed {units}/{UNIT}\n" in said("--remove")
    assert list(units.iterdir()) == []
    assert f"no {units}/{UNIT}\n" in said("--remove")


def test_a_change_of_the_display_takes_the_compositor_away(project: Path, tools: Path) -> None:
    installed(project, tools, "--cage")
    assert [path.name for path in installed(project, tools, "--x11").iterdir()] == [UNIT]


def test_a_dry_run_prints_all_and_writes_nothing(project: Path, tools: Path) -> None:
    root = project.parent / "root"
    done = install(project, tools, "--root", str(root), "--dry-run", "--cage")
    assert done.returncode == 0
    assert "would run: systemctl enable --now kiosk.service" in done.stdout
    assert "ProtectSystem=strict" in done.stdout
    assert not root.exists()
    units = installed(project, tools, "--cage")
    before = sorted(units.iterdir())
    assert install(project, tools, "--root", str(root), "--dry-run", "--remove").returncode == 0
    assert sorted(units.iterdir()) == before


@pytest.mark.parametrize("options", [(), ("--cage",), ("--remove",)])
def test_who_is_not_root_is_told_so_in_a_line(project: Path, tools: Path, options: tuple[str, ...]) -> None:
    tool(tools, "id", "echo 1000")
    done = install(project, tools, *options)
    assert (done.returncode, done.stdout) == (77, "")
    (line,) = done.stderr.splitlines()
    assert line.startswith("install-service: must run as root: sudo ")


def test_root_enables_and_starts_what_was_written_and_stops_what_is_removed(
    project: Path, tools: Path
) -> None:
    # The living system is played: its folder of units is below the test's, and its tools write down.
    units, script = project.parent / "units", project / "scripts/install-service"
    text = script.read_text(encoding="utf-8")
    assert text.count('units="$root/etc/systemd/system"') == 1
    script.write_text(text.replace('units="$root/etc/systemd/system"', f"units='{units}'"), encoding="utf-8")
    calls = tools / "calls"
    tool(tools, "id", "echo 0")
    tool(tools, "getent", "exit 2")
    tool(tools, "useradd", f'echo "useradd $*" >> "{calls}"')
    tool(
        tools, "systemctl", f'[ "$1" = --version ] && echo "systemd 254" || echo "systemctl $*" >> "{calls}"'
    )
    assert install(project, tools).returncode == 0
    assert install(project, tools, "--remove").returncode == 0
    made, *rest = calls.read_text(encoding="utf-8").splitlines()
    assert made.startswith("useradd --system ")
    assert made.endswith(" kiosk")
    assert rest == [
        "systemctl daemon-reload",
        "systemctl stop kiosk.service",
        "systemctl enable --now kiosk.service",
        "systemctl disable --now kiosk.service",
        "systemctl daemon-reload",
    ]


def test_a_piece_that_does_not_come_up_at_once_is_installed_all_the_same(project: Path, tools: Path) -> None:
    units, script = project.parent / "units", project / "scripts/install-service"
    text = script.read_text(encoding="utf-8")
    script.write_text(text.replace('units="$root/etc/systemd/system"', f"units='{units}'"), encoding="utf-8")
    tool(tools, "id", "echo 0")
    tool(tools, "useradd", "exit 0")
    tool(
        tools,
        "systemctl",
        'case "$1" in --version) echo "systemd 254" ;; enable) exit 1 ;; *) exit 0 ;; esac',
    )
    done = install(project, tools)
    assert (done.returncode, done.stderr) == (0, "")
    assert (units / UNIT).is_file()
    assert "installed, but not on the screen yet" in done.stdout


@pytest.mark.parametrize(
    ("options", "code", "complaint"),
    [
        (("--wayland",), 2, "unknown option '--wayland'"),
        (("--user",), 2, "--user needs a value"),
        (("--user", "a b"), 2, "--user must be the name of an account, not 'a b'"),
        (("--stream", "camera.local"), 2, "--stream must be an address such as 10.0.0.5, or any"),
        (("--config", "/nonexistent.yaml"), 78, "there is no configuration /nonexistent.yaml"),
    ],
)
def test_a_mistake_on_the_command_line_is_told_in_a_line_and_changes_nothing(
    project: Path, tools: Path, options: tuple[str, ...], code: int, complaint: str
) -> None:
    root = project.parent / "root"
    done = install(project, tools, "--root", str(root), *options)
    assert (done.returncode, done.stdout) == (code, "")
    (line,) = done.stderr.splitlines()
    assert line.startswith(f"install-service: {complaint}")
    assert not root.exists()


def test_a_path_that_systemd_would_read_otherwise_is_refused(project: Path, tools: Path) -> None:
    config = project.parent / "it's.yaml"
    config.touch()
    done = install(project, tools, "--root", str(project.parent / "root"), "--config", str(config))
    assert done.returncode == 2
    assert done.stderr.startswith("install-service: a path must be without quotes")


def test_a_project_that_was_not_set_up_is_told_so(project: Path, tools: Path) -> None:
    (project / ".venv/bin/python").unlink()
    done = install(project, tools, "--root", str(project.parent / "root"))
    assert done.returncode == 69
    assert "first run scripts/setup" in done.stderr
