from __future__ import annotations

import io
import json
import sys
from pathlib import Path

import pytest

from kiosk import cli
from kiosk.commands import labels
from kiosk.config import LEXICON_PATH
from kiosk.words.lexicon import Lexicon


def run(capsys: pytest.CaptureFixture[str], *arguments: str) -> list[str]:
    assert cli.main(["labels", *arguments]) == 0
    return capsys.readouterr().out.splitlines()


def test_a_pipe_gets_a_line_a_category_with_tabs_between(capsys: pytest.CaptureFixture[str]) -> None:
    lines = [line.split("\t") for line in run(capsys, "--policy", "no-slurs")]
    assert len(lines) == 2833
    assert {len(line) for line in lines} == {8}
    gook = next(line for line in lines if line[1] == "gook, slant-eye")
    assert gook[0] == "n09643799"
    assert gook[4] == "Oriental > Asian > inhabitant > person"
    assert gook[5:] == ["withheld", "a slur against a people", "slurs: word: gook"]


def test_withheld_and_grep_narrow_the_list(capsys: pytest.CaptureFixture[str]) -> None:
    withheld = run(capsys, "--policy", "no-slurs", "--withheld")
    assert all("\twithheld\t" in line for line in withheld)
    policy = len(withheld)
    both = run(capsys, "--policy", "no-slurs", "--withheld", "--grep", "GOSSIP")
    assert 0 < len(both) < policy
    assert all("gossip" in line.lower() for line in both)
    assert run(capsys, "--grep", "no such text") == []


def test_the_configured_policy_is_the_default(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(capsys, "--withheld") == []


def test_json_is_an_object_a_line(capsys: pytest.CaptureFixture[str]) -> None:
    objects = [json.loads(line) for line in run(capsys, "--policy", "protected", "--json")]
    assert len(objects) == 2833
    oboist = next(object_ for object_ in objects if object_["lemmas"] == ["oboist"])
    assert oboist["shown"] is True
    assert oboist["reason"] is oboist["rule"] is None
    rabbi = next(object_ for object_ in objects if object_["lemmas"] == ["rabbi"])
    assert rabbi["shown"] is False
    assert rabbi["reason"] == "a word for a faith, or for none"
    assert rabbi["definition"]["source"].startswith("Webster")
    assert rabbi["chain"][-1] == "person"


def test_the_tree_shows_branches_with_their_counts(capsys: pytest.CaptureFixture[str]) -> None:
    lines = run(capsys, "--policy", "as-2019", "--tree")
    assert lines[0] == "person  n00007846  2833 shown, 0 withheld"
    assert "  leader  n09623038  175 shown, 0 withheld" in lines
    assert all(line.startswith("  ") for line in lines[1:])
    ids = [line.split("  ")[-2] for line in lines]
    assert len(set(ids)) == len(ids)
    found = run(capsys, "--policy", "as-2019", "--tree", "--grep", "oboist")
    assert [line.split()[0] for line in found] == ["person", "entertainer", "performer", "musician"]


class Terminal(io.StringIO):
    """A standard output that says it is a terminal."""

    def isatty(self) -> bool:
        return True


@pytest.mark.parametrize("columns", [20, 80, 200])
def test_a_terminal_gets_a_table_that_fits(columns: int, monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = Terminal()
    monkeypatch.setattr(sys, "stdout", terminal)
    monkeypatch.setenv("COLUMNS", str(columns))
    assert cli.main(["labels", "--policy", "protected"]) == 0
    lines = terminal.getvalue().splitlines()
    assert len(lines) == 2835
    assert max(map(len, lines)) <= columns
    assert lines[0].startswith("synset")
    assert lines[1].startswith("n0")
    if columns >= 80:
        assert lines[-1].startswith("2833 categories: ")
        assert ("Webster" in lines[0]) == (columns >= labels.WIDE)


def test_a_policy_may_be_a_file_seen_from_where_one_stands(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("mine.yaml").write_text("groups: [{name: g, reason: r, rules: [{word: oboist}]}]")
    (line,) = run(capsys, "--policy", "mine.yaml", "--withheld")
    assert line.endswith("withheld\tr\tg: word: oboist")


def test_a_bad_policy_is_exit_78_and_a_line_a_problem(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "bad.yaml"
    path.write_text("show: some\nexceptions: [{word: captain}]\n")
    assert cli.main(["labels", "--policy", str(path)]) == 78
    first, second = capsys.readouterr().err.splitlines()
    assert first.startswith(f"kiosk: {path}:1:7: show: must be one of all, none")
    assert "'captain' stands for 5" in second
    assert cli.main(["labels", "--policy", "protectd"]) == 78
    assert "Did you mean 'protected'?" in capsys.readouterr().err


def test_every_branch_above_a_category_is_in_the_lexicon_by_its_id() -> None:
    lexicon = Lexicon.load(LEXICON_PATH)
    for id_, entry in lexicon.items():
        assert len(entry.above) >= len(entry.chain)
        assert len(set(entry.above)) == len(entry.above)
        assert id_ not in entry.above
        for above, name in zip(entry.above, entry.chain, strict=False):
            assert above not in lexicon or lexicon[above].label == name
