"""What the machine's system says of itself: swap, crash reports, clock, memory, heat, the service.

In: the root of its files, of which /proc, /sys, /run, /etc and /var are read; nothing is written. Out: lines,
each right, wrong with the cure, or unknown. OSError where the system has not what is asked for.
"""

from __future__ import annotations

import ctypes
import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from enum import Enum
from pathlib import Path

from kiosk.trust import kernel

ROOT = Path("/")
MEBIBYTE = 1 << 20
# The piece with the stand-in takes 0.3 GiB on a CPU; a desktop, and CUDA, take more.
LEAST_MEMORY_MIB, LEAST_FREE_MIB = 1800, 700
# A virtual environment with CUDA's libraries; without them it is a third of that.
SETUP_MIB = 6000
FIRST_YEAR = 2025
"""The program is younger: a clock that says less was never set."""
ADJTIMEX = {"x86_64": 159, "aarch64": 171}
TIME_ERROR = 5
_TIMEX_SIZE = 512  # more than the 208 bytes that the kernel writes
UNITS = Path("etc/systemd/system")
# Older ones end with their last screen, also where it is only switched off (cage#274).
CAGE_STAYS = (0, 2)


class State(Enum):
    """How a line stands."""

    OK = "ok"
    WRONG = "WRONG"
    UNKNOWN = "?"


@dataclass(frozen=True)
class Line:
    """One thing that was examined."""

    state: State
    what: str
    found: str
    cure: str = ""
    """What to do; empty where there is nothing to be done, or where `found` says it."""

    def __str__(self) -> str:
        """For a terminal."""
        cure = f". Cure: {self.cure}" if self.cure else ""
        return f"{self.state.value:5} {self.what}: {self.found}{cure}"


def swaps(root: Path = ROOT) -> tuple[str, ...]:
    """The devices and files to which memory may be swapped."""
    return tuple(line.split()[0] for line in (root / "proc/swaps").read_text().splitlines()[1:])


def swap(root: Path = ROOT) -> Iterator[Line]:
    """Where memory, and a picture in it, could come to lie on a disk."""
    found = swaps(root)
    disks = [name for name in found if not name.startswith("/dev/zram")]
    if not disks:
        memory = f"{', '.join(found)}, which is memory" if found else "none"
        yield Line(State.OK, "swap", f"{memory}: no picture gets to a disk by it")
    elif "MemorySwapMax=0" in _unit(root):
        yield Line(State.OK, "swap", f"{', '.join(disks)}; the service may not use it")
    else:
        cure = "run the piece as the service, which may not use it; or sudo swapoff -a, and out of /etc/fstab"
        yield Line(State.WRONG, "swap", f"{', '.join(disks)}: a picture could get to a disk", cure)


def cores(*, dumpable: bool, root: Path = ROOT) -> Iterator[Line]:
    """Who would get the memory after a crash; `dumpable` says whether the kernel may give it. core(5)."""
    pattern = (root / "proc/sys/kernel/core_pattern").read_text().strip()
    reporter = pattern[1:].split()[0] if pattern.startswith("|") and len(pattern) > 1 else ""
    whom = f"a crash reporter, {reporter}" if reporter else f"files of the name '{pattern}'"
    if not dumpable:
        yield Line(State.OK, "core files", f"go to {whom}, but the seal keeps this program out of them")
    else:
        cure = "see the line on the seal; or sudo sysctl kernel.core_pattern=/dev/null"
        yield Line(State.WRONG, "core files", f"go to {whom}: a crash would leave pictures there", cure)


def is_dumpable() -> bool:
    """Whether the kernel may give this process's memory away; True where it cannot be asked."""
    return not kernel.machine() or kernel.prctl(kernel.PR_GET_DUMPABLE) != 0


def clock_state() -> int | None:
    """What the kernel says of its clock, adjtimex(2); None where it cannot be asked."""
    number = ADJTIMEX.get(kernel.machine())
    return None if number is None else kernel.syscall(number, ctypes.create_string_buffer(_TIMEX_SIZE))


def clock(now: datetime, state: int | None, root: Path = ROOT) -> Iterator[Line]:
    """Opening hours and reports go by it; `state` is clock_state's."""
    time = f"{now:%Y-%m-%d %H:%M %Z}"
    if now.year < FIRST_YEAR:
        cure = "sudo timedatectl set-ntp true, or set it: sudo timedatectl set-time '2026-01-31 12:00'"
        yield Line(State.WRONG, "clock", f"{time} cannot be", cure)
    elif (root / "run/systemd/timesync/synchronized").exists() or state not in (None, TIME_ERROR):
        yield Line(State.OK, "clock", f"{time}, kept by a time server")
    else:
        cure = "compare it with a watch; sudo timedatectl set-ntp true, where there is a network"
        yield Line(State.UNKNOWN, "clock", f"{time}, kept by no time server", cure)


def memory(root: Path = ROOT) -> Iterator[Line]:
    """proc_meminfo(5)."""
    lines = (root / "proc/meminfo").read_text().splitlines()
    sizes = {line.split(":")[0]: int(line.split()[1]) // 1024 for line in lines if len(line.split()) > 1}
    total, free = sizes["MemTotal"], sizes["MemAvailable"]
    found = f"{total} MiB, {free} free"
    if total < LEAST_MEMORY_MIB:
        yield Line(State.WRONG, "memory", found, "a machine with 2 GiB or more")
    elif free < LEAST_FREE_MIB:
        yield Line(State.WRONG, "memory", found, f"end what else runs; {LEAST_FREE_MIB} MiB are needed")
    else:
        yield Line(State.OK, "memory", found)


def disk(free: int, *, is_set_up: bool) -> Iterator[Line]:
    """`free` bytes on the disk of the program; only set-up needs any."""
    mebibytes = free // MEBIBYTE
    if is_set_up or mebibytes >= SETUP_MIB:
        yield Line(State.OK, "disk", f"{mebibytes} MiB free; the piece itself writes nothing")
    else:
        cure = f"make room: set-up needs up to {SETUP_MIB} MiB"
        yield Line(State.WRONG, "disk", f"{mebibytes} MiB free, and it is not set up", cure)


def heat(root: Path = ROOT) -> Iterator[Line]:
    """Whether the processor was slowed down for its heat since the start; Intel's say so."""
    counts = root.glob("sys/devices/system/cpu/cpu[0-9]*/thermal_throttle/package_throttle_count")
    slowed = [int(path.read_text()) for path in counts]
    if not slowed:
        yield Line(State.UNKNOWN, "heat", "this processor does not say whether it was slowed down")
    elif max(slowed):
        cure = "after a day of running, look again; where it grows: dust, fan, air round the machine"
        yield Line(State.UNKNOWN, "heat", f"slowed down {max(slowed)} times since it was switched on", cure)
    else:
        yield Line(State.OK, "heat", "not slowed down since it was switched on")


def service(project: Path, config: Path, root: Path = ROOT) -> Iterator[Line]:
    """Whether the piece starts with the machine: this `project`, with this `config`."""
    unit = _unit(root)
    if not unit:
        cure = "to start with the machine: sudo scripts/install-service"
        yield Line(State.UNKNOWN, "service", "not installed", cure)
        return
    place = _setting(unit, r"WorkingDirectory=(.*)")
    other = _setting(unit, r'ExecStart=.* --config "([^"]*)"')
    if not (root / UNITS / "multi-user.target.wants/kiosk.service").is_symlink():
        cure = "sudo systemctl enable --now kiosk"
        yield Line(State.WRONG, "service", "installed, but it does not start with the machine", cure)
    elif Path(place) != project:
        cure = "there: kiosk doctor; or here: sudo scripts/install-service"
        yield Line(State.WRONG, "service", f"starts another copy of the program, {place}", cure)
    elif Path(other) != config:
        yield Line(State.UNKNOWN, "service", "has another configuration", f"kiosk doctor --config {other}")
    else:
        runs = " and runs now" if is_running(root) else ", and does not run now"
        yield Line(State.OK, "service", f"starts with the machine{runs}")


def is_running(root: Path = ROOT) -> bool:
    """Whether the service has a process: then it also holds the camera."""
    try:
        return bool((root / "sys/fs/cgroup/system.slice/kiosk.service/cgroup.procs").read_text().strip())
    except OSError:
        return False


def cage(root: Path = ROOT) -> Iterator[Line]:
    """The compositor, where the service has one of its own; its version is Debian's package's."""
    if not (root / UNITS / "kiosk-display.service").exists():
        return
    packages = (root / "var/lib/dpkg/status").read_text(encoding="utf-8", errors="replace")
    own = next((it for it in packages.split("\n\n") if it.lstrip().startswith("Package: cage\n")), "")
    version = _setting(own, r"\nVersion: (.*)")
    if not version:
        yield Line(State.UNKNOWN, "cage", "not installed as a package", "cage -v; 0.2 or newer is needed")
    elif tuple(int(part) for part in re.findall(r"\d+", version)[:2]) < CAGE_STAYS:
        found = f"{version} ends when the screen is switched off, and is started anew when it is on again"
        cure = "cage 0.2 or newer, as in Debian 13; or scripts/install-service --x11"
        yield Line(State.WRONG, "cage", found, cure)
    else:
        yield Line(State.OK, "cage", version)


def _unit(root: Path) -> str:
    """The service's unit; empty where it is not installed."""
    try:
        return (root / UNITS / "kiosk.service").read_text(encoding="utf-8")
    except OSError:
        return ""


def _setting(text: str, pattern: str) -> str:
    found = re.search(pattern, text)
    return found[1].strip() if found else ""
