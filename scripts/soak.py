"""The piece for hours, and what it takes of the machine: hours in; a table, a plot and a verdict out.

    soak.py --hours 8 [--out FOLDER] [--every 10] [--limit 1] [ARGS of kiosk run]

The piece runs sealed, as a process of its own, on the display that is there or else under Xvfb, with the demo
unless another source is named. It is the whole of `kiosk run`, but that each picture is counted when it is on
the screen. Every ten seconds its memory, descriptors, threads and processor time are read from proc(5).
Should it end, it is started again, as its service would. Ctrl-C ends the night early, with the same report.

FOLDER (build/soak-DATE) gets soak.csv as it comes, and at the end soak.svg: nothing of a visitor is in them.
Exits with 1 where memory grows by more than LIMIT MiB an hour, two standard errors beyond doubt, where
descriptors or threads become more, or where the piece ended by a failure.
"""

from __future__ import annotations

import argparse
import contextlib
import csv
import json
import math
import os
import selectors
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import astuple, fields
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING, TextIO

from soak_report import Sample, plot, verdict

if TYPE_CHECKING:
    from kiosk.messages import Frame

ROOT = Path(__file__).resolve().parent.parent
# Seconds: as long as the service waits before it starts the piece again.
RESTART_AFTER = 2.0
# Seconds for a piece that was asked to end.
STOP_TIMEOUT = 15.0
# A piece that does not live for so long will not live longer the next time.
SHORTEST_LIFE = 30.0
SCREEN = "1920x1080x24"


class Piece:
    """One life of the piece, in a process of its own."""

    def __init__(self, arguments: Sequence[str], every: float, environment: dict[str, str]) -> None:
        self.started = time.monotonic()
        # Pipes: for a file the seal would leave out a layer. A session of its own: Ctrl-C is not for it.
        self._process = subprocess.Popen(
            [sys.executable, "-B", __file__, "--piece", str(every), *arguments],
            env={**os.environ, "PYTHONPATH": str(ROOT), **environment},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            start_new_session=True,
        )
        self._selector = selectors.DefaultSelector()
        for pipe in (self._process.stdout, self._process.stderr):
            self._selector.register(pipe, selectors.EVENT_READ, bytearray())

    @property
    def exit_code(self) -> int | None:
        """None while it lives."""
        return self._process.poll()

    def told(self, timeout: float) -> Iterator[dict[str, float]]:
        """What it tells of its pace, waiting `timeout` seconds at most; what it logs is passed on."""
        for key, _ in self._selector.select(timeout):
            text: bytearray = key.data
            if not (read := os.read(key.fd, 65536)):
                self._selector.unregister(key.fileobj)
            text += read
            *lines, rest = bytes(text).split(b"\n")
            text[:] = rest
            for line in lines:
                if key.fileobj is self._process.stdout:
                    yield json.loads(line)
                else:
                    print(line.decode(errors="replace"), file=sys.stderr)

    def sample(self, began: float, life: int, pace: dict[str, float]) -> Sample:
        """As of now: proc(5). Raises OSError where it has just ended."""
        folder, now = Path("/proc") / str(self._process.pid), time.monotonic()
        pages = int((folder / "statm").read_text().split()[1])
        times = (folder / "stat").read_text().rpartition(")")[2].split()[11:13]
        return Sample(
            round(now - began, 1),
            life,
            round(now - self.started, 1),
            pages * os.sysconf("SC_PAGE_SIZE") // 1024,
            len(list((folder / "fd").iterdir())),
            len(list((folder / "task").iterdir())),
            sum(map(int, times)) / os.sysconf("SC_CLK_TCK"),
            **pace,
        )

    def stop(self) -> None:
        """Ask it to end, and see that it does."""
        self._process.terminate()
        try:
            _, said = self._process.communicate(timeout=STOP_TIMEOUT)
        except subprocess.TimeoutExpired:
            self._process.kill()
            _, said = self._process.communicate()
        print(said.decode(errors="replace"), end="", file=sys.stderr)
        self._selector.close()


def soak(
    arguments: Sequence[str], seconds: float, every: float, table: TextIO, display: dict[str, str]
) -> tuple[list[Sample], list[int]]:
    """The samples of so many seconds or fewer, and the exit codes of the lives that ended by themselves."""
    samples: list[Sample] = []
    ends: list[int] = []
    rows = csv.writer(table)
    rows.writerow(field.name for field in fields(Sample))
    began = time.monotonic()
    piece = Piece(arguments, every, display)
    try:
        while time.monotonic() - began < seconds:
            for pace in piece.told(1.0):
                with contextlib.suppress(OSError):
                    samples.append(piece.sample(began, len(ends), pace))
                    rows.writerow(astuple(samples[-1]))
                    table.flush()
            if piece.exit_code is not None:
                ends.append(piece.exit_code)
                print(f"soak: the piece ended with exit code {piece.exit_code}", file=sys.stderr)
                piece.stop()
                if piece.exit_code and time.monotonic() - piece.started < SHORTEST_LIFE:
                    break
                time.sleep(RESTART_AFTER)
                piece = Piece(arguments, every, display)
    except KeyboardInterrupt:
        print("soak: ended early", file=sys.stderr)
    finally:
        piece.stop()
    return samples, ends


@contextmanager
def some_display() -> Iterator[dict[str, str]]:
    """The display that is there; or one of Xvfb's, as the environment names it."""
    if os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY"):
        yield {}
        return
    if not shutil.which("Xvfb"):
        raise SystemExit("soak: there is no display, and no Xvfb. On Debian: apt-get install xvfb")
    command = ["Xvfb", "-displayfd", "1", "-screen", "0", SCREEN, "-nolisten", "tcp", "-noreset"]
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, start_new_session=True
    ) as server:
        try:
            assert server.stdout is not None
            yield {"DISPLAY": f":{server.stdout.readline().strip()}"}
        finally:
            server.terminate()


def counted_run(every: float, arguments: Sequence[str]) -> int:
    """`kiosk run`, telling on standard output how many pictures reached the screen, and how late."""
    from kiosk import environment

    environment.apply()
    from kiosk.cli import main
    from kiosk.commands import run

    seal_for = run.seal_for

    def sealed_and_counted(*given: object, **named: object) -> object:
        sealed = seal_for(*given, **named)
        # Only now: libraries start threads, and none may be older than the seal.
        count_pictures(every)
        return sealed

    run.seal_for = sealed_and_counted
    return main(["run", *arguments])


class Pace:
    """How many pictures reach the screen, and how late; keeps times only."""

    def __init__(self, every: float) -> None:
        """To be told every so many seconds."""
        self._every = every
        self._since = time.monotonic()
        self._late: list[float] = []
        self._captured_at: float | None = None
        self._counted_at: float | None = None

    def paints(self, captured_at: float | None) -> None:
        """Call before a picture of the source is painted, or with None another."""
        self._captured_at = captured_at

    def flipped(self, now: float) -> None:
        """Call when it is on the screen; the first time counts."""
        if self._captured_at not in (None, self._counted_at):
            self._late.append(1000 * (now - self._captured_at))
            self._counted_at = self._captured_at

    def tell(self, now: float) -> None:
        """Call often."""
        if (passed := now - self._since) < self._every:
            return
        late = self._late or [math.nan]
        told = {
            "fps": round(len(self._late) / passed, 2),
            "latency_ms": round(median(late), 1),
            "worst_ms": round(max(late), 1),
        }
        print(json.dumps(told), flush=True)
        self._since, self._late = now, []


def count_pictures(every: float) -> None:
    """From now on a screen tells its pace."""
    from kiosk.screen import window

    pace = Pace(every)

    class CountedFlips(window.Flips):
        def took(self, seconds: float, now: float) -> None:
            super().took(seconds, now)
            pace.flipped(now)

    class CountedScreen(window.Screen):
        def show(self, frame: Frame | None, *given: object, **named: object) -> None:
            pace.paints(frame.captured_at if frame else None)
            super().show(frame, *given, **named)
            pace.tell(time.monotonic())

    window.Flips, window.Screen = CountedFlips, CountedScreen


def main() -> int:
    """Soak, and report."""
    parser = argparse.ArgumentParser(
        prog="scripts/soak",
        description="The piece for hours: a table, a plot and a verdict. All other options are kiosk run's.",
    )
    parser.add_argument("--hours", type=float, required=True, metavar="N", help="for so long; 0.05 to try it")
    parser.add_argument("--out", type=Path, metavar="FOLDER", help="where to; default: build/soak-DATE")
    parser.add_argument("--every", type=float, default=10.0, metavar="S", help="seconds between samples; 10")
    parser.add_argument("--limit", type=float, default=1.0, metavar="MIB", help="of growth in an hour; 1")
    own, arguments = parser.parse_known_args()
    if "--headless" in arguments:
        parser.error("--headless: without a screen there are no pictures to count")
    if not any(argument.startswith("--source") for argument in arguments):
        arguments += ["--source", "demo"]
    folder = own.out or ROOT / "build" / f"soak-{time.strftime('%Y-%m-%d-%H%M')}"
    folder.mkdir(parents=True, exist_ok=True)
    # But for nohup's.
    for name in (signal.SIGTERM, signal.SIGHUP):
        if signal.getsignal(name) is not signal.SIG_IGN:
            signal.signal(name, signal.default_int_handler)
    with some_display() as display, (folder / "soak.csv").open("w", newline="") as table:
        samples, ends = soak(arguments, 3600 * own.hours, own.every, table, display)
    found = verdict(samples, ends, own.limit)
    print("\n".join(found.lines))
    if samples:
        hours, date = samples[-1].at / 3600, time.strftime("%Y-%m-%d")
        title = f"{hours:.2f} hours of kiosk run {' '.join(arguments)}, {date}"
        (folder / "soak.svg").write_text(plot(samples, title, found.lines), encoding="utf-8")
        print(f"written: {folder}/soak.csv, {folder}/soak.svg")
    return 0 if found.good else 1


if __name__ == "__main__":
    if sys.argv[1:2] == ["--piece"]:
        raise SystemExit(counted_run(float(sys.argv[2]), sys.argv[3:]))
    raise SystemExit(main())
