"""Still pictures: a file in, one BGR image out, upright, whole, and of a sane size."""

from __future__ import annotations

import struct
from pathlib import Path

import cv2
import numpy as np

from kiosk.errors import InputError
from kiosk.messages import Image

MAX_PIXELS = 50_000_000
# Transparent pixels carry arbitrary colours: they are shown on the grey of a gallery wall.
BACKDROP = 200


def read_picture(path: Path) -> Image:
    """(H, W, 3) uint8 BGR. EXIF orientation is applied; 16 bit, grey, alpha and CMYK are converted.

    Raises InputError: missing, no picture, truncated, or over 50 megapixels.
    """
    try:
        content = path.read_bytes()
    except OSError as error:
        raise InputError(f"{path}: cannot be read: {error.strerror}") from error
    if _is_truncated(content):
        raise InputError(f"{path}: the picture is truncated")
    raw: Image = np.frombuffer(content, np.uint8)
    try:
        decoded = cv2.imdecode(raw, cv2.IMREAD_COLOR) if content else None
    except cv2.error as error:  # OPENCV_IO_MAX_IMAGE_PIXELS, checked on the header, before memory is taken
        raise InputError(f"{path}: must be at most {MAX_PIXELS // 1_000_000} megapixels") from error
    if decoded is None:
        raise InputError(f"{path}: not a picture that OpenCV can read")
    image = np.asarray(decoded, np.uint8)
    return image if content.startswith(_JPEG) else _without_alpha(raw, image)


_JPEG, _PNG = b"\xff\xd8\xff", b"\x89PNG\r\n\x1a\n"


def _without_alpha(raw: Image, image: Image) -> Image:
    whole = cv2.imdecode(raw, cv2.IMREAD_UNCHANGED)
    if whole is None or whole.ndim != 3 or whole.shape[2] != 4 or whole.shape[:2] != image.shape[:2]:
        return image
    opaque = 65535 if whole.dtype == np.uint16 else 255
    alpha = whole[:, :, 3:].astype(np.float32) / opaque
    return np.asarray(np.round(image * alpha + BACKDROP * (1 - alpha)), np.uint8)


def _is_truncated(content: bytes) -> bool:
    """Whether a JPEG, PNG or WebP ends before its end: OpenCV fills the rest with grey and says nothing."""
    if content.startswith(_JPEG):
        return not _jpeg_ends(content)
    if content.startswith(_PNG):
        return b"IEND" not in content[-64:] and content.rfind(b"IEND\xaeB`\x82") < 0
    if content[:4] == b"RIFF" and content[8:12] == b"WEBP":
        return len(content) < 8 + int(struct.unpack("<I", content[4:8])[0])
    return False


def _jpeg_ends(content: bytes) -> bool:
    """Whether an EOI marker follows the first scan (ITU T.81, B.1.1); an EXIF thumbnail has its own."""
    at = 2
    while at + 4 <= len(content) and content[at] == 0xFF:
        marker = content[at + 1]
        if marker == 0xDA:
            return content.find(b"\xff\xd9", at) >= 0
        at += 2 + int(struct.unpack(">H", content[at + 2 : at + 4])[0])
    return False
