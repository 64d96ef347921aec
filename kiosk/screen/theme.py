"""Colours, type and sizes, for a screen of a given size."""

from __future__ import annotations

from dataclasses import dataclass

from kiosk.config import DisplayConfig

Colour = tuple[int, int, int]


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
    entry_width: int
    """Of the dictionary entry."""
    backdrop: Colour = (12, 12, 12)
    """Behind entries and the footer."""
    backdrop_opacity: int = 205
    """0-255."""


def theme(config: DisplayConfig, size_wh: tuple[int, int]) -> Theme:
    """The theme for a screen; sizes grow with its shorter side."""
    unit = min(size_wh) / 1080 * config.text_scale
    accent = _rgb(config.accent)
    white, grey = (245, 245, 240), (190, 190, 185)

    def px(size: float) -> int:
        return max(1, round(size * unit))

    return Theme(
        accent=accent,
        plate=Style("bold", px(36), _ink_on(accent)),
        headword=Style("bold", px(36), accent),
        body=Style("regular", px(24), white),
        voice=Style("regular", px(18), grey),
        aside=Style("italic", px(23), white),
        warning=Style("bold", px(20), white),
        footer=Style("regular", px(20), grey),
        idle=Style("bold", px(64), white),
        line=px(3),
        pad=px(14),
        entry_width=px(470),
    )


def _rgb(colour: str) -> Colour:
    return int(colour[1:3], 16), int(colour[3:5], 16), int(colour[5:7], 16)


def _ink_on(colour: Colour) -> Colour:
    """Black or white, whichever reads better (relative luminance, WCAG 2.2)."""
    linear = [(part / 255) ** 2.2 for part in colour]
    luminance = 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]
    return (0, 0, 0) if luminance > 0.18 else (255, 255, 255)
