from __future__ import annotations

import shutil
import sys
from collections.abc import Iterable
from datetime import datetime, timedelta, timezone
from pathlib import Path

import pytest

from kiosk.trust import machine
from kiosk.trust.machine import Line, State

OK, WRONG, UNKNOWN = State.OK, State.WRONG, State.UNKNOWN
PROJECT = Path(__file__).parent.parent
SWAPS = "Filename\t\t\t\tType\t\tSize\t\tUsed\t\tPriority\n"
TEMPLATE = PROJECT / "scripts" / "kiosk.service"
INTEL = "sys/devices/system/cpu/cpu{}/thermal_throttle/package_throttle_count"


def write(root: Path, name: str, content: str) -> None:
    """A file of a system that is not this one."""
    path = root / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(content, encoding="utf-8")


def only(lines: Iterable[Line]) -> Line:
    (line,) = lines
    return line


def install(
    root: Path, project: str = "/srv/kiosk", config: str = "/srv/venue.yaml", enabled: bool = True
) -> None:
    """The unit as scripts/install-service writes it, in what is looked at here."""
    unit = TEMPLATE.read_text(encoding="utf-8").replace("@PROJECT@", project).replace("@CONFIG@", config)
    write(root, "etc/systemd/system/kiosk.service", unit)
    if enabled:
        link = root / "etc/systemd/system/multi-user.target.wants/kiosk.service"
        link.parent.mkdir(parents=True)
        link.symlink_to("/etc/systemd/system/kiosk.service")


def test_a_line_tells_its_state_first_and_its_cure_last() -> None:
    assert str(Line(OK, "swap", "none")) == "ok    swap: none"
    assert str(Line(WRONG, "swap", "a disk", "swapoff")) == "WRONG swap: a disk. Cure: swapoff"
    assert str(Line(UNKNOWN, "clock", "noon")) == "?     clock: noon"


def test_a_machine_without_swap_is_right(tmp_path: Path) -> None:
    write(tmp_path, "proc/swaps", SWAPS)
    assert machine.swaps(tmp_path) == ()
    assert only(machine.swap(tmp_path)).state is OK


def test_swap_on_a_disk_is_wrong_unless_the_service_may_not_use_it(tmp_path: Path) -> None:
    write(tmp_path, "proc/swaps", f"{SWAPS}/dev/sda2                 partition\t8388604\t\t0\t\t-2\n")
    line = only(machine.swap(tmp_path))
    assert (line.state, line.found) == (WRONG, "/dev/sda2: a picture could get to a disk")
    assert "swapoff" in line.cure
    install(tmp_path)
    assert only(machine.swap(tmp_path)).state is OK


def test_swap_in_memory_is_no_disk(tmp_path: Path) -> None:
    write(tmp_path, "proc/swaps", f"{SWAPS}/dev/zram0 partition 100 0 100\n")
    assert only(machine.swap(tmp_path)).state is OK
    write(tmp_path, "proc/swaps", f"{SWAPS}/dev/zram0 partition 100 0 100\n/swapfile file 100 0 -2\n")
    assert only(machine.swap(tmp_path)).found.startswith("/swapfile:")


@pytest.mark.parametrize("pattern", ["|/usr/share/apport/apport -p%p", "core", "|"])
def test_core_files_are_right_only_where_the_seal_keeps_the_memory(pattern: str, tmp_path: Path) -> None:
    write(tmp_path, "proc/sys/kernel/core_pattern", f"{pattern}\n")
    assert only(machine.cores(dumpable=False, root=tmp_path)).state is OK
    line = only(machine.cores(dumpable=True, root=tmp_path))
    assert line.state is WRONG
    assert ("crash reporter, /usr/share/apport/apport" in line.found) == ("apport" in pattern)


def at(year: int) -> datetime:
    return datetime(year, 6, 1, 12, 30, tzinfo=timezone(timedelta(hours=2), "CEST"))


def test_a_clock_that_was_never_set_is_wrong(tmp_path: Path) -> None:
    line = only(machine.clock(at(1970), 0, tmp_path))
    assert (line.state, line.found) == (WRONG, "1970-06-01 12:30 CEST cannot be")


def test_a_clock_that_nobody_keeps_is_to_be_compared(tmp_path: Path) -> None:
    assert only(machine.clock(at(2026), machine.TIME_ERROR, tmp_path)).state is UNKNOWN
    assert only(machine.clock(at(2026), None, tmp_path)).state is UNKNOWN
    line = only(machine.clock(at(2026), 0, tmp_path))
    assert (line.state, line.found) == (OK, "2026-06-01 12:30 CEST, kept by a time server")
    write(tmp_path, "run/systemd/timesync/synchronized", "")
    assert only(machine.clock(at(2026), None, tmp_path)).state is OK


def test_the_kernel_tells_the_state_of_its_clock() -> None:
    assert machine.clock_state() in range(6)


@pytest.mark.parametrize(
    ("total", "free", "state"),
    [(8_000_000, 6_000_000, OK), (1_000_000, 900_000, WRONG), (8_000_000, 300_000, WRONG)],
)
def test_memory_must_be_there_and_free(total: int, free: int, state: State, tmp_path: Path) -> None:
    write(tmp_path, "proc/meminfo", f"MemTotal: {total} kB\nMemFree: 1 kB\nMemAvailable: {free} kB\n")
    assert only(machine.memory(tmp_path)).state is state


def test_room_on_the_disk_is_needed_for_set_up_only() -> None:
    assert only(machine.disk(10**9, is_set_up=True)).state is OK
    assert only(machine.disk(10**9, is_set_up=False)).state is WRONG
    assert only(machine.disk(10**10, is_set_up=False)).state is OK


def test_a_processor_that_was_too_hot_is_to_be_watched(tmp_path: Path) -> None:
    assert only(machine.heat(tmp_path)).state is UNKNOWN
    for core in (0, 1):
        write(tmp_path, INTEL.format(core), "0\n")
    assert only(machine.heat(tmp_path)).state is OK
    write(tmp_path, INTEL.format(1), "12\n")
    line = only(machine.heat(tmp_path))
    assert (line.state, "12 times" in line.found) == (UNKNOWN, True)


def service(root: Path) -> Line:
    return only(machine.service(Path("/srv/kiosk"), Path("/srv/venue.yaml"), root))


def test_without_the_service_nobody_knows_who_starts_the_piece(tmp_path: Path) -> None:
    line = service(tmp_path)
    assert (line.state, line.found) == (UNKNOWN, "not installed")
    assert "install-service" in line.cure


def test_the_service_starts_with_the_machine_and_tells_whether_it_runs(tmp_path: Path) -> None:
    install(tmp_path)
    assert str(service(tmp_path)) == "ok    service: starts with the machine, and does not run now"
    write(tmp_path, "sys/fs/cgroup/system.slice/kiosk.service/cgroup.procs", "")
    assert not machine.is_running(tmp_path)
    write(tmp_path, "sys/fs/cgroup/system.slice/kiosk.service/cgroup.procs", "812\n")
    assert machine.is_running(tmp_path)
    assert str(service(tmp_path)) == "ok    service: starts with the machine and runs now"


def test_a_service_that_is_not_enabled_is_wrong(tmp_path: Path) -> None:
    install(tmp_path, enabled=False)
    line = service(tmp_path)
    assert (line.state, line.cure) == (WRONG, "sudo systemctl enable --now kiosk")


def test_a_service_of_another_copy_or_configuration_is_told(tmp_path: Path) -> None:
    install(tmp_path, project="/home/old/kiosk")
    line = service(tmp_path)
    assert (line.state, "/home/old/kiosk" in line.found) == (WRONG, True)
    shutil.rmtree(tmp_path / "etc")
    install(tmp_path, config="/srv/other.yaml")
    line = service(tmp_path)
    assert (line.state, line.cure) == (UNKNOWN, "kiosk doctor --config /srv/other.yaml")


@pytest.mark.parametrize(
    ("version", "state"),
    [("0.1.4-4", WRONG), ("0.1.5-1", WRONG), ("0.2.0-2", OK), ("1.0", OK), ("", UNKNOWN)],
)
def test_an_old_cage_ends_with_its_screen(version: str, state: State, tmp_path: Path) -> None:
    assert list(machine.cage(tmp_path)) == []
    write(tmp_path, "etc/systemd/system/kiosk-display.service", "")
    own = (
        f"Package: cage\nStatus: install ok installed\nVersion: {version}\nDepends: x\n\n" if version else ""
    )
    write(
        tmp_path, "var/lib/dpkg/status", f"Package: cageling\nVersion: 9\n\n{own}Package: zip\nVersion: 3.0\n"
    )
    line = only(machine.cage(tmp_path))
    assert line.state is state
    assert line.found.startswith(version or "not installed")


def test_what_the_system_has_not_is_an_oserror(tmp_path: Path) -> None:
    for look in (machine.swap, machine.memory):
        with pytest.raises(OSError, match="No such file"):
            list(look(tmp_path))
    with pytest.raises(OSError, match="No such file"):
        list(machine.cores(dumpable=True, root=tmp_path))


def test_this_machine_can_be_looked_at() -> None:
    assert sys.platform == "linux", "there is no /proc to look at"
    for look in (machine.swap, machine.memory, machine.heat, machine.cage):
        assert all(line.found for line in look())
    assert machine.is_dumpable()
