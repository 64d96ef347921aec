"""The small layers: core files, dumps, privileges, bytes in files, and descriptors from outside.

Each function puts one in force and says what holds; OSError where it cannot. setrlimit(2), prctl(2), core(5).
"""

from __future__ import annotations

import os
import stat
from pathlib import Path

from kiosk.trust import kernel

STANDARD = (1, 2)
INTERNET = (2, 10)  # AF_INET, AF_INET6


def no_core() -> str:
    """RLIMIT_CORE 0: a crash leaves no core file. The kernel asks it for a file only, not for a pipe."""
    import resource  # not on Windows

    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    return "a crash leaves no core file"


def not_dumpable() -> str:
    """PR_SET_DUMPABLE 0: nor one through a pipe; and only root may look into the memory. execve undoes it."""
    kernel.prctl(kernel.PR_SET_DUMPABLE, 0)
    return "no core to a crash reporter, and no other program of this user reads the memory"


def no_new_privileges() -> str:
    """PR_SET_NO_NEW_PRIVS 1: no set-user-ID program gives rights back, and Landlock and seccomp need it."""
    kernel.prctl(kernel.PR_SET_NO_NEW_PRIVS, 1)
    return "no program gives rights back"


def no_file_bytes() -> str:
    """RLIMIT_FSIZE 0: not one byte into a file of any kind, also one in memory and one opened before.

    Python ignores the signal SIGXFSZ, so that the answer is an error.
    """
    import resource  # not on Windows

    resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))
    return "not one byte into any file"


def output_is_a_file() -> bool:
    """Whether standard output or error is a regular file: then RLIMIT_FSIZE would cut off what is printed."""
    return any(_is_file(descriptor) for descriptor in STANDARD)


def close_inherited(keep: int | None = None) -> str:
    """Close what the starter left open that leads to a file or a network, but standard output and `keep`.

    No layer takes a right back from a descriptor that is open already. The program's own are all opened
    later, so that nobody misses these.
    """
    closed = 0
    for descriptor in sorted(int(path.name) for path in Path("/proc/self/fd").iterdir()):
        if descriptor not in (*STANDARD, keep) and _leads_out(descriptor):
            os.close(descriptor)
            closed += 1
    return f"{closed} open for writing were closed" if closed else "none is open for writing"


def _is_file(descriptor: int) -> bool:
    try:
        return stat.S_ISREG(os.fstat(descriptor).st_mode)
    except OSError:  # closed
        return False


def _leads_out(descriptor: int) -> bool:
    import fcntl  # not on Windows
    import socket

    try:
        mode = os.fstat(descriptor).st_mode
        flags = fcntl.fcntl(descriptor, fcntl.F_GETFL)
    except OSError:  # the listing's own, closed since
        return False
    if stat.S_ISSOCK(mode):
        with socket.socket(fileno=os.dup(descriptor)) as copy:
            return int(copy.family) in INTERNET
    disk = stat.S_ISREG(mode) or stat.S_ISBLK(mode)
    return disk and (flags & os.O_ACCMODE) != os.O_RDONLY
