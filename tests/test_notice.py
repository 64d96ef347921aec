from __future__ import annotations

import dataclasses
import re
from pathlib import Path

import pytest

from kiosk import health
from kiosk.cli import main
from kiosk.commands.notice import FOLDER, LANGUAGES, Notice, compose, read
from kiosk.config import Config
from kiosk.errors import ConfigError
from kiosk.sections import TrackingConfig
from kiosk.vision import stillness
from kiosk.words import caption

ROOT = Path(__file__).parent.parent
CAMERA, STREAM = Config(source="0"), Config(source="rtsp://10.0.0.5/live")


def forgetting(seconds: float) -> Config:
    return Config(tracking=TrackingConfig(forget_after=seconds))


def rewritten(folder: Path, old: str, new: str) -> Path:
    """A folder with the English notice, one text of it changed."""
    text = (FOLDER / "en.yaml").read_text(encoding="utf-8")
    assert text.count(old) == 1
    (folder / "en.yaml").write_text(text.replace(old, new), encoding="utf-8")
    return folder


def test_there_is_a_file_for_every_language_and_no_other() -> None:
    assert sorted(path.stem for path in FOLDER.iterdir()) == list(LANGUAGES)
    assert set(LANGUAGES) == {"de", "en", "es", "fr", "it"}


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("config", [CAMERA, STREAM])
@pytest.mark.parametrize("sealed", [True, False])
def test_every_notice_has_seven_sections_and_no_open_placeholder(
    language: str, config: Config, sealed: bool
) -> None:
    notice = compose(read(language), config, sealed)
    assert notice.startswith("# ")
    assert len(re.findall(r"^## \S", notice, re.MULTILINE)) == 7
    assert not set("{}") & set(notice)
    assert notice.count("____") >= 2  # venue and contact, to be filled in by hand


@pytest.mark.parametrize("language", LANGUAGES)
def test_no_text_is_left_in_another_language(language: str) -> None:
    # What is equal by right: numbers, blanks, and words that two languages share.
    shared = {"decimal", "plural_from", "contact", "second", "seconds", "responsible"}
    texts = dataclasses.asdict(read(language))
    for other in set(LANGUAGES) - {language}:
        equal = {key for key, text in dataclasses.asdict(read(other)).items() if text == texts[key]}
        assert equal <= shared, other


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("config", [CAMERA, STREAM])
def test_a_notice_fits_on_a_page_in_large_type(language: str, config: Config) -> None:
    # A4 in 14 points holds some 45 lines of 70 letters; a heading takes two and a half.
    notice = compose(read(language), config, sealed=True)
    lines = sum(2.5 if part.startswith("#") else -(-len(part) // 70) for part in notice.split("\n\n"))
    assert lines <= 50


@pytest.mark.parametrize(
    ("language", "seconds", "said"),
    [
        ("en", 1.5, "1.5 seconds"),
        ("en", 1, "1 second "),
        ("en", 0.5, "0.5 seconds"),
        ("de", 1.5, "1,5 Sekunden"),
        ("de", 1, "1 Sekunde "),
        ("fr", 1.5, "1,5 seconde "),
        ("fr", 2, "2 secondes"),
        ("it", 30, "30 secondi"),
        ("es", 1, "1 segundo "),
    ],
)
def test_the_time_is_the_configurations(language: str, seconds: float, said: str) -> None:
    assert said in compose(read(language), forgetting(seconds), sealed=True)


@pytest.mark.parametrize("language", LANGUAGES)
def test_what_the_configuration_does_not_give_is_not_claimed(language: str) -> None:
    texts = read(language)
    assert texts.sealed_camera in compose(texts, CAMERA, sealed=True)
    assert texts.sealed_camera not in compose(texts, CAMERA, sealed=False)
    assert texts.sealed_stream not in compose(texts, STREAM, sealed=False)
    over_the_network = compose(texts, STREAM, sealed=True)
    assert texts.sealed_stream in over_the_network
    assert texts.sealed_camera not in over_the_network  # it may not send is not true of a stream
    assert texts.stream_beyond in over_the_network
    assert texts.stream_beyond not in compose(texts, CAMERA, sealed=True)


def test_venue_and_contact_stand_as_they_were_given() -> None:
    notice = compose(read("de"), CAMERA, True, "Kunsthalle {Süd}", "datenschutz@example.org")
    assert "Kunsthalle {Süd}. Fragen: datenschutz@example.org" in notice
    assert "____" not in notice


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_command_prints_the_notice(language: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["notice", "--language", language, "--source", "0", "--set", "tracking.forget_after=7"]) == 0
    printed = capsys.readouterr()
    assert printed.out.startswith(f"# {read(language).title}\n")
    assert " 7 " in printed.out
    assert printed.err == ""


def test_the_command_claims_the_seal_only_where_it_is_required(capsys: pytest.CaptureFixture[str]) -> None:
    claim = read("en").sealed_camera
    for seal in ("required", "best-effort"):
        assert main(["notice", "--source", "0", "--set", f"privacy.seal={seal}"]) == 0
        assert (claim in capsys.readouterr().out) is (seal == "required")


def test_a_language_that_is_not_there_is_a_usage_error(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as caught:
        main(["notice", "--language", "la"])
    assert caught.value.code == 2
    assert "invalid choice: 'la'" in capsys.readouterr().err


def test_a_mistyped_address_does_not_tell_its_password(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["notice", "--source", "rtsp:/bob:secret@10.0.0.5/live"]) == 78
    printed = capsys.readouterr()
    assert "films nobody" in printed.err
    assert "secret" not in printed.out + printed.err


@pytest.mark.parametrize("source", ["demo", "film.mp4"])
def test_where_nobody_is_filmed_there_is_no_notice(source: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["notice", "--source", source]) == 78
    printed = capsys.readouterr()
    assert printed.out == ""
    assert printed.err == (
        f"kiosk: source: must be a camera or a stream for a notice; '{source}' films nobody\n"
    )


def test_a_bad_configuration_prints_no_notice(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["notice", "--set", "tracking.forget_after=soon"]) == 78
    assert capsys.readouterr().out == ""


@pytest.mark.parametrize(
    ("old", "new", "problem"),
    [
        ("forgotten {forgotten}", "forgotten soon", "lifetime must have {forgotten} between braces"),
        ("{venue}. Questions", "{place}. Questions", "responsible must have {contact} and {venue} between"),
        ("title: A", "title: A {camera}", "title must have nothing between braces"),
        ("title: A camera is looking here\n", "", "title: missing"),
        ("title: A", "titel: A", "titel: unknown key. Did you mean 'title'?"),
    ],
)
def test_a_slip_in_a_venues_own_text_is_told(tmp_path: Path, old: str, new: str, problem: str) -> None:
    with pytest.raises(ConfigError, match=re.escape(problem)):
        read("en", rewritten(tmp_path, old, new))


def test_an_open_brace_in_a_venues_own_text_is_told(tmp_path: Path) -> None:
    with pytest.raises(ConfigError):
        read("en", rewritten(tmp_path, "title: A", "title: A {"))


def test_every_text_is_shown_somewhere() -> None:
    # A text that no notice shows would be a claim that nobody reads.
    for language in LANGUAGES:
        texts = read(language)
        shown = "\n".join(compose(texts, config, sealed=True) for config in (CAMERA, STREAM))
        shown += compose(texts, forgetting(1), sealed=True) + compose(texts, forgetting(7), sealed=True)
        for field in dataclasses.fields(Notice):
            text = str(getattr(texts, field.name))
            pieces = re.split(r"\{\w+\}", text) if field.name != "plural_from" else []
            assert all(piece in shown for piece in pieces), field.name


def test_the_paper_on_privacy_has_the_times_of_the_program() -> None:
    paper = (ROOT / "docs" / "privacy.md").read_text(encoding="utf-8")
    config = Config()
    for key, value in {
        "tracking.forget_after": config.tracking.forget_after,
        "tracking.confirm_after": config.tracking.confirm_after,
        "captions.hold": config.captions.hold,
        "classification.smoothing": config.classification.smoothing,
        "captions.scene_after": config.captions.scene_after,
    }.items():
        assert re.search(rf"{value:g} s\b[^\n]*`{re.escape(key)}`", paper), key
    for name, value in {
        "FRAME_LIFETIME": health.FRAME_LIFETIME,
        "SCENE_LIFETIME": health.SCENE_LIFETIME,
        "LINGER": caption.LINGER,
        "LASTS": stillness.LASTS,
    }.items():
        assert re.search(rf"{value:g} s\b[^\n]*`{name}`", paper), name
