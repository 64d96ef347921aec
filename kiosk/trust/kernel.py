"""The kernel's door: system calls by number and prctl(2), with OSError for what it refuses.

Plain ctypes: libc has no functions for Landlock, and not on every Debian one for seccomp(2).
"""

from __future__ import annotations

import ctypes
import os
import platform
import sys
from functools import cache
from typing import Any

PR_GET_DUMPABLE, PR_SET_DUMPABLE = 3, 4
PR_SET_NO_NEW_PRIVS, PR_GET_NO_NEW_PRIVS = 38, 39


def machine() -> str:
    """The machine whose system calls these are: "x86_64" or "aarch64"; "" for all that is not sealed."""
    # A 32-bit Python on a 64-bit kernel calls by other numbers.
    known = sys.platform == "linux" and sys.maxsize > 2**32 and platform.machine() in ("x86_64", "aarch64")
    return platform.machine() if known else ""


def syscall(number: int, *arguments: Any) -> int:
    """Call the kernel: integers, None for a null pointer, or what ctypes can pass. Raises OSError."""
    function = _libc().syscall
    # On x86-64 as on aarch64 a system call takes registers of 64 bits, and ctypes would pass 32.
    passed = [ctypes.c_long(item) if isinstance(item, int) else item for item in arguments]
    ctypes.set_errno(0)
    answer = int(function(ctypes.c_long(number), *passed))
    if answer == -1:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
    return answer


def prctl(option: int, value: int = 0) -> int:
    """Ask or set one attribute of this process or thread. Raises OSError."""
    function = _libc().prctl
    ctypes.set_errno(0)
    answer = int(function(option, *(ctypes.c_ulong(item) for item in (value, 0, 0, 0))))
    if answer == -1:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
    return answer


@cache
def _libc() -> ctypes.CDLL:
    libc = ctypes.CDLL(None, use_errno=True)
    libc.syscall.restype = ctypes.c_long
    return libc
