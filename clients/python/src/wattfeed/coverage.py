"""What a period covers. The rules are those of the server, whose tests have the same vectors."""

from __future__ import annotations

from calendar import monthrange
from datetime import date, datetime, timedelta
from typing import Literal, NamedTuple

from wattfeed.periods import period_date

__all__ = ["Coverage", "Covers", "coverage_of", "describe_period"]

#: What EIA's date stands for: the hour, week or four weeks that end there, the day, or the month, quarter or year.
Covers = Literal["hour", "day", "week", "four weeks", "month", "quarter", "year"]


class Coverage(NamedTuple):
    """What a period covers.

    Attributes:
        covers: What its date stands for.
        start: First day; the start of an hour as an aware time in UTC.
        end: Last day, inclusive; the end of an hour, exclusive.
    """

    covers: Covers
    start: date | datetime
    end: date | datetime


class _Rule(NamedTuple):
    covers: Covers
    frequencies: tuple[str, ...]
    #: None is every route.
    routes: tuple[str, ...] | None = None
    #: From 0 for Monday. None is every day.
    weekday: int | None = None


_HOURS = ("hourly", "local-hourly")
_WEEKS = (
    "petroleum/cons/wpsup",
    "petroleum/move/wimpc",
    "petroleum/move/wkly",
    "petroleum/pnp/wiup",
    "petroleum/pnp/wprodb",
    "petroleum/pnp/wprode",
    "petroleum/pnp/wprodr",
    "petroleum/pnp/wprodrb",
    "petroleum/stoc/wstk",
    "petroleum/sum/sndw",
    "natural-gas/stor/wkly",
    "natural-gas/pri/fut",
    "petroleum/pri/fut",
    "petroleum/pri/spt",
)

#: The first rule that matches applies. `packages/eia/src/coverage.ts` has the sources.
_RULES = (
    _Rule("hour", _HOURS),
    _Rule("week", ("weekly",), _WEEKS),
    _Rule("day", ("weekly",), ("petroleum/pri/gnd", "petroleum/pri/wfr")),
    # The server assumes the meaning of other datasets, too: a Monday is the day of a survey.
    _Rule("day", ("weekly",), weekday=0),
    _Rule("week", ("weekly",)),
    _Rule("four weeks", ("four-week-average",)),
    _Rule("day", ("daily",)),
    _Rule("month", ("monthly",)),
    _Rule("quarter", ("quarterly",)),
    _Rule("year", ("annual",)),
)

#: Time from the start of what a date stands for to the date.
_LEADS: dict[Covers, timedelta] = {
    "hour": timedelta(hours=1),
    "day": timedelta(0),
    "week": timedelta(days=6),
    "four weeks": timedelta(days=27),
}

_MONTHS: dict[Covers, int] = {"month": 1, "quarter": 3, "year": 12}


def coverage_of(route: str, frequency: str, code: int) -> Coverage | None:
    """Returns what a period covers, as EIA defines it. The integer of an hour or a week names its end.

    The result is None if the integer is not a period of the frequency, or if Python has no such date.

    >>> coverage_of("natural-gas/stor/wkly", "weekly", 20261120)
    Coverage(covers='week', start=datetime.date(2026, 11, 14), end=datetime.date(2026, 11, 20))
    >>> coverage_of("petroleum/pri/gnd", "weekly", 20261123).covers
    'day'
    >>> coverage_of("electricity/rto/region-data", "hourly", 1679295600).start.isoformat()
    '2023-03-20T06:00:00+00:00'
    """
    day = period_date(frequency, code)
    rule = None if day is None else _find_rule(route, frequency, day)
    if day is None or rule is None:
        return None
    months = _MONTHS.get(rule.covers)
    if months is not None:
        return Coverage(rule.covers, day, _last_day(day, months))
    try:
        return Coverage(rule.covers, day - _LEADS[rule.covers], day)
    except OverflowError:
        return None


def _find_rule(route: str, frequency: str, day: date) -> _Rule | None:
    return next(
        (
            rule
            for rule in _RULES
            if frequency in rule.frequencies
            and (rule.routes is None or route in rule.routes)
            and rule.weekday in {None, day.weekday()}
        ),
        None,
    )


def _last_day(first: date, months: int) -> date:
    month = first.month + months - 1
    return first.replace(month=month, day=monthrange(first.year, month)[1])


# The names of the standard library depend on the locale.
_MONTH_NAMES = (
    *("January", "February", "March", "April", "May", "June"),
    *("July", "August", "September", "October", "November", "December"),
)
_WEEKDAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")


def describe_period(frequency: str, start: date | datetime, end: date | datetime) -> str:
    """Describes in words what a period covers.

    >>> from datetime import date, datetime, timezone
    >>> describe_period("weekly", date(2026, 11, 14), date(2026, 11, 20))
    'week ending 20 Nov 2026'
    >>> describe_period("weekly", date(2026, 11, 23), date(2026, 11, 23))
    'on Monday 23 Nov 2026'
    >>> hour = [datetime(2026, 11, 26, hour, tzinfo=timezone.utc) for hour in (21, 22)]
    >>> describe_period("hourly", *hour)
    'hour ending 26 Nov 2026, 22:00 UTC'
    """
    if isinstance(end, datetime):
        return f"hour ending {_day_text(end)}, {end:%H:%M} UTC"
    words = {
        "weekly": f"week ending {_day_text(end)}",
        "four-week-average": f"4 weeks ending {_day_text(end)}",
        "monthly": f"{_MONTH_NAMES[start.month - 1]} {start.year}",
        "quarterly": f"Q{(start.month + 2) // 3} {start.year:04}",
        "annual": f"{start.year:04}",
    }
    if frequency == "weekly" and start == end:
        return f"on {_WEEKDAYS[start.weekday()]} {_day_text(start)}"
    return words.get(frequency, _day_text(start))


def _day_text(day: date) -> str:
    return f"{day.day} {_MONTH_NAMES[day.month - 1][:3]} {day.year}"
