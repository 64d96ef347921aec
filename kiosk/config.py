"""The configuration: YAML in, frozen dataclasses out, and what its paths mean."""

from __future__ import annotations

import difflib
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from kiosk import schema
from kiosk.document import key_at
from kiosk.errors import ConfigError
from kiosk.hours import HoursConfig
from kiosk.sections import (
    CameraConfig,
    CaptionConfig,
    ClassificationConfig,
    DetectionConfig,
    DisplayConfig,
    FramingConfig,
    InferenceConfig,
    PrivacyConfig,
    StaffConfig,
    TrackingConfig,
    WallConfig,
    ZoneConfig,
)

ROOT = Path(__file__).resolve().parent.parent
DEFAULT_PATH = ROOT / "config" / "kiosk.yaml"
LEXICON_PATH = ROOT / "models" / "lexicon.json"


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
    framing: FramingConfig = schema.section(FramingConfig)
    inference: InferenceConfig = schema.section(InferenceConfig)
    detection: DetectionConfig = schema.section(DetectionConfig)
    zone: ZoneConfig = schema.section(ZoneConfig)
    tracking: TrackingConfig = schema.section(TrackingConfig)
    classification: ClassificationConfig = schema.section(ClassificationConfig)
    captions: CaptionConfig = schema.section(CaptionConfig)
    display: DisplayConfig = schema.section(DisplayConfig)
    wall: WallConfig = schema.section(WallConfig)
    staff: StaffConfig = schema.section(StaffConfig)
    hours: HoursConfig = schema.section(HoursConfig)

    def __post_init__(self) -> None:
        if self.inference.gpu == "required" and "cpu" in (self.detection.device, self.classification.device):
            raise ValueError("inference.gpu is required, but a device is cpu; change one of the two")


def redacted(source: str) -> str:
    """A source for a message: of an address scheme and host only, for the rest may hold a password.

    Where it cannot be told what is a password, not even the host.
    """
    scheme, mark, rest = source.partition("://")
    authority = re.split(r"[/?#]", rest)[0]
    if "@" in source.replace(authority, "", 1) or (not mark and "@" in source):
        return f"{scheme}://…" if mark else "…"
    return f"{scheme}://{authority.rpartition('@')[2]}" if mark else source


def names(folder: Path) -> list[str]:
    """The names of what lies in a folder, ready to be chosen: of its YAML files, without their ending."""
    return sorted(path.stem for path in folder.glob("*.yaml"))


def named(folder: Path, name_or_path: str, key: str) -> Path:
    """The file of that name in a folder; or any other, by a path, absolute or from the project's folder.

    Raises ConfigError, which says that `key`, as `document.key_at` gives it, names nothing.
    """
    # No path may hold a NUL: what opens it would raise ValueError.
    if ("/" in name_or_path or name_or_path.endswith((".yaml", ".yml"))) and "\0" not in name_or_path:
        return ROOT / name_or_path
    known = names(folder)
    if name_or_path in known:
        return folder / f"{name_or_path}.yaml"
    close = difflib.get_close_matches(name_or_path[:100].casefold(), known, n=1, cutoff=0.5)
    hint = f". Did you mean '{close[0]}'?" if close else ""
    raise ConfigError((f"{key}: must be one of {', '.join(known)} or a file, not '{name_or_path}'{hint}",))


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
        ("display", ("screen", "vsync")),
        ("hours", ("closed_screen",)),
    ):
        before, after = getattr(old, section), getattr(new, section)
        found += [f"{section}.{key}" for key in keys if getattr(before, key) != getattr(after, key)]
    return tuple(found)


def check_models(config: Config) -> None:
    """Raise ConfigError where a model's file is not there."""
    models = {"detection.model": config.detection.model, "classification.model": config.classification.model}
    missing = [
        f"{key_at(key, path)}: there is no file '{path}'"
        for key, path in models.items()
        if not _is_file(model_path(path))
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
