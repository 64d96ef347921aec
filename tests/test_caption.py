from __future__ import annotations

import pytest

from kiosk.config import CaptionConfig
from kiosk.messages import SCENE_ID, Box, Entry, Guess, Track
from kiosk.words.caption import LINGER, Captioner

BOX = Box(0, 0, 10, 10)
LEXICON = {id_: Entry(id_, (id_,), "", (), None, None, None) for id_ in ("n1", "n2", "n3")}


@pytest.fixture
def captioner() -> Captioner:
    return Captioner(CaptionConfig(hold=3), LEXICON)


def track(id_: int = 1, seen_at: float = 0.0) -> Track:
    return Track(id_, BOX, seen_at)


def guesses(*synsets: str) -> list[Guess]:
    return [Guess(synset, 0.5 / at) for at, synset in enumerate(synsets, start=1)]


def test_a_visitor_without_a_guess_has_no_caption(captioner: Captioner) -> None:
    assert captioner.update([track()], {}, 0) == ()


def test_the_best_guess_is_shown_with_its_words(captioner: Captioner) -> None:
    (caption,) = captioner.update([track()], {1: guesses("n1", "n2")}, 0)
    assert (caption.track_id, caption.box, caption.entry, caption.probability) == (1, BOX, LEXICON["n1"], 0.5)


def test_a_label_holds_however_often_the_network_changes_its_mind(captioner: Captioner) -> None:
    captioner.update([track()], {1: guesses("n1")}, 0)
    for tenth in range(1, 30):
        now = tenth / 10
        (caption,) = captioner.update([track(seen_at=now)], {1: guesses("n2" if tenth % 2 else "n3")}, now)
        assert caption.entry.synset == "n1"


def test_after_the_hold_the_label_follows_the_network(captioner: Captioner) -> None:
    captioner.update([track()], {1: guesses("n1")}, 0)
    (caption,) = captioner.update([track(seen_at=3.0)], {1: guesses("n2")}, 3.0)
    assert caption.entry.synset == "n2"
    (caption,) = captioner.update([track(seen_at=5.9)], {1: guesses("n3")}, 5.9)
    assert caption.entry.synset == "n2"


def test_the_probability_of_a_held_label_is_the_newest_known(captioner: Captioner) -> None:
    captioner.update([track()], {1: guesses("n1", "n2")}, 0)
    (caption,) = captioner.update([track(seen_at=1)], {1: guesses("n2", "n1")}, 1)
    assert (caption.entry.synset, caption.probability) == ("n1", 0.25)
    (caption,) = captioner.update([track(seen_at=2)], {1: guesses("n2")}, 2)
    assert (caption.entry.synset, caption.probability) == ("n1", 0.25)


def test_no_caption_hangs_in_the_air_and_it_comes_back_with_its_visitor(captioner: Captioner) -> None:
    captioner.update([track()], {1: guesses("n1")}, 0)
    assert len(captioner.update([track()], {}, LINGER)) == 1
    assert captioner.update([track()], {}, LINGER + 0.1) == ()
    (caption,) = captioner.update([track(seen_at=1.2)], {1: guesses("n2")}, 1.2)
    assert caption.entry.synset == "n1"


def test_a_track_that_is_over_is_forgotten(captioner: Captioner) -> None:
    captioner.update([track()], {1: guesses("n1")}, 0)
    captioner.update([], {}, 1)
    assert captioner.update([track(seen_at=2)], {}, 2) == ()


def test_the_scene_has_no_box(captioner: Captioner) -> None:
    (caption,) = captioner.update([track(SCENE_ID)], {SCENE_ID: guesses("n1")}, 0)
    assert (caption.track_id, caption.box) == (SCENE_ID, None)
