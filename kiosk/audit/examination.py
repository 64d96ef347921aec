"""A table's pictures through the pipeline, one by one: lines in, counts out. No picture outlives that."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from kiosk.audit.changes import AS_IT_IS, CHANGES, changed
from kiosk.audit.observation import Observation, observe
from kiosk.audit.table import Cell, Line, Table
from kiosk.audit.tally import Count
from kiosk.errors import InputError
from kiosk.messages import Frame, Image
from kiosk.pipeline import Pipeline
from kiosk.vision.pictures import read_picture


@dataclass(frozen=True)
class Step:
    """A line is done, and so is every one before it."""

    lines: int
    """Done so far."""
    problem: str = ""
    """Why there is no picture; empty where there is."""
    is_known: bool = False
    """It was counted before this run."""


def examine(
    table: Table,
    pipeline: Pipeline,
    counts: dict[Cell, Count],
    safety: Mapping[str, str] | None = None,
    robustness: int = 0,
) -> Iterator[Step]:
    """Go through the table and add to `counts`, which are whole whenever a step is handed over.

    What is in `counts` already is not counted again. The first `robustness` pictures of each cell are also
    looked at under each of CHANGES. Raises InferenceError.
    """
    safety = safety or {}
    for lines, line in enumerate(table, start=1):
        if line.problem:
            yield Step(lines, line.problem)
            continue
        count = counts.setdefault(line.cell, Count())
        if line.number <= count.through:
            yield Step(lines, is_known=True)
            continue
        problem = ""
        try:
            image = read_picture(line.picture)
        except InputError as error:
            problem = f"{table.path}:{line.number}: {error}"
            count.tally.unreadable += 1
        else:
            _look(pipeline, line, image, count, safety, robustness)
        count.through = line.number
        yield Step(lines, problem)


def _look(
    pipeline: Pipeline,
    line: Line,
    image: Image,
    count: Count,
    safety: Mapping[str, str],
    robustness: int,
) -> None:
    def look(image: Image) -> Observation:
        # With a time of its own, as from any other source.
        return observe(pipeline, Frame(image, line.number, float(line.number)), safety)

    seen = look(image)
    under = (
        {
            change: seen if change == AS_IT_IS else look(changed(image, change, seen.height))
            for change in CHANGES
        }
        if count.changed[AS_IT_IS].pictures < robustness
        else {}
    )
    count.tally.add(seen)
    for change, after in under.items():
        count.changed[change].add(seen, after)
