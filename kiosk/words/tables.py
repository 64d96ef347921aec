"""The ImageNet team's two tables, CSV files in `config/imagenet/`: how safe and how imageable a category is.

Yang et al., "Towards Fairer Datasets", FAT* 2020. They are not part of this project:
`scripts/fetch_imagenet_safety.py` fetches them.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import TypeVar

from kiosk.config import ROOT
from kiosk.errors import ConfigError

T = TypeVar("T")
FOLDER = ROOT / "config" / "imagenet"
SAFETY_FILE = "synsets_safety.csv"
IMAGEABILITY_FILE = "imageability_scores.csv"
SAFETY = ("offensive", "sensitive", "safe")
FETCH_COMMAND = "scripts/fetch_imagenet_safety.py"
MAX_BYTES = 4 * 1024 * 1024


def read_safety(folder: Path) -> dict[str, str]:
    """Synset id to one of SAFETY. Raises ConfigError."""
    return _read(folder / SAFETY_FILE, "safety", _safety)


def read_imageability(folder: Path) -> dict[str, float]:
    """Synset id to a score from 1 (cannot be pictured) to 5. Raises ConfigError."""
    return _read(folder / IMAGEABILITY_FILE, "imageability", _score)


def _safety(text: str) -> str:
    if text.lower() not in SAFETY:
        raise ValueError(f"safety must be one of {', '.join(SAFETY)}, not '{text}'")
    return text.lower()


def _score(text: str) -> float:
    if not re.fullmatch(r"\d(\.\d{0,20})?", text, re.ASCII) or not 1 <= float(text) <= 5:
        raise ValueError(f"imageability must be a number from 1 to 5, not '{text}'")
    return float(text)


def _read(path: Path, wanted: str, convert: Callable[[str], T]) -> dict[str, T]:
    values: dict[str, T] = {}
    problems = []
    for line, row in _rows(path, wanted):
        try:
            values[row["wnid"]] = convert(row[wanted])
        except ValueError as error:
            problems.append(f"{path}:{line}: {error}")
    if problems:
        raise ConfigError(tuple(problems[:20]))
    return values


def _rows(path: Path, wanted: str) -> Iterator[tuple[int, Mapping[str, str]]]:
    """Line number, and the two columns that are wanted, whatever their order and case."""
    try:
        with path.open("rb") as file:
            raw = file.read(MAX_BYTES + 1)
        if len(raw) > MAX_BYTES:
            raise ConfigError((f"{path}: must be at most {MAX_BYTES // 1024} KiB",))
        reader = csv.reader(raw.decode("utf-8-sig").splitlines())
        header = [name.strip().lower() for name in next(reader, [])]
        columns = {
            "wnid": next((at for at, name in enumerate(header) if name in ("wnid", "id", "synset_id")), None),
            wanted: next((at for at, name in enumerate(header) if wanted in name), None),
        }
        if None in columns.values():
            raise ConfigError((f"{path}:1: the first line must name the columns wnid and {wanted}",))
        for row in reader:
            if row:
                cells = {name: row[at].strip() for name, at in columns.items() if at is not None}
                yield reader.line_num, cells
    except OSError as error:
        raise ConfigError(
            (f"{path}: cannot be read ({error.strerror}): run {FETCH_COMMAND} to fetch the table",)
        ) from error
    except (UnicodeDecodeError, csv.Error, IndexError) as error:
        raise ConfigError((f"{path}: must be a table in CSV, with all columns in every line",)) from error
