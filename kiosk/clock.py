"""The two clocks: one for how long, one for what time it is."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime


@dataclass(frozen=True)
class Clock:
    """The machine's; a test gives one of its own."""

    monotonic: Callable[[], float] = time.monotonic
    """Seconds: every lifetime. It neither jumps nor goes back when somebody sets the clock."""
    wall: Callable[[], datetime] = datetime.now
    """Local time, naive: opening hours and nothing else."""
