"""Colours, type and sizes, for a screen of a given size."""

from __future__ import annotations

from dataclasses import dataclass

from kiosk.config import DisplayConfig

Colour = tuple[int, int, int]

READABLE = 4.5
"""Least contrast of text with what is behind it (WCAG 2.2, level AA)."""


@dataclass(frozen=True)
class Style:
    """How a run of text looks."""

    face: str
    """regular, bold or italic."""
    size: int
    """Em, in pixels."""
    colour: Colour


@dataclass(frozen=True)
class Theme:
    """What the screen needs to know of looks, in pixels."""

    accent: Colour
    plate: Style
    """The label at the box: dark on the accent."""
    headword: Style
    body: Style
    voice: Style
    """The small words that say who speaks: WordNet, Webster, the network."""
    aside: Style
    warning: Style
    footer: Style
    idle: Style
    line: int
    """Width of the lines of a box."""
    pad: int
    """Between text and the edge of its plate, and between a face and its entry."""
    entry_widths: tuple[int, ...]
    """Of the dictionary entry: the usual one, then others to try where that does not fit."""
    backdrop: Colour = (12, 12, 12)
    """Behind entries and the footer."""
    backdrop_opacity: int = 205
    """0-255."""


def theme(config: DisplayConfig, size_wh: tuple[int, int]) -> Theme:
    """The theme for a screen; sizes grow with its shorter side."""
    unit = min(size_wh) / 1080 * config.text_scale
    accent = _rgb(config.accent)
    white, grey = (245, 245, 240), (198, 198, 192)

    def px(size: float) -> int:
        return max(1, round(size * unit))

    return Theme(
        accent=accent,
        plate=Style("bold", px(36), _ink_on(accent)),
        headword=Style(
            "bold", px(36), accent if contrast(accent, _lightest_backdrop()) >= READABLE else white
        ),
        body=Style("regular", px(24), white),
        voice=Style("regular", px(19), grey),
        aside=Style("italic", px(23), white),
        warning=Style("bold", px(20), white),
        footer=Style("regular", px(20), grey),
        idle=Style("bold", px(64), white),
        line=px(3),
        pad=px(14),
        entry_widths=(px(470), px(390), px(640)),
    )


def _rgb(colour: str) -> Colour:
    return int(colour[1:3], 16), int(colour[3:5], 16), int(colour[5:7], 16)


def _ink_on(colour: Colour) -> Colour:
    """Black or white, whichever reads better: one of them always reads well."""
    black, white = (0, 0, 0), (255, 255, 255)
    return black if contrast(black, colour) > contrast(white, colour) else white


def contrast(one: Colour, other: Colour) -> float:
    """Contrast ratio of two colours, 1-21 (WCAG 2.2)."""
    darker, lighter = sorted((_luminance(one), _luminance(other)))
    return (lighter + 0.05) / (darker + 0.05)


def _luminance(colour: Colour) -> float:
    """Relative luminance, 0-1 (WCAG 2.2)."""
    linear = [
        part / 255 / 12.92 if part / 255 <= 0.04045 else ((part / 255 + 0.055) / 1.055) ** 2.4
        for part in colour
    ]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def _lightest_backdrop() -> Colour:
    """The backdrop over a white wall."""
    share = Theme.backdrop_opacity / 255
    red, green, blue = (round(part * share + 255 * (1 - share)) for part in Theme.backdrop)
    return red, green, blue
