"""What a source really gives, measured: a source in, its size, rate and faults out. No picture is kept."""

from __future__ import annotations

import time
from dataclasses import dataclass

from kiosk.messages import Frame
from kiosk.sections import CameraConfig
from kiosk.vision.judge import Judge, Verdict, patience
from kiosk.vision.sources import Plan, Source, open_source
from kiosk.worker import Latest, Worker

# A camera takes seconds to open and to get used to the light, and a stream is tried for five.
OPENING = 15.0
STOPPING = 2.0
WAIT = 0.1
# A camera that gives one picture for nearly all of the time is frozen; for a moment, drivers repeat one.
STILL_SHARE, LEAST_STILL = 0.9, 1.0


@dataclass(frozen=True)
class Measured:
    """Of the frames so far."""

    size_wh: tuple[int, int]
    """Pixels, of the last frame."""
    seconds: float
    """From the first to the last."""
    frames: int
    damaged: int
    """Of them."""
    verdict: Verdict
    """On the last one."""
    encoding: str
    """MJPG, YUYV ...; empty where the source does not say."""

    @property
    def fps(self) -> float:
        """Frames a second; 0 of a single one."""
        return (self.frames - 1) / self.seconds if self.seconds > 0 else 0.0


class Measurement:
    """Adds up frames. Pure."""

    def __init__(self, judge: Judge, encoding: str = "") -> None:
        self._judge, self._encoding = judge, encoding
        self._first_at: float | None = None

    def add(self, frame: Frame) -> Measured:
        """Call for every frame, in order."""
        if self._first_at is None:
            self._first_at = frame.captured_at
        verdict = self._judge.see(frame)
        elapsed = frame.captured_at - self._first_at
        return Measured(
            frame.size_wh, elapsed, self._judge.seen, self._judge.damaged, verdict, self._encoding
        )


class Reading:
    """A worker's step: opens a source, and then reads it frame by frame."""

    def __init__(self, what: Plan, config: CameraConfig, seconds: float) -> None:
        self._plan, self._config = what, config
        still = patience(what.kind)
        if what.kind == "camera":
            still = min(still, max(LEAST_STILL, STILL_SHARE * seconds))
        self._judge = Judge(still)
        self._source: Source | None = None
        self._measurement = Measurement(self._judge)
        self.found = Latest[Measured]()

    def step(self, stopping: object) -> None:
        """Raises CameraError where nothing comes, InputError for a picture that is none."""
        if self._source is None:
            self._source = open_source(self._plan, self._config)
            self._measurement = Measurement(self._judge, str(getattr(self._source, "encoding", "")))
        self.found.put(self._measurement.add(self._source.read()))

    def close(self) -> None:
        """Let go of it, in the thread that read it."""
        if self._source is not None:
            self._source.close()


def measure(what: Plan, config: CameraConfig, seconds: float) -> Measured | None:
    """Read for `seconds`. None where a read does not return.

    Raises CameraError where nothing comes, InputError for a picture that is none.
    """
    reading = Reading(what, config, seconds)
    worker = Worker("measure", reading.step, reading.close)
    worker.start()
    end = time.monotonic() + OPENING + seconds
    count, found = 0, None
    while time.monotonic() < end and (found is None or found.seconds < seconds):
        worker.check()
        count, newer = reading.found.wait_newer(count, WAIT)
        found = newer or found
    worker.stop(STOPPING)
    worker.check()
    return found if found is not None and found.seconds >= seconds else None
