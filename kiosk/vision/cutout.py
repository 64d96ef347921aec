"""A portrait and its matte in; the person, turned and sized, painted into a picture. Pure once loaded."""

from __future__ import annotations

import math
from pathlib import Path

import cv2
import numpy as np
import numpy.typing as npt

from kiosk.errors import ModelError
from kiosk.messages import Box, Image
from kiosk.vision.visits import STAGE_WH, Passerby, Pose

Homography = npt.NDArray[np.float64]

# Sizes of the portrait kept ready, smallest first: a bilinear warp that shrinks further would shimmer.
LEVELS = (0.7, 1.0)
# Distance of the eye from a turned portrait, in face heights: strong enough to be seen, too weak to distort.
EYE_DISTANCE = 9.0
# A repeated hem ends this far below the picture's own lower edge, in rows.
HEM_LENGTH = 140


class Cutout:
    """One passer-by as a flat figure that can turn."""

    def __init__(self, person: Passerby, picture: Image, matte: Image) -> None:
        """`picture` is (H, W, 3) BGR, `matte` (H, W), 255 where the person is."""
        self.person = person
        figure = lengthen(shade(picture, matte, person.face), person.hem_rows)
        self._levels = tuple(
            (scale, cv2.resize(figure, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA))
            for scale in LEVELS
        )
        height, width = figure.shape[:2]
        self.outline = Box(0, 0, width, height)
        """The whole figure, pixels of the portrait; lower than the portrait where the hem was lengthened."""

    @classmethod
    def load(cls, person: Passerby, folder: Path) -> Cutout:
        """Raises ModelError where the portrait or its matte is missing or does not fit."""
        path = folder / person.picture
        matte_path = path.with_name(f"{path.stem}.matte.png")
        picture = read_image(path, cv2.IMREAD_COLOR)
        matte = read_image(matte_path, cv2.IMREAD_GRAYSCALE)
        if matte.shape != picture.shape[:2]:
            raise ModelError(
                f"{matte_path}: must be as large as {path.name}, {picture.shape[:2]}, got {matte.shape}"
            )
        return cls(person, picture, matte)

    def face_box(self, pose: Pose, size_wh: tuple[int, int]) -> Box:
        """The face in a picture of `size_wh`; may lie outside of it."""
        return project(self.person.face, homography(pose, size_wh))

    def coverage(self, box: Box, pose: Pose, size_wh: tuple[int, int]) -> float:
        """How much of `box`, pixels of the picture, this person hides: 0-1."""
        area = whole_pixels(box, size_wh)
        if area is None:
            return 0.0
        x0, y0, x1, y1 = area
        return float(self._warp(pose, size_wh, (x0, y0), (x1 - x0, y1 - y0))[:, :, 3].mean()) / 255

    def paint(self, image: Image, pose: Pose, size_wh: tuple[int, int]) -> None:
        """Draw the person over `image`, in place: (h, W, 3) BGR, the upper rows of a picture of `size_wh`."""
        area = whole_pixels(project(self.outline, homography(pose, size_wh)), (size_wh[0], image.shape[0]))
        if area is None:
            return
        x0, y0, x1, y1 = area
        figure = self._warp(pose, size_wh, (x0, y0), (x1 - x0, y1 - y0))
        see_through = cv2.cvtColor(cv2.bitwise_not(figure[:, :, 3]), cv2.COLOR_GRAY2BGR)
        region = image[y0:y1, x0:x1]
        behind = cv2.multiply(region, see_through, scale=1 / 255)
        cv2.add(behind, cv2.cvtColor(figure, cv2.COLOR_BGRA2BGR), dst=region)

    def _warp(
        self, pose: Pose, size_wh: tuple[int, int], origin_xy: tuple[int, int], area_wh: tuple[int, int]
    ) -> Image:
        """(h, w, 4) uint8, premultiplied BGRA: the part of the picture at `origin_xy`."""
        whole = homography(pose, size_wh)
        wanted = pose.face_px / self.person.face.height * size_wh[1] / STAGE_WH[1]
        scale, level = next((pair for pair in self._levels if pair[0] >= wanted), self._levels[-1])
        to_area = translation(-origin_xy[0], -origin_xy[1]) @ whole @ np.diag((1 / scale, 1 / scale, 1))
        return np.asarray(cv2.warpPerspective(level, to_area, area_wh, flags=cv2.INTER_LINEAR), np.uint8)


def homography(pose: Pose, size_wh: tuple[int, int]) -> Homography:
    """Pixels of the portrait to pixels of a picture of `size_wh`.

    The portrait is a plane that turns about the vertical axis through the middle of the face.
    """
    face = pose.person.face
    face_x, face_y = face.centre
    to_face_heights = np.diag((1 / face.height, 1 / face.height, 1)) @ translation(-face_x, -face_y)
    turned = np.array(
        ((math.cos(pose.turn), 0, 0), (0, 1, 0), (math.sin(pose.turn) / EYE_DISTANCE, 0, 1)), np.float64
    )
    cos, sin = math.cos(pose.tilt) * pose.face_px, math.sin(pose.tilt) * pose.face_px
    on_stage = np.array(((cos, -sin, pose.x), (sin, cos, pose.y), (0, 0, 1)), np.float64)
    to_picture = np.diag((size_wh[0] / STAGE_WH[0], size_wh[1] / STAGE_WH[1], 1))
    matrix: Homography = to_picture @ on_stage @ turned @ to_face_heights
    return matrix


def translation(x: float, y: float) -> Homography:
    """A shift by (x, y) pixels."""
    return np.array(((1, 0, x), (0, 1, y), (0, 0, 1)), np.float64)


def project(box: Box, matrix: Homography) -> Box:
    """The smallest upright box round the projected one."""
    corners = np.array(((box.x0, box.y0, 1), (box.x1, box.y0, 1), (box.x1, box.y1, 1), (box.x0, box.y1, 1)))
    x, y, depth = matrix @ corners.T
    x, y = x / depth, y / depth
    return Box(float(x.min()), float(y.min()), float(x.max()), float(y.max()))


def whole_pixels(box: Box, size_wh: tuple[int, int]) -> tuple[int, int, int, int] | None:
    """x0, y0, x1, y1 of the pixels that the box touches inside the picture; None where there are none."""
    x0, y0 = max(0, math.floor(box.x0)), max(0, math.floor(box.y0))
    x1, y1 = min(size_wh[0], math.ceil(box.x1)), min(size_wh[1], math.ceil(box.y1))
    return (x0, y0, x1, y1) if x0 < x1 and y0 < y1 else None


def shade(picture: Image, matte: Image, face: Box) -> Image:
    """(H, W, 4) uint8, premultiplied BGRA, darker from the chest down: the room is lit from above."""
    rows = np.arange(picture.shape[0], dtype=np.float32)[:, None, None]
    light = 1 - 0.3 * np.clip((rows - face.y1) / (3 * face.height), 0, 1)
    alpha = matte[:, :, None].astype(np.float32) / 255
    return np.concatenate((np.rint(picture * light * alpha), matte[:, :, None]), axis=2).astype(np.uint8)


def lengthen(figure: Image, hem_rows: tuple[int, int] | None) -> Image:
    """Repeat the hem downwards, there and back: it has no edge that would show."""
    if hem_rows is None:
        return figure
    top, bottom = hem_rows
    longer = np.pad(
        figure[top:bottom], ((0, figure.shape[0] - bottom + HEM_LENGTH), (0, 0), (0, 0)), "symmetric"
    )
    return np.concatenate((figure[:top], longer))


def read_image(path: Path, flags: int) -> Image:
    """Raises ModelError in one line where the file is missing or no picture."""
    try:
        data = np.frombuffer(path.read_bytes(), np.uint8)
    except OSError as error:
        raise ModelError(
            f"{path}: the demo needs this portrait, and it cannot be read: {error.strerror}"
        ) from None
    image = cv2.imdecode(data, flags) if data.size else None
    if image is None:
        raise ModelError(f"{path}: the demo needs this portrait, and it is no picture")
    return np.asarray(image, np.uint8)
