from __future__ import annotations

import threading
import time
from collections.abc import Callable

import pytest

from kiosk.worker import Latest, Worker

PATIENCE = 10.0  # seconds; reached only by a failing test


def test_an_empty_mailbox_has_nothing_to_show() -> None:
    assert Latest[str]().peek() is None


def test_the_newest_message_wins() -> None:
    mailbox = Latest[int]()
    for message in range(100):
        mailbox.put(message)
    assert mailbox.peek() == 99
    assert mailbox.wait_newer(0, 0) == (100, 99)


def test_to_peek_takes_nothing_away() -> None:
    mailbox = Latest[str]()
    mailbox.put("a")
    assert [mailbox.peek(), mailbox.peek()] == ["a", "a"]


def test_who_has_seen_the_newest_waits_until_the_time_is_up() -> None:
    mailbox = Latest[str]()
    mailbox.put("a")
    began = time.monotonic()
    assert mailbox.wait_newer(1, 0.1) == (1, None)
    assert 0.09 <= time.monotonic() - began < PATIENCE


def test_who_has_not_seen_the_newest_does_not_wait() -> None:
    mailbox = Latest[str]()
    mailbox.put("a")
    began = time.monotonic()
    assert mailbox.wait_newer(0, PATIENCE) == (1, "a")
    assert time.monotonic() - began < PATIENCE / 2


def test_who_waits_is_woken_by_the_next_message() -> None:
    mailbox = Latest[str]()
    got: list[tuple[int, str | None]] = []
    reader = threading.Thread(target=lambda: got.append(mailbox.wait_newer(0, PATIENCE)))
    reader.start()
    time.sleep(0.05)  # most likely it waits by now; if not, it must get the message all the same
    began = time.monotonic()
    mailbox.put("a")
    reader.join(PATIENCE)
    assert got == [(1, "a")]
    assert time.monotonic() - began < PATIENCE / 2


def test_two_readers_get_the_same_message() -> None:
    mailbox = Latest[str]()
    mailbox.put("a")
    assert mailbox.wait_newer(0, 0) == mailbox.wait_newer(0, 0) == (1, "a")


def test_a_cleared_message_is_gone_for_everybody_and_the_next_one_counts_as_newer() -> None:
    mailbox = Latest[str]()
    mailbox.put("a")
    mailbox.clear()
    assert mailbox.peek() is None
    assert mailbox.wait_newer(0, 0) == (1, None)
    mailbox.put("b")
    assert mailbox.wait_newer(1, 0) == (2, "b")


class Steps:
    """A worker's step that tells in which thread it and its close ran."""

    def __init__(
        self, error: BaseException | None = None, closing_error: BaseException | None = None
    ) -> None:
        self._error, self._closing_error = error, closing_error
        self.called = threading.Event()
        self.count = 0
        self.threads: set[int] = set()
        self.closed_in: list[int] = []

    def step(self, stopping: threading.Event) -> None:
        self.count += 1
        self.threads.add(threading.get_ident())
        self.called.set()
        if self._error:
            raise self._error
        stopping.wait(0.001)

    def close(self) -> None:
        self.closed_in.append(threading.get_ident())
        if self._closing_error:
            raise self._closing_error


def start(steps: Steps) -> Worker:
    worker = Worker("steps", steps.step, steps.close)
    worker.start()
    assert steps.called.wait(PATIENCE)
    return worker


def until(is_true: Callable[[], bool]) -> None:
    deadline = time.monotonic() + PATIENCE
    while not is_true():
        assert time.monotonic() < deadline
        time.sleep(0.001)


def test_a_worker_steps_again_and_again_until_it_is_stopped() -> None:
    steps = Steps()
    worker = start(steps)
    until(lambda: steps.count > 3)
    worker.check()
    assert worker.stop(PATIENCE)
    count = steps.count
    time.sleep(0.02)
    assert steps.count == count
    worker.check()


def test_a_worker_closes_once_in_its_own_thread() -> None:
    steps = Steps()
    worker = start(steps)
    assert steps.closed_in == []
    assert worker.stop(PATIENCE)
    assert worker.stop(PATIENCE)
    assert len(steps.closed_in) == 1
    assert set(steps.closed_in) == steps.threads
    assert threading.get_ident() not in steps.threads


@pytest.mark.parametrize("error", [ValueError("broken"), KeyboardInterrupt(), SystemExit(3)], ids=repr)
def test_what_a_step_raises_ends_the_worker_and_is_raised_again_by_check(error: BaseException) -> None:
    steps = Steps(error)
    worker = start(steps)
    assert worker.stop(PATIENCE)
    for _ in range(2):
        with pytest.raises(type(error)) as caught:
            worker.check()
        assert caught.value is error
    assert steps.count == 1


def test_a_worker_closes_in_its_own_thread_also_after_an_error() -> None:
    steps = Steps(ValueError("broken"))
    worker = start(steps)
    until(lambda: bool(steps.closed_in))
    assert set(steps.closed_in) == steps.threads
    assert worker.stop(PATIENCE)


def test_what_close_raises_is_not_lost() -> None:
    steps = Steps(closing_error=ValueError("will not close"))
    worker = start(steps)
    worker.check()
    assert worker.stop(PATIENCE)
    with pytest.raises(ValueError, match="will not close"):
        worker.check()


def test_what_close_raises_does_not_hide_what_the_step_raised() -> None:
    steps = Steps(ValueError("first"), ValueError("second"))
    worker = start(steps)
    assert worker.stop(PATIENCE)
    with pytest.raises(ValueError, match="first"):
        worker.check()


def test_a_step_is_told_to_stop_while_it_waits() -> None:
    began = threading.Event()

    def step(stopping: threading.Event) -> None:
        began.set()
        assert stopping.wait(PATIENCE)

    worker = Worker("patient", step)
    worker.start()
    assert began.wait(PATIENCE)
    at = time.monotonic()
    assert worker.stop(PATIENCE)
    assert time.monotonic() - at < PATIENCE / 2
    worker.check()


def test_a_stuck_step_makes_stop_return_false_and_is_not_closed_from_outside() -> None:
    release, stuck = threading.Event(), threading.Event()
    closed_in: list[int] = []

    def step(stopping: threading.Event) -> None:
        stuck.set()
        release.wait(PATIENCE)

    worker = Worker("stuck", step, lambda: closed_in.append(threading.get_ident()))
    worker.start()
    assert stuck.wait(PATIENCE)
    began = time.monotonic()
    assert worker.stop(0.1) is False
    assert 0.09 <= time.monotonic() - began < PATIENCE / 2
    assert closed_in == []
    release.set()
    assert worker.stop(PATIENCE) is True
    assert len(closed_in) == 1


def test_a_stuck_worker_does_not_keep_the_process() -> None:
    stuck = threading.Event()

    def step(stopping: threading.Event) -> None:
        stuck.set()
        stopping.wait(PATIENCE)

    worker = Worker("stuck", step)
    worker.start()
    assert stuck.wait(PATIENCE)
    (daemon,) = (thread.daemon for thread in threading.enumerate() if thread.name == "stuck")
    assert worker.stop(PATIENCE)
    assert daemon


def test_a_worker_that_was_never_started_is_stopped_at_once() -> None:
    steps = Steps()
    worker = Worker("idle", steps.step, steps.close)
    assert worker.stop(0) is True
    worker.check()
    assert (steps.count, steps.closed_in) == (0, [])


class Held:
    """A step that begins and ends when the test says so."""

    def __init__(self) -> None:
        self.begun, self.may_end = threading.Event(), threading.Event()

    def step(self, stopping: threading.Event) -> None:
        self.begun.set()
        assert self.may_end.wait(PATIENCE)
        self.may_end.clear()


def test_a_worker_is_busy_for_as_long_as_its_present_step_takes() -> None:
    held = Held()
    worker = Worker("held", held.step)
    assert worker.busy_for(time.monotonic()) == 0, "it was not started"
    before = time.monotonic()
    worker.start()
    assert held.begun.wait(PATIENCE)
    after = time.monotonic()
    assert 20 - (after - before) <= worker.busy_for(before + 20) <= 20
    assert worker.busy_for(before - 1) == 0, "never less than nothing"
    # The next step counts from its own beginning.
    held.begun.clear()
    between = time.monotonic()
    held.may_end.set()
    assert held.begun.wait(PATIENCE)
    assert worker.busy_for(between + 20) <= 20
    assert worker.stop(0) is False
    held.may_end.set()
    assert worker.stop(PATIENCE)
    assert worker.busy_for(time.monotonic() + 20) == 0, "it has ended"
