from __future__ import annotations

import json
import resource
from pathlib import Path

import numpy as np
import pytest

from kiosk.audit.changes import AS_IT_IS, BLURRED, BRIGHTER, CHANGES, DARKER, FARTHER, FLATTER, changed
from kiosk.audit.examination import examine
from kiosk.audit.progress import Progress
from kiosk.audit.table import Cell, Choice, read
from kiosk.audit.tally import Count, as_numbers, of_numbers, total
from kiosk.errors import InferenceError, InputError
from tests.auditing import BAKER, COOK, LOUT, SAFETY, SAILOR, Piece, count, picture, write_table

LEAST = 10
BOTH = Choice(("skin", "gender"))


@pytest.fixture
def table(tmp_path: Path) -> Path:
    """120 pictures of three groups, of all kinds of outcome."""
    random = np.random.default_rng(7)
    cells = [("dark", "f")] * 70 + [("light", "f")] * 45 + [("light", "m")] * 5
    rows = [
        (picture(tmp_path, *(int(value) for value in random.choice([30, 90, 150, 250], 3))), *cells[at])
        for at in random.permutation(120)
    ]
    return write_table(tmp_path, rows)


def counted(path: Path, robustness: int = 0) -> dict[Cell, Count]:
    counts: dict[Cell, Count] = {}
    assert not [
        step for step in examine(read(path, BOTH), Piece(LOUT), counts, SAFETY, robustness) if step.problem
    ]
    return counts


def test_what_is_seen_is_counted_in_its_cell(tmp_path: Path) -> None:
    rows = [
        (picture(tmp_path, 100, 0, 200), "dark", "f"),
        (picture(tmp_path, 250, 2, 100), "dark", "f"),
        (picture(tmp_path, 30), "dark", "f"),
        (picture(tmp_path, 0), "dark", "f"),
        (picture(tmp_path, 100, 3), "light", "m"),
    ]
    counts = counted(write_table(tmp_path, rows))
    dark, light = counts["dark", "f"].tally, counts["light", "m"].tally
    assert (dark.pictures, dark.missed, dark.aside, dark.twice, dark.found) == (4, 2, 1, 1, 2)
    assert (dark.withheld, dark.offensive, dark.sensitive) == (1, 1, 0)
    assert dark.labels == {BAKER: 1, LOUT: 1}
    assert dark.scores.moments.mean == pytest.approx((200 + 100) / 255 / 2)
    assert sum(dark.scores.counts) == sum(dark.sureness.counts) == 2
    assert (light.pictures, light.sensitive, dict(light.labels)) == (1, 1, {SAILOR: 1})
    assert counts["light", "m"].through == 6


def test_a_picture_that_cannot_be_read_gets_a_line_and_the_others_go_on(tmp_path: Path) -> None:
    (tmp_path / "damaged.jpg").write_bytes(b"\xff\xd8\xff\xe0 no picture")
    rows = [
        ("damaged.jpg", "dark", "f"),
        ("none.jpg", "dark", "f"),
        (picture(tmp_path, 90), "dark", "f"),
        ("x.jpg",),
    ]
    path = write_table(tmp_path, rows)
    counts: dict[Cell, Count] = {}
    steps = list(examine(read(path, BOTH), Piece(), counts))
    assert [step.lines for step in steps] == [1, 2, 3, 4]
    damaged, missing, good, short = (step.problem for step in steps)
    assert damaged.startswith(f"{path}:2: {tmp_path / 'damaged.jpg'}: not a picture")
    assert missing == f"{path}:3: {tmp_path / 'none.jpg'}: cannot be read: No such file or directory"
    assert good == ""
    assert short.startswith(f"{path}:5: must have a path")
    assert (counts["dark", "f"].tally.pictures, counts["dark", "f"].tally.unreadable) == (1, 2)


# An audit that was stopped.


@pytest.mark.parametrize("stopped", [1, 13, 60, 119])
def test_an_audit_that_was_stopped_comes_to_the_same_counts(
    table: Path, tmp_path: Path, stopped: int
) -> None:
    progress = Progress(tmp_path / "out" / "progress.json", "this one", LEAST)
    counts = progress.read()
    for step in examine(read(table, BOTH), Piece(LOUT), counts, SAFETY, 12):
        if step.lines == stopped:
            break
    progress.write(counts)
    piece = Piece(LOUT)
    going_on = progress.read()
    kept = sum(count.tally.pictures for count in going_on.values())
    assert kept >= stopped - 3 * LEAST
    list(examine(read(table, BOTH), piece, going_on, SAFETY, 12))
    assert piece.looked >= 120 - kept
    whole = counted(table, 12)
    assert {cell: as_numbers(one) for cell, one in going_on.items()} == {
        cell: as_numbers(one) for cell, one in whole.items()
    }


def test_the_file_holds_no_cell_that_is_too_small_and_nobodys_path(table: Path, tmp_path: Path) -> None:
    progress = Progress(tmp_path / "progress.json", "this one", LEAST)
    progress.write(counted(table))
    text = progress.path.read_text()
    assert ".bmp" not in text
    assert {tuple(cell["values"]) for cell in json.loads(text)["cells"]} == {("dark", "f"), ("light", "f")}
    assert progress.path.stat().st_mode & 0o777 == 0o600


def test_a_cell_with_few_faces_found_is_not_kept_either() -> None:
    assert count(40, missed=40).may_be_kept(LEAST)
    assert not count(40, missed=35).may_be_kept(LEAST)
    assert count(40, missed=30).may_be_kept(LEAST)
    assert not count(9).may_be_kept(LEAST)
    assert not count(9, missed=9).may_be_kept(LEAST)


def test_an_audit_of_something_else_is_not_gone_on_with(tmp_path: Path) -> None:
    path = tmp_path / "progress.json"
    Progress(path, "this one", LEAST).write({("dark",): count(20)})
    with pytest.raises(InputError, match="begun with another table, configuration or model"):
        Progress(path, "another", LEAST).read()
    Progress(path, "this one", LEAST).write({("dark",): count(2)})
    assert Progress(path, "another", LEAST).read() == {}, "nothing in it is lost"


@pytest.mark.parametrize("content", ["", "[]", "{}", '{"format": "kiosk audit progress 1"}', "[" * 5000])
def test_a_damaged_file_is_told(tmp_path: Path, content: str) -> None:
    path = tmp_path / "progress.json"
    path.write_text(content)
    with pytest.raises(InputError, match="is damaged; delete it to begin anew"):
        Progress(path, "this one", LEAST).read()


def test_counts_that_do_not_fit_together_are_damaged(table: Path) -> None:
    good = json.loads(json.dumps(as_numbers(counted(table)["dark", "f"])))
    assert as_numbers(of_numbers(good)) == good
    for change in (
        {"missed": 0},
        {"labels": {}},
        {"pictures": -1},
        {"pictures": "9"},
        {"scores": [1, 2.0, 3.0]},
    ):
        with pytest.raises(ValueError, match="must"):
            of_numbers({**good, **change})


def test_a_folder_that_cannot_be_written_is_told(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(InputError, match="cannot be written: File exists"):
        Progress(tmp_path / "file" / "progress.json", "this one", LEAST).write({})


def test_a_network_that_fails_leaves_whole_counts(table: Path) -> None:
    class Failing(Piece):
        def detector(self, frame: object) -> tuple[()]:
            raise InferenceError("CUDA failure 700")

    counts: dict[Cell, Count] = {}
    with pytest.raises(InferenceError):
        list(examine(read(table, BOTH), Failing(), counts))
    assert all(one.tally.found == sum(one.tally.labels.values()) for one in counts.values())


def test_the_sum_of_cells_is_the_whole(table: Path) -> None:
    counts = counted(table, 12)
    whole = total(counts.values())
    assert whole.tally.pictures == 120
    assert whole.tally.labels.total() == whole.tally.found == sum(one.tally.found for one in counts.values())
    assert whole.changed[AS_IT_IS].pictures == 12 + 12 + 5
    assert whole.tally.scores.moments.mean == pytest.approx(
        sum(one.tally.scores.total for one in counts.values()) / whole.tally.found
    )


# 50,000 lines.


def resident() -> int:
    """Bytes of this process that are in memory."""
    return int(Path("/proc/self/statm").read_text().split()[1]) * resource.getpagesize()


def test_50_000_lines_take_no_more_memory_than_1_000(tmp_path: Path) -> None:
    names = [picture(tmp_path, blue, green) for blue in (10, 90, 250) for green in range(4)]
    rows = [(names[at % 12], ("dark", "light")[at % 2], "f" if at % 3 else "m") for at in range(50_000)]
    table = read(write_table(tmp_path, rows), BOTH)
    counts: dict[Cell, Count] = {}
    early = late = 0
    for step in examine(table, Piece(), counts):
        if step.lines == 1_000:
            early = resident()
        if step.lines == 50_000:
            late = resident()
    assert sum(one.tally.pictures for one in counts.values()) == table.lines == 50_000
    # A kilobyte a line, which an 8x8 picture and what was seen in it would take, were 50 MB.
    assert 0 < late < early + 5_000_000


# Pictures, changed.


def test_each_change_does_what_it_says() -> None:
    random = np.random.default_rng(1)
    image = random.integers(40, 120, (60, 80, 3)).astype(np.uint8)
    mean = float(image.mean())
    assert changed(image, AS_IT_IS, 20) is image
    assert changed(image, DARKER, 20).mean() == pytest.approx(mean / 2, abs=0.6)
    assert changed(image, BRIGHTER, 20).mean() == pytest.approx(mean * 1.5, abs=0.6)
    flat = changed(image, FLATTER, 20)
    assert (flat.mean(), flat.std()) == pytest.approx((mean, image.std() / 2), abs=0.6)
    assert changed(image, BLURRED, 100).std() < changed(image, BLURRED, 20).std() < image.std()
    far = changed(image, FARTHER, 20)
    assert far.shape == (120, 160, 3)
    assert (far[30:90, 40:120] == image).all()
    assert far[0, 0] == pytest.approx(image.mean(axis=(0, 1)), abs=0.6)


def test_a_change_leaves_the_picture_as_it_was() -> None:
    image = np.full((10, 10, 3), 200, np.uint8)
    image.flags.writeable = False
    assert [changed(image, change, 0).dtype for change in CHANGES] == [np.uint8] * 6
    assert changed(image, BRIGHTER, 0).max() == 255


def test_a_huge_picture_is_not_made_four_times_as_huge() -> None:
    assert changed(np.zeros((3200, 4000, 3), np.uint8), FARTHER, 0).shape == (3200, 4000, 3)


def test_the_first_pictures_of_each_cell_are_changed(tmp_path: Path) -> None:
    rows = [(picture(tmp_path, 90, at % 2), ("dark", "light")[at % 2], "f") for at in range(30)]
    counts = counted(write_table(tmp_path, rows), robustness=10)
    for one in counts.values():
        assert {under.pictures for under in one.changed.values()} == {10}
        assert one.changed[AS_IT_IS].missed == 0
        assert one.changed[DARKER].missed == 10, "45 of blue are no face any more"
        assert one.changed[BRIGHTER].missed == 0
        assert one.changed[AS_IT_IS].same == one.changed[AS_IT_IS].compared == 10
        assert one.changed[DARKER].compared == 0
    assert counts["light", "f"].changed[BRIGHTER].same == 0, "green 1 becomes 2, which is another word"
    assert COOK in counts["light", "f"].tally.labels
