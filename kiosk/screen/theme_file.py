"""A theme's file in, its values out, checked: every text reads on its ground, every font has its letters.

A theme is `config/themes/NAME.yaml` or any file of that form; what it leaves out is as in *roulette*.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from kiosk import schema
from kiosk.config import ROOT, named
from kiosk.document import Node, Place, Problems, key_at
from kiosk.errors import ConfigError
from kiosk.screen import typeface
from kiosk.screen.contrast import BLACK, READABLE, WHITE, Colour, contrast, least_contrast, over, rgb

FOLDER = ROOT / "config" / "themes"
_SHOWN = 12  # letters that a message names


@dataclass(frozen=True)
class Colours:
    """What is where in which colour."""

    accent: str = schema.colour("boxes, plates and the line above an entry", "#39ff14")
    plate: str | None = schema.colour("letters of a plate; auto: black or white, whichever reads better")
    headword: str | None = schema.colour("auto: the accent, or the body's where that would not read")
    body: str = schema.colour("senses, and the chain of kinds", "#f5f5f0")
    aside: str | None = schema.colour("other lemmas, part of speech, etymology; auto: the body's")
    voice: str = schema.colour("the small words that say who speaks, and the footer", "#c6c6c0")
    idle: str | None = schema.colour("the text with nobody there; auto: the body's")
    backdrop: str = schema.colour("behind entries, the footer and the idle text", "#0c0c0c")
    backdrop_opacity: float = schema.number("1 hides the picture", 0.8, 0, 1)


@dataclass(frozen=True)
class Fonts:
    """A family (sans, serif), with or without a face (regular, bold, italic), or a .ttf or .otf file."""

    plate: str = schema.text("in bold, if no face is named", "sans")
    headword: str = schema.text("in bold", "sans")
    body: str = schema.text("in regular", "sans")
    aside: str = schema.text("in italic", "sans")
    voice: str = schema.text("in regular", "sans")
    warning: str = schema.text("in bold", "sans")
    footer: str = schema.text("in regular", "sans")
    idle: str = schema.text("in bold", "sans")
    fallback: str = schema.choice("for letters that a file of your own has not", "sans", typeface.NAMES)


@dataclass(frozen=True)
class Sizes:
    """Of type. They grow with the screen, or with the height of a letter where that is given in mm."""

    body: float = schema.number("on a screen whose shorter side has 1080 pixels", 24, 8, 90, "pixels")
    plate: float = schema.number("", 1.5, 0.3, 6, "times the body's")
    headword: float = schema.number("", 1.5, 0.3, 6, "times the body's")
    aside: float = schema.number("", 0.96, 0.3, 6, "times the body's")
    voice: float = schema.number("", 0.8, 0.3, 6, "times the body's")
    warning: float = schema.number("", 0.83, 0.3, 6, "times the body's")
    footer: float = schema.number("", 0.83, 0.3, 6, "times the body's")
    idle: float = schema.number("", 2.7, 0.3, 6, "times the body's")


@dataclass(frozen=True)
class Lines:
    """Of boxes and entries, in pixels of a screen whose shorter side has 1080; they grow with the screen."""

    box: float = schema.number("round a face", 3, 1, 20, "pixels")
    rule: float = schema.number("along the top of an entry, in the accent; 0: none", 3, 0, 20, "pixels")
    pad: float = schema.number("round a text, and between a face and its entry", 14, 4, 60, "pixels")
    measure: float = schema.number("to a line of an entry, as it is set first", 50, 30, 75, "letters")


@dataclass(frozen=True)
class ThemeFile:
    """The whole file."""

    colours: Colours = schema.section(Colours)
    fonts: Fonts = schema.section(Fonts)
    sizes: Sizes = schema.section(Sizes)
    lines: Lines = schema.section(Lines)


@dataclass(frozen=True)
class Font:
    """What stands at a role of `fonts`, taken apart."""

    family: str
    """As `typeface.file` takes it."""
    face: str
    """regular, bold or italic; of a file, what stands in for letters that it has not."""


def find(name_or_path: str) -> Path:
    """The file of a theme; a path is absolute or from the project's folder. Raises ConfigError."""
    return named(FOLDER, name_or_path, key_at("display.theme", name_or_path))


def load(name_or_path: str) -> ThemeFile:
    """Read a shipped theme by its name, or any by its file. Raises ConfigError with every problem."""
    roots: list[Node] = []

    def keep(root: Node, _: Problems) -> None:
        roots.append(root)

    content = schema.load(find(name_or_path), ThemeFile, check=keep)
    problems = [
        (_place(roots[0], key), f"{key}: {problem}")
        for key, problem in (*_unreadable(content.colours), *_unusable(content.fonts))
    ]
    if problems:
        raise ConfigError(tuple(f"{place}: {problem}" for place, problem in sorted(problems)))
    return content


def font(value: str, face: str) -> Font:
    """A role's value; `face` is the one that the role has where none is named. Raises ValueError."""
    if "/" in value or value.lower().endswith((".ttf", ".otf")):
        return Font(value, face)
    family, _, named = value.partition(" ")
    if family not in typeface.NAMES or (named and named not in typeface.FACES):
        families, faces = " or ".join(typeface.NAMES), ", ".join(typeface.FACES)
        raise ValueError(
            f"must be {families}, if need be with {faces}, or a .ttf or .otf file, not '{value}'"
        )
    return Font(family, named or face)


def _unreadable(colours: Colours) -> Iterator[tuple[str, str]]:
    """Keys of colours that cannot be read on what is behind them, and what is wrong."""
    ground, opacity = rgb(colours.backdrop), colours.backdrop_opacity
    for key in ("headword", "body", "aside", "voice", "idle"):
        text = getattr(colours, key)
        if text:
            found = least_contrast(rgb(text), ground, opacity)
            before = f"the backdrop {colours.backdrop}{_before(rgb(text), ground, opacity)}"
            yield from _too_faint(f"colours.{key}", text, found, before)
    if colours.plate:
        found = contrast(rgb(colours.plate), rgb(colours.accent))
        yield from _too_faint("colours.plate", colours.plate, found, f"the accent {colours.accent}")


def _before(text: Colour, ground: Colour, opacity: float) -> str:
    """Before which picture the text reads worst; an opaque ground hides them all."""
    if opacity == 1:
        return ""
    white, black = (contrast(text, over(ground, picture, opacity)) for picture in (WHITE, BLACK))
    if min(white, black) > least_contrast(text, ground, opacity):
        return " before a grey picture"
    return f" before a {'white' if white < black else 'black'} picture"


def _too_faint(key: str, text: str, found: float, ground: str) -> Iterator[tuple[str, str]]:
    if found < READABLE:
        # Rounded down: 4.46 is not 4.5.
        shown = int(found * 10) / 10
        yield key, f"{text} has a contrast of {shown} with {ground}; it must be at least {READABLE} (WCAG AA)"


def _unusable(fonts: Fonts) -> Iterator[tuple[str, str]]:
    """Keys of fonts that cannot be used, and what is wrong."""
    for field in dataclasses.fields(fonts):
        try:
            named = font(getattr(fonts, field.name), "regular")
            if named.family not in typeface.NAMES:
                lacking = typeface.typeface(typeface.file(named.family, named.face)).lacks(typeface.LATIN)
                if lacking:
                    more = " and others" if len(lacking) > _SHOWN else ""
                    raise ValueError(f"lacks the letters {' '.join(lacking[:_SHOWN])}{more}")
        except ValueError as error:
            value = getattr(fonts, field.name)
            said = str(error) if value in str(error) else f"'{value}' {error}"
            yield f"fonts.{field.name}", said


def _place(root: Node, key: str) -> Place:
    """Where a key's value stands; where it stands not, the nearest above it."""
    node = root
    for part in key.split("."):
        if isinstance(node.content, dict) and part in node.content:
            node = node.content[part]
    return node.place
