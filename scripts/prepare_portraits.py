"""Public-domain portraits in, their cut-out mattes out: models/portraits/.

    prepare_portraits.py --scikit-image DIR_OR_WHEEL --matplotlib DIR_OR_WHEEL [--out models/portraits]

The pictures are copied byte for byte out of the packages scikit-image (`astronaut.png`) and matplotlib
(`grace_hopper.jpg`); each argument is the wheel, or the folder it was unpacked to. Beside each picture comes
a matte of the same size: one channel, 8 bit, 255 where the person is. The outline is drawn by hand below to
within a few pixels; GrabCut (Rother, Kolmogorov and Blake, 2004) finds the edge inside that band.
Deterministic for one version of OpenCV.
"""

from __future__ import annotations

import argparse
import hashlib
import zipfile
from dataclasses import dataclass
from pathlib import Path

import cv2
import numpy as np
import numpy.typing as npt

Image = npt.NDArray[np.uint8]


@dataclass(frozen=True)
class Source:
    """One picture inside a package, and the hand-drawn outline of the person in it."""

    member: str
    """Path of the picture inside the wheel."""
    outline: str
    """Points "x,y", pixels of the picture, once round the person and out below the lower edge."""
    band_px: int
    """How far the true edge may lie from the outline, to either side."""


ASTRONAUT = Source(
    member="skimage/data/astronaut.png",
    outline="""
        153,95 155,80 165,62 175,45 190,30 210,19 235,16 258,22 278,38 292,55 300,75 301,90 296,108
        284,122 276,133 268,140 262,160 256,176 280,195 298,220 304,240 318,238 332,244 345,262 350,285
        358,310 362,346 372,344 400,344 430,352 460,372 480,400 492,430 497,455 501,470 500,500 498,530
        45,530 42,505 26,465 22,440 19,400 22,370 30,330 35,300 45,275 62,250 90,225 112,208 115,190
        122,172 140,158 165,149 184,149 182,134 172,122 160,115
    """,
    band_px=7,
)

GRACE_HOPPER = Source(
    member="matplotlib/mpl-data/sample_data/grace_hopper.jpg",
    outline="""
        176,82 183,62 195,49 209,43 219,43 226,33 237,26 250,23 280,25 298,35 303,42 325,48 345,65 353,85
        362,87 370,97 371,120 372,150 369,178 376,195 372,230 358,265 362,275 356,292 345,303 332,308
        334,318 360,336 396,354 450,374 486,391 494,408 499,432 502,460 503,500 503,620 13,620 13,599
        18,520 25,450 35,410 45,390 60,378 110,360 160,342 195,325 205,316 204,304 197,297 186,291 170,281
        165,272 166,262 162,240 154,215 153,200 157,186 151,181 150,165 151,140 152,118 155,109 166,97
    """,
    band_px=4,
)


def read_member(package: Path, member: str) -> bytes:
    """The bytes of one file of a wheel, or of the folder it was unpacked to."""
    if package.is_dir():
        return (package / member).read_bytes()
    with zipfile.ZipFile(package) as wheel:
        return wheel.read(member)


def cut_out(picture: Image, source: Source) -> Image:
    """(H, W) uint8 matte of a (H, W, 3) BGR picture, soft at the edge."""
    inside = np.zeros(picture.shape[:2], np.uint8)
    points = [point.split(",") for point in source.outline.split()]
    cv2.fillPoly(inside, [np.array(points, dtype=np.int32)], 1)
    band = cv2.getStructuringElement(cv2.MORPH_ELLIPSE, (2 * source.band_px + 1,) * 2)
    trimap = np.where(inside == 1, cv2.GC_PR_FGD, cv2.GC_PR_BGD).astype(np.uint8)
    # The person goes on below the picture: the band must not eat into the lower edge.
    trimap[cv2.erode(inside, band, borderType=cv2.BORDER_REPLICATE) == 1] = cv2.GC_FGD
    trimap[cv2.dilate(inside, band) == 0] = cv2.GC_BGD
    cv2.setRNGSeed(1)
    cv2.grabCut(picture, trimap, (0, 0, 0, 0), np.zeros((1, 65)), np.zeros((1, 65)), 6, cv2.GC_INIT_WITH_MASK)
    hard = np.isin(trimap, (cv2.GC_FGD, cv2.GC_PR_FGD)).astype(np.uint8) * 255
    return feather(largest_part(hard))


def largest_part(hard: Image) -> Image:
    """The largest connected part, without holes: what GrabCut leaves over elsewhere is not a person."""
    contours, _ = cv2.findContours(hard, cv2.RETR_EXTERNAL, cv2.CHAIN_APPROX_NONE)
    filled = np.zeros_like(hard)
    cv2.drawContours(filled, [max(contours, key=cv2.contourArea)], -1, 255, cv2.FILLED)
    return filled


def feather(hard: Image) -> Image:
    """A smooth, soft edge that lies inside the hard one, so that no old background shows as a halo."""
    padded = cv2.copyMakeBorder(hard, 16, 16, 16, 16, cv2.BORDER_REPLICATE).astype(np.float32)
    smooth = cv2.GaussianBlur(padded, (0, 0), 2.0)[16:-16, 16:-16]
    # 50 % of the blur is the old edge: start above it, and be opaque about two pixels further in.
    return np.asarray(np.clip((smooth - 140) * (255 / 90), 0, 255), np.uint8)


def prepare(package: Path, source: Source, out: Path) -> None:
    """Write the picture and its matte, and print their digests."""
    name = Path(source.member).name
    data = read_member(package, source.member)
    picture = np.asarray(cv2.imdecode(np.frombuffer(data, np.uint8), cv2.IMREAD_COLOR), np.uint8)
    matte = cv2.imencode(".png", cut_out(picture, source), [cv2.IMWRITE_PNG_COMPRESSION, 9])[1].tobytes()
    for path, content in ((out / name, data), (out / f"{Path(name).stem}.matte.png", matte)):
        path.write_bytes(content)
        print(f"{hashlib.sha256(content).hexdigest()}  {path.name}")


def main() -> None:
    """Read the command line, write the four files."""
    parser = argparse.ArgumentParser(description="Make the demo's portraits and their mattes.")
    parser.add_argument(
        "--scikit-image", type=Path, required=True, help="wheel, or folder it was unpacked to"
    )
    parser.add_argument("--matplotlib", type=Path, required=True, help="wheel, or folder it was unpacked to")
    parser.add_argument("--out", type=Path, default=Path("models/portraits"))
    args = parser.parse_args()
    args.out.mkdir(parents=True, exist_ok=True)
    prepare(args.scikit_image, ASTRONAUT, args.out)
    prepare(args.matplotlib, GRACE_HOPPER, args.out)


if __name__ == "__main__":
    main()
