"""A font file in, what the typesetter must know of it out: its letters, how high and how wide they are.

Also the families that are shipped. Reads TrueType and OpenType, whose tables are described at
https://learn.microsoft.com/typography/opentype/spec/otff; draws nothing.
"""

from __future__ import annotations

import functools
import struct
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from kiosk.config import ROOT

FOLDER = Path(__file__).parent / "fonts"
FACES = ("regular", "bold", "italic")


@dataclass(frozen=True)
class Family:
    """A shipped typeface in three faces, files of FOLDER."""

    name: str
    regular: str
    bold: str
    italic: str


FAMILIES = (
    Family("sans", "NotoSans-Regular.ttf", "NotoSans-Bold.ttf", "NotoSans-Italic.ttf"),
    Family(
        "serif",
        "NotoSerif-SemiCondensed.ttf",
        "NotoSerif-SemiCondensedBold.ttf",
        "NotoSerif-SemiCondensedItalic.ttf",
    ),
)
NAMES = tuple(family.name for family in FAMILIES)

# What glosses, definitions and names of languages are written in, and what quotes them. Greek, macrons and
# phonetic letters come from a shipped family where a font of the venue's own has them not.
LATIN = "".join(map(chr, (*range(0x21, 0x7F), *range(0xC0, 0x100)))) + "–‘’“”"
# A capital of a font that does not say how high it is, in ems.
_USUAL_CAP = 0.7
_LARGEST = 64 * 1024 * 1024
_SAMPLE = "a word for somebody, and what the dictionaries say of it"


@dataclass(frozen=True)
class Typeface:
    """One font file. Lengths are in ems."""

    path: Path
    letters: frozenset[str]
    """For which it has a glyph."""
    cap_height: float
    """Of a capital letter."""
    advance: float
    """Width of a letter or space, on average over running text."""

    def lacks(self, text: str) -> str:
        """The letters of a text that it has not, each once, in the text's order."""
        return "".join(letter for letter in dict.fromkeys(text) if letter not in self.letters)


def file(family: str, face: str) -> Path:
    """The file of a shipped family's face.

    Any other `family` is the path of a file, absolute or from the project's folder, for every face.
    Raises ValueError for a face that there is not.
    """
    if face not in FACES:
        raise ValueError(f"a face must be one of {', '.join(FACES)}, not '{face}'")
    for shipped in FAMILIES:
        if shipped.name == family:
            return FOLDER / str(getattr(shipped, face))
    return ROOT / family


def unprintable(text: str) -> str:
    """The letters of a text that no shipped family has, each once: the screen leaves them out."""
    for family in FAMILIES:
        text = typeface(FOLDER / family.regular).lacks(text)
    return text


@functools.lru_cache(32)
def typeface(path: Path) -> Typeface:
    """Read a font file. Raises ValueError with what is wrong with it; the file's name is not said."""
    try:
        if path.exists() and not path.is_file():
            raise ValueError("must be a file")
        with path.open("rb") as opened:
            content = opened.read(_LARGEST + 1)
    except OSError as error:
        raise ValueError(f"cannot be read: {error.strerror}") from error
    if len(content) > _LARGEST:
        raise ValueError(f"must be at most {_LARGEST // 1024 // 1024} MiB")
    if content[:4] not in (b"\0\1\0\0", b"OTTO", b"true"):
        raise ValueError("must be a TrueType or OpenType font, .ttf or .otf")
    try:
        return _parsed(path, content)
    except (struct.error, KeyError, IndexError, ZeroDivisionError) as error:
        raise ValueError("is a font that is damaged or lacks a table") from error


def _parsed(path: Path, content: bytes) -> Typeface:
    tables = _tables(content)
    if not ({"CFF ", "CFF2"} & tables.keys() or {"glyf", "loca"} <= tables.keys()):
        raise KeyError("glyf")
    (em,) = struct.unpack_from(">H", tables["head"], 18)
    glyphs = dict(_glyphs(tables["cmap"]))
    (wide,) = struct.unpack_from(">H", tables["hhea"], 34)
    widths = [struct.unpack_from(">H", tables["hmtx"], 4 * at)[0] / em for at in range(wide)]
    sample = [widths[min(glyphs[ord(letter)], wide - 1)] for letter in _SAMPLE if ord(letter) in glyphs]
    return Typeface(
        path,
        frozenset(map(chr, glyphs)),
        (_cap_height(tables) or _height_of_h(tables, glyphs)) / em or _USUAL_CAP,
        sum(sample) / len(sample),
    )


def _tables(content: bytes) -> dict[str, bytes]:
    """By their tags. Raises struct.error for one that is cut off."""
    (count,) = struct.unpack_from(">H", content, 4)
    tables = {}
    for at in range(count):
        tag, _, offset, length = struct.unpack_from(">4sIII", content, 12 + 16 * at)
        tables[tag.decode("latin-1")] = content[offset : offset + length]
        if offset + length > len(content):
            raise struct.error
    return tables


def _cap_height(tables: dict[str, bytes]) -> int:
    """Version 2 of the table OS/2 and later have it; 0 where it is not said."""
    os2 = tables.get("OS/2", b"")
    if len(os2) < 90 or struct.unpack_from(">H", os2)[0] < 2:
        return 0
    return max(0, int(struct.unpack_from(">h", os2, 88)[0]))


def _height_of_h(tables: dict[str, bytes], glyphs: dict[int, int]) -> int:
    """The top of the outline of an H; 0 where outlines are not TrueType's."""
    if "loca" not in tables or ord("H") not in glyphs:
        return 0
    (long,) = struct.unpack_from(">H", tables["head"], 50)
    step = ">I" if long else ">H"
    (offset,) = struct.unpack_from(step, tables["loca"], glyphs[ord("H")] * struct.calcsize(step))
    return max(0, int(struct.unpack_from(">h", tables["glyf"], (offset if long else 2 * offset) + 8)[0]))


def _glyphs(cmap: bytes) -> Iterator[tuple[int, int]]:
    """Code points and their glyphs, by the largest of the Unicode subtables (formats 12 and 4)."""
    (count,) = struct.unpack_from(">H", cmap, 2)
    found: dict[int, int] = {}  # format to offset
    for at in range(count):
        platform, encoding, offset = struct.unpack_from(">HHI", cmap, 4 + 8 * at)
        if platform == 0 or (platform == 3 and encoding in (1, 10)):
            found[struct.unpack_from(">H", cmap, offset)[0]] = offset
    if 12 in found:
        yield from _format_12(cmap, found[12])
    else:
        yield from _format_4(cmap, found[4])


def _format_12(cmap: bytes, start: int) -> Iterator[tuple[int, int]]:
    (count,) = struct.unpack_from(">I", cmap, start + 12)
    for at in range(count):
        first, last, glyph = struct.unpack_from(">III", cmap, start + 16 + 12 * at)
        if last > 0x10FFFF:
            raise struct.error
        for code in range(first, last + 1):
            if glyph + code - first:
                yield code, glyph + code - first


def _format_4(cmap: bytes, start: int) -> Iterator[tuple[int, int]]:
    (doubled,) = struct.unpack_from(">H", cmap, start + 6)
    count, ends = doubled // 2, start + 14
    starts, deltas, ranges = ends + doubled + 2, ends + 2 * doubled + 2, ends + 3 * doubled + 2
    for at in range(count):
        (last,) = struct.unpack_from(">H", cmap, ends + 2 * at)
        (first,) = struct.unpack_from(">H", cmap, starts + 2 * at)
        (delta,) = struct.unpack_from(">H", cmap, deltas + 2 * at)
        (offset,) = struct.unpack_from(">H", cmap, ranges + 2 * at)
        for code in range(first, min(last, 0xFFFE) + 1):
            glyph = code
            if offset:  # counted from where it stands itself
                (glyph,) = struct.unpack_from(">H", cmap, ranges + 2 * at + offset + 2 * (code - first))
            glyph = (glyph + delta) & 0xFFFF if glyph or not offset else 0
            if glyph:
                yield code, glyph
