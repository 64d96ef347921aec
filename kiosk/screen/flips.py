"""How long each flip takes in, an error where the display has stopped to take pictures. Pure."""

from __future__ import annotations

from kiosk.errors import DisplayError

# A flip waits for the screen's own beat, some 16 ms. After a monitor is switched off or on again a driver may
# need seconds; one that never recovers gives a black screen for ever, and an error a frame.
SLOW = 2.0
PATIENCE = 30.0


class Flips:
    """The flips of one display."""

    def __init__(self) -> None:
        self._slow_since: float | None = None

    def took(self, seconds: float, now: float) -> None:
        """Call after each flip. Raises DisplayError where for PATIENCE seconds every one was slow."""
        if seconds < SLOW:
            self._slow_since = None
            return
        if self._slow_since is None:
            self._slow_since = now - seconds
        if now - self._slow_since >= PATIENCE:
            raise DisplayError(f"the display needs {seconds:.0f} seconds for a picture: a new start")
