"""The way of a frame through the stages: detect, track, classify, caption. A frame in, a Scene out."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

from kiosk.config import LEXICON_PATH, Config
from kiosk.errors import ModelError
from kiosk.messages import SCENE_ID, Box, Face, Frame, Guess, Scene, Track
from kiosk.vision.classify import Classifier
from kiosk.vision.detect import FaceDetector
from kiosk.vision.inference import Session
from kiosk.vision.known_answer import is_due
from kiosk.vision.track import SceneWatch, Tracker
from kiosk.vision.zone import Zone
from kiosk.words.caption import Captioner
from kiosk.words.lexicon import Lexicon
from kiosk.words.policy import Policy

# Seconds without a face in the zone, after which the detector looks less often.
IDLE_AFTER = 3.0


@dataclass(frozen=True)
class Still:
    """What is found in one still picture."""

    faces: tuple[Face, ...]
    guesses: tuple[tuple[Guess, ...], ...]
    """For each face, best first; with no face one item, for the whole scene."""
    scene: Scene


@dataclass(frozen=True)
class Stages:
    """Those that are read from files."""

    lexicon: Lexicon
    detector: FaceDetector
    classifier: Classifier

    @classmethod
    def load(cls, config: Config) -> Stages:
        """Raises ModelError, and InferenceError where a GPU is required and not there."""
        lexicon = Lexicon.load(LEXICON_PATH)
        detector = FaceDetector.open(config.detection, config.inference)
        return cls(lexicon, detector, Classifier.open(config.classification, config.inference))


class Pipeline:
    """All stages, loaded and warm."""

    def __init__(self, config: Config, stages: Stages | None = None) -> None:
        """Without `stages` those of the configuration are loaded.

        Raises ModelError, InferenceError, or ConfigError for the policy.
        """
        stages = stages or Stages.load(config)
        self.lexicon, self.detector, self.classifier = stages.lexicon, stages.detector, stages.classifier
        self._config = config
        self._zone = _zone(config)
        self._tracker = Tracker(config.tracking)
        self._watch = SceneWatch(config.captions)
        self.policy = Policy.load(config.policy, self.lexicon)
        self._captioner = Captioner(config.captions, self.lexicon, self.policy)
        self._looked_at = 0.0
        self._visitor_at = self._bystander_at = -math.inf
        self._checked_at: float | None = None
        unknown = [synset for synset in self.classifier.classes if synset not in self.lexicon]
        if unknown:
            raise ModelError(
                f"{config.classification.model}: {len(unknown)} of its classes are not in the lexicon "
                f"(the first: {unknown[0]}). To build the lexicon again: kiosk lexicon"
            )
        self.detector.warm_up()
        self.classifier.warm_up()

    def change(self, config: Config, policy: Policy) -> None:
        """Go on with an edited configuration: all of it but what opens networks."""
        self._config, self.policy = config, policy
        self._zone = _zone(config)
        self.detector.change(config.detection)
        self._tracker.change(config.tracking)
        self._watch.change(config.captions)
        self.classifier.change(config.classification)
        self._captioner.change(config.captions, policy)

    @property
    def sessions(self) -> tuple[Session, Session]:
        """The detector's and the classifier's network."""
        return self.detector.session, self.classifier.session

    @property
    def pause(self) -> float:
        """Seconds from the beginning of one look to that of the next, at least; more in an empty zone."""
        detection = self._config.detection
        if self._looked_at - self._visitor_at < IDLE_AFTER:
            return 1 / detection.max_rate
        return 1 / min(detection.max_rate, detection.idle_rate)

    def look(self, frame: Frame) -> Scene:
        """Analyse the next frame of a source. Raises InferenceError."""
        now = self._looked_at = frame.captured_at
        found = self.detector(frame)
        seen = self._zone.sightings(found, frame.size_wh)
        faces = tuple(face for face, sighting in zip(found, seen, strict=True) if not sighting.why)
        tracks = self._tracker.update(faces, now)
        if faces:
            self._visitor_at = now
        if len(faces) < len(found):
            self._bystander_at = now
        subjects = self._subjects(frame, tracks, now)
        guesses = self.classifier(frame, subjects)
        captions = self._captioner.update(subjects, guesses, now)
        self._check(now, anybody=bool(tracks or faces))
        return Scene(frame.index, now, captions, anybody=bool(tracks), seen=seen)

    def rest(self, now: float) -> None:
        """Call where no frames come: who is out of sight for long is forgotten all the same.

        Raises InferenceError.
        """
        tracks = self._tracker.update((), now)
        if not tracks:
            self.classifier.forget()
        self._captioner.update(tracks, {}, now)
        self._check(now, anybody=bool(tracks))

    def look_at_still(self, frame: Frame) -> Still:
        """Analyse one picture by itself: every face at once, or the scene where there is none.

        Somebody chose it, and no camera took it here: the limits of height hold, the zone does not.
        """
        now = frame.captured_at
        anywhere = replace(self._zone, polygon=None)
        faces = tuple(face for face in self.detector(frame) if not anywhere.why_not(face.box, frame.size_wh))
        subjects = tuple(Track(at, face.box, now) for at, face in enumerate(faces, start=1))
        if not subjects:
            subjects = (Track(SCENE_ID, Box(0, 0, *frame.size_wh), now),)
        self.classifier.forget()  # the picture before
        guesses = self.classifier(frame, subjects)
        captions = Captioner(self._config.captions, self.lexicon, self.policy).update(subjects, guesses, now)
        scene = Scene(frame.index, now, captions, anybody=bool(faces))
        return Still(faces, tuple(guesses[track.id] for track in subjects), scene)

    def _subjects(self, frame: Frame, tracks: tuple[Track, ...], now: float) -> tuple[Track, ...]:
        """The visitors; or the scene, with nobody there: nor outside the zone, who would be a part of it."""
        subjects = self._watch.subjects(frame, tracks, now)
        return tracks if now - self._bystander_at <= self._config.captions.scene_after else subjects

    def _check(self, now: float, *, anybody: bool) -> None:
        """Once an hour, ask the classifier whether it still answers as it must."""
        if self._checked_at is None:
            self._checked_at = now  # it was when it was loaded
        elif is_due(now - self._checked_at, anybody=anybody):
            self.classifier.check()
            self._checked_at = now


def _zone(config: Config) -> Zone:
    return Zone.of(config.zone, config.detection, mirrored=config.display.mirror)
