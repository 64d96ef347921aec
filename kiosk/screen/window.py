"""The display: opened and checked, shown on, followed when its size changes, asked who wants to leave."""

from __future__ import annotations

import contextlib
import logging
import os
import sys
import time
from collections.abc import Sequence
from pathlib import Path

import cv2
import pygame

from kiosk.errors import ConfigError, DisplayError, ModelError
from kiosk.messages import Frame, Scene
from kiosk.screen.attract import Procession
from kiosk.screen.draw import Canvas, Card, offscreen
from kiosk.screen.flips import Flips
from kiosk.screen.keys import Key, Keys
from kiosk.screen.look import Look, Told
from kiosk.screen.overlay import Overlay
from kiosk.screen.painted import Painted
from kiosk.screen.picture import pixels
from kiosk.screen.power import Monitor

log = logging.getLogger(__name__)

# Without a display SDL silently takes its "offscreen" driver, and the wall stays black for ever.
REAL_DRIVERS = ("x11", "wayland", "kmsdrm", "windows", "cocoa")
MAX_FPS = 60
# With vsync the screen's own beat is the limit, also one of 75 Hz: a second, slower clock would make it limp.
MAX_FPS_VSYNC = 75
# After so many pictures it is told once how fast they really come.
MEASURED = 300
ACCELERATION = "SDL_FRAMEBUFFER_ACCELERATION"
BLUE_FIRST = (0xFF0000, 0x00FF00, 0x0000FF)
"""Masks of red, green and blue where the bytes of a pixel are blue, green, red, unused."""
NOTHING_TOLD = Told()
KEYS = {pygame.K_F1: Key.LIST, pygame.K_F2: Key.AIM, pygame.K_ESCAPE: Key.LEAVE}
TURNS = {
    "90": cv2.ROTATE_90_CLOCKWISE,
    "180": cv2.ROTATE_180,
    "270": cv2.ROTATE_90_COUNTERCLOCKWISE,
}


class Screen:
    """The wall. Opened before the networks are loaded, so that something is seen at once."""

    def __init__(
        self, look: Look, windowed_wh: tuple[int, int] | None, *, switches_monitor: bool = False
    ) -> None:
        """Fullscreen, or a window of a size.

        Raises DisplayError where there is no display, ConfigError where it has no such screen: on another
        one, perhaps the staff's, visitors would not expect to be seen.
        """
        display = look.display
        self._windowed = windowed_wh is not None
        # Not pygame.init(): it opens the sound card.
        try:
            pygame.display.init()
            driver = pygame.display.get_driver()
        except pygame.error as error:
            raise DisplayError(f"no display: {error}. {_hint()}") from error
        if driver not in REAL_DRIVERS:
            pygame.display.quit()
            raise DisplayError(f"no display: SDL found none and offers '{driver}'. {_hint()}")
        pygame.font.init()
        pygame.display.set_caption("ImageNet Roulette")
        # For pygame, vsync needs SCALED, which enlarges windows and does not follow a new size. SDL shows a
        # plain surface through the same renderer; this asks it to wait for the beat, and it can do without.
        os.environ["SDL_RENDER_VSYNC"] = "1" if display.vsync else "0"
        try:
            check_screen(display.screen, pygame.display.get_desktop_sizes())
            self._surface = _surface(display.screen, windowed_wh, driver)
        except pygame.error as error:
            pygame.display.quit()
            raise DisplayError(f"no display: {error}. {_hint()}") from error
        except ConfigError:
            pygame.display.quit()
            raise
        pygame.mouse.set_visible(False)
        self._clock = pygame.time.Clock()
        self._opengl = bool(self._surface.get_flags() & pygame.OPENGL)
        self._max_fps = MAX_FPS_VSYNC if display.vsync and self._opengl else MAX_FPS
        self._shown, self._since = 0, 0.0
        self._flips, self._painted = Flips(), Painted()
        self._monitor = Monitor() if switches_monitor and driver == "x11" else None
        self._keys = Keys(look.staff)
        # Another order at every start.
        self._procession = Procession(time.time_ns())
        self._build(look)

    def announce(self, look: Look) -> None:
        """Look and say from now on as given; of the display `screen` and `vsync` stay as they were opened."""
        try:
            self._build(look)
        except (ConfigError, ModelError) as error:  # a file that changed after it was checked
            log.warning("not in force, what was stays: %s", error)

    @property
    def is_watched(self) -> bool:
        """Whether the staff look on."""
        shown = self._keys.shown(time.monotonic())
        return shown.listed or shown.aim

    def light(self, *, on: bool) -> None:
        """Switch the monitor, where the piece may and can."""
        if self._monitor:
            self._monitor.switch(on=on)

    def show(
        self, frame: Frame | None, scene: Scene | None, card: Card = Card.OPENING, told: Told = NOTHING_TOLD
    ) -> None:
        """Paint and flip, at the screen's own beat or 60 times a second. Raises DisplayError.

        What is `told` is seen by the staff only, when they ask for it.
        """
        now = time.monotonic()
        if scene and self._look.facts.is_live:
            self._keys.started(now)
        shown = self._keys.shown(now)
        try:
            self._follow()
            new = self._painted.is_new(frame, scene, card, shown, now)
            if not new and self._canvas.settled(now):
                self._clock.tick(self._max_fps)
                return
            # Whoever aims the camera sees what was detected, and no captions over it.
            self._canvas.paint(frame, None if shown.aim else scene, now, card)
            self._overlay.paint(shown, frame, scene, told)
            if self._sheet is not self._surface:
                put(self._sheet, self._surface, self._look.display.rotate)
            began = time.monotonic()
            pygame.display.flip()
        except pygame.error as error:
            raise DisplayError(f"the display takes no picture any more: {error}") from error
        now = time.monotonic()
        self._flips.took(now - began, now)
        self._clock.tick(self._max_fps)
        self._tell_pace(time.monotonic())

    def wants_to_leave(self) -> bool:
        """Whether Escape was held or a window's cross pressed. Call for every frame: it empties the queue.

        Raises DisplayError where a fullscreen display goes: SDL reports a dead compositor only as QUIT.
        """
        now, leave = time.monotonic(), False
        for event in pygame.event.get():
            if event.type == pygame.QUIT and not self._windowed:
                raise DisplayError("the display went away, or its window was closed from outside")
            leave |= event.type == pygame.QUIT
            if event.type in (pygame.KEYDOWN, pygame.KEYUP) and event.key in KEYS:
                turn = self._keys.press if event.type == pygame.KEYDOWN else self._keys.release
                turn(KEYS[event.key], now)
        return leave or self._keys.leaves(now)

    def close(self) -> None:
        """Blank the wall, then let go of it: nobody's picture stays on it. A second call does nothing."""
        if self._monitor:
            self._monitor.close()
        if not pygame.display.get_init():
            return
        with contextlib.suppress(pygame.error):  # a display that is gone shows nobody
            # Asked for anew: that of a window whose size has just changed is shown no more.
            pygame.display.get_surface().fill((0, 0, 0))
            pygame.display.flip()
        pygame.display.quit()

    def _build(self, look: Look) -> None:
        self._look = look
        self._size_wh = width, height = self._surface.get_size()
        if look.display.rotate == "0" and is_blue_first(self._surface):
            self._sheet = self._surface
        else:
            on_its_side = look.display.rotate in ("90", "270")
            self._sheet = offscreen((height, width) if on_its_side else (width, height))
        self._canvas = Canvas(self._sheet, look, self._procession)
        self._painted.forget()
        self._overlay = Overlay(self._sheet, look)
        self._keys.change(look.staff)

    def _follow(self) -> None:
        """Another resolution, a monitor that is on again: a new surface, or the same with another size."""
        # Not set_mode: SDL still knows the old resolution and would force it upon the display. And before
        # painting: flip would show a new surface as it was allotted, black or with what stood there before.
        surface = pygame.display.get_surface()
        if surface is not self._surface or surface.get_size() != self._size_wh:
            self._surface = surface
            self._build(self._look)
            log.info("display: is %dx%d now", *self._size_wh)

    def _tell_pace(self, now: float) -> None:
        """Once, from when the network is known: loading it makes pictures late."""
        if self._shown < MEASURED and self._look.network.classes:
            self._since = self._since or now
            self._shown += 1
            if self._shown == MEASURED:
                pace = (MEASURED - 1) / (now - self._since)
                how = "with" if self._opengl else "without"
                log.info("display: %dx%d, %.0f pictures a second %s OpenGL", *self._size_wh, pace, how)


def check_screen(number: int, sizes_wh: Sequence[tuple[int, int]]) -> None:
    """Raise ConfigError where there is no screen of that number, counted from 0; sizes in pixels."""
    if number >= len(sizes_wh):
        there = ", ".join(f"{at} ({width}x{height})" for at, (width, height) in enumerate(sizes_wh))
        raise ConfigError((f"display.screen: there is no screen {number}; there is {there}",))


def has_gpu(devices: Path = Path("/dev")) -> bool:
    """Whether this account may use a GPU, by the device nodes that Linux has for it."""
    nodes = (*devices.glob("dri/renderD*"), devices / "nvidia0")
    return any(os.access(node, os.R_OK | os.W_OK) for node in nodes)


def _surface(screen: int, windowed_wh: tuple[int, int] | None, driver: str) -> pygame.Surface:
    """The display's own: all of a screen, or a window on it. Raises pygame.error."""
    size_wh, flags = windowed_wh or (0, 0), 0 if windowed_wh else pygame.FULLSCREEN | pygame.NOFRAME
    if driver != "x11" or ACCELERATION in os.environ or has_gpu():
        return pygame.display.set_mode(size_wh, flags, depth=32, display=screen)
    # SDL would take software that poses as a GPU: 13 ms of a core for each flip at 1080p, against 0.3.
    os.environ[ACCELERATION] = "0"
    try:
        return pygame.display.set_mode(size_wh, flags, depth=32, display=screen)
    except pygame.error:
        # On a desktop of 30 bits a pixel it needs it; only when it begins anew does it ask again.
        pygame.display.quit()
        del os.environ[ACCELERATION]
        pygame.display.init()
        return pygame.display.set_mode(size_wh, flags, depth=32, display=screen)


def is_blue_first(surface: pygame.Surface) -> bool:
    """Whether a surface's pixels are what a canvas paints; those of a 16- or 30-bit desktop are not."""
    return surface.get_bitsize() == 32 and tuple(surface.get_masks()[:3]) == BLUE_FIRST


def put(sheet: pygame.Surface, surface: pygame.Surface, rotate: str) -> None:
    """Copy a sheet onto a surface, turned clockwise by "0", "90", "180" or "270" degrees; all must fit."""
    if rotate in TURNS and is_blue_first(sheet) and is_blue_first(surface):
        # Straight into the surface's memory: a fifth of the time of pygame's own turn and a blit.
        cv2.rotate(pixels(sheet), TURNS[rotate], dst=pixels(surface))
    else:
        surface.blit(pygame.transform.rotate(sheet, -int(rotate)), (0, 0))


def _hint() -> str:
    if not sys.platform.startswith("linux"):
        return "Log in to a desktop, or use --headless."
    if not (os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY")):
        return (
            "Neither DISPLAY nor WAYLAND_DISPLAY is set: start it from a desktop session, or use --headless."
        )
    return "Is the desktop of DISPLAY or WAYLAND_DISPLAY running? Else use --headless."
