"""A piece without networks, and tables of tiny pictures: what it sees stands in a picture's first pixel."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path

import cv2
import numpy as np

from kiosk.audit.figures import Vocabulary
from kiosk.audit.observation import Observation
from kiosk.audit.subject import Subject
from kiosk.audit.tally import Count
from kiosk.messages import Box, Entry, Face, Frame, Guess, Scene
from kiosk.pipeline import Still
from kiosk.words.policy import Group, Policy, PolicyFile
from kiosk.words.rules import Catalogue, Rule

BAKER, COOK, LOUT, SAILOR = ids = ("n00000001", "n00000002", "n00000003", "n00000004")
LEXICON = {
    id_: Entry(id_, (lemma,), "a person", (), None, None, None)
    for id_, lemma in zip(ids, ("baker", "cook", "lout", "sailor"), strict=True)
}
SAFETY = {BAKER: "safe", LOUT: "offensive", SAILOR: "sensitive"}
REASON = "This house calls nobody that."


def policy(*withheld: str) -> Policy:
    """One that withholds these synsets."""
    rules = tuple(Rule(synset=id_) for id_ in withheld)
    groups = (Group("slurs", ((("", REASON),)), rules),) if rules else ()
    return Policy(PolicyFile(groups=groups), ["" for _ in rules], Catalogue(LEXICON), list(LEXICON))


def vocabulary(*withheld: str) -> Vocabulary:
    return Vocabulary(LEXICON, policy(*withheld))


class Piece:
    """With the pipeline's interface. Blue: below 50 no face, over 240 two; green: the word; red: score."""

    def __init__(self, *withheld: str) -> None:
        self.policy = policy(*withheld)
        self.lexicon = LEXICON
        self.looked = 0

    def look_at_still(self, frame: Frame) -> Still:
        self.looked += 1
        blue, green, red = (int(value) for value in frame.image[0, 0])
        scene = Scene(frame.index, frame.captured_at, ())
        if blue < 50:
            return Still((), ((Guess(ids[0], 0.9),),), scene)
        face = Face(Box(1, 1, 5, 7), red / 255)
        faces = (face,) * (2 if blue > 240 else 1)
        return Still(faces, ((Guess(ids[green % 4], green / 255),),) * len(faces), scene)

    def detector(self, frame: Frame) -> tuple[Face, ...]:
        """One that is too small stands where there is a little blue."""
        return (Face(Box(0, 0, 1, 1), 0.9),) if 20 < frame.image[0, 0, 0] < 50 else ()


def picture(folder: Path, blue: int, green: int = 0, red: int = 200) -> str:
    """The name of a picture that is like this; made once."""
    name = f"{blue}-{green}-{red}.bmp"
    if not (folder / name).exists():
        cv2.imwrite(str(folder / name), np.full((8, 8, 3), (blue, green, red), np.uint8))
    return name


def write_table(folder: Path, rows: Iterable[Sequence[str]], head: str = "path,skin,gender") -> Path:
    """A table with these rows."""
    path = folder / "table.csv"
    path.write_text("\n".join([head, *(",".join(row) for row in rows)]) + "\n", encoding="utf-8")
    return path


def count(
    pictures: int, missed: int = 0, words: Sequence[str] = (BAKER,), score: float = 0.8, twice: int = 0
) -> Count:
    """Of a cell; the faces found are called by `words` in turn."""
    made = Count(through=pictures)
    for at in range(pictures):
        if at < missed:
            made.tally.add(Observation(0))
            continue
        word = words[at % len(words)]
        faces = 2 if at - missed < twice else 1
        safety = SAFETY.get(word, "")
        made.tally.add(
            Observation(faces, score=score, synset=word, sureness=0.05, withheld=word == LOUT, safety=safety)
        )
    return made


def subject(*columns: str, **changes: object) -> Subject:
    """Of an audit by these columns."""
    made = Subject(
        day="2026-11-30",
        version="1.0",
        table="table.csv",
        digest="0" * 64,
        lines=400,
        columns=columns,
        titles=columns,
        detector="centerface.onnx",
        input="384x224",
        min_score=0.5,
        min_face_height=48,
        max_face_height=0,
        classifier="standin.onnx",
        classifier_title="",
        margin=2.4,
        device="cpu",
        policy="as-2019",
        has_safety=False,
        robustness=0,
    )
    return replace(made, **changes)
