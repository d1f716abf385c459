"""Data frames for pandas, and the functions of fredapi. Needs ``pip install 'wattfeed[pandas]'``.

>>> from wattfeed.pandas import Wattfeed
>>> fred = Wattfeed("http://localhost:4030")
>>> latest = fred.get_series("EIA.NG.STORAGE.L48_WORKING.WEEKLY")
>>> latest.index.dtype.kind, latest.dtype, latest.attrs["unit"]
('M', dtype('float64'), 'Bcf')

**Vintages are dated by the chain.** ``realtime_start`` is the day (UTC) of the block in which wattfeed attested a
value. It is not the day on which EIA published the value, which may be years earlier for a backfilled one.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import date, datetime, timezone
from decimal import Decimal
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

try:
    import numpy as np
    import pandas as pd
except ModuleNotFoundError as error:
    raise ImportError(
        f"wattfeed.pandas needs {error.name}; run: pip install 'wattfeed[pandas]'", name=error.name
    ) from error

from wattfeed._client import Client
from wattfeed._days import Day, check_order
from wattfeed._forms import check_one_form, common_form, one_per_period
from wattfeed._operations import check_id
from wattfeed._pandas_index import days_or_times, period_index, period_of, times
from wattfeed._pandas_series import TEXT_TYPE, history_frame, table_frame
from wattfeed._releases import (
    Release,
    date_of,
    dated_between,
    first_start,
    frequency_name,
    in_effect,
    releases_of,
    select_series,
    short_frequency,
    start_of,
    vintage_dates,
)
from wattfeed._snapshots import read_table
from wattfeed.errors import ApiError
from wattfeed.models import Feed, History, Reading, Row, Vintages
from wattfeed.periods import HOURLY

if TYPE_CHECKING:
    from wattfeed._checked import Codes

__all__ = ["Wattfeed", "checked_dataset_frame", "dataset_frame"]

#: As fredapi's: its dates are objects, of which older versions of pandas infer a DatetimeIndex.
_DATES_DTYPE = None if pd.__version__.startswith("2.") else object


class Wattfeed:
    """Reads a server into data frames. It has the functions of fredapi's ``Fred``, with the same results.

    Besides these, `history` and `readings` return frames with all that the chain has, by period. All results have
    ``unit``, ``chain`` and ``version`` in ``attrs``. Two results of one chain and version agree.

    Args:
        server: Base URL of the server, or a `Client` with other options.
        exact: Whether values are exact (`Decimal`, dtype object) instead of float64.

    >>> from wattfeed import Client
    >>> from wattfeed.pandas import Wattfeed
    >>> fred = Wattfeed(Client("http://localhost:4030", timeout=10), exact=True)
    >>> type(fred.get_series("EIA.PET.PRICE.WTI.DAILY").iloc[0]).__name__
    'Decimal'
    """

    def __init__(self, server: Client | str, *, exact: bool = False) -> None:
        """Checks the URL; opens no connection."""
        self.client = Client(server) if isinstance(server, str) else server
        self._exact = exact

    def get_series_info(self, series_id: str) -> pd.Series[Any]:
        """Returns what describes a feed, with fredapi's names. All values are text, or None. See `Client.info`.

        Args:
            series_id: The feed.

        Raises:
            NotFoundError: The feed is not registered, or has no value.

        >>> fred = Wattfeed("http://localhost:4030")
        >>> fred.get_series_info("EIA.NG.STORAGE.L48_WORKING.WEEKLY")[["title", "units", "frequency_short"]].to_list()
        ['Working gas in storage, Lower 48', 'Bcf', 'W']
        """
        info = self.client.info(series_id)
        today = f"{datetime.now(timezone.utc):%Y-%m-%d}"
        known = {
            "realtime_start": today,
            "realtime_end": today,
            "observation_start": _day_text(info.first),
            "observation_end": _day_text(info.last),
            "last_updated": f"{info.attested_at:%Y-%m-%d %H:%M:%S}+00",
        }
        series: pd.Series[Any] = pd.Series({**_series_info(info), **known}, dtype=object)
        series.attrs = {"chain": self.client.chain_name(), "version": info.version}
        return series

    def get_series(
        self,
        series_id: str,
        observation_start: Day | None = None,
        observation_end: Day | None = None,
        **kwargs: object,
    ) -> pd.Series[Any]:
        """Returns the newest value of each period, by date.

        As on FRED, the date of a week is its last day, and that of a month, quarter or year its first. The date of an
        hour is its start in UTC, without a zone.

        Args:
            series_id: The feed.
            observation_start: First date.
            observation_end: Last date.
            kwargs: FRED's other parameters, such as ``units``. They are a `TypeError`: use pandas, or `history`.

        Raises:
            NotFoundError: The feed is not registered.
            ValueError: The first date is after the last one.

        >>> fred = Wattfeed("http://localhost:4030")
        >>> series = fred.get_series("EIA.NG.STORAGE.L48_WORKING.WEEKLY", "2026-10-01", "2026-10-31")
        >>> [f"{day:%a %d}" for day in series.index]
        ['Fri 02', 'Fri 09', 'Fri 16', 'Fri 23', 'Fri 30']
        """
        if kwargs:
            raise TypeError(f"get_series has no parameter {next(iter(kwargs))!r}; use pandas, or history(as_of=...)")
        first, last = _day(observation_start), _day(observation_end)
        check_order("observation_start", first, "observation_end", last)
        history = self.client.history(
            check_id(series_id, "series_id"), period_from=first_start(first), period_to=last, vintages="latest"
        )
        releases = dated_between(releases_of(history), first, last)
        series: pd.Series[Any] = pd.Series({release.date: self._value(release.amount) for release in releases})
        series.attrs = self._attributes(history)
        return series

    def get_series_latest_release(self, series_id: str) -> pd.Series[Any]:
        """Returns the newest value of each period: `get_series` under another name.

        >>> fred = Wattfeed("http://localhost:4030")
        >>> fred.get_series_latest_release("EIA.COAL.PROD.US.ANNUAL").loc["2020":"2021"].index.year.to_list()
        [2020, 2021]
        """
        return self.get_series(series_id)

    def get_series_first_release(self, series_id: str) -> pd.Series[Any]:
        """Returns the first value of each period that was attested, whatever came later.

        As in fredapi, the dtype is object: add ``.astype(float)`` to compute.

        >>> fred = Wattfeed("http://localhost:4030")
        >>> first = fred.get_series_first_release("EIA.NG.STORAGE.L48_WORKING.WEEKLY").astype(float)
        >>> latest = fred.get_series("EIA.NG.STORAGE.L48_WORKING.WEEKLY")
        >>> len(first) <= len(latest), bool((latest - first).abs().max() > 0)
        (True, True)
        """
        history = self.client.history(check_id(series_id, "series_id"), vintages="first")
        releases = releases_of(history)
        dates = pd.Index([release.date for release in releases], dtype=_DATES_DTYPE, name="date")
        values = [self._value(release.amount) for release in releases]
        series: pd.Series[Any] = pd.Series(values, index=dates, dtype=object, name="value")
        series.attrs = self._attributes(history)
        return series

    def get_series_as_of_date(self, series_id: str, as_of_date: Day) -> pd.DataFrame:
        """Returns the releases that were on chain at the end of a day (UTC): rows of `get_series_all_releases`.

        As in fredapi, a revised period has several rows. The last one was the newest on that day. For one row per
        period, use `history` with ``as_of``.

        >>> fred = Wattfeed("http://localhost:4030")
        >>> known = fred.get_series_as_of_date("EIA.NG.STORAGE.L48_WORKING.WEEKLY", "2026-10-14")
        >>> known["date"].max(), known["realtime_start"].max()
        (datetime.datetime(2026, 10, 2, 0, 0), datetime.datetime(2026, 10, 8, 0, 0))
        """
        day = pd.to_datetime(as_of_date)
        releases = self.get_series_all_releases(series_id)
        return releases[releases["realtime_start"] <= day]

    def get_series_all_releases(
        self, series_id: str, realtime_start: Day | None = None, realtime_end: Day | None = None
    ) -> pd.DataFrame:
        """Returns the first release of each period and every revision.

        Two releases of one day (UTC) are both returned, in their order, because an hourly value may be revised within a
        day. FRED has only the last one. As in fredapi, all dtypes are object.

        Args:
            series_id: The feed.
            realtime_start: Only releases that were in effect on this day or later. Those from before have this day.
            realtime_end: Only releases of this day or before.

        Returns:
            Columns ``realtime_start``, ``date`` and ``value``, in the order of ``date``.

        >>> fred = Wattfeed("http://localhost:4030")
        >>> releases = fred.get_series_all_releases("EIA.NG.STORAGE.L48_WORKING.WEEKLY")
        >>> list(releases.columns)
        ['realtime_start', 'date', 'value']
        >>> releases["date"].to_list() == sorted(releases["date"])
        True
        """
        first, last = _day(realtime_start), _day(realtime_end)
        check_order("realtime_start", first, "realtime_end", last)
        history = self.client.history(check_id(series_id, "series_id"))
        frame = self._release_frame(in_effect(releases_of(history), first, last))
        frame.attrs = self._attributes(history)
        return frame

    def get_series_vintage_dates(self, series_id: str) -> list[datetime]:
        """Returns the days (UTC) on which values of the feed were attested or revised on chain, oldest first.

        >>> fred = Wattfeed("http://localhost:4030")
        >>> days = fred.get_series_vintage_dates("EIA.NG.STORAGE.L48_WORKING.WEEKLY")
        >>> days[0] < days[-1], days[0].hour
        (True, 0)
        """
        return vintage_dates(releases_of(self.client.history(check_id(series_id, "series_id"))))

    def search(
        self,
        text: str,
        limit: int = 1000,
        order_by: str | None = None,
        sort_order: Literal["asc", "desc"] | None = None,
        filter: tuple[str, str] | None = None,  # noqa: A002  fredapi's name
    ) -> pd.DataFrame | None:
        """Returns the feeds that have all words of a text, by id, with fredapi's columns; None if there are none.

        ``observation_start``, ``seasonal_adjustment`` and ``popularity`` are empty: the list of feeds does not have
        them.

        Args:
            text: Words of the id, title, unit, route, frequency or description.
            limit: Maximum number of feeds; 0 is all.
            order_by: FRED's name of an order, such as ``title`` or ``last_updated``. The default is the server's.
            sort_order: ``asc`` (default) or ``desc``.
            filter: ``("frequency", "Weekly")`` or ``("units", "Bcf")``.

        >>> fred = Wattfeed("http://localhost:4030")
        >>> found = fred.search("crude", order_by="series_id", filter=("frequency", "Monthly"))
        >>> found[["units", "frequency_short"]].to_dict("index")["EIA.PET.PROD.CRUDE_FIELD.MONTHLY"]
        {'units': 'Mbbl/d', 'frequency_short': 'M'}
        >>> fred.search("no such words") is None
        True
        """
        found = select_series(self.client.search(text), limit, order_by, sort_order, filter)
        return self._search_frame(found) if found else None

    def history(
        self,
        feed_id: str | Iterable[str],
        *,
        period_from: Day | None = None,
        period_to: Day | None = None,
        as_of: Day | None = None,
        vintages: Vintages | None = None,
        order: Literal["asc", "desc"] | None = None,
        limit: int | None = None,
        wide: bool = False,
    ) -> pd.DataFrame:
        """Returns the attested values of feeds by period. The arguments but `wide` are those of `Client.history`.

        Weeks end on EIA's day (``W-FRI``), the days of a weekly survey are ``D``, and hours are in UTC (``h``). An
        average of four weeks has no `pandas.Period`, nor have weeks that end on different days: their index has
        timestamps, of the last day. So have several feeds with periods of different kinds, and there an hour has its
        start, as alone. An integer that is not a period is ``NaT``.

        Args:
            feed_id: The feed, or several.
            period_from: First period: those that start on this day (UTC) or later. A date, or its ISO text.
            period_to: Last period: those that start on this day (UTC) or earlier.
            as_of: Only values that were on chain then: an aware datetime, or a date (the end of that day in UTC). Or
                its ISO text.
            vintages: ``all`` (default); ``first`` or ``latest``: one row for each period, in the order of periods.
            order: ``asc`` (default) or ``desc``.
            limit: Maximum number of rows of each feed.
            wide: Whether the result has a column of values for each feed. Then ``latest`` is the default of `vintages`,
                and all periods must be of one kind. A period that a feed does not have is ``NaN``.

        Returns:
            Columns ``value``, ``period_start``, ``period_end``, ``revision``, ``attested_at`` and ``index`` (in the
            order of attestation), by a `pandas.PeriodIndex`. Days are timestamps without a zone, and the end is
            inclusive. Hours are in UTC, and the end is exclusive.

            With several ids, the rows of one feed follow those of another, and ``feed_id``, ``period`` and ``unit`` are
            columns, too. If hours and days share the columns, a day is midnight in UTC. ``unit`` and ``version`` in
            ``attrs`` are by id.

            A wide frame has the values alone: a column for each feed, by period.

        Raises:
            NotFoundError: One of the feeds is not registered.
            ValueError: The periods do not fit in one wide frame, such as days and weeks.

        >>> fred = Wattfeed("http://localhost:4030")
        >>> frame = fred.history("EIA.NG.STORAGE.L48_WORKING.WEEKLY", vintages="latest")
        >>> frame.index.dtype, frame["2026-10-02":"2026-10-30"].shape
        (period[W-FRI], (5, 6))
        >>> sorted(frame.attrs)
        ['chain', 'feed_id', 'unit', 'version']
        >>> prices = fred.history(["EIA.PET.PRICE.WTI.DAILY", "EIA.PET.PRICE.BRENT.DAILY"], wide=True)
        >>> list(prices.columns), prices.index.dtype
        (['EIA.PET.PRICE.WTI.DAILY', 'EIA.PET.PRICE.BRENT.DAILY'], period[D])
        """
        found = self.client.history(
            [feed_id] if isinstance(feed_id, str) else feed_id,
            period_from=period_from,
            period_to=period_to,
            as_of=as_of,
            vintages=one_per_period(vintages) if wide else vintages,
            order=order,
            limit=limit,
        )
        if isinstance(feed_id, str) and not wide:
            frame = self._rows_frame(found)
            frame.attrs = self._attributes(found[0])
            return frame
        frame = self._wide_frame(found, order) if wide else self._long_frame(found)
        frame.attrs = {
            "unit": {history.feed_id: history.unit for history in found},
            "chain": self.client.chain_name(),
            "version": {history.feed_id: history.version for history in found},
        }
        return frame

    def _rows_frame(self, histories: Sequence[History]) -> pd.DataFrame:
        rows = [row for history in histories for row in history]
        in_utc = any(history.frequency in HOURLY for history in histories)
        return pd.DataFrame(
            {
                "value": self._values(row.amount for row in rows),
                "period_start": days_or_times((row.period_start for row in rows), in_utc=in_utc),
                "period_end": days_or_times((row.period_end for row in rows), in_utc=in_utc),
                "revision": np.array([row.revision for row in rows], dtype="int64"),
                "attested_at": times(row.attested_at for row in rows),
                "index": np.array([row.index for row in rows], dtype="int64"),
            },
            index=period_index(rows, common_form(histories)),
        )

    def _long_frame(self, histories: Sequence[History]) -> pd.DataFrame:
        # Several rows are of one period, so that it is no index.
        frame = self._rows_frame(histories).reset_index()
        each_row = [history for history in histories for _ in history]
        frame.insert(0, "feed_id", pd.Index([history.feed_id for history in each_row], dtype=str))
        frame.insert(3, "unit", pd.Index([history.unit for history in each_row], dtype=str))
        return frame

    def _wide_frame(self, histories: Sequence[History], order: str | None) -> pd.DataFrame:
        check_one_form(histories)
        form = common_form(histories)
        columns = [
            pd.Series(self._values(row.amount for row in history), index=period_index(history, form))
            for history in histories
        ]
        ids = pd.Index([history.feed_id for history in histories], dtype=str, name="feed_id")
        frame = pd.concat([column[column.index.notna()] for column in columns], axis=1, keys=ids)
        return frame.sort_index(ascending=order != "desc")

    def readings(self, ids: Sequence[str] | None = None) -> pd.DataFrame:
        """Returns the newest values of several feeds, all of one state root, by id.

        Args:
            ids: 1 to 100 ids. None reads all feeds.

        Returns:
            Columns ``value``, ``unit``, ``period`` (of `pandas.Period`, or a timestamp as in `history`),
            ``period_start``, ``period_end`` (days are midnight in UTC), ``attested_at`` and ``title``. ``attrs`` has
            ``chain`` and ``version``.

        Raises:
            NotFoundError: One of the feeds is not registered, or has no value.

        >>> fred = Wattfeed("http://localhost:4030")
        >>> frame = fred.readings(["EIA.NG.STORAGE.L48_WORKING.WEEKLY", "EIA.COAL.PROD.US.ANNUAL"])
        >>> [period.freqstr for period in frame["period"]]
        ['W-FRI', 'Y-DEC']
        """
        readings: list[Reading] = []
        for result in self.client.readings(ids):
            if isinstance(result, ApiError):
                raise result
            readings.append(result)
        frame = pd.DataFrame(
            {
                "value": self._values(reading.amount for reading in readings),
                "unit": pd.Index([reading.unit for reading in readings], dtype=str),
                "period": np.array([period_of(reading) for reading in readings], dtype=object),
                "period_start": days_or_times((reading.period_start for reading in readings), in_utc=True),
                "period_end": days_or_times((reading.period_end for reading in readings), in_utc=True),
                "attested_at": times(reading.attested_at for reading in readings),
                "title": pd.Index([reading.title for reading in readings], dtype=str),
            },
            index=pd.Index([reading.feed_id for reading in readings], dtype=str, name="feed_id"),
        )
        version = readings[0].version if readings else None
        frame.attrs = {"chain": self.client.chain_name(), "version": version}
        return frame

    def series_history(
        self,
        route: str,
        frequency: str,
        column: str,
        facets: Mapping[str, str | None],
        *,
        period_from: str | None = None,
        period_to: str | None = None,
        order: Literal["asc", "desc"] = "asc",
        limit: int | None = None,
        as_of: Day | None = None,
        index: int | None = None,
    ) -> pd.DataFrame:
        """Returns the values of a series of a dataset by one root. The arguments are those of `Client.series_history`.

        Returns:
            Columns ``number`` (float64; NaN if the value is withheld or no number), ``value`` (EIA's text), ``unit``,
            ``period_start``, ``period_end`` and ``leaf_index``, by a `pandas.PeriodIndex` as that of `history`.
            ``attrs`` has ``feed_id``, ``chain``, ``root``, ``index`` and ``attested_at`` of the root's attestation, and
            ``unit`` if all values have the same.

        Raises:
            SnapshotGoneError: The server does not have the files of the root.
            NotCoveredError: The root was made without the column or with other facets.
            ApiError: As in `Client.series_history`.

        >>> eia = Wattfeed("http://localhost:4030")
        >>> facets = {"stateid": "CA", "sectorid": "COM"}
        >>> frame = eia.series_history("electricity/retail-sales", "monthly", "price", facets, limit=2)
        >>> frame["number"].dtype, frame.index.dtype, frame.attrs["unit"]
        (dtype('float64'), period[M], 'cents per kilowatt-hour')
        """
        history = self.client.series_history(
            route,
            frequency,
            column,
            facets,
            period_from=period_from,
            period_to=period_to,
            order=order,
            limit=limit,
            as_of=as_of,
            index=index,
        )
        return history_frame(history, self.client.chain_name(), exact=self._exact)

    def series_table(
        self,
        route: str,
        frequency: str,
        columns: str | Sequence[str] | None = None,
        facets: Mapping[str, str | Sequence[str | None] | None] | None = None,
        *,
        period_from: str | None = None,
        period_to: str | None = None,
        sort: str | Sequence[str] | None = None,
        limit: int | None = None,
        as_of: Day | None = None,
        index: int | None = None,
    ) -> pd.DataFrame:
        """Returns rows of many series of a dataset by one root. The arguments are those of `Client.series_table`.

        Returns:
            Columns ``column``, one for each facet, ``period`` and ``value`` (EIA's texts), ``unit``, ``number``
            (float64) and ``leaf_index``. A facet whose id is one of these names has the column ``facet_<id>``.
            ``attrs`` has those of `series_history`, with ``total`` and ``is_complete`` instead of ``unit``.

        Raises:
            SnapshotGoneError: The server does not have the files of the root.
            NotCoveredError: The root was made without a column or with other facets.
            ApiError: As in `Client.series_table`.

        >>> eia = Wattfeed("http://localhost:4030")
        >>> frame = eia.series_table("electricity/retail-sales", "monthly", "price", {"sectorid": "RES"}, limit=50)
        >>> frame["sectorid"].unique().tolist(), list(frame.columns)[:4]
        (['RES'], ['column', 'sectorid', 'stateid', 'period'])
        """
        table = self.client.series_table(
            route,
            frequency,
            columns,
            facets,
            period_from=period_from,
            period_to=period_to,
            sort=sort,
            limit=limit,
            as_of=as_of,
            index=index,
        )
        return table_frame(table, self.client.chain_name(), exact=self._exact)

    def _attributes(self, history: History) -> dict[Any, Any]:
        return {
            "feed_id": history.feed_id,
            "unit": history.unit,
            "chain": self.client.chain_name(),
            "version": history.version,
        }

    def _value(self, amount: Decimal) -> Decimal | float:
        return amount if self._exact else float(amount)

    def _values(self, amounts: Iterable[Decimal]) -> np.ndarray[Any, Any]:
        return np.array([self._value(amount) for amount in amounts], dtype=object if self._exact else "float64")

    def _release_frame(self, releases: Sequence[Release]) -> pd.DataFrame:
        columns: Mapping[str, list[object]] = {
            "realtime_start": [release.realtime_start for release in releases],
            "date": [release.date for release in releases],
            "value": [self._value(release.amount) for release in releases],
        }
        return pd.DataFrame(columns, dtype=object)

    def _search_frame(self, found: Sequence[Reading]) -> pd.DataFrame:
        ids = [reading.feed_id for reading in found]
        frame = pd.DataFrame({reading.feed_id: _series_info(reading) for reading in found}, columns=ids).T
        today = start_of(datetime.now(timezone.utc).date())
        ends = [date_of(reading) or pd.NaT for reading in found]
        frame["realtime_start"] = frame["realtime_end"] = pd.Series([today] * len(found), index=ids)
        frame["observation_end"] = pd.Series(ends, index=ids)
        frame["observation_start"] = pd.Series(pd.NaT, index=ids, dtype=frame["observation_end"].dtype)
        frame["last_updated"] = pd.Series([reading.attested_at for reading in found], index=ids)
        frame.index.name = "series id"
        frame.attrs = {"chain": self.client.chain_name(), "version": found[0].version}
        return frame


def checked_dataset_frame(folder: str | Path, root: str, size: int) -> pd.DataFrame:
    """Returns all rows of a dataset's snapshot, checked against its root.

    It reads the files below ``tile/entries``, hashes every value, and checks that all are sorted. Needs
    ``pip install 'wattfeed[pandas,verify]'``. Besides the frame, it needs some megabytes of memory.

    Args:
        folder: The folder of a snapshot, or its URL.
        root: The root, from a proof or from `Client.attested_datasets`, which proves nothing.
        size: The number of values that was attested with it.

    Returns:
        The columns of `dataset_frame`, which are categories here, and ``number``: the value as float64, NaN if it is
        withheld or no number. ``attrs`` has ``route``, ``frequency``, ``root`` and ``size``.

    Raises:
        RefutedError: The files are not those of the root, or not sorted. It is in `wattfeed.verify`.
        WattfeedError: The URL cannot be read.
        OSError: The folder does not have the files.

    >>> frame = checked_dataset_frame("datasets/<id>/<root>", "<root>", 1248)  # doctest: +SKIP
    """
    from wattfeed._checked import read_checked  # noqa: PLC0415  the packages of the verifier are optional

    rows = read_checked(folder, root, size)
    columns: dict[str, Any] = {name: _categories(codes) for name, codes in rows.codes.items()}
    frame = pd.DataFrame({**columns, "number": np.frombuffer(rows.numbers, dtype="float64")})
    frame.attrs = {"route": rows.route, "frequency": rows.frequency, "root": root, "size": size}
    return frame


def _categories(codes: Codes) -> pd.Categorical:
    # A category is no null, which pandas writes as -1.
    texts = [text for text in codes.texts if text is not None]
    places = {text: place for place, text in enumerate(texts)}
    of_code = np.array([-1 if text is None else places[text] for text in codes.texts], dtype="int32")
    return pd.Categorical.from_codes(
        of_code[np.frombuffer(codes.numbers, dtype="uint32")], categories=pd.Index(texts, dtype=TEXT_TYPE)
    )


def dataset_frame(folder: str | Path) -> pd.DataFrame:
    """Returns all rows of a dataset's snapshot, from its file ``series.parquet``.

    **Nothing is checked**: neither that the file belongs to the root, nor that the root is attested. The folder may
    hold any values. `checked_dataset_frame` checks them.

    pandas needs pyarrow for it: ``pip install pyarrow``.

    Args:
        folder: The folder of a snapshot, or its URL.

    Returns:
        Columns ``column``, one for each facet of the dataset, ``period``, ``value`` and ``unit``. All are text, because
        EIA also sends values such as ``w``. What a series does not have, and a value that EIA withholds, is null.

    Raises:
        WattfeedError: The URL cannot be read.
        OSError: The folder does not have the file.

    >>> frame = dataset_frame("datasets/eia.dataset.electricity.retail-sales.monthly/<root>")  # doctest: +SKIP
    >>> frame["value"] = pd.to_numeric(frame["value"], errors="coerce")  # doctest: +SKIP
    """
    return pd.read_parquet(BytesIO(read_table(folder)))


def _day_text(row: Row) -> str | None:
    day = date_of(row)
    return None if day is None else f"{day:%Y-%m-%d}"


def _series_info(feed: Feed) -> dict[str, str | None]:
    return {
        "id": feed.feed_id,
        "realtime_start": None,
        "realtime_end": None,
        "title": feed.title,
        "observation_start": None,
        "observation_end": None,
        "frequency": frequency_name(feed),
        "frequency_short": short_frequency(feed),
        "units": feed.unit,
        "units_short": feed.unit,
        "seasonal_adjustment": None,
        "seasonal_adjustment_short": None,
        "last_updated": None,
        "popularity": None,
        "notes": feed.description,
    }


def _day(day: Day | None) -> date | None:
    return None if day is None else pd.Timestamp(day).date()
