"""What the piece makes of one picture: a frame in, what is counted out. It lives until it is counted."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from kiosk.messages import Frame
from kiosk.pipeline import Pipeline
from kiosk.words.tables import SAFETY

OFFENSIVE, SENSITIVE, _ = SAFETY


@dataclass(frozen=True)
class Observation:
    """One face is expected."""

    faces: int
    """That are looked at."""
    aside: bool = False
    """None is, but one was found that is smaller or larger than the configuration allows."""
    height: float = 0.0
    """Of the surest face, pixels; 0 for none."""
    score: float = 0.0
    """The detector's, of the surest face, 0-1."""
    synset: str = ""
    """What that face is called, be it withheld or not; "" with no face."""
    sureness: float = 0.0
    """The classifier's, of that word, 0-1."""
    withheld: bool = False
    safety: str = ""
    """By the ImageNet team's table; "" where that is not there, or does not know the word."""


def observe(pipeline: Pipeline, frame: Frame, safety: Mapping[str, str]) -> Observation:
    """One picture through the pipeline as it is configured. `safety` by synset id. Raises InferenceError.

    With no face the piece names the whole picture; that word is of no face, and is not counted.
    """
    still = pipeline.look_at_still(frame)
    if not still.faces:
        return Observation(0, aside=bool(pipeline.detector(frame)))
    face, guess = still.faces[0], still.guesses[0][0]
    return Observation(
        len(still.faces),
        height=face.box.height,
        score=face.score,
        synset=guess.synset,
        sureness=guess.probability,
        withheld=not pipeline.policy.verdict(guess.synset).shown,
        safety=safety.get(guess.synset, ""),
    )
