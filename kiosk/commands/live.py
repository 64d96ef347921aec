"""The benchmark of the whole: the piece's own workers and loop on footage, painting on no screen.

In: footage and a configuration. Out: how late and how regular pictures are, how old boxes are, how long a
newcomer waits for her caption, and what the process takes of the processor.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import pairwise

import numpy as np

from kiosk.analysis import NICENESS, Analysis, News
from kiosk.capture import Capture, InForce
from kiosk.commands.footage import FPS, Footage, Playback
from kiosk.commands.steps import anew
from kiosk.config import Config
from kiosk.edits import Edits
from kiosk.messages import Frame, Scene
from kiosk.pipeline import Pipeline, Stages
from kiosk.screen.draw import Canvas, Card, offscreen
from kiosk.screen.keys import Shown
from kiosk.screen.look import Look, Told
from kiosk.screen.painted import Painted
from kiosk.screen.texts import Texts
from kiosk.supervisor import Supervisor
from kiosk.trust.notify import Notifier
from kiosk.vision.classify import SIDE
from kiosk.vision.inference import Session
from kiosk.vision.sources import Plan
from kiosk.worker import Latest, Worker

SCREEN_WH = (1920, 1080)
# Pictures a second, as on a screen of 60 Hz.
SCREEN_HZ = 60.0
STOP_TIMEOUT = 5.0
# What is seen in these seconds does not count: everything is touched for the first time.
SETTLING = 1.0
# A caption is of the visitor whose face its box covers by so much, as intersection over union.
SAME_FACE = 0.3
# Seconds. Somebody who has been in view for so long, and has no caption, will not get one.
PATIENCE = 1.0
NOTHING_TOLD = Told()


@dataclass
class Records:
    """Of one run. In seconds; a time is monotonic."""

    shown_at: list[float] = field(default_factory=list)
    """When each picture was there."""
    painted_in: list[float] = field(default_factory=list)
    """How long it took to paint it."""
    frame_ages: list[float] = field(default_factory=list)
    """From when the camera took a frame until it was first shown."""
    box_ages: list[float] = field(default_factory=list)
    """From when the camera took the frame that was looked at, whenever its boxes were shown."""
    waits: list[float] = field(default_factory=list)
    """From a visitor's first frame until the first picture with her caption."""
    unnamed: int = 0
    """Visitors who had none after a second."""
    processor: list[tuple[float, float]] = field(default_factory=list)
    """Once a second: the time, and the processor's time that this process has taken so far, all threads."""


class Wall:
    """What the screen is to the piece: paints a picture and waits for the beat. Notes what it shows."""

    def __init__(
        self,
        footage: Footage,
        playback: Playback,
        settling: float,
        clock: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        """For so many seconds after the first look nothing is noted."""
        self.records = Records()
        self._footage, self._playback, self._settling = footage, playback, settling
        self._clock, self._sleep = clock, sleep
        self._surface = offscreen(SCREEN_WH)
        self._canvas: Canvas | None = None
        self._painted = Painted()
        self._began: float | None = None
        self._beat_at = 0.0
        self._frame_index = -1
        self._arrived: dict[int, int] = {}
        self._named: set[int] = set()
        self._unnamed: set[int] = set()

    def announce(self, look: Look) -> None:
        """Look and say from now on as given."""
        self._canvas = Canvas(self._surface, look)

    def noted(self, now: float) -> float:
        """Seconds for which it has been noted what is shown; negative while it settles."""
        return -math.inf if self._began is None else now - self._began - self._settling

    def show(
        self, frame: Frame | None, scene: Scene | None, card: Card = Card.OPENING, told: Told = NOTHING_TOLD
    ) -> None:
        """As `kiosk.screen.window.Screen` does, without a flip."""
        began = self._clock()
        if self._canvas:
            new = self._painted.is_new(frame, scene, card, Shown(), began)
            painted = new or not self._canvas.settled(began)
            if painted:
                self._canvas.paint(frame, scene, began, card)
            now = self._clock()
            if frame and scene:
                self._began = now if self._began is None else self._began
                self._note(frame, scene, now)
                if painted and self.noted(now) >= 0:
                    self.records.painted_in.append(now - began)
        self._sleep(max(0.0, self._beat_at + 1 / SCREEN_HZ - self._clock()))
        self._beat_at = self._clock()

    def _note(self, frame: Frame, scene: Scene, now: float) -> None:
        for index in range(self._frame_index + 1, frame.index + 1):
            self._arrive(index)
        is_new, self._frame_index = frame.index > self._frame_index, frame.index
        self._name(scene, now)
        if self.noted(now) < 0:
            return
        records = self.records
        records.shown_at.append(now)
        if is_new:
            records.frame_ages.append(now - self._playback.taken_at(frame.index))
        if any(caption.box for caption in scene.captions):
            records.box_ages.append(now - self._playback.taken_at(scene.frame_index))
        if not records.processor or now - records.processor[-1][0] >= 1:
            records.processor.append((now, time.process_time()))

    def _arrive(self, index: int) -> None:
        """Note who is in view for the first time, and who has been for too long."""
        for sight in self._footage.seen_in(index):
            since = self._arrived.setdefault(sight.visit, index)
            if sight.visit not in self._named and index - since > PATIENCE * FPS:
                self._unnamed.add(sight.visit)
        self.records.unnamed = len(self._unnamed - self._named)

    def _name(self, scene: Scene, now: float) -> None:
        """Note who has her caption for the first time."""
        boxes = [caption.box for caption in scene.captions if caption.box]
        for sight in self._footage.seen_in(scene.frame_index):
            has_caption = any(box.iou(sight.box) > SAME_FACE for box in boxes)
            if has_caption and sight.visit in self._arrived and sight.visit not in self._named:
                self._named.add(sight.visit)
                self.records.waits.append(now - self._playback.taken_at(self._arrived[sight.visit]))


@dataclass(frozen=True)
class Piece:
    """What a run is made of."""

    config: Config
    texts: tuple[Texts, ...]
    stages: Stages
    edits: Edits


def play(
    piece: Piece, footage: Footage, seconds: float, *, settling: float = SETTLING, loads: int = 0
) -> Records:
    """Let the piece run on footage for so long after it has settled. Raises what ends a worker.

    Beside it run so many `loads`: threads in each of which the classifier's network runs all the time.
    """
    frames, scenes = Latest[Frame](), Latest[Scene]()
    in_force, playback = InForce(piece.config), Playback(footage)
    # A camera, not the demo: its pictures are judged.
    capture = Capture(
        Plan("camera", "0"), in_force, frames, open_=lambda plan, config: playback, scenes=scenes
    )
    analysis = Analysis(
        in_force,
        piece.texts,
        piece.edits,
        frames,
        scenes,
        open_=lambda config: Pipeline(config, anew(config, piece.stages)),
    )
    vision, reader = (
        Worker("vision", analysis.step, niceness=NICENESS),
        Worker("capture", capture.step, capture.close),
    )
    burner = _Burner(piece.stages.classifier.session)
    workers = [vision, reader, *(Worker("load", burner.step) for _ in range(loads))]
    wall = Wall(footage, playback, settling)
    supervisor = Supervisor(frames, scenes, capture.reports, wall, Notifier())
    announced: News | None = None
    vision.start()
    try:
        while wall.noted(now := time.monotonic()) < seconds:
            news = analysis.news.peek()
            if news and news is not announced:
                wall.announce(_look(news, piece.stages))
                if announced is None:  # only now: nobody waits for the networks
                    for worker in workers[1:]:
                        worker.start()
                announced = news
            for worker in workers:
                worker.check()
            supervisor.beat(now, reader.busy_for(now), vision.busy_for(now), warm=news is not None)
    finally:
        for worker in workers:
            worker.stop(STOP_TIMEOUT)
    return wall.records


def intervals(records: Records) -> list[float]:
    """Seconds between two pictures."""
    return [after - before for before, after in pairwise(records.shown_at)]


def load(records: Records) -> list[float]:
    """The processor's seconds that this process took, for each second."""
    return [(after[1] - before[1]) / (after[0] - before[0]) for before, after in pairwise(records.processor)]


class _Burner:
    """A network that runs all the time."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self._picture = np.zeros((1, SIDE, SIDE, 3), np.uint8)

    def step(self, stopping: object) -> None:
        self._session.run(self._picture)


def _look(news: News, stages: Stages) -> Look:
    config, words = news.config, tuple(stages.lexicon.values())
    return Look(config.display, config.wall, news.texts, news.network, config.captions.entries, words=words)
