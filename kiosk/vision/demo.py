"""A number in, a frame of the demo out: real faces that walk through a gallery. Pure in (seed, number).

What stands in for a camera where there is none, and what tests look at: people come, stand, turn and go
before a plain wall, behind the ledge of the installation, at 1280 by 720 and 30 frames a second.
"""

from __future__ import annotations

from pathlib import Path

import cv2
import numpy as np

from kiosk.messages import Box, Image
from kiosk.vision.cutout import Cutout
from kiosk.vision.visits import PASSERSBY, STAGE_WH, Pose, poses

PORTRAITS = Path(__file__).resolve().parents[2] / "models" / "portraits"

# Where the wall meets the floor, and where the ledge hides the rest: parts of the height.
FLOOR_LINE = 598 / 720
LEDGE_TOP = 632 / 720
LEDGE_FRONT = 646 / 720
# The noise is wider and higher than the picture by this much, and shifted from frame to frame.
NOISE_SPARE = 64
# Noise is added, never taken away, so that one saturating addition does it: it lifts black by its mean.
NOISE_MEAN, NOISE_SIGMA = 8.0, 2.4
HIDDEN_FROM = 0.02
"""A face of which this much is covered no longer counts as in view."""


class Demo:
    """Footage without end, made on the fly."""

    def __init__(
        self,
        seed: int = 2019,
        size_wh: tuple[int, int] = STAGE_WH,
        fps: float = 30.0,
        portraits: Path = PORTRAITS,
    ) -> None:
        """Raises ModelError where a portrait is missing."""
        self.seed = seed
        self.size_wh = size_wh
        self.fps = fps
        self._cutouts = {person: Cutout.load(person, portraits) for person in PASSERSBY}
        self._room = room(size_wh)
        self._ledge_y = round(LEDGE_TOP * size_wh[1])
        self._noise = noise(seed, size_wh)

    def render(self, index: int) -> Image:
        """(H, W, 3) uint8, BGR: frame `index`, the same bytes whatever was asked for before."""
        image = self._room.copy()
        above_ledge = image[: self._ledge_y]
        for pose in self.poses(index):
            self._cutouts[pose.person].paint(above_ledge, pose, self.size_wh)
        # Steps without a common factor with the spare: no two frames in a row have the same grain.
        x, y = (index * 37) % NOISE_SPARE, (index * 23) % NOISE_SPARE
        grain = self._noise[y : y + self.size_wh[1], x : x + self.size_wh[0]]
        return np.asarray(cv2.add(image, grain, dst=image), np.uint8)

    def poses(self, index: int) -> tuple[Pose, ...]:
        """Everybody who is in the room or on the way, the farthest first."""
        return poses(self.seed, index / self.fps)

    def face_box(self, pose: Pose) -> Box:
        """The true box of a face, pixels of the frame; it may lie outside or behind somebody."""
        return self._cutouts[pose.person].face_box(pose, self.size_wh)

    def in_view(self, pose: Pose, all_poses: tuple[Pose, ...]) -> bool:
        """Whether the face lies within the frame and nobody stands before it."""
        box = self.face_box(pose)
        if box.x0 < 0 or box.y0 < 0 or box.x1 > self.size_wh[0] or box.y1 > self._ledge_y:
            return False
        nearer = all_poses[all_poses.index(pose) + 1 :]
        covered = (self._cutouts[other.person].coverage(box, other, self.size_wh) for other in nearer)
        return all(part < HIDDEN_FROM for part in covered)

    def visitors(self, index: int) -> tuple[Box, ...]:
        """The true boxes of the faces that are fully in view and not occluded, the farthest first."""
        present = self.poses(index)
        return tuple(self.face_box(pose) for pose in present if self.in_view(pose, present))


def room(size_wh: tuple[int, int]) -> Image:
    """(H, W, 3) uint8, BGR: a lit wall, a strip of floor, and the ledge in the foreground."""
    width, height = size_wh
    x = np.linspace(0, 1, width, dtype=np.float32)[None, :]
    y = np.linspace(0, 1, height, dtype=np.float32)[:, None]
    # Two spotlights on the ceiling wash the wall; the corners fall off.
    wash = sum(np.exp(-(((x - centre) / 0.27) ** 2) - ((y - 0.22) / 0.42) ** 2) for centre in (0.3, 0.72))
    light = 0.70 + 0.17 * wash - 0.16 * (x - 0.5) ** 2
    wall = light[:, :, None] * np.array((214, 224, 230), np.float32)
    floor = (0.46 + 0.3 * (y - FLOOR_LINE) + 0.05 * wash)[:, :, None] * np.array((196, 206, 214), np.float32)
    skirting = np.abs(y - FLOOR_LINE) < 2 / 720
    image = np.where((y < FLOOR_LINE)[:, :, None], wall, floor)
    image = np.where(skirting[:, :, None], image * 0.72, image)
    top = np.broadcast_to(np.array((208, 216, 222), np.float32), image.shape)
    shadow = 1 - 0.25 * np.exp(-(y - LEDGE_FRONT) * 90)
    front = ((0.80 - 0.5 * (y - LEDGE_FRONT)) * shadow)[:, :, None] * np.array((204, 212, 218), np.float32)
    image = np.where((y >= LEDGE_TOP)[:, :, None], top * (0.94 + 0.06 * light[:, :, None]), image)
    image = np.where((y >= LEDGE_FRONT)[:, :, None], front, image)
    # Edges as soft as a lens draws them.
    return np.asarray(cv2.GaussianBlur(np.clip(image, 0, 247).astype(np.uint8), (0, 0), 0.8), np.uint8)


def noise(seed: int, size_wh: tuple[int, int]) -> Image:
    """Sensor noise, larger than the picture by NOISE_SPARE each way: mostly brightness, some colour."""
    draw = np.random.default_rng(seed)
    shape = (size_wh[1] + NOISE_SPARE, size_wh[0] + NOISE_SPARE)
    grey = draw.standard_normal((*shape, 1), np.float32)
    colour = draw.standard_normal((*shape, 3), np.float32)
    grain = NOISE_MEAN + NOISE_SIGMA * (0.8 * grey + 0.6 * colour)
    return np.asarray(np.clip(np.rint(grain), 0, 2 * NOISE_MEAN), np.uint8)
