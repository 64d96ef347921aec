"""The table of pictures: a CSV file in, a line at a time out, each with its picture and its group.

Read twice, and never held as a whole: once for its columns, its groups and its digest, then for its pictures.
"""

from __future__ import annotations

import csv
import difflib
import hashlib
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from kiosk.errors import InputError, UsageError

Cell = tuple[str, ...]
"""One value for each group column: the finest groups, of which all others are made."""

DELIMITERS = ",;\t"
SUFFIXES = (".jpg", ".jpeg", ".png", ".webp", ".bmp", ".tif", ".tiff", ".jp2", ".pgm", ".ppm")
FOLDERS = ("", "imgs", "images", "pictures")
"""Where pictures lie, from the table's own folder."""
NOT_STATED = "not stated"
BANDS = ("I–III", "IV–VI")
"""Lighter and darker, as in Gender Shades (Buolamwini and Gebru 2018)."""
MAX_VALUES = 60
MAX_GROUPS = 3
LONGEST_VALUE = 60
MAX_PROBLEMS = 20

_TYPE = re.compile(r"(?:type|fitzpatrick)?\s*(?:([1-6])(?:\.0*)?|(i{1,3}|iv|vi?))", re.IGNORECASE)
_ROMAN = ("i", "ii", "iii", "iv", "v", "vi")


@dataclass(frozen=True)
class Choice:
    """What of a table is wanted, as it stands on the command line."""

    groups: tuple[str, ...] = ()
    fitzpatrick: tuple[str, ...] = ()
    """Those whose values 1 to 6 are put into the two bands; they are groups too."""
    picture: str = ""
    """The column of the paths; empty: the first that holds one."""
    root: Path | None = None
    """From where the paths are; None: from the table's folder, or one of FOLDERS in it."""


@dataclass(frozen=True)
class Line:
    """One picture."""

    number: int
    """Of the line in the file, from 1."""
    picture: Path
    cell: Cell
    problem: str = ""
    """Why there is no picture and no cell; empty where there are."""


@dataclass(frozen=True)
class Table:
    """A table that was read once."""

    path: Path
    columns: tuple[str, ...]
    """Of the groups, as in the file."""
    banded: tuple[bool, ...]
    spellings: tuple[dict[str, str], ...]
    """Of each column: what is one group, be it in capitals or not, and how it is written."""
    picture_at: int
    root: Path
    lines: int
    """With a picture or without; not the head."""
    digest: str
    """SHA-256 of the file."""

    def __iter__(self) -> Iterator[Line]:
        """Every line after the head, in order. Raises InputError."""
        rows = _rows(self.path)
        _, head = next(rows)
        places = [_place(self.path, head, column) for column in self.columns]
        for number, row in rows:
            problem = ""
            if len(row) <= max((*places, self.picture_at)) or not _is_path(row[self.picture_at]):
                problem = "must have a path to a picture and every column"
            elif _is_too_long(row, head):
                problem = f"must have {len(head)} columns as the first line, not {len(row)}"
            if problem:
                yield Line(number, Path(), (), f"{self.path}:{number}: {problem}")
                continue
            keys = (_key(row[at], banded) for at, banded in zip(places, self.banded, strict=True))
            cell = tuple(spelled.get(key, key) for spelled, key in zip(self.spellings, keys, strict=True))
            yield Line(number, self.root / row[self.picture_at].strip(), cell)


def read(path: Path, choice: Choice) -> Table:
    """Look through a table. Raises UsageError for columns that are not there, InputError for the file."""
    rows = _rows(path)
    _, head = next(rows)
    in_bands = {_place(path, head, column) for column in choice.fitzpatrick}
    places = [_place(path, head, column) for column in (*choice.groups, *choice.fitzpatrick)]
    places = list(dict.fromkeys(places))
    if len(places) > MAX_GROUPS:
        raise UsageError(f"--group: at most {MAX_GROUPS} columns at a time, not {len(places)}")
    titles = tuple(head[at] for at in places)
    banded = tuple(at in in_bands for at in places)
    picture_at = _place(path, head, choice.picture) if choice.picture else -1
    spellings: tuple[dict[str, str], ...] = tuple({} for _ in places)
    problems: list[str] = []
    lines, first = 0, ""
    for number, row in rows:
        lines += 1
        if _is_too_long(row, head):
            continue  # told when the pictures are gone through
        if picture_at < 0:
            picture_at = next((at for at, value in enumerate(row) if _is_picture(value)), -1)
        if not first and 0 <= picture_at < len(row):
            first = row[picture_at].strip()
        for column, at, bands, spelled in zip(titles, places, banded, spellings, strict=True):
            if at >= len(row):
                continue  # likewise
            value = clean(row[at])
            if bands and value and not fitzpatrick(value) and len(problems) < MAX_PROBLEMS:
                problems.append(
                    f"{path}:{number}: {column}: must be a Fitzpatrick type, 1 to 6 or I to VI, not '{value}'"
                )
            spelled.setdefault(_key(row[at], bands), (fitzpatrick(value) if bands else value) or NOT_STATED)
            if len(spelled) > MAX_VALUES:
                raise UsageError(f"--group {column}: has more than {MAX_VALUES} values: these are no groups")
    if problems:
        raise InputError("\n".join(problems))
    if picture_at < 0:
        raise UsageError(
            f"{path}: no column holds paths to pictures; name it: --picture COLUMN, one of {_listed(head)}"
        )
    root = choice.root or _root(path.parent, first)
    return Table(path, titles, banded, spellings, picture_at, root, lines, _digest(path))


def fitzpatrick(value: str) -> str:
    """The band of a skin type, 1 to 6 or I to VI; "" for what is none. Fitzpatrick 1988."""
    found = _TYPE.fullmatch(value.strip())
    if not found:
        return ""
    kind = int(found[1]) if found[1] else 1 + _ROMAN.index(found[2].lower())
    return BANDS[kind > 3]


def clean(value: str) -> str:
    """A value as it may be printed: one line, no control characters, not a book."""
    text = value.encode("utf-8", "surrogateescape").decode("utf-8", "replace")
    text = " ".join("".join(letter if letter.isprintable() else " " for letter in text).split())
    return text if len(text) <= LONGEST_VALUE else f"{text[: LONGEST_VALUE - 1]}…"


def _key(value: str, banded: bool) -> str:
    """Equal for what is one group."""
    return fitzpatrick(clean(value)) if banded else clean(value).casefold()


def _is_too_long(row: Sequence[str], head: Sequence[str]) -> bool:
    """Whether a delimiter within a value has moved all that follow."""
    return any(row[len(head) :])


def _is_path(value: str) -> bool:
    return bool(value.strip()) and "\0" not in value


def _is_picture(value: str) -> bool:
    return _is_path(value) and value.strip().lower().endswith(SUFFIXES)


def _root(folder: Path, first: str) -> Path:
    for name in FOLDERS if first else ():
        try:
            if (folder / name / first).is_file():
                return folder / name
        except OSError:  # a name that is too long
            break
    return folder


def _place(path: Path, head: Sequence[str], wanted: str) -> int:
    """Where a column stands, be its name in capitals or not. Raises UsageError."""
    names = [name.casefold() for name in head]
    exact = [at for at, name in enumerate(head) if name == wanted]
    found = exact or [at for at, name in enumerate(names) if name == clean(wanted).casefold()]
    if len(found) == 1:
        return found[0]
    if found:
        raise UsageError(f"{path}: {len(found)} columns are called '{wanted}'")
    close = difflib.get_close_matches(wanted.casefold(), names, n=1, cutoff=0.5)
    hint = f" Did you mean '{head[names.index(close[0])]}'?" if close else ""
    raise UsageError(f"{path}: no column '{clean(wanted)}'.{hint} There are {_listed(head)}")


def _listed(head: Sequence[str]) -> str:
    return ", ".join(head[:MAX_PROBLEMS]) + (", …" if len(head) > MAX_PROBLEMS else "")


def _rows(path: Path) -> Iterator[tuple[int, list[str]]]:
    """Number and cells of each line that is not empty, first the head. Raises InputError.

    What is no UTF-8 is kept as it is: a path must find its file, however it is written.
    """
    number = 0
    try:
        if path.exists() and not path.is_file():  # a device or a FIFO may have no end
            raise InputError(f"{path}: must be a file")
        # newline="": also what ends its lines with a carriage return alone, as old tables do.
        with path.open(encoding="utf-8-sig", errors="surrogateescape", newline="") as file:
            start = file.readline(1 << 16)
            if "\0" in start:
                raise InputError(f"{path}: must be a table in CSV as UTF-8; this looks like UTF-16")
            file.seek(0)
            reader = csv.reader(file, delimiter=max(DELIMITERS, key=start.count))
            for row in reader:
                if any(value.strip() for value in row):
                    yield reader.line_num, row if number else [clean(value) for value in row]
                    number = reader.line_num
    except OSError as error:
        raise InputError(f"{path}: cannot be read: {error.strerror}") from error
    except csv.Error as error:
        raise InputError(f"{path}:{number + 1}: must be a table in CSV: {error}") from error
    if not number:
        raise InputError(f"{path}: must be a table in CSV whose first line names its columns")


def _digest(path: Path) -> str:
    digest = hashlib.sha256()
    with path.open("rb") as file:
        while block := file.read(1 << 20):
            digest.update(block)
    return digest.hexdigest()
