"""Figures in, English out: shares, p-values, the names of groups, and what a gap does and does not mean."""

from __future__ import annotations

from collections.abc import Sequence

from kiosk.audit.figures import Rate, Spread
from kiosk.audit.gaps import Gap, Steadiness
from kiosk.audit.statistics import Interval
from kiosk.audit.suppression import Key

SPACE = "\N{NO-BREAK SPACE}"
DASH = "–"
NONE = "—"
LEAST_P = 0.001
MEASURES = {
    "missed": "faces missed",
    "twice": "faces found twice",
    "withheld": "words that the policy withholds",
    "offensive": "words rated offensive",
    "sensitive": "words rated sensitive",
    "scores": "the detector's score",
    "sureness": "how sure the network is",
}
MEANING = (
    "A clear gap means that in these pictures the piece treats the groups differently, by more than dealing "
    "the groups out at random explains.",
    "It does not say why: the light, the camera, the pose, the age of a picture or who chose it can differ "
    "between groups as the networks' training did. It does not say that the same gap holds for the visitors "
    "of a room. It says nothing about any one person, and nothing about what a group is like.",
    "No clear gap does not mean no gap: the intervals say how large one could be and still have gone unseen.",
)


def percent(share: float) -> str:
    """A share, 0-1, with a decimal; with two digits that count where it is small."""
    value = 100 * share
    return f"{value:.1f}{SPACE}%" if abs(value) >= 1 or abs(value) < 5e-10 else f"{value:.2g}{SPACE}%"


def rate(found: Rate | None) -> str:
    """With its interval."""
    if found is None:
        return NONE
    low, high = found.interval.low, found.interval.high
    return f"{percent(found.share)} ({100 * low:.1f}{DASH}{100 * high:.1f})"


def quartiles(found: Spread | None, of_percent: bool) -> str:
    """The median, and between which two half of them lie."""
    if found is None:
        return NONE
    low, middle, high = (f"{100 * value:.2g}" if of_percent else f"{value:.2f}" for value in found.quartiles)
    return f"{middle}{f'{SPACE}%' if of_percent else ''} ({low}{DASH}{high})"


def number(value: int) -> str:
    """With a comma every three digits."""
    return f"{value:,}"


def p_value(p: float) -> str:
    """As it is said: "p = 0.012"."""
    return f"p{SPACE}{p_number(p)}" if p < LEAST_P else f"p{SPACE}={SPACE}{p_number(p)}"


def p_number(p: float) -> str:
    """The number alone."""
    return f"<{SPACE}{LEAST_P}" if p < LEAST_P else f"{p:.3f}" if p < 0.1 else f"{p:.2f}"


def name(key: Key) -> str:
    """Of a group: its values."""
    return ", ".join(value for value in key if value is not None) or "all"


def by(titles: Sequence[str]) -> str:
    """Of a grouping: "skin type (Fitzpatrick) and perceived gender"."""
    return " and ".join(titles)


def listed(found: Sequence[tuple[str, str]]) -> str:
    """Words, each with a number of its own; those without a text are withheld, and why is said elsewhere."""
    shown = [f"{text} {number}" for text, number in found if text]
    withheld = ", ".join(number for text, number in found if not text)
    return ", ".join((*shown, *([f"[withheld] {withheld}"] if withheld else []))) or NONE


def capital(text: str) -> str:
    """With a capital at its beginning."""
    return text[:1].upper() + text[1:]


def value(measure: str, number: float) -> str:
    """A share, a score or how sure."""
    return f"{number:.3f}" if measure == "scores" else percent(number)


def difference(measure: str, gap: float, interval: Interval) -> str:
    """With its interval, in points of a hundred, or of the score."""
    size, low, high = sizes(measure, gap, interval)
    unit = "" if measure == "scores" else " points"
    return f"{size}{unit} (95{SPACE}% interval {low} to {high})"


def brief(measure: str, gap: float, interval: Interval) -> str:
    """The same for a table."""
    size, low, high = sizes(measure, gap, interval)
    return f"{size} ({low} to {high})".replace(" ", SPACE)


def sizes(measure: str, gap: float, interval: Interval) -> tuple[str, str, str]:
    """A difference and the ends of its interval."""
    unit, digits = (1, 3) if measure == "scores" else (100, 1)
    digits += measure == "sureness" and abs(gap) < 0.01
    numbers = [f"{unit * number:.{digits}f}" for number in (gap, interval.low, interval.high)]
    # No minus before a zero, and a real one before all else.
    signed = [text.replace("-", "\N{MINUS SIGN}" if float(text) else "") for text in numbers]
    return signed[0], signed[1], signed[2]


def headline(gap: Gap, titles: Sequence[str]) -> str:
    """A gap in one line."""
    return (
        f"{capital(MEASURES[gap.measure])}, by {by(titles)}: "
        f"{name(gap.high)} {value(gap.measure, gap.high_value)}, "
        f"{name(gap.low)} {value(gap.measure, gap.low_value)}"
    )


def sentence(gap: Gap, titles: Sequence[str], comparisons: int) -> str:
    """A gap, how often chance does as much, and what follows."""
    deals = (
        f"With the groups dealt out at random, {number(gap.as_clear)} of {number(gap.deals)} deals made one "
        "as clear "
        f"({p_value(gap.p)}; {p_value(gap.corrected)} after Holm's correction for {comparisons} comparisons)."
    )
    told = (
        f"{headline(gap, titles)}: a gap of {difference(gap.measure, gap.difference, gap.interval)}. {deals}"
    )
    if gap.is_clear:
        return f"{told} Chance is a poor explanation; which other it is, this does not say.{_wider(gap)}"
    most = max(abs(gap.interval.low), abs(gap.interval.high))
    size = f"{most:.3f}" if gap.measure == "scores" else f"{100 * most:.2g} points"
    fits = f"A true gap of up to {size} would fit as well."
    return f"{told} Chance alone does that often enough. {fits}{_wider(gap)}"


def verdict(gap: Gap, rows: Sequence[Steadiness]) -> str:
    """What changes do to the gap in faces missed; the first row is of the pictures as they are."""
    before, after = rows[0], rows[1:]
    if not gap.is_clear:
        opened = [row.change.title for row in after if row.clearest.is_clear]
        if not opened:
            return "No gap is clear as the pictures are, and none under any change."
        return (
            f"No gap is clear as the pictures are, but one is {_or(opened)}: there it fails somebody first."
        )
    pair = f"{name(gap.high)} and {name(gap.low)}"
    if before.interval.low <= 0:
        size = difference("missed", before.difference, before.interval)
        return (
            f"The changed pictures are too few to say what the gap between {pair} does: as they are, {size}."
        )
    closed = [row for row in after if row.difference < before.difference / 2]
    # Where both are missed the gap is gone too, and nobody is helped.
    helped = [row for row in closed if row.high.share < before.high.share]
    worse = [row for row in closed if row not in helped]
    if helped:
        text = (
            f"The gap between {pair} is less than half as large {_or([row.change.title for row in helped])}, "
            "because more faces of the group that fares worse are found. Look at the light, the lens or the "
            "distance before blaming the model."
        )
    else:
        gaps = [100 * row.difference for row in after if row not in worse] or [100 * before.difference]
        text = (
            f"The gap between {pair} stays, from {min(gaps):.0f} to {max(gaps):.0f} points, whatever is "
            "changed: light, contrast, sharpness and distance, as changed here, do not make it by themselves."
        )
    if worse:
        titles = _or([row.change.title for row in worse])
        text += f" It is smaller {titles}, but only because the others are missed too."
    return text


def _or(titles: Sequence[str]) -> str:
    quoted = [f"“{title}”" for title in titles]
    return quoted[0] if len(quoted) == 1 else f"{', '.join(quoted[:-1])} or {quoted[-1]}"


def _wider(gap: Gap) -> str:
    top, bottom, size = gap.widest
    if {top, bottom} == {gap.high, gap.low}:
        return ""
    worth = f"{size:.3f}" if gap.measure == "scores" else f"{100 * size:.2g} points"
    return f" Wider, but of fewer pictures: {name(top)} and {name(bottom)}, {worth}."
