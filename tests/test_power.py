from __future__ import annotations

import pytest

from kiosk.screen import power
from kiosk.screen.power import Monitor
from tests.conftest import xvfb


class Function:
    """Takes types as a function of ctypes does, and answers with a number."""

    def __init__(self, name: str, calls: list[tuple], answer: int) -> None:
        self.name, self.calls, self.answer = name, calls, answer

    def __call__(self, *arguments: object) -> int:
        self.calls.append((self.name, *(a for a in arguments if isinstance(a, int))))
        return self.answer


class Library:
    """libX11 and libXext of a server with DPMS."""

    def __init__(self, calls: list[tuple], capable: int = 1) -> None:
        self.calls, self.capable = calls, capable

    def __getattr__(self, name: str) -> Function:
        answer = {"XOpenDisplay": 7, "DPMSCapable": self.capable}.get(name, 1)
        function = Function(name, self.calls, answer)
        setattr(self, name, function)
        return function


@pytest.fixture
def calls(monkeypatch: pytest.MonkeyPatch) -> list[tuple]:
    found: list[tuple] = []
    monkeypatch.setattr(power, "_library", lambda name: Library(found))
    return found


def test_a_monitor_is_switched_once_for_each_change(calls: list[tuple]) -> None:
    monitor = Monitor()
    calls.clear()
    for on in (True, False, False, False, True, True):
        monitor.switch(on=on)
    assert [call for call in calls if call[0] == "DPMSForceLevel"] == [
        ("DPMSForceLevel", 7, power.OFF),
        ("DPMSForceLevel", 7, power.ON),
    ]
    assert calls.count(("DPMSEnable", 7)) == calls.count(("XFlush", 7)) == 2


def test_at_the_end_the_monitor_is_on(calls: list[tuple]) -> None:
    monitor = Monitor()
    monitor.switch(on=False)
    monitor.close()
    assert [call[-1] for call in calls if call[0] == "DPMSForceLevel"] == [power.OFF, power.ON]
    assert calls[-1] == ("XCloseDisplay", 7)
    monitor.switch(on=False)
    monitor.close()
    assert calls[-1] == ("XCloseDisplay", 7)


def test_a_server_that_cannot_leaves_the_screen_as_it_is(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    calls: list[tuple] = []
    monkeypatch.setattr(power, "_library", lambda name: Library(calls, capable=0))
    monitor = Monitor()
    monitor.switch(on=False)
    assert not monitor.can_switch
    assert calls[-1] == ("XCloseDisplay", 7)
    assert "no DPMS" in caplog.text


def test_on_a_real_server_without_the_extension_nothing_happens(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    with xvfb(320, 240) as display:
        monkeypatch.setenv("DISPLAY", display)
        monitor = Monitor()
        monitor.switch(on=False)
        monitor.close()
    assert not monitor.can_switch
    assert "cannot be switched off" in caplog.text
