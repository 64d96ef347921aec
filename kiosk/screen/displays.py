"""Which screens there are: what SDL finds, what the kernel says of each monitor, and when the console blanks.

In: the session, and the root of the system's files. Out: records. Nothing is shown.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pygame

from kiosk.errors import DisplayError
from kiosk.screen.window import REAL_DRIVERS

ROOT = Path("/")
CENTIMETRES_PER_INCH = 2.54
# Where a desktop's sockets lie.
X11_SOCKETS, WAYLAND_SOCKETS = "tmp/.X11-unix/X*", "run/user/*/wayland-*"
_EDID_MAGIC = b"\0\xff\xff\xff\xff\xff\xff\0"
_EDID_SIZE = 128


@dataclass(frozen=True)
class Found:
    """What SDL would draw on."""

    driver: str
    """x11, wayland, kmsdrm ..."""
    sizes_wh: tuple[tuple[int, int], ...]
    """Of each screen, pixels, in the order of display.screen."""


@dataclass(frozen=True)
class Monitor:
    """What the kernel's graphics driver says of a plug with a monitor on it."""

    name: str
    """HDMI-A-1, DP-2 ..."""
    is_on: bool
    """False while it sleeps."""
    size_wh: tuple[int, int] | None
    """Of the mode that it likes best, pixels; None where it does not say."""
    refresh_hz: float
    """Of that mode; 0 where it does not say."""
    diagonal: float
    """Inches; 0 where it does not say. Projectors do not."""


def found() -> Found:
    """Ask SDL, as the piece does, and let go again. Raises DisplayError where it finds no display."""
    try:
        pygame.display.init()
        try:
            driver, sizes_wh = pygame.display.get_driver(), tuple(pygame.display.get_desktop_sizes())
        finally:
            pygame.display.quit()
    except pygame.error as error:
        raise DisplayError(f"SDL finds none: {error}") from error
    if driver not in REAL_DRIVERS:
        raise DisplayError(f"SDL finds none, and would draw to '{driver}', which nobody sees")
    return Found(driver, sizes_wh)


def desktops(root: Path = ROOT) -> tuple[str, ...]:
    """The desktops that run here, as one would set it: "DISPLAY=:0", "WAYLAND_DISPLAY=wayland-0"."""
    x11 = [f"DISPLAY=:{path.name[1:]}" for path in sorted(root.glob(X11_SOCKETS))]
    sockets = [path for path in sorted(root.glob(WAYLAND_SOCKETS)) if path.suffix != ".lock"]
    wayland = [
        f"XDG_RUNTIME_DIR=/{path.parent.relative_to(root)} WAYLAND_DISPLAY={path.name}" for path in sockets
    ]
    return (*x11, *wayland)


def monitors(root: Path = ROOT) -> Iterator[Monitor]:
    """Those that are plugged in; none where the driver does not tell, as some of NVIDIA's."""
    for plug in sorted(root.glob("sys/class/drm/card*-*")):
        if _read(plug / "status") == "connected":
            size_wh, refresh_hz, diagonal = _edid(plug / "edid")
            name = plug.name.partition("-")[2]
            yield Monitor(name, _read(plug / "dpms") != "Off", size_wh, refresh_hz, diagonal)


def console_blanks_after(root: Path = ROOT) -> int:
    """Seconds without a key after which the text console goes black; 0: never. Raises OSError."""
    return int((root / "sys/module/kernel/parameters/consoleblank").read_text())


def _read(path: Path) -> str:
    try:
        return path.read_text().strip()
    except OSError:
        return ""


def _edid(path: Path) -> tuple[tuple[int, int] | None, float, float]:
    """Size, refresh rate and diagonal: VESA E-EDID 1.4, sections 3.6 and 3.10.2."""
    try:
        block = path.read_bytes()[:_EDID_SIZE]
    except OSError:
        block = b""
    if len(block) < _EDID_SIZE or not block.startswith(_EDID_MAGIC):
        return None, 0.0, 0.0
    # With one of the two sides 0 the other is an aspect ratio.
    width_cm, height_cm = block[21], block[22]
    known = width_cm and height_cm
    diagonal = (width_cm**2 + height_cm**2) ** 0.5 / CENTIMETRES_PER_INCH if known else 0.0
    (clock,) = struct.unpack_from("<H", block, 54)  # of the preferred mode, in 10 kHz
    across, blank_across, up, blank_up = _sizes(block[56:62])
    total = (across + blank_across) * (up + blank_up)
    if not clock or not total:
        return None, 0.0, diagonal
    return (across, up), clock * 10_000 / total, diagonal


def _sizes(field: bytes) -> tuple[int, int, int, int]:
    """Active and blanking pixels and lines: eight bits each, with the upper four in a shared byte."""
    return (
        field[0] | (field[2] & 0xF0) << 4,
        field[1] | (field[2] & 0x0F) << 8,
        field[3] | (field[5] & 0xF0) << 4,
        field[4] | (field[5] & 0x0F) << 8,
    )
