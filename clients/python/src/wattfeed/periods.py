"""Periods: the integers on chain as EIA's dates."""

from __future__ import annotations

from datetime import date, datetime, timedelta, timezone

__all__ = ["format_period", "period_date"]

_EPOCH = datetime(1970, 1, 1, tzinfo=timezone.utc)
_DATED = frozenset({"daily", "weekly", "four-week-average"})
#: The frequencies whose periods are times.
HOURLY = frozenset({"hourly", "local-hourly"})
_HOUR_S = 3600


def period_date(frequency: str, code: int) -> date | datetime | None:
    """Converts a period's integer to EIA's date of it; to an aware time in UTC for an hourly period.

    EIA dates an hour by its end and most weeks by their last day. `coverage_of` returns what the period covers. The
    result is None if the integer is not a period of the frequency, or if Python has no such date.

    >>> period_date("daily", 20261120)
    datetime.date(2026, 11, 20)
    >>> period_date("quarterly", 202307)
    datetime.date(2023, 7, 1)
    >>> period_date("hourly", 1679295600).isoformat()
    '2023-03-20T07:00:00+00:00'
    >>> period_date("monthly", 202613) is None
    True
    """
    try:
        return _date(frequency, code)
    except (ValueError, OverflowError):
        return None


def _date(frequency: str, code: int) -> date | datetime | None:
    if frequency in _DATED:
        month, day = divmod(code % 10_000, 100)
        return date(code // 10_000, month, day)
    if frequency in HOURLY:
        return _EPOCH + timedelta(seconds=code) if code >= 0 and code % _HOUR_S == 0 else None
    if frequency == "annual":
        return date(code, 1, 1)
    if frequency == "monthly" or (frequency == "quarterly" and code % 100 in {1, 4, 7, 10}):
        return date(code // 100, code % 100, 1)
    return None


def format_period(frequency: str, period: date | datetime) -> str:
    """Formats a period as EIA does.

    >>> from datetime import date
    >>> format_period("quarterly", date(2023, 7, 1))
    '2023-Q3'
    >>> format_period("daily", date(2026, 11, 20))
    '2026-11-20'
    """
    if isinstance(period, datetime):
        return f"{period.astimezone(timezone.utc):%Y-%m-%dT%H}Z"
    text = period.isoformat()
    if frequency == "annual":
        return text[:4]
    if frequency == "quarterly":
        return f"{text[:4]}-Q{(period.month + 2) // 3}"
    return text[:7] if frequency == "monthly" else text
