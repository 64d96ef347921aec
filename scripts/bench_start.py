"""From the start of the piece to its first caption on the screen, on a disk that is warm. Prints a table.

    bench_start.py [--runs 5] [--size 1920x1080] [--json] [-- OPTIONS OF KIOSK RUN]

Each run starts `kiosk run` with the demo, as a user would, on a virtual screen of its own (Xvfb), and looks
at that screen until a box is there in the theme's colour, in full: boxes and captions fade in together. The
first visitor of the demo is under way when it starts.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import shutil
import statistics
import struct
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import numpy.typing as npt

ROOT = Path(__file__).resolve().parent.parent
ACCENT = "#00ff7f"
"""In no picture of the demo and in no other text: red, green, blue."""
ENOUGH_PIXELS = 300
PATIENCE = 60.0
LOOK_EVERY = 0.01
TARGET = 3.0


@contextlib.contextmanager
def screen(size: str, folder: Path) -> Iterator[str]:
    """A virtual screen that keeps its picture in a file of the folder; gives its DISPLAY."""
    read, write = os.pipe()
    command = [
        "Xvfb",
        "-displayfd",
        str(write),
        "-screen",
        "0",
        f"{size}x24",
        "-fbdir",
        str(folder),
        "-noreset",
    ]
    server = subprocess.Popen(
        [*command, "-nolisten", "tcp"],
        pass_fds=(write,),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    os.close(write)
    try:
        with os.fdopen(read) as number:
            yield f":{number.readline().strip()}"
    finally:
        server.terminate()
        server.wait(10)


def pixels(folder: Path) -> npt.NDArray[np.uint8]:
    """(H, W, 3) uint8 RGB: what the screen shows now. The file is an X window dump (XWDFile.h)."""
    content = np.memmap(folder / "Xvfb_screen0", np.uint8, "r")
    header = struct.unpack(">25I", content[:100].tobytes())
    width, height, row_bytes = header[4], header[5], header[12]
    start = header[0] + 12 * header[19]
    rows = content[start : start + height * row_bytes].reshape(height, row_bytes)
    return np.asarray(rows[:, : 4 * width].reshape(height, width, 4)[:, :, 2::-1])


def is_captioned(picture: npt.NDArray[np.uint8]) -> bool:
    """Whether a box is there, in full."""
    colour = tuple(bytes.fromhex(ACCENT[1:]))
    return int(np.count_nonzero((picture == colour).all(axis=2))) >= ENOUGH_PIXELS


def start(size: str, options: list[str]) -> float:
    """Seconds from the start of the process to the first caption."""
    command = [sys.executable, "-m", "kiosk", "run", "--source", "demo", "--set", f"display.accent={ACCENT}"]
    with tempfile.TemporaryDirectory() as name, screen(size, Path(name)) as display:
        environment = {**os.environ, "DISPLAY": display, "SDL_VIDEODRIVER": "x11"}
        environment.pop("WAYLAND_DISPLAY", None)
        began = time.monotonic()
        piece = subprocess.Popen([*command, *options], cwd=ROOT, env=environment, stderr=subprocess.DEVNULL)
        try:
            while not is_captioned(pixels(Path(name))):
                if piece.poll() is not None or time.monotonic() - began > PATIENCE:
                    raise SystemExit(f"no caption; the piece ended with {piece.poll()}")
                time.sleep(LOOK_EVERY)
            return time.monotonic() - began
        finally:
            piece.terminate()
            piece.wait(10)


def main() -> None:
    """Read the command line, measure, print."""
    parser = argparse.ArgumentParser(description="From the start to the first caption.")
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--size", default="1920x1080")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    parser.add_argument("options", nargs="*", help="for kiosk run, after --")
    args = parser.parse_args()
    if not shutil.which("Xvfb"):
        raise SystemExit("Xvfb is needed: apt-get install xvfb")
    start(args.size, args.options)  # warms the disk
    times = sorted(start(args.size, args.options) for _ in range(args.runs))
    median, load = statistics.median(times), round(os.getloadavg()[0], 2)
    if args.json:
        print(json.dumps({"load": load, "seconds": times, "median": median, "target": TARGET}))
        return
    print(
        f"load {load}\nstart to first caption: median {median:.2f} s, of {len(times)} runs "
        f"{times[0]:.2f} to {times[-1]:.2f} s; target {TARGET:g} s"
    )


if __name__ == "__main__":
    main()
