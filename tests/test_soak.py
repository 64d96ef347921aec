"""What the piece takes of the machine stays the same, however long it runs; and of a night the truth is told.

The runs of tests/soak.py go side by side, each in a process of its own: nothing in them is replayed.
"""

from __future__ import annotations

import csv
import json
import math
import os
import random
import signal
import subprocess
import sys
import time
import xml.etree.ElementTree as ElementTree
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from scripts.soak_report import Life, Sample, Trend, plot, verdict
from tests.conftest import ROOT, xvfb

# Of growth in a hundred frames: of memory, KiB; of Python's blocks; of what the C library holds, KiB.
MEMORY, BLOCKS, HEAP = 1.0, 50.0, 5.0


class Run:
    """A run of tests.soak."""

    def __init__(self, venue: Path, warm_up: int, *options: str) -> None:
        """The first `warm_up` frames fill caches."""
        self._warm_up = warm_up
        self._child = subprocess.Popen(
            [sys.executable, "-B", "-m", "tests.soak", str(venue), *options],
            cwd=ROOT,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    def kill(self) -> None:
        """Where another run has failed."""
        if self._child.poll() is None:
            self._child.kill()
            self._child.communicate()

    def end(self) -> None:
        """Wait for it."""
        out, err = self._child.communicate(timeout=900)
        assert self._child.returncode == 0, err
        self.told = json.loads(out)
        self.frames = self.told["taken"][-1][0]
        self._taken, self._held = (
            np.array([row for row in self.told[name] if row[0] > self._warm_up]) for name in ("taken", "held")
        )
        self.memory = _slope(self._taken[:, 0], self._taken[:, 1]) / 1024
        """KiB in a hundred frames, by least squares."""
        self.blocks = _slope(self._held[:, 0], self._held[:, 1])
        self.heap = _slope(self._held[:, 0], self._held[:, 2]) / 1024
        self.descriptors, self.threads = (set(self._taken[:, at].tolist()) for at in (2, 3))


def _slope(frames: np.ndarray, values: np.ndarray) -> float:
    """In a hundred frames."""
    return float(np.polyfit(frames / 100, values, 1)[0])


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Run]:
    folder = tmp_path_factory.mktemp("soak")
    options = {
        "long": (15000, "--frames 30000 --edit-every 600 --edits 16"),
        "edited": (2000, "--frames 6000 --edit-every 300 --edits 20"),
        "leaks": (2000, "--frames 6000 --edit-every 600 --edits 4 --leak 100"),
        "leaks more": (2000, "--frames 6000 --edit-every 600 --edits 4 --leak 1000"),
    }
    started = {
        name: Run(folder / f"{name}.yaml", warm_up, *said.split())
        for name, (warm_up, said) in options.items()
    }
    try:
        for run in started.values():
            run.end()
    finally:
        for run in started.values():
            run.kill()
    return started


def test_thirty_thousand_frames_leave_no_memory_behind(runs: dict[str, Run]) -> None:
    run = runs["long"]
    assert run.frames == 30000
    assert run.memory < MEMORY
    assert run.blocks < BLOCKS
    assert run.heap < HEAP


def test_they_leave_no_descriptor_and_no_thread_behind(runs: dict[str, Run]) -> None:
    run = runs["long"]
    assert len(run.descriptors) == 1, run.descriptors
    assert len(run.threads) == 1, run.threads
    assert min(run.threads) >= 3, "main, capture and vision"


def test_much_happens_in_them(runs: dict[str, Run]) -> None:
    told = runs["long"].told
    assert told["pictures"] > 29000
    assert told["visitors"] >= 30
    assert told["words"] >= 10
    assert told["languages"] == ["de", "en", "fr", "it"]
    assert {"LIVE", "REOPENING", "CLOSED"} <= set(told["states"])
    assert told["edits"] >= 16


def test_an_edit_leaves_nothing_behind(runs: dict[str, Run]) -> None:
    """With each comes a new canvas: of the old one half a mebibyte would stay, and all its fonts."""
    run = runs["edited"]
    assert run.told["edits"] >= 18
    assert len(run.descriptors) == len(run.threads) == 1, (run.descriptors, run.threads)
    assert run.memory < 20 * MEMORY
    assert run.heap < 10 * HEAP


def test_a_hundred_bytes_a_frame_would_be_seen(runs: dict[str, Run]) -> None:
    """Not in the memory that the kernel counts: for an hour they fill what Python had for the start."""
    assert runs["leaks"].blocks > 2 * BLOCKS


def test_a_kilobyte_a_frame_would_be_seen(runs: dict[str, Run]) -> None:
    assert runs["leaks more"].memory > 50 * MEMORY
    assert runs["leaks more"].heap > 10 * HEAP


def night(hours: float = 8.0, mib_an_hour: float = 0.0, seed: int = 5) -> list[Sample]:
    """Samples every ten seconds. The first minutes fill caches; what comes and goes stays for a minute."""
    draw, rest, samples = random.Random(seed), 0.0, []
    for at in range(10, round(3600 * hours), 10):
        rest = 0.85 * rest + draw.gauss(0, 200)
        kib = round(300_000 - 4096 * math.exp(-at / 60) + rest + mib_an_hour * 1024 * at / 3600)
        samples.append(Sample(at, 0, at, kib, 9, 7, 0.3 * at, 59.9, 31.0, 48.0))
    return samples


def test_a_night_that_was_well_is_good() -> None:
    found = verdict(night(), (), 1.0)
    assert found.good
    assert not any("BAD" in line or "sure" in line for line in found.lines)
    assert "59.9 a second" in "".join(found.lines)


def test_two_mebibytes_an_hour_are_bad() -> None:
    found = verdict(night(mib_an_hour=2.0), (), 1.0)
    assert not found.good
    assert found.lines[0].endswith("BAD")


def test_minutes_say_nothing_of_memory() -> None:
    found = verdict(night(hours=0.1, mib_an_hour=500.0), (), 1.0)
    assert found.good
    assert "too short" in found.lines[0]


def test_the_standard_error_holds_though_neighbours_are_alike() -> None:
    """A slope of 0 is within two errors of 0 in nearly all nights; in every second one were r taken for 0."""
    trends = [Trend.of([Life(tuple(night(hours=1.0, seed=seed)[60:]))]) for seed in range(100)]
    off = sum(abs(trend.slope) > 2 * trend.error for trend in trends)
    assert off <= 12


@pytest.mark.parametrize("name", ["descriptors", "threads"])
def test_one_more_an_hour_is_bad(name: str) -> None:
    samples = [replace(sample, **{name: 9 + int(sample.at / 3600)}) for sample in night()]
    found = verdict(samples, (), 1.0)
    assert not found.good
    assert [line.split()[0] for line in found.lines if "BAD" in line] == [name]


def test_one_that_comes_and_goes_is_not() -> None:
    found = verdict([replace(sample, descriptors=9 + sample.at // 10 % 2) for sample in night()], (), 1.0)
    assert found.good
    assert "9 to 10" in "".join(found.lines)


def test_what_a_new_start_frees_hides_no_leak_and_is_none() -> None:
    """Two nights and a start between them: the second has less memory, and grows as the first did."""

    def twice(mib_an_hour: float) -> list[Sample]:
        first = night(mib_an_hour=mib_an_hour)
        return first + [
            replace(sample, at=sample.at + 28800, life=1, rss_kib=sample.rss_kib - 50_000)
            for sample in night(mib_an_hour=mib_an_hour, seed=6)
        ]

    assert verdict(twice(0.0), (0,), 1.0).good
    assert not verdict(twice(2.0), (0,), 1.0).good


def test_a_piece_that_failed_is_bad_and_one_that_was_restarted_by_plan_is_not() -> None:
    assert verdict(night(), (0,), 1.0).good
    assert not verdict(night(), (0, 70), 1.0).good
    assert verdict(night(), (0, 70), 1.0).lines[-1] == "restarts     2: exit codes 0, 70  BAD"


def test_without_a_sample_nothing_is_good() -> None:
    assert not verdict((), (69,), 1.0).good


def test_a_night_without_a_picture_is_told_as_one() -> None:
    samples = [replace(sample, fps=0.0, latency_ms=math.nan, worst_ms=math.nan) for sample in night()]
    said = verdict(samples, (), 1.0).lines
    assert "pictures     0.0 a second, at least 0.0" in said
    assert "latency      no picture" in said
    assert len(paths(plot(samples, "", said))) == 5


def paths(svg: str) -> list[str]:
    """What is drawn of the curves."""
    elements = ElementTree.fromstring(svg).iter("{http://www.w3.org/2000/svg}path")
    return [element.attrib["d"] for element in elements if element.attrib.get("fill") == "none"]


def test_the_plot_has_memory_with_its_trend_pictures_and_latency() -> None:
    svg = plot(night(hours=3.0), "3 hours of <kiosk>", ["restarts 0"])
    assert len(paths(svg)) == 5
    texts = [element.text for element in ElementTree.fromstring(svg).iter("{http://www.w3.org/2000/svg}text")]
    assert {"3 hours of <kiosk>", "memory, MiB", "pictures a second", "latency, ms", "restarts 0"} <= set(
        texts
    )
    assert "hours" in texts


def test_a_curve_is_broken_where_the_piece_was_and_where_it_had_no_picture() -> None:
    samples = night(hours=0.5)
    samples = [replace(sample, life=int(sample.at > 900)) for sample in samples]
    samples[20] = replace(samples[20], latency_ms=math.nan, worst_ms=math.nan)
    memory, _, _, _, latency = paths(plot(samples, "", ()))
    assert memory.count("M") == 2
    assert latency.count("M") == 3


@pytest.fixture
def display() -> Iterator[str]:
    with xvfb(640, 480) as name:
        yield name


def test_a_soak_samples_the_real_piece_until_it_is_told_to_end(tmp_path: Path, display: str) -> None:
    child = subprocess.Popen(
        [
            sys.executable,
            "-B",
            str(ROOT / "scripts" / "soak.py"),
            *("--hours", "1", "--every", "0.5", "--out", str(tmp_path), "--windowed", "640x480"),
        ],
        env={**os.environ, "DISPLAY": display},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    table = tmp_path / "soak.csv"
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline and (not table.exists() or len(table.read_text().splitlines()) < 8):
        time.sleep(0.1)
    child.send_signal(signal.SIGINT)
    out, err = child.communicate(timeout=60)
    rows = list(csv.DictReader(table.read_text().splitlines()))
    assert len(rows) >= 7, err
    assert "state: live" in err
    assert "Traceback" not in err
    assert "not sealed" not in err
    assert float(rows[-1]["fps"]) > 5
    assert 0 < float(rows[-1]["latency_ms"]) <= float(rows[-1]["worst_ms"])
    assert 50_000 < int(rows[-1]["rss_kib"]) < 2_000_000
    assert int(rows[-1]["descriptors"]) > 2
    assert int(rows[-1]["threads"]) >= 3
    assert 0 < float(rows[0]["cpu_seconds"]) <= float(rows[-1]["cpu_seconds"])
    assert "too short" in out
    assert len(paths((tmp_path / "soak.svg").read_text())) == 5


def test_a_piece_that_cannot_start_is_not_started_for_ever(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-B", str(ROOT / "scripts" / "soak.py"), "--hours", "1", "--out", str(tmp_path)],
        env={**os.environ, "DISPLAY": ":nowhere"},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == 1
    assert "exit code 69" in done.stderr
    assert "nothing was measured" in done.stdout
