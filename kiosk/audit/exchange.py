"""A report for other programs: findings to JSON, and back as far as two of them are compared."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from kiosk.audit import wording
from kiosk.audit.figures import Group, Labels, Rate, Spread, Word
from kiosk.audit.findings import Findings, Grouping
from kiosk.audit.gaps import MEANS, RATES, Gap
from kiosk.audit.statistics import Interval, Moments
from kiosk.audit.subject import Subject
from kiosk.audit.suppression import Key
from kiosk.errors import InputError

FORMAT = "kiosk audit 1"
MAX_BYTES = 64 * 1024 * 1024

Json = dict[str, Any]


@dataclass(frozen=True)
class Told:
    """Of one group what two reports are compared by."""

    columns: tuple[str, ...]
    values: tuple[str, ...]
    rates: dict[str, Rate]
    means: dict[str, Moments]


@dataclass(frozen=True)
class Report:
    """As it is read back."""

    path: Path
    digest: str
    """Of the table."""
    titles: dict[str, str]
    """Of the columns."""
    subject: dict[str, str]
    """What may differ: detector, classifier, policy and the like."""
    groups: tuple[Told, ...]


COMPARED = (
    "table", "detector", "input", "device", "min_score", "min_face_height", "classifier", "margin", "policy",
    "day",
)  # fmt: skip


def as_json(found: Findings, subject: Subject) -> str:
    """The whole report. Shares are 0-1, probabilities too; `low` and `high` are 95 % intervals."""
    columns = subject.columns
    titles = dict(zip(subject.columns, subject.titles, strict=True))
    content = {
        "format": FORMAT,
        "subject": asdict(subject),
        "least": found.least,
        "pictures_of_groups_too_small": found.lost,
        "unreadable": found.unreadable,
        "meaning": wording.MEANING,
        "whole": _group(found.whole, columns),
        "groupings": [_grouping(grouping, columns) for grouping in found.groupings],
        "gaps": [_gap(gap, columns, titles, len(found.gaps)) for gap in found.gaps],
    }
    return json.dumps(content, ensure_ascii=False, indent=1) + "\n"


def read(path: Path) -> Report:
    """A report that was written before. Raises InputError."""
    try:
        with path.open("rb") as file:
            raw = file.read(MAX_BYTES + 1)
        if len(raw) > MAX_BYTES:
            raise InputError(f"{path}: must be at most {MAX_BYTES // 1024**2} MiB")
        content = json.loads(raw.decode())
        if content["format"] != FORMAT:
            raise ValueError(f"format must be {FORMAT!r}")
        subject = content["subject"]
        groups = [_told((), content["whole"])]
        for grouping in content["groupings"]:
            groups += [_told(tuple(map(str, grouping["columns"])), one) for one in grouping["groups"]]
        return Report(
            path,
            str(subject["digest"]),
            dict(zip(map(str, subject["columns"]), map(str, subject["titles"]), strict=True)),
            {name: str(subject[name]) for name in COMPARED},
            tuple(groups),
        )
    except OSError as error:
        raise InputError(f"{path}: cannot be read: {error.strerror}") from error
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise InputError(f"{path}: must be a report of kiosk audit, and is none") from error


def _told(columns: tuple[str, ...], group: Json) -> Told:
    labels = group["labels"] or {}
    rates = {name: found for name in RATES if (found := (group | labels).get(name))}
    means = {name: labels[name] for name in MEANS if name in labels}
    return Told(
        columns,
        tuple(str(group["group"][column]) for column in columns),
        {name: Rate(int(found["hits"]), int(found["of"])) for name, found in rates.items()},
        {
            name: Moments(int(one["count"]), float(one["total"]), float(one["squares"]))
            for name, one in means.items()
        },
    )


def _names(key: Key, columns: tuple[str, ...]) -> dict[str, str]:
    return {column: value for column, value in zip(columns, key, strict=True) if value is not None}


def _grouping(grouping: Grouping, columns: tuple[str, ...]) -> Json:
    return {
        "columns": grouping.columns,
        "groups": [_group(one, columns) for one in grouping.groups],
        "too_small": [_names(key, columns) for key in grouping.too_small],
        "missed_under_changes": [
            {
                "change": row.change.title,
                "difference": row.difference,
                **_interval(row.interval),
                "clearest": _pair(row.clearest, columns),
            }
            for row in grouping.steadiness
        ],
    }


def _group(one: Group, columns: tuple[str, ...]) -> Json:
    return {
        "group": _names(one.key, columns),
        "pictures": one.pictures,
        "unreadable": one.unreadable,
        "missed": _rate(one.missed),
        "aside": _rate(one.aside),
        "twice": _rate(one.twice),
        "labels": _labels(one.labels) if one.labels else None,
        "changes": [
            {
                "change": row.change.title,
                "missed": _rate(row.missed),
                "same": _rate(row.same) if row.same else None,
            }
            for row in one.under
        ],
    }


def _labels(labels: Labels) -> Json:
    return {
        "count": labels.count,
        "withheld": _rate(labels.withheld),
        "offensive": _rate(labels.offensive) if labels.offensive else None,
        "sensitive": _rate(labels.sensitive) if labels.sensitive else None,
        "entropy_bits": labels.entropy,
        "different": labels.different,
        "not_named": labels.rare,
        "scores": _spread(labels.scores),
        "sureness": _spread(labels.sureness),
        "frequent": [_word(found) for found in labels.frequent],
        "typical": [_word(found) for found in labels.typical],
    }


def _word(found: Word) -> Json:
    return {"synset": found.synset, "label": found.text or None, "withheld": found.reason or None,
            "count": found.count, "z": found.z}  # fmt: skip


def _rate(found: Rate) -> Json:
    return {"hits": found.hits, "of": found.of, "share": found.share, **_interval(found.interval)}


def _interval(found: Interval) -> Mapping[str, float]:
    return {"low": found.low, "high": found.high}


def _spread(found: Spread) -> Json:
    moments = found.moments
    return {"count": moments.count, "total": moments.total, "squares": moments.squares, "mean": moments.mean,
            "quartiles": found.quartiles, "edges": found.edges, "bins": found.bins}  # fmt: skip


def _pair(gap: Gap, columns: tuple[str, ...]) -> Json:
    return {
        "high": _names(gap.high, columns),
        "low": _names(gap.low, columns),
        "high_value": gap.high_value,
        "low_value": gap.low_value,
        "difference": gap.difference,
        "difference_low": gap.interval.low,
        "difference_high": gap.interval.high,
        "deals": gap.deals,
        "deals_as_clear": gap.as_clear,
        "p": gap.p,
        "p_corrected": gap.corrected,
        "clear": gap.is_clear,
    }


def _gap(gap: Gap, columns: tuple[str, ...], titles: Mapping[str, str], comparisons: int) -> Json:
    top, bottom, size = gap.widest
    said = tuple(titles[column] for column in gap.columns)
    return {
        "columns": gap.columns,
        "measure": gap.measure,
        **_pair(gap, columns),
        "widest": {"high": _names(top, columns), "low": _names(bottom, columns), "difference": size},
        "sentence": wording.sentence(gap, said, comparisons),
    }
