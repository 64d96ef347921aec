"""Times in, figures out: mean, median, p95, p99, and the ratio to what was measured in turns with it. Pure.

A ratio compares two things measured side by side in one run, so that a busy machine slows both.
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from enum import Enum

WARM_UP = 3


class Figure(Enum):
    """Which figure of a measurement a target is about; the value is its name in the table."""

    MEDIAN = "median"
    P99 = "p99"
    RATIO = "ratio"


@dataclass(frozen=True)
class Target:
    """A figure, and how large it may be."""

    figure: Figure
    at_most: float
    """In the measurement's unit; without one for a ratio."""

    def __str__(self) -> str:
        return f"{self.figure.value} <= {self.at_most:g}"


@dataclass(frozen=True)
class Measurement:
    """The figures of one part."""

    part: str
    unit: str
    """Of mean, median, p95 and p99."""
    mean: float
    median: float
    p95: float
    p99: float
    runs: int
    ratio: float | None = None
    to: str = ""
    """What the ratio is to."""
    targets: tuple[Target, ...] = ()

    def met(self, target: Target) -> bool:
        """Whether a figure is as small as it is to be."""
        figures = {Figure.MEDIAN: self.median, Figure.P99: self.p99, Figure.RATIO: self.ratio}
        figure = figures[target.figure]
        return figure is not None and figure <= target.at_most

    def as_json(self) -> dict[str, object]:
        """All of it, each target with whether it is met."""
        targets = [
            {"figure": target.figure.value, "at_most": target.at_most, "met": self.met(target)}
            for target in self.targets
        ]
        return {**asdict(self), "targets": targets}


def measurement(
    part: str,
    values: Sequence[float],
    *targets: Target,
    unit: str = "ms",
    ratio: float | None = None,
    to: str = "",
) -> Measurement:
    """Of one or more values; for milliseconds they are given in seconds."""
    ordered = sorted(1000 * value if unit.startswith("ms") else value for value in values)
    return Measurement(
        part,
        unit,
        statistics.fmean(ordered),
        statistics.median(ordered),
        _percentile(ordered, 0.95),
        _percentile(ordered, 0.99),
        len(ordered),
        ratio,
        to,
        targets,
    )


def timed(work: Callable[[], object]) -> float:
    """Seconds that it takes."""
    began = time.perf_counter()
    work()
    return time.perf_counter() - began


def in_turns(works: Sequence[Callable[[], object]], runs: int, warm_up: int = WARM_UP) -> list[list[float]]:
    """Seconds of each of the works, run after run; every other round goes backwards."""
    seconds: list[list[float]] = [[] for _ in works]
    for number in range(-warm_up, runs):
        order = range(len(works))
        for index in order if number % 2 else reversed(order):
            took = timed(works[index])
            if number >= 0:
                seconds[index].append(took)
    return seconds


def ratio(values: Sequence[float], others: Sequence[float]) -> float:
    """The median of value by value: a pair was measured in the same moment."""
    return statistics.median(value / other for value, other in zip(values, others, strict=True))


def table(measurements: Sequence[Measurement]) -> list[str]:
    """A line for each, and a heading."""
    lines = [
        f"{'part':46}{'mean':>9}{'median':>9}{'p95':>9}{'p99':>9} {'unit':8}{'runs':>5}{'ratio':>7}  target"
    ]
    for found in measurements:
        quotient = "" if found.ratio is None else f"{found.ratio:.2f}"
        wanted = "; ".join(
            f"{target}: {'met' if found.met(target) else 'MISSED'}" for target in found.targets
        )
        figures = "".join(f"{figure:9.2f}" for figure in (found.mean, found.median, found.p95, found.p99))
        line = f"{found.part:46}{figures} {found.unit:8}{found.runs:5}{quotient:>7}  {wanted}"
        lines.append(line.rstrip())
    quotients = [f"ratio of {found.part}: to {found.to}" for found in measurements if found.to]
    return [*lines, "", *quotients]


def _percentile(ordered: Sequence[float], part: float) -> float:
    return ordered[min(len(ordered) - 1, round(part * len(ordered)))]
