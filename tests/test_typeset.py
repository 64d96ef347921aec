from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from kiosk.screen.theme import Style
from kiosk.screen.typeset import LEADING, Block, Paragraph, Span, typeset, typeset_versions

BODY = Style("regular", 20, (255, 255, 255))
SMALL = Style("regular", 10, (190, 190, 190))
HEAD = Style("bold", 40, (0, 255, 0))
WORDS = st.text("abcdefghijkl –“”ό", min_size=1, max_size=60)


def measure(text: str, style: Style) -> int:
    """Every character is 0.6 em wide."""
    return round(len(text) * 0.6 * style.size)


def set_(text: str, width: int, style: Style = BODY) -> Block:
    return typeset([Paragraph((Span(text, style),))], width, measure)


def test_a_short_text_is_one_run() -> None:
    block = set_("a soldier", 400)
    assert [(run.x, run.y, run.text) for run in block.runs] == [(0, 0, "a soldier")]
    assert block.width == measure("a soldier", BODY)
    assert block.height == round(20 * LEADING)


def test_lines_break_at_spaces_and_lose_them() -> None:
    assert [run.text for run in set_("one two three", 12 * 8).runs] == ["one two", "three"]


def test_a_line_may_be_exactly_full() -> None:
    assert [run.text for run in set_("one two", 12 * 7).runs] == ["one two"]
    assert [run.text for run in set_("one two", 12 * 7 - 1).runs] == ["one", "two"]


def test_a_word_longer_than_a_line_is_broken() -> None:
    assert [run.text for run in set_("a flibbertigibbet", 12 * 6).runs] == ["a", "flibbe", "rtigib", "bet"]


def test_a_column_narrower_than_a_letter_still_ends() -> None:
    assert [run.text for run in set_("abc", 1).runs] == ["a", "b", "c"]


def test_spans_of_one_style_are_one_run_and_others_stand_beside() -> None:
    block = typeset([Paragraph((Span("one ", BODY), Span("two", BODY), Span(" three", SMALL)))], 900, measure)
    assert [(run.x, run.text) for run in block.runs] == [(0, "one two"), (measure("one two", BODY), " three")]


def test_styles_of_several_sizes_stand_on_one_baseline() -> None:
    block = typeset([Paragraph((Span("slattern", HEAD), Span("  noun", SMALL)))], 900, measure)
    assert len(block.runs) == 2
    assert len({run.baseline for run in block.runs}) == 1
    assert block.runs[0].baseline == round(1.07 * 40)
    assert block.height == round(40 * LEADING)


def test_paragraphs_are_apart_by_what_they_ask_for() -> None:
    block = typeset([Paragraph((Span("a", BODY),), 3), Paragraph((Span("b", BODY),), 0.5)], 900, measure)
    assert [run.y for run in block.runs] == [0, round(20 * LEADING) + 10]


def test_breaks_and_tabs_are_spaces_for_a_font_would_draw_boxes() -> None:
    assert [run.text for run in set_("one\ntwo\tthree\x00", 900).runs] == ["one two three"]


def test_a_text_of_spaces_takes_no_room() -> None:
    assert set_("   ", 900) == Block(0, 0, ())


def test_all_lines_but_the_first_hang() -> None:
    block = typeset([Paragraph((Span("one two three four", BODY),), hang=24)], 12 * 9, measure)
    assert [(run.x, run.text) for run in block.runs] == [(0, "one two"), (24, "three"), (24, "four")]
    assert block.width == 84


def test_in_a_column_of_a_few_letters_lines_hang_less() -> None:
    block = typeset([Paragraph((Span("ab cd", BODY),), hang=500)], 12 * 4, measure)
    assert [(run.x, run.text) for run in block.runs] == [(0, "ab"), (12, "cd")]


def test_no_short_word_is_left_alone_in_the_last_line() -> None:
    assert [run.text for run in set_("one of the many fish I eat", 12 * 24).runs] == [
        "one of the many fish",
        "I eat",
    ]


def test_a_long_word_may_stand_alone() -> None:
    assert [run.text for run in set_("one of the many Californians", 12 * 18).runs] == [
        "one of the many",
        "Californians",
    ]


def test_a_line_of_two_words_gives_none_away() -> None:
    assert [run.text for run in set_("happiness is it", 12 * 12).runs] == ["happiness is", "it"]


def test_a_line_ends_at_no_hard_space_and_between_no_spans_that_touch() -> None:
    hard = "\u00a0"
    assert set_(f"a bad{hard}person", 12 * 6).runs[0].text == "a"
    block = typeset(
        [Paragraph((Span("a deceiver", BODY), Span(f"{hard}› ", HEAD), Span("person", BODY)))],
        12 * 15,
        measure,
    )
    lines: dict[int, list[str]] = {}
    for run in block.runs:
        lines.setdefault(run.baseline, []).append(run.text)
    assert list(lines.values()) == [["a deceiver", f"{hard}›"], ["person"]]


def test_several_versions_in_several_widths_are_what_each_is_alone() -> None:
    one, two = Paragraph((Span("one two three", BODY),), 0.5, 12), Paragraph((Span("four five", SMALL),), 1)
    versions, widths = ((one, two), (two,), (one,)), (60, 120)
    assert typeset_versions(versions, widths, measure) == tuple(
        typeset(version, width, measure) for version in versions for width in widths
    )


@given(WORDS, st.integers(30, 600))
def test_where_a_line_is_nearly_full_it_is_measured_as_a_whole(text: str, width: int) -> None:
    def kerned(text: str, style: Style) -> int:
        """Whole lines are wider, or narrower, than their words."""
        return round(len(text) * 0.6 * style.size) + text.count(" ") * (1 if width % 2 else -1)

    block = typeset([Paragraph((Span(text, BODY),))], width, kerned)
    assert block.width <= width


@given(
    st.lists(st.tuples(WORDS, st.sampled_from((BODY, SMALL, HEAD))), min_size=1, max_size=6),
    st.integers(30, 600),
)
def test_no_line_is_wider_than_the_column(spans: list[tuple[str, Style]], width: int) -> None:
    block = typeset([Paragraph(tuple(Span(*span) for span in spans))], width, measure)
    assert block.width <= width
    for run in block.runs:
        assert run.x >= 0
        assert run.x + measure(run.text, run.style) <= width
        assert run.y + round(run.style.size * LEADING) <= block.height + 1


@given(
    st.lists(st.tuples(WORDS, st.sampled_from((BODY, SMALL))), min_size=1, max_size=6), st.integers(30, 600)
)
def test_no_character_is_lost_but_spaces(spans: list[tuple[str, Style]], width: int) -> None:
    block = typeset([Paragraph(tuple(Span(*span) for span in spans))], width, measure)
    said = "".join(text for text, _ in spans)
    assert "".join(run.text for run in block.runs).replace(" ", "") == said.replace(" ", "")


@given(WORDS, st.integers(30, 600))
def test_spaces_are_lost_at_the_ends_of_lines_only(text: str, width: int) -> None:
    lines = [run.text for run in set_(text, width).runs]
    at = 0
    for line in lines:
        found = text.index(line, at)
        assert text[at:found].strip(" ") == ""
        assert line == line.rstrip(" ")
        at = found + len(line)
    assert text[at:].strip(" ") == ""


@given(WORDS, st.integers(30, 600))
def test_lines_of_one_text_do_not_overlap(text: str, width: int) -> None:
    block = set_(text, width)
    tops = [run.y for run in block.runs]
    assert tops == [round(20 * LEADING) * at for at in range(len(tops))]
