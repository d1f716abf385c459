"""What the client returns of datasets: the history of a series, tables, and what each root says of a value."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Generic, Literal, TypeVar, overload

from wattfeed.models import amount_of, number_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from datetime import date, datetime
    from decimal import Decimal

__all__ = ["SeriesHistory", "SeriesRevision", "SeriesRow", "SeriesTable", "Statement", "TableRow"]

T = TypeVar("T")

#: What a root says of a value: it has it; it has none for the period, or none of the series; it was made without the
#: column or with other facets; or the server does not have its files.
Statement = Literal["value", "no_period", "no_series", "not_covered", "gone"]


class _Value:
    """A value as EIA sent it."""

    value: str | None

    @property
    def amount(self) -> Decimal | None:
        """The exact `value`; None if it is withheld, or is a text that is no number."""
        return amount_of(self.value)

    @property
    def number(self) -> float | None:
        """The float nearest to `value`; None if it is withheld, or is a text that is no number."""
        return number_of(self.value)


class _Rows(Generic[T]):
    """Has its rows as a sequence has elements. It is none, because its `index` is that of an attestation."""

    rows: tuple[T, ...]

    @overload
    def __getitem__(self, index: int) -> T: ...
    @overload
    def __getitem__(self, index: slice) -> tuple[T, ...]: ...
    def __getitem__(self, index: int | slice) -> T | tuple[T, ...]:
        """A row, or some of them."""
        return self.rows[index]

    def __iter__(self) -> Iterator[T]:
        """Each row."""
        return iter(self.rows)

    def __len__(self) -> int:
        """Number of rows."""
        return len(self.rows)


@dataclass(frozen=True)
class SeriesRow(_Value):
    """A value of the history of a series.

    Attributes:
        period: EIA's text of the period.
        period_start: As in `Reading`.
        period_end: As in `Reading`.
        value: As in `SeriesValue`.
        unit: As in `SeriesValue`.
        leaf_index: Index of the value among those of the dataset.

    >>> row = SeriesRow("2026-08", None, None, "24.110", "cents per kilowatt-hour", 417)
    >>> row.value, row.amount, row.number
    ('24.110', Decimal('24.110'), 24.11)
    """

    period: str
    period_start: date | datetime | None
    period_end: date | datetime | None
    value: str | None
    unit: str | None
    leaf_index: int


@dataclass(frozen=True)
class SeriesHistory(_Rows[SeriesRow]):
    """The values of a series by one root. Iterate over it, or take rows of it, as of a list.

    Attributes:
        route: EIA's route of the dataset.
        frequency: Its frequency.
        column: EIA's id of the column.
        facets: The value of each facet of the dataset; None if the series has none.
        period_from: The first period that was asked for, as EIA's text; None for all.
        period_to: The last period that was asked for.
        order: ``asc`` or ``desc``.
        limit: The maximum number of values that was asked for; None for all.
        feed_id: The feed whose values are the roots of the dataset.
        root: The root: the hash of all values.
        size: Number of values of the dataset.
        attested_at: Block time of the attestation of the root, in UTC.
        index: Index of that attestation in the feed's history.
        is_newest_root: Whether that is the newest root.
        covers_from: EIA's text of the first period of any value of the root, as its files state it, which nothing
            proves; None if they do not.
        proof: Path of the proof of all these values, at the same server. See `Client.prove_series_history`.
        rows: The values.
    """

    route: str
    frequency: str
    column: str
    facets: Mapping[str, str | None]
    period_from: str | None
    period_to: str | None
    order: Literal["asc", "desc"]
    limit: int | None
    feed_id: str
    root: str
    size: int
    attested_at: datetime
    index: int
    is_newest_root: bool
    covers_from: str | None
    proof: str
    rows: tuple[SeriesRow, ...]


@dataclass(frozen=True)
class TableRow(_Value):
    """A row of a table.

    Attributes:
        column: EIA's id of the column.
        facets: The value of each facet of the dataset; None if the row has none.
        period: EIA's text of the period.
        value: As in `SeriesValue`.
        unit: As in `SeriesValue`.
        leaf_index: Index of the value among those of the dataset.
    """

    column: str
    facets: Mapping[str, str | None]
    period: str
    value: str | None
    unit: str | None
    leaf_index: int


@dataclass(frozen=True)
class SeriesTable(_Rows[TableRow]):
    """Rows of many series of a dataset by one root. Iterate over it, or take rows of it, as of a list.

    Attributes:
        route: As in `SeriesHistory`, and so are `frequency`, `feed_id`, `root`, `size`, `attested_at`, `index` and
            `is_newest_root`.
        total: Number of rows of the whole table. With a limit, it may have more than `rows`.
        is_complete: True if the server has checked that the root has no other rows of the table. None if nothing shows
            that.
        rows: The rows, each of which the server has checked against the root.
    """

    route: str
    frequency: str
    feed_id: str
    root: str
    size: int
    attested_at: datetime
    index: int
    is_newest_root: bool
    total: int
    is_complete: Literal[True] | None
    rows: tuple[TableRow, ...]


@dataclass(frozen=True)
class SeriesRevision(_Value):
    """What a root says of a value.

    Attributes:
        index: Index of the attestation of the root in the feed's history.
        root: The root.
        size: Number of values of the dataset.
        attested_at: Block time of the attestation, in UTC.
        statement: What it says: ``value`` if it has the value.
        value: As in `SeriesValue`; None also without a value.
        unit: As in `SeriesValue`; None also without a value.
        leaf_index: Index of the value among those of the dataset; None without a value.
        covers_from: As in `SeriesHistory`.
        proof: Path of the proof of this statement; None for ``not_covered`` and ``gone``.
    """

    index: int
    root: str
    size: int
    attested_at: datetime
    statement: Statement
    value: str | None
    unit: str | None
    leaf_index: int | None
    covers_from: str | None
    proof: str | None
