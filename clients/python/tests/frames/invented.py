"""Invented histories, and a client that reads them like a server. No value here is one of EIA."""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from datetime import date, datetime, time, timedelta, timezone
from decimal import Decimal
from typing import Any, TypedDict

from hypothesis import strategies as st

from wattfeed import Client, Feed, History, Info, NotFoundError, Reading, Row
from wattfeed._operations import check_ids

FEED = "INVENTED.STORAGE.WEEKLY"
CHAIN = "invented-chain"
VERSION = "f1.a7"
UTC = timezone.utc
FIRST_BLOCK = datetime(2026, 3, 1, 22, 30, tzinfo=UTC)
FRIDAY = date(2026, 1, 2)


@dataclass(frozen=True)
class Attestation:
    """An invented value: its period counts from 0, and `pause` is the time since the attestation before."""

    period: int
    amount: Decimal
    pause: timedelta = timedelta(days=1)


def dates(frequency: str, number: int) -> date | datetime:
    """EIA's date of a period."""
    if frequency in {"weekly", "four-week-average"}:
        return FRIDAY + timedelta(weeks=number)
    if frequency == "hourly":
        return datetime(2026, 1, 2, 5, tzinfo=UTC) + timedelta(hours=number)
    if frequency == "annual":
        return date(2000 + number, 1, 1)
    if frequency in {"monthly", "quarterly"}:
        months = number * (1 if frequency == "monthly" else 3)
        return date(2020 + months // 12, months % 12 + 1, 1)
    return FRIDAY + timedelta(days=number)


def covered(frequency: str, day: date | datetime, following: date | datetime) -> Covered:
    """What a period covers, by its date and that of the following one."""
    leads = {"weekly": timedelta(days=6), "four-week-average": timedelta(days=27), "hourly": timedelta(hours=1)}
    if frequency in leads:
        return {"period_start": day - leads[frequency], "period_end": day}
    return {"period_start": day, "period_end": following - timedelta(days=1)}


class Covered(TypedDict):
    """What a period covers."""

    period_start: date | datetime
    period_end: date | datetime


def rows_of(attestations: list[Attestation], frequency: str = "weekly") -> list[Row]:
    """The rows of a history, as a server counts their revisions."""
    rows: list[Row] = []
    newest: dict[int, Row] = {}
    moment = FIRST_BLOCK
    for index, attestation in enumerate(attestations):
        moment += attestation.pause
        before = newest.get(attestation.period)
        is_change = before is not None and before.amount != attestation.amount
        day, following = (dates(frequency, attestation.period + step) for step in (0, 1))
        row = Row(
            index=index,
            period=day,
            **covered(frequency, day, following),
            period_code=attestation.period,
            amount=attestation.amount,
            revision=0 if before is None else before.revision + is_change,
            source_hash="",
            attester="account-hash-invented",
            attested_at=moment,
        )
        newest[attestation.period] = row
        rows.append(row)
    return rows


class InventedClient(Client):
    """Answers from invented rows, by the rules of the server's documentation."""

    def __init__(self, rows: list[Row], frequency: str = "weekly", decimals: int = 2) -> None:
        super().__init__("http://invented.invalid")
        #: Further feeds of the server, by id.
        self.others: dict[str, InventedClient] = {}
        self.rows = rows
        self._frequency = frequency
        self._decimals = decimals

    def chain_name(self) -> str:
        return CHAIN

    def readings(self, ids: Any = None) -> Any:
        newest = max(self.rows, key=lambda row: row.period_code)
        values = [row for row in self.rows if row.period_code == newest.period_code]
        reading = Reading(
            feed_id=FEED,
            decimals=self._decimals,
            unit="Bcf",
            title="Invented gas in storage",
            source="nobody",
            route="invented/route",
            frequency=self._frequency,
            description="An invented description.",
            amount=values[-1].amount,
            period=newest.period,
            period_start=newest.period_start,
            period_end=newest.period_end,
            period_code=newest.period_code,
            source_hash="",
            attested_at=values[-1].attested_at,
            version=VERSION,
        )
        unknown = NotFoundError("feed not found on-chain: NOPE", 404, "feed_not_found")
        return [reading if each == FEED else unknown for each in ids or [FEED]]

    def info(self, feed_id: str) -> Info:
        reading: Reading = self.readings([feed_id])[0]
        rows = sorted(self.rows, key=lambda row: (row.period_code, row.index))
        return Info(
            **{field.name: getattr(reading, field.name) for field in fields(Feed)},
            first=rows[0],
            last=rows[-1],
            total=len(rows),
            attested_at=reading.attested_at,
            license=None,
            version=VERSION,
        )

    def search(self, text: str) -> list[Reading]:
        reading: Reading = self.readings()[0]
        other = replace(reading, feed_id="INVENTED.OTHER", title="Another", unit="$", frequency="annual")
        return [each for each in (reading, other) if text.casefold() in f"{each.feed_id} {each.title}".casefold()]

    def history(self, feed_id: Any, **query: Any) -> Any:
        if not isinstance(feed_id, str):
            return [self._history(each, query) for each in check_ids(feed_id)]
        return self._history(feed_id, query)

    def _history(self, feed_id: str, query: dict[str, Any]) -> History:
        if feed_id in self.others:
            return replace(self.others[feed_id]._history(FEED, query), feed_id=feed_id)
        if feed_id != FEED:
            raise NotFoundError(f"feed not found on-chain: {feed_id}", 404, "feed_not_found")
        rows = [row for row in self.rows if _is_selected(row, query)]
        if query.get("vintages") in {"first", "latest"} or query.get("as_of"):
            kept = reversed(rows) if query.get("vintages") == "first" else rows
            rows = [row for _, row in sorted({row.period_code: row for row in kept}.items())]
        return History(
            feed_id=FEED,
            decimals=self._decimals,
            unit="Bcf",
            frequency=self._frequency,
            total=len(self.rows),
            rows=tuple(rows),
            version=VERSION,
        )


def _is_selected(row: Row, query: dict[str, Any]) -> bool:
    if row.period_start is None:
        return True
    day = row.period_start.date() if isinstance(row.period_start, datetime) else row.period_start
    start, end, as_of = query.get("period_from"), query.get("period_to"), query.get("as_of")
    if as_of is not None and not isinstance(as_of, datetime):
        as_of = datetime.combine(as_of, time.max, UTC)
    return (
        (start is None or day >= start) and (end is None or day <= end) and (as_of is None or row.attested_at <= as_of)
    )


FREQUENCIES = ("weekly", "daily", "monthly", "quarterly", "annual")

#: Few periods and values, so that many attestations are revisions or repeats, some of them on the same day.
ATTESTATIONS = st.lists(
    st.builds(
        Attestation,
        period=st.integers(0, 4),
        amount=st.sampled_from([Decimal("0.00"), Decimal("1.10"), Decimal("2.25"), Decimal("12345678.90")]),
        pause=st.sampled_from([timedelta(hours=1), timedelta(hours=9), timedelta(days=1), timedelta(days=40)]),
    ),
    min_size=1,
    max_size=12,
)
