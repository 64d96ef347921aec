"""The configuration: every key with its default, its limits and its help. YAML in, frozen dataclasses out."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from kiosk import schema
from kiosk.errors import ConfigError

ROOT = Path(__file__).resolve().parent.parent
DEFAULT_PATH = ROOT / "config" / "kiosk.yaml"
LEXICON_PATH = ROOT / "models" / "lexicon.json"


@dataclass(frozen=True)
class CameraConfig:
    """What is asked of the camera; what it really gives is measured."""

    width: int = schema.integer("width asked of the camera", 1280, 160, 7680, "pixels")
    height: int = schema.integer("height asked of the camera", 720, 120, 4320, "pixels")
    fps: int = schema.integer("frame rate asked of the camera", 30, 1, 240, "frames a second")


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
    max_rate: float = schema.number("looks at most this often", 15, 1, 60, "times a second")


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
    refresh_hz: float = schema.number("looks again this often", 2, 0.1, 30, "times a second")
    smoothing: float = schema.number("looks older than this hardly count any more", 1.5, 0, 30, "seconds")


@dataclass(frozen=True)
class CaptionConfig:
    """What stands on the wall, and for how long."""

    hold: float = schema.number("a label stands at least this long", 3, 0, 60, "seconds")
    scene: bool = schema.boolean("with nobody there, label the whole picture", True)
    scene_after: float = schema.number("how long nobody must have been there", 2, 0, 600, "seconds")


@dataclass(frozen=True)
class DisplayConfig:
    """The screen."""

    fit: str = schema.choice(
        "cover: fill the screen and cut what is over; contain: show all", "cover", ("cover", "contain")
    )
    mirror: bool = schema.boolean("show the picture as a mirror does", True)
    accent: str = schema.colour("colour of boxes and plates", "#39ff14")
    text_scale: float = schema.number("size of all text", 1, 0.5, 3, "times the default")


@dataclass(frozen=True)
class WallConfig:
    """The venue's own words on the wall; an empty text shows nothing."""

    warning: str = schema.text(
        "content warning",
        "These words come from ImageNet, a data set that has trained machines to see since 2009. "
        "Many are racist, misogynistic or cruel. They say nothing about you: "
        "they show how a data set sorted people.",
        empty=True,
    )
    note: str = schema.text(
        "a line of the venue's own, below what the program says of itself", "", empty=True
    )
    idle: str = schema.text(
        "shown with nobody there, where the scene is not labelled", "Step in front.", empty=True
    )


@dataclass(frozen=True)
class PrivacyConfig:
    """The seal: the program gives up its right to store and to send."""

    seal: str = schema.choice(
        "required: exit where a part of the seal is missing; best-effort: go on, and the wall says so",
        "required",
        ("required", "best-effort"),
    )


@dataclass(frozen=True)
class Config:
    """The whole file."""

    source: str = schema.text(
        "auto, demo, a camera number, /dev/v4l/by-id/..., a stream's URL, a video file, a picture", "auto"
    )
    policy: str | schema.Inline = schema.text_or_section(
        "which words may be shown: a name of config/policies/ (as-2019, no-slurs, ...), the path of a file, "
        "or such a file's lines, indented, here",
        "as-2019",
    )
    privacy: PrivacyConfig = schema.section(PrivacyConfig)
    camera: CameraConfig = schema.section(CameraConfig)
    inference: InferenceConfig = schema.section(InferenceConfig)
    detection: DetectionConfig = schema.section(DetectionConfig)
    tracking: TrackingConfig = schema.section(TrackingConfig)
    classification: ClassificationConfig = schema.section(ClassificationConfig)
    captions: CaptionConfig = schema.section(CaptionConfig)
    display: DisplayConfig = schema.section(DisplayConfig)
    wall: WallConfig = schema.section(WallConfig)

    def __post_init__(self) -> None:
        if self.inference.gpu == "required" and "cpu" in (self.detection.device, self.classification.device):
            raise ValueError("inference.gpu is required, but a device is cpu; change one of the two")


def redacted(source: str) -> str:
    """A source for a message: of an address scheme and host only, for the rest may hold a password."""
    scheme, mark, rest = source.partition("://")
    if not mark:
        return source
    host = re.split(r"[/?#]", rest.partition("?")[0].rpartition("@")[2])[0]
    return f"{scheme}://{host}"


def load(path: Path = DEFAULT_PATH, overrides: Sequence[str] = ()) -> Config:
    """Read a configuration; `overrides` are "section.key=value". Raises ConfigError."""
    return schema.load(path, Config, overrides)


def only_at_start(old: Config, new: Config) -> tuple[str, ...]:
    """The keys that differ and are read only when the piece starts: what opens devices and networks."""
    whole = ("source", "privacy", "camera", "inference")
    found = [key for key in whole if getattr(old, key) != getattr(new, key)]
    for section, keys in (
        ("detection", ("model", "device", "input")),
        ("classification", ("model", "device")),
    ):
        before, after = getattr(old, section), getattr(new, section)
        found += [f"{section}.{key}" for key in keys if getattr(before, key) != getattr(after, key)]
    return tuple(found)


def check_models(config: Config) -> None:
    """Raise ConfigError where a model's file is not there."""
    models = {"detection.model": config.detection.model, "classification.model": config.classification.model}
    missing = [
        f"{key}: there is no file '{path}'" for key, path in models.items() if not _is_file(model_path(path))
    ]
    if missing:
        raise ConfigError(tuple(missing))


def _is_file(path: Path) -> bool:
    try:
        return path.is_file()
    except OSError:  # a name that is too long, a folder that may not be entered
        return False


def model_path(path: str) -> Path:
    """A model's path as it is written in the configuration: absolute, or from the project's folder."""
    return ROOT / path
