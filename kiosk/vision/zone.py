"""Who may be looked at: a face in, and why not out, by its place in the picture and by its height. Pure.

The zone is where a visitor consents by standing there. Whoever stays outside it is not boxed, not followed,
not classified and not counted.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import cv2
import numpy as np

from kiosk.messages import Box, Face, Sighting
from kiosk.polygon import Polygon
from kiosk.sections import DetectionConfig, ZoneConfig


@dataclass(frozen=True)
class Zone:
    """A part of the picture and a range of distances; by default everywhere."""

    polygon: Polygon | None = None
    """As it is seen on the screen, in shares of the whole framed picture; None: everywhere."""
    mirrored: bool = False
    """Whether the screen shows the picture mirrored, as a frame and its boxes never are."""
    smallest: float = 0.0
    """Height of a face, pixels of the frame: whose is smaller stands too far away."""
    largest: float = math.inf
    """Whose is larger stands too near."""

    @classmethod
    def of(cls, zone: ZoneConfig, detection: DetectionConfig, *, mirrored: bool) -> Zone:
        """The zone of a configuration."""
        largest = detection.max_face_height or math.inf
        return cls(zone.polygon, mirrored, detection.min_face_height, largest)

    def sightings(self, faces: tuple[Face, ...], size_wh: tuple[int, int]) -> tuple[Sighting, ...]:
        """Each face of a frame of this size, in their order, and why it is not to be looked at."""
        return tuple(Sighting(face.box, face.score, self.why_not(face.box, size_wh)) for face in faces)

    def why_not(self, box: Box, size_wh: tuple[int, int]) -> str:
        """Why a face is outside; "" for one inside. Its centre decides; borders belong to the zone."""
        if box.height < self.smallest:
            return "too small"
        if box.height > self.largest:
            return "too large"
        if self.polygon is None:
            return ""
        x, y = box.centre
        outline = np.array(self.polygon, np.float32) * np.array(size_wh, np.float32)
        is_inside = cv2.pointPolygonTest(outline, (size_wh[0] - x if self.mirrored else x, y), False) >= 0
        return "" if is_inside else "outside the zone"
