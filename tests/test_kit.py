from __future__ import annotations

import logging
import math
import re
import sys
from dataclasses import fields, is_dataclass, replace
from pathlib import Path
from typing import Any

import pytest

from kiosk import capture
from kiosk.cli import COMMANDS, main
from kiosk.commands import booklet, notice
from kiosk.commands.booklet import Sheet, Strip
from kiosk.commands.kit import FOLDER, WHEN, Part, circumstances, compose, read
from kiosk.commands.placement import FOV, Lens
from kiosk.config import Config
from kiosk.errors import ConfigError
from kiosk.hours import ExceptionalDays, HoursConfig
from kiosk.screen import keys as staff_keys
from kiosk.screen import texts
from kiosk.screen.theme import Style
from kiosk.sections import (
    CameraConfig,
    CaptionConfig,
    DetectionConfig,
    FramingConfig,
    PrivacyConfig,
    StaffConfig,
    TrackingConfig,
    WallConfig,
    ZoneConfig,
)

ROOT = Path(__file__).parent.parent
INSTALLATION = ROOT / "docs" / "installation.md"
LANGUAGES = ("de", "en", "es", "fr", "it")
PLAIN = Config(source="0")
# Nearly all that can be said at once: the longest card.
STREAM = Config(
    source="rtsp://10.0.0.5/live",
    policy="no-slurs",
    privacy=PrivacyConfig(seal="best-effort"),
    wall=WallConfig(language="de, en"),
    zone=ZoneConfig(polygon=((0.2, 0.0), (0.8, 0.0), (0.8, 1.0))),
    hours=HoursConfig(monday="closed", restart="05:00"),
)
OTHERWISE = Config(
    source="auto",
    policy="no-slurs",
    privacy=PrivacyConfig(seal="best-effort"),
    captions=CaptionConfig(scene=False),
    wall=WallConfig(attract_after=0),
    staff=StaffConfig(keys=False, aim=0),
)
WRONG = "too much or missing between braces"
QUOTES = {"de": "„“", "en": "“”", "es": "«»", "fr": "«»", "it": "«»"}


def sheets(language: str, config: Config = PLAIN, fov: float = FOV, **said: str) -> dict[str, Sheet]:
    return dict(compose(read(language), notice.read(language), config, fov, **said))


def parts(language: str) -> dict[str, Part]:
    kit = read(language)
    return {field.name: getattr(kit, field.name) for field in fields(kit)}


def words(markdown: str) -> int:
    return sum(bool(re.search(r"\w", word)) for word in markdown.split())


def rewritten(folder: Path, old: str, new: str) -> Path:
    """A folder with the English texts, one of them changed."""
    text = (FOLDER / "en.yaml").read_text(encoding="utf-8")
    assert text.count(old) == 1
    (folder / "en.yaml").write_text(text.replace(old, new), encoding="utf-8")
    return folder


# The texts


def test_there_is_a_file_for_every_language_of_the_notice_and_no_other() -> None:
    assert sorted(path.name for path in FOLDER.iterdir()) == [f"{language}.yaml" for language in LANGUAGES]
    assert notice.LANGUAGES == LANGUAGES


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_language_says_the_same_things_in_the_same_places(language: str) -> None:
    def shape(part: Part) -> list[Any]:
        return [
            (
                section.when,
                bool(section.heading),
                len(booklet.pieces(section.text)) if section.text else 0,
                notice.placeholders(section.text),
                [(row.when, *map(notice.placeholders, (row.left, row.right))) for row in section.rows],
            )
            for section in part.sections
        ]  # fmt: skip

    english = parts("en")
    for name, part in parts(language).items():
        assert shape(part) == shape(english[name]), name


@pytest.mark.parametrize("language", LANGUAGES)
def test_no_text_is_left_in_another_language(language: str) -> None:
    shared = {
        *("", "ImageNet Roulette", "Computer", "Distance", "Cifra"),
        *("{distance} m", "{mount} m", "{tilt}°", "__________ ms, __________ ms (`.venv/bin/kiosk bench`)"),
    }
    for other in set(LANGUAGES) - {language}:
        for name, part in parts(language).items():
            assert set(part.texts()) & set(parts(other)[name].texts()) <= shared, (other, name)


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("config", [PLAIN, OTHERWISE])
def test_the_wall_text_is_of_a_length_that_is_read_standing(language: str, config: Config) -> None:
    text = sheets(language, config)["wall"].markdown
    title, by, body = text.split("\n\n", 2)
    assert 120 <= words(body) <= 190
    assert title == "# ImageNet Roulette"
    assert re.fullmatch(r"\*.+Trevor Paglen .+ Kate Crawford, 2019\*", by)


@pytest.mark.parametrize("language", LANGUAGES)
def test_quotes_and_apostrophes_are_those_of_the_language(language: str) -> None:
    said = " ".join(text for part in parts(language).values() for text in part.texts())
    assert set("\"„“”«»‹›'") & set(said) == set(QUOTES[language])
    assert said.count(QUOTES[language][0]) == said.count(QUOTES[language][1])


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("config", [PLAIN, STREAM, OTHERWISE])
def test_every_sheet_is_filled_in(language: str, config: Config) -> None:
    for name, sheet in sheets(language, config).items():
        assert sheet.markdown.startswith("# ")
        assert sheet.markdown.endswith("\n")
        assert not set("{}") & set(sheet.markdown), name


def test_everything_is_said_somewhere_and_nothing_everywhere_but_what_always_holds() -> None:
    met = [circumstances(config) for config in (PLAIN, STREAM, OTHERWISE)]
    assert frozenset.union(*met) == set(WHEN)
    assert frozenset.intersection(*met) == {"always"}


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("config", [PLAIN, STREAM, OTHERWISE])
def test_what_the_configuration_does_not_do_is_not_said(language: str, config: Config) -> None:
    made = sheets(language, config)
    for name, part in parts(language).items():
        said = [(section.text, section.when) for section in part.sections]
        rows = [row for section in part.sections for row in section.rows]
        said += [(f"| {row.left} | {row.right} |", row.when) for row in rows]
        for text, when in said:
            if "{" not in text:
                assert (text in made[name].markdown) is (when in circumstances(config)), text


def keys(section: Any, prefix: str = "") -> set[str]:
    found = set()
    for field in fields(section):
        value = getattr(section, field.name)
        found |= keys(value, f"{prefix}{field.name}.") if is_dataclass(value) else {prefix + field.name}
    return found


@pytest.mark.parametrize("path", [*sorted(FOLDER.iterdir()), INSTALLATION], ids=lambda path: path.name)
def test_every_key_of_the_configuration_that_is_named_is_one(path: Path) -> None:
    sections = "|".join(field.name for field in fields(Config))
    named = set(re.findall(rf"`((?:{sections})\.\w+)", path.read_text(encoding="utf-8")))
    assert named, "the check finds none"
    assert named <= keys(Config())


# The figures


def test_a_lens_sees_what_a_pinhole_sees() -> None:
    # 90 degrees from corner to corner: half of the diagonal is as long as the focal length.
    lens = Lens(800, 600, 90)
    assert lens.focal == pytest.approx(500)
    assert lens.pixels(0.2, 2.0) == pytest.approx(50)
    assert lens.distance(0.2, 50) == pytest.approx(2.0)
    # The C920's 78 degrees at 16:9 are the 70.4 by 43.3 that its data give.
    wide = Lens(1280, 720, 78)
    assert 2 * math.degrees(math.atan(1280 / 2 / wide.focal)) == pytest.approx(70.4, abs=0.1)
    assert 2 * math.degrees(math.atan(720 / 2 / wide.focal)) == pytest.approx(43.3, abs=0.1)


@pytest.mark.parametrize(
    ("config", "fov", "said"),
    [
        (PLAIN, FOV, ("48 pixels high at **4.1 m**", "| 2.0 m | 100 pixels; 2.8 m wide, 1.6 m high |")),
        # Half as far; and 3.0 m and 4.0 m are not in the table any more.
        (
            replace(PLAIN, detection=DetectionConfig(min_face_height=96)),
            FOV,
            ("96 pixels high at **2.0 m**",),
        ),
        (
            replace(PLAIN, camera=CameraConfig(width=2560, height=1440)),
            FOV,
            ("**8.3 m**", "| 6.0 m | 66 pix"),
        ),
        (PLAIN, 90, ("90° (`--fov`)", "48 pixels high at **3.3 m**", "length in pixels", "734 here")),
        # A cut shows less of the room, and does not bring a face nearer.
        (
            replace(PLAIN, framing=FramingConfig(zoom=2)),
            FOV,
            ("**4.1 m**", "| 2.0 m | 100 pixels; 1.4 m wide, 0.8 m high |", "picture, 640 to 360."),
        ),
        (replace(PLAIN, framing=FramingConfig(rotate="90")), FOV, ("1.6 m wide, 2.8 m high", "720 to 1280")),
    ],
)
def test_the_distances_are_those_of_the_configuration(
    config: Config, fov: float, said: tuple[str, ...]
) -> None:
    sheet = " ".join(sheets("en", config, fov)["hardware"].markdown.split())
    for text in said:
        assert text in sheet


def test_no_distance_beyond_the_farthest_face_is_in_the_table() -> None:
    near = replace(PLAIN, detection=DetectionConfig(min_face_height=120))  # 1.7 m
    table = sheets("en", near)["hardware"].markdown
    assert "| 1.5 m | 133 pixels" in table
    assert "| 2.0 m | 100 pixels" not in table


@pytest.mark.parametrize("fov", [10, 150])
@pytest.mark.parametrize(("width", "height", "face"), [(160, 120, 2000), (7680, 4320, 8)])
def test_the_ends_of_the_configuration_give_a_sheet(fov: float, width: int, height: int, face: int) -> None:
    config = replace(
        PLAIN,
        camera=CameraConfig(width=width, height=height),
        detection=DetectionConfig(min_face_height=face),
    )
    sheet = sheets("en", config, fov)["hardware"].markdown
    assert not re.search(r"\b(nan|inf)\b|-\d", sheet.replace("`--", ""))


def test_the_staff_card_has_the_times_and_distances_of_the_configuration() -> None:
    config = replace(
        PLAIN,
        tracking=TrackingConfig(forget_after=2.5),
        detection=DetectionConfig(min_face_height=96),
    )
    german = " ".join(sheets("de", config, contact="Tel. 123")["staff"].markdown.split())
    assert "2,5 Sekunden nach dem letzten Blick" in german
    assert "mehr als etwa 2,0 m" in german
    assert "diesen Kontakt: Tel. 123" in german


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_staff_card_quotes_the_wall_in_the_walls_language(language: str) -> None:
    french, german = (texts.load(code)[0] for code in ("fr", "de"))
    card = sheets(language, replace(PLAIN, wall=WallConfig(language="fr")))["staff"].markdown
    assert french.opening in card
    assert french.resting in card
    both = sheets(language, replace(PLAIN, wall=WallConfig(language="de, fr")))["staff"].markdown
    assert f"{german.resting} / {french.resting}" in both


def test_the_card_of_a_wall_in_a_language_that_there_is_not_is_not_made() -> None:
    with pytest.raises(ConfigError, match=r"wall\.language: must be one of"):
        sheets("en", replace(PLAIN, wall=WallConfig(language="tlh")))


def test_the_staff_card_has_the_times_of_keys_and_restart() -> None:
    staff = StaffConfig(leave_after=1.5, aim=45)
    config = replace(PLAIN, staff=staff, hours=HoursConfig(restart="04:30"))
    german = " ".join(sheets("de", config)["staff"].markdown.split())
    assert "`Escape`, 1,5 Sekunden lang gehalten" in german
    assert "nach einem Start 45 Sekunden lang" in german
    assert "Um 04:30 einen Moment lang kein Bild" in german


def test_the_times_that_stand_in_the_texts_are_the_programs() -> None:
    english = " ".join(sheets("en")["staff"].markdown.split())
    assert "by itself after a minute" in english
    assert staff_keys.LIFETIME == 60
    assert "after half a minute at the latest" in english
    assert capture.LONGEST_DELAY == 30


@pytest.mark.parametrize(
    ("hours", "closes"),
    [
        (HoursConfig(), False),
        (HoursConfig(restart="05:00"), False),
        (HoursConfig(sunday="10:00-18:00"), True),
        (HoursConfig(exceptions=(ExceptionalDays(date="2026-12-24", hours="closed"),)), True),
    ],
)
def test_a_black_wall_is_only_right_where_the_piece_ever_closes(hours: HoursConfig, closes: bool) -> None:
    card = sheets("en", replace(PLAIN, hours=hours))["staff"].markdown
    assert ("outside opening hours | All is well." in card) is closes


# The PDF


def font_complaints(caplog: pytest.LogCaptureFixture) -> list[str]:
    return [record.getMessage() for record in caplog.records if record.name.startswith("fpdf")]


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_sign_of_every_language_is_in_the_fonts(
    language: str, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.WARNING):
        for config in (OTHERWISE, STREAM):
            made = booklet.pdf(list(sheets(language, config).values()), "Kit", language)
            assert made.startswith(b"%PDF-")
    assert font_complaints(caplog) == []


def test_a_sign_that_the_fonts_lack_is_told(caplog: pytest.LogCaptureFixture) -> None:
    booklet.pdf([Sheet("a", "# 展", True)], "Kit", "en")
    assert any("展" in text for text in font_complaints(caplog))


def pages(pdf: bytes) -> int:
    return len(re.findall(rb"/Type /Page\b(?!s)", pdf))


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("config", [PLAIN, STREAM, OTHERWISE])
def test_what_hangs_is_one_page_and_the_others_are_two_at_most(language: str, config: Config) -> None:
    made = sheets(language, config, venue="Kunsthalle, Am Markt 1, 12345 Stadt", contact="a@example.org")
    for sheet in made.values():
        assert pages(booklet.pdf([sheet], "Kit", language)) <= (1 if sheet.hung else 2), sheet.name


def test_the_same_texts_give_the_same_bytes() -> None:
    made = list(sheets("fr").values())
    first = booklet.pdf(made, "Kit", "fr")
    assert first == booklet.pdf(made, "Kit", "fr")
    assert b"(D:19700101000000Z)" in first
    assert first != booklet.pdf(list(sheets("fr", fov=60).values()), "Kit", "fr")


def test_pages_end_above_the_foot_and_headings_go_with_what_they_head() -> None:
    heading = Strip(space=10, height=20, runs=(), opens=True)
    line = Strip(space=5, height=60, runs=())
    strips = [heading, *[line] * 7, heading, *[line] * 5, heading, *[line] * 30]
    made = booklet.paginate(strips)
    assert [strip for page in made for _, strip in page] == strips
    for page in made:
        assert page[0][0] == booklet.TOP
        assert all(top + strip.height <= booklet.LOWEST for top, strip in page)
        assert not page[-1][1].opens
    assert made[1][0][1].opens  # the second section fits on a page, and so was not broken


def test_markdown_is_read_as_it_is_written() -> None:
    found = booklet.pieces(
        "# A\n\n*b*\n\nc\nd\n\n- e\n  f\n- g\n\n12. h\n\n| i | j |\n|---|---|\n| k | l |\n"
    )
    assert [(piece.kind, piece.cells) for piece in found] == [
        ("title", ("A",)),
        ("lead", ("*b*",)),
        ("text", ("c d",)),
        ("item", ("•", "e f")),
        ("item", ("•", "g")),
        ("item", ("12.", "h")),
        ("head", ("i", "j")),
        ("row", ("k", "l")),
    ]


def test_only_marks_in_pairs_change_the_type() -> None:
    style = Style("regular", 1000, (0, 0, 0))
    made = booklet.spans("**a** *b* `c d` 2 * 3 * 4 `e", style)
    assert [(span.text, span.style.face) for span in made] == [
        ("a", "bold"), (" ", "regular"), ("b", "italic"), (" ", "regular"), ("c\N{NO-BREAK SPACE}d", "bold"),
        (" 2 * 3 * 4 `e", "regular"),
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("written", "printed"),
    [
        ("l'art d'ici", "l’art d’ici"),
        ("« Bon ! »", "«_Bon_!_»"),
        ("à 4,1 m ; 2 833 mots", "à 4,1_m_; 2_833 mots"),
        ("48 pixels", "48 pixels"),
        ("Kunsthalle 'Süd'", "Kunsthalle 'Süd'"),
    ],
)
def test_no_line_ends_where_the_language_forbids_it(written: str, printed: str) -> None:
    assert booklet.typographic(written).replace("\N{NO-BREAK SPACE}", "_") == printed


# The command


def test_the_command_writes_the_kit_and_touches_nothing_else(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "a" / "kit"
    out.mkdir(parents=True)
    (out / "notes.txt").write_text("mine", encoding="utf-8")
    (out / "wall.de.md").write_text("old", encoding="utf-8")
    for language in ("de", "it"):
        assert main(["kit", "--language", language, "--source", "0", "--out", str(out)]) == 0
    printed = capsys.readouterr()
    names = [f"{part}.{{}}.md" for part in ("wall", "notice", "staff", "hardware")] + ["kit.{}.pdf"]
    files = [out / name.format(language) for language in ("de", "it") for name in names]
    assert printed.out.splitlines() == [str(file) for file in files]
    assert printed.err == ""
    assert set(out.iterdir()) == {*files, out / "notes.txt"}
    assert (out / "notes.txt").read_text(encoding="utf-8") == "mine"
    assert (out / "wall.de.md").read_text(encoding="utf-8").startswith("# ImageNet Roulette\n")
    assert (out / "notice.de.md").read_text(encoding="utf-8").startswith(f"# {notice.read('de').title}\n")


def test_the_command_reads_the_configuration_and_what_is_set_over_it(tmp_path: Path) -> None:
    config = tmp_path / "venue.yaml"
    config.write_text("source: 0\ntracking:\n  forget_after: 7\n", encoding="utf-8")
    out = str(tmp_path / "kit")
    options = [
        "--config",
        str(config),
        "--set",
        "detection.min_face_height=96",
        "--venue",
        "Kunsthalle {Süd}",
    ]
    assert main(["kit", "--out", out, *options, "--contact", "a@example.org", "--fov", "90"]) == 0
    read_ = {path.name: path.read_text(encoding="utf-8") for path in Path(out).glob("*.md")}
    assert "7 seconds" in read_["staff.en.md"]
    assert "7 seconds" in read_["notice.en.md"]
    assert "96 pixels high at **1.6 m**" in read_["hardware.en.md"]
    assert "Kunsthalle {Süd}. Questions: a@example.org" in read_["notice.en.md"]


def test_without_fpdf2_the_markdown_is_written_and_a_line_says_what_is_missing(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "fpdf", None)  # as Python keeps it of a module that cannot be imported
    assert main(["kit", "--source", "0", "--out", str(tmp_path)]) == 0
    assert capsys.readouterr().err == (
        "kiosk: no PDF, for fpdf2 is not installed: pip install '.[kit]', or scripts/setup kit\n"
    )
    assert len(list(tmp_path.glob("*.md"))) == len(list(tmp_path.iterdir())) == 4


def test_a_pdf_that_was_asked_for_and_cannot_be_made_is_an_error(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "fpdf", None)
    assert main(["kit", "--source", "0", "--pdf", "--out", str(tmp_path / "kit")]) == 2
    assert capsys.readouterr().err.startswith("kiosk: --pdf: no PDF, for fpdf2 is not installed")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("occupied", [".", "kit", "kit/wall.en.md"])
def test_a_folder_that_cannot_be_written_is_one_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], occupied: str
) -> None:
    base = tmp_path / "x"
    if occupied == "kit/wall.en.md":  # a folder stands where a file is to go
        (base / occupied).mkdir(parents=True)
    else:  # a file stands where a folder is to go
        (base / occupied).parent.mkdir(parents=True, exist_ok=True)
        (base / occupied).resolve().touch() if occupied != "." else base.touch()
    assert main(["kit", "--source", "0", "--out", str(base / "kit")]) == 65
    printed = capsys.readouterr()
    (line,) = printed.err.splitlines()
    assert re.fullmatch(rf"kiosk: {re.escape(str(base))}/kit/wall\.en\.md: cannot be written: .+", line)
    assert printed.out == ""


@pytest.mark.parametrize(
    ("options", "code", "complaint"),
    [
        (["--source", "demo"], 78, "source: must be a camera or a stream for a notice; 'demo' films nobody"),
        (["--source", "0", "--set", "tracking.forget_after=soon"], 78, "forget_after: must be a number"),
        (["--source", "0", "--venue", "\udcff"], 2, "--out, --venue and --contact must be UTF-8 text"),
    ],
)  # fmt: skip
def test_a_mistake_is_one_line_and_nothing_is_written(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], options: list[str], code: int, complaint: str
) -> None:
    assert main(["kit", "--out", str(tmp_path / "kit"), *options]) == code
    (line,) = capsys.readouterr().err.splitlines()
    assert complaint in line
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("fov", ["wide", "nan", "0", "180", "-78"])
def test_an_angle_that_no_lens_has_is_a_usage_error(fov: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as caught:
        main(["kit", "--out", "kit", f"--fov={fov}"])
    assert caught.value.code == 2
    assert "must be from 10 to 150 degrees" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("old", "new", "problem"),
    [
        ("told whom to ask: {contact}", "told whom to ask", f"staff: {WRONG}: {{contact}}"),
        ("Some of the words", "After {forgotten} the words", f"wall: {WRONG}: {{forgotten}}"),
        ('"{tilt}°"', '"{tilt:x}°"', f"hardware: {WRONG}: {{tilt}}, {{tilt:x}}"),
        ("      when: withholding\n    - text: No", "      when: no\n    - text: No", "when: must be one of"),
        ("name: Wall text", "nam: Wall text", "wall.nam: unknown key. Did you mean 'name'?"),
        ("name: Wall text", "name: Wall {text", "expected '}' before end of string"),
    ],
)
def test_a_slip_in_a_venues_own_text_is_told(tmp_path: Path, old: str, new: str, problem: str) -> None:
    with pytest.raises(ConfigError) as caught:
        read("en", rewritten(tmp_path, old, new))
    assert problem in str(caught.value)


# The page on the installation


def test_every_script_and_every_command_of_the_installation_page_is_there() -> None:
    page = INSTALLATION.read_text(encoding="utf-8")
    scripts = set(re.findall(r"\bscripts/[\w.-]*\w", page))
    assert {"scripts/run", "scripts/install-service"} <= scripts
    assert [name for name in sorted(scripts) if not (ROOT / name).exists()] == []
    commands = set(re.findall(r"`?\bkiosk ([a-z]+)(?=[ `\n])", "\n".join(code(page))))
    assert {"run", "check", "prove", "kit"} <= commands
    assert commands <= set(COMMANDS)


def test_every_option_of_the_installer_that_the_page_names_is_one() -> None:
    page = "\n".join(
        line for line in code(INSTALLATION.read_text(encoding="utf-8")) if "install-service" in line
    )
    options = set(re.findall(r"--[a-z][a-z0-9-]+", page))
    assert {"--x11", "--user", "--config"} <= options
    installer = (ROOT / "scripts" / "install-service").read_text(encoding="utf-8")
    assert [
        option for option in sorted(options) if not re.search(rf"^# {option}\b|{option}\)", installer, re.M)
    ] == []


def test_every_link_of_the_installation_page_leads_somewhere() -> None:
    links = re.findall(r"\]\((?!https?:)([^)#]+)", INSTALLATION.read_text(encoding="utf-8"))
    assert links
    assert [link for link in links if not (INSTALLATION.parent / link).exists()] == []


def code(page: str) -> list[str]:
    """The pieces of a page that are code: between backticks, and the lines of fenced blocks."""
    fenced = re.findall(r"```\w*\n(.*?)```", page, re.S)
    inline = re.findall(r"`([^`\n]+)`", re.sub(r"```.*?```", "", page, flags=re.S))
    return [*"\n".join(fenced).splitlines(), *inline]
