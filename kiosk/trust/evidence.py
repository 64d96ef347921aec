"""What the kernel says of this process: what is open for writing, swap, core files, and the program's digest.

In: /proc. Out: findings, each with what it means and whether it is as it must be.
"""

from __future__ import annotations

import hashlib
import os
import resource
import stat
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from kiosk.trust import machine

PROC = Path("/proc/self")
PACKAGE = Path(__file__).resolve().parent.parent
DIGEST_COMMAND = "find kiosk -name '*.py' | LC_ALL=C sort | xargs sha256sum | sha256sum"
# Of what may be open for writing: the console or pipe it prints to, and devices, which keep nothing.
_CONSOLE = (1, 2)
_A_FILE = " (a file!)"


@dataclass(frozen=True)
class Finding:
    """One thing that was looked up."""

    what: str
    found: str
    good: bool


def findings() -> Iterator[Finding]:
    """All of them."""
    yield from _descriptors()
    yield from _memory()


def program_digest() -> str:
    """SHA-256 over the digests of the program's files; DIGEST_COMMAND computes the same from outside."""
    paths = sorted(str(path.relative_to(PACKAGE.parent)) for path in PACKAGE.rglob("*.py"))
    lines = (
        f"{hashlib.sha256((PACKAGE.parent / path).read_bytes()).hexdigest()}  {path}\n" for path in paths
    )
    return hashlib.sha256("".join(lines).encode()).hexdigest()


def _descriptors() -> Iterator[Finding]:
    """proc_pid_fd(5), proc_pid_fdinfo(5)."""
    others = []
    for link in sorted((PROC / "fd").iterdir(), key=lambda link: int(link.name)):
        descriptor = int(link.name)
        try:
            mode = os.fstat(descriptor).st_mode
            target = str(link.readlink())
            flags = (PROC / "fdinfo" / link.name).read_text().split("flags:")[1].split()[0]
        except OSError:  # the descriptor that lists them is closed by now
            continue
        if int(flags, 8) & os.O_ACCMODE == os.O_RDONLY or target.startswith("anon_inode:"):
            continue
        kept = stat.S_ISREG(mode) and descriptor not in _CONSOLE
        note = " (what is printed)" if descriptor in _CONSOLE else _A_FILE if kept else ""
        others.append(f"{target}{note}")
    good = not any(it.endswith(_A_FILE) for it in others)
    yield Finding("Open for writing", ", ".join(others) or "nothing", good)


def _memory() -> Iterator[Finding]:
    """Swap and core files: where memory could come to lie on a disk. proc_pid_status(5), core(5)."""
    status = dict(line.split(":", 1) for line in (PROC / "status").read_text().splitlines() if ":" in line)
    swapped = status.get("VmSwap", "0 kB").split()[0]
    note = (
        "the machine has no swap"
        if not machine.swaps()
        else "the service's unit forbids it; see docs/privacy.md"
    )
    yield Finding("Memory of this process that was swapped to disk", f"{swapped} kB; {note}", swapped == "0")
    limit = resource.getrlimit(resource.RLIMIT_CORE)
    yield Finding("Size of a core file after a crash", f"limit {limit[0]} bytes", limit == (0, 0))
    bound = status.get("Seccomp", "").strip() == "2" and status.get("NoNewPrivs", "").strip() == "1"
    yield Finding(
        "This process says of itself", "seccomp filters, no new privileges" if bound else "no", bound
    )
