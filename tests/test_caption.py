from __future__ import annotations

from pathlib import Path

import pytest

from kiosk.messages import SCENE_ID, Box, Entry, Guess, Reason, Track
from kiosk.sections import CaptionConfig
from kiosk.words.caption import LINGER, LONGEST_READING, Captioner
from kiosk.words.policy import Policy

BOX = Box(0, 0, 10, 10)
LEXICON = {
    id_: Entry(id_, (id_,), "", (), None, None, None) for id_ in ("n00000001", "n00000002", "n00000003")
}


def policy(folder: Path, when_withheld: str, *synsets: str) -> Policy:
    """One that withholds these."""
    rules = "".join(f"\n      - synset: {synset}" for synset in synsets)
    groups = (
        f"\ngroups:\n  - name: some\n    reason: a word for a people.\n    rules:{rules}\n"
        if synsets
        else "\n"
    )
    path = folder / "policy.yaml"
    path.write_text(f"show: all\nwhen_withheld: {when_withheld}{groups}", encoding="utf-8")
    return Policy.load(str(path), LEXICON)


@pytest.fixture
def captioner(tmp_path: Path) -> Captioner:
    return Captioner(CaptionConfig(hold=3), LEXICON, policy(tmp_path, "say"))


def track(id_: int = 1, seen_at: float = 0.0) -> Track:
    return Track(id_, BOX, seen_at)


def guesses(*synsets: str) -> list[Guess]:
    return [Guess(synset, 0.5 / at) for at, synset in enumerate(synsets, start=1)]


def test_a_visitor_without_a_guess_has_no_caption(captioner: Captioner) -> None:
    assert captioner.update([track()], {}, 0) == ()


def test_the_best_guess_is_shown_with_its_words(captioner: Captioner) -> None:
    (caption,) = captioner.update([track()], {1: guesses("n00000001", "n00000002")}, 0)
    assert (caption.track_id, caption.box, caption.entry, caption.probability) == (
        1,
        BOX,
        LEXICON["n00000001"],
        0.5,
    )


def test_a_label_holds_however_often_the_network_changes_its_mind(captioner: Captioner) -> None:
    captioner.update([track()], {1: guesses("n00000001")}, 0)
    for tenth in range(1, 30):
        now = tenth / 10
        (caption,) = captioner.update(
            [track(seen_at=now)], {1: guesses("n00000002" if tenth % 2 else "n00000003")}, now
        )
        assert caption.entry.synset == "n00000001"


def test_after_the_hold_the_label_follows_the_network(captioner: Captioner) -> None:
    captioner.update([track()], {1: guesses("n00000001")}, 0)
    (caption,) = captioner.update([track(seen_at=3.0)], {1: guesses("n00000002")}, 3.0)
    assert caption.entry.synset == "n00000002"
    (caption,) = captioner.update([track(seen_at=5.9)], {1: guesses("n00000003")}, 5.9)
    assert caption.entry.synset == "n00000002"


def test_the_probability_of_a_held_label_is_the_newest_known(captioner: Captioner) -> None:
    captioner.update([track()], {1: guesses("n00000001", "n00000002")}, 0)
    (caption,) = captioner.update([track(seen_at=1)], {1: guesses("n00000002", "n00000001")}, 1)
    assert (caption.entry.synset, caption.probability) == ("n00000001", 0.25)
    (caption,) = captioner.update([track(seen_at=2)], {1: guesses("n00000002")}, 2)
    assert (caption.entry.synset, caption.probability) == ("n00000001", 0.25)


def test_no_caption_hangs_in_the_air_and_it_comes_back_with_its_visitor(captioner: Captioner) -> None:
    captioner.update([track()], {1: guesses("n00000001")}, 0)
    assert len(captioner.update([track()], {}, LINGER)) == 1
    assert captioner.update([track()], {}, LINGER + 0.1) == ()
    (caption,) = captioner.update([track(seen_at=1.2)], {1: guesses("n00000002")}, 1.2)
    assert caption.entry.synset == "n00000001"


def test_a_track_that_is_over_is_forgotten(captioner: Captioner) -> None:
    captioner.update([track()], {1: guesses("n00000001")}, 0)
    captioner.update([], {}, 1)
    assert captioner.update([track(seen_at=2)], {}, 2) == ()


def test_the_scene_has_no_box(captioner: Captioner) -> None:
    (caption,) = captioner.update([track(SCENE_ID)], {SCENE_ID: guesses("n00000001")}, 0)
    assert (caption.track_id, caption.box) == (SCENE_ID, None)


def test_a_withheld_word_is_not_handed_over_but_its_reason_is(tmp_path: Path) -> None:
    captioner = Captioner(CaptionConfig(), LEXICON, policy(tmp_path, "say", "n00000001"))
    (caption,) = captioner.update([track()], {1: guesses("n00000001", "n00000002")}, 0)
    assert (caption.entry, str(caption.withheld), caption.box) == (None, "a word for a people.", BOX)


def test_the_next_shown_guess_says_what_was_passed_over(tmp_path: Path) -> None:
    captioner = Captioner(CaptionConfig(), LEXICON, policy(tmp_path, "next", "n00000001", "n00000002"))
    (caption,) = captioner.update([track()], {1: guesses("n00000001", "n00000002", "n00000003")}, 0)
    assert caption.entry is LEXICON["n00000003"]
    assert (caption.withheld, caption.passed_over, caption.probability) == (Reason(), 2, 0.5 / 3)


def test_the_next_shown_guess_holds_as_any_other(tmp_path: Path) -> None:
    one, two, three = LEXICON
    captioner = Captioner(CaptionConfig(hold=3), LEXICON, policy(tmp_path, "next", one))
    captioner.update([track()], {1: guesses(one, two, three)}, 0)
    for half in range(1, 6):
        now = half / 2
        later = guesses(one, three, two) if half % 2 else guesses(one, two, three)
        (caption,) = captioner.update([track(seen_at=now)], {1: later}, now)
        assert caption.entry is LEXICON[two]
    (caption,) = captioner.update([track(seen_at=3.5)], {1: guesses(one, three, two)}, 3.5)
    assert caption.entry is LEXICON[three]


def test_who_is_hidden_has_no_box(tmp_path: Path) -> None:
    captioner = Captioner(CaptionConfig(), LEXICON, policy(tmp_path, "hide", "n00000001"))
    assert captioner.update([track()], {1: guesses("n00000001")}, 0) == ()


def test_a_change_of_policy_is_in_force_for_a_label_that_stands(tmp_path: Path) -> None:
    captioner = Captioner(CaptionConfig(hold=60), LEXICON, policy(tmp_path, "say"))
    (before,) = captioner.update([track()], {1: guesses("n00000001")}, 0)
    captioner.change(CaptionConfig(hold=60), policy(tmp_path, "say", "n00000001"))
    (after,) = captioner.update([track(seen_at=0.1)], {}, 0.1)
    assert before.entry is LEXICON["n00000001"]
    assert (after.entry, str(after.withheld)) == (None, "a word for a people.")
    captioner.change(CaptionConfig(hold=60), policy(tmp_path, "say"))
    (again,) = captioner.update([track(seen_at=0.2)], {}, 0.2)
    assert again.entry is LEXICON["n00000001"]


LONG, ENDLESS = (
    Entry(id_, ("one two",), "gloss " * words, ("person",), None, None, None)
    for id_, words in (("n00000001", 27), ("n00000002", 500))
)


@pytest.mark.parametrize(
    ("entry", "speed", "hold", "stands"),
    [
        (LONG, 3, 4, 10),
        (LONG, 3, 12, 12),
        (LONG, 0, 4, 4),
        (ENDLESS, 3, 4, LONGEST_READING),
        (ENDLESS, 3, 30, 30),
    ],
)
def test_a_label_holds_while_its_entry_is_read(
    tmp_path: Path, entry: Entry, speed: float, hold: float, stands: float
) -> None:
    lexicon = {**LEXICON, entry.synset: entry}
    config = CaptionConfig(hold=hold, reading_speed=speed)
    captioner = Captioner(config, lexicon, policy(tmp_path, "say"))
    captioner.update([track()], {1: guesses(entry.synset)}, 0)
    for now, synset in ((stands - 0.01, entry.synset), (stands, "n00000003")):
        (caption,) = captioner.update([track(seen_at=now)], {1: guesses("n00000003")}, now)
        assert caption.entry.synset == synset


def test_that_a_word_is_withheld_takes_no_time_to_read(tmp_path: Path) -> None:
    lexicon = {**LEXICON, LONG.synset: LONG}
    captioner = Captioner(CaptionConfig(hold=3), lexicon, policy(tmp_path, "say", LONG.synset))
    captioner.update([track()], {1: guesses(LONG.synset)}, 0)
    (caption,) = captioner.update([track(seen_at=3.0)], {1: guesses("n00000003")}, 3.0)
    assert caption.entry.synset == "n00000003"
