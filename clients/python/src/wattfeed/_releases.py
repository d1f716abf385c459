"""The vintages of a history and the selection of feeds that fredapi's functions need, for both kinds of data frame."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import date, datetime, time, timezone
from decimal import Decimal
from itertools import zip_longest
from typing import NamedTuple

from wattfeed.models import History, Reading

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


def start_of(period: date | datetime) -> datetime:
    """Returns the start of a period in UTC, without a zone."""
    if isinstance(period, datetime):
        return period.astimezone(timezone.utc).replace(tzinfo=None)
    return datetime.combine(period, time.min)


def releases_of(history: History) -> list[Release]:
    """Returns the releases in the order of periods, those of a period in the order of attestation.

    An attestation that repeats the value of its period is not a release. Integers that are not a period are left out.
    """
    periods: dict[datetime, list[Release]] = {}
    for row in history:
        if row.period is None:
            continue
        start = start_of(row.period)
        releases = periods.setdefault(start, [])
        if not releases or releases[-1].amount != row.amount:
            releases.append(Release(start, start_of(row.attested_at.date()), row.amount))
    return [release for start in sorted(periods) for release in periods[start]]


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


def frequency_name(reading: Reading) -> str:
    """Returns the frequency as FRED writes it."""
    return reading.frequency.capitalize()


def short_frequency(reading: Reading) -> str:
    """Returns the letter of a frequency."""
    return _SHORT_FREQUENCIES.get(reading.frequency) or reading.frequency[:1].upper()


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
        "observation_end": start_of(reading.period or date.min),
    }
    return (keys[order_by],) if order_by in keys else ()
