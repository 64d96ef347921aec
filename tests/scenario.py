"""A small language for what goes wrong, played on a virtual clock. A text in, all that was seen out.

    ok 100; false 30; block 4; same 200; black 400; size 640x480; hang; config-bad; sigterm 2

Words follow one another; N is a number of frames or tries and 1 where it is left out, S is in seconds.

| word | what happens |
|---|---|
| `ok N` `same N` `black N` `damaged N` | pictures come: good ones, the last one again, dark, damaged ones |
| `grey N` `alpha N` `deep N` | pictures of one or of four channels, or of 16 bits |
| `size WxH` | its pictures have another size from now on |
| `false N` `absent N` | so many reads fail; it is gone, and so many times it cannot be opened |
| `block S` `open-blocks S` | a read, or an opening, that takes so long |
| `late` | from now on a camera that is gone comes back as a device that the seal does not know |
| `loading S` `no-model` | as a first word: the networks take so long to load, or cannot be |
| `look S` `hang` | looks take so long from now on; the next one never ends |
| `nan` `cuda-error` `wrong` | the network answers with no numbers, not at all, or with other ones |
| `config-bad` `config-good` | somebody saves a bad, or a good configuration |
| `hours H` `restart T` `closed S` | opening hours of every day; the daily restart; it is closed for so long |
| `wait S` | so long the camera gives what it gives |
| `clock +2h` `clock -365d` `suspend S` | somebody sets the clock; the machine sleeps |
| `flip S` `flips S` `flip-fails` | the next flip, or all of them from now on, take so long; the next fails |
| `quit S` `escape S` `sigterm S` | after so long (0): the display goes, Escape is pressed, SIGTERM comes |

What no run may do is seen whatever is played: see `Played.broken`.
"""

from __future__ import annotations

import logging
import math
from dataclasses import dataclass, replace
from datetime import timedelta
from pathlib import Path

import numpy as np
import pytest

from kiosk.hours import WEEKDAYS, HoursConfig
from kiosk.trust import landlock
from tests.players import START
from tests.stage import PERIOD, PING, Ended, Stage

KINDS = ("ok", "same", "black", "damaged", "grey", "alpha", "deep", "false", "absent")
UNITS = {"s": "seconds", "m": "minutes", "h": "hours", "d": "days"}


@dataclass(frozen=True)
class Played:
    """What was seen of a run. Times are in seconds from its start."""

    states: str
    """Those that were entered, in their order: "opening warming live"."""
    wall: tuple[tuple[float, str], ...]
    """When something else stood on it, and what: a card, picture, caption (a picture with one), off."""
    marks: tuple[bool, ...]
    """Whether the staff's dot was there, each time that this changed."""
    exit_code: int | None
    """None where it still runs."""
    last_words: str
    log: tuple[str, ...]
    heard: tuple[tuple[float, str], ...]
    """When systemd was told what."""
    opened_at: tuple[float, ...]
    """When the camera was opened, also in vain."""
    ended_at: float
    broken: frozenset[str]
    """Promises that were not kept."""

    @property
    def stood(self) -> str:
        """What stood on the wall, one after the other."""
        return " ".join(what for _, what in self.wall)

    @property
    def silence(self) -> float:
        """The longest time without a ping, from the start to the end, seconds."""
        pings = [at for at, message in self.heard if message == PING]
        return float(np.diff([0.0, *pings, self.ended_at]).max())

    @property
    def warning(self) -> str:
        """The first line of the log that tells of no state; empty for none."""
        return next((line for line in self.log if not line.startswith("state: ")), "")

    def told(self, name: str) -> tuple[str, ...]:
        """What systemd was told of `name`, in its order."""
        return tuple(message[len(name) + 1 :] for _, message in self.heard if message.startswith(f"{name}="))


def play(text: str, folder: Path, kind: str = "camera") -> Played:
    """Play a scenario with a source of a kind. The configuration is put into `folder`, and nothing else."""
    script = Script(folder, kind)
    log, telling = Log(), logging.getLogger("kiosk")
    level = telling.level
    telling.addHandler(log)
    telling.setLevel(logging.INFO)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(landlock, "is_sealed_off", lambda node: script.stage.camera.is_late)
        try:
            return script.play(text, log)
        finally:
            script.stage.close()
            telling.setLevel(level)
            telling.removeHandler(log)


class Log(logging.Handler):
    """The lines that were logged."""

    def __init__(self) -> None:
        super().__init__()
        self.lines: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        self.lines.append(record.getMessage())


class Script:
    """The words that are no kinds of pictures: a method each, with _ for -."""

    def __init__(self, folder: Path, kind: str) -> None:
        self._folder = folder
        (folder / "words.yaml").write_text("show: all\n")
        self.config_good()
        self.stage = Stage(folder / "venue.yaml", kind)

    def play(self, text: str, log: Log) -> Played:
        stage, ended = self.stage, None
        try:
            for sentence in filter(None, map(str.strip, text.split(";"))):
                word, *arguments = sentence.split()
                if word in KINDS:
                    self._come(word, *arguments)
                else:
                    getattr(self, word.replace("-", "_"))(*arguments)
                while stage.camera.coming:
                    stage.step()
            stage.run(2 * PERIOD)
        except Ended as error:
            ended = stage.leave(error)
        return Played(
            " ".join(state.name.lower() for state in stage.states),
            tuple(stage.wall.stood),
            tuple(stage.wall.marks),
            ended.code if ended else None,
            ended.last_words if ended else "",
            tuple(log.lines),
            tuple(stage.heard),
            tuple(stage.camera.opened_at),
            stage.now - START,
            frozenset(stage.broken),
        )

    def _come(self, kind: str, count: str = "1", seconds: float = 0.0) -> None:
        self.stage.camera.coming.extend([(kind, seconds)] * int(count))

    def block(self, seconds: str) -> None:
        self._come("block", seconds=float(seconds))

    def open_blocks(self, seconds: str) -> None:
        self._come("open-blocks", seconds=float(seconds))

    def size(self, size: str) -> None:
        width, height = map(int, size.split("x"))
        self.stage.camera.size_wh = width, height

    def late(self) -> None:
        self.stage.camera.is_late = True

    def loading(self, seconds: str) -> None:
        self.stage.vision.loading_takes = float(seconds)

    def look(self, seconds: str) -> None:
        self.stage.vision.look_takes = float(seconds)

    def hang(self) -> None:
        self.stage.vision.look_takes = math.inf

    def no_model(self) -> None:
        self.stage.vision.has_model = False

    def nan(self) -> None:
        self.stage.vision.session.fault = "nan"

    def cuda_error(self) -> None:
        self.stage.vision.session.fault = "cuda-error"

    def wrong(self) -> None:
        self.stage.vision.session.fault = "wrong"

    def config_bad(self) -> None:
        self._save("captions: {hodl: 9}")

    def config_good(self) -> None:
        self._save("captions: {hold: 9}")

    def _save(self, line: str) -> None:
        lines = f"policy: {self._folder / 'words.yaml'}", "detection: {min_face_height: 8}", line
        (self._folder / "venue.yaml").write_text("\n".join(lines))

    def hours(self, spans: str) -> None:
        in_force = self.stage.in_force
        hours = HoursConfig(**dict.fromkeys(WEEKDAYS, spans))
        in_force.config = replace(in_force.config, hours=hours)

    def restart(self, time: str) -> None:
        in_force = self.stage.in_force
        in_force.config = replace(in_force.config, hours=replace(in_force.config.hours, restart=time))

    def closed(self, seconds: str) -> None:
        before = self.stage.in_force.config.hours
        self.hours("closed")
        self.stage.run(float(seconds))
        in_force = self.stage.in_force
        in_force.config = replace(in_force.config, hours=before)

    def wait(self, seconds: str) -> None:
        self.stage.run(float(seconds))

    def clock(self, change: str) -> None:
        self.stage.wall_time += timedelta(**{UNITS[change[-1]]: float(change[:-1])})

    def suspend(self, seconds: str) -> None:
        # CLOCK_MONOTONIC stands still while the machine sleeps.
        self.clock(f"+{seconds}s")

    def flip(self, seconds: str) -> None:
        self.stage.wall.flip_takes = float(seconds)

    def flips(self, seconds: str) -> None:
        self.stage.wall.flips_take = float(seconds)

    def flip_fails(self) -> None:
        self.stage.wall.is_broken = True

    def quit(self, seconds: str = "0") -> None:
        self.stage.wall.gone_at = self.stage.now + float(seconds)

    def escape(self, seconds: str = "0") -> None:
        self.stage.wall.escape_at = self.stage.now + float(seconds)

    def sigterm(self, seconds: str = "0") -> None:
        self.stage.stops_at = self.stage.now + float(seconds)
