"""Data frames of series of datasets, for Polars."""

from __future__ import annotations

from decimal import Context, Decimal
from typing import TYPE_CHECKING

import polars as pl

from wattfeed._releases import start_of
from wattfeed._table_columns import facet_column, facets_of, origin_of
from wattfeed.periods import HOURLY

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import date, datetime

    from wattfeed.series import SeriesHistory, SeriesRow, SeriesTable, TableRow

_MAX_DIGITS = 38


def history_frame(history: SeriesHistory, chain: str, *, exact: bool) -> pl.DataFrame:
    """The values of a series, in their order."""
    in_utc = history.frequency in HOURLY
    frame = pl.DataFrame(
        [
            pl.Series("period", [row.period for row in history], pl.String),
            days_or_times("period_start", [row.period_start for row in history], in_utc=in_utc),
            days_or_times("period_end", [row.period_end for row in history], in_utc=in_utc),
            *_values(history.rows, exact=exact),
        ]
    )
    return frame.with_columns(**_origin(history, chain))


def table_frame(table: SeriesTable, chain: str, *, exact: bool) -> pl.DataFrame:
    """The rows of a table, in its order."""
    facets = facets_of(table)
    frame = pl.DataFrame(
        [
            pl.Series("column", [row.column for row in table], pl.String),
            *(pl.Series(facet_column(each), [row.facets.get(each) for row in table], pl.String) for each in facets),
            pl.Series("period", [row.period for row in table], pl.String),
            *_values(table.rows, exact=exact),
        ]
    )
    return frame.with_columns(**_origin(table, chain))


def _values(rows: Sequence[SeriesRow | TableRow], *, exact: bool) -> list[pl.Series]:
    return [
        pl.Series("value", [row.value for row in rows], pl.String),
        pl.Series("unit", [row.unit for row in rows], pl.String),
        _exact_numbers(rows) if exact else pl.Series("number", [row.number for row in rows], pl.Float64),
        pl.Series("leaf_index", [row.leaf_index for row in rows], pl.Int64),
    ]


def _exact_numbers(rows: Sequence[SeriesRow | TableRow]) -> pl.Series:
    amounts = [row.amount for row in rows]
    exponents = [int(amount.as_tuple().exponent) for amount in amounts if amount is not None]
    return exact_numbers("number", amounts, max(0, -min(exponents, default=0)))


def exact_numbers(name: str, amounts: Sequence[Decimal | None], decimals: int) -> pl.Series:
    """Exact numbers with so many decimals."""
    for amount in amounts:
        if amount is None:
            continue
        if decimals > _MAX_DIGITS or (amount and amount.adjusted() + 1 + decimals > _MAX_DIGITS):
            raise ValueError(
                f"a value is {amount:g} with {decimals} decimals: a Decimal of Polars has {_MAX_DIGITS} digits;"
                " use exact=False"
            )
    # Older versions of Polars take no mixed exponents.
    unit, digits = Decimal((0, (1,), -decimals)), Context(prec=_MAX_DIGITS)
    exact = [None if amount is None else amount.quantize(unit, context=digits) for amount in amounts]
    return pl.Series(name, exact, pl.Decimal(_MAX_DIGITS, decimals))


def _origin(found: SeriesHistory | SeriesTable, chain: str) -> dict[str, pl.Expr]:
    attested_at = found.attested_at.replace(tzinfo=None)
    types = {"index": pl.Int64}
    of_root = {name: pl.lit(value, types.get(name, pl.String)) for name, value in origin_of(found, chain).items()}
    return {**of_root, "attested_at": pl.lit(attested_at, pl.Datetime("ms")).dt.replace_time_zone("UTC")}


def days_or_times(name: str, moments: Sequence[date | datetime | None], *, in_utc: bool) -> pl.Series:
    """Days, or times in UTC."""
    if not in_utc:
        return pl.Series(name, moments, pl.Date)
    naive = [None if moment is None else start_of(moment) for moment in moments]
    return pl.Series(name, naive, pl.Datetime("ms")).dt.replace_time_zone("UTC")
