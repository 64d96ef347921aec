"""Opening hours: when the piece is open, by the clock on the wall.

In: the configuration's texts and a time. Out: open or closed, and when that changes next. Pure: no clock
is asked, and nothing is remembered, so that a clock that was set back or a machine that slept changes
nothing. An hour that the clock shows twice counts twice, one that it leaves out not at all.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field, fields
from datetime import date, datetime, time, timedelta
from functools import lru_cache
from itertools import pairwise

from kiosk import schema

ALWAYS, CLOSED = "always", "closed"
DAY = 24 * 60
# Words for the two that people write in their stead; YAML itself takes some of them for true and false.
_MEANT = {
    ALWAYS: ("24/7", "24h", "all day", "on", "open", "true", "yes"),
    CLOSED: ("-", "false", "never", "no", "none", "null", "off", "shut", "~"),
}
_SPAN = re.compile(r"(\d{1,2}):(\d\d) ?[-–] ?(\d{1,2}):(\d\d)", re.ASCII)
# Spans as they are written elsewhere: 10-18h, 10.30 to 18, 10am-6pm.
_LOOSE_TIME = r"(\d{1,2})(?: ?[:.h] ?(\d\d))? ?(am|pm|h|uhr)?"
_LOOSE_SPAN = re.compile(rf"{_LOOSE_TIME} ?(?:[-–—]|to|until|bis) ?{_LOOSE_TIME}", re.ASCII)

Span = tuple[int, int]
"""Minutes after the midnight with which its day begins: open from the first, closed from the second on.

The first is from 0 to 1439; the second is greater, by 1440 at most, and above 1440 on the day after.
"""


@lru_cache(maxsize=256)
def spans(text: str) -> tuple[Span, ...]:
    """The times of a day, such as "10:00-12:30, 18:00-02:00", in their order.

    () for "closed". Raises ValueError with what was wanted and found.
    """
    if text.lower() in (ALWAYS, CLOSED):
        return ((0, DAY),) if text.lower() == ALWAYS else ()
    found = sorted(_span(part.strip(), text) for part in text.split(","))
    for one, other in pairwise(found):
        if other[0] < one[1]:
            raise ValueError(f"must not overlap, as {_written(one)} and {_written(other)} do")
    return tuple(found)


@lru_cache(maxsize=256)
def dates(text: str) -> tuple[date, date]:
    """The first and the last day of "2026-12-24" or "2026-12-24..2026-12-26". Raises ValueError."""
    first, dots, last = (part.strip() for part in text.partition(".."))
    begin = _date(first, text)
    end = _date(last, text) if dots else begin
    if end < begin:
        raise ValueError(f"must not end before it begins, as '{text}' does")
    return begin, end


def _checked_spans(text: str) -> str:
    found = spans(text)
    return text.lower() if text.lower() in (ALWAYS, CLOSED) else ", ".join(map(_written, found))


def _checked_dates(text: str) -> str:
    first, last = dates(text)
    return f"{first}..{last}" if last > first else f"{first}"


def _checked_time(text: str) -> str:
    if text.lower() in ("never", *_MEANT[CLOSED]):
        return "never"
    found = re.fullmatch(r"(\d{1,2}):(\d\d)", text, re.ASCII)
    if not found or int(found[1]) > 23 or int(found[2]) > 59:
        raise ValueError(f"must be a time such as 05:00, or never, not '{text}'")
    return f"{int(found[1]):02}:{found[2]}"


@dataclass(frozen=True)
class ExceptionalDays:
    """Days with hours of their own."""

    date: str = schema.converted("a day such as 2026-12-24, or 2026-12-24..2026-12-26", _checked_dates)
    hours: str = schema.converted("the times on each of these days", _checked_spans)


@dataclass(frozen=True)
class HoursConfig:
    """When the piece is open, by the clock; else the camera is closed and the screen is dark."""

    monday: str = schema.converted(
        "times such as 10:00-18:00 or 18:00-02:00, several with commas between them; closed; always",
        _checked_spans,
        ALWAYS,
    )
    tuesday: str = schema.converted("as on Monday", _checked_spans, ALWAYS)
    wednesday: str = schema.converted("as on Monday", _checked_spans, ALWAYS)
    thursday: str = schema.converted("as on Monday", _checked_spans, ALWAYS)
    friday: str = schema.converted("as on Monday", _checked_spans, ALWAYS)
    saturday: str = schema.converted("as on Monday", _checked_spans, ALWAYS)
    sunday: str = schema.converted("as on Monday", _checked_spans, ALWAYS)
    exceptions: tuple[ExceptionalDays, ...] = field(
        default=(),
        metadata={
            "help": "days with other hours, a line each: - {date: 2026-12-24..2026-12-26, hours: closed}"
        },
    )
    restart: str = schema.converted(
        "end every day at this time, such as 05:00, for the service to start the piece anew; never",
        _checked_time,
        "never",
    )
    closed_screen: str = schema.choice(
        "black: the screen stays lit and is black; off: on X11 it is also switched off",
        "black",
        ("black", "off"),
    )

    def __post_init__(self) -> None:
        """Raise ValueError where a day stands in two exceptions."""
        ordered = sorted(dates(it.date) for it in self.exceptions)
        for (_, last), (first, _) in pairwise(ordered):
            if first <= last:
                raise ValueError(f"exceptions: {first} stands in two of them; remove one of the two")


WEEKDAYS = tuple(it.name for it in fields(HoursConfig))[:7]


def is_open(hours: HoursConfig, at: datetime) -> bool:
    """Whether it is open when the clock on the wall shows `at`.

    That is local time, naive; of an aware time, what its own clock shows. A span that goes over midnight
    belongs to the day on which it begins, also where the next is an exception.
    """
    minute = at.hour * 60 + at.minute
    today = at.date()
    if any(begin <= minute < end for begin, end in _spans_on(hours, today)):
        return True
    return any(minute + DAY < end for _, end in _spans_on(hours, today - timedelta(days=1)))


def next_change(hours: HoursConfig, at: datetime) -> datetime | None:
    """What the clock will show, naive, when it opens or closes next; None where it never will.

    For a person to read. Whether it is open is for `is_open` to say at any time: the clock may be set, and
    when summer time ends it shows some times twice.
    """
    now = at.replace(tzinfo=None)
    before = is_open(hours, now)
    for day in _days_of_change(hours, now.date()):
        midnight = datetime.combine(day, time())
        begun = _spans_on(hours, day - timedelta(days=1))
        minutes = {it for span in _spans_on(hours, day) for it in span if it < DAY}
        minutes |= {end - DAY for _, end in begun if end >= DAY}
        for minute in sorted(minutes):
            change = midnight + timedelta(minutes=minute)
            if change > now and is_open(hours, change) != before:
                return change
    return None


def is_over(hours: HoursConfig, started: datetime, at: datetime) -> bool:
    """Whether the hour of the daily restart lies between the start and now, by the clock on the wall.

    A clock that was set back asks for nothing.
    """
    if hours.restart == "never":
        return False
    due = datetime.combine(started.date(), time.fromisoformat(hours.restart))
    if due <= started:
        due += timedelta(days=1)
    return due <= at


def told(hours: HoursConfig, at: datetime) -> str:
    """Open or closed and until when, for a log: "closed until Tuesday 10:00", "always open"."""
    word = "open" if is_open(hours, at) else "closed"
    change = next_change(hours, at)
    if change is None:
        return f"always {word}"
    days = (change.date() - at.date()).days
    day = WEEKDAYS[change.weekday()].capitalize() if days < 7 else f"{change:%Y-%m-%d}"
    return f"{word} until {day} {change:%H:%M}" if days else f"{word} until {change:%H:%M}"


def _spans_on(hours: HoursConfig, day: date) -> tuple[Span, ...]:
    for exception in hours.exceptions:
        first, last = dates(exception.date)
        if first <= day <= last:
            return spans(exception.hours)
    text: str = getattr(hours, WEEKDAYS[day.weekday()])
    return spans(text)


def _days_of_change(hours: HoursConfig, today: date) -> Iterator[date]:
    """The days on which a first change after now can lie.

    What is open on a day hangs on its own hours and on those of the day before. So the whole days repeat
    every week, and within an exception every day: what has not changed in so long never will.
    """
    days = {today + timedelta(days=number) for number in range(8)}
    for exception in hours.exceptions:
        first, last = dates(exception.date)
        days |= {first, first + timedelta(days=1)}
        days |= {last + timedelta(days=number) for number in range(1, 9)}
    yield from sorted(day for day in days if day >= today)


def _span(part: str, whole: str) -> Span:
    found = _SPAN.fullmatch(part)
    if not found:
        raise ValueError(
            f"must be times such as 10:00-18:00, closed or always, not '{whole}'{_suggestion(whole)}"
            if whole
            else "must be times such as 10:00-18:00, closed or always, not empty"
        )
    hour, minute, last_hour, last_minute = (int(number) for number in found.groups())
    begin, end = hour * 60 + minute, last_hour * 60 + last_minute
    if begin >= DAY or end > DAY or minute >= 60 or last_minute >= 60:
        raise ValueError(f"must be times from 00:00 to 23:59, or to 24:00 as an end, not '{part}'")
    if begin == end:
        raise ValueError(f"must be of some length, not '{part}'. Write always for the whole day, or closed")
    return begin, end if end > begin else end + DAY


def _suggestion(text: str) -> str:
    if words := [word for word, meant in _MEANT.items() if text.lower() in meant]:
        return f". Write {words[0]}"
    found = [_LOOSE_SPAN.fullmatch(part.strip().lower()) for part in re.split(r"[,;&+]|\band\b", text)]
    written = [f"{_clock(*it.group(1, 2, 3))}-{_clock(*it.group(4, 5, 6))}" for it in found if it]
    try:
        return f". Write {_checked_spans(', '.join(written))}" if len(written) == len(found) else ""
    except ValueError:  # it is no time in that writing either
        return ""


def _clock(hour: str, minute: str | None, half: str | None) -> str:
    number = int(hour) % 12 + (12 if half == "pm" else 0) if half in ("am", "pm") else int(hour)
    return f"{number:02}:{minute or '00'}"


def _written(span: Span) -> str:
    """24:00 stays what it is; after it the clock begins anew."""
    begin, end = span[0], span[1] if span[1] <= DAY else span[1] - DAY
    return f"{begin // 60:02}:{begin % 60:02}-{end // 60:02}:{end % 60:02}"


def _date(part: str, whole: str) -> date:
    if not re.fullmatch(r"2\d{3}-\d\d-\d\d", part, re.ASCII):
        wanted = "must be a date such as 2026-12-24, or two with .. between them"
        raise ValueError(f"{wanted}, not '{whole}'" if whole else f"{wanted}, not empty")
    try:
        return date.fromisoformat(part)
    except ValueError as error:
        raise ValueError(f"must be a date that there is, not '{part}'") from error
