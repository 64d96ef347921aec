from __future__ import annotations

import dataclasses
import re
from pathlib import Path

import pygame
import pytest

from kiosk.errors import ConfigError
from kiosk.screen.texts import FOLDER, NARROW, Texts, current, files, likelihood, load, number, statement
from kiosk.sections import WallConfig

FONTS = FOLDER.parent.parent / "kiosk" / "screen" / "fonts"
LANGUAGES = ("de", "en", "es", "fr", "it")
TEXTS = {code: load(code)[0] for code in LANGUAGES}
ENGLISH = TEXTS["en"]
# What is a phrase or a word of its own, and what is whole sentences.
PHRASES = {
    "code", "name", "thousands", "part_of_speech", "also", "gloss_source", "of_other_word", "origin",
    "origin_of_other_word", "kind", "guess", "percent", "less_than_one", "passed_over", "withheld_label",
}  # fmt: skip
SENTENCES = {field.name for field in dataclasses.fields(Texts)} - PHRASES - {"thousands_from"}
QUOTES = {"de": "„{word}“", "en": "“{word}”", "es": "«{word}»", "fr": "« {word} »", "it": "«{word}»"}


def told(language: str) -> dict[str, str]:
    """Every text of a language by its key."""
    values = dataclasses.asdict(TEXTS[language])
    return {key: value for key, value in values.items() if isinstance(value, str)}


def rewritten(folder: Path, old: str, new: str, language: str = "en") -> str:
    """The path of a venue's own file: a language's, one text of it changed."""
    text = (FOLDER / f"{language}.yaml").read_text(encoding="utf-8")
    assert text.count(old) == 1
    path = folder / "own.yaml"
    path.write_text(text.replace(old, new), encoding="utf-8")
    return str(path)


def problems(language: str) -> tuple[str, ...]:
    with pytest.raises(ConfigError) as caught:
        load(language)
    return caught.value.problems


def test_there_is_a_file_for_every_language_and_no_other() -> None:
    assert sorted(path.name for path in FOLDER.iterdir()) == [f"{code}.yaml" for code in LANGUAGES]
    assert {TEXTS[code].code for code in LANGUAGES} == set(LANGUAGES)
    assert len({TEXTS[code].name for code in LANGUAGES}) == len(LANGUAGES)


def test_the_configuration_names_a_language_that_there_is() -> None:
    assert load(WallConfig().language) == (ENGLISH,)
    help = WallConfig.__dataclass_fields__["language"].metadata["help"]
    assert help.startswith(", ".join(LANGUAGES))


@pytest.mark.parametrize("language", LANGUAGES)
def test_no_text_is_left_in_another_language(language: str) -> None:
    # What is equal by right: names, signs, and words that two languages share.
    shared = {"thousands", "part_of_speech", "gloss_source", "percent", "origin"}
    for other in set(LANGUAGES) - {language}:
        equal = {key for key, text in told(other).items() if text == told(language)[key]}
        assert equal <= shared, other


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_language_fills_in_the_same(language: str) -> None:
    for key, text in told(language).items():
        assert set(re.findall(r"\{\w+\}", text)) == set(re.findall(r"\{\w+\}", told("en")[key])), key


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_sentence_begins_and_ends_as_one(language: str) -> None:
    for key in SENTENCES:
        text = told(language)[key]
        assert re.match(r"[¿¡]?(\{source\}|[A-ZÀ-Ý])", text), key
        assert text.endswith("."), key
        for sentence in re.findall(r"(?<=\. )\S", text):
            assert sentence.isupper(), key


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_phrase_does_not_end_as_a_sentence(language: str) -> None:
    for key in PHRASES - {"part_of_speech", "thousands"}:
        assert not told(language)[key].endswith((".", ":", " ")), key


@pytest.mark.parametrize("language", LANGUAGES)
def test_quotes_and_apostrophes_are_the_printers(language: str) -> None:
    own = set(QUOTES[language]) & set("„“”«»")
    for key, text in told(language).items():
        assert not set("'\"`´‘") & set(text), key
        assert set("„“”«»") & set(text) <= own, key
        # A German sentence would have „…“, whose second sign is the first of “…”: the order tells.
        assert ("{word}" in text) == (QUOTES[language].replace(" ", NARROW) in text), key
        assert "..." not in text, key


@pytest.mark.parametrize("language", LANGUAGES)
def test_no_line_ends_before_a_mark_or_inside_quotes(language: str) -> None:
    for key, text in told(language).items():
        assert not re.search(r" [%:;!?»]|« ", text), key
        assert "  " not in text, key
        assert text == text.strip() or key == "thousands", key


def test_french_sets_off_its_marks_by_a_narrow_space_and_no_other_language_does() -> None:
    for language in LANGUAGES:
        for key, text in told(language).items():
            for before in re.findall("(.)[:;!?»]", text):
                assert (before == NARROW) == (language == "fr"), key


def test_spanish_opens_what_it_closes() -> None:
    for key, text in told("es").items():
        for opening, closing in ("¿?", "¡!"):
            assert text.count(opening) == text.count(closing), key


@pytest.mark.parametrize(
    ("language", "said"),
    [
        ("en", "one guess of 2,833: 3~%"),
        ("de", "eine von 2.833 Vermutungen: 3~%"),
        ("fr", "une supposition parmi 2~833~: 3~%"),
        ("it", "un’ipotesi su 2.833: 3%"),
        ("es", "una conjetura entre 2833: 3~%"),
    ],
)
def test_numbers_are_written_as_in_the_language(language: str, said: str) -> None:
    assert likelihood(TEXTS[language], 0.031, 2833) == said.replace("~", NARROW)


@pytest.mark.parametrize(
    ("language", "value", "said"),
    [
        ("en", 999, "999"),
        ("en", 1000, "1,000"),
        ("es", 9999, "9999"),
        ("es", 21843, f"21{NARROW}843"),
        ("de", 1234567, "1.234.567"),
        ("fr", 0, "0"),
    ],
)
def test_thousands_are_set_off_from_where_the_language_does(language: str, value: int, said: str) -> None:
    assert number(TEXTS[language], value) == said


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize(
    ("can_store", "can_send", "stream", "key"),
    [
        (False, False, False, "sealed"),
        (False, True, True, "sealed_with_stream"),
        (False, True, False, "not_sealed"),  # a layer is missing, and there is no stream to excuse it
        (True, False, False, "not_sealed"),
        (True, True, True, "not_sealed"),
    ],
)
def test_the_wall_claims_only_what_holds(
    language: str, can_store: bool, can_send: bool, stream: bool, key: str
) -> None:
    said = statement(TEXTS[language], can_store=can_store, can_send=can_send, stream=stream, missing=())
    assert said == told(language)[key]


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_wall_names_what_is_missing(language: str) -> None:
    texts = TEXTS[language]
    said = statement(texts, can_store=False, can_send=False, stream=False, missing=("Landlock", "seccomp"))
    assert said.startswith(f"{texts.not_sealed} ")
    assert said.endswith("Landlock, seccomp.")


@pytest.mark.parametrize("font", sorted(FONTS.glob("*.ttf")), ids=lambda path: path.stem)
def test_every_letter_is_in_every_font(font: Path) -> None:
    pygame.font.init()
    letters = sorted(
        {letter for language in LANGUAGES for text in told(language).values() for letter in text}
    )
    drawn = pygame.font.Font(font, 20).metrics("".join(letters))
    assert [letter for letter, metrics in zip(letters, drawn, strict=True) if metrics is None] == []


def test_two_languages_take_turns() -> None:
    both = load("de, en")
    assert [texts.code for texts in both] == ["de", "en"]
    stands = [current(both, 20, now).code for now in (0, 19.9, 20, 39.9, 40, 1_000_000, 1_000_020)]
    assert stands == ["de", "de", "en", "en", "de", "de", "en"]
    assert current((ENGLISH,), 20, 30) is ENGLISH


def test_a_venues_own_file_may_say_it_otherwise(tmp_path: Path) -> None:
    path = rewritten(tmp_path, "idle: Step in front of the screen.", "idle: Come closer.")
    assert load(path) == (dataclasses.replace(ENGLISH, idle="Come closer."),)
    assert files(path) == (Path(path),)


def test_a_venues_own_language_takes_turns_with_ours(tmp_path: Path) -> None:
    path = rewritten(tmp_path, "code: en", "code: nl")
    assert [texts.code for texts in load(f"{path}, fr")] == ["nl", "fr"]
    assert files(f"{path}, fr") == (Path(path), FOLDER / "fr.yaml")


def test_the_files_are_known_before_they_are_read(tmp_path: Path) -> None:
    # So that an edit that mends one is seen.
    assert files(f"{tmp_path}/none.yaml,de") == (tmp_path / "none.yaml", FOLDER / "de.yaml")
    assert files("config/texts/it.yaml") == (FOLDER / "it.yaml",)


@pytest.mark.parametrize(
    ("language", "problem"),
    [
        ("deu", "must be one of de, en, es, fr, it or a file, not 'deu'. Did you mean 'de'?"),
        ("EN", "must be one of de, en, es, fr, it or a file, not 'EN'. Did you mean 'en'?"),
        ("xx", "must be one of de, en, es, fr, it or a file, not 'xx'"),
        ("de,", "must be one of de, en, es, fr, it or a file, not ''"),
        ("de, en, fr", "must be one language or two, not 3"),
        ("fr, fr", "must be two languages, not 'fr' twice"),
        ("en, config/texts/en.yaml", "must be two languages, not 'en' twice"),
    ],
)
def test_a_language_that_there_is_not_is_told(language: str, problem: str) -> None:
    assert problems(language) == (f"wall.language: {problem}",)


def test_two_languages_that_there_are_not_are_told_together() -> None:
    assert len(problems("xx, yy")) == 2


@pytest.mark.parametrize(
    ("old", "new", "problem"),
    [
        ("guess of {classes}", "one in many", "8: guess: must have {classes} and {percent}, not {percent}"),
        ("Step in", "Step {in}", "7: idle: must have nothing between braces, not {in}"),
        ("Step in", "Step {in", "7: idle: must have nothing between braces, not {"),
        ("{value} %", "{value:>9} %", "10: percent: must have {value}, not {value:>9}"),
        ("{value} %", "some %", "10: percent: must have {value}, not nothing"),
        (
            "idle: Step in front of the screen.",
            "idel: Step in front.",
            "1: idel: unknown key. Did you mean 'idle'?",
        ),
        ("idle: Step in front of the screen.", "idle: [Step]", "7: idle: must be a single value, not a list"),
        ("code: en", "code: English", "7: code: must be the code of a language, such as de, not 'English'"),
        ('thousands: ","', "thousands_from: 10", "17: thousands_from: must be a whole number from 1000 to "),
    ],
)
def test_a_slip_in_a_venues_own_file_is_told_with_its_place(
    tmp_path: Path, old: str, new: str, problem: str
) -> None:
    path = rewritten(tmp_path, old, new)
    before = Path(path).read_text(encoding="utf-8").partition(new)[0]
    wanted = f"{path}:{before.count(chr(10)) + 1}:{problem}"
    assert any(found.startswith(wanted) for found in problems(path))


def test_the_slips_of_two_files_are_told_together(tmp_path: Path) -> None:
    path = rewritten(tmp_path, "Step in", "Step {in")
    slip, missing = problems(f"{path}, {tmp_path}/none.yaml")
    assert slip.endswith(": idle: must have nothing between braces, not {")
    assert missing == f"{tmp_path}/none.yaml: cannot be read: No such file or directory"


def test_a_space_that_was_typed_is_never_broken(tmp_path: Path) -> None:
    path = rewritten(tmp_path, "opening: Un instant.", "opening: « Attendez ! »", "fr")
    assert load(path)[0].opening == f"«{NARROW}Attendez{NARROW}!{NARROW}»"
