"""Where camera and visitors stand: the configuration and a lens in, the figures of the hardware sheet out.

Pure geometry of a camera without distortion; nothing here was measured.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

from kiosk.commands.notice import Notice, decimal, duration
from kiosk.config import Config

FACE_HEIGHT = 0.22
"""Metres from the chin to the hair: about what the detector puts its box round."""
FOV = 78.0
"""Degrees from corner to corner: what the Logitech C920 is sold with."""
EYES, LOWEST, HIGHEST = 1.5, 1.0, 2.0
"""Metres above the floor: the camera, and the faces that are to be seen whole, of children and the tall."""
DISTANCES = (1.0, 1.5, 2.0, 3.0, 4.0, 6.0)
MOUNTS = (1.5, 1.8, 2.1, 2.4)
WORKING = 2.0
"""Metres: the middle of where visitors stand."""


@dataclass(frozen=True)
class Lens:
    """A camera's picture without distortion; `width` and `height` in pixels."""

    width: int
    height: int
    fov: float
    """Degrees, from corner to corner."""

    @property
    def focal(self) -> float:
        """Focal length in pixels: half of the diagonal over the tangent of half of the angle."""
        return math.hypot(self.width, self.height) / 2 / math.tan(math.radians(self.fov) / 2)

    def pixels(self, metres: float, distance: float) -> float:
        """How high something is in the picture; `distance` in metres."""
        return metres * self.focal / distance

    def distance(self, metres: float, pixels: float) -> float:
        """Where something of this height is so high in the picture, in metres."""
        return metres * self.focal / pixels


@dataclass(frozen=True)
class Figures:
    """What is filled in, as it is written in the language; lengths in metres unless named otherwise."""

    forgotten: str
    """With its unit."""
    contact: str
    width: str
    height: str
    """Pixels, as those of the camera."""
    fps: str
    seen_width: str
    seen_height: str
    """Pixels, of what is left after `framing`."""
    fov: str
    """Degrees."""
    focal: str
    """Pixels."""
    face: str
    min_face: str
    """Pixels."""
    farthest: str
    """Where a face is as high as the least that is looked at; rounded down."""
    nearest: str
    """From where on faces from `lowest` to `highest` are seen whole by a level camera; rounded up."""
    eyes: str
    lowest: str
    highest: str
    working: str
    distance: str = ""
    pixels: str = ""
    across: str = ""
    upright: str = ""
    """How much is in the picture at `distance`."""
    mount: str = ""
    tilt: str = ""
    """Degrees down, for a camera at the height `mount`."""
    by_distance: tuple[Figures, ...] = ()
    by_mount: tuple[Figures, ...] = ()


def figures(config: Config, texts: Notice, fov: float, contact: str) -> Figures:
    """What is filled in, as `texts` writes numbers. `fov` in degrees; an empty contact is a blank."""
    lens = Lens(config.camera.width, config.camera.height, fov)
    farthest = lens.distance(FACE_HEIGHT, config.detection.min_face_height)
    seen_wh = _seen_wh(config)
    working = min(WORKING, farthest / 2)

    def said(value: float, digits: int = 1) -> str:
        return decimal(texts, f"{value:.{digits}f}")

    figures = Figures(
        forgotten=duration(texts, config.tracking.forget_after),
        contact=contact or texts.contact,
        width=str(config.camera.width),
        height=str(config.camera.height),
        fps=str(config.camera.fps),
        seen_width=said(seen_wh[0], 0),
        seen_height=said(seen_wh[1], 0),
        fov=decimal(texts, f"{fov:g}"),
        focal=said(lens.focal, 0),
        face=said(FACE_HEIGHT, 2),
        min_face=str(config.detection.min_face_height),
        farthest=said(math.floor(10 * farthest) / 10),
        nearest=said(math.ceil(10 * lens.distance(HIGHEST - LOWEST, seen_wh[1])) / 10),
        eyes=said(EYES),
        lowest=said(LOWEST),
        highest=said(HIGHEST),
        working=said(working),
    )
    distances = [distance for distance in DISTANCES if distance < farthest] or [farthest]
    return replace(
        figures,
        by_distance=tuple(
            replace(
                figures,
                distance=said(distance),
                pixels=said(lens.pixels(FACE_HEIGHT, distance), 0),
                across=said(distance * seen_wh[0] / lens.focal),
                upright=said(distance * seen_wh[1] / lens.focal),
            )
            for distance in distances
        ),
        by_mount=tuple(
            replace(figures, mount=said(mount), tilt=said(math.degrees(math.atan2(mount - EYES, working)), 0))
            for mount in MOUNTS
        ),
    )


def _seen_wh(config: Config) -> tuple[float, float]:
    """Pixels of the camera that are left: turned and cut, but not enlarged."""
    width, height = config.camera.width / config.framing.zoom, config.camera.height / config.framing.zoom
    return (height, width) if config.framing.rotate in ("90", "270") else (width, height)
