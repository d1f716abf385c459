"""The client of the standard library."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from time import sleep
from typing import TYPE_CHECKING, Literal, TypeVar, overload

from wattfeed import _datasets as datasets
from wattfeed import _operations as operations
from wattfeed._days import Day
from wattfeed._decode import Answer
from wattfeed._events import CONNECT_S, SILENCE_S, EventParser, Resumption
from wattfeed._http import EventSource, Server, fetch
from wattfeed._proofs import prove_history
from wattfeed._retry import Retries, StreamRetries
from wattfeed.errors import ApiError, NotFoundError, WattfeedError
from wattfeed.models import (
    AttestedDataset,
    Code,
    Dataset,
    Event,
    History,
    Info,
    Reading,
    SeriesValue,
    Status,
    Vintages,
)
from wattfeed.series import SeriesHistory, SeriesRevision, SeriesTable

if TYPE_CHECKING:
    from wattfeed.verify import ProvenRange, Trust

T = TypeVar("T")


class Client:
    """Reads a wattfeed server. Needs only the standard library.

    Proxies come from the environment (``HTTPS_PROXY``, ``NO_PROXY``). Redirects are not followed.
    Threads may share a client.

    Args:
        url: Base URL of the server. A user and password in it are sent as a header.
        timeout: Seconds for one attempt, up to the last byte of the answer. Connecting may take as long again.
        retry_for: Seconds during which a failed request is retried. The pauses double from about a second, or are those
            of the server's ``Retry-After``. A request that needs a longer pause fails at once. 0 never retries.

    >>> client = Client("http://localhost:4030", timeout=10, retry_for=30)
    >>> client.reading("EIA.PET.PRICE.WTI.DAILY").unit
    '$/bbl'
    """

    def __init__(self, url: str, *, timeout: float = 30.0, retry_for: float = 60.0) -> None:
        """Checks the URL; opens no connection."""
        self._server = Server(url)
        self._timeout = timeout
        self._retry_for = retry_for
        self._chain_name: str | None = None
        self._ids: list[str] = []

    def chain_name(self) -> str:
        """Returns the name of the server's chain. It is read once.

        >>> Client("http://localhost:4030").chain_name()
        'casper-devnet'
        """
        self._chain_name = self._chain_name or self._run(operations.read_chain_name())
        return self._chain_name

    def reading(self, feed_id: str) -> Reading:
        """Returns the metadata and newest value of a feed.

        Raises:
            NotFoundError: The feed is not registered, or has no value.

        >>> client = Client("http://localhost:4030")
        >>> reading = client.reading("EIA.NG.STORAGE.L48_WORKING.WEEKLY")
        >>> reading.unit, reading.frequency, reading.period_code == int(f"{reading.period:%Y%m%d}")
        ('Bcf', 'weekly', True)
        """
        return self._run(operations.read_reading(feed_id))

    def readings(self, ids: Sequence[str] | None = None) -> list[Reading | ApiError]:
        """Returns the newest values of several feeds, all of one state root.

        Args:
            ids: 1 to 100 ids. None reads all feeds.

        Returns:
            One result for each id, in that order: a reading, or the error of that feed. It is not raised, so that one
            bad id does not fail the others. The list of all feeds has no errors.

        >>> client = Client("http://localhost:4030")
        >>> for result in client.readings(["EIA.PET.PRICE.WTI.DAILY", "NOPE"]):
        ...     print(result.unit if isinstance(result, Reading) else result.code)
        $/bbl
        feed_not_found
        >>> len(client.readings()) > 30
        True
        """
        if ids is None:
            return list(self._run(operations.read_all()))
        results = self._run(operations.read_readings(ids))
        for result in results:
            if isinstance(result, NotFoundError):
                self._suggest(result)
        return results

    def search(self, text: str) -> list[Reading]:
        """Returns the feeds that have all words of a text in their id, title, unit, route, frequency or description.

        Case does not matter. A text without words returns all feeds. The server accepts up to 200 characters.

        >>> client = Client("http://localhost:4030")
        >>> [reading.feed_id for reading in client.search("wti spot")]
        ['EIA.PET.PRICE.WTI.DAILY']
        """
        return self._run(operations.search_feeds(text))

    @overload
    def history(  # type: ignore[overload-overlap]  # a text is one id
        self,
        feed_id: str,
        *,
        period_from: Day | None = None,
        period_to: Day | None = None,
        as_of: Day | None = None,
        vintages: Vintages | None = None,
        order: Literal["asc", "desc"] | None = None,
        limit: int | None = None,
    ) -> History: ...
    @overload
    def history(
        self,
        feed_id: Iterable[str],
        *,
        period_from: Day | None = None,
        period_to: Day | None = None,
        as_of: Day | None = None,
        vintages: Vintages | None = None,
        order: Literal["asc", "desc"] | None = None,
        limit: int | None = None,
    ) -> list[History]: ...
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
    ) -> History | list[History]:
        """Returns the attested values of a feed, all pages of it. Values that are attested meanwhile are left out.

        The server reads a long history from the chain once. Until then it asks to retry, which `retry_for` bounds.

        Args:
            feed_id: The feed. Several ids are read in parallel, and the result is a list in their order. Each history
                has a `version` of its own, because values may be attested meanwhile.
            period_from: First period: those that start on this day (UTC) or later. A date, or its ISO text.
            period_to: Last period: those that start on this day (UTC) or earlier.
            as_of: Only values that were on chain then: an aware datetime, or a date (the end of that day in UTC). Or
                its ISO text. This is block time, not EIA's time of publication.
            vintages: ``all`` (default); ``first`` or ``latest``: one row for each period, in the order of periods.
            order: ``asc`` (default) or ``desc``.
            limit: Maximum number of rows of each feed.

        Raises:
            NotFoundError: The feed, or one of them, is not registered.
            ValueError: A text is not a date, or `period_from` is after `period_to`.

        >>> client = Client("http://localhost:4030")
        >>> history = client.history("EIA.PET.PRICE.WTI.DAILY", vintages="first", period_from="2026-01-01")
        >>> [row.revision for row in history[:3]], history.unit
        ([0, 0, 0], '$/bbl')
        >>> both = client.history(["EIA.PET.PRICE.WTI.DAILY", "EIA.PET.PRICE.BRENT.DAILY"], limit=3)
        >>> [(history.feed_id, len(history)) for history in both]
        [('EIA.PET.PRICE.WTI.DAILY', 3), ('EIA.PET.PRICE.BRENT.DAILY', 3)]
        """
        query = operations.history_query(
            period_from=period_from, period_to=period_to, as_of=as_of, vintages=vintages, order=order
        )
        if isinstance(feed_id, str):
            return self._run(operations.read_history(feed_id, query, limit))
        return self._map(lambda each: operations.read_history(each, query, limit), operations.check_ids(feed_id))

    def info(self, feed_id: str) -> Info:
        """Returns what describes a feed: its metadata, the first and the last period, and the number of values.

        Raises:
            NotFoundError: The feed is not registered, or has no value.

        >>> client = Client("http://localhost:4030")
        >>> info = client.info("EIA.COAL.PROD.US.ANNUAL")
        >>> info.title, info.frequency, info.unit, info.first.period_start.month, info.last.period_end.month
        ('US coal production', 'annual', 'short tons', 1, 12)
        """
        return self._run(operations.read_info(feed_id, self.chain_name()))

    def datasets(self, text: str = "") -> list[Dataset]:
        """Returns the datasets of EIA's catalog that have all words of a text in their route, name or description.

        Case does not matter. A text without words returns all datasets.

        >>> client = Client("http://localhost:4030")
        >>> [dataset.route for dataset in client.datasets("crude cushing")]
        ['petroleum/stoc/cu']
        """
        return self._run(operations.read_datasets(text))

    def attested_datasets(self) -> list[AttestedDataset]:
        """Returns the datasets whose roots are on the chain: `series` reads each of their series.

        >>> client = Client("http://localhost:4030")
        >>> for found in client.attested_datasets():
        ...     print(found.route, found.frequency, found.facets)
        electricity/retail-sales monthly ('sectorid', 'stateid')
        petroleum/pri/gnd weekly ('duoarea', 'process', 'product', 'series')
        """
        return self._run(operations.read_attested_datasets())

    def codes(self, route: str, frequency: str, facet: str, text: str = "") -> list[Code]:
        """Returns the codes of a facet that an attested dataset has, and how many values have each.

        Nothing proves them. The value of a series that is read with one is proven.

        Args:
            route: EIA's route of the dataset.
            frequency: Its frequency.
            facet: The facet.
            text: Only codes that contain this text, or have it in their name. Case does not matter.

        Raises:
            ApiError: The dataset does not have the facet (status 400). Or it is not attested (code
                ``dataset_not_found``), or the server has no datasets (``datasets_unset``). Or the files of the
                dataset do not list the codes (``codes_missing``), or are not there yet (``snapshot_missing``).

        >>> client = Client("http://localhost:4030")
        >>> client.codes("electricity/retail-sales", "monthly", "stateid", "california")[0].id
        'CA'
        """
        return self._run(operations.read_codes(route, frequency, facet, text))

    def series(
        self,
        route: str,
        frequency: str,
        column: str,
        facets: Mapping[str, str | None],
        period: str | None = None,
        *,
        as_of: Day | None = None,
        index: int | None = None,
    ) -> SeriesValue | None:
        """Returns a value of a series of a dataset, or None if the series has none for the period.

        Its root is attested, and ``/v1/series/proof`` proves the value. This method does not check that proof. See
        `wattfeed.verify.verify_series`.

        Args:
            route: EIA's route of the dataset.
            frequency: Its frequency.
            column: EIA's id of the column.
            facets: The value of **every** facet of the dataset; None if the series has none. The error of a missing
                facet names it.
            period: EIA's text of a period. None is the newest one of the series.
            as_of: As in `series_history`.
            index: As in `series_history`.

        Raises:
            SnapshotGoneError: The server does not have the files of the root of `as_of` or `index`.
            NotCoveredError: The root was made without the column or with other facets.
            ApiError: A facet is missing or unknown (status 400). The dataset does not have the series (code
                ``series_absent``), because the code of a facet is wrong, or EIA has no such combination. The dataset is
                not attested (``dataset_not_found``), or the server has no datasets (``datasets_unset``). Or the server
                does not have the files of the newest root yet, and an earlier one does not have the value (status 503,
                code ``snapshot_missing``).

        >>> client = Client("http://localhost:4030")
        >>> facets = {"stateid": "CA", "sectorid": "COM"}
        >>> client.series("electricity/retail-sales", "monthly", "price", facets).unit
        'cents per kilowatt-hour'
        """
        series = datasets.series_pairs(route, frequency, column, facets)
        return self._run(datasets.read_series(series, period, datasets.root_pairs(as_of, index)))

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
    ) -> SeriesHistory:
        """Returns the values of a series of a dataset, all pages of them, by one root.

        The server has checked them against the root, and that none is missing. `prove_series_history` checks it here.

        Args:
            route: EIA's route of the dataset.
            frequency: Its frequency.
            column: EIA's id of the column.
            facets: The value of **every** facet of the dataset; None if the series has none.
            period_from: First period, as EIA's text, such as ``2021-01``.
            period_to: Last period, as EIA's text.
            order: ``asc`` or ``desc``. With `limit`, the values are the oldest or the newest.
            limit: Maximum number of values.
            as_of: The newest root that was attested up to then: an aware datetime, or a date (the end of that day in
                UTC). Or its ISO text. This is block time, not EIA's time of publication.
            index: The root of the attestation with this index, from 0. Pass this or `as_of`; without both, the newest
                root whose files the server has.

        Raises:
            SnapshotGoneError: The server does not have the files of the root, or has lost them while pages were read.
            NotCoveredError: The root was made without the column or with other facets.
            ApiError: As in `series`. A series without any value has the code ``series_absent``; one without values
                between the bounds has no rows.

        >>> client = Client("http://localhost:4030")
        >>> facets = {"stateid": "CA", "sectorid": "COM"}
        >>> history = client.series_history("electricity/retail-sales", "monthly", "price", facets, limit=2)
        >>> [type(row.number).__name__ for row in history]
        ['float', 'float']
        """
        series = datasets.series_pairs(route, frequency, column, facets)
        root = datasets.root_pairs(as_of, index)
        query = datasets.HistoryQuery(series, period_from, period_to, order, limit, root)
        return self._run(datasets.read_series_history(query))

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
    ) -> SeriesTable:
        """Returns rows of many series of a dataset, all pages of them, by one root.

        The server must have the files in a local folder. All rows are kept in memory: of a large dataset, select some
        or set `limit`.

        Args:
            route: EIA's route of the dataset.
            frequency: Its frequency.
            columns: One column or several; None for all.
            facets: One code or several of a facet; None stands for rows without a code. A facet that is left out may
                have any.
            period_from: First period, as EIA's text.
            period_to: Last period, as EIA's text.
            sort: ``period``, ``column`` or a facet, with ``-`` before it in descending order; or several of these.
                What they leave out follows in the order column, facets, period.
            limit: Maximum number of rows.
            as_of: As in `series_history`.
            index: As in `series_history`.

        Raises:
            SnapshotGoneError: As in `series_history`.
            NotCoveredError: As in `series_history`.
            ApiError: A name is not one of the dataset (status 400), or the server has no local files of it.

        >>> client = Client("http://localhost:4030")
        >>> states = {"stateid": ["CA", "NY"]}
        >>> table = client.series_table("electricity/retail-sales", "monthly", "price", states, limit=3)
        >>> {row.column for row in table}, len(table), table.total > 3
        ({'price'}, 3, True)
        """
        query = datasets.table_pairs((route, frequency), columns, facets, (period_from, period_to), sort)
        return self._run(datasets.read_series_table(query, limit, datasets.root_pairs(as_of, index)))

    def series_revisions(
        self,
        route: str,
        frequency: str,
        column: str,
        facets: Mapping[str, str | None],
        period: str,
        *,
        order: Literal["asc", "desc"] = "asc",
        limit: int | None = None,
    ) -> list[SeriesRevision]:
        """Returns what each root of a dataset says of the value of a period, in the order of attestation.

        Args:
            route: EIA's route of the dataset.
            frequency: Its frequency.
            column: EIA's id of the column.
            facets: The value of **every** facet of the dataset; None if the series has none.
            period: EIA's text of the period.
            order: ``asc`` for the oldest root first, or ``desc``.
            limit: Maximum number of roots.

        Raises:
            ApiError: A facet is missing or unknown (status 400), or the dataset is not attested.

        >>> client = Client("http://localhost:4030")
        >>> facets = {"stateid": "CA", "sectorid": "COM"}
        >>> newest = client.series("electricity/retail-sales", "monthly", "price", facets)
        >>> asked = ("electricity/retail-sales", "monthly", "price", facets, newest.period)
        >>> [said.index for said in client.series_revisions(*asked, limit=1)]
        [0]
        """
        series = datasets.series_pairs(route, frequency, column, facets)
        return self._run(datasets.read_revisions(series, period, order, limit))

    def prove_series_history(self, history: SeriesHistory, trust: Trust) -> ProvenRange:
        """Reads the proof of a history, and checks it from one block hash that you trust.

        Needs ``pip install 'wattfeed[verify]'``. A proof has at most 5,000 values: of a longer history, read parts.

        Args:
            history: What `series_history` has returned.
            trust: The hash of a switch block, the chain and the registries.

        Returns:
            What is proven: exactly the values of the history, by its root. That there are no others relies on the order
            of all values, which the attester has chosen.

        Raises:
            RefutedError: The proof does not hold, or shows other values. It is in `wattfeed.verify`.
            UnreadableError: The answer is not a proof. It is in `wattfeed.verify`.
            ApiError: The server cannot prove it.

        >>> client = Client("http://localhost:4030")
        >>> history = client.series_history(...)  # doctest: +SKIP
        >>> print(client.prove_series_history(history, trust))  # doctest: +SKIP
        """
        return self._run(prove_history(history, trust))

    def status(self, feed_id: str) -> Status:
        """Returns whether a feed is up to date, by EIA's calendar.

        Raises:
            NotFoundError: The feed is not registered, or has no value.

        >>> client = Client("http://localhost:4030")
        >>> client.status("EIA.NG.STORAGE.L48_WORKING.WEEKLY").cadence.rule
        'natural-gas-storage'
        """
        return self._run(operations.read_status(feed_id))

    def statuses(self) -> list[Status]:
        """Returns the status of every feed, in the order of `readings`.

        >>> client = Client("http://localhost:4030")
        >>> {status.state for status in client.statuses()} <= {"current", "due", "late", "stale", "unknown"}
        True
        """
        return self._run(operations.read_statuses())

    def stream(
        self, ids: Sequence[str] | None = None, *, position: str | None = None, snapshot: bool = False
    ) -> Iterator[Event]:
        """Yields new values as they are attested, each event once and in the order of its log.

        Reconnects and resumes by itself when the connection breaks, ends, or is silent for 45 s. Never ends by itself.
        To resume later, also at another server, keep the `position` of an event.

        Args:
            ids: The feeds. None is all feeds, including those that are registered later.
            position: Resume after this position. None starts with new events.
            snapshot: Start with a `Snapshot` of each feed, also after a `Reset`.

        Raises:
            ApiError: The server rejects the request. Temporary errors are logged (logger ``wattfeed``) and retried.

        >>> from wattfeed import Position
        >>> client = Client("http://localhost:4030")
        >>> for event in client.stream(["EIA.PET.PRICE.WTI.DAILY"], snapshot=True):
        ...     print(type(event).__name__)
        ...     if isinstance(event, Position):
        ...         break
        Snapshot
        Position
        """
        return self._follow(Resumption(ids, position, snapshot=snapshot))

    def _follow(self, resumption: Resumption) -> Iterator[Event]:
        retries = StreamRetries()
        while True:
            error: WattfeedError | None = None
            try:
                for event in self._connect(resumption.path()):
                    retries.reset()
                    resumption.see(event)
                    yield event
            except WattfeedError as cause:
                error = cause
            sleep(retries.pause(error))

    def _connect(self, path: str) -> Iterator[Event]:
        with closing(EventSource(self._server, path, connect_s=CONNECT_S, silence_s=SILENCE_S)) as source:
            operations.check_stream(source.answer())
            parser = EventParser()
            for chunk in source.chunks():
                yield from parser.feed(chunk)

    def _map(self, operation_of: Callable[[str], operations.Operation[T]], ids: Sequence[str]) -> list[T]:
        """Runs an operation for each id, some at once."""
        if len(ids) == 1:
            return [self._run(operation_of(ids[0]))]
        pool = ThreadPoolExecutor(operations.PARALLEL)
        try:
            return list(pool.map(lambda each: self._run(operation_of(each)), ids))
        finally:
            # If one of them has failed, the caller need not wait for the others.
            pool.shutdown(wait=False, cancel_futures=True)

    def _run(self, operation: Generator[str, operations.Document, T]) -> T:
        try:
            path = next(operation)
            while True:
                try:
                    document = operations.document_of(self._get(path))
                except ApiError as error:
                    path = operation.throw(error)
                else:
                    path = operation.send(document)
        except StopIteration as end:
            result: T = end.value
            return result

    def _get(self, path: str, accept: str = "application/json") -> Answer:
        retries = Retries(self._retry_for)
        while True:
            try:
                return operations.check(fetch(self._server, path, self._timeout, accept))
            except NotFoundError as error:
                self._suggest(error)
                raise
            except WattfeedError as error:
                sleep(retries.pause(error))

    def _suggest(self, error: NotFoundError) -> None:
        """Adds the id that was probably meant. The ids are read once; if that fails, the error stays as it is."""
        missing = operations.missing_id(error)
        if missing is None:
            return
        try:
            self._ids = self._ids or operations.ids_of(fetch(self._server, operations.IDS_PATH, self._timeout, "*/*"))
        except WattfeedError:
            return
        error.suggestion = operations.near_id(missing, self._ids)
