"""Seccomp: the filters through which every system call of every thread goes from now on.

seccomp(2). In: what the piece may do. Out: a program for the kernel's BPF machine, as a list of
instructions; `install` hands it over for good. Refused calls answer EPERM: a library that asks in vain
goes on without, and nothing is killed on the wall.
"""

from __future__ import annotations

import ctypes
import errno
import socket
from collections.abc import Mapping

from kiosk.trust import calls
from kiosk.trust.kernel import machine, syscall

SECCOMP = {"x86_64": 317, "aarch64": 277}
SET_MODE_FILTER, TSYNC = 1, 1
AUDIT_ARCH = {"x86_64": 0xC000003E, "aarch64": 0xC00000B7}

# BPF: load a word of `struct seccomp_data`, mask it, compare, return.
LOAD, AND, EQUAL, GREATER, RETURN = 0x20, 0x54, 0x15, 0x25, 0x06
NUMBER, ARCH = 0, 4

ALLOW = 0x7FFF0000
REFUSE = 0x00050000 | errno.EPERM
UNKNOWN = 0x00050000 | errno.ENOSYS

RLIMIT_FSIZE, RLIMIT_CORE = 1, 4
PR_SET_DUMPABLE = 4
# The same on both machines (asm-generic/fcntl.h, linux/net.h, linux/socket.h).
O_TRUNC, O_ACCMODE, TYPE_MASK, MSG_FASTOPEN = 0o1000, 3, 0xF, 0x20000000
ROUTE, KOBJECT_UEVENT = 0, 15
F_DUPFD, F_DUPFD_CLOEXEC = 0, 1030
# Types into the shell that started the program (TIOCSTI, TIOCLINUX); writes about a file that is only open
# for reading (FS_IOC_SETFLAGS, FS_IOC_SETVERSION, FS_IOC_FSSETXATTR, FS_IOC_SETFSLABEL).
IOCTLS = (0x5412, 0x541C, 0x40086602, 0x40087602, 0x401C5820, 0x41009432)

Instruction = tuple[int, int, int, int]
"""code, jump if true, jump if false, operand."""
Program = list[Instruction]


def main_filter(machine_name: str, *, tcp: bool, memfd: bool) -> Program:
    """What holds from the seal on. `tcp`: a stream is read; `memfd`: Wayland draws into one."""
    refuse: Program = [_return(REFUSE)]
    rules = dict.fromkeys(calls.REFUSED, refuse)
    # O_TRUNC without a right to write empties the file all the same (open(2)); Landlock's ABI 1 and 2 let
    # it. With that right Landlock decides. 3 is the access mode "neither".
    flags = {O_TRUNC: refuse, O_TRUNC | O_ACCMODE: refuse}
    rules["open"] = _choose(1, flags, mask=O_ACCMODE | O_TRUNC)
    rules["openat"] = _choose(2, flags, mask=O_ACCMODE | O_TRUNC)
    # Its flags lie in memory, where a filter cannot look; who asks for it falls back on openat.
    rules["openat2"] = [_return(UNKNOWN)]
    rules["ioctl"] = _choose(1, dict.fromkeys(IOCTLS, refuse))
    rules["prctl"] = _choose(0, {PR_SET_DUMPABLE: refuse})
    # Root could raise them again.
    rules["setrlimit"] = _choose(0, {RLIMIT_CORE: refuse, RLIMIT_FSIZE: refuse})
    asks = _choose(2, {0: _choose(2, {0: [_return(ALLOW)]}, refuse, high=True)}, refuse)
    rules["prlimit64"] = _choose(1, {RLIMIT_CORE: asks, RLIMIT_FSIZE: asks})
    if not memfd:
        rules["memfd_create"] = refuse
    # No datagrams: the system log takes them, and sendmsg(2) gives them an address that no filter sees.
    # systemd's notification socket is one; it is opened before the seal, and closing_filter looks after it.
    unix = _only(1, (socket.SOCK_STREAM, socket.SOCK_SEQPACKET), mask=TYPE_MASK)
    families = {1: unix, 16: _only(2, (ROUTE, KOBJECT_UEVENT))}  # AF_UNIX, AF_NETLINK
    if tcp:
        # Plain TCP, and by connect(2) only: Landlock knows no MPTCP and did not know TCP Fast Open.
        stream = _choose(1, {socket.SOCK_STREAM: _only(2, (0, socket.IPPROTO_TCP))}, refuse, mask=TYPE_MASK)
        families |= {2: stream, 10: stream}  # AF_INET, AF_INET6
        rules |= dict.fromkeys(("listen", "accept", "accept4"), refuse)
        for call, position in (("sendto", 3), ("sendmsg", 2), ("sendmmsg", 3)):
            rules[call] = _choose(position, {MSG_FASTOPEN: refuse}, mask=MSG_FASTOPEN)
    rules["socket"] = _choose(0, families, refuse)
    rules["socketpair"] = _choose(0, {1: unix}, refuse)
    return _program(machine_name, rules)


def closing_filter(machine_name: str, *, tcp: bool, notify: int | None = None) -> Program:
    """What holds once the display is open: no connection to any other program of this machine.

    A filter cannot see the path of a Unix socket, so that all are refused: by connect(2), or, where a
    stream must be able to connect again, by socket(2). `notify` is the number of systemd's socket, a
    datagram socket, which could send to any address: it keeps to the peer and the number that it has.
    """
    refuse: Program = [_return(REFUSE)]
    rules = {"socket": _choose(0, {1: refuse})} if tcp else {"connect": refuse}
    if notify is not None:
        # sendto(2) holds the address in a register, sendmsg(2) in memory, where a filter cannot look.
        no_address = _choose(4, {0: _choose(4, {0: [_return(ALLOW)]}, refuse, high=True)}, refuse)
        copies = _choose(1, dict.fromkeys((F_DUPFD, F_DUPFD_CLOEXEC), refuse))
        rules |= {"sendto": _choose(0, {notify: no_address}), "fcntl": _choose(0, {notify: copies})}
        for call in ("connect", "sendmsg", "sendmmsg", "dup", "dup2", "dup3"):
            rules.setdefault(call, _choose(0, {notify: refuse}))
    return _program(machine_name, rules)


def install(program: Program) -> None:
    """Hand a filter to the kernel, for all threads of the process. Raises OSError."""
    code = b"".join(bytes(_Instruction(*instruction)) for instruction in program)
    buffer = ctypes.create_string_buffer(code, len(code))
    wanted = _Program(len(program), ctypes.addressof(buffer))
    # A positive answer is the thread that could not be bound.
    if syscall(SECCOMP[machine()], SET_MODE_FILTER, TSYNC, ctypes.byref(wanted)) != 0:
        raise OSError(errno.EBUSY, "a thread has a filter of its own and could not be bound")


class _Instruction(ctypes.Structure):
    _fields_ = (
        ("code", ctypes.c_uint16),
        ("jt", ctypes.c_uint8),
        ("jf", ctypes.c_uint8),
        ("k", ctypes.c_uint32),
    )


class _Program(ctypes.Structure):
    _fields_ = (("length", ctypes.c_ushort), ("filter", ctypes.c_void_p))


def _program(machine_name: str, rules: Mapping[str, Program]) -> Program:
    """A call of another machine's numbers (int 0x80) is refused, as is every call that is not known yet.

    The x32 numbers of x86-64 lie above those that are known.
    """
    program: Program = [(LOAD, 0, 0, ARCH), (EQUAL, 1, 0, AUDIT_ARCH[machine_name]), _return(REFUSE)]
    program += [(LOAD, 0, 0, NUMBER), (GREATER, 0, 1, calls.NEWEST), _return(UNKNOWN)]
    for name, rule in rules.items():
        number = calls.number(name, machine_name)
        if number is not None:
            program += _case(number, rule)
    return [*program, _return(ALLOW)]


def _choose(
    argument: int,
    cases: Mapping[int, Program],
    otherwise: Program | None = None,
    *,
    mask: int | None = None,
    high: bool = False,
) -> Program:
    """The case that an argument's 32 low (or high) bits are equal to, after the mask.

    The kernel reads no more of an int, so that nobody can hide another value above it. Both machines are
    little-endian.
    """
    program: Program = [(LOAD, 0, 0, 16 + 8 * argument + (4 if high else 0))]
    if mask is not None:
        program.append((AND, 0, 0, mask))
    for value, case in cases.items():
        program += _case(value, case)
    return program + (otherwise or [_return(ALLOW)])


def _only(argument: int, values: tuple[int, ...], mask: int | None = None) -> Program:
    return _choose(argument, {int(value): [_return(ALLOW)] for value in values}, [_return(REFUSE)], mask=mask)


def _case(value: int, program: Program) -> Program:
    """Every program ends with a return, so that what follows is reached by the jump only."""
    return [(EQUAL, 0, len(program), value), *program]


def _return(answer: int) -> Instruction:
    return (RETURN, 0, 0, answer)
