"""What every test shares: the kiosk's environment, and a look round afterwards."""

from __future__ import annotations

from kiosk import environment

environment.apply()

import logging
import os
import subprocess
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from hypothesis import settings

# The same examples every time, so that a failure is one of the change at hand; HYPOTHESIS_PROFILE=default
# looks for more.
settings.register_profile("kiosk", derandomize=True, deadline=None, database=None)
if "HYPOTHESIS_PROFILE" not in os.environ:
    settings.load_profile("kiosk")

ROOT = Path(__file__).parent.parent


@pytest.fixture(autouse=True)
def nothing_left_behind(
    tmp_path_factory: pytest.TempPathFactory,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> Iterator[None]:
    """No ERROR logged, no thread left running, no file made where the test stood."""
    here = tmp_path_factory.mktemp("here")
    monkeypatch.chdir(here)
    before = set(threading.enumerate())
    yield
    assert [record.getMessage() for record in caplog.records if record.levelno >= logging.ERROR] == []
    assert set(threading.enumerate()) - before == set()
    assert list(here.iterdir()) == []


@contextmanager
def xvfb(width: int, height: int, fbdir: Path | None = None) -> Iterator[str]:
    """An X server with one screen; gives its DISPLAY. `fbdir` is where it keeps it (see screenshot.py)."""
    command = [
        "Xvfb",
        "-displayfd",
        "1",
        "-screen",
        "0",
        f"{width}x{height}x24",
        "-nolisten",
        "tcp",
        "-noreset",
        *(("-fbdir", str(fbdir)) if fbdir else ()),
    ]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as server:
        try:
            assert server.stdout is not None
            yield f":{server.stdout.readline().strip()}"
        finally:
            server.terminate()
