"""The display: opened and checked, shown on, asked whether somebody wants to leave."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence

import pygame

from kiosk.config import DisplayConfig, WallConfig
from kiosk.errors import DisplayError
from kiosk.messages import Frame, Scene
from kiosk.screen.draw import Canvas, Network

# Without a display SDL silently takes its "offscreen" driver, and the wall stays black for ever.
REAL_DRIVERS = ("x11", "wayland", "kmsdrm", "windows", "cocoa")
MAX_FPS = 60


class Screen:
    """The wall. Opened before the networks are loaded, so that something is seen at once."""

    def __init__(self, display: DisplayConfig, wall: WallConfig, windowed_wh: tuple[int, int] | None) -> None:
        """Fullscreen, or a window of a size. Raises DisplayError where there is no display."""
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
        try:
            if windowed_wh:
                self._surface = pygame.display.set_mode(windowed_wh, depth=32)
            else:
                self._surface = pygame.display.set_mode((0, 0), pygame.FULLSCREEN | pygame.NOFRAME, depth=32)
        except pygame.error as error:
            pygame.display.quit()
            raise DisplayError(f"no display: {error}. {_hint()}") from error
        pygame.mouse.set_visible(False)
        self._clock = pygame.time.Clock()
        self._canvas = Canvas(self._surface, display, wall, Network(0, ""))

    def announce(
        self,
        display: DisplayConfig,
        wall: WallConfig,
        network: Network,
        footnotes: Sequence[str],
        *,
        mark: bool,
    ) -> None:
        """Look and say from now on as given; `mark` is for the staff: an edit of theirs is not in force."""
        self._canvas = Canvas(self._surface, display, wall, network, footnotes, mark=mark)

    def show(self, frame: Frame | None, scene: Scene | None) -> None:
        """Paint and flip; at most 60 times a second."""
        captions = scene.captions if scene else ()
        self._canvas.paint(frame, captions, anybody=scene is None or scene.anybody)
        pygame.display.flip()
        self._clock.tick(MAX_FPS)

    def wants_to_leave(self) -> bool:
        """Whether Escape or a window's cross was pressed. Call for every frame: it keeps the queue empty.

        Raises DisplayError where a fullscreen display goes: SDL reports a dead compositor only as QUIT.
        """
        leave = False
        for event in pygame.event.get():
            if event.type == pygame.QUIT and not self._windowed:
                raise DisplayError("the display went away, or its window was closed from outside")
            leave |= event.type == pygame.QUIT
            leave |= event.type == pygame.KEYDOWN and event.key == pygame.K_ESCAPE
        return leave

    def close(self) -> None:
        """Blank the wall, then let go of it: nobody's picture stays on it. A second call does nothing."""
        if not pygame.display.get_init():
            return
        self._surface.fill((0, 0, 0))
        pygame.display.flip()
        pygame.display.quit()


def _hint() -> str:
    if not sys.platform.startswith("linux"):
        return "Log in to a desktop, or use --headless."
    if not (os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY")):
        return (
            "Neither DISPLAY nor WAYLAND_DISPLAY is set: start it from a desktop session, or use --headless."
        )
    return "Is the desktop of DISPLAY or WAYLAND_DISPLAY running? Else use --headless."
