"""Landlock: no file is created, written, renamed or removed but the device nodes that the piece needs.

landlock(7), Linux 5.13 and newer. Holds for the calling thread and all that it starts, root's too, and
cannot be lifted. Reading stays allowed: libraries and models are loaded inside.
"""

from __future__ import annotations

import ctypes
import errno
import os
import stat
from collections.abc import Iterator
from pathlib import Path

from kiosk.trust.kernel import syscall

CREATE_RULESET, ADD_RULE, RESTRICT_SELF = 444, 445, 446
VERSION = 1
PATH_BENEATH, NET_PORT = 1, 2
# The newest version of the interface whose rights are known here; a newer kernel keeps to it.
NEWEST_ABI = 7

WRITE_FILE = 1 << 1
REMOVE_DIR, REMOVE_FILE = 1 << 4, 1 << 5
MAKE_CHAR, MAKE_DIR, MAKE_REG, MAKE_SOCK, MAKE_FIFO, MAKE_BLOCK, MAKE_SYM = (1 << bit for bit in range(6, 13))
REFER = 1 << 13  # from ABI 2; before, every rename and link to another folder is refused
TRUNCATE = 1 << 14  # from ABI 3; before, the seccomp filter refuses it
CONNECT_TCP, BIND_TCP = 1 << 1, 1 << 0  # from PORTS_ABI; before, ports cannot be told apart
PORTS_ABI = 4
ABSTRACT_UNIX_SOCKET = 1 << 0  # from ABI 6
# From ABI 7: a refusal is not logged, for the log would keep the name that was refused.
LOG_SAME_EXEC_OFF = 1 << 0

DEVICES = Path("/dev")
# Nodes that pictures come from or go to, and those that swallow what they are given. Not /dev/shm, which
# is a file system in memory, nor terminals, printers, serial lines and disks. What a GPU needs besides its
# nodes was not measured. ioctl(2) is left alone: it is the language of all of these.
NODES = ("null", "zero", "video[0-9]*", "dri/*", "nvidia*", "nvidia-caps/*")


class _Ruleset(ctypes.Structure):
    _fields_ = (("fs", ctypes.c_uint64), ("net", ctypes.c_uint64), ("scoped", ctypes.c_uint64))


class _PathBeneath(ctypes.Structure):  # the kernel's is packed, and reads the first 12 bytes of this one
    _fields_ = (("access", ctypes.c_uint64), ("parent", ctypes.c_int32))


class _NetPort(ctypes.Structure):
    _fields_ = (("access", ctypes.c_uint64), ("port", ctypes.c_uint64))


def abi() -> int:
    """The kernel's version of the interface. Raises OSError where there is none."""
    try:
        return min(syscall(CREATE_RULESET, None, 0, VERSION), NEWEST_ABI)
    except OSError as error:
        reasons = {
            errno.ENOSYS: "this kernel has none; Linux 5.13 and newer have it",
            errno.EOPNOTSUPP: "switched off; add landlock to lsm= on the kernel's command line",
        }
        reason = reasons.get(error.errno or 0, f"{error.strerror}; a container may refuse it to its programs")
        raise OSError(error.errno, reason) from error


def restrict(ports: tuple[int, ...], *, abstract_sockets: bool, devices: Path = DEVICES) -> str:
    """Restrict this thread and all that it starts from now on; say how. Raises OSError.

    TCP may only connect, and only to `ports`. Abstract Unix sockets of other programs are reached only
    where `abstract_sockets`.
    """
    threads = len(list(Path("/proc/self/task").iterdir()))
    if threads > 1:
        raise OSError(errno.EBUSY, f"{threads - 1} threads were started before it and would not be bound")
    version = abi()
    files = WRITE_FILE | REMOVE_DIR | REMOVE_FILE
    files |= MAKE_CHAR | MAKE_DIR | MAKE_REG | MAKE_SOCK | MAKE_FIFO | MAKE_BLOCK | MAKE_SYM
    files |= (REFER if version >= 2 else 0) | (TRUNCATE if version >= 3 else 0)
    wanted = _Ruleset(files, CONNECT_TCP | BIND_TCP, 0 if abstract_sockets else ABSTRACT_UNIX_SOCKET)
    size = 24 if version >= 6 else 16 if version >= PORTS_ABI else 8
    ruleset = syscall(CREATE_RULESET, ctypes.byref(wanted), size, 0)
    try:
        count = 0
        for node in nodes(devices):
            _allow(ruleset, node, files & (WRITE_FILE | TRUNCATE))
            count += 1
        for port in ports if version >= PORTS_ABI else ():
            syscall(ADD_RULE, ruleset, NET_PORT, ctypes.byref(_NetPort(CONNECT_TCP, port)), 0)
        syscall(RESTRICT_SELF, ruleset, LOG_SAME_EXEC_OFF if version >= 7 else 0)
    finally:
        os.close(ruleset)
    text = f"ABI {version}; {count} device nodes may be written to, and no file"
    if ports:
        listed = ", ".join(map(str, ports))
        text += (
            f"; TCP only to port {listed}" if version >= PORTS_ABI else "; TCP to any port, until Linux 6.7"
        )
    return text


def nodes(devices: Path = DEVICES) -> Iterator[Path]:
    """The device nodes that may be written to: character devices, no links, no folders, no disks."""
    for pattern in NODES:
        for path in sorted(devices.glob(pattern)):
            if stat.S_ISCHR(path.lstat().st_mode):
                yield path


def is_sealed_off(node: Path) -> bool:
    """Whether a device node is there, and only the seal keeps it from being opened.

    A camera that is plugged in again gets a new node, and the allowance was for the old one: the program
    must be started again. access(2) asks the node's permissions only, open(2) Landlock as well.
    """
    if not os.access(node, os.R_OK | os.W_OK):
        return False
    try:
        os.close(os.open(node, os.O_RDWR | os.O_NONBLOCK | os.O_CLOEXEC))
    except OSError as error:
        return error.errno == errno.EACCES
    return False


def _allow(ruleset: int, path: Path, access: int) -> None:
    descriptor = os.open(path, os.O_PATH | os.O_CLOEXEC | os.O_NOFOLLOW)
    try:
        syscall(ADD_RULE, ruleset, PATH_BENEATH, ctypes.byref(_PathBeneath(access, descriptor)), 0)
    finally:
        os.close(descriptor)
