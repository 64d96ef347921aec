"""Faces in a frame: letterbox, CenterFace, decode, NMS. In: a `Frame`. Out: its `Face`s, best first.

CenterFace: Xu et al., "CenterFace: Joint Face Detection and Alignment Using Face as Point", 2019
(arXiv:1911.03599). The network looks at a picture of one fixed size and answers on a grid of cells, four
pixels each: how surely a face is centred in the cell, the logarithm of its size, and where in the cell.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import cv2
import numpy as np
import numpy.typing as npt

from kiosk.config import model_path
from kiosk.errors import ModelError
from kiosk.manifest import load_model
from kiosk.messages import Box, Face, Frame, Image
from kiosk.sections import DetectionConfig, InferenceConfig
from kiosk.vision.inference import Session

Array = npt.NDArray[Any]
Boxes = npt.NDArray[np.float64]
"""(N, 4) x0, y0, x1, y1."""

DEFAULT_INPUT_WH = {"cuda": (640, 384), "cpu": (384, 224)}
"""What the network looks at where `detection.input` is auto, by device; pixels."""
ANSWERS = ("heatmap", "scale", "offset")
STRIDE = 4
"""Pixels of the network's picture in a cell of its answer."""
MAX_IOU = 0.3
"""Of two boxes that overlap by this or more only the surer one stays."""
MAX_CANDIDATES = 1000
"""Only the best cells go into NMS: a network gone wild must not take the kiosk's memory and time."""
MAX_LOG_SIZE = 16.0
"""Larger answers are cut: e^16 cells are wider than any picture, and the exponential must stay finite."""


@dataclass(frozen=True, eq=False)
class Answer:
    """What the network says of one picture; finite."""

    heatmap: Array
    """(1, 1, h, w) 0-1: how surely a face is centred in the cell."""
    scale: Array
    """(1, 2, h, w): logarithm of the face's height and width in cells."""
    offset: Array
    """(1, 2, h, w): centre of the face from the centre of its cell, y and x, in cells."""


class FaceDetector:
    """Finds faces. For one thread: the picture for the network is written into one buffer."""

    def __init__(self, session: Session, config: DetectionConfig) -> None:
        """Raises ModelError where the network's input or outputs are not CenterFace's.

        The network takes one input (1, height, width, 3) uint8 BGR and gives the fields of `Answer` by name.
        """
        self.session = session
        self._config = config
        self.input_wh = config.input or DEFAULT_INPUT_WH[session.device]
        """Size of the picture that the network looks at, pixels."""
        _check_input(session, self.input_wh)
        missing = [name for name in ANSWERS if name not in session.outputs]
        if missing:
            raise ModelError(
                f"{session.name}: must have the outputs {', '.join(ANSWERS)}, "
                f"but has {', '.join(session.outputs)}"
            )
        self._letterbox = Letterbox(self.input_wh)

    @classmethod
    def open(cls, config: DetectionConfig, inference: InferenceConfig) -> FaceDetector:
        """The detector that the configuration names, its digest checked.

        Raises ModelError, and InferenceError where the GPU is required and not there.
        """
        model = load_model(model_path(config.model))
        return cls(Session(model.content, model.name, config.device, inference), config)

    def change(self, config: DetectionConfig) -> None:
        """Go on with another `min_score`; model, device and input stay as they were opened."""
        self._config = config

    def __call__(self, frame: Frame) -> tuple[Face, ...]:
        """All faces, surest first; boxes in pixels of the frame and inside it. Raises InferenceError."""
        picture = self._letterbox(frame.image)
        boxes, scores = decode(
            self._run(picture), self._config.min_score, self._letterbox.zoom_xy, frame.size_wh
        )
        kept = suppress(boxes, MAX_IOU)
        return tuple(
            Face(Box(*box), score)
            for box, score in zip(boxes[kept].tolist(), scores[kept].tolist(), strict=True)
        )

    def warm_up(self) -> None:
        """Run three times on black, so that no visitor waits for the first runs of a GPU."""
        width, height = self.input_wh
        for _ in range(3):
            self._run(np.zeros((height, width, 3), np.uint8))

    def _run(self, picture: Image) -> Answer:
        outputs = dict(zip(self.session.outputs, self.session.run(picture[None]), strict=True))
        return Answer(**{name: outputs[name] for name in ANSWERS})


class Letterbox:
    """Pictures of any size on a canvas of one size: aspect kept, at the top left, black beside it."""

    def __init__(self, size_wh: tuple[int, int]) -> None:
        self._canvas: Image = np.zeros((size_wh[1], size_wh[0], 3), np.uint8)
        self._fitted_wh = (0, 0)
        self.zoom_xy = (1.0, 1.0)
        """Pixels of the last picture in one of the canvas; x and y differ by the rounding to whole pixels."""

    def __call__(self, image: Image) -> Image:
        """(H, W, 3) uint8 onto the canvas, which is overwritten by the next call."""
        canvas_height, canvas_width = self._canvas.shape[:2]
        height, width = image.shape[:2]
        scale = min(canvas_width / width, canvas_height / height)
        fitted_wh = max(1, round(width * scale)), max(1, round(height * scale))
        if fitted_wh != self._fitted_wh:
            self._canvas.fill(0)
            self._fitted_wh = fitted_wh
        # Area averaging finds no more faces and steadies boxes by about a hundredth of the face's height, for
        # 5 ms a frame at 1280x720 against 0.3: a third of what the network itself takes.
        cv2.resize(
            image,
            fitted_wh,
            dst=self._canvas[: fitted_wh[1], : fitted_wh[0]],
            interpolation=cv2.INTER_LINEAR,
        )
        self.zoom_xy = width / fitted_wh[0], height / fitted_wh[1]
        return self._canvas


def decode(
    answer: Answer, min_score: float, zoom_xy: tuple[float, float], frame_wh: tuple[int, int]
) -> tuple[Boxes, npt.NDArray[np.float64]]:
    """Boxes in pixels of the frame, cut at its edges, and their scores, best first.

    `zoom_xy` is pixels of the frame in one of the network's picture. Boxes with nothing inside the frame are
    left out. Unlike in the authors' code, a face that the left or the upper edge cuts keeps its other edge
    where it is.
    """
    heatmap = answer.heatmap[0, 0]
    rows, columns = np.nonzero(heatmap >= np.float64(min_score))
    scores = heatmap[rows, columns].astype(np.float64)
    best = np.argsort(-scores, kind="stable")[:MAX_CANDIDATES]
    rows, columns, scores = rows[best], columns[best], scores[best]
    cell_yx = np.stack((rows, columns))
    centre_yx = (cell_yx + answer.offset[0][:, rows, columns].astype(np.float64) + 0.5) * STRIDE
    log_size = answer.scale[0][:, rows, columns].astype(np.float64)
    half_yx = np.exp(np.minimum(log_size, MAX_LOG_SIZE)) * (STRIDE / 2)
    corners = np.concatenate((centre_yx - half_yx, centre_yx + half_yx))[[1, 0, 3, 2]].T
    boxes = np.clip(corners * (zoom_xy * 2), 0, frame_wh * 2)
    inside = np.all(boxes[:, 2:] > boxes[:, :2], axis=1)
    return boxes[inside], scores[inside]


def suppress(boxes: Boxes, max_iou: float) -> npt.NDArray[np.intp]:
    """Greedy non-maximum suppression: indices of the boxes that stay, in order.

    `boxes` all have an area and are sorted by score, best first. Each drops the later ones that overlap it by
    `max_iou` or more; the loop runs once for every box that stays.
    """
    areas = (boxes[:, 2] - boxes[:, 0]) * (boxes[:, 3] - boxes[:, 1])
    kept: list[np.intp] = []
    rest = np.arange(len(boxes))
    while rest.size:
        best, rest = rest[0], rest[1:]
        kept.append(best)
        low = np.maximum(boxes[best, :2], boxes[rest, :2])
        high = np.minimum(boxes[best, 2:], boxes[rest, 2:])
        shared = np.prod(np.maximum(high - low, 0), axis=1)
        rest = rest[shared < max_iou * (areas[best] + areas[rest] - shared)]
    return np.array(kept, dtype=np.intp)


def _check_input(session: Session, size_wh: tuple[int, int]) -> None:
    wanted = (1, size_wh[1], size_wh[0], 3)
    shape = session.input.shape
    # A free axis is a name or None.
    fits = len(shape) == 4 and all(
        have == want or not isinstance(have, int) for have, want in zip(shape, wanted, strict=True)
    )
    if not fits or session.input.type != "tensor(uint8)":
        raise ModelError(
            f"{session.name}: must take uint8 pictures {wanted}, "
            f"not {session.input.type} ({', '.join(map(str, shape))})"
        )
