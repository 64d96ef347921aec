from __future__ import annotations

import dataclasses
import time
from collections.abc import Iterator
from datetime import date, datetime, timedelta, timezone
from pathlib import Path

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from kiosk import config, schema
from kiosk.errors import ConfigError
from kiosk.hours import (
    WEEKDAYS,
    ExceptionalDays,
    HoursConfig,
    dates,
    is_open,
    is_over,
    next_change,
    spans,
    told,
)

MONDAY = date(2026, 11, 30)
# As POSIX writes it, for which no machine needs tables of time zones (tzset(3)).
BERLIN = "CET-1CEST,M3.5.0,M10.5.0/3"


def week(text: str, *exceptions: tuple[str, str]) -> HoursConfig:
    """The same hours on every day, and exceptions as pairs of date and hours."""
    days = tuple(ExceptionalDays(date=day, hours=hours) for day, hours in exceptions)
    return HoursConfig(**dict.fromkeys(WEEKDAYS, text), exceptions=days)


def at(text: str) -> datetime:
    """A time such as "2026-11-30 18:00", or of the Monday where there is no date."""
    return datetime.fromisoformat(text if " " in text else f"{MONDAY} {text}")


def load(folder: Path, content: str) -> HoursConfig:
    path = folder / "h.yaml"
    path.write_text(content, encoding="utf-8")
    return schema.load(path, HoursConfig)


def problem(folder: Path, content: str) -> str:
    """The one line with which a file is refused."""
    with pytest.raises(ConfigError) as caught:
        load(folder, content)
    (line,) = caught.value.problems
    return line.removeprefix(f"{folder}/")


# The texts.


@pytest.mark.parametrize(
    ("written", "read", "meant"),
    [
        ("always", "always", [(0, 1440)]),
        ("Closed", "closed", []),
        ("10:30-18:00", "10:30-18:00", [(630, 1080)]),
        ("9:05 - 18:00", "09:05-18:00", [(545, 1080)]),
        ("10:00\N{EN DASH}18:00", "10:00-18:00", [(600, 1080)]),
        ("14:00-18:00,10:00-12:30", "10:00-12:30, 14:00-18:00", [(600, 750), (840, 1080)]),
        ("10:00-12:00, 12:00-14:00", "10:00-12:00, 12:00-14:00", [(600, 720), (720, 840)]),
        ("18:00-02:00", "18:00-02:00", [(1080, 1560)]),
        ("18:00-24:00", "18:00-24:00", [(1080, 1440)]),
        ("18:00-00:00", "18:00-24:00", [(1080, 1440)]),
        ("00:00-24:00", "00:00-24:00", [(0, 1440)]),
        ("00:00-23:59", "00:00-23:59", [(0, 1439)]),
        ("12:00-11:59", "12:00-11:59", [(720, 2159)]),
    ],
)
def test_a_day_is_read_as_people_write_it(
    tmp_path: Path, written: str, read: str, meant: list[tuple[int, int]]
) -> None:
    found = load(tmp_path, f"tuesday: {written}\n").tuesday
    assert found == read
    assert spans(found) == spans(written) == tuple(meant)


@pytest.mark.parametrize(
    ("written", "complaint"),
    [
        ("10-18h", "must be times such as 10:00-18:00, closed or always, not '10-18h'. Write 10:00-18:00"),
        ("10.30 to 18", "must be times such as 10:00-18:00, closed or always, not '10.30 to 18'. "
                        "Write 10:30-18:00"),
        ("10am - 12pm and 1pm - 6:30 pm",
         "must be times such as 10:00-18:00, closed or always, not '10am - 12pm and 1pm - 6:30 pm'. "
         "Write 10:00-12:00, 13:00-18:30"),
        ("12am-4am", "must be times such as 10:00-18:00, closed or always, not '12am-4am'. "
                     "Write 00:00-04:00"),
        ("10-99h", "must be times such as 10:00-18:00, closed or always, not '10-99h'"),
        ("10:30", "must be times such as 10:00-18:00, closed or always, not '10:30'"),
        ("630", "must be times such as 10:00-18:00, closed or always, not '630'"),
        ("10:00-18:00,", "must be times such as 10:00-18:00, closed or always, not '10:00-18:00,'"),
        ("10:00-18:0", "must be times such as 10:00-18:00, closed or always, not '10:00-18:0'"),
        ("no", "must be times such as 10:00-18:00, closed or always, not 'no'. Write closed"),
        ("Off", "must be times such as 10:00-18:00, closed or always, not 'Off'. Write closed"),
        ("yes", "must be times such as 10:00-18:00, closed or always, not 'yes'. Write always"),
        ("24/7", "must be times such as 10:00-18:00, closed or always, not '24/7'. Write always"),
        ("\u0661\u0660:00-18:00", "must be times such as 10:00-18:00, closed or always, "
                                  "not '\u0661\u0660:00-18:00'"),
        ("", "must be times such as 10:00-18:00, closed or always, not empty"),
        ("10:00-25:00", "must be times from 00:00 to 23:59, or to 24:00 as an end, not '10:00-25:00'"),
        ("24:00-02:00", "must be times from 00:00 to 23:59, or to 24:00 as an end, not '24:00-02:00'"),
        ("10:00-24:01", "must be times from 00:00 to 23:59, or to 24:00 as an end, not '10:00-24:01'"),
        ("10:60-18:00", "must be times from 00:00 to 23:59, or to 24:00 as an end, not '10:60-18:00'"),
        ("18:00-18:00", "must be of some length, not '18:00-18:00'. "
                        "Write always for the whole day, or closed"),
        ("10:00-14:00, 12:30-18:00", "must not overlap, as 10:00-14:00 and 12:30-18:00 do"),
        ("22:00-23:00, 18:00-02:00", "must not overlap, as 18:00-02:00 and 22:00-23:00 do"),
        ("10:00-12:00, 10:00-12:00", "must not overlap, as 10:00-12:00 and 10:00-12:00 do"),
    ],
)  # fmt: skip
def test_a_day_that_cannot_be_read_is_told_with_its_cure(
    tmp_path: Path, written: str, complaint: str
) -> None:
    line = problem(tmp_path, f"monday: {written}\n")
    assert line.partition(" monday: ")[2] == complaint


def test_exceptions_are_read_from_a_list(tmp_path: Path) -> None:
    content = """\
sunday: closed
exceptions:
  - date: 2026-12-24 .. 2026-12-26
    hours: closed
  - date: 2028-02-29
    hours: 10:30-12:00
"""
    assert load(tmp_path, content) == HoursConfig(
        sunday="closed",
        exceptions=(
            ExceptionalDays(date="2026-12-24..2026-12-26", hours="closed"),
            ExceptionalDays(date="2028-02-29", hours="10:30-12:00"),
        ),
    )


@pytest.mark.parametrize(
    ("exceptions", "complaint"),
    [
        ("[{date: 2026-02-29, hours: closed}]",
         "1:21: exceptions[0].date: must be a date that there is, not '2026-02-29'"),
        ("[{date: 24.12.2026, hours: closed}]",
         "1:21: exceptions[0].date: must be a date such as 2026-12-24, or two with .. between them, "
         "not '24.12.2026'"),
        ("[{date: 2026-12-26..2026-12-24, hours: closed}]",
         "1:21: exceptions[0].date: must not end before it begins, as '2026-12-26..2026-12-24' does"),
        ("[{date: 2026-12-24.., hours: closed}]",
         "1:21: exceptions[0].date: must be a date such as 2026-12-24, or two with .. between them, "
         "not '2026-12-24..'"),
        ("[{date: '', hours: closed}]",
         "1:21: exceptions[0].date: must be a date such as 2026-12-24, or two with .. between them, "
         "not empty"),
        ("[{date: 2026-12-24}]", "1:14: exceptions[0].hours: missing (the times on each of these days)"),
        ("[{date: 2026-12-24, hours: no}]",
         "1:40: exceptions[0].hours: must be times such as 10:00-18:00, closed or always, not 'no'. "
         "Write closed"),
        ("[{date: 2026-12-24, hours: closed}, {date: 2026-12-24, hours: always}]",
         "1:1: the file: exceptions: 2026-12-24 stands in two of them; remove one of the two"),
        ("[{date: 2026-12-24..2026-12-26, hours: closed}, {date: 2026-12-20..2026-12-25, hours: closed}]",
         "1:1: the file: exceptions: 2026-12-24 stands in two of them; remove one of the two"),
    ],
)  # fmt: skip
def test_an_exception_that_cannot_be_read_is_told(tmp_path: Path, exceptions: str, complaint: str) -> None:
    assert problem(tmp_path, f"exceptions: {exceptions}\n") == f"h.yaml:{complaint}"


# Open or closed.


@pytest.mark.parametrize(
    ("text", "time_", "expected"),
    [
        ("10:30-18:00", "10:29:59.999999", False),
        ("10:30-18:00", "10:30", True),
        ("10:30-18:00", "17:59:59.999999", True),
        ("10:30-18:00", "18:00", False),
        ("10:00-12:30, 14:00-18:00", "12:30", False),
        ("10:00-12:30, 14:00-18:00", "14:00", True),
        ("18:00-24:00", "23:59:59", True),
        ("18:00-24:00", "00:00", False),
        ("18:00-02:00", "01:59:59", True),
        ("18:00-02:00", "02:00", False),
        ("18:00-02:00", "18:00", True),
        ("always", "00:00", True),
        ("always", "23:59:59", True),
        ("closed", "12:00", False),
    ],
)
def test_a_span_holds_from_its_first_minute_to_before_its_last(text: str, time_: str, expected: bool) -> None:
    assert is_open(week(text), at(time_)) is expected


def test_each_weekday_has_its_own_hours() -> None:
    for number, name in enumerate(WEEKDAYS):
        hours = dataclasses.replace(week("closed"), **{name: "10:00-18:00"})
        open_days = [day for day in range(7) if is_open(hours, at("12:00") + timedelta(days=day))]
        assert open_days == [number]
    assert WEEKDAYS[0] == "monday"


def test_a_night_belongs_to_the_day_on_which_it_begins() -> None:
    hours = dataclasses.replace(week("closed"), friday="18:00-02:00")
    friday = at("00:00") + timedelta(days=4)
    assert not is_open(hours, friday + timedelta(hours=1))
    assert is_open(hours, friday + timedelta(hours=23))
    assert is_open(hours, friday + timedelta(hours=25))
    assert not is_open(hours, friday + timedelta(hours=26))


@pytest.mark.parametrize(
    ("time_", "expected"),
    [
        ("2026-12-24 01:00", True),  # the night of the 23rd goes on into the exception
        ("2026-12-24 02:00", False),
        ("2026-12-24 19:00", False),
        ("2026-12-26 19:00", False),
        ("2026-12-27 01:00", False),  # and the one of the 26th did not begin
        ("2026-12-27 19:00", True),
    ],
)
def test_an_exception_takes_the_place_of_its_days_and_not_of_the_night_before(
    time_: str, expected: bool
) -> None:
    assert is_open(week("18:00-02:00", ("2026-12-24..2026-12-26", "closed")), at(time_)) is expected


def test_a_night_of_an_exception_goes_on_into_a_closed_day() -> None:
    hours = week("closed", ("2026-12-31", "20:00-04:00"))
    assert not is_open(hours, at("2026-12-31 03:00"))
    assert is_open(hours, at("2027-01-01 03:59"))
    assert not is_open(hours, at("2027-01-01 04:00"))


def test_a_leap_day_is_a_day() -> None:
    hours = week("closed", ("2028-02-29", "22:00-02:00"))
    assert is_open(hours, at("2028-02-29 23:00"))
    assert is_open(hours, at("2028-03-01 01:00"))
    assert not is_open(hours, at("2027-03-01 01:00"))
    assert next_change(hours, at("2028-02-28 12:00")) == at("2028-02-29 22:00")


def test_a_clock_that_is_set_back_a_year_is_believed_and_nothing_is_remembered() -> None:
    hours = week("10:00-18:00", ("2026-12-24", "closed"))
    assert not is_open(hours, at("2026-12-24 12:00"))
    assert is_open(hours, at("2025-12-24 12:00"))
    assert is_open(hours, at("1970-01-01 12:00"))  # a machine whose battery is empty
    assert not is_open(hours, at("2026-12-24 12:00"))


# Summer time.


@pytest.fixture
def berlin() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("TZ", BERLIN)
        time.tzset()
        yield
    time.tzset()


def open_minutes(hours: HoursConfig, first: datetime, minutes: int) -> list[str]:
    """What the clock in Berlin shows, minute by minute of real time from `first` (UTC), while it is open."""
    began = first.replace(tzinfo=timezone.utc).timestamp()
    shown = (datetime.fromtimestamp(began + 60 * minute) for minute in range(minutes))
    return [f"{it:%H:%M}" for it in shown if is_open(hours, it)]


@pytest.mark.usefixtures("berlin")
def test_an_hour_that_does_not_exist_is_not_waited_for() -> None:
    night = at("2027-03-28 00:00")  # 01:00 to 04:00 summer time; 02:00 becomes 03:00
    assert open_minutes(week("02:30-03:01"), night, 120) == ["03:00"]
    assert open_minutes(week("01:58-02:30"), night, 120) == ["01:58", "01:59"]
    assert open_minutes(week("02:00-03:00"), night, 120) == []


@pytest.mark.usefixtures("berlin")
def test_an_hour_that_exists_twice_counts_twice() -> None:
    night = at("2027-10-31 00:00")  # 02:00 to 02:00 again; 03:00 becomes 02:00
    assert open_minutes(week("02:00-02:02"), night, 120) == ["02:00", "02:01", "02:00", "02:01"]
    assert len(open_minutes(week("18:00-03:00"), at("2027-10-30 16:00"), 24 * 60)) == 10 * 60
    assert len(open_minutes(week("always"), night, 120)) == 120


def test_of_an_aware_time_its_own_clock_counts() -> None:
    hours = week("10:00-18:00")
    for offset in (-11, 0, 5.5, 14):
        zone = timezone(timedelta(hours=offset))
        assert is_open(hours, at("10:00").replace(tzinfo=zone))
        assert not is_open(hours, at("09:59").replace(tzinfo=zone))
        assert next_change(hours, at("09:59").replace(tzinfo=zone)) == at("10:00")


# The next change.

WITHOUT_A_GAP = "11:00-12:00, 12:00-11:00"


@pytest.mark.parametrize(
    ("hours", "now", "expected", "words"),
    [
        (week("always"), "12:00", None, "always open"),
        (week("closed"), "12:00", None, "always closed"),
        (week("00:00-12:00, 12:00-24:00"), "12:00", None, "always open"),
        (week("00:00-12:00, 12:00-00:00"), "11:59:59", None, "always open"),
        (week("10:00-18:00"), "09:59:59.5", "2026-11-30 10:00", "closed until 10:00"),
        (week("10:00-18:00"), "10:00", "2026-11-30 18:00", "open until 18:00"),
        (week("10:00-18:00"), "18:00", "2026-12-01 10:00", "closed until Tuesday 10:00"),
        (week("18:00-02:00"), "19:00", "2026-12-01 02:00", "open until Tuesday 02:00"),
        # Over midnight without a gap.
        (week("10:00-24:00", ("2026-12-01", "00:00-03:00")), "12:00", "2026-12-01 03:00",
         "open until Tuesday 03:00"),
        (dataclasses.replace(week("closed"), monday="10:00-18:00"), "18:00", "2026-12-07 10:00",
         "closed until 2026-12-07 10:00"),
        (dataclasses.replace(week("closed"), monday="10:00-18:00"), "09:00", "2026-11-30 10:00",
         "closed until 10:00"),
        (dataclasses.replace(week("closed"), sunday="10:00-18:00"), "09:00", "2026-12-06 10:00",
         "closed until Sunday 10:00"),
        # Exceptions, also far ones.
        (week("always", ("2026-12-24..2026-12-26", "closed")), "12:00", "2026-12-24 00:00",
         "open until 2026-12-24 00:00"),
        (week("always", ("2026-11-01..2027-06-30", "closed")), "12:00", "2027-07-01 00:00",
         "closed until 2027-07-01 00:00"),
        (week("closed", ("2999-12-31", "23:00-24:00")), "12:00", "2999-12-31 23:00",
         "closed until 2999-12-31 23:00"),
        (week("closed", ("2026-11-01", "10:00-18:00")), "12:00", None, "always closed"),
        (week("10:00-18:00", ("2026-12-01..2027-01-31", "closed")), "18:30", "2027-02-01 10:00",
         "closed until 2027-02-01 10:00"),
        # Always open by two spans, until a night that ends an hour too early: on the second day of an
        # exception; and on the eighth day after exceptions that hide it.
        (week(WITHOUT_A_GAP, ("2026-12-23..2026-12-30", "11:00-10:00")), "12:00", "2026-12-24 10:00",
         "open until 2026-12-24 10:00"),
        (dataclasses.replace(
            week(WITHOUT_A_GAP, ("2026-12-03", WITHOUT_A_GAP), ("2026-12-10", WITHOUT_A_GAP)),
            thursday="11:00-10:00"),
         "12:00", "2026-12-18 10:00", "open until 2026-12-18 10:00"),
        (dataclasses.replace(
            week("closed", ("2026-11-30..2026-12-31", "closed")), wednesday="10:00-18:00"),
         "12:00", "2027-01-06 10:00", "closed until 2027-01-06 10:00"),
    ],
)  # fmt: skip
def test_the_next_change_is_told(hours: HoursConfig, now: str, expected: str | None, words: str) -> None:
    assert next_change(hours, at(now)) == (at(expected) if expected else None)
    assert told(hours, at(now)) == words


MINUTES = st.integers(0, 1439)
SPAN_TEXTS = st.builds(
    lambda begin, length: f"{begin // 60}:{begin % 60:02}-"
    f"{(begin + length) // 60 % 24}:{(begin + length) % 60:02}",
    MINUTES, st.one_of(st.integers(1, 1439), st.sampled_from([1, 60, 1439])),
)  # fmt: skip


def _may_be(text: str) -> bool:
    try:
        return spans(text) is not None
    except ValueError:
        return False


DAY_TEXTS = st.one_of(
    st.sampled_from(["always", "closed", "00:00-24:00", "18:00-02:00", "10:00-18:00"]),
    st.lists(SPAN_TEXTS, min_size=1, max_size=3).map(", ".join).filter(_may_be),
)
DAYS = st.dates(date(2026, 11, 1), date(2027, 3, 31))


@st.composite
def hours_of_all_kinds(draw: st.DrawFn) -> HoursConfig:
    usual = st.one_of(st.just("always"), st.just("closed"), DAY_TEXTS)
    days = {name: draw(usual) for name in WEEKDAYS}
    if draw(st.booleans()):  # often all alike: then only exceptions make a change
        days = dict.fromkeys(WEEKDAYS, draw(usual))
    exceptions: list[ExceptionalDays] = []
    begin = draw(DAYS)
    for _ in range(draw(st.integers(0, 3))):
        end = begin + timedelta(days=draw(st.sampled_from([0, 0, 1, 2, 9, 30, 400])))
        exceptions.append(ExceptionalDays(date=f"{begin}..{end}", hours=draw(DAY_TEXTS)))
        begin = end + timedelta(days=draw(st.sampled_from([1, 2, 7, 50])))
    return HoursConfig(**days, exceptions=tuple(reversed(exceptions)))


PROPERTY = settings(max_examples=150, deadline=None, database=None, derandomize=True)


@PROPERTY
@given(hours_of_all_kinds(), st.datetimes(datetime(2026, 10, 1), datetime(2027, 5, 1)), st.data())
def test_nothing_changes_before_the_change_that_is_told_and_then_it_does(
    hours: HoursConfig, now: datetime, data: st.DataObject
) -> None:
    change = next_change(hours, now)
    before = is_open(hours, now)
    end = change or now + timedelta(days=1000)
    assert end > now
    if change:
        assert is_open(hours, change) is not before
        assert is_open(hours, change - timedelta(microseconds=1)) is before
    last = end - timedelta(microseconds=1)
    evenly = [number / 500 for number in range(500)]
    by_chance = data.draw(st.lists(st.floats(0, 1), max_size=20))
    times = [min(now + fraction * (end - now), last) for fraction in (*evenly, *by_chance)]
    assert {is_open(hours, time_) for time_ in times} == {before}


@PROPERTY
@given(hours_of_all_kinds(), st.datetimes(datetime(2026, 10, 1), datetime(2027, 5, 1)))
def test_open_means_within_a_span_that_began_on_this_day_or_the_one_before(
    hours: HoursConfig, now: datetime
) -> None:
    """The same, told in whole times rather than in minutes of a day."""

    def of(day: date) -> str:
        for it in hours.exceptions:
            first, last = (date.fromisoformat(part) for part in it.date.split(".."))
            if first <= day <= last:
                return it.hours
        text: str = getattr(hours, f"{day:%A}".lower())
        return text

    def covers(day: date) -> bool:
        midnight = datetime(day.year, day.month, day.day)
        return any(
            midnight + timedelta(minutes=begin) <= now < midnight + timedelta(minutes=end)
            for begin, end in spans(of(day))
        )

    assert is_open(hours, now) is (covers(now.date()) or covers(now.date() - timedelta(days=1)))


@PROPERTY
@given(st.one_of(st.text(max_size=20), st.text(alphabet="0123456789:-, .hamp", max_size=14), DAY_TEXTS))
@example("10:00-18:00," * 3000)
@example("9" * 5000)
@example("\u00b2:00-3:00")
@example("\u0130")
def test_every_text_is_good_or_refused_in_words(text: str) -> None:
    try:
        found = HoursConfig.__dataclass_fields__["monday"].metadata["convert"](text)
    except ValueError as error:
        assert str(error).startswith("must ")
        return
    assert spans(found) == spans(text)
    for begin, end in spans(found):
        assert 0 <= begin < end <= begin + 1440
        assert begin < 1440


@PROPERTY
@given(st.one_of(st.text(max_size=24), st.text(alphabet="0123456789-. ", max_size=24), DAYS.map(str)))
@example("2026-12-24..2026-12-24..2026-12-24")
@example("\u0662026-12-24")
def test_every_date_is_good_or_refused_in_words(text: str) -> None:
    try:
        first, last = dates(text)
    except ValueError as error:
        assert str(error).startswith("must ")
        return
    assert date(2000, 1, 1) <= first <= last <= date(2999, 12, 31)


@pytest.mark.parametrize(
    ("restart", "started", "at", "over"),
    [
        ("never", "2026-03-02 09:00", "2026-04-02 09:00", False),
        ("05:00", "2026-03-02 09:00", "2026-03-03 04:59", False),
        ("05:00", "2026-03-02 09:00", "2026-03-03 05:00", True),
        ("05:00", "2026-03-02 05:00", "2026-03-02 05:00", False),
        ("05:00", "2026-03-02 04:59", "2026-03-02 05:00", True),
        ("05:00", "2026-03-02 09:00", "2025-03-02 09:00", False),
    ],
)
def test_a_restart_comes_once_a_day(restart: str, started: str, at: str, over: bool) -> None:
    hours = HoursConfig(restart=restart)
    assert is_over(hours, datetime.fromisoformat(started), datetime.fromisoformat(at)) is over


def test_a_restart_is_a_time_or_never(tmp_path: Path) -> None:
    path = tmp_path / "k.yaml"
    path.write_text("hours: {restart: 5:30, monday: always}\n")
    assert config.load(path).hours.restart == "05:30"
    path.write_text("hours: {restart: 25:00}\n")
    with pytest.raises(ConfigError, match=r"restart: must be a time such as 05:00, or never, not .25:00."):
        config.load(path)
