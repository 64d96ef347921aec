from __future__ import annotations

import numpy as np
import pytest

from kiosk.messages import Box, Frame


@pytest.mark.parametrize(
    "image", [np.zeros((4, 6), np.uint8), np.zeros((4, 6, 4), np.uint8), np.zeros((4, 6, 3), np.float32)]
)
def test_a_frame_takes_nothing_but_bgr_bytes(image: np.ndarray) -> None:
    with pytest.raises(ValueError, match=r"image must be \(H, W, 3\) uint8 BGR, got"):
        Frame(image, 0, 0.0)


def test_a_frame_is_read_only_and_its_pixels_are_in_no_message() -> None:
    frame = Frame(np.full((4, 6, 3), 77, np.uint8), 3, 1.5)
    assert frame.size_wh == (6, 4)
    assert "77" not in repr(frame)
    with pytest.raises(ValueError, match="read-only"):
        frame.image[0, 0] = 0


def test_iou_is_the_shared_part_of_the_whole() -> None:
    box = Box(0, 0, 10, 10)
    assert box.iou(box) == 1
    assert box.iou(Box(5, 0, 15, 10)) == pytest.approx(50 / 150)
    assert box.iou(Box(10, 0, 20, 10)) == 0
    assert Box(3, 3, 3, 3).iou(Box(3, 3, 3, 3)) == 0
