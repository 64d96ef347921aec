"""Threads: a one-slot mailbox between them, and a worker whose death is seen. Alone imports threading."""

from __future__ import annotations

import os
import sys
import threading
import time
from collections.abc import Callable
from typing import Generic, TypeVar

T = TypeVar("T")


class Latest(Generic[T]):
    """A mailbox of one: the newest message wins, and a slow reader never makes a queue."""

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self._message: T | None = None
        self._count = 0

    def put(self, message: T) -> None:
        """Replace what is in the slot."""
        with self._changed:
            self._message = message
            self._count += 1
            self._changed.notify_all()

    def peek(self) -> T | None:
        """The newest message, or None before the first and after `clear`."""
        with self._changed:
            return self._message

    def clear(self) -> None:
        """Forget the message, so that nobody's picture outlives its use."""
        with self._changed:
            self._message = None

    def wait_newer(self, count: int, timeout: float) -> tuple[int, T | None]:
        """Wait until more than `count` messages have come; at most `timeout` seconds.

        Returns the new count with its message, or the old count with None when the time is up.
        """
        with self._changed:
            if not self._changed.wait_for(lambda: self._count > count, timeout):
                return count, None
            return self._count, self._message


class Worker:
    """A thread that calls `step(stopping)` again and again until it is told to stop.

    What `step` or `close` raises ends the worker and is raised again by `check` in the thread that asks.
    """

    def __init__(
        self,
        name: str,
        step: Callable[[threading.Event], None],
        close: Callable[[], None] = lambda: None,
        niceness: int = 0,
    ) -> None:
        """`close` is called in the thread when it ends: who reads a device must be who lets go of it.

        `niceness` (0-19) is how far the thread, and those that it starts, give way to others.
        """
        self._niceness = niceness
        self._step, self._close = step, close
        self._stopping = threading.Event()
        self._error: BaseException | None = None
        self._step_began: float | None = None
        # Daemon: a camera driver stuck in read() must not keep a dead kiosk on the wall.
        self._thread = threading.Thread(target=self._run, name=name, daemon=True)

    def start(self) -> None:
        """Start the thread."""
        self._thread.start()

    def stop(self, timeout: float) -> bool:
        """Ask the thread to end and wait; False where it did not end in `timeout` seconds."""
        self._stopping.set()
        if self._thread.ident is not None:
            self._thread.join(timeout)
        return not self._thread.is_alive()

    def check(self) -> None:
        """Raise here what ended the thread, if anything did."""
        if self._error is not None:
            raise self._error

    def busy_for(self, now: float) -> float:
        """Seconds since the present step began; 0 between two. `now` as of time.monotonic()."""
        began = self._step_began
        return 0.0 if began is None else max(0.0, now - began)

    def _run(self) -> None:
        for part in (self._steps, self._close):
            try:
                part()
            except BaseException as error:  # noqa: BLE001  (nothing may end a worker in silence: check() raises it)
                self._error = self._error or error

    def _steps(self) -> None:
        # On Linux a thread has a priority of its own.
        if self._niceness and sys.platform.startswith("linux"):
            os.setpriority(os.PRIO_PROCESS, threading.get_native_id(), self._niceness)
        while not self._stopping.is_set():
            self._step_began = time.monotonic()
            self._step(self._stopping)
            self._step_began = None
