"""All that decides how the wall looks and what it says beside captions. Pure."""

from __future__ import annotations

from dataclasses import dataclass, field

from kiosk.messages import Entry
from kiosk.screen.texts import Texts, unbroken
from kiosk.sections import DisplayConfig, StaffConfig, WallConfig


@dataclass(frozen=True)
class Network:
    """What the wall says of the classifier."""

    classes: int
    """How many categories it chooses from."""
    title: str
    """In a line; empty for a network that needs no word of warning."""


@dataclass(frozen=True)
class Facts:
    """What the staff are told of the piece, in English; nothing of a visitor."""

    version: str = ""
    source: str = ""
    """As the log names it: without a password."""
    is_live: bool = False
    """Whether it is a camera or a stream: something to be aimed."""
    networks: tuple[str, ...] = ()
    """For each, what it is for, which it is and where it runs."""
    smallest: int = 0
    """Height of the smallest face that is looked at, pixels of the camera."""
    largest: int = 0
    """The same of the largest; 0 for no limit."""
    zone: tuple[tuple[float, float], ...] = ()
    """Corners of where a face is looked at, x and y in shares (0-1) of the picture as it is shown, mirrored
    if it is; () for everywhere."""


@dataclass(frozen=True)
class Told:
    """How the piece is at this moment, for the staff, in English."""

    state: str = ""
    reason: str = ""
    """Why, where there is more to say."""


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
    words: tuple[Entry, ...] = field(default=(), repr=False)
    """Those that the policy shows: they pass by while nobody is there."""
    staff: StaffConfig = field(default_factory=StaffConfig)
    facts: Facts = Facts()
    still: bool = False
    """A picture that does not move: nothing fades and no box is carried on."""

    def warning(self, texts: Texts) -> str:
        """The content warning in a language; empty for none."""
        return texts.warning if self.wall.warning == "auto" else unbroken(self.wall.warning)

    def idle(self, texts: Texts) -> str:
        """What is shown with nobody there; empty for nothing."""
        return texts.idle if self.wall.idle == "auto" else unbroken(self.wall.idle)
