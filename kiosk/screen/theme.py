"""Colours, type and sizes of a theme, for a screen of a given size."""

from __future__ import annotations

from dataclasses import dataclass

from kiosk.screen import letters, theme_file, typeface
from kiosk.screen.contrast import READABLE, Colour, ink_on, least_contrast, rgb
from kiosk.screen.theme_file import ThemeFile
from kiosk.sections import DisplayConfig

_REFERENCE = 1080
# Most that type may be, in shorter sides of the screen, where the entries' is very large: a footer is read
# from near by, and a headword must not be a poster.
_FOOTER, _HEADWORD, _IDLE = 1 / 36, 1 / 8, 1 / 10
# Least that any type is: the content warning must not vanish.
_SMALLEST = 1 / 100
# Other widths to try where an entry does not fit, in usual widths; then the part of the screen's width that
# is always left beside a face in its middle.
_WIDTHS = (1.0, 0.84, 1.1, 0.68)
_NARROWEST = 0.38


@dataclass(frozen=True)
class Style:
    """How a run of text looks."""

    face: str
    """regular, bold or italic."""
    size: int
    """Em, in pixels."""
    colour: Colour
    family: str = "sans"
    """A shipped family, or the path of a font file, which is the same for every face."""
    fallback: str = "sans"
    """The shipped family of letters that a file has not."""


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
    """Part of speech, other lemmas and etymology."""
    arrow: Style
    """Between the kinds of the chain."""
    warning: Style
    footer: Style
    idle: Style
    line: int
    """Width of the lines of a box."""
    rule: int
    """Thickness of the line along the top of an entry; 0 for none."""
    pad: int
    """Between text and the edge of its plate, and between a face and its entry."""
    hang: int
    """How far the lines of an entry's paragraph are in from its first."""
    entry_widths: tuple[int, ...]
    """Of the dictionary entry: the usual one, then others to try where that does not fit."""
    backdrop: Colour
    """Behind entries and the footer."""
    backdrop_opacity: int
    """0-255."""


def theme(display: DisplayConfig, size_wh: tuple[int, int]) -> Theme:
    """The theme for a screen. Type, pads and columns keep their proportion to the entries' type.

    Raises ConfigError for a theme that is not there or not good.
    """
    file = theme_file.load(display.theme)
    shorter = min(size_wh)
    em = letters.em(display, size_wh, file)
    accent = rgb(display.accent or file.colours.accent)
    body, voice = rgb(file.colours.body), rgb(file.colours.voice)

    def style(role: str, face: str, colour: Colour, most: float = 1.0) -> Style:
        font = theme_file.font(getattr(file.fonts, role), face)
        times = 1.0 if role == "body" else getattr(file.sizes, role)
        size = max(round(shorter * _SMALLEST), round(min(em * times, shorter * most)), 1)
        return Style(font.face, size, colour, font.family, file.fonts.fallback)

    def px(length: float) -> int:
        return max(1, round(length * em / file.sizes.body))

    headword = style("headword", "bold", _headword(display, file), _HEADWORD)
    set_in = style("body", "regular", body)
    pad = px(file.lines.pad)
    return Theme(
        accent=accent,
        plate=style("plate", "bold", _on_plate(display, file), _HEADWORD),
        headword=headword,
        body=set_in,
        voice=style("voice", "regular", voice),
        aside=style("aside", "italic", rgb(file.colours.aside or file.colours.body)),
        arrow=Style(set_in.face, set_in.size, headword.colour, set_in.family, set_in.fallback),
        warning=style("warning", "bold", body, _FOOTER),
        footer=style("footer", "regular", voice, _FOOTER),
        idle=style("idle", "bold", rgb(file.colours.idle or file.colours.body), _IDLE),
        line=max(1, round(file.lines.box * shorter / _REFERENCE)),
        rule=round(file.lines.rule * shorter / _REFERENCE),
        pad=pad,
        hang=round(0.9 * em),
        entry_widths=_entry_widths(set_in, file.lines.measure * em, size_wh[0] - 4 * pad),
        backdrop=rgb(file.colours.backdrop),
        backdrop_opacity=round(file.colours.backdrop_opacity * 255),
    )


def _on_plate(display: DisplayConfig, file: ThemeFile) -> Colour:
    """The theme's, which is known to read on the theme's accent; on the venue's accent black or white."""
    if display.accent or not file.colours.plate:
        return ink_on(rgb(display.accent or file.colours.accent))
    return rgb(file.colours.plate)


def _headword(display: DisplayConfig, file: ThemeFile) -> Colour:
    """The theme's; with an accent of the venue's, or none named, the accent where that can be read."""
    colours = file.colours
    if colours.headword and not display.accent:
        return rgb(colours.headword)
    accent = rgb(display.accent or colours.accent)
    reads = least_contrast(accent, rgb(colours.backdrop), colours.backdrop_opacity) >= READABLE
    return accent if reads else rgb(colours.body)


def _entry_widths(style: Style, ems: float, screen: int) -> tuple[int, ...]:
    """For so many letters to a line, were each as wide as an em; none wider than the screen."""
    advance = typeface.typeface(typeface.file(style.family, style.face)).advance
    widths = [round(ems * advance * part) for part in _WIDTHS]
    narrowest = min(widths[-1], round(screen * _NARROWEST))
    found = (max(1, min(width, screen)) for width in (*widths[:-1], narrowest))
    return tuple(dict.fromkeys(found))
