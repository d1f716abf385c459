"""The client for `asyncio`. Needs aiohttp: ``pip install 'wattfeed[async]'``."""

# cspell:ignore readany

from __future__ import annotations

import asyncio
from asyncio import sleep
from contextlib import aclosing
from typing import TYPE_CHECKING, Literal, TypeVar, overload

try:
    import aiohttp
    from yarl import URL
except ModuleNotFoundError as error:
    raise ImportError(f"wattfeed.aio needs the library {error.name}: pip install 'wattfeed[async]'") from error

from wattfeed import _datasets as datasets
from wattfeed import _operations as operations
from wattfeed._decode import Answer
from wattfeed._events import CONNECT_S, SILENCE_S, EventParser, Resumption
from wattfeed._http import Body, Server, failure, unpacked
from wattfeed._proofs import prove_history
from wattfeed._retry import Retries, StreamRetries
from wattfeed.errors import ApiError, NotFoundError, WattfeedError

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Awaitable, Iterable, Mapping, Sequence
    from types import TracebackType

    from typing_extensions import Self

    from wattfeed._days import Day
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
    from wattfeed.verify import ProvenRange, Trust

__all__ = ["AsyncClient"]

T = TypeVar("T")


class AsyncClient:
    """Reads a wattfeed server like `wattfeed.Client`: the same methods, results and exceptions.

    Use it with ``async with``, or call `close`. It keeps connections open between requests. It belongs to one event
    loop, whose tasks may share it.

    Args:
        url: Base URL of the server. A user and password in it are sent as a header.
        timeout: Seconds for one attempt, from connecting to the last byte of the answer.
        retry_for: Seconds during which a failed request is retried, as in `wattfeed.Client`. 0 never retries.

    >>> import asyncio
    >>> async def main() -> list[str]:
    ...     async with AsyncClient("http://localhost:4030", timeout=10, retry_for=30) as client:
    ...         ids = ["EIA.PET.PRICE.WTI.DAILY", "EIA.NG.STORAGE.L48_WORKING.WEEKLY"]
    ...         readings = await asyncio.gather(*[client.reading(each) for each in ids])
    ...     return [reading.unit for reading in readings]
    >>> asyncio.run(main())
    ['$/bbl', 'Bcf']
    """

    def __init__(self, url: str, *, timeout: float = 30.0, retry_for: float = 60.0) -> None:
        """Checks the URL; opens no connection."""
        self._server = Server(url)
        self._timeout = timeout
        self._retry_for = retry_for
        self._chain_name: str | None = None
        self._ids: list[str] = []
        self._session: aiohttp.ClientSession | None = None

    async def __aenter__(self) -> Self:
        """Returns the client."""
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        """Closes the connections."""
        await self.close()

    async def close(self) -> None:
        """Closes the connections, also those of streams. The client cannot be used again.

        >>> import asyncio
        >>> asyncio.run(AsyncClient("http://localhost:4030").close())
        """
        if self._session is not None:
            await self._session.close()

    async def chain_name(self) -> str:
        """Returns the name of the server's chain, as `wattfeed.Client.chain_name`.

        >>> import asyncio
        >>> async def main() -> str:
        ...     async with AsyncClient("http://localhost:4030") as client:
        ...         return await client.chain_name()
        >>> asyncio.run(main())
        'casper-devnet'
        """
        if self._chain_name is None:
            self._chain_name = await self._run(operations.read_chain_name())
        return self._chain_name

    async def reading(self, feed_id: str) -> Reading:
        """Returns the metadata and newest value of a feed, as `wattfeed.Client.reading`.

        Raises:
            NotFoundError: The feed is not registered, or has no value.

        >>> import asyncio
        >>> async def main() -> Reading:
        ...     async with AsyncClient("http://localhost:4030") as client:
        ...         return await client.reading("EIA.NG.STORAGE.L48_WORKING.WEEKLY")
        >>> asyncio.run(main()).frequency
        'weekly'
        """
        return await self._run(operations.read_reading(feed_id))

    async def readings(self, ids: Sequence[str] | None = None) -> list[Reading | ApiError]:
        """Returns the newest values of several feeds, as `wattfeed.Client.readings`.

        Args:
            ids: 1 to 100 ids. None reads all feeds.

        Returns:
            One result for each id: a reading, or the error of that feed.

        >>> import asyncio
        >>> async def main() -> list[Reading | ApiError]:
        ...     async with AsyncClient("http://localhost:4030") as client:
        ...         return await client.readings(["EIA.PET.PRICE.WTI.DAILY", "NOPE"])
        >>> [type(result).__name__ for result in asyncio.run(main())]
        ['Reading', 'NotFoundError']
        """
        if ids is None:
            return list(await self._run(operations.read_all()))
        results = await self._run(operations.read_readings(ids))
        for result in results:
            if isinstance(result, NotFoundError):
                await self._suggest(result)
        return results

    async def search(self, text: str) -> list[Reading]:
        """Returns the feeds that have all words of a text, as `wattfeed.Client.search`.

        >>> import asyncio
        >>> async def main() -> list[Reading]:
        ...     async with AsyncClient("http://localhost:4030") as client:
        ...         return await client.search("wti spot")
        >>> [reading.feed_id for reading in asyncio.run(main())]
        ['EIA.PET.PRICE.WTI.DAILY']
        """
        return await self._run(operations.search_feeds(text))

    @overload
    async def history(  # type: ignore[overload-overlap]  # a text is one id
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
    async def history(
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
    async def history(
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
        """Returns the attested values of a feed, or a list for several, all pages of them.

        The arguments are those of `wattfeed.Client.history`.

        Raises:
            NotFoundError: The feed, or one of them, is not registered.

        >>> import asyncio
        >>> async def main() -> History:
        ...     async with AsyncClient("http://localhost:4030") as client:
        ...         return await client.history("EIA.PET.PRICE.WTI.DAILY", vintages="first", limit=3)
        >>> [row.revision for row in asyncio.run(main())]
        [0, 0, 0]
        """
        query = operations.history_query(
            period_from=period_from, period_to=period_to, as_of=as_of, vintages=vintages, order=order
        )
        if isinstance(feed_id, str):
            return await self._run(operations.read_history(feed_id, query, limit))
        slots = asyncio.Semaphore(operations.PARALLEL)

        async def read(each: str) -> History:
            async with slots:
                return await self._run(operations.read_history(each, query, limit))

        tasks = [asyncio.ensure_future(read(each)) for each in operations.check_ids(feed_id)]
        try:
            return await asyncio.gather(*tasks)
        finally:
            # If one of them has failed.
            for task in tasks:
                task.cancel()

    async def info(self, feed_id: str) -> Info:
        """Returns what describes a feed, as `wattfeed.Client.info`.

        Raises:
            NotFoundError: The feed is not registered, or has no value.

        >>> import asyncio
        >>> async def main() -> Info:
        ...     async with AsyncClient("http://localhost:4030") as client:
        ...         return await client.info("EIA.COAL.PROD.US.ANNUAL")
        >>> asyncio.run(main()).unit
        'short tons'
        """
        return await self._run(operations.read_info(feed_id, await self.chain_name()))

    async def datasets(self, text: str = "") -> list[Dataset]:
        """Returns the datasets of EIA's catalog that have all words of a text, as `wattfeed.Client.datasets`.

        >>> import asyncio
        >>> async def main() -> list[Dataset]:
        ...     async with AsyncClient("http://localhost:4030") as client:
        ...         return await client.datasets("crude cushing")
        >>> [dataset.route for dataset in asyncio.run(main())]
        ['petroleum/stoc/cu']
        """
        return await self._run(operations.read_datasets(text))

    async def attested_datasets(self) -> list[AttestedDataset]:
        """Returns the datasets whose roots are on the chain, as `wattfeed.Client.attested_datasets`.

        >>> import asyncio
        >>> async def main() -> list[AttestedDataset]:
        ...     async with AsyncClient("http://localhost:4030") as client:
        ...         return await client.attested_datasets()
        >>> [found.route for found in asyncio.run(main())]
        ['electricity/retail-sales', 'petroleum/pri/gnd']
        """
        return await self._run(operations.read_attested_datasets())

    async def codes(self, route: str, frequency: str, facet: str, text: str = "") -> list[Code]:
        """Returns the codes of a facet that an attested dataset has, as `wattfeed.Client.codes`.

        Raises:
            ApiError: The dataset does not have the facet, is not attested, or does not list its codes.

        >>> import asyncio
        >>> async def main() -> list[Code]:
        ...     async with AsyncClient("http://localhost:4030") as client:
        ...         return await client.codes("electricity/retail-sales", "monthly", "stateid", "california")
        >>> [code.id for code in asyncio.run(main())]
        ['CA']
        """
        return await self._run(operations.read_codes(route, frequency, facet, text))

    async def series(
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
        """Returns a value of a series of a dataset, or None, as `wattfeed.Client.series`.

        Raises:
            ApiError: A facet is missing, the dataset does not have the series or is not attested, or the server has no
                datasets.

        >>> import asyncio
        >>> async def main() -> SeriesValue | None:
        ...     facets = {"stateid": "CA", "sectorid": "COM"}
        ...     async with AsyncClient("http://localhost:4030") as client:
        ...         return await client.series("electricity/retail-sales", "monthly", "price", facets)
        >>> asyncio.run(main()).unit
        'cents per kilowatt-hour'
        """
        series = datasets.series_pairs(route, frequency, column, facets)
        return await self._run(datasets.read_series(series, period, datasets.root_pairs(as_of, index)))

    async def series_history(
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
        """Returns the values of a series of a dataset by one root, as `wattfeed.Client.series_history`.

        Raises:
            SnapshotGoneError: The server does not have the files of the root.
            NotCoveredError: The root was made without the column or with other facets.
            ApiError: As in `series`.

        >>> import asyncio
        >>> async def main() -> SeriesHistory:
        ...     facets = {"stateid": "CA", "sectorid": "COM"}
        ...     async with AsyncClient("http://localhost:4030") as client:
        ...         return await client.series_history("electricity/retail-sales", "monthly", "price", facets, limit=2)
        >>> len(asyncio.run(main()))
        2
        """
        series = datasets.series_pairs(route, frequency, column, facets)
        root = datasets.root_pairs(as_of, index)
        query = datasets.HistoryQuery(series, period_from, period_to, order, limit, root)
        return await self._run(datasets.read_series_history(query))

    async def series_table(
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
        """Returns rows of many series of a dataset by one root, as `wattfeed.Client.series_table`.

        Raises:
            SnapshotGoneError: The server does not have the files of the root.
            NotCoveredError: The root was made without a column or with other facets.
            ApiError: A name is not one of the dataset, or the server has no local files of it.

        >>> import asyncio
        >>> async def main() -> SeriesTable:
        ...     async with AsyncClient("http://localhost:4030") as client:
        ...         return await client.series_table("electricity/retail-sales", "monthly", "price", limit=3)
        >>> [row.column for row in asyncio.run(main())]
        ['price', 'price', 'price']
        """
        query = datasets.table_pairs((route, frequency), columns, facets, (period_from, period_to), sort)
        return await self._run(datasets.read_series_table(query, limit, datasets.root_pairs(as_of, index)))

    async def series_revisions(
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
        """Returns what each root says of a value, as `wattfeed.Client.series_revisions`.

        Raises:
            ApiError: A facet is missing or unknown (status 400), or the dataset is not attested.

        >>> import asyncio
        >>> async def main() -> list[SeriesRevision]:
        ...     facets = {"stateid": "CA", "sectorid": "COM"}
        ...     asked = ("electricity/retail-sales", "monthly", "price", facets, "1990-01")
        ...     async with AsyncClient("http://localhost:4030") as client:
        ...         return await client.series_revisions(*asked, limit=1)
        >>> [said.index for said in asyncio.run(main())]
        [0]
        """
        series = datasets.series_pairs(route, frequency, column, facets)
        return await self._run(datasets.read_revisions(series, period, order, limit))

    async def prove_series_history(self, history: SeriesHistory, trust: Trust) -> ProvenRange:
        """Checks the proof of a history, as `wattfeed.Client.prove_series_history`.

        Raises:
            RefutedError: The proof does not hold, or shows other values. It is in `wattfeed.verify`.
            UnreadableError: The answer is not a proof. It is in `wattfeed.verify`.
            ApiError: The server cannot prove it.

        >>> async def check(client: AsyncClient, history: SeriesHistory, trust: Trust) -> int:
        ...     return len((await client.prove_series_history(history, trust)).values)
        """
        return await self._run(prove_history(history, trust))

    async def status(self, feed_id: str) -> Status:
        """Returns whether a feed is up to date, as `wattfeed.Client.status`.

        Raises:
            NotFoundError: The feed is not registered, or has no value.

        >>> import asyncio
        >>> async def main() -> Status:
        ...     async with AsyncClient("http://localhost:4030") as client:
        ...         return await client.status("EIA.NG.STORAGE.L48_WORKING.WEEKLY")
        >>> asyncio.run(main()).cadence.rule
        'natural-gas-storage'
        """
        return await self._run(operations.read_status(feed_id))

    async def statuses(self) -> list[Status]:
        """Returns the status of every feed, in the order of `readings`.

        >>> import asyncio
        >>> async def main() -> list[Status]:
        ...     async with AsyncClient("http://localhost:4030") as client:
        ...         return await client.statuses()
        >>> len(asyncio.run(main())) > 30
        True
        """
        return await self._run(operations.read_statuses())

    def stream(
        self, ids: Sequence[str] | None = None, *, position: str | None = None, snapshot: bool = False
    ) -> AsyncGenerator[Event, None]:
        """Yields new values as they are attested, and resumes by itself, as `wattfeed.Client.stream`.

        To end it before the client is closed, use `contextlib.aclosing`.

        Raises:
            ApiError: The server rejects the request. Temporary errors are logged (logger ``wattfeed``) and retried.

        >>> import asyncio
        >>> from contextlib import aclosing
        >>> async def main() -> Event:
        ...     async with AsyncClient("http://localhost:4030") as client:
        ...         async with aclosing(client.stream(["EIA.PET.PRICE.WTI.DAILY"], snapshot=True)) as events:
        ...             return await events.__anext__()
        >>> asyncio.run(main()).feed.unit
        '$/bbl'
        """
        return self._follow(Resumption(ids, position, snapshot=snapshot))

    async def _follow(self, resumption: Resumption) -> AsyncGenerator[Event, None]:
        retries = StreamRetries()
        while True:
            error: WattfeedError | None = None
            try:
                async with aclosing(self._connect(resumption.path())) as events:
                    async for event in events:
                        retries.reset()
                        resumption.see(event)
                        yield event
            except WattfeedError as cause:
                error = cause
            await sleep(retries.pause(error))

    async def _connect(self, path: str) -> AsyncGenerator[Event, None]:
        async with await self._within(CONNECT_S, self._request(path, "text/event-stream")) as response:
            body = b"" if response.status == 200 else await self._within(SILENCE_S, _read_body(response))
            operations.check_stream(_answer(response, body))
            parser = EventParser()
            while chunk := await self._within(SILENCE_S, response.content.readany()):
                for event in parser.feed(chunk):
                    yield event

    async def _run(self, operation: operations.Operation[T]) -> T:
        try:
            path = next(operation)
            while True:
                try:
                    document = operations.document_of(await self._get(path))
                except ApiError as error:
                    path = operation.throw(error)
                else:
                    path = operation.send(document)
        except StopIteration as end:
            result: T = end.value
            return result

    async def _get(self, path: str) -> Answer:
        retries = Retries(self._retry_for)
        while True:
            try:
                return operations.check(await self._within(self._timeout, self._fetch(path)))
            except NotFoundError as error:
                await self._suggest(error)
                raise
            except WattfeedError as error:
                await sleep(retries.pause(error))

    async def _suggest(self, error: NotFoundError) -> None:
        """Adds the id that was probably meant. The ids are read once; if that fails, the error stays as it is."""
        missing = operations.missing_id(error)
        if missing is None:
            return
        try:
            self._ids = self._ids or operations.ids_of(
                await self._within(self._timeout, self._fetch(operations.IDS_PATH))
            )
        except WattfeedError:
            return
        error.suggestion = operations.near_id(missing, self._ids)

    async def _within(self, seconds: float, action: Awaitable[T]) -> T:
        """Waits so long for a part of an answer."""
        try:
            return await asyncio.wait_for(action, seconds)
        except asyncio.TimeoutError as error:
            raise failure(TimeoutError(), seconds, self._server) from error
        except (OSError, aiohttp.ClientError) as error:
            raise failure(error, seconds, self._server) from error

    async def _fetch(self, path: str) -> Answer:
        async with await self._request(path, "application/json") as response:
            return _answer(response, await _read_body(response))

    async def _request(self, path: str, accept: str) -> aiohttp.ClientResponse:
        if self._session is None:
            # Timeouts are those of `_within`, and a server's cookies are not wanted.
            self._session = aiohttp.ClientSession(
                timeout=aiohttp.ClientTimeout(), cookie_jar=aiohttp.DummyCookieJar(), auto_decompress=False
            )
        return await self._session.get(
            # The path is encoded already.
            URL(f"{self._server.base}{path}", encoded=True),
            headers={**self._server.headers, "Accept": accept},
            proxy=self._server.proxy(),
            allow_redirects=False,
        )


async def _read_body(response: aiohttp.ClientResponse) -> bytes:
    body = Body()
    async for chunk in response.content.iter_any():
        body.add(chunk)
    return body.complete()


def _answer(response: aiohttp.ClientResponse, body: bytes) -> Answer:
    headers = {name.lower(): value for name, value in response.headers.items()}
    return Answer(response.status, headers, unpacked(body, headers.get("content-encoding")))
