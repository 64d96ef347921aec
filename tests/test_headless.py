from __future__ import annotations

import json

from kiosk.headless import Teller
from kiosk.messages import SCENE_ID, Box, Caption, Entry, Reason, Scene

START = 100.0
BOX = Box(0, 0, 10, 10)


def caption(id_: int, label: str, probability: float = 0.5) -> Caption:
    entry = Entry(f"n-{label}", (label, "another lemma"), "a gloss", (), None, None, None)
    return Caption(id_, BOX, entry, probability)


def withheld(id_: int, reason: str) -> Caption:
    return Caption(id_, BOX, None, 0.5, Reason((("", reason),)))


def told(teller: Teller, at: float, *captions: Caption) -> list[dict[str, object]]:
    return [json.loads(line) for line in teller.lines(Scene(0, START + at, captions, anybody=bool(captions)))]


def test_a_visitor_is_told_once_with_the_time_since_the_start() -> None:
    teller = Teller(START)
    assert told(teller, 1.2345, caption(1, "orderly")) == [
        {"t": 1.23, "visitor": 1, "synset": "n-orderly", "label": "orderly"}
    ]
    assert told(teller, 2, caption(1, "orderly")) == []


def test_that_the_network_is_more_or_less_sure_is_no_news() -> None:
    teller = Teller(START)
    told(teller, 1, caption(1, "orderly", 0.5))
    assert told(teller, 2, caption(1, "orderly", 0.9)) == []


def test_another_word_is_told_and_only_of_whom_it_is() -> None:
    teller = Teller(START)
    assert len(told(teller, 1, caption(1, "orderly"), caption(2, "oboist"))) == 2
    (line,) = told(teller, 2, caption(1, "orderly"), caption(2, "casualty"))
    assert (line["visitor"], line["label"]) == (2, "casualty")


def test_who_has_gone_and_comes_back_is_told_again() -> None:
    teller = Teller(START)
    told(teller, 1, caption(1, "orderly"))
    assert told(teller, 2) == []
    assert len(told(teller, 3, caption(1, "orderly"))) == 1


def test_of_a_withheld_word_the_reason_is_told_and_nothing_else() -> None:
    teller = Teller(START)
    assert told(teller, 1, withheld(1, "a slur")) == [{"t": 1.0, "visitor": 1, "withheld": "a slur"}]
    assert told(teller, 2, withheld(1, "a slur")) == []
    assert len(told(teller, 3, withheld(1, "a people"))) == 1


def test_of_a_scene_without_a_visitor_nothing_is_told() -> None:
    assert told(Teller(START), 1, caption(SCENE_ID, "orderly")) == []


def test_a_line_is_a_line_and_keeps_its_letters() -> None:
    (line,) = Teller(START).lines(Scene(0, START, (caption(1, "Médoc\nwine"),)))
    assert "\n" not in line
    assert "Médoc" in line
