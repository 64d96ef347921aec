"""The way of a frame through the stages: detect, track, classify, caption. A frame in, a Scene out."""

from __future__ import annotations

from dataclasses import dataclass

from kiosk.config import LEXICON_PATH, Config
from kiosk.errors import ModelError
from kiosk.messages import SCENE_ID, Box, Face, Frame, Guess, Scene, Track
from kiosk.vision.classify import Classifier
from kiosk.vision.detect import FaceDetector
from kiosk.vision.inference import Session
from kiosk.vision.track import SceneWatch, Tracker
from kiosk.words.caption import Captioner
from kiosk.words.lexicon import Lexicon
from kiosk.words.policy import Policy


@dataclass(frozen=True)
class Still:
    """What is found in one still picture."""

    faces: tuple[Face, ...]
    guesses: tuple[tuple[Guess, ...], ...]
    """For each face, best first; with no face one item, for the whole scene."""
    scene: Scene


class Pipeline:
    """All stages, loaded and warm."""

    def __init__(self, config: Config) -> None:
        """Raises ModelError, InferenceError, or ConfigError for the policy."""
        self._config = config
        self.lexicon = Lexicon.load(LEXICON_PATH)
        self.detector = FaceDetector.open(config.detection, config.inference)
        self._tracker = Tracker(config.tracking)
        self._watch = SceneWatch(config.captions)
        self.classifier = Classifier.open(config.classification, config.inference)
        self.policy = Policy.load(config.policy, self.lexicon)
        self._captioner = Captioner(config.captions, self.lexicon, self.policy)
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
        """Seconds from the beginning of one look to that of the next, at least."""
        return 1 / self._config.detection.max_rate

    def look(self, frame: Frame) -> Scene:
        """Analyse the next frame of a source."""
        now = frame.captured_at
        tracks = self._tracker.update(self.detector(frame), now)
        subjects = self._watch.subjects(frame, tracks, now)
        guesses = self.classifier(frame, subjects)
        captions = self._captioner.update(subjects, guesses, now)
        return Scene(frame.index, now, captions, anybody=bool(tracks))

    def rest(self, now: float) -> None:
        """Call where no frames come: who is out of sight for long is forgotten all the same."""
        tracks = self._tracker.update((), now)
        if not tracks:
            self.classifier.forget()
        self._captioner.update(tracks, {}, now)

    def look_at_still(self, frame: Frame) -> Still:
        """Analyse one picture by itself: every face at once, or the scene where there is none."""
        now = frame.captured_at
        faces = self.detector(frame)
        subjects = tuple(Track(at, face.box, now) for at, face in enumerate(faces, start=1))
        if not subjects:
            subjects = (Track(SCENE_ID, Box(0, 0, *frame.size_wh), now),)
        self.classifier.forget()  # the picture before
        guesses = self.classifier(frame, subjects)
        captions = Captioner(self._config.captions, self.lexicon, self.policy).update(subjects, guesses, now)
        scene = Scene(frame.index, now, captions, anybody=bool(faces))
        return Still(faces, tuple(guesses[track.id] for track in subjects), scene)
