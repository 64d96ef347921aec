"""The ways to store and to send, each tried once: what a sealed process must not be able to do.

Each function tries one and returns where it succeeded, raises OSError where the kernel refused. None
leaves anything behind: what was made is removed, what was changed is changed to what it was. Nothing
leaves the machine: what is sent goes to its own loopback.
"""

from __future__ import annotations

import errno
import mmap
import os
import socket
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from kiosk.trust import calls, kernel

NAME = f".seal-{os.getpid()}"
LOOPBACK = "127.0.0.1"
DISCARD, DOMAIN = 9, 53
AUDIT = 9  # NETLINK_AUDIT: the administrator's log


def create(folder: Path) -> None:
    """Make a file."""
    path = folder / NAME
    os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY | os.O_CLOEXEC, 0o600))
    path.unlink()


def open_to_write(target: Path) -> None:
    """Open a file that is there for writing, and write nothing."""
    os.close(os.open(target, os.O_WRONLY | os.O_CLOEXEC))


def map_to_write(target: Path) -> None:
    """Map a file into memory so that what is written there is written to it: no write(2) is needed."""
    descriptor = os.open(target, os.O_RDWR | os.O_CLOEXEC)
    try:
        with suppress(ValueError):  # an empty file can be opened, but not mapped
            mmap.mmap(descriptor, 0, access=mmap.ACCESS_WRITE).close()
    finally:
        os.close(descriptor)


def truncate(target: Path) -> None:
    """Cut a file to the length that it has."""
    os.truncate(target, target.stat().st_size)


def empty_while_reading(target: Path) -> None:
    """O_TRUNC without a right to write. On a device node, where it does nothing: it would empty a file."""
    os.close(os.open(target, os.O_RDONLY | os.O_TRUNC | os.O_CLOEXEC))


def rename(target: Path) -> None:
    """A name is a place for a word."""
    other = target.with_name(NAME)
    target.rename(other)
    other.rename(target)


def link(target: Path) -> None:
    """A second name for a file."""
    other = target.with_name(NAME)
    other.hardlink_to(target)
    other.unlink()


def symlink(folder: Path) -> None:
    """A link holds a text that need not be a path."""
    path = folder / NAME
    path.symlink_to("nowhere")
    path.unlink()


def make_folder(folder: Path) -> None:
    """A folder's name is a place for a word."""
    path = folder / NAME
    path.mkdir()
    path.rmdir()


def make_fifo(folder: Path) -> None:
    """A pipe with a name."""
    path = folder / NAME
    os.mkfifo(path)
    path.unlink()


def make_socket(folder: Path) -> None:
    """A Unix socket with a name, to which others could connect."""
    path = folder / NAME
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as server:
        server.bind(str(path))
    path.unlink()


def set_attribute(target: Path) -> None:
    """An extended attribute holds bytes beside a file."""
    os.setxattr(target, "user.seal", b"x")
    os.removexattr(target, "user.seal")


def change_mode(target: Path) -> None:
    """The mode that it has."""
    target.chmod(target.stat().st_mode & 0o7777)


def change_times(target: Path) -> None:
    """The times that it has."""
    found = target.stat()
    os.utime(target, ns=(found.st_atime_ns, found.st_mtime_ns))


def make_memory_file() -> None:
    """A file without a name, which can be handed to another program."""
    os.close(os.memfd_create("seal", os.MFD_CLOEXEC))


def write_open_file(descriptor: int) -> None:
    """A byte into a file that was opened before the seal."""
    os.write(descriptor, b"x")


def use_io_uring() -> None:
    """Reading, writing and sending past a filter of system calls. The call is not a valid one."""
    number = calls.number("io_uring_setup", kernel.machine())
    os.close(kernel.syscall(number or 0, 0, None))


def start_program() -> None:
    """Another program, which would be dumpable again."""
    child = os.posix_spawn("/bin/true", ["true"], {})
    os.waitpid(child, 0)


def raise_limit() -> None:
    """A limit that root could raise; here it stays what it is."""
    import resource  # not on Windows

    try:
        resource.setrlimit(resource.RLIMIT_CORE, resource.getrlimit(resource.RLIMIT_CORE))
    except ValueError as error:  # what Python makes of EPERM
        raise PermissionError(errno.EPERM, os.strerror(errno.EPERM)) from error


def leave_core() -> None:
    """Nothing crashes here: the limit is read back."""
    import resource  # not on Windows

    if resource.getrlimit(resource.RLIMIT_CORE) != (0, 0):
        return
    raise PermissionError(0, "the limit is 0")


def be_dumped() -> None:
    """What the kernel asks before it hands memory to a crash reporter or a debugger: it is read back."""
    if kernel.prctl(kernel.PR_GET_DUMPABLE) != 0:
        return
    raise PermissionError(0, "not dumpable")


def gain_privileges() -> None:
    """It is read back, of the thread that asks."""
    if kernel.prctl(kernel.PR_GET_NO_NEW_PRIVS) != 1:
        return
    raise PermissionError(0, "no new privileges")


def connect_tcp(family: socket.AddressFamily, port: int) -> None:
    """A connection to this machine, where nobody need answer."""
    with socket.socket(family, socket.SOCK_STREAM) as client:
        client.settimeout(0.05)
        with suppress(ConnectionRefusedError, TimeoutError):  # it was let through
            client.connect((LOOPBACK if family == socket.AF_INET else "::1", port))


def listen_tcp() -> None:
    """Wait for connections on any free port."""
    with socket.socket(socket.AF_INET, socket.SOCK_STREAM) as server:
        server.bind((LOOPBACK, 0))
        server.listen(1)


def send_udp(port: int) -> None:
    """An empty packet to this machine."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as client:
        client.sendto(b"", (LOOPBACK, port))


def open_socket(family: int, kind: int, protocol: int = 0) -> None:
    """A socket of a family, a type and a protocol."""
    socket.socket(family, kind, protocol).close()


def connect_unix() -> None:
    """A connection to a program of this machine: to this one, which answers to an abstract name."""
    with (
        socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as server,
        socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as client,
    ):
        server.bind(f"\0{NAME}")
        server.listen(1)
        client.settimeout(0.05)
        client.connect(server.getsockname())


def send_past(descriptor: int) -> None:
    """By the socket to systemd to somebody else: a name that nobody has."""
    with socket.socket(fileno=descriptor) as notify:
        try:
            with suppress(ConnectionRefusedError):  # it was let through
                notify.sendto(b"", f"\0{NAME}")
        finally:
            notify.detach()


def copy_socket(descriptor: int) -> None:
    """The socket to systemd under a number that the seal does not know."""
    os.close(os.dup(descriptor))


Try = Callable[[], None]
