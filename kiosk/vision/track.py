"""Faces in, stable ids out. Pure: no clock, no camera, no threads.

Each face is compared with where a track's own motion would have taken it: the cost of a pair is the
distance of the centres in face heights plus the logarithm of the ratio of the heights, and pairs are
taken from the cheapest up, as in SORT (Bewley et al. 2016, arXiv:1602.00763) with greedy assignment.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from kiosk.messages import SCENE_ID, Box, Face, Frame, Track
from kiosk.sections import CaptionConfig, TrackingConfig

# In face heights. A head that nods or is half hidden moves the box by less than one.
GATE = 1.2
# A visitor does not come twice as near between two sights.
SIZE_GATE = 2.0
# How far the gate opens for each second without a sight: a visitor walks about two head heights a second.
GATE_GROWTH = 1.5
# Motion is believed for this long: a visitor who was walking behind another has come out by then.
MOTION_LIFETIME = 1.0
# Seconds over which a velocity is averaged.
VELOCITY_SMOOTHING = 0.3


@dataclass
class _State:
    id: int
    """0 until it is confirmed."""
    box: Box
    first_seen_at: float
    seen_at: float
    velocity: tuple[float, float] = (0.0, 0.0)
    """Pixels a second, x and y."""

    def predicted(self, now: float) -> Box:
        seconds = min(now - self.seen_at, MOTION_LIFETIME)
        dx, dy = self.velocity[0] * seconds, self.velocity[1] * seconds
        return Box(self.box.x0 + dx, self.box.y0 + dy, self.box.x1 + dx, self.box.y1 + dy)

    def see(self, box: Box, now: float) -> None:
        seconds = now - self.seen_at
        if seconds > 0:
            (x0, y0), (x1, y1) = self.box.centre, box.centre
            weight = 1 - math.exp(-seconds / VELOCITY_SMOOTHING)
            vx, vy = self.velocity
            self.velocity = (
                vx + weight * ((x1 - x0) / seconds - vx),
                vy + weight * ((y1 - y0) / seconds - vy),
            )
        self.box, self.seen_at = box, now


class Tracker:
    """Follows every face from its first sight until `forget_after` seconds after the last."""

    def __init__(self, config: TrackingConfig) -> None:
        self._config = config
        self._states: list[_State] = []
        self._next_id = 1

    def change(self, config: TrackingConfig) -> None:
        """Go on with other lifetimes."""
        self._config = config

    def update(self, faces: tuple[Face, ...], now: float) -> tuple[Track, ...]:
        """Call for every analysed frame, also one without faces. `now` is its captured_at.

        Returns the confirmed tracks in the order of their ids, those out of sight included.
        """
        # First: after a pause nobody new is taken for who was there before it.
        forgotten_before = now - self._config.forget_after
        self._states = [state for state in self._states if state.seen_at >= forgotten_before]
        free = list(faces)
        for state, face in self._pairs(free, now):
            state.see(face.box, now)
            free.remove(face)
        self._states = [state for state in self._states if not self._is_over(state, now)]
        self._states += [_State(0, face.box, now, now) for face in free]
        for state in self._states:
            if not state.id and state.seen_at == now and self._is_confirmed(state):
                state.id = self._next_id
                self._next_id += 1
        confirmed = sorted((state for state in self._states if state.id), key=lambda state: state.id)
        return tuple(Track(state.id, state.box, state.seen_at) for state in confirmed)

    def _pairs(self, faces: list[Face], now: float) -> list[tuple[_State, Face]]:
        priced = []
        for state_index, state in enumerate(self._states):
            predicted = state.predicted(now)
            gate = GATE + GATE_GROWTH * (now - state.seen_at)
            for face_index, face in enumerate(faces):
                cost = _cost(predicted, face.box)
                if cost < gate:
                    # A visitor who is known goes before a face that may be a phantom.
                    priced.append((state.id == 0, cost, state_index, face_index))
        pairs: dict[int, int] = {}
        for _, _, state_index, face_index in sorted(priced):
            if state_index not in pairs and face_index not in pairs.values():
                pairs[state_index] = face_index
        return [(self._states[state_index], faces[face_index]) for state_index, face_index in pairs.items()]

    def _is_over(self, state: _State, now: float) -> bool:
        unseen = now - state.seen_at
        return unseen > (self._config.forget_after if state.id else self._config.confirm_after)

    def _is_confirmed(self, state: _State) -> bool:
        return state.seen_at - state.first_seen_at >= self._config.confirm_after


class SceneWatch:
    """With nobody there for a while, the whole picture is what is looked at."""

    def __init__(self, config: CaptionConfig) -> None:
        self._config = config
        self._alone_since: float | None = None

    def change(self, config: CaptionConfig) -> None:
        """Go on with another patience."""
        self._config = config

    def subjects(self, frame: Frame, tracks: tuple[Track, ...], now: float) -> tuple[Track, ...]:
        """The tracks; or the whole frame as track 0, after `scene_after` seconds without any."""
        if tracks or not self._config.scene:
            self._alone_since = None
            return tracks
        if self._alone_since is None:
            self._alone_since = now
        if now - self._alone_since < self._config.scene_after:
            return ()
        width, height = frame.size_wh
        return (Track(SCENE_ID, Box(0, 0, width, height), now),)


def _cost(predicted: Box, seen: Box) -> float:
    """Distance of the centres in face heights plus |ln| of the ratio of the heights."""
    height = (predicted.height + seen.height) / 2
    if min(predicted.height, seen.height) * SIZE_GATE <= max(predicted.height, seen.height):
        return math.inf
    (x0, y0), (x1, y1) = predicted.centre, seen.centre
    return math.hypot(x1 - x0, y1 - y0) / height + abs(math.log(seen.height / predicted.height))
