"""A small set of pictures drawn here: for each class a shape and a colour, on any grey, anywhere."""

from __future__ import annotations

import random
import tarfile
from collections.abc import Mapping
from pathlib import Path

from PIL import Image, ImageDraw

SIDE = 64
COLOURS = {
    "n09624168": "red",
    "n09918248": "lime",
    "n10129825": "blue",
    "n10280130": "yellow",
    "n10609198": "magenta",
    "n10787470": "cyan",
}
SYNSETS = tuple(COLOURS)


def draw(synset: str, rng: random.Random) -> Image.Image:
    """(64, 64) RGB."""
    grey = rng.randrange(40, 216)
    image = Image.new("RGB", (SIDE, SIDE), tuple(grey + rng.randrange(-30, 31) for _ in range(3)))
    side = rng.randrange(30, 52)
    left, top = rng.randrange(SIDE - side), rng.randrange(SIDE - side)
    right, bottom, x, y = left + side, top + side, left + side / 2, top + side / 2
    pen, colour = ImageDraw.Draw(image), COLOURS[synset]
    match SYNSETS.index(synset):
        case 0:
            pen.ellipse((left, top, right, bottom), fill=colour)
        case 1:
            pen.rectangle((left, top, right, bottom), fill=colour)
        case 2:
            pen.polygon([(x, top), (right, bottom), (left, bottom)], fill=colour)
        case 3:
            pen.polygon([(x, top), (right, y), (x, bottom), (left, y)], fill=colour)
        case 4:
            pen.rectangle((left, y - 6, right, y + 6), fill=colour)
            pen.rectangle((x - 6, top, x + 6, bottom), fill=colour)
        case _:
            pen.ellipse((left, top, right, bottom), outline=colour, width=8)
    return image


def draw_set(root: Path, counts: Mapping[str, int], seed: int = 0) -> Path:
    """A folder a synset, with so many pictures."""
    rng = random.Random(seed)
    for synset, count in counts.items():
        (root / synset).mkdir(parents=True)
        for number in range(count):
            draw(synset, rng).save(root / synset / f"{synset}_{number}.png")
    return root


def pack(folders: Path, tars: Path) -> Path:
    """The same set as a tar a synset."""
    tars.mkdir()
    for folder in folders.iterdir():
        with tarfile.open(tars / f"{folder.name}.tar", "w") as archive:
            for picture in sorted(folder.iterdir(), reverse=True):
                archive.add(picture, picture.name)
    return tars
