"""What the wall shows already: a camera gives fewer pictures than a screen. Pure; holds no picture."""

from __future__ import annotations

from kiosk.messages import Frame, Scene
from kiosk.screen.keys import Shown

# Seconds. Languages take turns, and what stands is moved, without a new picture.
LASTS = 1.0


class Painted:
    """Remembers by their times what was painted last."""

    def __init__(self) -> None:
        self._what: tuple[object, ...] = ()
        self._at = 0.0

    def forget(self) -> None:
        """Call where the wall was not painted by what this was told."""
        self._what = ()

    def is_new(
        self, frame: Frame | None, scene: Scene | None, card: object, shown: Shown, now: float
    ) -> bool:
        """Whether this must be painted, if nothing on the wall moves by itself; it counts as painted then."""
        what = (
            frame and (frame.index, frame.captured_at),
            scene and scene.captured_at,
            card,
        )
        if what == self._what and shown == Shown() and now - self._at < LASTS:
            return False
        # What the staff see changes with time, and goes when it is no longer shown.
        self._what, self._at = what if shown == Shown() else (), now
        return True
