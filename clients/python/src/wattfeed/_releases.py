"""The vintages of a history and the selection of feeds that fredapi's functions need, for both kinds of data frame."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import date, datetime, time, timedelta, timezone
from decimal import Decimal
from itertools import zip_longest
from typing import NamedTuple

from wattfeed.models import Feed, History, Reading, Row

#: FRED's names of an order. The last ones have no meaning here, and keep the server's order.
ORDERS = (
    "series_id",
    "title",
    "units",
    "frequency",
    "last_updated",
    "observation_end",
    "search_rank",
    "seasonal_adjustment",
    "realtime_start",
    "realtime_end",
    "observation_start",
    "popularity",
)

_SHORT_FREQUENCIES = {"four-week-average": "W", "local-hourly": "H"}


class Release(NamedTuple):
    """A value of a period. Times are in UTC without a zone, because fredapi's have none."""

    date: datetime
    realtime_start: datetime
    amount: Decimal


def start_of(day: date | datetime) -> datetime:
    """Returns a time, or the start of a day, in UTC without a zone."""
    if isinstance(day, datetime):
        return day.astimezone(timezone.utc).replace(tzinfo=None)
    return datetime.combine(day, time.min)


def date_of(value: Reading | Row) -> datetime | None:
    """Returns FRED's date of a period, which is EIA's: of a week its last day. FRED has no hours: their start."""
    day = value.period_start if isinstance(value.period, datetime) else value.period
    return None if day is None else start_of(day)


#: No period starts earlier before its date.
_LONGEST_LEAD = timedelta(days=27)


def first_start(day: date | None) -> date | None:
    """Returns a day on or before which the periods start whose dates are not before a day."""
    return None if day is None else max(day, date.min + _LONGEST_LEAD) - _LONGEST_LEAD


def dated_between(releases: Iterable[Release], first: date | None, last: date | None) -> list[Release]:
    """Returns the releases whose dates are from one day to another. None has no limit."""
    return [each for each in releases if (first or date.min) <= each.date.date() <= (last or date.max)]


def releases_of(history: History) -> list[Release]:
    """Returns the releases in the order of periods, those of a period in the order of attestation.

    An attestation that repeats the value of its period is not a release. Integers that are not a period are left out.
    """
    periods: dict[datetime, list[Release]] = {}
    for row in history:
        day = date_of(row)
        if day is None:
            continue
        releases = periods.setdefault(day, [])
        if not releases or releases[-1].amount != row.amount:
            releases.append(Release(day, start_of(row.attested_at.date()), row.amount))
    return [release for day in sorted(periods) for release in periods[day]]


def in_effect(releases: Sequence[Release], first: date | None, last: date | None) -> list[Release]:
    """Returns the releases that were in effect from one day to another. None has no limit.

    As with FRED, those that were in effect before have `first` as their day.
    """
    start = start_of(first or date.min)
    end = start_of(last or date.max)
    found: list[Release] = []
    for release, following in zip_longest(releases, releases[1:]):
        if release.realtime_start > end:
            continue
        is_replaced = following is not None and following.date == release.date and following.realtime_start <= start
        if release.realtime_start >= start:
            found.append(release)
        elif not is_replaced:
            found.append(release._replace(realtime_start=start))
    return found


def vintage_dates(releases: Iterable[Release]) -> list[datetime]:
    """Returns the days that have releases, oldest first."""
    return sorted({release.realtime_start for release in releases})


def frequency_name(feed: Feed) -> str:
    """Returns the frequency as FRED writes it."""
    return feed.frequency.capitalize()


def short_frequency(feed: Feed) -> str:
    """Returns the letter of a frequency."""
    return _SHORT_FREQUENCIES.get(feed.frequency) or feed.frequency[:1].upper()


def select_series(
    readings: Sequence[Reading],
    limit: int,
    order_by: str | None,
    sort_order: str | None,
    chosen: Sequence[str] | None,
) -> list[Reading]:
    """Filters and sorts the found feeds. A limit of 0 is none."""
    if order_by is not None and order_by not in ORDERS:
        raise ValueError(f"order_by is {order_by!r}: it must be one of {', '.join(ORDERS)}")
    if sort_order not in {None, "asc", "desc"}:
        raise ValueError(f"sort_order is {sort_order!r}: it must be 'asc' or 'desc'")
    found = [reading for reading in readings if chosen is None or _matches(reading, chosen)]
    if order_by is not None:
        found.sort(key=lambda reading: _sort_key(reading, order_by))
    if sort_order == "desc":
        found.reverse()
    return found[: limit or None]


def _matches(reading: Reading, chosen: Sequence[str]) -> bool:
    if len(chosen) != 2 or chosen[0] not in {"frequency", "units"}:
        raise ValueError(f"filter is {chosen!r}: it must be ('frequency', name) or ('units', name)")
    variable, value = chosen
    return value == (frequency_name(reading) if variable == "frequency" else reading.unit)


def _sort_key(reading: Reading, order_by: str) -> tuple[str | datetime, ...]:
    keys: dict[str, str | datetime] = {
        "series_id": reading.feed_id,
        "title": reading.title,
        "units": reading.unit,
        "frequency": reading.frequency,
        "last_updated": reading.attested_at,
        "observation_end": date_of(reading) or start_of(date.min),
    }
    return (keys[order_by],) if order_by in keys else ()
