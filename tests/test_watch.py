from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from kiosk.watch import INTERVAL, SETTLED_AFTER, Watch

OLD, NEW = "hold: 3\n", "hold: 9\n"  # of one size, so that the size tells nothing


class Editor:
    """A file, a virtual clock, and a watch that is asked as often as a screen draws."""

    def __init__(self, folder: Path) -> None:
        self.path = folder / "kiosk.yaml"
        self.path.write_text(OLD)
        self.now = 100.0
        self.watch = Watch([self.path], self.now)

    def wait(self, seconds: float) -> int:
        """How many changes were seen meanwhile."""
        seen, end = 0, self.now + seconds
        while self.now < end:
            self.now += 1 / 60
            seen += self.watch.changed(self.now)
        return seen


@pytest.fixture
def editor(tmp_path: Path) -> Editor:
    return Editor(tmp_path)


def in_place(path: Path) -> None:
    with path.open("r+") as file:
        file.write(NEW)
    later(path)


def truncate_then_write(path: Path) -> None:
    path.write_text("")
    path.write_text(NEW)
    later(path)


def temp_and_rename(path: Path) -> None:
    beside = path.with_suffix(".tmp")
    beside.write_text(NEW)
    beside.replace(path)


def delete_and_recreate(path: Path) -> None:
    path.unlink()
    path.write_text(NEW)
    later(path)


def later(path: Path) -> None:
    """Two writes within one tick of a file system's clock look the same: in a fast test, never by hand."""
    state = path.stat()
    os.utime(path, ns=(state.st_atime_ns, state.st_mtime_ns + 5_000_000))


SAVES = [in_place, truncate_then_write, temp_and_rename, delete_and_recreate]


@pytest.mark.parametrize("save", SAVES)
def test_every_way_of_saving_is_seen_once_and_soon(editor: Editor, save: Callable[[Path], None]) -> None:
    assert editor.wait(5) == 0
    save(editor.path)
    assert editor.wait(2) == 1
    assert editor.wait(5) == 0


def test_a_link_that_leads_elsewhere_is_seen(tmp_path: Path) -> None:
    for name, text in (("a.yaml", OLD), ("b.yaml", NEW)):
        (tmp_path / name).write_text(text)
    link = tmp_path / "link.yaml"
    link.symlink_to("a.yaml")
    now = 100.0
    watch = Watch([link], now)
    swapped = tmp_path / "swapped"
    swapped.symlink_to("b.yaml")
    swapped.replace(link)
    assert not watch.changed(now + INTERVAL)
    assert watch.changed(now + INTERVAL + SETTLED_AFTER + INTERVAL)


def test_a_file_that_is_still_written_waits(editor: Editor) -> None:
    for part in range(1, 12):
        editor.path.write_text(NEW[: part % len(NEW)] * part)
        assert editor.wait(SETTLED_AFTER * 0.6) == 0
    assert editor.wait(2) == 1


def test_a_file_that_is_gone_waits_until_it_is_back(editor: Editor) -> None:
    editor.path.unlink()
    assert editor.wait(10) == 0
    editor.path.write_text(NEW)
    assert editor.wait(2) == 1


def test_a_file_that_is_put_back_as_it_was_is_no_change(editor: Editor) -> None:
    away = editor.path.with_suffix(".away")
    editor.path.rename(away)
    assert editor.wait(1) == 0
    away.rename(editor.path)
    assert editor.wait(2) == 0


def test_one_of_several_files_is_enough(tmp_path: Path) -> None:
    paths = [tmp_path / name for name in ("kiosk.yaml", "policy.yaml")]
    for path in paths:
        path.write_text(OLD)
    watch = Watch(paths, 0.0)
    paths[1].write_text(NEW * 2)
    assert not watch.changed(1.0)
    assert watch.changed(2.0)
