"""Is it gone? Every way to store and to send, tried from a thread that was started after the seal.

In: what is in force. Out: one row for each way, with the kernel's answer.
"""

from __future__ import annotations

import errno
import os
import socket
import threading
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from kiosk.errors import SealError
from kiosk.trust import attempts
from kiosk.trust.attempts import DISCARD, DOMAIN, Try

ROOT = Path(__file__).resolve().parent.parent.parent
# EFBIG is RLIMIT_FSIZE's; EROFS a disk that nobody can write to; 0 was read back rather than tried.
REFUSALS = {errno.EPERM, errno.EACCES, errno.EFBIG, errno.EROFS, 0}
TIMEOUT = 5.0

STORE, SEND = "store", "send"


@dataclass(frozen=True)
class Attempt:
    """One way, tried once."""

    purpose: str
    """"store" or "send"."""
    what: str
    layer: str
    """The layer that must refuse it, also where all the others are missing."""
    answer: str
    """What the kernel said, in its words, or "done"."""
    refused: bool


@dataclass(frozen=True)
class Scope:
    """What is to be tried."""

    open_file: int | None
    """A descriptor of a file opened before the seal, where not even that may be written to."""
    memfd: bool
    """Whether memory files are allowed: then none is tried."""
    tcp: bool
    """Whether a stream is read: then TCP may be used, but not to listen."""
    other_port: int | None
    """With `tcp`, a port to which nobody may connect; None where the kernel cannot tell ports apart."""


Row = tuple[str, str, str, Try]


def run(rows: Iterable[Row]) -> tuple[Attempt, ...]:
    """Try each, in a thread of its own. Raises SealError where that does not come to its end."""
    found: list[Attempt] = []
    finished: list[bool] = []

    def work() -> None:
        found.extend(_try(*row) for row in rows)
        finished.append(True)

    # Not in the thread that was sealed: what binds its caller only would pass for a seal.
    thread = threading.Thread(target=work, name="selftest", daemon=True)
    thread.start()
    thread.join(TIMEOUT)
    if not finished:
        raise SealError("seal: its self-test did not come to its end")
    return tuple(found)


def after_seal(scope: Scope) -> Iterator[Row]:
    """What must be refused from the seal on."""
    temporary = _temporary()
    named = (str(ROOT), str(temporary), os.environ.get("HOME", "/"), ".", "/dev/shm")
    for folder in dict.fromkeys(named):
        if Path(folder).is_dir():
            yield STORE, f"make a file in {folder}", "Landlock", partial(attempts.create, Path(folder))
    with _target(temporary) as target:
        for what, layer, on_file in _ON_FILE:
            yield STORE, what, layer, partial(on_file, target)
    for what, layer, in_folder in _IN_FOLDER:
        yield STORE, what, layer, partial(in_folder, temporary)
    empty = partial(attempts.empty_while_reading, Path(os.devnull))
    yield STORE, "empty a file that is open for reading", "seccomp", empty
    if not scope.memfd:
        yield STORE, "make a file in memory", "seccomp", attempts.make_memory_file
    if scope.open_file is not None:
        write = partial(attempts.write_open_file, scope.open_file)
        yield STORE, "write to a file opened before the seal", "file size", write
    yield STORE, "use io_uring", "seccomp", attempts.use_io_uring
    yield STORE, "start another program", "seccomp", attempts.start_program
    yield STORE, "raise a limit", "seccomp", attempts.raise_limit
    yield STORE, "leave a core file", "core file", attempts.leave_core
    yield STORE, "be dumped or debugged", "memory", attempts.be_dumped
    yield STORE, "gain privileges", "privileges", attempts.gain_privileges
    yield from _network(scope)


_ON_FILE = (
    ("open a file for writing", "Landlock", attempts.open_to_write),
    ("map a file into memory for writing", "Landlock", attempts.map_to_write),
    ("rename a file", "Landlock", attempts.rename),
    ("link a file", "Landlock", attempts.link),
    ("shorten a file", "seccomp", attempts.truncate),
    ("give a file an extended attribute", "seccomp", attempts.set_attribute),
    ("change a file's mode", "seccomp", attempts.change_mode),
    ("change a file's times", "seccomp", attempts.change_times),
)
_IN_FOLDER = (
    ("make a symbolic link", "Landlock", attempts.symlink),
    ("make a folder", "Landlock", attempts.make_folder),
    ("make a named socket", "Landlock", attempts.make_socket),
    ("make a named pipe", "seccomp", attempts.make_fifo),
)


def _network(scope: Scope) -> Iterator[Row]:
    if not scope.tcp:
        for family, name in ((socket.AF_INET, "TCP"), (socket.AF_INET6, "TCP over IPv6")):
            yield SEND, f"connect by {name}", "seccomp", partial(attempts.connect_tcp, family, DISCARD)
    elif scope.other_port is not None:
        connect = partial(attempts.connect_tcp, socket.AF_INET, scope.other_port)
        yield SEND, "connect by TCP to another port than the stream's", "Landlock", connect
    yield SEND, "wait for a connection by TCP", "seccomp", attempts.listen_tcp
    yield SEND, "send by UDP", "seccomp", partial(attempts.send_udp, DISCARD)
    yield SEND, "ask a name server", "seccomp", partial(attempts.send_udp, DOMAIN)
    sockets = {
        "open a socket to the virtual machine's host": (socket.AF_VSOCK, socket.SOCK_STREAM, 0),
        "open a socket to the audit log": (socket.AF_NETLINK, socket.SOCK_RAW, attempts.AUDIT),
        "open a socket to the system log": (socket.AF_UNIX, socket.SOCK_DGRAM, 0),
    }
    for what, arguments in sockets.items():
        yield SEND, what, "seccomp", partial(attempts.open_socket, *arguments)


def after_shut(notify: int | None = None) -> Iterator[Row]:
    """What must be refused once the display is open; `notify` is the number of systemd's socket."""
    yield SEND, "connect to another program by a Unix socket", "connections", attempts.connect_unix
    if notify is not None:
        send, copy = partial(attempts.send_past, notify), partial(attempts.copy_socket, notify)
        yield SEND, "send to another program by the socket to systemd", "connections", send
        yield SEND, "copy the socket to systemd", "connections", copy


def _try(purpose: str, what: str, layer: str, attempt: Try) -> Attempt:
    try:
        attempt()
    except OSError as error:
        name = errno.errorcode.get(error.errno or 0, "")
        answer = f"{error.strerror} ({name})" if name else str(error.strerror)
        return Attempt(purpose, what, layer, answer, error.errno in REFUSALS)
    return Attempt(purpose, what, layer, "done", False)


def _temporary() -> Path:
    """Not tempfile.gettempdir(): it looks for a folder by writing to it."""
    folder = Path(os.environ.get("TMPDIR", "/tmp"))
    return folder if folder.is_dir() else Path("/tmp")


@contextmanager
def _target(folder: Path) -> Iterator[Path]:
    """A file to try things on: this program's own, or, where the seal does not hold, one made for it."""
    made = folder / f"{attempts.NAME}-target"
    try:
        descriptor = os.open(made, os.O_CREAT | os.O_EXCL | os.O_WRONLY | os.O_CLOEXEC, 0o600)
    except OSError:
        yield Path(__file__)
        return
    try:
        with suppress(OSError):  # RLIMIT_FSIZE
            os.write(descriptor, b"x")
        os.close(descriptor)
        yield made
    finally:
        made.unlink()
