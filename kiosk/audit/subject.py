"""What was audited: the table, the piece as it was configured, and the day."""

from __future__ import annotations

import datetime
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from kiosk import __version__
from kiosk.audit.table import Table
from kiosk.config import Config
from kiosk.pipeline import Pipeline

# Columns that hold what somebody else saw in a face, and not what a person says of herself.
PERCEIVED = ("gender", "sex")


@dataclass(frozen=True)
class Subject:
    """For the head and the foot of a report."""

    day: str
    """ISO 8601."""
    version: str
    """Of the program."""
    table: str
    """The name of the file, without its folder."""
    digest: str
    lines: int
    columns: tuple[str, ...]
    titles: tuple[str, ...]
    """Of the columns, as they are said."""
    detector: str
    input: str
    """What the detector looks at, pixels."""
    min_score: float
    min_face_height: int
    max_face_height: int
    classifier: str
    classifier_title: str
    """What the network says of itself; empty where there is nothing to be said."""
    margin: float
    device: str
    policy: str
    has_safety: bool
    robustness: int


def describe(
    table: Table,
    config: Config,
    pipeline: Pipeline,
    safety: Mapping[str, str],
    robustness: int,
    day: datetime.date,
) -> Subject:
    """All that a reader needs to do it again."""
    detection = config.detection
    return Subject(
        day.isoformat(),
        __version__,
        table.path.name,
        table.digest,
        table.lines,
        table.columns,
        tuple(title(column, bands) for column, bands in zip(table.columns, table.banded, strict=True)),
        Path(detection.model).name,
        "{}x{}".format(*pipeline.detector.input_wh),
        detection.min_score,
        detection.min_face_height,
        detection.max_face_height,
        Path(config.classification.model).name,
        pipeline.classifier.title,
        config.classification.margin,
        pipeline.sessions[0].device,
        config.policy if isinstance(config.policy, str) else "written in the configuration",
        bool(safety),
        robustness,
    )


def title(column: str, banded: bool) -> str:
    """What a column is called in the report."""
    if banded:
        return "skin type (Fitzpatrick)"
    return f"perceived {column.lower()}" if column.casefold() in PERCEIVED else column
