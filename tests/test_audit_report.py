from __future__ import annotations

import html
import itertools
import re
from html.parser import HTMLParser
from pathlib import Path

import pytest

from kiosk.audit import comparison, exchange, markdown, page, report
from kiosk.audit.bars import place
from kiosk.audit.blocks import Chart, Heading, Listing, Panel, Paragraph, Row, Table
from kiosk.audit.changes import CHANGES
from kiosk.audit.findings import Findings, find
from kiosk.audit.meter import meter
from kiosk.audit.statistics import Interval
from kiosk.audit.subject import title
from kiosk.audit.tally import Count
from kiosk.audit.wording import MEANING, brief, difference, p_value, percent
from kiosk.errors import InputError
from tests.auditing import BAKER, COOK, LOUT, REASON, count, subject, vocabulary

COLUMNS = ("skin", "gender")


def counts(missed: int = 30) -> dict[tuple[str, ...], Count]:
    cells = list(itertools.product(("dark", "light"), "fm"))
    made = {cell: count(100, 3, words=(BAKER, COOK, LOUT)) for cell in cells}
    made["dark", "f"] = count(100, missed, words=(BAKER, LOUT))
    for one in made.values():
        for change in CHANGES:
            under = one.changed[change]
            under.pictures, under.missed, under.compared, under.same = 40, one.tally.missed // 2, 25, 20
    return made


@pytest.fixture(scope="module")
def findings() -> Findings:
    return find(COLUMNS, counts(), vocabulary(LOUT), 10, True, 499)


def told(findings: Findings, **changes: object) -> tuple[str, str]:
    """Markdown and page."""
    blocks = report.compose(findings, subject(*COLUMNS, has_safety=True, robustness=40, **changes))
    return markdown.render(blocks), page.render(blocks, (), report.TITLE)


class Outline(HTMLParser):
    """That every element is closed in its turn, and what it would load."""

    VOID = frozenset({"meta", "br"})

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.seen: list[str] = []
        self.loads: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.seen.append(tag)
        self.loads += [value or "" for name, value in attrs if name in ("src", "href", "srcset", "action")]
        if tag not in self.VOID:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


def outline(text: str) -> Outline:
    parser = Outline()
    parser.feed(text)
    parser.close()
    return parser


def test_the_report_tells_whom_it_fails_and_what_that_means(findings: Findings) -> None:
    text, _ = told(findings)
    assert text.startswith(
        "# Whom does it fail, and how?\n\nThe curators of this piece showed it 400 pictures"
    )
    assert "**Faces missed, by skin: dark 16.5 %, light 3.0 %.**".replace(" %", "\N{NO-BREAK SPACE}%") in text
    assert "a gap of 13.5 points (95" in text
    assert "of 499 deals made one as clear" in text
    assert "after Holm's correction for 21 comparisons" in text
    for sentence in MEANING:
        assert sentence in text
    assert "| dark, f | 100 | 30.0" in text


def test_the_page_is_whole_and_loads_nothing(findings: Findings) -> None:
    _, text = told(findings)
    parser = outline(text)
    assert parser.open == []
    assert parser.loads == []
    assert not re.search(r"url\(|@import|http", text)
    assert parser.seen.count("figure") == 3
    assert "@page { size: A4" in text


def test_a_word_that_the_policy_withholds_does_not_hang_beside_the_piece(findings: Findings) -> None:
    for text in told(findings):
        assert "lout" not in text
        assert "[withheld] 131" in text.replace("\\", "")
        assert REASON in text
        assert "baker" in text


def test_what_a_table_calls_its_groups_is_text_and_nothing_else() -> None:
    names = ("<b>|x", "*a*_b_[c](d)")
    made = {(name,): count(50, at) for at, name in enumerate(names)}
    findings = find(("<i>",), made, vocabulary(), 10, False, 9)
    blocks = report.compose(findings, subject("<i>"))
    text, page_ = markdown.render(blocks), page.render(blocks, (), "<title>")
    assert "| \\<b\\>\\|x | 50 |" in text
    assert "\\*a\\*\\_b\\_\\[c\\](d)" in text
    assert html.escape(names[0]) in page_
    assert not {"b", "i"} & set(outline(page_).seen)


def test_gender_is_said_to_be_perceived_and_skin_type_to_be_fitzpatricks() -> None:
    assert title("Gender", False) == "perceived gender"
    assert title("sex", False) == "perceived sex"
    assert title("skin", True) == "skin type (Fitzpatrick)"
    assert title("country", False) == "country"


def test_without_a_clear_gap_the_report_says_that_and_what_it_does_not_mean() -> None:
    text, _ = told(find(COLUMNS, counts(missed=3), vocabulary(LOUT), 10, True, 99))
    assert "No gap between groups is clear: 21 comparisons were made" in text
    assert "That is not to say that there is none." in text


def test_a_group_that_is_too_small_is_named_and_its_figures_are_not() -> None:
    made = counts() | {("dark", "x"): count(7, 7)}
    text, _ = told(find(COLUMNS, made, vocabulary(LOUT), 10, True, 9))
    assert "- Too small, by gender: x." in text
    assert "- Too small, by skin and gender: dark, x." in text
    assert "| x |" not in text
    assert "7 in all, are in no other figure either" in text


def test_the_report_of_no_groups_is_whole() -> None:
    findings = find((), {(): count(40, 4)}, vocabulary(), 10)
    blocks = report.compose(findings, subject())
    assert "| all | 40 | 10.0" in markdown.render(blocks)
    assert outline(page.render(blocks, (), report.TITLE)).open == []


def test_drawings_take_the_place_of_the_bars() -> None:
    chart = Chart("t", "n", (Row(("a",)),), (Panel("p", (None,), 1.0),))
    assert 'class="bars"' in page.render((chart, chart), (), "t")
    drawn = page.render((chart, chart), ("<svg>1</svg>", "<svg>2</svg>"), "t")
    assert drawn.index("<svg>1</svg>") < drawn.index("<svg>2</svg>")
    assert 'class="bars"' not in drawn


def test_every_block_has_its_markdown() -> None:
    blocks = (
        Heading("One", 1),
        Paragraph("two"),
        Paragraph("three", "finding"),
        Listing(("four",)),
        Table("five", ("", "n"), (Row(("six",), opens=True), Row(("seven", "8")))),
    )
    assert markdown.render(blocks) == (
        "# One\n\ntwo\n\n**three**\n\n- four\n\n*five*\n\n|  | n |\n|---|---:|\n| **six** |  |\n| seven | 8 "
        "|\n"
    )


def test_a_value_has_its_place_on_the_axis() -> None:
    plain = Panel("", (), 0.5, 0.1)
    assert [place(plain, value) for value in (0, 0.1, 0.3, 0.5, 0.9)] == pytest.approx([0, 0, 0.5, 1, 1])
    ratio = Panel("", (), 1.0, 0.01, by_ratio=True)
    assert [place(ratio, value) for value in (0, 0.01, 0.1, 1)] == pytest.approx([0, 0, 0.5, 1])


def test_numbers_are_said_as_exactly_as_they_are_known() -> None:
    space = "\N{NO-BREAK SPACE}"
    assert [percent(share) for share in (0, 0.5, 0.0312, 0.00942, 1)] == [
        f"{text}{space}%" for text in ("0.0", "50.0", "3.1", "0.94", "100.0")
    ]
    assert [p_value(p).replace(space, " ") for p in (0.0001, 0.0123, 0.3, 1)] == [
        "p < 0.001", "p = 0.012", "p = 0.30", "p = 1.00",
    ]  # fmt: skip
    assert brief("missed", -0.05, Interval(-0.1, -0.0001)).replace(space, " ") == "−5.0 (−10.0 to 0.0)"
    assert difference("scores", 0.1234, Interval(-0.01, 0.2)).startswith("0.123 (95")


def test_the_meter_says_how_far_it_is_and_how_long_it_takes() -> None:
    assert meter(0, 100, 0, 0.0) == f"[{'.' * 24}] 0 of 100"
    assert meter(50, 100, 20, 10.0) == f"[{'#' * 12}{'.' * 12}] 50 of 100, 25 s left"
    assert meter(1000, 50_000, 1000, 100.0).endswith("1,000 of 50,000, 82 min left")
    assert meter(1000, 50_000, 1000, 1000.0).endswith("13.6 h left")
    assert meter(100, 100, 100, 50.0) == f"[{'#' * 24}] 100 of 100"


# Two reports.


def written(folder: Path, name: str, missed: int, **changes: object) -> Path:
    findings = find(COLUMNS, counts(missed), vocabulary(LOUT), 10, True, 9)
    (folder / name).write_text(exchange.as_json(findings, subject(*COLUMNS, **changes)), encoding="utf-8")
    return folder / name


def compared(one: Path, other: Path, force: bool = False) -> str:
    blocks = comparison.compose(exchange.read(one), exchange.read(other), force)
    return markdown.render(blocks).replace("\N{NO-BREAK SPACE}", " ")


def test_a_comparison_tells_each_group_and_whether_the_gap_closes(tmp_path: Path) -> None:
    one, other = written(tmp_path, "a.json", 30), written(tmp_path, "b.json", 10, detector="better.onnx")
    text = compared(one, other)
    assert "| Detector | centerface.onnx | better.onnx |" in text
    assert "| dark, f | 30.0 % | 10.0 % | −20.0 (−30.6 to −9.0) |" in text
    assert "| light, f | 3.0 % | 3.0 % | 0.0 (−5.8 to 5.8) |" in text
    assert (
        "By skin the widest gap is of A, dark against light: 13.5 points in A and 3.5 in B, "
        "a change of −10.0 points" in text
    )
    assert "none is corrected for that" in text
    assert "found twice" in text
    assert text.count("the widest gap") == 2 * 3 + 3, "of what is the same everywhere there is none"


def test_reports_of_two_tables_are_compared_only_by_force(tmp_path: Path) -> None:
    one, other = written(tmp_path, "a.json", 30), written(tmp_path, "b.json", 10, digest="1" * 64)
    with pytest.raises(
        InputError, match="are of different tables: what differs may be the pictures; --force"
    ):
        compared(one, other)
    assert "**The tables are not the same: what differs may be the pictures.**" in compared(
        one, other, force=True
    )


def test_a_group_of_one_report_only_is_counted_and_not_compared(tmp_path: Path) -> None:
    one, other = written(tmp_path, "a.json", 30), tmp_path / "b.json"
    fewer = {cell: made for cell, made in counts().items() if cell != ("light", "m")}
    other.write_text(exchange.as_json(find(COLUMNS, fewer, vocabulary(), 10, False, 9), subject(*COLUMNS)))
    text = compared(one, other)
    assert "light, m" not in text
    assert "1 group is told of in one report only." in text
    assert "rated offensive" not in text


@pytest.mark.parametrize(
    "content",
    ["", "[]", "{}", '{"format": "kiosk audit 1"}', '{"format": "kiosk audit 2"}', "\udcff", "[" * 9999],
)
def test_what_is_no_report_is_told(tmp_path: Path, content: str) -> None:
    (tmp_path / "a.json").write_bytes(content.encode("utf-8", "surrogateescape"))
    with pytest.raises(InputError, match="must be a report of kiosk audit, and is none"):
        exchange.read(tmp_path / "a.json")
    with pytest.raises(InputError, match="cannot be read: No such file"):
        exchange.read(tmp_path / "none.json")
