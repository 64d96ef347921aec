from __future__ import annotations

import errno
import fcntl
import socket
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kiosk.trust import calls, kernel, seccomp
from kiosk.trust.seccomp import ALLOW, REFUSE, UNKNOWN, Program
from tests.sealed import told

MACHINES = ("x86_64", "aarch64")
I386, ARM = 0x40000003, 0x40000028
INET, UNIX, NETLINK = 2, 1, 16


def judge(program: Program, machine: str, number: int, *arguments: int, arch: int | None = None) -> int:
    """What the kernel's BPF machine answers to a call: seccomp(2), for the few instructions in use."""
    words = [number, seccomp.AUDIT_ARCH[machine] if arch is None else arch, 0, 0]
    for argument in (*arguments, *[0] * (6 - len(arguments))):
        words += [argument & 0xFFFFFFFF, argument >> 32]
    at, accumulator = 0, 0
    while True:
        code, yes, no, operand = program[at]
        at += 1
        if code == seccomp.LOAD:
            assert operand % 4 == 0
            accumulator = words[operand // 4]
        elif code == seccomp.AND:
            accumulator &= operand
        elif code == seccomp.EQUAL:
            at += yes if accumulator == operand else no
        elif code == seccomp.GREATER:
            at += yes if accumulator > operand else no
        else:
            assert code == seccomp.RETURN
            return operand


def call(name: str, machine: str, *arguments: int, tcp: bool = False, memfd: bool = False) -> int:
    number = calls.number(name, machine)
    assert number is not None
    return judge(seccomp.main_filter(machine, tcp=tcp, memfd=memfd), machine, number, *arguments)


@pytest.mark.parametrize("machine", MACHINES)
@pytest.mark.parametrize("name", calls.REFUSED)
def test_a_refused_call_is_refused_whatever_its_arguments(name: str, machine: str) -> None:
    number = calls.number(name, machine)
    for tcp in (False, True):
        program = seccomp.main_filter(machine, tcp=tcp, memfd=True)
        if number is not None:
            assert judge(program, machine, number) == REFUSE
            assert judge(program, machine, number, 1, 2**63, 3, 4, 5, 6) == REFUSE


@pytest.mark.parametrize("machine", MACHINES)
def test_what_a_running_piece_needs_is_allowed(machine: str) -> None:
    program = seccomp.main_filter(machine, tcp=False, memfd=False)
    common = {  # read, write, close, mmap, futex, shmget, clone, exit_group, poll or ppoll
        "x86_64": (0, 1, 3, 9, 202, 29, 56, 231, 7),
        "aarch64": (63, 64, 57, 222, 98, 194, 220, 94, 73),
    }
    assert {judge(program, machine, number, 1, 2, 3) for number in common[machine]} == {ALLOW}


@pytest.mark.parametrize("machine", MACHINES)
def test_a_call_by_the_numbers_of_another_machine_is_refused(machine: str) -> None:
    program = seccomp.main_filter(machine, tcp=True, memfd=True)
    for arch in (I386, ARM, 0):
        assert judge(program, machine, 0, arch=arch) == REFUSE


@pytest.mark.parametrize("machine", MACHINES)
@given(number=st.integers(calls.NEWEST + 1, 2**32 - 1))
def test_a_call_that_is_not_known_yet_is_answered_as_by_a_kernel_without_it(
    machine: str, number: int
) -> None:
    assert judge(seccomp.main_filter(machine, tcp=True, memfd=True), machine, number) == UNKNOWN
    assert judge(seccomp.main_filter("x86_64", tcp=True, memfd=True), "x86_64", 0x40000000 + 41) == UNKNOWN


@pytest.mark.parametrize("machine", MACHINES)
def test_sockets_lead_to_the_display_and_to_the_kernel_only(machine: str) -> None:
    stream, datagram, raw, packets = 1, 2, 3, 5
    cloexec = 0o2000000
    assert call("socket", machine, UNIX, stream | cloexec) == ALLOW
    assert call("socket", machine, UNIX, packets) == ALLOW
    assert call("socket", machine, UNIX, datagram) == REFUSE
    assert call("socket", machine, UNIX, raw) == REFUSE, "the kernel takes it for a datagram socket"
    assert call("socketpair", machine, UNIX, datagram | cloexec) == REFUSE
    assert call("socket", machine, NETLINK, raw, 15) == ALLOW
    assert call("socket", machine, NETLINK, raw, 9) == REFUSE
    for family in set(range(48)) - {UNIX, NETLINK}:
        assert call("socket", machine, family, stream) == REFUSE
        # The kernel reads 32 bits of it.
        assert call("socket", machine, family | 2**32, stream) == REFUSE
    assert call("socket", machine, UNIX | 2**32, stream) == ALLOW


@pytest.mark.parametrize("machine", MACHINES)
def test_with_a_stream_plain_tcp_may_connect(machine: str) -> None:
    stream, datagram, raw = 1, 2, 3
    for family in (INET, 10):
        assert call("socket", machine, family, stream | 0o4000, 0, tcp=True) == ALLOW
        assert call("socket", machine, family, stream, 6, tcp=True) == ALLOW
        for kind, protocol in ((datagram, 0), (raw, 1), (stream, 262), (stream, 132), (stream, 256)):
            assert call("socket", machine, family, kind, protocol, tcp=True) == REFUSE
    for name in ("listen", "accept", "accept4"):
        assert call(name, machine, 3, tcp=True) == REFUSE
        assert call(name, machine, 3) == ALLOW
    assert call("sendto", machine, 3, 0, 0, 0x20000000 | 0x4000, tcp=True) == REFUSE
    assert call("sendto", machine, 3, 0, 0, 0x4000, tcp=True) == ALLOW
    assert call("sendmsg", machine, 3, 0, 0x20000000, tcp=True) == REFUSE
    assert call("connect", machine, 3, tcp=True) == ALLOW


@pytest.mark.parametrize("machine", MACHINES)
def test_reading_does_not_empty_a_file(machine: str) -> None:
    name, before = ("open", (0,)) if machine == "x86_64" else ("openat", (0, 0))
    trunc = 0o1000
    assert call(name, machine, *before, trunc) == REFUSE
    assert call(name, machine, *before, trunc | 3) == REFUSE, "3 is the access mode that is neither"
    assert call(name, machine, *before, trunc | 1 | 0o100) == ALLOW, "Landlock decides"
    assert call(name, machine, *before, 0) == ALLOW
    assert call("openat2", machine) == UNKNOWN


@pytest.mark.parametrize("machine", MACHINES)
def test_limits_can_be_read_and_the_two_of_the_seal_not_be_set(machine: str) -> None:
    fsize, core, files = 1, 4, 7
    for limit in (fsize, core):
        assert call("setrlimit", machine, limit) == REFUSE
        assert call("prlimit64", machine, 0, limit, 0, 1) == ALLOW
        assert call("prlimit64", machine, 0, limit, 0x1000) == REFUSE
        assert call("prlimit64", machine, 0, limit, 2**32) == REFUSE
    assert call("setrlimit", machine, files) == ALLOW
    assert call("prctl", machine, kernel.PR_SET_DUMPABLE, 1) == REFUSE
    assert call("prctl", machine, kernel.PR_GET_DUMPABLE) == ALLOW


@pytest.mark.parametrize("machine", MACHINES)
def test_a_device_is_spoken_to_and_a_terminal_is_not_typed_into(machine: str) -> None:
    assert call("ioctl", machine, 3, 0xC0D05605) == ALLOW  # VIDIOC_S_FMT
    assert call("ioctl", machine, 0, 0x5412) == REFUSE  # TIOCSTI
    assert call("ioctl", machine, 3, 0x40086602) == REFUSE  # FS_IOC_SETFLAGS


@pytest.mark.parametrize("machine", MACHINES)
def test_memory_files_are_there_for_wayland_only(machine: str) -> None:
    assert call("memfd_create", machine) == REFUSE
    assert call("memfd_create", machine, memfd=True) == ALLOW


@pytest.mark.parametrize("machine", MACHINES)
def test_once_shut_no_program_of_this_machine_is_reached(machine: str) -> None:
    def judged(name: str, *arguments: int, tcp: bool) -> int:
        number = calls.number(name, machine)
        assert number is not None
        return judge(seccomp.closing_filter(machine, tcp=tcp), machine, number, *arguments)

    assert judged("connect", 3, tcp=False) == REFUSE
    assert judged("connect", 3, tcp=True) == ALLOW
    assert judged("socket", UNIX, 1, tcp=True) == REFUSE
    assert judged("socket", INET, 1, tcp=True) == ALLOW


@pytest.mark.parametrize("tcp", [False, True])
@pytest.mark.parametrize("machine", MACHINES)
def test_once_shut_the_socket_to_systemd_keeps_to_its_peer_and_its_number(machine: str, tcp: bool) -> None:
    notify, other, address = 7, 8, 0x7FFF00001000
    program = seccomp.closing_filter(machine, tcp=tcp, notify=notify)

    def judged(name: str, *arguments: int) -> int:
        number = calls.number(name, machine)
        assert number is not None
        return judge(program, machine, number, *arguments)

    assert judged("sendto", notify, 1, 2, 3, 0, 0) == ALLOW
    for to in (address, 2**32, 1):
        assert judged("sendto", notify, 1, 2, 3, to, 16) == REFUSE
        assert judged("sendto", notify | 2**32, 1, 2, 3, to, 16) == REFUSE, "the kernel reads 32 bits of it"
        assert judged("sendto", other, 1, 2, 3, to, 16) == ALLOW
    for name in {"x86_64": ("dup2",), "aarch64": ()}[machine] + ("sendmsg", "sendmmsg", "dup", "dup3"):
        assert judged(name, notify, 1) == REFUSE
        assert judged(name, other, 1) == ALLOW
    assert judged("connect", notify, address, 16) == REFUSE
    for command, answer in ((0, REFUSE), (1030, REFUSE), (1, ALLOW), (3, ALLOW)):
        assert judged("fcntl", notify, command) == answer
        assert judged("fcntl", other, command) == ALLOW
    assert judged("socket", UNIX, 1) == (REFUSE if tcp else ALLOW)


def test_the_constants_are_those_of_the_machine() -> None:
    assert (fcntl.F_DUPFD, fcntl.F_DUPFD_CLOEXEC) == (seccomp.F_DUPFD, seccomp.F_DUPFD_CLOEXEC)
    assert (socket.AF_UNIX, socket.AF_NETLINK, socket.AF_INET, socket.AF_INET6) == (1, 16, 2, 10)
    assert REFUSE & 0xFFFF == errno.EPERM


def test_this_kernel_refuses_every_call_of_the_list(tmp_path: Path) -> None:
    machine = kernel.machine()
    assert machine, "the seal needs Linux on x86-64 or aarch64"
    numbers = {name: calls.number(name, machine) for name in calls.REFUSED}
    # With arguments that are wrong, so that nothing would happen if one were let through.
    answers = told(
        f"""
        seal(Policy(), None)
        numbers = {numbers!r}
        wrong = 2**64 - 1 - 2**63
        print(json.dumps({{
            name: answer(lambda: kernel.syscall(number, *[wrong] * 6))
            for name, number in numbers.items() if number is not None
        }}))
        """,
        tmp_path,
    )
    assert set(answers.values()) == {"Operation not permitted"}
    assert len(answers) > 55


def test_the_seal_cannot_be_loosened_from_inside(tmp_path: Path) -> None:
    answers = told(
        """
        seal(Policy())
        everything = [seccomp._return(seccomp.ALLOW)]
        seccomp.install(everything)  # one more filter cannot allow what another refuses
        print(json.dumps([
            answer(lambda: socket.socket(socket.AF_INET, socket.SOCK_DGRAM)),
            answer(lambda: kernel.prctl(kernel.PR_SET_DUMPABLE, 1)),
            answer(lambda: os.execv("/bin/true", ["true"])),
            answer(lambda: Path("new").touch()),
        ]))
        """,
        tmp_path,
    )
    assert answers == ["Operation not permitted"] * 3 + ["Permission denied"]
