"""The vision worker's step: the newest frame through the pipeline, and edits put in force."""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass

from kiosk.capture import InForce
from kiosk.clock import Clock
from kiosk.config import Config
from kiosk.edits import Edits
from kiosk.messages import Entry, Frame, Scene
from kiosk.pipeline import Pipeline
from kiosk.screen.look import Network
from kiosk.screen.texts import Texts
from kiosk.worker import Latest

WAIT = 0.25
# The networks give way to the drawing where there are few cores.
NICENESS = 5


@dataclass(frozen=True)
class News:
    """What the screen must know of the vision worker: after loading, and after each edit."""

    config: Config
    texts: tuple[Texts, ...]
    network: Network
    words: tuple[Entry, ...]
    """What the policy shows, for when nobody is there."""
    networks: tuple[str, ...]
    """Which networks run where, for the staff."""
    edits_are_bad: bool


class Analysis:
    """Loads the networks in its first step: no thread may be older than the seal, nor wait for the screen."""

    def __init__(
        self,
        in_force: InForce,
        texts: tuple[Texts, ...],
        edits: Edits,
        frames: Latest[Frame],
        scenes: Latest[Scene],
        clock: Clock | None = None,
        open_: Callable[[Config], Pipeline] = Pipeline,
    ) -> None:
        """`in_force` holds what is in force now; a good edit is put there."""
        self._clock, self._open = clock or Clock(), open_
        self._in_force, self._texts, self._edits = in_force, texts, edits
        self._frames, self._scenes = frames, scenes
        self._pipeline: Pipeline | None = None
        self._count = 0
        self._edits_are_bad = False
        self.news = Latest[News]()

    def step(self, stopping: threading.Event) -> None:
        """Load the networks, the first time; then analyse one frame, as often as the pipeline wants to."""
        if self._pipeline is None:
            self._pipeline = self._open(self._in_force.config)
            self._tell_news(self._pipeline)
            return
        began = self._clock.monotonic()
        edit = self._edits.poll(self._pipeline.lexicon, began)
        if edit:
            self._in_force.config, self._texts = edit.config, edit.texts
            self._pipeline.change(edit.config, edit.policy)
        if edit or self._edits.are_bad != self._edits_are_bad:
            self._tell_news(self._pipeline)
        self._count, frame = self._frames.wait_newer(self._count, WAIT)
        if frame is not None:
            self._scenes.put(self._pipeline.look(frame))
            stopping.wait(max(0.0, began + self._pipeline.pause - self._clock.monotonic()))
        elif self._frames.peek() is None:
            self._scenes.clear()
            self._pipeline.rest(self._clock.monotonic())

    def _tell_news(self, pipeline: Pipeline) -> None:
        self._edits_are_bad = self._edits.are_bad
        network = Network(len(pipeline.classifier.classes), pipeline.classifier.title)
        lexicon, policy, classes = pipeline.lexicon, pipeline.policy, pipeline.classifier.classes
        words = tuple(lexicon[synset] for synset in classes if policy.verdict(synset).shown)
        networks = tuple(
            f"{purpose}: {session.name} on {session.device}"
            for purpose, session in zip(("faces", "words"), pipeline.sessions, strict=True)
        )
        self.news.put(News(self._in_force.config, self._texts, network, words, networks, self._edits_are_bad))
