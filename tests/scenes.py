"""Moments of the piece from fixed input, and the pictures that the wall then shows.

The pictures that were looked at and found good are kept in tests/golden; to take those of now in their place:

    python -m tests.scenes [NAME ...]

The faces are the demo's portraits before a plain ground. Words and what is said of them are invented.
"""

from __future__ import annotations

import functools
import sys
from dataclasses import dataclass
from pathlib import Path

import cv2
import numpy as np

from kiosk.messages import SCENE_ID, Box, Caption, Definition, Entry, Frame, Image, Reason, Scene
from kiosk.screen import picture, texts
from kiosk.screen.draw import Canvas, Card, offscreen
from kiosk.screen.look import Look, Network
from kiosk.sections import DisplayConfig, WallConfig
from kiosk.vision.cutout import Cutout
from kiosk.vision.demo import PORTRAITS
from kiosk.vision.visits import PASSERSBY, STAGE_WH, Passerby, Pose

GOLDEN = Path(__file__).parent / "golden"
WIDE, UPRIGHT = (960, 540), (540, 960)
GROUND = (148, 154, 158)
ASTRONAUT, ADMIRAL = PASSERSBY
DISPLAY, WALL, SHOWN = DisplayConfig(), WallConfig(), Reason()
DICTIONARY, NIGHT = DisplayConfig(theme="dictionary"), DisplayConfig(theme="night")
NETWORK = Network(2833, "An invented network, which has never seen a lamp")

LAMPLIGHTER = Entry(
    "n90000001",
    ("lamplighter", "lampman", "keeper of the lamps", "wickman"),
    'someone who walks from lamp to lamp at dusk and lights them; "the lamplighter was late again"',
    ("attendant", "assistant", "skilled worker", "worker", "person"),
    Definition(
        "lamplighter",
        "One whose trade it is to light the lamps of a street; hence, whoever comes and goes at the same "
        "hours as they do; a punctual person; -- often in jest.",
        True,
        "Invented 1913",
    ),
    "lamp + lighter; the former fr. F. lampe, fr. L. lampas, fr. Gr. λαμπάς a torch, fr. λάμπειν to shine",
    "Invented 1913",
)
LAMP_BEARER = Entry(
    "n90000002",
    ("lychnophore", "lamp-bearer"),
    "a person who carries a lamp before others",
    ("bearer", "worker", "person"),
    Definition("lamp-bearer", "One that bears a lamp in a procession.", True, "Invented 1913"),
    "Gr. ὁ λυχνοφόρος; λύχνος a lamp + φέρειν to bear; akin to E. bear: cf. L. lychnus",
    "Invented 1913",
)
SNUFFER = Entry(
    "n90000003",
    ("snuffer",),
    "someone who puts out candles",
    ("attendant", "assistant", "worker", "person"),
    Definition("snuffer", "A cone of metal with a handle.", False, "Invented 1913"),
    None,
    None,
)
NIGHT_OWL = Entry(
    "n90000004",
    ("night owl", "late riser"),
    "a person who goes to bed when others get up",
    ("person",),
    None,
    None,
    None,
)
LABELS = (
    "wayfarer", "moth", "clock winder", "bellringer", "scribe", "glazier", "echo", "ferryman",
    "map reader", "tuner", "cloud counter", "rope dancer",
)  # fmt: skip
CROWD = tuple(
    Entry(f"n9000001{at:x}", (label,), f"somebody who is taken for a {label}", ("person",), None, None, None)
    for at, label in enumerate(LABELS)
)
SLUR = Reason((("en", "a slur against a people"), ("de", "ein Schimpfwort für ein Volk")))


@dataclass(frozen=True)
class Visitor:
    """Where somebody stands before the camera, and what is said of her."""

    person: Passerby
    x: float
    y: float
    face_px: float
    """Height of the face; like x and y, of its middle, in pixels of the stage."""
    entry: Entry | None
    probability: float = 0.031
    withheld: Reason = SHOWN
    passed_over: int = 0

    @property
    def box(self) -> Box:
        """Of the face, pixels of the stage."""
        return cutout(self.person).face_box(self.pose, STAGE_WH)

    @property
    def pose(self) -> Pose:
        """Upright, looking into the camera."""
        return Pose(self.person, self.x, self.y, self.face_px, 0.0, 0.0, standing=True)


@dataclass(frozen=True)
class Moment:
    """What is before the camera, and all that decides how the wall looks."""

    name: str
    visitors: tuple[Visitor, ...] = ()
    """The farthest first."""
    scene: Entry | None = None
    """Said of the picture, with nobody there."""
    display: DisplayConfig = DISPLAY
    wall: WallConfig = WALL
    size_wh: tuple[int, int] = WIDE
    card: Card | None = None
    """In place of a picture."""
    passing: Entry | None = None
    """A word that passes by."""
    at: tuple[float, ...] = (0.0,)
    """When the wall is painted; the last time is that of the picture. Seconds."""


MOMENTS = (
    Moment("one-visitor", (Visitor(ADMIRAL, 780, 300, 210, LAMPLIGHTER, 0.052),)),
    Moment(
        "three-visitors",
        (
            Visitor(ASTRONAUT, 1060, 340, 110, SNUFFER, 0.008),
            Visitor(ADMIRAL, 240, 370, 120, NIGHT_OWL, 0.19),
            Visitor(ASTRONAUT, 640, 330, 150, LAMP_BEARER),
        ),
        display=DICTIONARY,
    ),
    Moment(
        "twelve-visitors",
        tuple(
            Visitor(PASSERSBY[at % 2], 110 + 205 * (at % 6) - 40 * row, 190 + 250 * row, 66 + 18 * row, entry)
            for at, entry in enumerate(CROWD)
            for row in (at // 6,)
        ),
    ),
    Moment(
        "withheld",
        (
            Visitor(ASTRONAUT, 900, 320, 110, NIGHT_OWL, 0.4),
            Visitor(ADMIRAL, 460, 310, 190, None, 0.2, SLUR),
        ),
        display=NIGHT,
    ),
    Moment("later-guess", (Visitor(ASTRONAUT, 500, 330, 170, SNUFFER, 0.012, passed_over=2),)),
    Moment("huge-face", (Visitor(ASTRONAUT, 660, 400, 560, LAMPLIGHTER),)),
    Moment("scene", scene=NIGHT_OWL),
    Moment("idle"),
    Moment("resting", card=Card.RESTING, display=NIGHT),
    Moment(
        "passing-word",
        passing=LAMP_BEARER,
        display=DICTIONARY,
        wall=WallConfig(attract_after=30),
        at=(0.0, 30.0, 33.0),
    ),
    Moment(
        "two-languages",
        (Visitor(ADMIRAL, 500, 310, 180, LAMP_BEARER, 0.47),),
        wall=WallConfig(language="en, de", turn=20, note="Fragen? Wir sind am Eingang."),
        at=(25.0,),
    ),
    Moment("upright", (Visitor(ASTRONAUT, 640, 290, 150, LAMPLIGHTER),), size_wh=UPRIGHT),
)


def paint(moment: Moment) -> Image:
    """What the wall shows: (H, W, 3) uint8 BGR."""
    image = np.full((STAGE_WH[1], STAGE_WH[0], 3), GROUND, np.uint8)
    captions = [Caption(SCENE_ID, None, moment.scene, 0.06)] if moment.scene else []
    for at, visitor in enumerate(moment.visitors, start=1):
        cutout(visitor.person).paint(image, visitor.pose, STAGE_WH)
        said = visitor.entry, visitor.probability, visitor.withheld, visitor.passed_over
        captions.append(Caption(at, visitor.box, *said))
    language = texts.load(moment.wall.language)
    look = Look(
        moment.display,
        moment.wall,
        language,
        NETWORK,
        footnotes=tuple((said.sealed,) for said in language),
        words=(moment.passing,) if moment.passing else (),
        still=True,
    )
    surface = offscreen(moment.size_wh)
    canvas = Canvas(surface, look)
    for index, now in enumerate(moment.at):
        frame = Frame(image, index, now)
        scene = Scene(index, now, tuple(captions), anybody=bool(moment.visitors))
        if moment.card:
            canvas.paint(None, None, now, moment.card)
        else:
            canvas.paint(frame, scene, now)
    return np.ascontiguousarray(picture.pixels(surface)[:, :, :3])


@functools.lru_cache
def cutout(person: Passerby) -> Cutout:
    """A portrait, cut out."""
    return Cutout.load(person, PORTRAITS)


def main(names: list[str]) -> None:
    """Take the pictures of now for the golden ones: those of some names, or all."""
    for moment in MOMENTS:
        if not names or moment.name in names:
            save(GOLDEN / f"{moment.name}.webp", paint(moment))


def save(path: Path, image: Image) -> None:
    """Without loss. Raises OSError where it cannot be written."""
    written, content = cv2.imencode(".webp", image, (cv2.IMWRITE_WEBP_QUALITY, 101))
    assert written
    path.write_bytes(content)


if __name__ == "__main__":
    main(sys.argv[1:])
