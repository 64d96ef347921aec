from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

import numpy as np
import pygame
import pytest

from kiosk.errors import ConfigError
from kiosk.screen import window
from kiosk.screen.draw import offscreen
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
from kiosk.sections import DisplayConfig, StaffConfig, WallConfig
from kiosk.errors import ConfigError, DisplayError
from kiosk.messages import Frame, Scene
from kiosk.screen import window
from kiosk.screen.look import Facts, Look, Network, Told
from kiosk.screen.texts import load
from kiosk.screen.window import Screen

SILENT = WallConfig(warning="", note="", idle="")

def say(*words):
    print(*words, flush=True)

def look(wall=SILENT, network=Network(0, ""), **display):
    return Look(DisplayConfig(**display), wall, load("en"), network)

def opened(windowed_wh=None, **display):
    return Screen(look(**display), windowed_wh)

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
def child(code: str, display: str, **variables: str) -> Iterator[subprocess.Popen[str]]:
    """A child on a display; ended when the test is."""
    command = [sys.executable, "-c", OPEN + code]
    environment = surroundings(DISPLAY=display, **variables)
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


def xdotool(display: str, *arguments: str) -> None:
    subprocess.run(["xdotool", *arguments], env=surroundings(DISPLAY=display), timeout=20, check=True)


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
        xdotool(display, "mousemove", "200", "300")
        picture = wait_for(tmp_path, mirrored)
        assert picture.shape == (size_wh[1], size_wh[0], 3)
        assert mirrored(picture)


def test_a_cursor_would_have_been_seen(tmp_path: Path) -> None:
    show = SHOW.replace("screen = opened()", "screen = opened()\npygame.mouse.set_visible(True)")
    with xvfb(1280, 720, tmp_path) as display, child(show, display) as process:
        assert line(process.stdout) == "shown x11"
        wait_for(tmp_path, lambda picture: bool((picture[600:, 1000:] == BLUE).all()))
        xdotool(display, "mousemove", "200", "300")
        picture = wait_for(tmp_path, lambda picture: bool((picture[290:330, 190:230] != RED).any()), 5)
        assert (picture[290:330, 190:230] != RED).any()


def test_escape_that_is_held_makes_it_leave_and_it_closes_twice(tmp_path: Path) -> None:
    with xvfb(1280, 720, tmp_path) as display, child(SHOW, display) as process:
        assert line(process.stdout) == "shown x11"
        wait_for(tmp_path, mirrored)
        xdotool(display, "key", "a")
        xdotool(display, "key", "Escape")
        xdotool(display, "keydown", "Escape")
        filling = wait_for(tmp_path, lambda picture: not mirrored(picture))
        assert not mirrored(filling), "one sees that it has to be held"
        assert line(process.stdout) == "leaving"
        assert line(process.stdout) == "closed False"
        assert process.wait(20) == 0


def test_the_staff_see_by_f1_what_visitors_do_not_and_by_the_same_key_it_goes(tmp_path: Path) -> None:
    code = """
screen = opened()
screen.show(FRAME, None)
say("shown")
while not screen.wants_to_leave():
    screen.show(FRAME, None, told=Told("the source failed and is tried again", "camera 0: cannot be opened"))
"""
    with xvfb(1280, 720, tmp_path) as display, child(code, display) as process:
        assert line(process.stdout) == "shown"
        assert mirrored(wait_for(tmp_path, mirrored))
        for key in ("F1", "F2"):
            xdotool(display, "key", key)
            assert not mirrored(wait_for(tmp_path, lambda picture: not mirrored(picture)))
            xdotool(display, "key", key)
            assert mirrored(wait_for(tmp_path, mirrored))


def test_keys_do_what_the_configuration_says_and_the_cross_closes_a_window_in_any_case() -> None:
    code = """
from dataclasses import replace

def pressed(staff, *keys, cross=False):
    screen = Screen(replace(look(), staff=staff), (640, 360))
    pictures = []
    for events in ((), keys):
        for key in events:
            pygame.event.post(pygame.event.Event(pygame.KEYDOWN, key=key))
        if events is keys and cross:
            pygame.event.post(pygame.event.Event(pygame.QUIT))
        leaves = screen.wants_to_leave()
        screen.show(FRAME, None)
        pictures.append(pygame.image.tobytes(pygame.display.get_surface(), "RGB"))
    screen.close()
    return "leaves" if leaves else "stays", "bare" if pictures[0] == pictures[1] else "shows"

ALL = pygame.K_ESCAPE, pygame.K_F1, pygame.K_F2
for key in ALL:
    say(*pressed(StaffConfig(), key))
say(*pressed(StaffConfig(leave_after=0), pygame.K_ESCAPE)[:1])
say(*pressed(StaffConfig(keys=False, leave_after=0), *ALL))
say(*pressed(StaffConfig(keys=False), cross=True))
"""
    with xvfb(1280, 720) as display:
        said = run(code, DISPLAY=display).splitlines()
    assert said == ["stays shows"] * 3 + ["leaves", "stays bare", "leaves bare"]


def test_the_aiming_view_comes_after_a_start_with_a_camera_and_only_with_one() -> None:
    code = """
from dataclasses import replace
for live, seconds in ((True, 10), (True, 0), (False, 10)):
    screen = Screen(replace(look(), staff=StaffConfig(aim=seconds), facts=Facts(is_live=live)), (640, 360))
    for scene in (None, Scene(0, 0.0, (), anybody=True)):
        screen.show(FRAME, scene)
        say(pygame.display.get_surface().get_at((2, 120))[:3] in ((255, 0, 0), (0, 0, 255)))
    screen.close()
"""
    with xvfb(1280, 720) as display:
        said = run(code, DISPLAY=display).splitlines()
    # Until the first look there is nothing to be seen by which a camera could be aimed.
    assert said == ["True", "False", "True", "True", "True", "True"]


def test_no_captions_stand_in_the_aiming_view() -> None:
    code = """
from kiosk.messages import Box, Caption, Reason
screen = opened((640, 360))
caption = Caption(1, Box(300, 150, 700, 600), None, 0.5, Reason((("", "no reason"),)))
pygame.event.post(pygame.event.Event(pygame.KEYDOWN, key=pygame.K_F2))
for turn in range(2):
    screen.wants_to_leave()
    for at in range(20):
        screen.show(FRAME, Scene(at, float(at), (caption,), anybody=True))
    accent = [pygame.display.get_surface().get_at((x, 150))[:3] == (57, 255, 20) for x in range(640)]
    say(any(accent))
    pygame.event.post(pygame.event.Event(pygame.KEYDOWN, key=pygame.K_F2))
"""
    with xvfb(1280, 720) as display:
        assert run(code, DISPLAY=display).splitlines() == ["False", "True"]


def test_the_piece_knows_while_the_staff_look_on() -> None:
    code = """
screen = opened((640, 360))
for key in (None, pygame.K_F1, pygame.K_F1, pygame.K_F2, pygame.K_F2, pygame.K_a):
    if key:
        pygame.event.post(pygame.event.Event(pygame.KEYDOWN, key=key))
    screen.wants_to_leave()
    say(screen.is_watched)
"""
    with xvfb(1280, 720) as display:
        said = run(code, DISPLAY=display).splitlines()
    assert said == ["False", "True", "False", "True", "False", "False"]


def test_what_the_staff_asked_for_outlives_an_edit(tmp_path: Path) -> None:
    code = """
from dataclasses import replace
screen = opened((640, 360))
pygame.event.post(pygame.event.Event(pygame.KEYDOWN, key=pygame.K_F2))
screen.wants_to_leave()
for edited in (look(theme="night"), replace(look(), staff=StaffConfig(keys=False))):
    screen.announce(edited)
    screen.show(FRAME, None)
    say(pygame.display.get_surface().get_at((2, 120))[:3] in ((255, 0, 0), (0, 0, 255)))
"""
    with xvfb(1280, 720) as display:
        assert run(code, DISPLAY=display).splitlines() == ["False", "True"]


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
screen.announce(look(WallConfig(), Network(2833, "A stand-in.")))
say("announced")
while True:
    screen.show(FRAME, Scene(0, 0.0, ()))
"""
    with xvfb(1280, 720, tmp_path) as display, child(code, display) as process:
        assert line(process.stdout) == "announced"

        def footed(picture: Picture) -> bool:
            foot = (picture[-5:, :100] != RED).any(axis=2)
            return bool((picture[100:250, 800:] == BLUE).all() and foot.all())

        assert footed(wait_for(tmp_path, footed))


def test_the_wall_is_turned_clockwise_also_by_an_edit_while_it_runs(tmp_path: Path) -> None:
    code = """
screen = opened(rotate="90")
for rotate in ("90", "180", "270", "0"):
    screen.announce(look(rotate=rotate))
    screen.show(FRAME, None)
    say("shown")
    sys.stdin.readline()
"""
    with xvfb(1280, 720, tmp_path) as display, child(code, display) as process:
        assert process.stdin is not None
        for quarters in (1, 2, 3, 4):
            assert line(process.stdout) == "shown"
            picture = wait_for(tmp_path, lambda picture, back=quarters: mirrored(np.rot90(picture, back)))
            # Turned back, counter-clockwise, it is the wall as it would be seen on an upright screen.
            assert mirrored(np.rot90(picture, quarters))
            process.stdin.write("\n")
            process.stdin.flush()


FORMATS = {
    "blue first": (32, (0xFF0000, 0xFF00, 0xFF, 0)),
    "red first": (32, (0xFF, 0xFF00, 0xFF0000, 0)),
    "16 bits": (16, (0xF800, 0x7E0, 0x1F, 0)),
}


@pytest.mark.parametrize("pixels", FORMATS)
@pytest.mark.parametrize("rotate", ["0", "90", "180", "270"])
def test_a_sheet_is_put_on_pixels_of_any_kind(rotate: str, pixels: str) -> None:
    sheet = offscreen((7, 4))
    colours = {}
    for at in range(28):
        colours[at % 7, at // 7] = (255 * (at & 1), 255 * (at >> 1 & 1), 255 * (at >> 2 & 1))
        sheet.set_at((at % 7, at // 7), colours[at % 7, at // 7])
    bits, masks = FORMATS[pixels]
    surface = pygame.Surface((7, 4) if rotate in ("0", "180") else (4, 7), 0, bits, masks)
    assert window.is_blue_first(surface) is (pixels == "blue first")
    window.put(sheet, surface, rotate)
    there = {
        "0": lambda x, y: (x, y),
        "90": lambda x, y: (3 - y, x),
        "180": lambda x, y: (6 - x, 3 - y),
        "270": lambda x, y: (y, 6 - x),
    }[rotate]
    assert {(x, y): tuple(surface.get_at(there(x, y)))[:3] for x, y in colours} == colours


@pytest.mark.parametrize("depth", [16, 30])
def test_a_desktop_of_fewer_or_more_colours_shows_it_too(depth: int) -> None:
    code = """
screen = opened()
screen.show(FRAME, None)
surface = pygame.display.get_surface()
say(*surface.get_size(), *surface.get_at((0, 0))[:3], *surface.get_at((319, 179))[:3])
"""
    command = ["Xvfb", "-displayfd", "1", "-screen", "0", f"320x180x{depth}", "-nolisten", "tcp"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as server:
        try:
            assert run(code, DISPLAY=f":{line(server.stdout)}") == "320 180 255 0 0 0 0 255\n"
        finally:
            server.terminate()


@pytest.mark.parametrize(("windowed", "rotate"), [("None", "0"), ("(640, 360)", "0"), ("None", "270")])
def test_another_size_of_the_display_is_followed_without_a_flash(
    windowed: str, rotate: str, tmp_path: Path
) -> None:
    code = f"""
screen = opened({windowed}, rotate="{rotate}")
flip, before = pygame.display.flip, []
def watched():
    shown = pygame.display.get_surface()
    width, height = shown.get_size()
    ends = [shown.get_at((0, 0))[:3], shown.get_at((width - 1, height - 1))[:3]]
    before.append(sorted(ends) == [(0, 0, 255), (255, 0, 0)])
    flip()
pygame.display.flip = watched
screen.show(FRAME, None)
say("shown")
while pygame.display.get_surface().get_size() != (800, 450):
    screen.wants_to_leave()
    screen.show(FRAME, None)
screen.show(FRAME, None)
say(all(before))
sys.stdin.readline()
screen.close()
"""
    with xvfb(1280, 720, tmp_path) as display, child(code, display) as process:
        assert line(process.stdout) == "shown"
        # What a window manager does where the resolution changes, or a monitor comes back as another.
        xdotool(display, "search", "--class", ".", "windowsize", "800", "450")
        assert line(process.stdout) == "True"
        picture = wait_for(tmp_path, lambda picture: np.count_nonzero(picture.any(axis=2)) == 800 * 450)
        rows, columns = np.nonzero(picture.any(axis=2))
        top, left = int(rows.min()), int(columns.min())
        seen = picture[top : top + 450, left : left + 800]
        assert mirrored(np.rot90(seen, int(rotate) // 90))


def test_a_screen_that_is_not_there_is_a_mistake_of_the_configuration() -> None:
    code = """
try:
    opened(screen=1)
except ConfigError as error:
    say(error.exit_code, error)
    say(pygame.display.get_init())
"""
    with xvfb(1280, 720) as display:
        said = run(code, DISPLAY=display).splitlines()
    assert said == ["78 display.screen: there is no screen 1; there is 0 (1280x720)", "False"]


def test_of_several_screens_each_can_be_chosen() -> None:
    sizes_wh = [(1920, 1080), (1080, 1920)]
    window.check_screen(0, sizes_wh)
    window.check_screen(1, sizes_wh)
    with pytest.raises(ConfigError, match=r"no screen 2; there is 0 \(1920x1080\), 1 \(1080x1920\)$"):
        window.check_screen(2, sizes_wh)


BROKEN = {"SDL_OPENGL_LIBRARY": "/nowhere", "SDL_VIDEO_EGL_DRIVER": "/nowhere"}


@pytest.mark.parametrize(
    ("variables", "vsync"),
    [
        ({}, True),
        ({"SDL_FRAMEBUFFER_ACCELERATION": "1"}, True),
        ({"SDL_FRAMEBUFFER_ACCELERATION": "1"}, False),
        ({"SDL_FRAMEBUFFER_ACCELERATION": "1", **BROKEN}, True),
    ],
)
def test_it_is_seen_with_opengl_and_without_and_never_faster_than_the_screen(
    variables: dict[str, str], vsync: bool, tmp_path: Path
) -> None:
    code = f"""
screen = opened((320, 180), vsync={vsync})
began = time.monotonic()
for _ in range(31):
    screen.show(FRAME, None)
pace = 30 / (time.monotonic() - began)
opengl = bool(pygame.display.get_surface().get_flags() & pygame.OPENGL)
wanted = os.environ["SDL_RENDER_VSYNC"] == "{int(vsync)}"
say(pace < (77 if {vsync} and opengl else 63), wanted, opengl and not window.has_gpu())
sys.stdin.readline()
"""
    with xvfb(640, 360, tmp_path) as display, child(code, display, **variables) as process:
        software = "SDL_FRAMEBUFFER_ACCELERATION" in variables and not BROKEN.keys() <= variables.keys()
        paced, wanted, opengl_without_gpu = line(process.stdout).split()
        assert (paced, wanted) == ("True", "True")
        # Software that poses as a GPU is taken by those only who ask for it.
        assert software or opengl_without_gpu == "False"
        picture = wait_for(tmp_path, lambda picture: np.count_nonzero(picture.any(axis=2)) == 320 * 180)
        assert np.count_nonzero(picture.any(axis=2)) == 320 * 180


def test_a_gpu_is_a_device_that_may_be_used(tmp_path: Path) -> None:
    assert not window.has_gpu(tmp_path)
    (tmp_path / "dri").mkdir()
    (tmp_path / "dri" / "card0").touch()  # a screen without one
    assert not window.has_gpu(tmp_path)
    (tmp_path / "dri" / "renderD128").touch()
    assert window.has_gpu(tmp_path)
    (tmp_path / "dri" / "renderD128").unlink()
    (tmp_path / "nvidia0").touch()
    assert window.has_gpu(tmp_path)


def test_how_fast_it_really_is_is_told_once_from_when_the_network_is_known() -> None:
    code = """
import logging
logging.basicConfig(stream=sys.stdout, level=logging.INFO, format="%(message)s")
window.MEASURED = 4
screen = opened((320, 180))
for _ in range(6):
    screen.show(None, None)
say("announced")
screen.announce(look(network=Network(2833, "")))
for _ in range(6):
    screen.show(None, None)
screen.announce(look(network=Network(2833, "")))
for _ in range(6):
    screen.show(None, None)
"""
    with xvfb(640, 360) as display:
        first, second = run(code, DISPLAY=display).splitlines()
    assert first == "announced"
    assert re.fullmatch(r"display: 320x180, \d+ pictures a second with(out)? OpenGL", second)


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
