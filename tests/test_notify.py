from __future__ import annotations

import logging
import os
import re
import socket
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from kiosk.trust.notify import Notifier, Status, connect
from tests.sealed import told

PID = 4711


class Manager:
    """The end at which systemd reads: a datagram socket with a name, as in sd_notify(3)."""

    def __init__(self, address: str) -> None:
        self.address = address
        self._socket = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self._socket.bind(f"\0{address[1:]}" if address.startswith("@") else address)
        self._socket.setblocking(False)

    def heard(self) -> list[str]:
        """All that came since the last call."""
        messages = []
        with suppress(BlockingIOError):
            while True:
                messages.append(self._socket.recv(4096).decode())
        return messages

    def close(self) -> None:
        self._socket.close()


@pytest.fixture(params=["path", "abstract"])
def manager(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Manager]:
    name = f"@kiosk-{os.getpid()}" if request.param == "abstract" else str(tmp_path / "notify")
    made = Manager(name)
    yield made
    made.close()


@pytest.fixture
def notifier(manager: Manager) -> Iterator[Notifier]:
    made = connect({"NOTIFY_SOCKET": manager.address, "WATCHDOG_USEC": "30000000"}, PID)
    yield made
    made.close()


def test_each_message_is_a_datagram_of_its_own(notifier: Notifier, manager: Manager) -> None:
    notifier.status(Status.STARTING)
    notifier.ready()
    notifier.ping(100.0)
    notifier.status(Status.RUNNING)
    notifier.stopping()
    assert manager.heard() == ["STATUS=starting", "READY=1", "WATCHDOG=1", "STATUS=running", "STOPPING=1"]


def test_what_was_told_is_not_told_again(notifier: Notifier, manager: Manager) -> None:
    for _ in range(3):
        notifier.ready()
        notifier.status(Status.CLOSED)
        notifier.stopping()
    assert manager.heard() == ["READY=1", "STATUS=closed, by the opening hours", "STOPPING=1"]
    notifier.status(Status.RUNNING)
    notifier.status(Status.CLOSED)
    assert manager.heard() == ["STATUS=running", "STATUS=closed, by the opening hours"]


def pings(notifier: Notifier, manager: Manager, seconds: int) -> list[str]:
    """What is heard of a piece that draws 64 frames a second."""
    heard = []
    for frame in range(64 * seconds):
        notifier.ping(1000 + frame / 64)
        heard += manager.heard()
    return heard


def test_a_ping_goes_out_once_a_second_however_often_a_frame_is_drawn(
    notifier: Notifier, manager: Manager
) -> None:
    assert len(pings(notifier, manager, seconds=10)) == 10


@pytest.mark.parametrize(("microseconds", "count"), [("30000000", 10), ("1000000", 20), ("3000000", 10)])
def test_a_short_watchdog_hears_two_pings_in_its_interval(
    manager: Manager, microseconds: str, count: int
) -> None:
    notifier = connect({"NOTIFY_SOCKET": manager.address, "WATCHDOG_USEC": microseconds}, PID)
    assert len(pings(notifier, manager, seconds=10)) == count
    notifier.close()


@pytest.mark.parametrize(
    ("variables", "interval"),
    [
        ({"WATCHDOG_USEC": "30000000"}, 30.0),
        ({"WATCHDOG_USEC": "30000000", "WATCHDOG_PID": str(PID)}, 30.0),
        ({"WATCHDOG_USEC": "500000"}, 0.5),
        ({}, None),
        ({"WATCHDOG_PID": str(PID)}, None),
        ({"WATCHDOG_USEC": "30000000", "WATCHDOG_PID": "1"}, None),  # it watches another process
        ({"WATCHDOG_USEC": "30000000", "WATCHDOG_PID": ""}, None),
        ({"WATCHDOG_USEC": "0"}, None),
        ({"WATCHDOG_USEC": "-1"}, None),
        ({"WATCHDOG_USEC": "30s"}, None),
        ({"WATCHDOG_USEC": "\u0663"}, None),
        ({"WATCHDOG_USEC": "9" * 5000}, None),
    ],
)
def test_only_who_is_watched_pings(
    manager: Manager, variables: dict[str, str], interval: float | None
) -> None:
    notifier = connect({"NOTIFY_SOCKET": manager.address, **variables}, PID)
    assert notifier.interval == interval
    notifier.ping(0.0)
    notifier.ready()
    notifier.close()
    assert manager.heard() == (["WATCHDOG=1"] if interval else []) + ["READY=1"]


def test_the_variables_are_not_handed_on(manager: Manager) -> None:
    environment = {
        "NOTIFY_SOCKET": manager.address,
        "WATCHDOG_USEC": "1000000",
        "WATCHDOG_PID": "1",
        "HOME": "/",
    }
    connect(environment, PID).close()
    assert environment == {"HOME": "/"}


def call_all(notifier: Notifier) -> None:
    notifier.status(Status.RUNNING)
    notifier.ready()
    notifier.ping(1000.0)
    notifier.stopping()


@pytest.mark.parametrize("environment", [{}, {"NOTIFY_SOCKET": ""}, {"WATCHDOG_USEC": "30000000"}])
def test_without_systemd_nothing_is_told_and_nothing_said_of_it(
    environment: dict[str, str], caplog: pytest.LogCaptureFixture
) -> None:
    notifier = connect(environment, PID)
    call_all(notifier)
    notifier.close()
    assert (notifier.descriptor, caplog.records) == (None, [])


@pytest.mark.parametrize(
    ("address", "reason"),
    [
        ("/nonexistent/notify", "No such file or directory"),
        ("@nobody-is-there", "Connection refused"),
        ("/" + "x" * 200, "AF_UNIX path too long"),
        ("vsock:2:1234", "must be a path or an @name"),
        ("notify", "must be a path or an @name"),
    ],
)
def test_an_address_that_leads_nowhere_is_told_once_and_stops_nobody(
    address: str, reason: str, caplog: pytest.LogCaptureFixture
) -> None:
    notifier = connect({"NOTIFY_SOCKET": address, "WATCHDOG_USEC": "30000000"}, PID)
    call_all(notifier)
    (record,) = caplog.records
    assert record.levelno == logging.WARNING
    assert record.getMessage().startswith("systemd is told nothing: NOTIFY_SOCKET")
    assert record.getMessage().endswith(reason)


def test_a_manager_that_does_not_read_holds_nobody_up_and_hears_it_later(
    notifier: Notifier, manager: Manager
) -> None:
    assert notifier.descriptor is not None
    assert not os.get_blocking(notifier.descriptor), "the calls below would never come back"
    for second in range(5000):
        notifier.ping(float(second))
    full = manager.heard()
    assert 1 <= len(full) < 5000
    for second in range(5000, 10000):
        notifier.ping(float(second))
    notifier.ready()
    notifier.status(Status.CLOSED)
    assert set(manager.heard()) == {"WATCHDOG=1"}
    notifier.ping(9999.5)  # half a second after one in vain, long after the last that got through
    notifier.ready()
    notifier.status(Status.CLOSED)
    assert manager.heard() == ["WATCHDOG=1", "READY=1", "STATUS=closed, by the opening hours"]


def test_a_manager_that_has_gone_stops_nobody(notifier: Notifier, manager: Manager) -> None:
    manager.close()
    call_all(notifier)
    notifier.close()
    call_all(notifier)
    notifier.close()


def test_no_status_can_hold_a_thing_about_a_visitor(notifier: Notifier, manager: Manager) -> None:
    for status in Status:
        assert re.fullmatch(r"[a-z ,;]+", status.value), "no number, no name, no second line"
        notifier.status(status)
    assert manager.heard() == [f"STATUS={status.value}" for status in Status]
    with pytest.raises(AttributeError):
        notifier.status("a wimp and two nerds")  # type: ignore[arg-type]
    assert manager.heard() == []


@pytest.mark.parametrize("display", ["", "x11", "wayland"])
def test_a_sealed_piece_can_still_tell(manager: Manager, tmp_path: Path, display: str) -> None:
    """Connected before the seal; a new one could not be opened after it."""
    left, reached = told(
        f"""
        from kiosk.trust.notify import Status, connect
        notifier = connect(os.environ, os.getpid())
        sealed = seal(Policy(display={display!r}, notify=notifier.descriptor)).shut()
        assert sealed.gaps == ()
        notifier.status(Status.RUNNING)
        notifier.ready()
        notifier.ping(time.monotonic())
        notifier.stopping()
        left = [name for name in os.environ if name.startswith(("NOTIFY_", "WATCHDOG_"))]
        print(json.dumps([left, answer(lambda: socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM))]))
        """,
        tmp_path,
        NOTIFY_SOCKET=manager.address,
        WATCHDOG_USEC="30000000",
    )
    assert (left, reached) == ([], "Operation not permitted")
    assert manager.heard() == ["STATUS=running", "READY=1", "WATCHDOG=1", "STOPPING=1"]


@pytest.mark.parametrize("ports", ["()", "(53, 554)"])
def test_nobody_but_systemd_is_reached_by_its_socket(manager: Manager, tmp_path: Path, ports: str) -> None:
    other = Manager(f"{manager.address}-other")
    address = other.address.replace("@", "\0")
    code = f"""
        from kiosk.trust.notify import connect
        notifier = connect(os.environ, os.getpid())
        number = notifier.descriptor
        sealed = seal(Policy(display="x11", ports={ports}, notify=number))
        def by(call, *arguments):
            own = socket.socket(fileno=number)
            try:
                return answer(lambda: str(getattr(own, call)(*arguments)))
            finally:
                own.detach()
        def all_ways():
            return [
                by("sendto", b"leak", {address!r}),
                by("sendmsg", [b"leak"], [], 0, {address!r}),
                answer(lambda: str(os.dup(number) > 0)),
                by("dup"),
                by("connect", {address!r}),
            ]
        before = all_ways()
        sealed = sealed.shut()
        rows = [(it.what, it.refused) for it in sealed.attempts if "systemd" in it.what]
        print(json.dumps([before, all_ways(), rows, sealed.gaps, sealed.tried_again().gaps]))
        """
    before, after, rows, gaps, later_gaps = told(code, tmp_path, NOTIFY_SOCKET=manager.address)
    assert before[:3] == ["4", "4", "True"], "the harness would see it"
    assert other.heard() == ["leak", "leak"]
    other.close()
    assert set(after) == {"Operation not permitted"}
    assert rows == [
        ["send to another program by the socket to systemd", True],
        ["copy the socket to systemd", True],
    ]
    assert (gaps, later_gaps) == ([], [])
