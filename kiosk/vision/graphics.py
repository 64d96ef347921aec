"""NVIDIA's cards, driver and library, as the system's files show them: nothing is loaded, nothing is run."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

ROOT = Path("/")
NVIDIA = "0x10de"
DISPLAY_CLASS = "0x03"
# Where Debian and others put it; the link libcuda.so.1 leads to it.
LIBRARIES = (
    "usr/lib/*/libcuda.so.*.*",
    "usr/lib64/libcuda.so.*.*",
    "usr/lib/*/nvidia/current/libcuda.so.*.*",
)


@dataclass(frozen=True)
class Graphics:
    """What there is for a network to run on, beside the CPU."""

    cards: int
    """So many of NVIDIA's."""
    driver: str
    """Version of the driver that is loaded; empty for none."""
    libraries: tuple[str, ...]
    """Versions of its library that are installed."""

    @property
    def must_restart(self) -> bool:
        """Whether the library was updated under a driver that runs on (error 999 until the next start)."""
        return bool(self.driver and self.libraries) and self.driver not in self.libraries


def graphics(root: Path = ROOT) -> Graphics:
    """Read it."""
    cards = 0
    for card in root.glob("sys/bus/pci/devices/*"):
        cards += _read(card / "vendor") == NVIDIA and _read(card / "class").startswith(DISPLAY_CLASS)
    driver = re.search(r"Kernel Module\s.*?(\d+\.\d[\d.]*)", _read(root / "proc/driver/nvidia/version"))
    found = {path.name.partition(".so.")[2] for pattern in LIBRARIES for path in root.glob(pattern)}
    return Graphics(cards, driver[1] if driver else "", tuple(sorted(found)))


def _read(path: Path) -> str:
    try:
        return path.read_text().strip()
    except OSError:
        return ""
