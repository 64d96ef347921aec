from __future__ import annotations

import pytest

from kiosk.screen.texts import ENGLISH, statement


@pytest.mark.parametrize(
    ("can_store", "can_send", "stream", "said"),
    [
        (False, False, False, ENGLISH.sealed),
        (False, True, True, ENGLISH.sealed_with_stream),
        (False, True, False, ENGLISH.not_sealed),  # a layer is missing, and there is no stream to excuse it
        (True, False, False, ENGLISH.not_sealed),
        (True, True, True, ENGLISH.not_sealed),
    ],
)
def test_the_wall_claims_only_what_holds(can_store: bool, can_send: bool, stream: bool, said: str) -> None:
    assert statement(ENGLISH, can_store=can_store, can_send=can_send, stream=stream, missing=()) == said


def test_the_wall_names_what_is_missing() -> None:
    said = statement(ENGLISH, can_store=False, can_send=False, stream=False, missing=("Landlock", "seccomp"))
    assert said == f"{ENGLISH.not_sealed} Missing: Landlock, seccomp."
