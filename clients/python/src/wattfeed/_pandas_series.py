"""Data frames of series of datasets, for pandas."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from wattfeed._files import iso_time
from wattfeed._forms import form_of
from wattfeed._pandas_index import days_or_times, period_index
from wattfeed._table_columns import common_unit, facet_column, facets_of, origin_of
from wattfeed.periods import HOURLY

if TYPE_CHECKING:
    from collections.abc import Iterable

    from wattfeed.series import SeriesHistory, SeriesRow, SeriesTable, TableRow

#: In pandas 2, ``str`` turns None into the text "None".
TEXT_TYPE: Any = object if pd.__version__.startswith("2.") else str


def history_frame(history: SeriesHistory, chain: str, *, exact: bool) -> pd.DataFrame:
    """The values of a series, by period."""
    in_utc = history.frequency in HOURLY
    frame = pd.DataFrame(
        {
            "number": _numbers(history, exact=exact),
            "value": _texts(row.value for row in history),
            "unit": _texts(row.unit for row in history),
            "period_start": days_or_times((row.period_start for row in history), in_utc=in_utc),
            "period_end": days_or_times((row.period_end for row in history), in_utc=in_utc),
            "leaf_index": np.array([row.leaf_index for row in history], dtype="int64"),
        },
        index=period_index(history.rows, form_of(history.frequency, history.rows)),
    )
    unit = common_unit(row.unit for row in history)
    frame.attrs = {**origin_of(history, chain), "attested_at": iso_time(history.attested_at), "unit": unit}
    return frame


def table_frame(table: SeriesTable, chain: str, *, exact: bool) -> pd.DataFrame:
    """The rows of a table, in its order."""
    columns: dict[str, Any] = {"column": _texts(row.column for row in table)}
    for facet in facets_of(table):
        columns[facet_column(facet)] = _texts(row.facets.get(facet) for row in table)
    columns["period"] = _texts(row.period for row in table)
    columns["value"] = _texts(row.value for row in table)
    columns["unit"] = _texts(row.unit for row in table)
    columns["number"] = _numbers(table, exact=exact)
    columns["leaf_index"] = np.array([row.leaf_index for row in table], dtype="int64")
    frame = pd.DataFrame(columns)
    frame.attrs = {
        **origin_of(table, chain),
        "attested_at": iso_time(table.attested_at),
        "total": table.total,
        "is_complete": table.is_complete,
    }
    return frame


def _texts(texts: Iterable[str | None]) -> Any:
    return pd.Index(list(texts), dtype=TEXT_TYPE)


def _numbers(rows: Iterable[SeriesRow | TableRow], *, exact: bool) -> np.ndarray[Any, Any]:
    if exact:
        return np.array([row.amount for row in rows], dtype=object)
    # A value that is no number is NaN.
    return np.array([row.number for row in rows], dtype="float64")
