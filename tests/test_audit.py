"""`kiosk audit` as a curator meets it, with the piece's own networks on a few pictures made here.

The pictures are the two portraits in the public domain, turned, sized and made darker in a controlled way.
"""

from __future__ import annotations

import csv
import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import cv2
import numpy as np
import pytest

from kiosk.audit.examination import Step
from kiosk.audit.progress import NAME, Progress
from kiosk.cli import main
from kiosk.commands.audit import follow, stopping
from kiosk.errors import INTERRUPTED
from tests.auditing import count
from tests.conftest import ROOT

PORTRAITS = ROOT / "models" / "portraits"
DARK, LIGHT = 0.02, 1.0
"""Times as bright: the one is too dark for the detector, with its noise."""


def portraits(seed: int) -> Iterator[np.ndarray]:
    """The two of them, again and again, never the same way."""
    random = np.random.default_rng(seed)
    sources = [cv2.imread(str(PORTRAITS / name)) for name in ("astronaut.png", "grace_hopper.jpg")]
    while True:
        for source in sources:
            height, width = source.shape[:2]
            turn = cv2.getRotationMatrix2D(
                (width / 2, height / 3), random.uniform(-12, 12), random.uniform(0.5, 0.7)
            )
            yield cv2.warpAffine(
                source, turn, (width * 2 // 3, height * 2 // 3), borderMode=cv2.BORDER_REPLICATE
            )


def write(folder: Path, groups: list[tuple[str, str, float]]) -> Path:
    """A table with a picture of each group, by skin, gender and how bright it is."""
    random = np.random.default_rng(3)
    with (folder / "people.csv").open("w", newline="") as file:
        rows = csv.writer(file)
        rows.writerow(["picture", "skin", "gender"])
        for at, ((skin, gender, light), image) in enumerate(zip(groups, portraits(1), strict=False)):
            noisy = np.clip(image * light + random.normal(0, 2, image.shape), 0, 255)
            cv2.imwrite(str(folder / f"{at}.jpg"), noisy.astype(np.uint8))
            rows.writerow([f"{at}.jpg", skin, gender])
    return folder / "people.csv"


@pytest.fixture(scope="module")
def planted(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Of skin types IV to VI most pictures are as good as black; the genders are alike."""
    groups = [
        (str(1 + at % 3 + 3 * (at % 2)), "fm"[at // 2 % 2], DARK if at % 2 and at % 8 < 6 else LIGHT)
        for at in range(48)
    ]
    return write(tmp_path_factory.mktemp("planted"), groups)


def audit(*arguments: object) -> int:
    return main(["audit", *map(str, arguments)])


def test_a_planted_gap_is_found_and_nothing_of_a_picture_is_kept(
    planted: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    before = sorted(path.name for path in planted.parent.iterdir())
    out = tmp_path / "report"
    code = audit(
        planted,
        "--fitzpatrick",
        "skin",
        "--group",
        "gender",
        "--out",
        out,
        "--min-group",
        5,
        "--robustness",
        5,
    )
    assert code == 0
    assert capsys.readouterr().out.splitlines() == [
        str(out / name) for name in ("audit.json", "audit.md", "audit.html")
    ]
    assert sorted(path.name for path in out.iterdir()) == ["audit.html", "audit.json", "audit.md"]
    told = json.loads((out / "audit.json").read_text())
    clear = [gap for gap in told["gaps"] if gap["clear"] and gap["measure"] == "missed"]
    assert ["skin"] in [gap["columns"] for gap in clear]
    assert ["gender"] not in [gap["columns"] for gap in clear]
    skin = next(gap for gap in clear if gap["columns"] == ["skin"])
    assert (skin["high"], skin["low"]) == ({"skin": "IV–VI"}, {"skin": "I–III"})
    assert skin["difference"] > 0.5
    assert skin["p_corrected"] < 0.01
    found = {tuple(one["group"].values()): one for one in told["groupings"][1]["groups"]}
    assert found["I–III",]["labels"]["count"] >= 22
    assert (out / "audit.md").read_text().startswith("# Whom does it fail, and how?")
    # Aggregates only, and the pictures are where they were.
    for path in out.iterdir():
        assert not any(f"{at}.jpg" in path.read_text() for at in range(48))
    assert sorted(path.name for path in planted.parent.iterdir()) == before


def test_two_policies_are_compared(planted: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    strict = tmp_path / "strict.yaml"
    strict.write_text("show: none\nreason: not here.\n")
    for name, policy in (("a", "as-2019"), ("b", strict)):
        arguments = (planted, "--group", "gender", "--out", tmp_path / name, "--robustness", 0)
        assert audit(*arguments, "--set", f"policy={policy}") == 0
    capsys.readouterr()
    assert audit("--compare", tmp_path / "a" / "audit.json", tmp_path / "b" / "audit.json") == 0
    text = capsys.readouterr().out
    assert "| all | 0.0" in text.split("## Words that the policy withholds")[1]
    assert "| 100.0" in text.split("## Words that the policy withholds")[1]
    report = (tmp_path / "b" / "audit.md").read_text()
    assert "\\[withheld\\]" in report
    assert "orderly" not in report
    assert (
        audit(
            "--compare", tmp_path / "a" / "audit.json", tmp_path / "b" / "audit.json", "--out", tmp_path / "c"
        )
        == 0
    )
    assert (tmp_path / "c" / "comparison.html").exists()


def test_damaged_and_missing_pictures_get_a_line_each_and_the_report_is_made(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = write(tmp_path, [("1", "f", LIGHT)] * 10)
    (tmp_path / "0.jpg").write_bytes((tmp_path / "0.jpg").read_bytes()[:5000])
    (tmp_path / "1.jpg").unlink()
    assert audit(path, "--out", tmp_path / "out", "--min-group", 5, "--robustness", 0) == 65
    lines = capsys.readouterr().err.splitlines()
    assert (
        f"kiosk: {path}:2: {tmp_path / '0.jpg'}: not a picture that OpenCV can read, or a truncated one"
        in lines
    )
    assert f"kiosk: {path}:3: {tmp_path / '1.jpg'}: cannot be read: No such file or directory" in lines
    assert json.loads((tmp_path / "out" / "audit.json").read_text())["unreadable"] == 2


@pytest.mark.parametrize(
    ("arguments", "code", "complaint"),
    [
        ((), 2, "kiosk: a TABLE.csv must be given, or --compare A.json B.json"),
        (("none.csv",), 65, "kiosk: none.csv: cannot be read: No such file or directory"),
        (("{table}", "--group", "skni"), 2, "kiosk: {table}: no column 'skni'. Did you mean 'skin'?"),
        (("{table}", "--robustness", "5"), 2, "kiosk: --robustness: must be 0, or at least --min-group"),
        (("--compare", "a.json", "b.json"), 65, "kiosk: a.json: cannot be read: No such file or directory"),
        (("{table}", "--set", "policy=no-slur"), 78, "kiosk: policy: must be one of"),
        (("{table}", "--out", "{table}"), 65, "kiosk: {table}/progress.json: cannot be read: Not a dir"),
    ],
)
def test_what_cannot_be_done_is_told_in_one_line(
    arguments: tuple[str, ...], code: int, complaint: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    table = tmp_path / "table.csv"
    table.write_text("path,skin\na.jpg,1\n")
    assert audit(*(word.format(table=table) for word in arguments)) == code
    (line,) = capsys.readouterr().err.splitlines()
    assert line.startswith(complaint.format(table=table))


@pytest.mark.parametrize("option", ["--min-group=1", "--min-group=x", "--robustness=-1", "--robustness=1.5"])
def test_a_bad_number_is_told(option: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as caught:
        audit("table.csv", option)
    assert caught.value.code == 2
    assert "must be a whole number from" in capsys.readouterr().err


# Ctrl-C.


def test_a_signal_ends_the_picture_and_keeps_the_counts(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    progress = Progress(tmp_path / NAME, "this one", 10)
    counts = {("dark",): count(20)}
    taken = []

    def steps() -> Iterator[Step]:
        for at in range(1, 100):
            taken.append(at)
            if at == 5:
                os.kill(os.getpid(), signal.SIGINT)
            yield Step(at)

    handler = signal.getsignal(signal.SIGINT)
    with stopping() as stop:
        assert follow(steps(), 99, counts, progress, stop) == INTERRUPTED
    assert taken[-1] == 5
    assert signal.getsignal(signal.SIGINT) == handler
    assert progress.read()["dark",].tally.pictures == 20
    assert capsys.readouterr().err == (
        "kiosk: stopped after 5 of 99 lines; the same command goes on from there\n"
    )


def test_a_signal_at_the_last_picture_changes_nothing(tmp_path: Path) -> None:
    progress = Progress(tmp_path / NAME, "this one", 10)
    with stopping() as stop:
        stop.asked = True
        assert follow([Step(3)], 3, {}, progress, stop) == 0


def test_without_a_terminal_the_progress_is_a_line_every_thousand(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    progress = Progress(tmp_path / NAME, "this one", 10)
    with stopping() as stop:
        follow((Step(at) for at in range(1, 2501)), 2500, {}, progress, stop)
    lines = capsys.readouterr().err.splitlines()
    assert len(lines) == 2
    assert "1,000 of 2,500" in lines[0]
    assert "2,000 of 2,500" in lines[1]


def test_an_audit_that_was_interrupted_goes_on_and_leaves_only_the_report(
    planted: Path, tmp_path: Path
) -> None:
    # The first line has no picture, so that its complaint tells when the audit is under way.
    table = planted.with_name("interrupted.csv")
    head, *rows = planted.read_text().splitlines()
    table.write_text("\n".join([head, "none.jpg,1,f", *rows * 20]))
    command = [
        sys.executable,
        "-m",
        "kiosk",
        "audit",
        str(table),
        "--group",
        "gender",
        "--out",
        str(tmp_path / "out"),
    ]
    try:
        with subprocess.Popen(
            [*command, "--robustness", "0"], cwd=ROOT, text=True, stderr=subprocess.PIPE
        ) as process:
            assert process.stderr is not None
            assert "none.jpg" in process.stderr.readline()
            process.send_signal(signal.SIGINT)
            rest = process.stderr.read()
    finally:
        table.unlink()
    assert process.returncode == INTERRUPTED
    assert "Traceback" not in rest
    assert "of 961 lines; the same command goes on from there" in rest
    assert [path.name for path in (tmp_path / "out").iterdir()] == [NAME]
