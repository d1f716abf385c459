"""Times and periods of pandas, for indexes and columns."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from wattfeed._forms import form_of
from wattfeed._releases import start_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from datetime import date

    from wattfeed.models import Reading, Row
    from wattfeed.series import SeriesRow


def times(moments: Iterable[datetime]) -> pd.DatetimeIndex:
    """Aware times in UTC."""
    return pd.DatetimeIndex(list(moments), dtype="datetime64[ms, UTC]")


def days_or_times(moments: Iterable[date | datetime | None], *, in_utc: bool) -> pd.DatetimeIndex:
    """Days or times, in UTC or without a zone."""
    naive = [None if moment is None else start_of(moment) for moment in moments]
    # No nanoseconds, because they end in 2262 and a period on chain may be any date.
    index = pd.DatetimeIndex(np.array(naive, dtype="datetime64[ms]"))
    return index.tz_localize("UTC") if in_utc else index


def period_of(reading: Reading) -> object:
    """The period of a reading."""
    return period_index([reading], form_of(reading.frequency, [reading]))[0]


def period_index(values: Sequence[Reading | Row | SeriesRow], form: str | None) -> pd.PeriodIndex | pd.DatetimeIndex:
    """Periods of a form. Without a form they are timestamps: of an hour its start, otherwise the last day."""
    if form is None:
        return days_or_times((_timestamp_of(value) for value in values), in_utc=False).rename("period")
    return days_or_times((value.period_start for value in values), in_utc=False).to_period(form).rename("period")


def _timestamp_of(value: Reading | Row | SeriesRow) -> date | None:
    return value.period_start if isinstance(value.period_start, datetime) else value.period_end
