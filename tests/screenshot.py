"""What an X server shows, read from the file in which `Xvfb -fbdir` keeps its screen."""

from __future__ import annotations

import struct
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import numpy.typing as npt

Picture = npt.NDArray[np.uint8]

_FIELDS = 25
"""32-bit numbers of an XWD header (XWDFile.h), most significant byte first."""


def screenshot(fbdir: Path) -> Picture:
    """The screen as it is now: (H, W, 3) uint8 BGR. Raises ValueError where it is not 32 bits a pixel."""
    content = (fbdir / "Xvfb_screen0").read_bytes()
    header = struct.unpack_from(f">{_FIELDS}I", content)
    header_size, version, _, _, width, height, _, byte_order = header[:8]
    bits, row_bytes, colours = header[11], header[12], header[19]
    if version != 7 or bits != 32:
        raise ValueError(f"the screen must be XWD 7 with 32 bits a pixel, got XWD {version} with {bits}")
    start = header_size + 12 * colours
    rows = np.frombuffer(content, np.uint8, height * row_bytes, start).reshape(height, row_bytes)
    pixels = rows[:, : 4 * width].reshape(height, width, 4)
    # Least significant byte first is blue, green, red, unused.
    return np.ascontiguousarray(pixels[:, :, :3] if byte_order == 0 else pixels[:, :, :0:-1])


def wait_for(fbdir: Path, shows: Callable[[Picture], bool], seconds: float = 15) -> Picture:
    """The first screen of which `shows` is true, or the last one: assert on it to see what it is."""
    deadline = time.monotonic() + seconds
    while True:
        picture = screenshot(fbdir)
        if shows(picture) or time.monotonic() > deadline:
            return picture
        time.sleep(0.05)
