"""The benchmark of the wall: frames with six visitors and their captions onto a surface of 1920 by 1080."""

from __future__ import annotations

from collections.abc import Sequence

from kiosk.commands import footage
from kiosk.commands.timings import Figure, Measurement, Target, in_turns, measurement, ratio
from kiosk.config import Config
from kiosk.errors import ModelError
from kiosk.messages import Box, Caption, Entry, Frame, Image, Scene
from kiosk.screen import picture, texts
from kiosk.screen.draw import Canvas, offscreen
from kiosk.screen.look import Look, Network
from kiosk.screen.view import View
from kiosk.vision.demo import Demo
from kiosk.vision.visits import STAGE_WH, wave
from kiosk.words.lexicon import Lexicon

SCREEN_WH = (1920, 1080)
LARGE_WH = (3840, 2160)
VISITORS = 6
# Pictures a second, by a virtual clock; of them every second has a new frame, and every fourth a new look.
RATE = 60
FRAME_EVERY, LOOK_EVERY = 2, 4
# So many frames are kept, and come again and again. The first of them, of the demo: two people stand there.
FRAMES, FIRST = 12, 180
# Until everything has faded in.
WARM_UP = RATE
TARGET = Target(Figure.MEDIAN, 4.0)


def painting(config: Config, lexicon: Lexicon, network: Network, runs: int) -> list[Measurement]:
    """For a picture of 720p and one of 4K: all, and the bare picture, measured in turns with it."""
    demo = Demo()
    images = [demo.render(FIRST + at) for at in range(FRAMES)]
    said = texts.load(config.wall.language)
    look = Look(config.display, config.wall, said, network, config.captions.entries)
    entries = chosen(lexicon)
    found = []
    for size_wh, targets in ((STAGE_WH, (TARGET,)), (LARGE_WH, ())):
        shown = images if size_wh == STAGE_WH else [footage.enlarged(image, size_wh) for image in images[:2]]
        wall = _Wall(look, shown, entries)
        paint, bare = in_turns([wall.paint, wall.paint_bare], runs, WARM_UP)
        kind = f"{size_wh[0]}x{size_wh[1]} on {SCREEN_WH[0]}x{SCREEN_WH[1]}"
        part = f"draw {kind}, {VISITORS} visitors"
        to = "the bare picture, in turns: cut, mirrored, coloured, scaled"
        found += [
            measurement(part, paint, *targets, ratio=ratio(paint, bare), to=to),
            measurement("  of it the bare picture", bare),
        ]
    return found


def chosen(lexicon: Lexicon) -> tuple[Entry, ...]:
    """Six entries with a definition and an etymology, from the whole alphabet of those.

    Raises ModelError where there are none.
    """
    full = sorted(
        (entry for entry in lexicon.values() if entry.definition and entry.etymology),
        key=lambda entry: entry.label,
    )
    if not full:
        raise ModelError("the lexicon has no definitions: run `kiosk lexicon`")
    return tuple(full[at * len(full) // VISITORS] for at in range(VISITORS))


def scene(entries: Sequence[Entry], index: int, at: float, size_wh: tuple[int, int]) -> Scene:
    """Six people in a row who sway as they stand, each with her entry."""
    scale = size_wh[0] / STAGE_WH[0]
    captions = []
    for number, entry in enumerate(entries):
        height = 90.0 + 20 * number
        x = STAGE_WH[0] * (number + 0.5) / len(entries) + 0.3 * height * wave(at, 4.3, number / len(entries))
        y = 300 + 0.1 * height * wave(at, 3.6, number / len(entries))
        sides = (x - 0.4 * height, y - height / 2, x + 0.4 * height, y + height / 2)
        box = Box(*(scale * side for side in sides))
        captions.append(Caption(number + 1, box, entry, 0.5))
    return Scene(index, at, tuple(captions), anybody=True)


class _Wall:
    """The piece's own canvas, by a virtual clock."""

    def __init__(self, look: Look, images: Sequence[Image], entries: Sequence[Entry]) -> None:
        self._surface = offscreen(SCREEN_WH)
        self._canvas = Canvas(self._surface, look)
        self._look, self._images, self._entries = look, images, entries
        self._count = 0
        self._frame = Frame(images[0], 0, 0.0)
        self._scene = scene(entries, 0, 0.0, self._frame.size_wh)

    def paint(self) -> None:
        now = self._count / RATE
        if self._count % FRAME_EVERY == 0:
            index = self._count // FRAME_EVERY
            self._frame = Frame(self._images[index % len(self._images)], index, now)
        if self._count % LOOK_EVERY == 0:
            self._scene = scene(self._entries, self._frame.index, now, self._frame.size_wh)
        self._count += 1
        self._canvas.paint(self._frame, self._scene, now)

    def paint_bare(self) -> None:
        display = self._look.display
        view = View(self._frame.size_wh, SCREEN_WH, display.fit, display.mirror)
        picture.paint(self._frame.image, view, self._surface)
