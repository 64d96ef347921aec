"""A folder of person pictures in, a list of them out; nothing is unpacked and nothing decoded yet.

The folder holds one folder a synset (n10609198/x.jpg) or one uncompressed tar a synset (n10609198.tar, as
ImageNet hands them out), or both; a tar is read where it lies.
"""

from __future__ import annotations

import hashlib
import io
import struct
import tarfile
import warnings
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from PIL import Image, UnidentifiedImageError

SUFFIXES = frozenset({".bmp", ".jpeg", ".jpg", ".png", ".webp"})
# What Pillow raises for a file that is no picture, or not a whole one.
UNREADABLE = (OSError, SyntaxError, ValueError, EOFError, struct.error, Image.DecompressionBombError)


class PictureError(Exception):
    """The pictures cannot be trained on, and why."""


@dataclass(frozen=True, slots=True)
class Picture:
    """Where the bytes of one picture lie."""

    synset: str
    name: str
    file: Path
    """The picture, or the tar that holds it."""
    offset: int = 0
    size: int = -1
    """Bytes; -1: to the end of the file."""

    def __str__(self) -> str:
        return f"{self.synset}/{self.name}"

    def read(self) -> Image.Image:
        """RGB. Raises one of UNREADABLE."""
        with self.file.open("rb") as file:
            file.seek(self.offset)
            content = file.read(self.size)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # odd EXIF and palettes, which do not matter here
            return Image.open(io.BytesIO(content)).convert("RGB")


def synset_entries(root: Path) -> dict[str, list[Path]]:
    """Each entry of the folder under the synset, or other name, that it stands for."""
    entries: dict[str, list[Path]] = {}
    for path in sorted(root.iterdir()):
        if path.is_dir() or path.suffix == ".tar":
            entries.setdefault(path.name.removesuffix(".tar"), []).append(path)
    return entries


def find_pictures(synset: str, entries: Iterable[Path]) -> list[Picture]:
    """The pictures of one synset by name; a name found in a folder and in a tar counts once."""
    found: dict[str, Picture] = {}
    for path in entries:
        pictures = folder_pictures(synset, path) if path.is_dir() else tar_pictures(synset, path)
        found |= {picture.name: picture for picture in pictures}
    return [found[name] for name in sorted(found)]


def folder_pictures(synset: str, folder: Path) -> Iterator[Picture]:
    """The pictures directly in a folder."""
    for path in folder.iterdir():
        if path.suffix.lower() in SUFFIXES:
            yield Picture(synset, path.name, path)


def tar_pictures(synset: str, path: Path) -> Iterator[Picture]:
    """The pictures anywhere in a tar. Raises PictureError where it is damaged or compressed."""
    try:
        with tarfile.open(path, "r:") as archive:
            for member in archive:
                name = PurePosixPath(member.name)
                if member.isreg() and name.suffix.lower() in SUFFIXES:
                    yield Picture(synset, name.name, path, member.offset_data, member.size)
    except (tarfile.TarError, OSError) as error:
        raise PictureError(f"{path}: must be a whole, uncompressed tar: {error}") from error


def is_validation(picture: Picture, share: float) -> bool:
    """Whether a picture is kept from training: by its name alone, so that others may come and go."""
    digest = hashlib.sha256(str(picture).encode()).digest()
    return int.from_bytes(digest[:8], "big") / 2**64 < share


def fingerprint(pictures: Iterable[Picture]) -> str:
    """Equal for equal names in equal order, and for nothing else."""
    return hashlib.sha256("\n".join(map(str, pictures)).encode()).hexdigest()


def reason(error: Exception) -> str:
    """Why a picture cannot be read, in words for a person."""
    if isinstance(error, UnidentifiedImageError):
        return "not a picture"  # Pillow would name an address in memory
    return str(error) or type(error).__name__
