"""How far a long run has come: lines done and seconds in, one line of text out. Pure."""

from __future__ import annotations

BAR = 24
SETTLED = 5
"""Pictures after which the time that is left is told."""


def meter(done: int, lines: int, looked: int, seconds: float) -> str:
    """`looked` pictures of this run took `seconds`; what was counted before took none."""
    full = BAR * done // max(lines, 1)
    text = f"[{'#' * full}{'.' * (BAR - full)}] {done:,} of {lines:,}"
    if looked < SETTLED or done >= lines:
        return text
    return f"{text}, {_duration(seconds / looked * (lines - done))} left"


def _duration(seconds: float) -> str:
    if seconds < 90:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 5400 else f"{seconds / 3600:.1f} h"
