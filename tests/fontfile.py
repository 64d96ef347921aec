"""Font files made from a shipped one: with fewer letters, or damaged."""

from __future__ import annotations

import struct
from collections.abc import Iterable

from kiosk.screen.typeface import _glyphs, file

SANS = file("sans", "regular").read_bytes()


def entry(font: bytes, tag: bytes) -> int:
    """Where a table's line in the directory of tables begins."""
    (count,) = struct.unpack_from(">H", font, 4)
    return next(at for at in range(12, 12 + 16 * count, 16) if font[at : at + 4] == tag)


def table(font: bytes, tag: bytes) -> bytes:
    offset, length = struct.unpack_from(">II", font, entry(font, tag) + 8)
    return font[offset : offset + length]


def with_table(font: bytes, tag: bytes, content: bytes) -> bytes:
    """With a table in place of the one that it has."""
    made = bytearray(font + b"\0" * (-len(font) % 4))
    struct.pack_into(">II", made, entry(font, tag) + 8, len(made), len(content))
    return bytes(made) + content


def without_table(font: bytes, tag: bytes) -> bytes:
    """The table goes by a name that nobody knows."""
    at = entry(font, tag)
    return font[:at] + b"none" + font[at + 4 :]


def format_4(glyphs: Iterable[tuple[int, int]]) -> bytes:
    """A cmap with one subtable: a segment for each letter, and the one that ends it; no offsets."""
    letters = [*sorted(glyphs), (0xFFFF, 0)]
    count = len(letters)
    codes = struct.pack(f">{count}H", *(code for code, _ in letters))
    deltas = struct.pack(f">{count}H", *((glyph - code) % 65536 for code, glyph in letters))
    body = codes + b"\0\0" + codes + deltas + struct.pack(f">{count}H", *[0] * count)
    head = struct.pack(">HHHHHHH", 4, 14 + len(body), 0, 2 * count, 0, 0, 0)
    return struct.pack(">HHHHI", 0, 1, 3, 1, 12) + head + body


def format_12(glyphs: Iterable[tuple[int, int]]) -> bytes:
    """A cmap with one subtable that is not bounded to 65,536 letters."""
    groups = b"".join(struct.pack(">III", code, code, glyph) for code, glyph in sorted(glyphs))
    length = 16 + len(groups)
    head = struct.pack(">HHIII", 12, 0, length, 0, len(groups) // 12)
    return struct.pack(">HHHHI", 0, 1, 3, 10, 12) + head + groups


def only(letters: str) -> bytes:
    """The sans with no letters but these and the space, each drawn as in the shipped font."""
    glyphs = dict(_glyphs(table(SANS, b"cmap")))
    return with_table(SANS, b"cmap", format_4((ord(it), glyphs[ord(it)]) for it in {*letters, " "}))
