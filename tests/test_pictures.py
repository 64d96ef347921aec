from __future__ import annotations

import base64
import os
from pathlib import Path

import cv2
import numpy as np
import pytest

from kiosk.errors import InputError
from kiosk.vision.pictures import BACKDROP, read_picture

# 16x16, CMYK (0, 255, 255, 0): red. Made for this test.
CMYK_RED = base64.b64decode(
    "/9j/7gAOQWRvYmUAZAAAAAAA/9sAQwAbEhQXFBEbFxYXHhwbIChCKyglJShROj0wQmBVZWRfVV1baniZgWpxkHNbXYW1hpCeo6ut"
    "q2eAvMm6pseZqKuk/8AAFAgAEAAQBEMRAE0RAFkRAEsRAP/EAB8AAAEFAQEBAQEBAAAAAAAAAAABAgMEBQYHCAkKC//EALUQAAIB"
    "AwMCBAMFBQQEAAABfQECAwAEEQUSITFBBhNRYQcicRQygZGhCCNCscEVUtHwJDNicoIJChYXGBkaJSYnKCkqNDU2Nzg5OkNERUZH"
    "SElKU1RVVldYWVpjZGVmZ2hpanN0dXZ3eHl6g4SFhoeIiYqSk5SVlpeYmZqio6Slpqeoqaqys7S1tre4ubrCw8TFxsfIycrS09TV"
    "1tfY2drh4uPk5ebn6Onq8fLz9PX29/j5+v/aAA4EQwBNAFkASwAAPwDpq5muZrpqKKKKKKKKKKKK/9k="
)


def scene() -> np.ndarray:
    """(40, 60, 3), blue at the left and red at the right."""
    image = np.zeros((40, 60, 3), np.uint8)
    image[:, :30, 0] = 255
    image[:, 30:, 2] = 255
    return image


def write(path: Path, image: np.ndarray, *options: int) -> Path:
    done, encoded = cv2.imencode(path.suffix, image, options)
    assert done
    path.write_bytes(encoded.tobytes())
    return path


@pytest.mark.parametrize("suffix", [".png", ".jpg", ".webp", ".bmp", ".tif"])
def test_every_usual_format_is_read(tmp_path: Path, suffix: str) -> None:
    image = read_picture(write(tmp_path / f"scene{suffix}", scene()))
    assert image.shape == (40, 60, 3)
    assert image.dtype == np.uint8
    assert image[20, 5, 0] > 240 and image[20, 5, 2] < 15
    assert image[20, 55, 2] > 240 and image[20, 55, 0] < 15


def test_16_bit_becomes_8(tmp_path: Path) -> None:
    image = read_picture(write(tmp_path / "deep.png", scene().astype(np.uint16) * 257))
    np.testing.assert_array_equal(image, scene())


def test_grey_becomes_three_channels(tmp_path: Path) -> None:
    image = read_picture(write(tmp_path / "grey.png", np.full((40, 60), 99, np.uint8)))
    np.testing.assert_array_equal(image, np.full((40, 60, 3), 99, np.uint8))


@pytest.mark.parametrize(("suffix", "depth"), [(".png", np.uint8), (".png", np.uint16), (".webp", np.uint8)])
def test_transparency_shows_the_wall(tmp_path: Path, suffix: str, depth: type) -> None:
    opaque = np.iinfo(depth).max
    image = np.zeros((40, 60, 4), depth)
    image[:, :, 2] = opaque
    image[:, 30:, 3] = opaque
    seen = read_picture(write(tmp_path / f"cut{suffix}", image, cv2.IMWRITE_WEBP_QUALITY, 101))
    assert seen[20, 5].tolist() == [BACKDROP] * 3
    assert seen[20, 55].tolist() == [0, 0, 255]


def test_cmyk_is_converted(tmp_path: Path) -> None:
    path = tmp_path / "print.jpg"
    path.write_bytes(CMYK_RED)
    blue, green, red = read_picture(path)[8, 8]
    assert red > 240 and blue < 15 and green < 15


@pytest.mark.parametrize(
    ("orientation", "blue_side"), [(1, "left"), (3, "right"), (6, "top"), (8, "bottom"), (2, "right")]
)
def test_exif_orientation_is_honoured(tmp_path: Path, orientation: int, blue_side: str) -> None:
    path = write(tmp_path / "turned.jpg", scene())
    tiff = (
        b"MM\x00\x2a\x00\x00\x00\x08\x00\x01\x01\x12\x00\x03\x00\x00\x00\x01\x00"
        + bytes([orientation])
        + b"\x00" * 6
    )
    segment = b"Exif\x00\x00" + tiff
    jpeg = path.read_bytes()
    path.write_bytes(jpeg[:2] + b"\xff\xe1" + (len(segment) + 2).to_bytes(2, "big") + segment + jpeg[2:])
    image = read_picture(path)
    height, width = image.shape[:2]
    places = {
        "left": image[height // 2, 3],
        "right": image[height // 2, -4],
        "top": image[3, width // 2],
        "bottom": image[-4, width // 2],
    }
    assert [side for side, pixel in places.items() if pixel[0] > 240 and pixel[2] < 15] == [blue_side]


@pytest.mark.parametrize("suffix", [".png", ".jpg", ".webp", ".bmp", ".tif"])
@pytest.mark.parametrize("share", [0.4, 0.95])
def test_a_truncated_picture_is_one_line(
    tmp_path: Path, suffix: str, share: float, capfd: pytest.CaptureFixture[str]
) -> None:
    noise = np.random.default_rng(0).integers(0, 255, (80, 120, 3), np.uint8)
    path = write(tmp_path / f"cut{suffix}", noise)
    path.write_bytes(path.read_bytes()[: int(share * path.stat().st_size)])
    with pytest.raises(InputError, match=r"^[^\n]*truncated[^\n]*$"):
        read_picture(path)
    assert capfd.readouterr().err == ""


@pytest.mark.parametrize(
    "content", [b"", b"hello", b"<html></html>", b"\x89PNG\r\n\x1a\n", b"\xff\xd8\xff\xe0"]
)
def test_what_is_no_picture_is_one_line(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "notes.png"
    path.write_bytes(content)
    with pytest.raises(InputError, match=r"^[^\n]*notes\.png: [^\n]*$"):
        read_picture(path)


def test_a_missing_picture_is_one_line(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="No such file"):
        read_picture(tmp_path / "nowhere.png")


def test_a_fifo_is_refused_rather_than_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.png")
    with pytest.raises(InputError, match="must be a file"):
        read_picture(tmp_path / "pipe.png")


def test_over_50_megapixels_is_refused(tmp_path: Path) -> None:
    path = write(tmp_path / "poster.png", np.zeros((7100, 7100), np.uint8))
    with pytest.raises(InputError, match="at most 50 megapixels"):
        read_picture(path)
