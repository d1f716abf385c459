"""Days and times that a caller passes, as dates or as ISO texts."""

from __future__ import annotations

from datetime import date, datetime
from typing import TypeVar

D = TypeVar("D", date, str)

#: A date, or its ISO text.
Day = date | str


def parse_day(text: str) -> date:
    """Reads a date such as 2026-11-20."""
    try:
        return date.fromisoformat(text)
    except ValueError:
        raise ValueError(f"{text!r} is not a date, such as 2026-11-20") from None


def parse_moment(text: str) -> date:
    """Reads a date, or a time with its zone such as 2026-11-20T15:00:00Z."""
    try:
        if "T" not in text:
            return date.fromisoformat(text)
        # Python 3.10 does not know the Z.
        moment = datetime.fromisoformat(text.replace("Z", "+00:00"))
    except ValueError:
        moment = None
    if moment is None or moment.tzinfo is None:
        raise ValueError(
            f"{text!r} is neither a date, such as 2026-11-20, nor a time with its zone, such as 2026-11-20T15:00:00Z"
        )
    return moment


def day_of(name: str, value: object) -> date | None:
    """The date of an argument."""
    if isinstance(value, str):
        try:
            return parse_day(value)
        except ValueError as error:
            raise ValueError(f"{name} {error}") from None
    if isinstance(value, datetime):
        raise TypeError(f"{name} is a datetime; pass a date, such as {value.date()!r}")
    return _date(name, value)


def moment_of(name: str, value: object) -> date | None:
    """The date, or the aware time, of an argument."""
    if isinstance(value, str):
        try:
            return parse_moment(value)
        except ValueError as error:
            raise ValueError(f"{name} {error}") from None
    if isinstance(value, datetime) and value.tzinfo is None:
        raise ValueError(f"{name} has no time zone; pass a date, or an aware datetime")
    return _date(name, value)


def _date(name: str, value: object) -> date | None:
    if value is None or isinstance(value, date):
        return value
    raise TypeError(f"{name} is {value!r:.80}; pass a date, or its ISO text, such as '2026-11-20'")


def check_order(first_name: str, first: D | None, last_name: str, last: D | None) -> None:
    """Raises an error if the first day is after the last one. Periods of one dataset are texts in their order."""
    if first is not None and last is not None and first > last:
        raise ValueError(f"{first_name} is {first}, which is after {last_name} {last}; swap them")
