"""What flows from stage to stage: frozen records and nothing else.

There is no type for an embedding, a person's name or a path to a picture: what has no type cannot
be kept by accident.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

Image = npt.NDArray[np.uint8]


@dataclass(frozen=True)
class Frame:
    """One picture from a source."""

    image: Image = field(repr=False)
    """(H, W, 3) uint8, BGR, read-only, not mirrored."""
    index: int
    """From 0, counted by the source."""
    captured_at: float
    """Seconds, `time.monotonic()`."""

    def __post_init__(self) -> None:
        image = self.image
        if image.ndim != 3 or image.shape[2] != 3 or image.dtype != np.uint8:
            raise ValueError(f"image must be (H, W, 3) uint8 BGR, got {image.shape} {image.dtype}")
        image.flags.writeable = False

    @property
    def size_wh(self) -> tuple[int, int]:
        """Width and height in pixels."""
        return self.image.shape[1], self.image.shape[0]


@dataclass(frozen=True)
class Box:
    """Pixels of the frame, origin top left, x1 and y1 exclusive, not mirrored. The only box format."""

    x0: float
    y0: float
    x1: float
    y1: float

    @property
    def width(self) -> float:
        """x1 - x0, pixels."""
        return self.x1 - self.x0

    @property
    def height(self) -> float:
        """y1 - y0, pixels."""
        return self.y1 - self.y0

    @property
    def centre(self) -> tuple[float, float]:
        """(x, y), pixels."""
        return (self.x0 + self.x1) / 2, (self.y0 + self.y1) / 2

    @property
    def area(self) -> float:
        """Square pixels; 0 for a box turned inside out."""
        return max(0.0, self.width) * max(0.0, self.height)

    def intersection(self, other: Box) -> float:
        """Shared area in square pixels."""
        width = min(self.x1, other.x1) - max(self.x0, other.x0)
        height = min(self.y1, other.y1) - max(self.y0, other.y0)
        return max(0.0, width) * max(0.0, height)

    def iou(self, other: Box) -> float:
        """Intersection over union, 0-1."""
        shared = self.intersection(other)
        union = self.area + other.area - shared
        return shared / union if union > 0 else 0.0


@dataclass(frozen=True)
class Face:
    """A face that the detector found."""

    box: Box
    score: float
    """0-1."""


@dataclass(frozen=True)
class Sighting:
    """A face as it was detected, for whoever aims the camera; those that nobody looks at included."""

    box: Box
    score: float
    """0-1."""
    why: str = ""
    """Why it is not looked at: "outside the zone", "too small" or "too large"; empty where it is."""


@dataclass(frozen=True)
class Track:
    """A visitor, for as long as she stands there."""

    id: int
    """From 1, never reused in a run, never saved."""
    box: Box
    seen_at: float
    """Seconds, monotonic: the last sight of the face."""


@dataclass(frozen=True)
class Guess:
    """One answer of the classifier."""

    synset: str
    """WordNet 3.0 noun offset, for example n10609198."""
    probability: float
    """0-1."""


@dataclass(frozen=True)
class Definition:
    """What a dictionary says of a headword."""

    headword: str
    text: str
    of_person: bool
    """False where the dictionary knows the word, but not for a person."""
    source: str
    """As printed in the caption, for example "Webster 1913"."""


@dataclass(frozen=True)
class Entry:
    """The words for one synset."""

    synset: str
    lemmas: tuple[str, ...]
    """WordNet 3.0's, in its order, spaces for underscores."""
    gloss: str
    """WordNet 3.0's, to the letter, examples included."""
    chain: tuple[str, ...]
    """First lemmas of the hypernyms, from the synset's own parent up to "person"; () for person itself."""
    definition: Definition | None
    etymology: str | None
    """Where the word comes from; None where the dictionary is silent."""
    etymology_source: str | None
    """As printed in the caption; None with no etymology."""
    above: tuple[str, ...] = ()
    """Ids of every hypernym up to *person*, on all ways: first those that `chain` names, in its order."""

    @property
    def label(self) -> str:
        """The first lemma: what stands in the plate."""
        return self.lemmas[0]


@dataclass(frozen=True)
class Reason:
    """Why a word is withheld, in one language or several; false where it is shown."""

    texts: tuple[tuple[str, str], ...] = ()
    """Pairs of a language's code, such as "de", and a text; "" for one text for all."""

    def in_(self, code: str) -> str:
        """In a language; where there is none in it, in English; else the first; "" with no reason at all."""
        texts = dict(self.texts)
        first = next(iter(texts.values()), "")
        return texts.get(code, texts.get("en", first))

    def __str__(self) -> str:
        """In English, or the first."""
        return self.in_("en")

    def __bool__(self) -> bool:
        return bool(self.texts)


SCENE_ID = 0
"""Track id of the whole picture, looked at with nobody there."""


@dataclass(frozen=True)
class Caption:
    """What is said of one visitor, or of the whole scene."""

    track_id: int
    """SCENE_ID for the scene."""
    box: Box | None
    """The face; None for the scene."""
    entry: Entry | None
    """The words; None where they are withheld: what is not handed over cannot be shown by mistake."""
    probability: float
    """0-1, smoothed over the looks the network took."""
    withheld: Reason = Reason()
    """Why the word is withheld, in the words of the rule; false where it is shown."""
    passed_over: int = 0
    """How many better guesses were withheld before this one was shown."""


@dataclass(frozen=True)
class Scene:
    """What the vision worker hands to the screen."""

    frame_index: int
    captured_at: float
    """Seconds, monotonic: of the frame that was analysed."""
    captions: tuple[Caption, ...]
    anybody: bool = False
    """Whether a visitor is there, also one of whom nothing is said."""
    seen: tuple[Sighting, ...] = ()
    """What the detector found in this frame."""
