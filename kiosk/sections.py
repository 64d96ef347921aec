"""The sections of the configuration: every key with its default, its limits and its help."""

from __future__ import annotations

from dataclasses import dataclass

from kiosk import schema
from kiosk.polygon import corners

LONGEST_TEXT = 600
"""Letters of a text of the venue's own on the wall."""


@dataclass(frozen=True)
class CameraConfig:
    """What is asked of the camera; what it really gives is measured."""

    width: int = schema.integer("width asked of the camera", 1280, 160, 7680, "pixels")
    height: int = schema.integer("height asked of the camera", 720, 120, 4320, "pixels")
    fps: int = schema.integer("frame rate asked of the camera", 30, 1, 240, "frames a second")


@dataclass(frozen=True)
class FramingConfig:
    """What of the camera's picture is used, for seeing and for showing."""

    rotate: str = schema.choice(
        "turn the picture of a camera that hangs sideways, degrees clockwise", "0", ("0", "90", "180", "270")
    )
    zoom: float = schema.number("enlarge: 2 shows half of the width and of the height", 1, 1, 8, "times")
    x: float = schema.number(
        "middle of what is shown when zoomed, of the camera's own picture: 0 is its left edge, 1 its right",
        0.5,
        0,
        1,
    )
    y: float = schema.number("0: upper edge, 1: lower edge", 0.5, 0, 1)


@dataclass(frozen=True)
class InferenceConfig:
    """Where the networks run."""

    gpu: str = schema.choice(
        "required: exit where a network does not run on the GPU; preferred: go on with the CPU; off",
        "preferred",
        ("required", "preferred", "off"),
    )
    gpu_memory: int = schema.integer(
        "most that a network takes of the GPU; 0: no limit", 2048, 0, 262144, "MiB"
    )
    cuda_graph: bool = schema.boolean("record the GPU's work once and replay it; a little faster", False)
    threads: int = schema.integer("CPU threads of a network; 0: one less than there are cores", 0, 0, 64)


@dataclass(frozen=True)
class DetectionConfig:
    """Finding faces."""

    model: str = schema.text("the face detector, a path from the project's folder", "models/centerface.onnx")
    device: str = schema.choice(
        "auto: the GPU where there is one; cuda; cpu", "auto", ("auto", "cuda", "cpu")
    )
    input: tuple[int, int] | None = schema.size(
        "size of the picture that the detector sees; auto: 640x384 on a GPU, 384x224 on a CPU", 64, 1920, 32
    )
    min_score: float = schema.number("a face must be at least this sure", 0.5, 0.05, 0.99)
    min_face_height: int = schema.integer(
        "smaller faces are not looked at", 48, 8, 2000, "pixels of the camera"
    )
    max_face_height: int = schema.integer(
        "larger faces are not looked at; 0: no limit", 0, 0, 10000, "pixels of the camera"
    )
    max_rate: float = schema.number("looks at most this often", 15, 2, 60, "times a second")
    idle_rate: float = schema.number(
        "and with nobody there for a while at most this often", 5, 2, 60, "times a second"
    )

    def __post_init__(self) -> None:
        if 0 < self.max_face_height < self.min_face_height:
            raise ValueError("max_face_height must not be smaller than min_face_height, or nobody is seen")


@dataclass(frozen=True)
class ZoneConfig:
    """Where a visitor is looked at; outside it nobody is boxed, classified or counted."""

    polygon: tuple[tuple[float, float], ...] | None = schema.converted(
        "everywhere, or the zone's corners as they are on the screen, once round it: each x,y as shares of "
        "the picture's width and height from its upper left, such as 0.2,0 0.8,0 0.8,1 0.2,1; of the whole "
        "picture, also of what display.fit: cover cuts off",
        corners,
        None,
    )


@dataclass(frozen=True)
class TrackingConfig:
    """Following a visitor from look to look."""

    confirm_after: float = schema.number("a face must have been seen for this long", 0.25, 0, 5, "seconds")
    forget_after: float = schema.number("forgotten this long after the last sight", 1.5, 0.1, 30, "seconds")


@dataclass(frozen=True)
class ClassificationConfig:
    """Naming a visitor."""

    model: str = schema.text("the classifier, a path from the project's folder", "models/standin.onnx")
    device: str = schema.choice(
        "auto: the GPU where there is one; cuda; tensorrt: after kiosk bench --build-engines; cpu",
        "auto",
        ("auto", "cuda", "tensorrt", "cpu"),
    )
    margin: float = schema.number(
        "side of the square that is classified, in heights of the face", 2.4, 1, 6, "times the face"
    )
    refresh_hz: float = schema.number(
        "looks again this often; on a CPU six times a second for all visitors together",
        2,
        0.1,
        30,
        "times a second",
    )
    smoothing: float = schema.number("looks older than this hardly count any more", 1.5, 0, 30, "seconds")


@dataclass(frozen=True)
class CaptionConfig:
    """What stands on the wall, and for how long."""

    hold: float = schema.number("a label stands at least this long", 3, 0, 60, "seconds")
    reading_speed: float = schema.number(
        "and as long as its entry takes to read, twenty seconds at most; 0: no longer than hold",
        3,
        0,
        20,
        "words a second",
    )
    entries: int = schema.integer(
        "so many visitors, the nearest, get the dictionary's entry; the others the label", 3, 0, 12
    )
    scene: bool = schema.boolean("with nobody there, nor outside the zone, label the whole picture", True)
    scene_after: float = schema.number("how long nobody must have been there", 2, 0, 600, "seconds")


@dataclass(frozen=True)
class DisplayConfig:
    """The screen."""

    fit: str = schema.choice(
        "cover: fill the screen and cut what is over; contain: show all", "cover", ("cover", "contain")
    )
    mirror: bool = schema.boolean("show the picture as a mirror does", True)
    theme: str = schema.text(
        "a name of config/themes/ (roulette, dictionary, night) or the path of a file", "roulette"
    )
    accent: str | None = schema.colour("colour of boxes and plates; auto: the theme's")
    text_scale: float = schema.number(
        "size of all text; counts for nothing where the diagonal and a height are given",
        1,
        0.5,
        3,
        "times the theme's",
    )
    diagonal: float = schema.number(
        "of the screen; 0: not known, text grows with the screen", 0, 0, 1000, "inches"
    )
    letter_height: float = schema.number(
        "height of a capital letter of the entries on the wall, where the diagonal is given; "
        "0: as the viewing distance needs it",
        0,
        0,
        500,
        "mm",
    )
    viewing_distance: float = schema.number(
        "from where the entries are to be read, where the diagonal is given; 0: not known", 0, 0, 50, "m"
    )
    rotate: str = schema.choice(
        "turn all that is shown, for a screen that hangs upright, degrees clockwise",
        "0",
        ("0", "90", "180", "270"),
    )
    screen: int = schema.integer("which screen, counted from 0", 0, 0, 15)
    shift: bool = schema.boolean(
        "move what always stands in the same place by a pixel now and then, for screens that burn in", True
    )
    vsync: bool = schema.boolean("wait for the screen's own beat, where the driver can", True)


@dataclass(frozen=True)
class WallConfig:
    """The venue's own words on the wall; an empty text shows nothing."""

    language: str = schema.text(
        "de, en, es, fr, it, or the path of a file; two with a comma between them are shown in turn", "en"
    )
    turn: float = schema.number("how long each of two languages stands", 20, 5, 600, "seconds")
    warning: str = schema.text(
        "content warning; auto: the program's own, in the language of the wall", "auto", empty=True
    )
    note: str = schema.text(
        "a line of the venue's own, below what the program says of itself", "", empty=True
    )
    idle: str = schema.text(
        "shown with nobody there, where the scene is not labelled; auto: the program's own",
        "auto",
        empty=True,
    )
    attract_after: float = schema.number(
        "with nobody there for so long, words of the categories pass by slowly; 0: never",
        30,
        0,
        3600,
        "seconds",
    )

    def __post_init__(self) -> None:
        for key in ("warning", "note", "idle"):
            if len(getattr(self, key)) > LONGEST_TEXT:
                raise ValueError(
                    f"{key} must have at most {LONGEST_TEXT} letters, for the mirror to stay free"
                )


@dataclass(frozen=True)
class StaffConfig:
    """Keys for the staff, on a keyboard that visitors do not reach: F1 lists them."""

    keys: bool = schema.boolean("whether keys do anything, Escape among them", True)
    leave_after: float = schema.number("Escape leaves when it is held for so long", 2, 0, 10, "seconds")
    aim: float = schema.number(
        "after a start with a camera, its name, size and rate, boxes and scores are shown for so long",
        10,
        0,
        600,
        "seconds",
    )


@dataclass(frozen=True)
class PrivacyConfig:
    """The seal: the program gives up its right to store and to send."""

    seal: str = schema.choice(
        "required: exit where a part of the seal is missing; best-effort: go on, and the wall says so",
        "required",
        ("required", "best-effort"),
    )
