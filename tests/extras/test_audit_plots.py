"""The charts as matplotlib draws them."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ElementTree

import pytest

from kiosk.audit import charts, page, plots
from kiosk.audit.blocks import Chart, Mark, Panel, Row
from kiosk.audit.changes import CHANGES
from kiosk.audit.findings import find
from tests.auditing import LOUT, count, vocabulary


def drawable() -> tuple[Chart, ...]:
    counts = {
        (name,): count(60, missed) for name, missed in (("dark $x$ <b>", 20), ("light", 2), ("暗い", 3))
    }
    for one in counts.values():
        for change in CHANGES:
            one.changed[change].pictures, one.changed[change].missed = 30, 4
    findings = find(("skin",), counts, vocabulary(LOUT), 10, True, 9)
    titles = {"skin": "skin"}
    return tuple(chart(findings, titles) for chart in (charts.overview, charts.distributions, charts.changes))


def test_every_chart_is_drawn_as_one_element_that_loads_nothing() -> None:
    for chart, drawing in zip(drawable(), plots.draw(drawable()), strict=True):
        root = ElementTree.fromstring(drawing)
        assert root.tag == "{http://www.w3.org/2000/svg}svg"
        assert root.get("role") == "img"
        assert root.get("aria-label") == chart.title
        assert root.get("width") is None
        loads = [
            value for node in root.iter() for name, value in node.attrib.items() if name.endswith("href")
        ]
        assert all(value.startswith("#") for value in loads)
        assert "<text" not in drawing, "letters are drawn: it looks the same everywhere"


def test_drawings_on_one_page_do_not_share_names() -> None:
    drawings = plots.draw(drawable())
    names = [set(re.findall(r'\bid="([^"]+)"', drawing)) for drawing in drawings]
    assert not names[0] & names[1]
    for own, drawing in zip(names, drawings, strict=True):
        assert set(re.findall(r'(?:href="#|url\(#)([^")]+)', drawing)) <= own
    text = page.render(drawable(), drawings, "t")
    assert text.count("<svg") == 3
    assert 'class="bars"' not in text
    assert "Grey: the whole distribution." in text


def test_the_same_figures_give_the_same_drawing() -> None:
    assert plots.draw(drawable()) == plots.draw(drawable())


@pytest.mark.parametrize("bins", [(), (0, 3, 1)])
def test_a_point_lies_where_its_value_is(bins: tuple[int, ...]) -> None:
    def points(value: float) -> list[float]:
        mark = Mark(value, value - 0.1, value + 0.1, bins)
        chart = Chart("t", "", (Row(("a",)),), (Panel("p", (mark,), 1.0, edges=(0.0, 0.4, 0.7, 1.0)),))
        (drawing,) = plots.draw((chart,))
        return [float(x) for x in re.findall(r'<use [^>]*x="([0-9.]+)"[^>]*fill: #a8380a', drawing)]

    (low,), (middle,), (high,) = (points(value) for value in (0.2, 0.5, 0.8))
    assert high - middle == pytest.approx(middle - low, abs=0.01)
    assert low < middle
