from __future__ import annotations

import os
from pathlib import Path

import pytest

from kiosk.config import load
from kiosk.edits import Edits, check_named, read_with_models
from kiosk.errors import ConfigError
from kiosk.messages import Entry
from kiosk.screen import texts

LEXICON = {"n00000001": Entry("n00000001", ("one",), "", (), None, None, None)}
POLICY = "show: all\n"


class Venue:
    """A curator at work, on a virtual clock."""

    def __init__(self, folder: Path) -> None:
        self.config, self.policy = folder / "venue.yaml", folder / "words.yaml"
        self.policy.write_text(POLICY)
        self.now = 100.0
        self.config.write_text(f"policy: {self.policy}\n")
        self.edits = Edits(self.config, ["captions.hold=4"], load(self.config, ["captions.hold=4"]), self.now)

    def save(self, path: Path, text: str) -> None:
        path.write_text(text)
        os.utime(path, (self.now, self.now))

    def wait(self, seconds: float = 2) -> list:
        found, end = [], self.now + seconds
        while self.now < end:
            self.now += 0.1
            if edited := self.edits.poll(LEXICON, self.now):
                found.append(edited)
        return found


@pytest.fixture
def venue(tmp_path: Path) -> Venue:
    return Venue(tmp_path)


def test_nothing_happens_while_nobody_edits(venue: Venue) -> None:
    assert venue.wait(10) == []


def test_a_good_edit_is_in_force_and_the_command_line_still_wins(venue: Venue) -> None:
    venue.save(venue.config, f"policy: {venue.policy}\ncaptions: {{hold: 9, scene: false}}\n")
    (edit,) = venue.wait()
    assert (edit.config.captions.scene, edit.config.captions.hold) == (False, 4)
    assert edit.policy.verdict("n00000001").shown


def test_an_edit_of_the_policy_is_an_edit(venue: Venue) -> None:
    venue.save(venue.policy, "show: none\nreason: not here\n")
    (edit,) = venue.wait()
    assert not edit.policy.verdict("n00000001").shown


def test_a_bad_edit_changes_nothing_is_told_in_a_line_and_marked(
    venue: Venue, caplog: pytest.LogCaptureFixture
) -> None:
    venue.save(venue.config, "captions: {hodl: 9}\n")
    assert venue.wait() == []
    assert venue.edits.are_bad
    (line,) = [record.getMessage() for record in caplog.records]
    assert line == (
        f"not in force, what was stays: {venue.config}:1:12: captions.hodl: unknown key. Did you mean 'hold'?"
    )
    venue.save(venue.config, f"policy: {venue.policy}\n")
    assert len(venue.wait()) == 1
    assert not venue.edits.are_bad


def test_a_bad_policy_is_a_bad_edit(venue: Venue) -> None:
    venue.save(venue.policy, "show: everything\n")
    assert venue.wait() == []
    assert venue.edits.are_bad


def test_a_bad_policy_that_the_edit_names_is_watched_until_it_is_mended(venue: Venue, tmp_path: Path) -> None:
    other = tmp_path / "other.yaml"
    other.write_text("show: everything\n")
    venue.save(venue.config, f"policy: {other}\n")
    assert venue.wait() == []
    venue.save(other, POLICY)
    assert len(venue.wait()) == 1
    assert not venue.edits.are_bad


def test_a_policy_that_was_renamed_does_not_stop_the_configuration(venue: Venue, tmp_path: Path) -> None:
    renamed = tmp_path / "renamed.yaml"
    venue.policy.rename(renamed)
    assert venue.wait() == []
    assert venue.edits.are_bad
    venue.save(venue.config, f"policy: {renamed}\n")
    assert len(venue.wait()) == 1


@pytest.mark.parametrize("line", ["source: nosuch.mp4", "classification: {model: models/nosuch.onnx}"])
def test_what_the_next_start_would_refuse_is_a_bad_edit(venue: Venue, line: str) -> None:
    venue.save(venue.config, f"policy: {venue.policy}\n{line}\n")
    assert venue.wait() == []
    assert venue.edits.are_bad


def test_rules_in_the_configuration_are_edited_like_all_else_in_it(venue: Venue) -> None:
    venue.save(venue.config, "policy: {show: none, reason: not here}\n")
    (edit,) = venue.wait()
    assert not edit.policy.verdict("n00000001").shown
    venue.save(venue.config, "policy:\n  show: none\n  reason: nor there\n")
    (edit,) = venue.wait()
    assert str(edit.policy.verdict("n00000001").reason) == "nor there"
    venue.save(venue.config, "policy: {show: nothing}\n")
    assert venue.wait() == []
    assert venue.edits.are_bad
    venue.save(venue.config, f"policy: {venue.policy}\n")
    (edit,) = venue.wait()
    assert edit.policy.verdict("n00000001").shown


def test_another_policy_is_watched_from_then_on(venue: Venue, tmp_path: Path) -> None:
    other = tmp_path / "other.yaml"
    other.write_text(POLICY)
    venue.save(venue.config, f"policy: {other}\n")
    assert len(venue.wait()) == 1
    venue.save(venue.policy, "show: none\nreason: not here\n")
    assert venue.wait() == []
    venue.save(other, "show: none\nreason: not here\n")
    assert len(venue.wait()) == 1


def test_what_needs_a_new_start_says_so(venue: Venue, caplog: pytest.LogCaptureFixture) -> None:
    text = f"policy: {venue.policy}\nsource: demo\ndetection: {{input: 640x384}}\n"
    venue.save(venue.config, text)
    venue.wait()
    told = [record.getMessage() for record in caplog.records]
    assert told == [
        "source: changed, and in force after a new start",
        "detection.input: changed, and in force after a new start",
    ]


THEME = "colours: {accent: '#ff8800'}\n"


def test_the_theme_and_the_texts_are_watched_too(venue: Venue, tmp_path: Path) -> None:
    theme, own = tmp_path / "own.yaml", tmp_path / "dialect.yaml"
    venue.save(theme, THEME)
    venue.save(own, (texts.FOLDER / "de.yaml").read_text(encoding="utf-8"))
    lines = f"policy: {venue.policy}\ndisplay: {{theme: {theme}}}\nwall: {{language: 'en, {own}'}}\n"
    venue.save(venue.config, lines)
    (edit,) = venue.wait()
    assert [text.code for text in edit.texts] == ["en", "de"]
    venue.save(theme, "colours: {body: '#111111'}\n")
    assert venue.wait() == []
    assert venue.edits.are_bad
    venue.save(theme, THEME)
    assert len(venue.wait()) == 1
    venue.save(own, (texts.FOLDER / "fr.yaml").read_text(encoding="utf-8"))
    (edit,) = venue.wait()
    assert [text.code for text in edit.texts] == ["en", "fr"]


def test_every_problem_of_what_is_named_is_told_at_once(tmp_path: Path) -> None:
    path = tmp_path / "venue.yaml"
    path.write_text(
        "source: nowhere.mp4\n"
        "policy: no-slur\n"
        "detection: {model: models/none.onnx}\n"
        "display: {theme: nite}\n"
        "wall: {language: 'en, dee'}\n"
    )
    with pytest.raises(ConfigError) as caught:
        read_with_models(load(path), LEXICON)
    source, theme, language, policy, model = caught.value.problems
    assert source.startswith(f"{path}:1:9: source: must be auto, demo")
    assert theme.startswith(f"{path}:4:18: display.theme: must be one of")
    assert theme.endswith("not 'nite'. Did you mean 'night'?")
    assert language.startswith(f"{path}:5:18: wall.language: must be one of")
    assert language.endswith("not 'dee'. Did you mean 'de'?")
    assert policy.startswith(f"{path}:2:9: policy: must be one of")
    assert policy.endswith("not 'no-slur'. Did you mean 'no-slurs'?")
    assert model == f"{path}:3:20: detection.model: there is no file 'models/none.onnx'"


def test_what_the_command_line_says_has_no_place(tmp_path: Path) -> None:
    path = tmp_path / "venue.yaml"
    path.write_text("display: {theme: night}\n")
    with pytest.raises(ConfigError) as caught:
        check_named(load(path, ("display.theme=nite", "wall.language=en,de,fr", "source=1234")))
    source, theme, language = caught.value.problems
    assert source == "source: a camera's number is at most 3 digits long"
    assert theme.startswith("display.theme: must be one of")
    assert language == "wall.language: must be one language or two, not 3"
