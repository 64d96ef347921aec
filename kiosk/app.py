"""The running piece: two workers and the draw loop. Alone knows all wings."""

from __future__ import annotations

import json
import logging
import signal
import threading
import time
from dataclasses import dataclass
from types import FrameType

from kiosk.config import Config
from kiosk.edits import Edits
from kiosk.errors import CameraError
from kiosk.messages import SCENE_ID, Caption, Frame, Scene
from kiosk.pipeline import Pipeline
from kiosk.screen.draw import Network
from kiosk.screen.texts import ENGLISH, statement
from kiosk.screen.window import Screen
from kiosk.trust import landlock
from kiosk.trust.seal import Seal
from kiosk.vision.camera import device
from kiosk.vision.sources import Plan, Source, open_source
from kiosk.worker import Latest, Worker

log = logging.getLogger(__name__)

# A frozen picture of a person must not stay on the wall; a box must not outlive its face.
FRAME_LIFETIME = 3.0
SCENE_LIFETIME = 1.0
FIRST_DELAY, LONGEST_DELAY = 1.0, 30.0
# A source that gave frames for this long has recovered: the next failure is a new one.
RECOVERED_AFTER = 60.0
STOP_TIMEOUT = 3.0
WAIT = 0.25


class Capture:
    """The capture worker's step: reads the source into the mailbox, and opens it again when it fails.

    Raises CameraError for a camera that was plugged in after the seal, which knows the devices that it
    leaves usable: the service starts the piece again, and the new seal knows the camera.
    """

    def __init__(self, what: Plan, config: Config, frames: Latest[Frame]) -> None:
        self._plan, self._config, self._frames = what, config, frames
        self._source: Source | None = None
        self._opened_at = 0.0
        self._delay = FIRST_DELAY
        self._said = ""

    def step(self, stopping: threading.Event) -> None:
        """Hand over one frame; or wait and try again, for ever: 1, 2, 4 … 30 seconds."""
        try:
            if self._source is None:
                self._source = open_source(self._plan, self._config.camera)
                self._opened_at = time.monotonic()
            self._frames.put(self._source.read())
            self._say("")
        except CameraError as error:
            if self._source is not None and time.monotonic() - self._opened_at > RECOVERED_AFTER:
                self._delay = FIRST_DELAY
            self.close()
            if self._plan.kind == "camera" and landlock.is_sealed_off(device(self._plan.target)):
                raise CameraError(
                    f"{self._plan.target}: came after the seal; a new start reaches it"
                ) from error
            self._say(str(error))
            stopping.wait(self._delay)
            self._delay = min(2 * self._delay, LONGEST_DELAY)

    def close(self) -> None:
        """Let go of the source and of its last picture."""
        self._frames.clear()
        if self._source is not None:
            self._source.close()
            self._source = None

    def _say(self, problem: str) -> None:
        if problem != self._said:
            log.warning("%s", problem or f"{self._plan.kind}: gives pictures again")
            self._said = problem


@dataclass(frozen=True)
class News:
    """What the screen must know of the vision worker: after loading, and after each edit."""

    config: Config
    network: Network
    edits_are_bad: bool


class Vision:
    """The vision worker's step: the newest frame through the pipeline."""

    def __init__(self, config: Config, edits: Edits, frames: Latest[Frame], scenes: Latest[Scene]) -> None:
        self._config, self._edits, self._frames, self._scenes = config, edits, frames, scenes
        self._pipeline: Pipeline | None = None
        self._count = 0
        self._edits_are_bad = False
        self.news = Latest[News]()

    def step(self, stopping: threading.Event) -> None:
        """Load the networks, the first time; then analyse one frame, at most `max_rate` times a second."""
        if self._pipeline is None:
            self._pipeline = Pipeline(self._config)
            self._tell_news(self._pipeline)
        began = time.monotonic()
        edited = self._edits.poll(self._pipeline.lexicon, began)
        if edited:
            self._config, policy = edited
            self._pipeline.change(self._config, policy)
        if edited or self._edits.are_bad != self._edits_are_bad:
            self._tell_news(self._pipeline)
        self._count, frame = self._frames.wait_newer(self._count, WAIT)
        if frame is not None:
            self._scenes.put(self._pipeline.look(frame))
            stopping.wait(max(0.0, began + 1 / self._config.detection.max_rate - time.monotonic()))
        elif self._frames.peek() is None:
            self._scenes.clear()
            self._pipeline.rest(time.monotonic())

    def _tell_news(self, pipeline: Pipeline) -> None:
        self._edits_are_bad = self._edits.are_bad
        network = Network(len(pipeline.classifier.classes), pipeline.classifier.title)
        self.news.put(News(self._config, network, self._edits_are_bad))


class Kiosk:
    """Parts are started in order and stopped in reverse."""

    def __init__(self, config: Config, what: Plan, screen: Screen | None, sealed: Seal, edits: Edits) -> None:
        """Without a screen the piece runs all the same, and tells what it does on standard output.

        What `sealed` says holds is what the wall claims. `edits` are in force while it runs.
        """
        self._screen, self._sealed = screen, sealed
        self._plan = what
        self._frames, self._scenes = Latest[Frame](), Latest[Scene]()
        capture = Capture(self._plan, config, self._frames)
        self._vision = Vision(config, edits, self._frames, self._scenes)
        self._capture_worker = Worker("capture", capture.step, capture.close)
        self._vision_worker = Worker("vision", self._vision.step)
        self._asked_to_stop = threading.Event()

    def run(self, seconds: float | None) -> None:
        """Run until asked to stop, or for `seconds`. Raises what ended a worker, or the display."""
        for name in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            signal.signal(name, self._stop)
        log.info("source: %s", self._plan)
        deadline = None if seconds is None else time.monotonic() + seconds
        self._capture_worker.start()
        self._vision_worker.start()
        try:
            if self._screen:
                self._draw(self._screen, deadline)
            else:
                self._tell(deadline)
        finally:
            self._vision_worker.stop(STOP_TIMEOUT)
            ended = self._capture_worker.stop(STOP_TIMEOUT)
            if self._screen:
                self._screen.close()
        if not ended:
            raise CameraError(f"{self._plan}: stuck, a read does not return")

    def _stop(self, signum: int, frame: FrameType | None) -> None:
        self._asked_to_stop.set()

    def _is_over(self, deadline: float | None) -> bool:
        self._capture_worker.check()
        self._vision_worker.check()
        return self._asked_to_stop.is_set() or (deadline is not None and time.monotonic() >= deadline)

    def _draw(self, screen: Screen, deadline: float | None) -> None:
        announced: News | None = None
        while not (self._is_over(deadline) or screen.wants_to_leave()):
            news = self._vision.news.peek()
            if news and news is not announced:
                config = news.config
                screen.announce(
                    config.display, config.wall, news.network, self._footnotes(), mark=news.edits_are_bad
                )
                announced = news
            now = time.monotonic()
            frame, scene = self._frames.peek(), self._scenes.peek()
            frame = frame if frame and now - frame.captured_at < FRAME_LIFETIME else None
            scene = scene if scene and now - scene.captured_at < SCENE_LIFETIME else None
            screen.show(frame, scene)

    def _footnotes(self) -> tuple[str, ...]:
        sealed = self._sealed
        claim = statement(
            ENGLISH,
            can_store=sealed.can_store,
            can_send=sealed.can_send,
            stream=bool(sealed.policy.ports),
            missing=sealed.missing,
        )
        return (claim, ENGLISH.demo) if self._plan.kind == "demo" else (claim,)

    def _tell(self, deadline: float | None) -> None:
        """Print a line whenever a visitor's caption changes; of a live source states only.

        For a label of a passer-by on a disk is a label stored.
        """
        start, count = time.monotonic(), 0
        told: dict[int, dict[str, str]] = {}
        while not self._is_over(deadline):
            count, scene = self._scenes.wait_newer(count, WAIT)
            if scene is None or self._plan.is_live:
                continue
            for caption in scene.captions:
                if caption.track_id == SCENE_ID or told.get(caption.track_id) == _said(caption):
                    continue
                seconds = round(scene.captured_at - start, 2)
                line = {"t": seconds, "visitor": caption.track_id, **_said(caption)}
                print(json.dumps(line, ensure_ascii=False), flush=True)  # noqa: T201  (what was asked for)
            told = {caption.track_id: _said(caption) for caption in scene.captions}


def _said(caption: Caption) -> dict[str, str]:
    """What is told of a caption: the word, or why it is withheld."""
    if caption.entry is None:
        return {"withheld": caption.withheld}
    return {"synset": caption.entry.synset, "label": caption.entry.label}
