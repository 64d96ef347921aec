"""All that decides how the wall looks and what it says beside captions. Pure."""

from __future__ import annotations

from dataclasses import dataclass

from kiosk.screen.texts import Texts, unbroken
from kiosk.sections import DisplayConfig, WallConfig


@dataclass(frozen=True)
class Network:
    """What the wall says of the classifier."""

    classes: int
    """How many categories it chooses from."""
    title: str
    """In a line; empty for a network that needs no word of warning."""


@dataclass(frozen=True)
class Look:
    """What a canvas is made of."""

    display: DisplayConfig
    wall: WallConfig
    texts: tuple[Texts, ...]
    """One language, or two that take turns."""
    network: Network = Network(0, "")
    entries: int = 3
    """So many visitors, the nearest, get the dictionary's entry."""
    footnotes: tuple[tuple[str, ...], ...] = ()
    """Said at the foot, beside what is said of the network: for each of `texts`, or none."""
    mark: bool = False
    """A dot in a corner, for the staff: what they edited last is not in force."""
    still: bool = False
    """A picture that does not move: nothing fades and no box is carried on."""

    def warning(self, texts: Texts) -> str:
        """The content warning in a language; empty for none."""
        return texts.warning if self.wall.warning == "auto" else unbroken(self.wall.warning)

    def idle(self, texts: Texts) -> str:
        """What is shown with nobody there; empty for nothing."""
        return texts.idle if self.wall.idle == "auto" else unbroken(self.wall.idle)
