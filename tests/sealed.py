"""Children that seal themselves: in a sealed pytest no test after the first could do its work."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import textwrap
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parent.parent
# The kiosk's own entry: the environment, the seal, and only then the libraries.
PRELUDE = """
import json, os, socket, sys, threading, time
from pathlib import Path
from kiosk import environment
environment.apply()
from kiosk.trust import attempts, kernel, landlock, limits, seccomp, selftest
from kiosk.trust.seal import LAYERS, Policy, SealError, display, ports, seal

def answer(function):
    try:
        return function() or "done"
    except OSError as error:
        return error.strerror
"""


def child(code: str, cwd: Path, **environment: str) -> subprocess.CompletedProcess[str]:
    """Run `code` after the prelude. Its output goes to pipes, so that no layer is left out for a file."""
    names = ("DISPLAY", "WAYLAND_DISPLAY", "SDL_VIDEODRIVER", "XDG_RUNTIME_DIR")
    inherited = {name: value for name, value in os.environ.items() if name not in names}
    return subprocess.run(
        [sys.executable, "-B", "-c", PRELUDE + textwrap.dedent(code)],
        cwd=cwd,
        env={**inherited, "PYTHONPATH": str(ROOT), **environment},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=120,
    )


def told(code: str, cwd: Path, **environment: str) -> Any:
    """What the last line of such a child's output holds, as JSON."""
    done = child(code, cwd, **environment)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout.splitlines()[-1])
