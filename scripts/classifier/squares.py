"""Pictures in, squares for a classifier out: (N, 224, 224, 3) uint8 RGB.

The drawn ones are the same on every machine; a folder's are cut as the kiosk cuts a whole picture.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

import cv2
import numpy as np
import numpy.typing as npt
from tqdm import tqdm

from kiosk.config import ROOT
from kiosk.vision.classify import SIDE

Image = npt.NDArray[np.uint8]
PORTRAITS = tuple(ROOT / "models" / "portraits" / name for name in ("astronaut.png", "grace_hopper.jpg"))
CALIBRATED_MAX = 128
EVALUATED = 96
SEPARATE_FROM = 16
"""With fewer pictures than this, those that calibrate are those that are evaluated, in other crops."""


@dataclass(frozen=True)
class Folder:
    """The pictures of a folder, in an order by chance that is the same each time."""

    calibrating: tuple[Path, ...]
    evaluated: tuple[Path, ...]

    @classmethod
    def open(cls, path: Path) -> Folder:
        """Exits where there is no picture at all."""
        if not path.is_dir():
            raise SystemExit(
                f"{path}: must be a folder of pictures, found {'a file' if path.exists() else 'none'}"
            )
        files = [
            file for file in sorted(path.rglob("*")) if file.is_file() and cv2.haveImageReader(str(file))
        ]
        if not files:
            raise SystemExit(f"{path}: must be a folder of pictures, found none in it")
        files = [files[at] for at in np.random.default_rng(0).permutation(len(files))]
        if len(files) < SEPARATE_FROM:
            return cls(tuple(files), tuple(files))
        half = min(len(files) // 2, CALIBRATED_MAX)
        return cls(tuple(files[:half]), tuple(files[half : half + EVALUATED]))

    def calibration_squares(self) -> Iterator[Image]:
        """(224, 224, 3) each: the middle of each picture that calibrates."""
        for picture in _read(tqdm(self.calibrating, "calibrating", disable=None, leave=False)):
            yield whole_square(picture)

    def evaluation_squares(self) -> Image:
        """(96, 224, 224, 3): crops by chance, as many of each picture."""
        random = np.random.default_rng(1)
        pictures = list(_read(self.evaluated))
        if not pictures:
            raise SystemExit("none of the folder's pictures can be read")
        return np.stack([random_square(pictures[at % len(pictures)], random) for at in range(EVALUATED)])


def drawn_squares(count: int) -> Image:
    """(count, 224, 224, 3): the two portraits, then crops of them and of drawn shapes in turn."""
    random = np.random.default_rng(2)
    portraits = list(_read(PORTRAITS))
    if len(portraits) < len(PORTRAITS):
        raise SystemExit(f"{PORTRAITS[0].parent}: must hold {' and '.join(path.name for path in PORTRAITS)}")
    squares = [whole_square(portrait) for portrait in portraits]
    while len(squares) < count:
        source = portraits[len(squares) // 2 % 2] if len(squares) % 2 else _shapes(random)
        squares.append(random_square(source, random))
    return np.stack(squares[:count])


def whole_square(picture: Image) -> Image:
    """The middle square of a picture (H, W, 3)."""
    height, width = picture.shape[:2]
    side = min(height, width)
    return _square(picture, (width - side) // 2, (height - side) // 2, side)


def random_square(picture: Image, random: np.random.Generator) -> Image:
    """A square of 40 to 100 % of a picture's shorter side, half of them mirrored."""
    height, width = picture.shape[:2]
    side = max(1, round(float(random.uniform(0.4, 1)) * min(height, width)))
    left, top = int(random.integers(width - side + 1)), int(random.integers(height - side + 1))
    square = _square(picture, left, top, side)
    return np.ascontiguousarray(square[:, ::-1]) if random.random() < 0.5 else square


def _square(picture: Image, left: int, top: int, side: int) -> Image:
    square = picture[top : top + side, left : left + side]
    # As in the kiosk's own crop.
    interpolation = cv2.INTER_LINEAR if side < SIDE else cv2.INTER_AREA
    return np.asarray(cv2.resize(square, (SIDE, SIDE), interpolation=interpolation), np.uint8)


def _read(paths: Iterable[Path]) -> Iterator[Image]:
    """(H, W, 3) RGB each; those that cannot be read are named and left out."""
    for path in paths:
        picture = cv2.imread(str(path), cv2.IMREAD_COLOR_RGB)
        if picture is None:
            print(f"left out, for it cannot be read: {path}", flush=True)
        else:
            yield np.asarray(picture, np.uint8)


def _shapes(random: np.random.Generator) -> Image:
    """Discs and bars in colours by chance on a coloured ground, under some noise."""
    picture = np.full((256, 256, 3), random.integers(0, 256, 3), np.uint8)
    for _ in range(int(random.integers(2, 9))):
        (x0, y0, x1, y1), colour = random.integers(0, 256, 4).tolist(), random.integers(0, 256, 3).tolist()
        if random.random() < 0.5:
            cv2.circle(picture, (x0, y0), 8 + x1 // 4, colour, -1)
        else:
            cv2.line(picture, (x0, y0), (x1, y1), colour, 4 + y0 // 8)
    noise = random.normal(0, float(random.uniform(0, 40)), picture.shape)
    return np.clip(picture + noise, 0, 255).astype(np.uint8)
