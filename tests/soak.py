"""The piece as fast as it goes, in a process of its own: so many frames in, what it takes of the machine out.

    python -m tests.soak VENUE --frames N --edit-every N --edits N [--leak BYTES]

Real are the demo and its frames, Capture with its Judge, Analysis with both networks and with Edits, the
Supervisor and the Canvas; and capture and vision are workers, threads of their own. In place of kiosk.app a
loop gives each its turn, on a virtual clock, so that nobody waits. Pictures are small, or a minute would not
do: the camera's, the screen's, and what the detector looks at.

Visitors come and go and are named, words pass by while nobody is there, two languages take turns; the camera
fails, the piece closes and opens, the staff aim, and somebody edits VENUE, which this writes, at times badly.
"""

from __future__ import annotations

import argparse
import ctypes
import gc
import json
import os
import sys
import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from pathlib import Path

import numpy as np

from kiosk.analysis import Analysis, News
from kiosk.capture import Capture, InForce
from kiosk.clock import Clock
from kiosk.config import LEXICON_PATH, load
from kiosk.edits import Edits, read
from kiosk.errors import CameraError
from kiosk.health import State
from kiosk.hours import WEEKDAYS
from kiosk.messages import Frame, Image, Scene
from kiosk.screen.attract import Procession
from kiosk.screen.draw import Canvas, Card, offscreen
from kiosk.screen.keys import Shown
from kiosk.screen.look import Facts, Look, Told
from kiosk.screen.overlay import Overlay
from kiosk.sections import CameraConfig
from kiosk.supervisor import Supervisor
from kiosk.trust.notify import Notifier
from kiosk.vision.demo import Demo
from kiosk.vision.sources import Paced, Plan
from kiosk.words.lexicon import Lexicon
from kiosk.worker import Latest, T, Worker

CAMERA_WH, SCREEN_WH = (320, 180), (480, 270)
START, NOON = 1000.0, datetime(2026, 3, 2, 12, 0)
# How much faster than seconds the opening hours pass.
HASTE = 120
# Frames.
READ_EVERY, FAIL_EVERY = 100, 3700
# Frames for which nobody must have been there: what was said of the last visitor has faded.
ALONE = 15
# Seconds: for one the staff list the keys, for the next they aim the camera.
STAFF_EVERY = 60
# Seconds: longer than any step takes.
PATIENCE = 60.0
HOURS = ", ".join(f'{day}: "00:00-07:50, 08:00-15:50, 16:00-23:50"' for day in WEEKDAYS)
COMMON = f"""
inference: {{gpu: "off", threads: 1}}
detection: {{input: 96x64, min_face_height: 8}}
classification: {{smoothing: 0.5}}
captions: {{hold: 1, reading_speed: 0}}
hours: {{{HOURS}}}
"""
EDITS = (
    'policy: as-2019\nwall: {attract_after: 1, language: "en, de", turn: 7}',
    'policy: no-slurs\nwall: {attract_after: 1, language: "fr, en", turn: 7}\ndisplay: {theme: night}',
    "policy: occupations-only\nwall: {attract_after: 0, language: it}\ndisplay: {fit: contain}",
    "policy: nonesuch",
)


class Mallinfo(ctypes.Structure):
    """What the C library's allocator says of itself: mallinfo2(3), of glibc from 2.33 on."""

    _fields_ = tuple(
        (name, ctypes.c_size_t)
        for name in (
            *("arena", "ordblks", "smblks", "hblks", "hblkhd"),
            *("usmblks", "fsmblks", "uordblks", "fordblks", "keepcost"),
        )
    )


class Meter:
    """What this process takes of the machine. The meter takes nothing: there is room for all readings."""

    def __init__(self, readings: int) -> None:
        self._taken, self._held = (np.full((readings, columns), -1, np.int64) for columns in (4, 3))
        self._readings = self._pauses = 0
        self._mallinfo = ctypes.CDLL(None).mallinfo2
        self._mallinfo.restype = Mallinfo

    def read(self, frames: int) -> None:
        """What the kernel counts: proc(5)."""
        me = Path("/proc/self")
        memory = int((me / "statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")
        self._taken[self._readings] = frames, memory, _count(me / "fd"), _count(me / "task")
        self._readings += 1

    def pause(self, frames: int) -> None:
        """What is held of it: not what was used before and is free, and can hide a leak for an hour.

        Call where nobody is there, or it would depend on who.
        """
        gc.collect()  # Python's lists of free tuples count as held
        info = self._mallinfo()
        self._held[self._pauses] = frames, sys.getallocatedblocks(), info.uordblks + info.hblkhd
        self._pauses += 1

    @property
    def taken(self) -> list[list[int]]:
        """Frames so far, bytes of memory, descriptors, threads."""
        return self._taken[: self._readings].tolist()

    @property
    def held(self) -> list[list[int]]:
        """Frames so far, Python's blocks, bytes of the C library."""
        return self._held[: self._pauses].tolist()


def _count(folder: Path) -> int:
    return sum(1 for _ in folder.iterdir())


@dataclass
class Seen:
    """What the run was like: one in which nothing happens proves nothing."""

    pictures: int = 0
    """Frames that were drawn."""
    visitors: set[int] = field(default_factory=set)
    words: set[str] = field(default_factory=set)
    languages: set[str] = field(default_factory=set)
    states: set[State] = field(default_factory=set)
    edits: int = 0
    """Good ones and bad ones that reached the wall."""
    alone_for: int = 0
    """Frames since somebody was there."""


class Mailbox(Latest[T]):
    """One at which nobody waits."""

    def wait_newer(self, count: int, timeout: float) -> tuple[int, T | None]:
        return super().wait_newer(count, 0)


class Turns(threading.Event):
    """A worker that takes a step when it is asked to. It is also the event on which it waits, in no time."""

    def __init__(self, name: str, step: Callable[[threading.Event], None]) -> None:
        super().__init__()
        self._step = step
        self._asked, self._done = threading.Semaphore(0), threading.Semaphore(0)
        self._waits = 0.0
        self.worker = Worker(name, self._take)
        self.worker.start()

    def take(self) -> float:
        """One step; for how long the worker wants to wait after it, in seconds."""
        self._waits = 0.0
        self._asked.release()
        assert self._done.acquire(timeout=PATIENCE), "the step does not end"
        self.worker.check()
        return self._waits

    def wait(self, timeout: float | None = None) -> bool:
        self._waits += timeout or 0.0
        return False

    def _take(self, stopping: threading.Event) -> None:
        if self._asked.acquire(timeout=0.1):
            try:
                self._step(self)
            finally:
                self._done.release()


class Wall:
    """What the screen is to the piece: a canvas, and the staff's overlay now and then; on no screen."""

    def __init__(self, clock: Clock, seen: Seen) -> None:
        self._clock, self._seen = clock, seen
        self._surface = offscreen(SCREEN_WH)
        self._procession = Procession(0)
        self._canvas: Canvas | None = None
        self._overlay: Overlay | None = None

    def announce(self, news: News) -> None:
        """As kiosk.app and kiosk.screen.window do."""
        config = news.config
        # So few words that all pass by in the warm-up: each may want sizes of type of its own.
        look = Look(
            config.display,
            config.wall,
            news.texts,
            news.network,
            mark=news.edits_are_bad,
            words=news.words[::400],
            facts=Facts(source="camera 0", networks=news.networks),
        )
        self._canvas = Canvas(self._surface, look, self._procession)
        self._overlay = Overlay(self._surface, look)
        self._seen.edits += 1
        self._seen.languages |= {texts.code for texts in news.texts}

    def show(self, frame: Frame | None, scene: Scene | None, card: Card, told: Told) -> None:
        now, seen = self._clock.monotonic(), self._seen
        alone = frame is not None and scene is not None and not scene.anybody
        seen.alone_for = seen.alone_for + 1 if alone else 0
        for caption in scene.captions if scene else ():
            seen.visitors.add(caption.track_id)
            seen.words |= {caption.entry.synset} if caption.entry else set()
        if self._canvas and self._overlay:
            staff = int(now) % STAFF_EVERY
            shown = Shown(listed=staff == 0, aim=staff == 1)
            self._canvas.paint(frame, None if shown.aim else scene, now, card)
            self._overlay.paint(shown, frame, scene, told)
            seen.pictures += frame is not None


class Piece:
    """The parts, put together as in kiosk.app."""

    def __init__(self, venue: Path) -> None:
        self.seen = Seen()
        self.frames = 0
        self._venue = venue
        self._now = self._look_at = START
        self._tries = 0
        self._demo = Demo(size_wh=CAMERA_WH)
        self.edit(0)
        config = load(venue)
        texts = read(config, Lexicon.load(LEXICON_PATH)).texts
        frames, scenes, in_force = Mailbox[Frame](), Mailbox[Scene](), InForce(config)
        clock = Clock(lambda: self._now, lambda: NOON + timedelta(seconds=HASTE * (self._now - START)))
        capture = Capture(Plan("camera", "0"), in_force, frames, clock, self._open)
        edits = Edits(venue, (), config, self._now)
        self._analysis = Analysis(in_force, texts, edits, frames, scenes, clock)
        self._wall = Wall(clock, self.seen)
        self._supervisor = Supervisor(frames, scenes, capture.reports, self._wall, Notifier())
        self._capture = Turns("capture", capture.step)
        self._vision = Turns("vision", self._analysis.step)
        self._announced: News | None = None
        self._vision.take()  # which loads the networks

    def edit(self, number: int) -> None:
        """Somebody saves the configuration."""
        self._venue.write_text(f"{COMMON}{EDITS[number % len(EDITS)]}\n", encoding="utf-8")

    def step(self) -> None:
        """Once round: a frame is read, looked at if it is time to, and drawn."""
        waits = self._capture.take()  # meanwhile time passes
        self._now += waits
        if self._now >= self._look_at:
            self._look_at = self._now + self._vision.take()
        news = self._analysis.news.peek()
        if news and news is not self._announced:
            self._wall.announce(news)
            self._announced = news
        self.seen.states.add(self._supervisor.beat(self._now, 0.0, 0.0, warm=True))

    def close(self) -> None:
        for turns in (self._capture, self._vision):
            turns.worker.stop(PATIENCE)

    def _open(self, plan: Plan, config: CameraConfig) -> Paced:
        self._tries += 1
        if self._tries % 2 == 0:
            raise CameraError("camera 0: cannot be opened")
        return Paced(self._image, self._demo.fps, lambda: self._now, self._pass)

    def _image(self, index: int) -> Image:
        self.frames += 1
        if self.frames % FAIL_EVERY == 0:
            raise CameraError("camera 0: gives no picture")
        return self._demo.render(self.frames)

    def _pass(self, seconds: float) -> None:
        self._now += seconds


def soak(piece: Piece, frames: int, edit_every: int, edits: int, leak: int) -> Meter:
    """So many frames, and an edit every so many, `edits` in all; `leak` bytes of each frame are kept."""
    meter, kept = Meter(frames // READ_EVERY), []
    while piece.frames < frames:
        before = piece.frames
        piece.step()
        if piece.frames == before:  # it is closed, or the camera is gone
            continue
        if leak:
            kept.append(bytearray(leak))
        if piece.frames % edit_every == 0 and piece.frames // edit_every <= edits:
            piece.edit(piece.frames // edit_every)
        if piece.frames % READ_EVERY == 0:
            meter.read(piece.frames)
        if piece.seen.alone_for == ALONE:
            meter.pause(piece.frames)
    return meter


def main() -> None:
    """Soak, and print the readings and what was seen as JSON."""
    parser = argparse.ArgumentParser()
    parser.add_argument("venue", type=Path)
    for name in ("--frames", "--edit-every", "--edits"):
        parser.add_argument(name, type=int, required=True)
    parser.add_argument("--leak", type=int, default=0)
    given = parser.parse_args()
    piece = Piece(given.venue)
    meter = soak(piece, given.frames, given.edit_every, given.edits, given.leak)
    piece.close()
    seen = piece.seen
    told = {
        "taken": meter.taken,
        "held": meter.held,
        "pictures": seen.pictures,
        "visitors": len(seen.visitors),
        "words": len(seen.words),
        "languages": sorted(seen.languages),
        "states": sorted(state.name for state in seen.states),
        "edits": seen.edits,
    }
    print(json.dumps(told))  # noqa: T201  (the parent reads it)


if __name__ == "__main__":
    main()
