"""Samples of a soak in; a verdict in words and a plot as SVG out. Pure. For scripts/soak.py."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from html import escape
from itertools import pairwise
from statistics import fmean, median

# Seconds. A start fills caches: of a life this much does not count, or a third where it is short.
WARM_UP = 300.0
# Pixels of the plot.
WIDTH, LEFT, RIGHT, TOP, CHART, LINE = 960, 64, 24, 44, 220, 20
BLUE, RED = "#1f5f8b", "#c8452f"


@dataclass(frozen=True)
class Sample:
    """What the piece takes of the machine at one moment, and what it gave since the one before."""

    at: float
    """Seconds since the first start."""
    life: int
    """How many times it has been started before."""
    age: float
    """Seconds since it was started."""
    rss_kib: int
    descriptors: int
    threads: int
    cpu_seconds: float
    """Of this life."""
    fps: float
    """Pictures of the source that reached the screen, a second."""
    latency_ms: float
    """From capture to the screen, the median; not a number where there was no picture."""
    worst_ms: float
    """The longest."""


@dataclass(frozen=True)
class Life:
    """The samples of one process behind its warm-up, at least one."""

    samples: tuple[Sample, ...]

    @property
    def middle(self) -> float:
        """Seconds since the first start."""
        return fmean(sample.at for sample in self.samples)

    @property
    def level(self) -> float:
        """Memory, KiB."""
        return fmean(sample.rss_kib for sample in self.samples)


@dataclass(frozen=True)
class Trend:
    """The slope of the memory, by least squares: each life has a level of its own, all have one slope."""

    slope: float
    """KiB an hour."""
    error: float
    """One standard error of it; infinite for too few samples."""

    @classmethod
    def of(cls, lives: Sequence[Life]) -> Trend:
        """Memory is much like it was ten seconds before.

        So the error counts only as many samples as are independent of each other, n (1 - r) / (1 + r) for an
        autocorrelation of r (Santer et al., "Statistical significance of trends and trend differences in
        layer-average atmospheric temperature time series", Journal of Geophysical Research 105, 2000).
        """
        moments = [
            ((sample.at - middle) / 3600, sample.rss_kib - level)
            for life in lives
            for middle, level in [(life.middle, life.level)]
            for sample in life.samples
        ]
        spread = sum(hours**2 for hours, _ in moments)
        if not spread:
            return cls(0.0, math.inf)
        slope = sum(hours * kib for hours, kib in moments) / spread
        rest = [kib - slope * hours for hours, kib in moments]
        squares = sum(kib**2 for kib in rest)
        if not squares:
            return cls(slope, 0.0)
        likeness = max(0.0, sum(one * other for one, other in pairwise(rest)) / squares)
        independent = len(rest) * (1 - likeness) / (1 + likeness)
        return cls(slope, math.sqrt(squares / (independent - 2) / spread) if independent > 2 else math.inf)


@dataclass(frozen=True)
class Verdict:
    """What is said of a soak."""

    lines: tuple[str, ...]
    good: bool


@dataclass(frozen=True)
class Curve:
    """One line of a chart."""

    values: Sequence[float]
    """For each sample; not a number where the line is broken."""
    name: str = ""
    colour: str = BLUE


@dataclass(frozen=True)
class Chart:
    """Curves over the same time."""

    name: str
    curves: tuple[Curve, ...]
    low: float
    high: float

    @classmethod
    def from_zero(cls, name: str, *curves: Curve) -> Chart:
        """As high as the highest value."""
        known = [value for curve in curves for value in curve.values if not math.isnan(value)]
        return cls(name, curves, 0.0, 1.08 * max(known, default=0.0) or 1.0)


def lives(samples: Sequence[Sample]) -> tuple[Life, ...]:
    """Each life behind its warm-up."""
    ends = {sample.life: sample.age for sample in samples}
    settled = [sample for sample in samples if sample.age >= min(WARM_UP, ends[sample.life] / 3)]
    return tuple(Life(tuple(sample for sample in settled if sample.life == number)) for number in ends)


def grows(values: Sequence[int]) -> bool:
    """Whether there is more in the last third than in the first: the median of each."""
    third = max(1, len(values) // 3)
    return median(values[-third:]) > median(values[:third])


def verdict(samples: Sequence[Sample], ends: Sequence[int], limit: float) -> Verdict:
    """`ends` are exit codes, of lives that ended by themselves; `limit` is in MiB an hour.

    Memory is bad where the slope is above the limit by two standard errors; descriptors and threads where
    they become more in any life; an end where it is a failure. Of memory, minutes say nothing.
    """
    judged = lives(samples)
    used = [sample for life in judged for sample in life.samples]
    if not used:
        return Verdict(("nothing was measured",), good=False)
    trend = Trend.of(judged)
    slope, error = trend.slope / 1024, trend.error / 1024
    short = sum(life.samples[-1].age - life.samples[0].age for life in judged) < WARM_UP
    leaks = not short and slope - 2 * error > limit
    unsure = short or slope - 2 * error <= limit < slope + 2 * error
    lines = [
        f"memory       {slope:+.2f} MiB an hour, standard error {error:.2f}, limit {limit:g}"
        f"{'; too short a run to be sure' if unsure else ''}{'  BAD' if leaks else ''}",
        f"             {max(sample.rss_kib for sample in samples) / 1024:.1f} MiB at most",
    ]
    good = not leaks
    for name in ("descriptors", "threads"):
        counts = [[int(getattr(sample, name)) for sample in life.samples] for life in judged]
        least, most = min(map(min, counts)), max(map(max, counts))
        more = any(map(grows, counts))
        said = f"{least}" if least == most else f"{least} to {most}"
        lines.append(f"{name:12} {said}{', and they become more  BAD' if more else ''}")
        good &= not more
    rates = [sample.fps for sample in used]
    late = [sample.latency_ms for sample in used if not math.isnan(sample.latency_ms)]
    worst = [sample.worst_ms for sample in used if not math.isnan(sample.worst_ms)]
    last = [life.samples[-1] for life in judged]
    cores = sum(sample.cpu_seconds for sample in last) / sum(sample.age for sample in last)
    lateness = f"{median(late):.0f} ms, at most {max(worst):.0f}" if late else "no picture"
    codes = f": exit codes {', '.join(map(str, ends))}" if ends else ""
    lines += [
        f"pictures     {median(rates):.1f} a second, at least {min(rates):.1f}",
        f"latency      {lateness}",
        f"processor    {cores:.2f} cores",
        f"restarts     {len(ends)}{codes}{'  BAD' if any(ends) else ''}",
    ]
    return Verdict(tuple(lines), good and not any(ends))


def plot(samples: Sequence[Sample], title: str, said: Sequence[str]) -> str:
    """Memory, pictures a second and latency over time, as SVG; what is said of them stands below."""
    memory = [sample.rss_kib / 1024 for sample in samples]
    trend = Curve(line(samples), "trend", RED)
    charts = (
        Chart("memory, MiB", (Curve(memory), trend), min(memory) - 1, max(memory) + 1),
        Chart.from_zero("pictures a second", Curve([sample.fps for sample in samples])),
        Chart.from_zero(
            "latency, ms",
            Curve([sample.worst_ms for sample in samples], "longest", RED),
            Curve([sample.latency_ms for sample in samples], "median"),
        ),
    )
    end = TOP + len(charts) * CHART
    size = f"{WIDTH} {end + LINE * (len(said) + 1)}"
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {size}" font-size="12">',
        "<style>text { font-family: sans-serif; white-space: pre } .said { font-family: monospace }</style>",
        f'<title>{escape(title)}</title><rect width="100%" height="100%" fill="#fff"/>',
        f'<text x="{LEFT}" y="26" font-size="15">{escape(title)}</text>',
    ]
    for at, one in enumerate(charts):
        parts += drawn(one, TOP + at * CHART, samples)
    for at, text in enumerate(said, start=1):
        parts.append(f'<text x="{LEFT}" y="{end + LINE * at}" class="said">{escape(text)}</text>')
    return "\n".join([*parts, "</svg>\n"])


def line(samples: Sequence[Sample]) -> list[float]:
    """The trend through the memory of each life, MiB; not a number in its warm-up."""
    judged = lives(samples)
    slope = Trend.of(judged).slope / 3600
    values = {
        sample: (level + slope * (sample.at - middle)) / 1024
        for life in judged
        for middle, level in [(life.middle, life.level)]
        for sample in life.samples
    }
    return [values.get(sample, math.nan) for sample in samples]


def drawn(chart: Chart, top: int, samples: Sequence[Sample]) -> Iterator[str]:
    """The elements of one chart, `top` pixels below the upper edge; at least one sample."""
    end = max(samples[-1].at, 1.0)
    unit, seconds = ("hours", 3600) if end > 7200 else ("minutes", 60)
    right, floor, height = WIDTH - RIGHT, top + CHART - 40, CHART - 64
    xs = [LEFT + (right - LEFT) * sample.at / end for sample in samples]

    def y(value: float) -> float:
        return floor - height * (value - chart.low) / (chart.high - chart.low)

    yield f'<text x="{LEFT}" y="{floor - height - 10}" font-weight="bold">{escape(chart.name)}</text>'
    yield f'<text x="{right}" y="{floor + 32}" text-anchor="end" fill="#777">{unit}</text>'
    for tick in ticks(chart.low, chart.high, 5):
        yield f'<path d="M{LEFT} {y(tick):.1f}H{right}" stroke="#ddd"/>'
        yield f'<text x="{LEFT - 8}" y="{y(tick) + 4:.1f}" text-anchor="end">{tick:g}</text>'
    for tick in ticks(0, end / seconds, 12):
        x = LEFT + (right - LEFT) * tick * seconds / end
        yield f'<text x="{x:.1f}" y="{floor + 16}" text-anchor="middle">{tick:g}</text>'
    for x, (before, after) in zip(xs[1:], pairwise(samples), strict=True):
        if after.life > before.life:
            yield f'<path d="M{x:.1f} {floor}v{-height}" stroke="#777" stroke-dasharray="2 3"/>'
    for at, curve in enumerate(chart.curves):
        where = f'x="{right - 80 * at}" y="{floor - height - 10}" text-anchor="end"'
        yield f'<text {where} fill="{curve.colour}">{curve.name}</text>'
        path, life = "", -1
        for x, value, sample in zip(xs, curve.values, samples, strict=True):
            if math.isnan(value):
                life = -1
            else:
                path += f"{'L' if sample.life == life else 'M'}{x:.1f} {y(value):.1f}"
                life = sample.life
        yield f'<path d="{path}" fill="none" stroke="{curve.colour}" stroke-width="1.5"/>'


def ticks(low: float, high: float, most: int) -> list[float]:
    """Round numbers from `low` to `high`: `most` and one at most."""
    least = (high - low) / most
    power = 10.0 ** math.floor(math.log10(least))
    step = next((factor * power for factor in (1, 2, 5) if factor * power >= least), 10 * power)
    return [step * at for at in range(math.ceil(low / step), math.floor(high / step) + 1)]
