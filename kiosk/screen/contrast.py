"""Two colours in, how well one reads on the other out (WCAG 2.2, https://www.w3.org/TR/WCAG22/). Pure."""

from __future__ import annotations

Colour = tuple[int, int, int]
"""Red, green and blue, 0-255."""

READABLE = 4.5
"""Least contrast ratio of text of any size with what is behind it: success criterion 1.4.3, level AA."""

BLACK: Colour = (0, 0, 0)
WHITE: Colour = (255, 255, 255)


def rgb(text: str) -> Colour:
    """Of "#rrggbb"."""
    return int(text[1:3], 16), int(text[3:5], 16), int(text[5:7], 16)


def contrast(one: Colour, other: Colour) -> float:
    """Contrast ratio, 1-21."""
    return _ratio(_luminance(one), _luminance(other))


def least_contrast(text: Colour, ground: Colour, opacity: float) -> float:
    """Of text on a ground of an opacity 0-1, whatever picture is behind it; 1-21.

    Over black the ground is darkest, over white lightest. Text between the two vanishes on some grey.
    """
    darkest, lightest = (_luminance(over(ground, behind, opacity)) for behind in (BLACK, WHITE))
    letters = _luminance(text)
    if darkest <= letters <= lightest:
        return 1.0
    return min(_ratio(letters, darkest), _ratio(letters, lightest))


def over(ground: Colour, behind: Colour, opacity: float) -> Colour:
    """What is seen of a ground of an opacity 0-1 before something."""
    red, green, blue = (
        round(front * opacity + back * (1 - opacity)) for front, back in zip(ground, behind, strict=True)
    )
    return red, green, blue


def ink_on(colour: Colour) -> Colour:
    """Black or white, whichever reads better: one of the two always reads well."""
    return BLACK if contrast(BLACK, colour) > contrast(WHITE, colour) else WHITE


def _ratio(one: float, other: float) -> float:
    darker, lighter = sorted((one, other))
    return (lighter + 0.05) / (darker + 0.05)


def _luminance(colour: Colour) -> float:
    """Relative luminance, 0-1."""
    red, green, blue = (
        part / 255 / 12.92 if part / 255 <= 0.04045 else ((part / 255 + 0.055) / 1.055) ** 2.4
        for part in colour
    )
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue
