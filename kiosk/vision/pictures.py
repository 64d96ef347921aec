"""Still pictures: a file in, one BGR image out, upright, whole, and of a sane size."""

from __future__ import annotations

from pathlib import Path

import cv2
import numpy as np

from kiosk.errors import InputError
from kiosk.messages import Image

MAX_PIXELS = 50_000_000
# Transparent pixels carry arbitrary colours: they are shown on the grey of a gallery wall.
BACKDROP = 200
_PNG, _PNG_END, _WEBP = b"\x89PNG\r\n\x1a\n", b"IEND\xaeB`\x82", b"RIFF"


def read_picture(path: Path) -> Image:
    """(H, W, 3) uint8 BGR. EXIF orientation is applied; 16 bit, grey, alpha and CMYK are converted.

    Raises InputError: missing, no picture, truncated, or over 50 megapixels.
    """
    try:
        if path.exists() and not path.is_file():  # a device or a FIFO may have no end
            raise InputError(f"{path}: must be a file")
        content = path.read_bytes()
    except OSError as error:
        raise InputError(f"{path}: cannot be read: {error.strerror}") from error
    # OpenCV refuses every truncated picture; only libpng prints a line of its own.
    if content.startswith(_PNG) and _PNG_END not in content:
        raise InputError(f"{path}: the picture is truncated")
    raw: Image = np.frombuffer(content, np.uint8)
    try:
        decoded = cv2.imdecode(raw, cv2.IMREAD_COLOR) if content else None
    except cv2.error as error:
        # OPENCV_IO_MAX_IMAGE_PIXELS is checked on the header, before memory is taken.
        if "MAX_IMAGE" in error.err:
            raise InputError(f"{path}: must be at most {MAX_PIXELS // 1_000_000} megapixels") from error
        decoded = None
    if decoded is None:
        raise InputError(f"{path}: not a picture that OpenCV can read, or a truncated one")
    image = np.asarray(decoded, np.uint8)
    return _without_alpha(raw, image) if content.startswith((_PNG, _WEBP)) else image


def _without_alpha(raw: Image, image: Image) -> Image:
    whole = cv2.imdecode(raw, cv2.IMREAD_UNCHANGED)
    if whole is None or whole.ndim != 3 or whole.shape[2] != 4 or whole.shape[:2] != image.shape[:2]:
        return image
    opaque = 65535 if whole.dtype == np.uint16 else 255
    alpha = whole[:, :, 3:].astype(np.float32) / opaque
    return np.asarray(np.round(image * alpha + BACKDROP * (1 - alpha)), np.uint8)
