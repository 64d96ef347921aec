"""How the piece is: signs of its parts in, a state out, and what that state asks for. Pure.

Healthy is a piece that has drawn a new frame and whose networks moved on; nothing that a part says of itself
counts. Where no frame can be expected (outside opening hours, with a covered lens, while the camera is
tried again) it is healthy as long as its workers get on, for a new start would bring nothing back.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from kiosk.capture import Condition
from kiosk.errors import CameraError, InferenceError

# A frozen picture of a person must not stay on the wall; a box must not outlive its face.
FRAME_LIFETIME = 3.0
# Longer than a look takes on a slow machine in a crowd, or captions would blink there.
SCENE_LIFETIME = 2.0
# Networks that looked at nothing for so long, while frames came, have stopped.
LOOK_LIFETIME = 5.0
# A step that takes longer never ends: a read that does not return, a network that hangs.
STUCK_AFTER = 15.0
# Loading the networks is one step. A GPU that compiles its kernels for the first time takes minutes.
LOADED_WITHIN = 600.0


class State(Enum):
    """The value is what the log and the service manager are told."""

    OPENING = "opening the source"
    WARMING = "loading the networks"
    LIVE = "live"
    STALE = "no new picture, or no new look"
    REOPENING = "the source failed and is tried again"
    RESTING = "resting: the lens is covered"
    CLOSED = "closed"
    FAULT = "fault"


_WAITING = {
    Condition.OPENING: State.OPENING,
    Condition.REOPENING: State.REOPENING,
    Condition.RESTING: State.RESTING,
    Condition.CLOSED: State.CLOSED,
}


@dataclass(frozen=True)
class Signs:
    """What is seen of the parts."""

    condition: Condition
    """Of the source."""
    reading_for: float
    """Seconds since the capture worker's present step began; 0 between two."""
    looking_for: float
    """The same of the vision worker."""
    warm: bool
    """Whether the networks are loaded."""
    frame_age: float | None
    """Seconds since the newest frame was captured; None where there is none."""
    look_age: float | None
    """Seconds since the networks were done with their last look; None before the first."""


def state(signs: Signs) -> State:
    """What the piece is doing. Only in LIVE and WARMING a picture may be shown."""
    if signs.condition is not Condition.OPEN:
        return _WAITING[signs.condition]
    if signs.frame_age is None or signs.frame_age > FRAME_LIFETIME:
        return State.STALE
    if not signs.warm:
        return State.WARMING
    if signs.look_age is not None and signs.look_age > LOOK_LIFETIME:
        return State.STALE
    return State.LIVE


def check(signs: Signs) -> None:
    """Raise CameraError or InferenceError where a worker hangs: only a new process helps."""
    if signs.reading_for > STUCK_AFTER:
        raise CameraError(f"stuck: a read has not returned for {STUCK_AFTER:g} seconds")
    if signs.looking_for > (STUCK_AFTER if signs.warm else LOADED_WITHIN):
        raise InferenceError("stuck: a network does not answer")


def healthy(state: State) -> bool:
    """Whether the watchdog is to be told that all is well, once the picture of this moment is drawn."""
    return state not in (State.STALE, State.FAULT)
