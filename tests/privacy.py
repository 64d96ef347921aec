"""What a child process writes and where it connects: run under strace, in the environment of a gallery.

In: a command. Out: `Seen`. The environment is given, not inherited: onnxruntime sends nothing where a
variable such as CI is set, so that a harness that hands it on would see nothing either.
"""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parent.parent

# Where one of these is set, onnxruntime takes the machine for a build server and is silent.
BUILD_SERVER_VARIABLES = (
    "APPVEYOR", "BITBUCKET_BUILD_NUMBER", "BUILDKITE", "CI", "CIRCLECI", "CODEBUILD_BUILD_ID", "DRONE",
    "GITHUB_ACTIONS", "GITLAB_CI", "JENKINS_URL", "TEAMCITY_VERSION", "TF_BUILD", "TRAVIS",
)  # fmt: skip
# The system calls that give a file a name or open it, and that open a socket.
FILE_CALLS = (
    "open", "openat", "openat2", "creat", "truncate", "mkdir", "mkdirat", "mknod", "mknodat", "symlink",
    "symlinkat", "link", "linkat", "rename", "renameat", "renameat2", "setxattr", "lsetxattr",
)  # fmt: skip
OPENS = {"open", "openat", "openat2"}
WRITES = re.compile(r"O_WRONLY|O_RDWR|O_CREAT|O_TRUNC|O_TMPFILE")
# What kiosk/trust/attempts.py tries: a name of its own, the text of a link, and its own source file.
SELF_TEST = re.compile(r'"[^"]*(\.seal-\d+(-target)?|nowhere|/kiosk/trust/selftest\.py)"')
REFUSED = re.compile(r"= -1 E(ACCES|PERM) ")
# Device nodes and the kernel's own files keep nothing.
KEEPS_NOTHING = ("/dev/", "/proc/")


@dataclass(frozen=True)
class Seen:
    """What one run did."""

    exit_code: int
    out: str
    err: str
    written: tuple[str, ...]
    """Files made, renamed or opened for writing, also in vain; not those of /dev and /proc.

    Left out is what the seal's self-test tried and the kernel refused: see `is_self_test`.
    """
    home: tuple[str, ...]
    """Everything below HOME at the end; it was empty at the start."""
    sockets: tuple[str, ...]
    """The families of the sockets to a network that were opened: AF_INET, AF_INET6, AF_PACKET."""


def watch(arguments: Sequence[str], display: str | None = None, timeout: float = 60) -> Seen:
    """Run `python -B arguments` in the project's folder and see what it does.

    -B as in scripts/run: Python would else write the kiosk's own byte code beside its first modules.
    """
    with tempfile.TemporaryDirectory(prefix="privacy-") as folder:
        home, traces = Path(folder) / "home", Path(folder) / "traces"
        home.mkdir()
        traces.mkdir()
        environment = {"PATH": os.environ["PATH"], "HOME": str(home)}
        if display is not None:
            environment["DISPLAY"] = display
        # -ff: a file for each thread, so that no line is cut in two by another thread's.
        strace = ["strace", "-ff", "-qq", "-y", "-s", "4096", "--seccomp-bpf", "-o", str(traces / "t")]
        strace += ["-e", f"trace=socket,{','.join(FILE_CALLS)}", "-e", "signal=none"]
        with subprocess.Popen(
            [*strace, sys.executable, "-B", *arguments],
            cwd=ROOT, env=environment, text=True, start_new_session=True,
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        ) as process:  # fmt: skip
            try:
                out, err = process.communicate(timeout=timeout)
            finally:
                if process.poll() is None:
                    os.killpg(process.pid, signal.SIGKILL)
        written: set[str] = set()
        sockets: set[str] = set()
        for trace in traces.iterdir():
            for line in trace.read_text(encoding="utf-8", errors="replace").splitlines():
                if not is_self_test(line):
                    written.update(_written(line))
                sockets.update(re.findall(r"^socket\((AF_INET6?|AF_PACKET)\b", line))
        left = tuple(sorted(str(path.relative_to(home)) for path in home.rglob("*")))
        return Seen(process.returncode, out, err, tuple(sorted(written)), left, tuple(sorted(sockets)))


def is_self_test(line: str) -> bool:
    """Whether a line of strace's is an attempt of the seal's self-test that was refused."""
    return bool(SELF_TEST.search(line) and REFUSED.search(line))


def _written(line: str) -> list[str]:
    """The paths that a line of strace's writes to: `openat(AT_FDCWD</cwd>, "name", O_WRONLY) = 3`."""
    call, _, rest = line.partition("(")
    if call not in FILE_CALLS or (call in OPENS and not WRITES.search(rest.split('"', 2)[-1])):
        return []
    return [path for path in _paths(rest) if not path.startswith(KEEPS_NOTHING)]


def _paths(rest: str) -> list[str]:
    """The quoted names of a call, each below the folder that is given before it, if any."""
    found = re.findall(r'(?:<([^<>"]*)>, )?"((?:[^"\\]|\\.)*)"', rest)
    return [os.path.join(folder, name) for folder, name in found]  # noqa: PTH118  (no pure path of a foreign one)
