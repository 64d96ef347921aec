from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

import numpy as np
import pytest

from tests.conftest import ROOT, xvfb
from tests.screenshot import Picture, screenshot, wait_for

BLUE, RED = (255, 0, 0), (0, 0, 255)
# A child for everything that opens a display: SDL chooses its driver once in a process.
OPEN = """
from kiosk import environment
environment.apply()
import os, sys, time
import numpy as np
import pygame
from kiosk.config import DisplayConfig, WallConfig
from kiosk.errors import DisplayError
from kiosk.messages import Frame, Scene
from kiosk.screen.draw import Network
from kiosk.screen.window import Screen

def say(*words):
    print(*words, flush=True)

def opened(windowed_wh=None):
    return Screen(DisplayConfig(), WallConfig(warning="", note="", idle=""), windowed_wh)

image = np.full((720, 1280, 3), (0, 0, 255), np.uint8)
image[:, :640] = (255, 0, 0)
FRAME = Frame(image, 0, 0.0)
"""
SHOW = """
screen = opened()
screen.show(FRAME, None)
say("shown", pygame.display.get_driver())
while not screen.wants_to_leave():
    screen.show(FRAME, None)
say("leaving")
screen.close()
screen.close()
say("closed", pygame.display.get_init())
"""


def surroundings(**variables: str) -> dict[str, str]:
    """This process's environment without a display of its own, and `variables`."""
    foreign = ("DISPLAY", "WAYLAND_DISPLAY", "XDG_RUNTIME_DIR", "SDL_VIDEODRIVER")
    inherited = {name: value for name, value in os.environ.items() if name not in foreign}
    return {**inherited, "PYTHONPATH": str(ROOT), **variables}


def run(code: str, **variables: str) -> str:
    """What a child says; it must end well."""
    done = subprocess.run(
        [sys.executable, "-c", OPEN + code],
        env=surroundings(**variables),
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


@contextmanager
def child(code: str, display: str) -> Iterator[subprocess.Popen[str]]:
    """A child on a display; ended when the test is."""
    command = [sys.executable, "-c", OPEN + code]
    environment = surroundings(DISPLAY=display)
    with subprocess.Popen(
        command, env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        try:
            yield process
        finally:
            process.kill()


def line(stream: IO[str] | None) -> str:
    assert stream is not None
    return stream.readline().strip()


def press(key: str, display: str) -> None:
    subprocess.run(["xdotool", "key", key], env=surroundings(DISPLAY=display), timeout=20, check=True)


def mirrored(picture: Picture) -> bool:
    """Whether the whole screen is red at the left and blue at the right, but for what is blended between."""
    middle = picture.shape[1] // 2
    return bool((picture[:, : middle - 8] == RED).all() and (picture[:, middle + 8 :] == BLUE).all())


@pytest.mark.parametrize("size_wh", [(1920, 1080), (1080, 1920)])
def test_the_picture_covers_the_whole_screen_mirrored_and_without_a_cursor(
    size_wh: tuple[int, int], tmp_path: Path
) -> None:
    with xvfb(*size_wh, tmp_path) as display, child(SHOW, display) as process:
        assert line(process.stdout) == "shown x11"
        # Where the mirror's halves meet would the pointer stand, in the middle of the screen: move it off.
        subprocess.run(
            ["xdotool", "mousemove", "200", "300"], env=surroundings(DISPLAY=display), timeout=20, check=True
        )
        picture = wait_for(tmp_path, mirrored)
        assert picture.shape == (size_wh[1], size_wh[0], 3)
        assert mirrored(picture)


def test_a_cursor_would_have_been_seen(tmp_path: Path) -> None:
    show = SHOW.replace("screen = opened()", "screen = opened()\npygame.mouse.set_visible(True)")
    with xvfb(1280, 720, tmp_path) as display, child(show, display) as process:
        assert line(process.stdout) == "shown x11"
        wait_for(tmp_path, lambda picture: bool((picture[600:, 1000:] == BLUE).all()))
        subprocess.run(
            ["xdotool", "mousemove", "200", "300"], env=surroundings(DISPLAY=display), timeout=20, check=True
        )
        picture = wait_for(tmp_path, lambda picture: bool((picture[290:330, 190:230] != RED).any()), 5)
        assert (picture[290:330, 190:230] != RED).any()


def test_escape_makes_it_leave_and_it_closes_twice(tmp_path: Path) -> None:
    with xvfb(1280, 720, tmp_path) as display, child(SHOW, display) as process:
        assert line(process.stdout) == "shown x11"
        wait_for(tmp_path, mirrored)
        press("a", display)
        press("Escape", display)
        assert line(process.stdout) == "leaving"
        assert line(process.stdout) == "closed False"
        assert process.wait(20) == 0


def test_nobodys_picture_is_on_the_wall_when_it_is_let_go(tmp_path: Path) -> None:
    # It stops between blanking and letting go: afterwards the X server's own black would be seen.
    stopped = """
let_go = pygame.display.quit
def wait_then_let_go():
    say("letting go")
    sys.stdin.readline()
    let_go()
pygame.display.quit = wait_then_let_go
screen = opened()
screen.show(FRAME, None)
say("shown")
sys.stdin.readline()
screen.close()
"""
    with xvfb(1280, 720, tmp_path) as display, child(stopped, display) as process:
        assert process.stdin is not None
        assert line(process.stdout) == "shown"
        assert mirrored(wait_for(tmp_path, mirrored))
        process.stdin.write("\n")
        process.stdin.flush()
        assert line(process.stdout) == "letting go"
        assert not wait_for(tmp_path, lambda picture: not picture.any()).any()


def test_a_window_has_the_size_that_was_asked_for(tmp_path: Path) -> None:
    code = "screen = opened((640, 360))\nscreen.show(FRAME, None)\nsay('shown')\nsys.stdin.readline()"
    with xvfb(1280, 720, tmp_path) as display, child(code, display) as process:
        assert line(process.stdout) == "shown"
        picture = wait_for(tmp_path, lambda picture: bool(picture.any()))
        rows, columns = np.nonzero(picture.any(axis=2))
        assert (int(np.ptp(columns)) + 1, int(np.ptp(rows)) + 1) == (640, 360)


def test_a_windows_cross_is_a_wish_to_leave_but_a_walls_is_a_display_that_went_away() -> None:
    code = """
window = opened((640, 360))
pygame.event.post(pygame.event.Event(pygame.QUIT))
say(window.wants_to_leave(), window.wants_to_leave())
window.close()
wall = opened()
pygame.event.post(pygame.event.Event(pygame.QUIT))
try:
    wall.wants_to_leave()
except DisplayError as error:
    say(error.exit_code, error)
"""
    with xvfb(1280, 720) as display:
        said = run(code, DISPLAY=display).splitlines()
    assert said == ["True False", "69 the display went away, or its window was closed from outside"]


def test_before_and_after_it_is_told_what_the_network_is_it_can_show(tmp_path: Path) -> None:
    code = """
screen = opened()
screen.show(None, None)
screen.announce(DisplayConfig(), WallConfig(), Network(2833, "A stand-in."), ["A demonstration."], mark=False)
screen.show(FRAME, Scene(0, 0.0, ()))
say("shown")
sys.stdin.readline()
"""
    with xvfb(1280, 720, tmp_path) as display, child(code, display) as process:
        assert line(process.stdout) == "shown"
        picture = wait_for(tmp_path, lambda picture: bool((picture[100:400, 800:] == BLUE).all()))
        assert (picture[100:400, 800:] == BLUE).all()
        assert (picture[-5:, :100] != RED).any(axis=2).all()


@pytest.mark.parametrize(
    ("variables", "said"),
    [
        ({}, "Neither DISPLAY nor WAYLAND_DISPLAY is set"),
        ({"DISPLAY": ":7777"}, "Is the desktop of DISPLAY or WAYLAND_DISPLAY running?"),
        ({"SDL_VIDEODRIVER": "offscreen"}, "'offscreen'"),
        ({"SDL_VIDEODRIVER": "dummy"}, "'dummy'"),
        ({"SDL_VIDEODRIVER": "nonsense"}, "nonsense"),
    ],
)
def test_without_a_display_it_says_so_and_what_to_do(variables: dict[str, str], said: str) -> None:
    code = """
try:
    opened()
    say("opened", pygame.display.get_driver())
except DisplayError as error:
    say(error.exit_code, error)
    say(pygame.display.get_init())
"""
    first, second = run(code, **variables).splitlines()
    assert first.startswith("69 no display: ")
    assert said in first
    assert "--headless" in first
    assert second == "False"


def test_the_sound_card_is_left_alone_and_the_wall_does_not_blank_itself() -> None:
    code = """
def audio():
    names = [open(f"/proc/self/task/{task}/comm").read().strip() for task in os.listdir("/proc/self/task")]
    return any("audio" in name.lower() for name in names)

screen = opened()
screen.show(FRAME, None)
say(audio(), pygame.mixer.get_init(), pygame.display.get_allow_screensaver())
pygame.mixer.init()  # the canary; its thread takes its name a moment later
deadline = time.monotonic() + 10
while not audio() and time.monotonic() < deadline:
    time.sleep(0.01)
say(audio())
"""
    with xvfb(1280, 720) as display:
        assert run(code, DISPLAY=display).splitlines() == ["False None False", "True"]


def test_the_environment_is_set_before_pygame_is_imported() -> None:
    code = """
import os, sys

class Witness:
    def find_spec(self, name, path=None, target=None):
        if name == "pygame":
            print(*(os.environ.get(key) for key in ("SDL_VIDEO_MINIMIZE_ON_FOCUS_LOSS", "SDL_AUDIODRIVER")))

sys.meta_path.insert(0, Witness())
import kiosk.__main__
import kiosk.app
"""
    bare = surroundings()
    for name in ("SDL_VIDEO_MINIMIZE_ON_FOCUS_LOSS", "SDL_AUDIODRIVER"):
        del bare[name]  # this process has set them already
    done = subprocess.run(
        [sys.executable, "-c", code], env=bare, capture_output=True, text=True, timeout=60, check=True
    )
    assert done.stdout == "0 dummy\n"


def test_a_screenshot_is_refused_where_it_cannot_be_read(tmp_path: Path) -> None:
    (tmp_path / "Xvfb_screen0").write_bytes(bytes(200))
    with pytest.raises(ValueError, match="must be XWD 7"):
        screenshot(tmp_path)
