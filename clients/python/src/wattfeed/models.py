"""What the client returns. Periods are dates, amounts are `Decimal`, and times are aware."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from decimal import Decimal
from math import isinf
from typing import Literal, overload

__all__ = [
    "Attested",
    "Cadence",
    "Dataset",
    "Event",
    "Feed",
    "FeedChanged",
    "History",
    "Info",
    "Position",
    "Reading",
    "Reset",
    "Row",
    "SeriesValue",
    "Snapshot",
    "State",
    "Status",
    "Vintages",
]

_NUMBER = re.compile(r"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]{1,3})?")


def amount_of(value: str | None) -> Decimal | None:
    """The exact number of EIA's text of a value; None if it is no number."""
    return None if value is None or _NUMBER.fullmatch(value) is None else Decimal(value)


def number_of(value: str | None) -> float | None:
    """The float nearest to EIA's text of a value; None if it is no number, or too large for one."""
    amount = amount_of(value)
    number = None if amount is None else float(amount)
    return None if number is None or isinf(number) else number


#: How a feed compares with EIA's release calendar.
State = Literal["current", "due", "late", "stale", "unknown"]

#: Which prints of a period a history has: all, or one for each period.
Vintages = Literal["all", "first", "latest"]


@dataclass(frozen=True)
class Feed:
    """Metadata of a feed.

    Attributes:
        feed_id: Case-sensitive; may contain any character.
        decimals: Number of digits after the decimal point on chain.
        unit: Unit of the values, as text.
        title: Name for people.
        source: Publisher of the statistic.
        route: EIA's route of the values.
        frequency: Such as ``daily``, ``weekly``, ``monthly``, ``quarterly``, ``annual`` or ``hourly``.
        description: Text for people, written by the account that registered the feed.
    """

    feed_id: str
    decimals: int
    unit: str
    title: str
    source: str
    route: str
    frequency: str
    description: str


@dataclass(frozen=True)
class Reading(Feed):
    """Metadata and newest value of a feed.

    Attributes:
        amount: The exact value in `unit`. (The server's ``amount`` is without the decimal point.)
        period: EIA's date of the period: the last day of a week, the end of an hour (an aware time in UTC), otherwise
            the first day. None if it is not a period.
        period_start: First day that the period covers; the start of an hour, in UTC. None if it is not a period.
        period_end: Last day that the period covers, inclusive; the end of an hour, exclusive. None with `period_start`.
        period_code: The period's integer on chain, such as 20261120.
        source_hash: First 32 hex digits of the SHA-256 of the value's source.
        attested_at: Block time of the attestation, in UTC.
        version: The server's ``X-Wattfeed-Version``. Two answers of the same version agree. None in a stream.

    >>> from wattfeed import Client
    >>> reading = Client("http://localhost:4030").reading("EIA.PET.PRICE.WTI.DAILY")
    >>> reading.value == float(reading.amount)
    True
    """

    amount: Decimal
    period: date | datetime | None
    period_start: date | datetime | None
    period_end: date | datetime | None
    period_code: int
    source_hash: str
    attested_at: datetime
    version: str | None

    @property
    def value(self) -> float:
        """The float nearest to `amount`."""
        return float(self.amount)


@dataclass(frozen=True)
class Row:
    """An attested value of a history.

    Attributes:
        index: Index in the order of attestation, from 0.
        period: As in `Reading`.
        period_start: As in `Reading`.
        period_end: As in `Reading`.
        period_code: As in `Reading`.
        amount: As in `Reading`.
        revision: 0 for the first print of the period, plus one for each change: another amount, or another root of a
            dataset.
        source_hash: As in `Reading`.
        attester: The account or contract that attested the value.
        attested_at: Block time of the attestation, in UTC.
    """

    index: int
    period: date | datetime | None
    period_start: date | datetime | None
    period_end: date | datetime | None
    period_code: int
    amount: Decimal
    revision: int
    source_hash: str
    attester: str
    attested_at: datetime

    @property
    def value(self) -> float:
        """The float nearest to `amount`."""
        return float(self.amount)


@dataclass(frozen=True)
class History(Sequence[Row]):
    """The attested values of a feed: a sequence of `Row`.

    Attributes:
        feed_id: The feed.
        decimals: Number of digits after the decimal point on chain.
        unit: Unit of the values.
        frequency: Frequency of the periods.
        total: Number of attestations on chain, whatever the query selected.
        rows: The selected rows.
        version: The server's ``X-Wattfeed-Version`` of these rows.

    >>> from wattfeed import Client
    >>> history = Client("http://localhost:4030").history("EIA.PET.PRICE.WTI.DAILY", limit=3)
    >>> [row.index for row in history]
    [0, 1, 2]
    """

    feed_id: str
    decimals: int
    unit: str
    frequency: str
    total: int
    rows: tuple[Row, ...]
    version: str | None

    @overload
    def __getitem__(self, index: int) -> Row: ...
    @overload
    def __getitem__(self, index: slice) -> tuple[Row, ...]: ...
    def __getitem__(self, index: int | slice) -> Row | tuple[Row, ...]:
        """A row, or some of them."""
        return self.rows[index]

    def __len__(self) -> int:
        """Number of rows."""
        return len(self.rows)

    def __iter__(self) -> Iterator[Row]:
        """Iterates over the rows."""
        return iter(self.rows)


@dataclass(frozen=True)
class Info(Feed):
    """What describes a feed: its metadata, and what its history covers.

    Attributes:
        first: The oldest period, with its newest value.
        last: The newest period, with its newest value.
        total: Number of attested values, revisions included.
        attested_at: Block time of the newest attestation, in UTC.
        license: Address of the publisher's terms. None if they are unknown, and on a development chain, whose values
            are invented.
        version: As in `Reading`.

    >>> from wattfeed import Client
    >>> info = Client("http://localhost:4030").info("EIA.NG.STORAGE.L48_WORKING.WEEKLY")
    >>> info.unit, info.first.period_start < info.last.period_end, info.total > 0
    ('Bcf', True, True)
    """

    first: Row
    last: Row
    total: int
    attested_at: datetime
    license: str | None
    version: str | None


@dataclass(frozen=True)
class Dataset:
    """A dataset of EIA's catalog. Feeds can be made of its series.

    Attributes:
        route: EIA's route.
        name: EIA's title. Two routes may have the same.
        frequencies: Available frequencies.
        columns: Available columns.
        facets: What selects a series; empty if the dataset is one series.
    """

    route: str
    name: str
    frequencies: tuple[str, ...]
    columns: tuple[str, ...]
    facets: tuple[str, ...]


@dataclass(frozen=True)
class AttestedDataset:
    """A dataset of which a root is on the chain, so that each of its series can be read.

    Attributes:
        route: EIA's route.
        frequency: Its frequency.
        name: EIA's title; None if the catalog does not have the dataset.
        columns: The attested columns.
        facets: Every facet: together they select a series.
        periods: How many of the newest periods are attested; None for all.
        size: Number of values.
        newest_period: EIA's text of the newest period of any series; None if the one on the chain is not one of the
            frequency.
        feed_id: The feed whose values are the roots.
        root: The root: the hash of all values.
        attested_at: Block time of the attestation of the root, in UTC.
    """

    route: str
    frequency: str
    name: str | None
    columns: tuple[str, ...]
    facets: tuple[str, ...]
    periods: int | None
    size: int
    newest_period: str | None
    feed_id: str
    root: str
    attested_at: datetime


@dataclass(frozen=True)
class Code:
    """A code of a facet of a dataset.

    Attributes:
        id: EIA's code; None for values whose rows have none.
        name: What EIA calls it; None if the rows do not say.
        values: Number of values that have it.
    """

    id: str | None
    name: str | None
    values: int


@dataclass(frozen=True)
class SeriesValue:
    """A value of a series of a dataset, of which one attested root covers all.

    Attributes:
        route: EIA's route of the dataset.
        frequency: Its frequency.
        column: EIA's id of the column.
        facets: The value of each facet of the dataset; None if the series has none.
        period: EIA's text of the period, such as ``2026-11-20``.
        period_start: As in `Reading`.
        period_end: As in `Reading`.
        value: The text that EIA sent, with every digit. None if EIA withholds the value; some come as a text such as
            ``w``.
        unit: EIA's unit; None if it has none.
        feed_id: The feed whose values are the roots of the dataset.
        root: The root: the hash of all values.
        size: Number of values of the dataset.
        leaf_index: Index of the value among them.
        attested_at: Block time of the attestation of the root, in UTC.
        index: Index of that attestation in the feed's history.
        is_newest_root: Whether that is the newest root. If not, the server does not have the files of the newest one.

    >>> from dataclasses import fields
    >>> [field.name for field in fields(SeriesValue)][:5]
    ['route', 'frequency', 'column', 'facets', 'period']
    """

    route: str
    frequency: str
    column: str
    facets: Mapping[str, str | None]
    period: str
    period_start: date | datetime | None
    period_end: date | datetime | None
    value: str | None
    unit: str | None
    feed_id: str
    root: str
    size: int
    leaf_index: int
    attested_at: datetime
    index: int
    is_newest_root: bool

    @property
    def amount(self) -> Decimal | None:
        """The exact `value`; None if it is withheld, or is a text that is no number."""
        return amount_of(self.value)


@dataclass(frozen=True)
class Cadence:
    """The release rule of a status.

    Attributes:
        rule: Name of the rule.
        valid_from: First day of the rule.
        basis: Source of the rule.
        is_assumed: True if the rule has no source.
    """

    rule: str
    valid_from: date
    basis: str
    is_assumed: bool


@dataclass(frozen=True)
class Status:
    """A feed's newest value, compared with EIA's release calendar. It is advice.

    Attributes:
        feed_id: The feed.
        frequency: Its frequency.
        period: Newest period, as in `Reading`.
        period_start: As in `Reading`.
        period_end: As in `Reading`.
        period_code: Its integer.
        attested_at: When it was attested.
        age: Time since then, by the server's clock.
        state: The result of the comparison.
        cadence: The applied release rule.
        expected_period: EIA's date of the newest period that should have been published by now.
        due_at: When that release was due; None if only the day is known.
        due_on: Day of that release, in UTC.
        next_due_at: When the next release is due; None if only the day is known.
        next_due_on: Day of the next release, in UTC.
        max_age: Maximum age of a value while releases are regular.
        gaps: EIA's dates of the periods without a value among the newest ones; None until the server has read them.
    """

    feed_id: str
    frequency: str
    period: date | datetime | None
    period_start: date | datetime | None
    period_end: date | datetime | None
    period_code: int
    attested_at: datetime
    age: timedelta
    state: State
    cadence: Cadence | None
    expected_period: date | datetime | None
    due_at: datetime | None
    due_on: date | None
    next_due_at: datetime | None
    next_due_on: date | None
    max_age: timedelta | None
    gaps: tuple[date | datetime, ...] | None


@dataclass(frozen=True)
class Attested:
    """Event of a stream: a new value.

    Attributes:
        reading: The value.
        index: Its index in the feed's history.
        log: The registry whose log has the event.
        log_index: Index in that log. Two events with the same log and index are the same event.
        state_root_hash: The state root of the metadata.
        position: The place after this event, to resume a stream there.
    """

    reading: Reading
    index: int
    log: str
    log_index: int
    state_root_hash: str
    position: str


@dataclass(frozen=True)
class FeedChanged:
    """Event of a stream: a new feed, or one with changed metadata. The attributes are those of `Attested`."""

    feed: Feed
    log: str
    log_index: int
    state_root_hash: str
    position: str


@dataclass(frozen=True)
class Snapshot:
    """Event of a stream: a feed's value when the stream starts.

    Attributes:
        feed: The metadata.
        reading: The value; None if the feed has none.
        state_root_hash: The state root of both.
    """

    feed: Feed
    reading: Reading | None
    state_root_hash: str


@dataclass(frozen=True)
class Reset:
    """Event of a stream: it resumes at another position, because the chain is another one. Discard your state.

    Attributes:
        reason: ``log`` or ``registry``.
        position: The new position.
    """

    reason: str
    position: str


@dataclass(frozen=True)
class Position:
    """Event of a stream: the position has advanced without an event for you."""

    position: str


#: An event of a stream.
Event = Attested | FeedChanged | Snapshot | Reset | Position
