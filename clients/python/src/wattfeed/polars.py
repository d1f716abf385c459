"""Data frames for Polars, and the functions of fredapi. Needs ``pip install 'wattfeed[polars]'``.

>>> from wattfeed.polars import Wattfeed
>>> fred = Wattfeed("http://localhost:4030")
>>> dict(fred.get_series("EIA.NG.STORAGE.L48_WORKING.WEEKLY").schema)
{'date': Date, 'value': Float64}

**Vintages are dated by the chain.** ``realtime_start`` is the day (UTC) of the block in which wattfeed attested a
value. It is not the day on which EIA published the value, which may be years earlier for a backfilled one.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import date, datetime
from decimal import Decimal
from pathlib import Path
from typing import Literal

try:
    import polars as pl
except ModuleNotFoundError as error:
    raise ImportError(
        f"wattfeed.polars needs {error.name}; run: pip install 'wattfeed[polars]'", name=error.name
    ) from error

from wattfeed._client import Client
from wattfeed._days import Day, check_order, parse_day
from wattfeed._forms import check_one_form, one_per_period
from wattfeed._operations import check_id
from wattfeed._polars_series import days_or_times, exact_numbers, history_frame, table_frame
from wattfeed._releases import (
    Release,
    date_of,
    dated_between,
    first_start,
    frequency_name,
    in_effect,
    releases_of,
    select_series,
    vintage_dates,
)
from wattfeed._snapshots import read_table
from wattfeed.errors import ApiError
from wattfeed.models import History, Reading, Vintages
from wattfeed.periods import HOURLY

__all__ = ["Wattfeed", "checked_dataset_frame", "dataset_frame"]

_TIME = pl.Datetime("ms", "UTC")


class Wattfeed:
    """Reads a server into data frames. Its functions are those of `wattfeed.pandas.Wattfeed`.

    Days are `polars.Date`, hours `polars.Datetime` in UTC. Frames of Polars have no attributes, so `history` and
    `readings` have ``unit``, ``chain`` and ``version`` as columns. Two results of one chain and version agree.

    Args:
        server: Base URL of the server, or a `Client` with other options.
        exact: Whether values are exact (`polars.Decimal`) instead of Float64.

    >>> from wattfeed import Client
    >>> from wattfeed.polars import Wattfeed
    >>> fred = Wattfeed(Client("http://localhost:4030", timeout=10), exact=True)
    >>> fred.get_series("EIA.PET.PRICE.WTI.DAILY").schema["value"]
    Decimal(precision=38, scale=6)
    """

    def __init__(self, server: Client | str, *, exact: bool = False) -> None:
        """Checks the URL; opens no connection."""
        self.client = Client(server) if isinstance(server, str) else server
        self._exact = exact

    def get_series_info(self, series_id: str) -> pl.DataFrame:
        """Returns what describes a feed, as one row. See `Client.info`.

        Args:
            series_id: The feed.

        Returns:
            Columns ``id``, ``title``, ``frequency``, ``units``, ``observation_start``, ``observation_end``,
            ``last_updated`` and ``notes``.

        Raises:
            NotFoundError: The feed is not registered, or has no value.

        >>> fred = Wattfeed("http://localhost:4030")
        >>> fred.get_series_info("EIA.NG.STORAGE.L48_WORKING.WEEKLY").select("title", "units").row(0)
        ('Working gas in storage, Lower 48', 'Bcf')
        """
        info = self.client.info(series_id)
        return pl.DataFrame(
            [
                pl.Series("id", [info.feed_id], pl.String),
                pl.Series("title", [info.title], pl.String),
                pl.Series("frequency", [frequency_name(info)], pl.String),
                pl.Series("units", [info.unit], pl.String),
                days_or_times("observation_start", [date_of(info.first)], in_utc=True),
                days_or_times("observation_end", [date_of(info.last)], in_utc=True),
                pl.Series("last_updated", [info.attested_at], _TIME),
                pl.Series("notes", [info.description], pl.String),
            ]
        )

    def get_series(
        self, series_id: str, observation_start: Day | None = None, observation_end: Day | None = None
    ) -> pl.DataFrame:
        """Returns the newest value of each period.

        Args:
            series_id: The feed.
            observation_start: First date.
            observation_end: Last date.

        Returns:
            Columns ``date`` and ``value``. As on FRED, the date of a week is its last day, and that of a month, quarter
            or year its first. The date of an hour is its start in UTC.

        Raises:
            NotFoundError: The feed is not registered.
            ValueError: The first date is after the last one.

        >>> fred = Wattfeed("http://localhost:4030")
        >>> frame = fred.get_series("EIA.NG.STORAGE.L48_WORKING.WEEKLY", "2026-10-01", "2026-10-31")
        >>> frame["date"].dt.day().to_list()
        [2, 9, 16, 23, 30]
        """
        first, last = _day(observation_start), _day(observation_end)
        check_order("observation_start", first, "observation_end", last)
        history = self.client.history(
            check_id(series_id, "series_id"), period_from=first_start(first), period_to=last, vintages="latest"
        )
        releases = dated_between(releases_of(history), first, last)
        return self._release_frame(history, releases).select("date", "value")

    def get_series_latest_release(self, series_id: str) -> pl.DataFrame:
        """Returns the newest value of each period: `get_series` under another name.

        >>> fred = Wattfeed("http://localhost:4030")
        >>> fred.get_series_latest_release("EIA.COAL.PROD.US.ANNUAL")["date"].is_sorted()
        True
        """
        return self.get_series(series_id)

    def get_series_first_release(self, series_id: str) -> pl.DataFrame:
        """Returns the first value of each period that was attested, whatever came later.

        >>> fred = Wattfeed("http://localhost:4030")
        >>> first = fred.get_series_first_release("EIA.NG.STORAGE.L48_WORKING.WEEKLY")
        >>> both = first.join(fred.get_series("EIA.NG.STORAGE.L48_WORKING.WEEKLY"), on="date", suffix="_latest")
        >>> both.filter(pl.col("value") != pl.col("value_latest")).height > 0
        True
        """
        return self._releases(self.client.history(check_id(series_id, "series_id"), vintages="first")).select(
            "date", "value"
        )

    def get_series_as_of_date(self, series_id: str, as_of_date: Day) -> pl.DataFrame:
        """Returns the releases that were on chain at the end of a day (UTC): rows of `get_series_all_releases`.

        A revised period has several rows. The last one was the newest on that day. For one row per period, use
        `history` with ``as_of``.

        >>> fred = Wattfeed("http://localhost:4030")
        >>> known = fred.get_series_as_of_date("EIA.NG.STORAGE.L48_WORKING.WEEKLY", "2026-10-14")
        >>> known["date"].max(), known["realtime_start"].max()
        (datetime.date(2026, 10, 2), datetime.date(2026, 10, 8))
        """
        releases = self.get_series_all_releases(series_id)
        return releases.filter(pl.col("realtime_start") <= _day(as_of_date))

    def get_series_all_releases(
        self, series_id: str, realtime_start: Day | None = None, realtime_end: Day | None = None
    ) -> pl.DataFrame:
        """Returns the first release of each period and every revision.

        Two releases of one day (UTC) are both returned, in their order.

        Args:
            series_id: The feed.
            realtime_start: Only releases that were in effect on this day or later. Those from before have this day.
            realtime_end: Only releases of this day or before.

        Returns:
            Columns ``date``, ``realtime_start`` and ``value``, in the order of ``date``.

        >>> fred = Wattfeed("http://localhost:4030")
        >>> releases = fred.get_series_all_releases("EIA.NG.STORAGE.L48_WORKING.WEEKLY")
        >>> dict(releases.schema)
        {'date': Date, 'realtime_start': Date, 'value': Float64}
        """
        first, last = _day(realtime_start), _day(realtime_end)
        check_order("realtime_start", first, "realtime_end", last)
        return self._releases(self.client.history(check_id(series_id, "series_id")), first, last)

    def get_series_vintage_dates(self, series_id: str) -> list[date]:
        """Returns the days (UTC) on which values of the feed were attested or revised on chain, oldest first.

        >>> fred = Wattfeed("http://localhost:4030")
        >>> days = fred.get_series_vintage_dates("EIA.NG.STORAGE.L48_WORKING.WEEKLY")
        >>> days[0] < days[-1]
        True
        """
        return [day.date() for day in vintage_dates(releases_of(self.client.history(check_id(series_id, "series_id"))))]

    def search(
        self,
        text: str,
        limit: int = 1000,
        order_by: str | None = None,
        sort_order: Literal["asc", "desc"] | None = None,
        filter: tuple[str, str] | None = None,  # noqa: A002  fredapi's name
    ) -> pl.DataFrame:
        """Returns the feeds that have all words of a text.

        Args:
            text: Words of the id, title, unit, route, frequency or description.
            limit: Maximum number of feeds; 0 is all.
            order_by: FRED's name of an order, such as ``title`` or ``last_updated``. The default is the server's.
            sort_order: ``asc`` (default) or ``desc``.
            filter: ``("frequency", "Weekly")`` or ``("units", "Bcf")``.

        Returns:
            Columns ``id``, ``title``, ``frequency``, ``units``, ``observation_end``, ``last_updated`` and ``notes``.

        >>> fred = Wattfeed("http://localhost:4030")
        >>> fred.search("crude", order_by="series_id", filter=("frequency", "Weekly"))["id"].to_list()
        ['EIA.PET.STOCKS.CRUDE_EXSPR.WEEKLY']
        >>> fred.search("no such words").height
        0
        """
        found = select_series(self.client.search(text), limit, order_by, sort_order, filter)
        return pl.DataFrame(
            [
                pl.Series("id", [reading.feed_id for reading in found], pl.String),
                pl.Series("title", [reading.title for reading in found], pl.String),
                pl.Series("frequency", [frequency_name(reading) for reading in found], pl.String),
                pl.Series("units", [reading.unit for reading in found], pl.String),
                days_or_times("observation_end", [date_of(reading) for reading in found], in_utc=True),
                pl.Series("last_updated", [reading.attested_at for reading in found], _TIME),
                pl.Series("notes", [reading.description for reading in found], pl.String),
            ]
        )

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
    ) -> pl.DataFrame:
        """Returns the attested values of feeds. The arguments but `wide` are those of `Client.history`.

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
                and all periods must be of one kind. A period that a feed does not have is null.

        Returns:
            Columns ``period_start`` and ``period_end`` (null if the integer is not a period), ``value``, ``revision``,
            ``attested_at``, ``index`` (in the order of attestation), ``feed_id``, ``unit``, ``chain`` and ``version``.
            The end of days is inclusive, that of hours exclusive.

            With several ids, the rows of one feed follow those of another. If hours and days share the columns, a day
            is midnight in UTC. A wide frame has ``period_start``, ``period_end`` and one column for each feed.

        Raises:
            NotFoundError: One of the feeds is not registered.
            ValueError: The periods do not fit in one wide frame, such as days and weeks.

        >>> fred = Wattfeed("http://localhost:4030")
        >>> frame = fred.history("EIA.NG.STORAGE.L48_WORKING.WEEKLY", vintages="latest")
        >>> frame.schema["period_end"], frame["unit"].unique().to_list()
        (Date, ['Bcf'])
        >>> fred.history(["EIA.PET.PRICE.WTI.DAILY", "EIA.PET.PRICE.BRENT.DAILY"], wide=True).columns
        ['period_start', 'period_end', 'EIA.PET.PRICE.WTI.DAILY', 'EIA.PET.PRICE.BRENT.DAILY']
        """
        histories = self.client.history(
            [feed_id] if isinstance(feed_id, str) else feed_id,
            period_from=period_from,
            period_to=period_to,
            as_of=as_of,
            vintages=one_per_period(vintages) if wide else vintages,
            order=order,
            limit=limit,
        )
        return self._wide_frame(histories, order) if wide else self._long_frame(histories)

    def _long_frame(self, histories: Sequence[History]) -> pl.DataFrame:
        in_utc = any(history.frequency in HOURLY for history in histories)
        decimals = max(history.decimals for history in histories)
        return pl.concat([self._rows_frame(history, decimals, in_utc=in_utc) for history in histories])

    def _rows_frame(self, history: History, decimals: int, *, in_utc: bool) -> pl.DataFrame:
        frame = pl.DataFrame(
            [
                days_or_times("period_start", [row.period_start for row in history], in_utc=in_utc),
                days_or_times("period_end", [row.period_end for row in history], in_utc=in_utc),
                self._values([row.amount for row in history], decimals),
                pl.Series("revision", [row.revision for row in history], pl.Int64),
                pl.Series("attested_at", [row.attested_at for row in history], _TIME),
                pl.Series("index", [row.index for row in history], pl.Int64),
            ]
        )
        return frame.with_columns(
            feed_id=pl.lit(history.feed_id), unit=pl.lit(history.unit), **self._origin(history.version)
        )

    def _wide_frame(self, histories: Sequence[History], order: str | None) -> pl.DataFrame:
        check_one_form(histories)
        columns = [
            self._long_frame([history])
            .select("period_start", "period_end", pl.col("value").alias(history.feed_id))
            .drop_nulls("period_end")
            for history in histories
        ]
        return pl.concat(columns, how="align").sort("period_end", descending=order == "desc")

    def readings(self, ids: Sequence[str] | None = None) -> pl.DataFrame:
        """Returns the newest values of several feeds, all of one state root.

        Args:
            ids: 1 to 100 ids. None reads all feeds.

        Returns:
            Columns ``feed_id``, ``value``, ``unit``, ``period_start``, ``period_end``, ``attested_at``, ``frequency``,
            ``title``, ``chain`` and ``version``. Hours and days share a column, so a day is midnight in UTC. The end of
            days is inclusive, that of hours exclusive.

        Raises:
            NotFoundError: One of the feeds is not registered, or has no value.

        >>> fred = Wattfeed("http://localhost:4030")
        >>> frame = fred.readings(["EIA.NG.STORAGE.L48_WORKING.WEEKLY", "EIA.COAL.PROD.US.ANNUAL"])
        >>> frame["unit"].to_list(), frame.schema["period_start"]
        (['Bcf', 'short tons'], Datetime(time_unit='ms', time_zone='UTC'))
        """
        readings: list[Reading] = []
        for result in self.client.readings(ids):
            if isinstance(result, ApiError):
                raise result
            readings.append(result)
        frame = pl.DataFrame(
            [
                pl.Series("feed_id", [reading.feed_id for reading in readings], pl.String),
                self._values(
                    [reading.amount for reading in readings], max((reading.decimals for reading in readings), default=0)
                ),
                pl.Series("unit", [reading.unit for reading in readings], pl.String),
                days_or_times("period_start", [reading.period_start for reading in readings], in_utc=True),
                days_or_times("period_end", [reading.period_end for reading in readings], in_utc=True),
                pl.Series("attested_at", [reading.attested_at for reading in readings], _TIME),
                pl.Series("frequency", [reading.frequency for reading in readings], pl.String),
                pl.Series("title", [reading.title for reading in readings], pl.String),
            ]
        )
        return frame.with_columns(**self._origin(readings[0].version if readings else None))

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
    ) -> pl.DataFrame:
        """Returns the values of a series of a dataset by one root. The arguments are those of `Client.series_history`.

        Returns:
            Columns ``period`` (EIA's text), ``period_start``, ``period_end``, ``value`` (EIA's text), ``unit``,
            ``number`` (null if the value is withheld or no number), ``leaf_index``, ``feed_id``, ``chain``, ``root``,
            ``index`` and ``attested_at`` (of the root).

        Raises:
            SnapshotGoneError: The server does not have the files of the root.
            NotCoveredError: The root was made without the column or with other facets.
            ApiError: As in `Client.series_history`.

        >>> eia = Wattfeed("http://localhost:4030")
        >>> facets = {"stateid": "CA", "sectorid": "COM"}
        >>> frame = eia.series_history("electricity/retail-sales", "monthly", "price", facets, limit=2)
        >>> frame.schema["number"], frame.schema["period_start"], frame.height
        (Float64, Date, 2)
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
    ) -> pl.DataFrame:
        """Returns rows of many series of a dataset by one root. The arguments are those of `Client.series_table`.

        Returns:
            Columns ``column``, one for each facet, and those of `series_history` without the ends of the period. A
            facet whose id is one of these names has the column ``facet_<id>``.

        Raises:
            SnapshotGoneError: The server does not have the files of the root.
            NotCoveredError: The root was made without a column or with other facets.
            ApiError: As in `Client.series_table`.

        >>> eia = Wattfeed("http://localhost:4030")
        >>> frame = eia.series_table("electricity/retail-sales", "monthly", "price", {"sectorid": "RES"}, limit=50)
        >>> frame["sectorid"].unique().to_list(), frame.columns[:4]
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

    def _origin(self, version: str | None) -> dict[str, pl.Expr]:
        return {"chain": pl.lit(self.client.chain_name()), "version": pl.lit(version, pl.String)}

    def _values(self, amounts: Iterable[Decimal], decimals: int) -> pl.Series:
        if not self._exact:
            return pl.Series("value", [float(amount) for amount in amounts], pl.Float64)
        return exact_numbers("value", list(amounts), decimals)

    def _releases(self, history: History, first: date | None = None, last: date | None = None) -> pl.DataFrame:
        return self._release_frame(history, in_effect(releases_of(history), first, last))

    def _release_frame(self, history: History, releases: Sequence[Release]) -> pl.DataFrame:
        dates = pl.Series("date", [release.date for release in releases], pl.Datetime("ms"))
        return pl.DataFrame(
            [
                dates.dt.replace_time_zone("UTC") if history.frequency in HOURLY else dates.cast(pl.Date),
                pl.Series("realtime_start", [release.realtime_start.date() for release in releases], pl.Date),
                self._values((release.amount for release in releases), history.decimals),
            ]
        )


def checked_dataset_frame(folder: str | Path, root: str, size: int) -> pl.DataFrame:
    """Returns all rows of a dataset's snapshot, checked against its root.

    It reads the files below ``tile/entries``, hashes every value, and checks that all are sorted. Needs
    ``pip install 'wattfeed[polars,verify]'``. Besides the frame, it needs some megabytes of memory.

    Args:
        folder: The folder of a snapshot, or its URL.
        root: The root, from a proof or from `Client.attested_datasets`, which proves nothing.
        size: The number of values that was attested with it.

    Returns:
        The columns of `dataset_frame`, and ``number``: the float nearest to the value, null if the value is withheld or
        no number.

    Raises:
        RefutedError: The files are not those of the root, or not sorted. It is in `wattfeed.verify`.
        WattfeedError: The URL cannot be read.
        OSError: The folder does not have the files.

    >>> frame = checked_dataset_frame("datasets/<id>/<root>", "<root>", 1248)  # doctest: +SKIP
    """
    from wattfeed._checked import read_checked  # noqa: PLC0415  the packages of the verifier are optional

    rows = read_checked(folder, root, size)
    texts = [
        pl.Series(name, codes.texts, pl.String).gather(pl.Series(codes.numbers, dtype=pl.UInt32))
        for name, codes in rows.codes.items()
    ]
    return pl.DataFrame([*texts, pl.Series("number", rows.numbers, pl.Float64).fill_nan(None)])


def dataset_frame(folder: str | Path) -> pl.DataFrame:
    """Returns all rows of a dataset's snapshot, from its file ``series.parquet``.

    **Nothing is checked**: neither that the file belongs to the root, nor that the root is attested. The folder may
    hold any values. `checked_dataset_frame` checks them.

    Args:
        folder: The folder of a snapshot, or its URL.

    Returns:
        Columns ``column``, one for each facet of the dataset, ``period``, ``value`` and ``unit``. All are text, because
        EIA also sends values such as ``w``. What a series does not have, and a value that EIA withholds, is null.

    Raises:
        WattfeedError: The URL cannot be read.
        OSError: The folder does not have the file.

    >>> frame = dataset_frame("datasets/eia.dataset.electricity.retail-sales.monthly/<root>")  # doctest: +SKIP
    >>> frame.with_columns(pl.col("value").cast(pl.Float64, strict=False))  # doctest: +SKIP
    """
    return pl.read_parquet(read_table(folder))


def _day(day: Day | None) -> date | None:
    if isinstance(day, str):
        return parse_day(day)
    return day.date() if isinstance(day, datetime) else day
