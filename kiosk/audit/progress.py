"""The counts so far, on disk: an audit that was stopped goes on. Alone in this package it writes files.

The file holds aggregates only, as the report does: a cell of fewer pictures, or with fewer labels, than the
least that is reported is left out, and its lines are gone through again.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path

from kiosk.audit.table import Cell, Table
from kiosk.audit.tally import Count, as_numbers, of_numbers
from kiosk.config import Config, model_path
from kiosk.errors import InputError
from kiosk.pipeline import Pipeline

FORMAT = "kiosk audit progress 1"
NAME = "progress.json"
OWN, EVERYBODYS = 0o600, 0o644


def identify(
    table: Table, config: Config, pipeline: Pipeline, safety: Mapping[str, str], robustness: int
) -> str:
    """A digest of all that the counts depend on, the pictures' own content excepted."""
    models = [
        hashlib.sha256(model_path(path).read_bytes()).hexdigest()
        for path in (config.detection.model, config.classification.model)
    ]
    content = {
        "table": table.digest,
        "columns": [table.columns, table.banded, table.picture_at, str(table.root.absolute())],
        "models": models,
        "detection": asdict(config.detection),
        "margin": config.classification.margin,
        "withheld": sorted(id_ for id_ in pipeline.lexicon if not pipeline.policy.verdict(id_).shown),
        "safety": sorted(safety.items()),
        "robustness": robustness,
    }
    return hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()


@dataclass(frozen=True)
class Progress:
    """The file of one audit."""

    path: Path
    identity: str
    """As from `identify`."""
    least: int
    """Of pictures and of labels, for a cell to be kept."""

    def read(self) -> dict[Cell, Count]:
        """The counts when it was stopped; none where there is no file.

        Raises InputError where the file is damaged, or of another audit.
        """
        try:
            content = json.loads(self.path.read_text(encoding="utf-8"))
            if content["format"] != FORMAT:
                raise ValueError(f"format must be {FORMAT!r}")
            identity = content["audit"]
            counts = {
                tuple(map(str, cell["values"])): of_numbers(cell["counts"]) for cell in content["cells"]
            }
        except FileNotFoundError:
            return {}
        except OSError as error:
            raise InputError(f"{self.path}: cannot be read: {error.strerror}") from error
        except (ValueError, KeyError, TypeError, RecursionError) as error:
            raise InputError(f"{self.path}: is damaged; delete it to begin anew") from error
        if counts and identity != self.identity:
            raise InputError(
                f"{self.path}: was begun with another table, configuration or model; go on with those, "
                "delete it to begin anew, or choose another --out"
            )
        return counts

    def write(self, counts: Mapping[Cell, Count]) -> None:
        """Keep what may be kept. Raises InputError."""
        cells = [
            {"values": list(cell), "counts": as_numbers(count)}
            for cell, count in sorted(counts.items())
            if count.may_be_kept(self.least)
        ]
        content = {"format": FORMAT, "audit": self.identity, "cells": cells}
        write_whole(self.path, json.dumps(content, ensure_ascii=False), OWN)

    def remove(self) -> None:
        """The audit is done."""
        self.path.unlink(missing_ok=True)


def write_whole(path: Path, text: str, mode: int = EVERYBODYS) -> None:
    """Write a file whole or not at all, over an older one, and make its folder. Raises InputError."""
    part = path.with_name(f"{path.name}.part")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        part.unlink(missing_ok=True)
        with os.fdopen(
            os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode), "w", encoding="utf-8"
        ) as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        part.replace(path)
    except OSError as error:
        with contextlib.suppress(OSError):
            part.unlink()
        raise InputError(f"{path}: cannot be written: {error.strerror}") from error
