"""Millimetres and metres in, the size of type in pixels out: how high the letters on the wall are.

A capital letter is to be seen under 20 minutes of arc: 20 to 22 are preferred for text that is read, 16 are
the least (ISO 9241-303:2011, Ergonomics of human-system interaction, electronic visual displays; so too
NUREG-0700, 1.3.1-4). That is 5.8 mm for every metre.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from kiosk.screen import theme_file, typeface
from kiosk.sections import DisplayConfig

READING_ANGLE = math.radians(20 / 60)
LARGEST = 1 / 15
"""Most that the em of an entry may be, in shorter sides of the screen. Beside a face in the middle three
words in ten have no room for their entry then, and the label is all that is shown."""
ROOMY = 1 / 18
"""Up to here nearly every word has room for its gloss (97 in 100, on 1920x1080)."""
CROWDED = "beside a face some entries have no room for letters so high"
_INCH = 25.4  # mm
_REFERENCE = 1080


@dataclass(frozen=True)
class Letters:
    """A capital of the entries, as it is on the wall."""

    height_mm: float
    readable_from_m: float
    """As far off as it may be read."""
    wanted_mm: float
    """What the configuration asks for; 0 where it asks for no height. Above `height_mm` where the screen is
    too small for it."""
    viewing_distance_m: float
    """From where it is to be read; 0 where that is not known."""
    needed_mm: float
    """To be read from there; 0 where that is not known."""
    crowded: bool
    """Whether they are so high on this screen that some words have no room for their entry."""

    def __str__(self) -> str:
        said = f"letters of the entries are {self.height_mm:.1f} mm high, to be read from {_floor(self)} m"
        if self.wanted_mm > self.height_mm + 0.05:
            said += (
                f"; higher than that they do not fit on this screen, {self.wanted_mm:.1f} mm are asked for"
            )
        if self.needed_mm > self.height_mm + 0.05:
            distance = f"{self.viewing_distance_m:g} m"
            said += f"; to be read from {distance} they need {self.needed_mm:.1f} mm"
        if self.crowded:
            said += f"; {CROWDED}"
        return said


def letters(display: DisplayConfig, size_wh: tuple[int, int]) -> Letters | None:
    """On a screen of so many pixels; None where its diagonal is not known.

    Raises ConfigError for a theme that is not there or not good.
    """
    density = pixels_per_mm(display, size_wh)
    if not density:
        return None
    file = theme_file.load(display.theme)
    size = em(display, size_wh, file)
    height = size * cap_height(file) / density
    return Letters(
        height,
        height / 1000 / math.tan(READING_ANGLE),
        wanted(display),
        display.viewing_distance,
        height_for(display.viewing_distance),
        is_crowded(display, size_wh, file),
    )


def em(display: DisplayConfig, size_wh: tuple[int, int], file: theme_file.ThemeFile) -> float:
    """Size of the entries' type in pixels.

    Where the diagonal is known and a height of letters is wanted, it is that height and `text_scale` counts
    for nothing; otherwise it grows with the screen's shorter side. Never more than LARGEST of that.
    """
    density, height = pixels_per_mm(display, size_wh), wanted(display)
    if density and height:
        size = height * density / cap_height(file)
    else:
        size = file.sizes.body * min(size_wh) / _REFERENCE * display.text_scale
    return min(size, min(size_wh) * LARGEST)


def is_crowded(display: DisplayConfig, size_wh: tuple[int, int], file: theme_file.ThemeFile) -> bool:
    """Whether its letters are so high on a screen of so many pixels that some words have no room there."""
    return em(display, size_wh, file) > ROOMY * min(size_wh)


def wanted(display: DisplayConfig) -> float:
    """Height of a capital letter that is asked for, mm: as such, or by the distance; 0 for none."""
    return display.letter_height or height_for(display.viewing_distance)


def height_for(distance: float) -> float:
    """Height in mm of a capital that is to be read from a distance in metres."""
    return distance * 1000 * math.tan(READING_ANGLE)


def cap_height(file: theme_file.ThemeFile) -> float:
    """Of the entries' type, in ems."""
    font = theme_file.font(file.fonts.body, "regular")
    return typeface.typeface(typeface.file(font.family, font.face)).cap_height


def pixels_per_mm(display: DisplayConfig, size_wh: tuple[int, int]) -> float:
    """0 where the diagonal is not known."""
    return math.hypot(*size_wh) / (display.diagonal * _INCH) if display.diagonal else 0.0


def _floor(letters: Letters) -> str:
    """Rounded down: nobody is told to stand further off than she can read."""
    return f"{math.floor(letters.readable_from_m * 10 + 1e-6) / 10:.1f}"
