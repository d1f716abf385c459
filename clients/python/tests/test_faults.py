"""Answers of a misbehaving server, over real sockets, for both clients."""

# cspell:ignore delenv RDWR

import asyncio
import contextlib
import gzip
import json
import socket
import threading
import zlib
from collections.abc import AsyncGenerator, Callable, Coroutine, Iterator, Sequence
from datetime import date, datetime, timezone
from pathlib import Path
from typing import Any, TypeVar

import pytest

import wattfeed._client
import wattfeed._http
import wattfeed.aio
from wattfeed import (
    AnswerError,
    ApiError,
    AttestedDataset,
    Client,
    Code,
    DeadlineError,
    Event,
    NotFoundError,
    Position,
    Reading,
    SeriesValue,
    TransportError,
)
from wattfeed._decode import Fields, decode_series_value
from wattfeed._http import unpacked
from wattfeed.aio import AsyncClient

T = TypeVar("T")
Connect = Callable[..., "Client | Blocking"]
Serve = Callable[..., tuple["Client | Blocking", list[str]]]

POSITION = "0f3c9a1e-7b2d4c88-5e1f0a9b.f36.a1"
STREAM = b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n"


class Blocking:
    """The asynchronous client, in a loop of its own that runs during a call."""

    def __init__(self, url: str, **options: float) -> None:
        self._loop = asyncio.new_event_loop()
        self._client = AsyncClient(url, **options)

    def _wait(self, action: Coroutine[Any, Any, T]) -> T:
        return self._loop.run_until_complete(action)

    def readings(self, ids: Sequence[str] | None = None) -> list[Reading | ApiError]:
        return self._wait(self._client.readings(ids))

    def reading(self, feed_id: str) -> Reading:
        return self._wait(self._client.reading(feed_id))

    def attested_datasets(self) -> list[AttestedDataset]:
        return self._wait(self._client.attested_datasets())

    def codes(self, *asked: str) -> list[Code]:
        return self._wait(self._client.codes(*asked))

    def series(self, *asked: Any) -> SeriesValue | None:
        return self._wait(self._client.series(*asked))

    def stream(self, ids: Sequence[str] | None = None) -> Iterator[Event]:
        events: AsyncGenerator[Event, None] = self._client.stream(ids)
        while True:
            yield self._wait(events.__anext__())

    def close(self) -> None:
        self._wait(self._client.close())
        self._wait(self._loop.shutdown_asyncgens())
        self._loop.close()


@pytest.fixture(params=["sync", "async"])
def connect(request: pytest.FixtureRequest) -> Iterator[Connect]:
    """Makes clients of either kind."""
    with contextlib.ExitStack() as clients:

        def make(url: str, **options: float) -> Client | Blocking:
            if request.param == "sync":
                return Client(url, **options)
            return clients.enter_context(contextlib.closing(Blocking(url, **options)))

        yield make


def answer(body: bytes, status: str = "200 OK", *headers: str) -> bytes:
    head = [f"HTTP/1.1 {status}", f"Content-Length: {len(body)}", *headers, "", ""]
    return "\r\n".join(head).encode() + body


@pytest.fixture
def pauses(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    seen: list[float] = []

    async def pause(seconds: float) -> None:
        seen.append(seconds)

    monkeypatch.setattr(wattfeed._client, "sleep", seen.append)
    monkeypatch.setattr(wattfeed.aio, "sleep", pause)
    return seen


@pytest.fixture
def listener() -> Iterator[socket.socket]:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        yield listener


@pytest.fixture
def serve(connect: Connect, listener: socket.socket) -> Iterator[Serve]:
    """Answers each connection with the next bytes; the last ones stay open if `holds`."""
    connections: list[socket.socket] = []
    threads: list[threading.Thread] = []

    def start(*answers: bytes, holds: bool = False, **options: float) -> tuple[Client | Blocking, list[str]]:
        paths: list[str] = []

        def run() -> None:
            for number, data in enumerate(answers, 1):
                connection, _ = listener.accept()
                connections.append(connection)
                request = connection.recv(65536)
                # A client whose deadline has passed may close before it asks.
                if request:
                    paths.append(request.split(b" ")[1].decode())
                if holds and number == len(answers):
                    connection.sendall(data)
                else:
                    # Or the oldest aiohttp may use the connection once more, which has just been closed.
                    connection.sendall(data.replace(b"\r\n", b"\r\nConnection: close\r\n", 1))
                    connection.close()
            # A further try is refused at once; it would wait until its deadline for an answer.
            if not holds:
                listener.close()

        def run_until_closed() -> None:
            with contextlib.suppress(OSError):
                run()

        threads.append(threading.Thread(target=run_until_closed, daemon=True))
        threads[-1].start()
        return connect(f"http://127.0.0.1:{listener.getsockname()[1]}", **options), paths

    yield start
    # Wakes the threads that wait for a connection. A test may have closed the listener.
    with contextlib.suppress(OSError):
        listener.shutdown(socket.SHUT_RDWR)
    for thread in threads:
        thread.join()
    for connection in connections:
        connection.close()


def test_retries_after_the_time_that_the_server_names(serve: Serve, pauses: list[float]) -> None:
    busy = answer(b'{"error":"busy"}', "429 Too Many Requests", "Retry-After: 7", "X-Wattfeed-Error: history_busy")
    client, paths = serve(busy, answer(b'{"feeds":[]}'))
    assert client.readings() == []
    assert paths == ["/v1/feeds", "/v1/feeds"]
    assert 7 <= pauses[0] <= 7.5


def test_does_not_wait_longer_than_retry_for(serve: Serve, pauses: list[float]) -> None:
    busy = answer(b'{"error":"busy"}', "503 Unavailable", "Retry-After: 90", "X-Wattfeed-Error: history_filling")
    client, _ = serve(busy)
    with pytest.raises(ApiError) as caught:
        client.readings()
    error = caught.value
    assert (str(error), error.code, error.retry_after, pauses) == ("busy", "history_filling", 90.0, [])


def test_does_not_retry_what_cannot_succeed(serve: Serve, pauses: list[float]) -> None:
    client, paths = serve(answer(b'{"error":"no"}', "502 Bad Gateway", "X-Wattfeed-Error: chain_data"))
    with pytest.raises(ApiError, match="no"):
        client.readings()
    assert (len(paths), pauses) == (1, [])


@pytest.mark.parametrize(
    ("headers", "kind"),
    [
        (["X-Wattfeed-Error: feed_not_found"], NotFoundError),
        (["X-Wattfeed-Error: unknown_path"], ApiError),
        ([], ApiError),
    ],
)
def test_only_a_missing_feed_is_not_found(serve: Serve, headers: list[str], kind: type) -> None:
    client, _ = serve(answer(b'{"error":"no"}', "404 Not Found", *headers))
    with pytest.raises(ApiError) as caught:
        client.readings()
    assert type(caught.value) is kind


SERIES = {
    "route": "petroleum/pri/spt",
    "frequency": "daily",
    "column": "value",
    "facets": {"product": "EPCWTI", "area": None},
    "period": "2026-11-16",
    "period_start": "2026-11-16",
    "period_end": "2026-11-16",
    "value": "59.910",
    "unit": "$/BBL",
    "feed_id": "EIA.DATASET.PETROLEUM.PRI.SPT.DAILY",
    "root": "ab" * 32,
    "size": 5,
    "leaf_index": 3,
    "attested_at": 1_790_000_000_000,
    "index": 2,
    "is_newest_root": True,
}
ASKED = ("petroleum/pri/spt", "daily", "value", {"product": "EPCWTI", "area": None})


def of_series(**changed: object) -> bytes:
    return answer(json.dumps({**SERIES, **changed}).encode())


def test_a_series_has_its_value_as_text_and_as_a_number(serve: Serve) -> None:
    client, paths = serve(of_series(), of_series(value="w", unit=None), of_series(value=None))
    assert client.series(*ASKED) == SeriesValue(
        **{
            **SERIES,
            "period_start": date(2026, 11, 16),
            "period_end": date(2026, 11, 16),
            "attested_at": datetime(2026, 9, 21, 14, 13, 20, tzinfo=timezone.utc),
        }  # type: ignore[arg-type]
    )
    for text in ("w", None):
        found = client.series(*ASKED, "2026-11-16 a&b")
        assert found is not None
        assert (found.value, found.amount) == (text, None)
    path = "/v1/series?route=petroleum%2Fpri%2Fspt&frequency=daily&column=value&facet.product=EPCWTI&facet.area="
    assert paths == [path, *[f"{path}&period=2026-11-16+a%26b"] * 2]


@pytest.mark.parametrize(
    ("text", "amount"),
    [
        ("59.910", "59.910"),
        ("-1", "-1"),
        (".5", "0.5"),
        ("1E3", "1E+3"),
        ("0" * 40 + "1.1", "1.1"),
        ("NaN", None),
        ("1,000", None),
        ("1_000", None),
        ("٣", None),
        (" 1", None),
        ("", None),
        ("1e9999999999999999999", None),
    ],
)
def test_only_digits_are_an_amount(text: str, amount: str | None) -> None:
    found = decode_series_value(Fields({**SERIES, "value": text})).amount
    assert str(found) == str(amount)


@pytest.mark.parametrize(
    "changed",
    [*({name: 7} for name in ("route", "period", "value", "unit", "root")), {"facets": {"a": 1}}, {"size": "5"}],
)
def test_a_series_of_another_form_is_an_answer_error(serve: Serve, changed: dict[str, object]) -> None:
    client, _ = serve(of_series(**changed))
    with pytest.raises(AnswerError, match=" must be "):
        client.series(*ASKED)


@pytest.mark.parametrize(
    ("status", "code", "kind"),
    [
        ("404 Not Found", "series_absent", ApiError),
        ("404 Not Found", "feed_not_found", NotFoundError),
        ("404 Not Found", "dataset_not_found", ApiError),
        ("404 Not Found", "datasets_unset", ApiError),
        ("404 Not Found", "unknown_path", ApiError),
        ("404 Not Found", "", ApiError),
        ("400 Bad Request", "query", ApiError),
        ("400 Bad Request", "series_absent", ApiError),
        # The newest root may have it.
        ("503 Service Unavailable", "snapshot_missing", ApiError),
    ],
)
def test_a_series_that_the_server_does_not_have_is_an_error(serve: Serve, status: str, code: str, kind: type) -> None:
    headers = [f"X-Wattfeed-Error: {code}"] if code else []
    client, _ = serve(answer(b'{"error":"facet.area is missing"}', status, *headers))
    with pytest.raises(ApiError, match=r"facet\.area is missing") as caught:
        client.series(*ASKED)
    assert type(caught.value) is kind


def absent(what: str) -> bytes:
    body = json.dumps({"error": f"{what}; the codes are listed"}).encode()
    return answer(body, "404 Not Found", "X-Wattfeed-Error: series_absent")


def test_a_period_that_a_series_does_not_have_is_none(serve: Serve) -> None:
    client, paths = serve(absent("no value for 2026-11-17"), of_series())
    assert client.series(*ASKED, "2026-11-17") is None
    assert paths == [f"{paths[1]}&period=2026-11-17", paths[1]]


def test_a_wrong_code_of_a_series_is_said_with_a_period_and_without(serve: Serve) -> None:
    client, paths = serve(absent("no value for the period"), absent("no series"), absent("no series"))
    for period in ("2026-11-17", None):
        with pytest.raises(ApiError, match="no series; the codes are listed") as caught:
            client.series(*ASKED, period)
        assert (type(caught.value), caught.value.code) == (ApiError, "series_absent")
    assert len(paths) == 3


def test_a_code_that_is_not_a_text_is_said(connect: Connect) -> None:
    with pytest.raises(TypeError, match=r"facets\['area'\] is \['A'\]: it must be the text of one code, or None"):
        connect("http://127.0.0.1:9").series("coal", "annual", "price", {"area": ["A"]})  # type: ignore[dict-item]


ONE_ID = "it must be the text of one id; readings and history read several"


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda client: client.reading(["A", "B"]), f"feed_id is ['A', 'B']: {ONE_ID}"),
        (lambda client: client.reading(None), f"feed_id is None: {ONE_ID}"),
        (lambda client: client.info(["A"]), f"feed_id is ['A']: {ONE_ID}"),
        (lambda client: client.status(("A",)), f"feed_id is ('A',): {ONE_ID}"),
        (lambda client: client.history(5), "feed_id is 5: it must be the text of one id, or a list of ids"),
        (lambda client: client.history(["A", ["B"]]), "feed_id has ['B']: each must be the text of one id"),
        (lambda client: client.readings(["A", 5]), "ids has 5: each must be the text of one id"),
        (lambda client: client.readings("A"), "ids is the text 'A'; pass a list, ['A']"),
        (lambda client: client.search(["A"]), "text is ['A']: it must be one text of all words"),
        (lambda client: client.datasets(["A"]), "text is ['A']: it must be one text of all words"),
    ],
)
def test_an_argument_of_another_type_says_what_is_wanted(call: Callable[[Any], Any], message: str) -> None:
    client = Client("http://127.0.0.1:9")
    client._chain_name = "known"

    async def with_async() -> None:
        async with AsyncClient("http://127.0.0.1:9") as other:
            other._chain_name = "known"
            with pytest.raises(TypeError) as caught:
                await call(other)
            assert str(caught.value) == message

    with pytest.raises(TypeError) as caught:
        call(client)
    assert str(caught.value) == message
    asyncio.run(with_async())


def test_readings_takes_any_iterable_of_ids(serve: Serve) -> None:
    client, paths = serve(answer(b'{"results":[]}'))
    assert client.readings(iter([])) == []  # type: ignore[arg-type]
    with pytest.raises(AnswerError, match="not those of the requested ids"):
        client.readings(iter(["A"]))  # type: ignore[arg-type]
    assert paths == ["/v1/readings?id=A"]


ATTESTED = {
    "route": "electricity/retail-sales",
    "frequency": "monthly",
    "name": None,
    "columns": ["price", "sales"],
    "facets": ["sectorid", "stateid"],
    "periods": None,
    "size": 1248,
    "newest_period": None,
    "feed_id": "EIA.DATASET.ELECTRICITY.RETAIL-SALES.MONTHLY",
    "root": "ab" * 32,
    "attested_at": 1_790_000_000_000,
}
CODE = {"id": "CA", "name": "California", "values": 24}


def listing(name: str, *items: object) -> bytes:
    return answer(json.dumps({"total": len(items), name: items}).encode())


def test_attested_datasets_have_what_a_series_needs(serve: Serve) -> None:
    full = {**ATTESTED, "name": "Sales", "periods": 2, "newest_period": "2026-08"}
    client, paths = serve(listing("datasets", ATTESTED, full), listing("datasets"))
    first, second = client.attested_datasets()
    assert first == AttestedDataset(
        **{
            **ATTESTED,
            "columns": ("price", "sales"),
            "facets": ("sectorid", "stateid"),
            "attested_at": datetime(2026, 9, 21, 14, 13, 20, tzinfo=timezone.utc),
        }  # type: ignore[arg-type]
    )
    assert (second.name, second.periods, second.newest_period) == ("Sales", 2, "2026-08")
    assert client.attested_datasets() == []
    assert paths == ["/v1/datasets/attested"] * 2


def test_codes_are_those_of_a_facet(serve: Serve) -> None:
    nothing = {"id": None, "name": None, "values": 1}
    client, paths = serve(listing("codes", nothing, CODE), listing("codes"))
    asked = ("electricity/retail-sales", "monthly", "stateid")
    assert client.codes(*asked) == [Code(id=None, name=None, values=1), Code(id="CA", name="California", values=24)]
    assert client.codes(*asked, "a&b") == []
    path = "/v1/datasets/codes?route=electricity%2Fretail-sales&frequency=monthly&facet=stateid"
    assert paths == [path, f"{path}&q=a%26b"]


@pytest.mark.parametrize("changed", [{"facets": "a"}, {"size": "5"}, {"root": None}, {"periods": -1}, {"name": 1}])
def test_an_attested_dataset_of_another_form_is_an_answer_error(serve: Serve, changed: dict[str, object]) -> None:
    client, _ = serve(listing("datasets", {**ATTESTED, **changed}))
    with pytest.raises(AnswerError, match=" must be "):
        client.attested_datasets()


@pytest.mark.parametrize("changed", [{"id": 1}, {"name": []}, {"values": None}])
def test_a_code_of_another_form_is_an_answer_error(serve: Serve, changed: dict[str, object]) -> None:
    client, _ = serve(listing("codes", {**CODE, **changed}))
    with pytest.raises(AnswerError, match=" must be "):
        client.codes("a", "b", "c")


def test_codes_that_are_not_listed_are_an_error(serve: Serve) -> None:
    client, _ = serve(answer(b'{"error":"take it again"}', "404 Not Found", "X-Wattfeed-Error: codes_missing"))
    with pytest.raises(ApiError, match="take it again") as caught:
        client.codes("a", "b", "c")
    assert caught.value.code == "codes_missing"


def missing(feed_id: str) -> bytes:
    body = f'{{"error":"feed not found on-chain: {feed_id}"}}'.encode()
    return answer(body, "404 Not Found", "X-Wattfeed-Error: feed_not_found")


IDS = answer(b"feed_id\r\nA.PRICE.WTI.DAILY\r\nA.PRICE.BRENT.DAILY\r\nEMPTY\r\n\xff\r\n")


@pytest.mark.parametrize(
    ("feed_id", "suggestion"),
    [
        ("A.PRICE.WTL.DAILY", "A.PRICE.WTI.DAILY"),
        ("a.price.brent.daily", "A.PRICE.BRENT.DAILY"),
        ("NOPE", None),
        # A feed without a value.
        ("EMPTY", None),
    ],
)
def test_a_misspelt_id_has_a_suggestion(serve: Serve, feed_id: str, suggestion: str | None) -> None:
    client, paths = serve(missing(feed_id), IDS, missing(feed_id))
    for _ in range(2):
        with pytest.raises(NotFoundError) as caught:
            client.reading(feed_id)
        assert caught.value.suggestion == suggestion
        meant = "" if suggestion is None else f"; did you mean {suggestion}?"
        assert str(caught.value) == f"feed not found on-chain: {feed_id}{meant}"
    # The ids are read once.
    path = f"/v1/feeds/{feed_id}"
    assert paths == [path, "/v1/feeds.csv?fields=feed_id", path]


def test_misspelt_ids_among_several_have_suggestions(serve: Serve) -> None:
    result = {"feed_id": "A.PRICE.WTL.DAILY", "status": 404, "error": "feed not found on-chain: A.PRICE.WTL.DAILY"}
    client, _ = serve(answer(json.dumps({"results": [result]}).encode()), IDS)
    (found,) = client.readings(["A.PRICE.WTL.DAILY"])
    assert str(found) == "feed not found on-chain: A.PRICE.WTL.DAILY; did you mean A.PRICE.WTI.DAILY?"


@pytest.mark.parametrize(
    "ids",
    [
        b"",
        answer(b"{}", "502 Bad Gateway", "Retry-After: 9"),
        answer(b"feed_id\r\n"),
        # No field of a CSV is as long.
        answer(b"feed_id\r\n" + b"x" * 200_000),
    ],
)
def test_without_the_list_of_ids_there_is_no_suggestion(serve: Serve, pauses: list[float], ids: bytes) -> None:
    client, paths = serve(missing("A.PRICE.WTL.DAILY"), ids)
    with pytest.raises(NotFoundError) as caught:
        client.reading("A.PRICE.WTL.DAILY")
    assert str(caught.value) == "feed not found on-chain: A.PRICE.WTL.DAILY"
    assert (len(paths), pauses) == (2, [])


def test_a_cut_answer_is_retried(serve: Serve, pauses: list[float]) -> None:
    client, _ = serve(answer(b'{"feeds":[]}')[:-3], answer(b'{"feeds":[]}'))
    assert client.readings() == []
    assert len(pauses) == 1


FEEDS = b'{"feeds":[]}'


@pytest.mark.parametrize(
    ("encoding", "body"),
    [
        ("gzip", gzip.compress(FEEDS)),
        ("X-Gzip", gzip.compress(FEEDS[:5]) + gzip.compress(FEEDS[5:])),
        ("deflate", zlib.compress(FEEDS)),
        ("identity", FEEDS),
    ],
)
def test_an_answer_that_is_compressed_although_nobody_asked(serve: Serve, encoding: str, body: bytes) -> None:
    client, _ = serve(answer(body, "200 OK", f"Content-Encoding: {encoding}"))
    assert client.readings() == []


def test_so_is_an_error(serve: Serve) -> None:
    client, _ = serve(answer(gzip.compress(b'{"error":"no"}'), "400 Bad Request", "Content-Encoding: gzip"))
    with pytest.raises(ApiError, match=r"\Ano\Z"):
        client.readings()


@pytest.mark.parametrize(
    ("encoding", "body", "message"),
    [
        ("br", FEEDS, "the answer is compressed as 'br', which cannot be unpacked; turn that off"),
        ("gzip", FEEDS, "the answer is compressed in a way that cannot be unpacked"),
        ("gzip", gzip.compress(FEEDS)[:-1], "the answer is compressed in a way that cannot be unpacked"),
        ("gzip", gzip.compress(b" " * 101), "the answer has more than 100 bytes"),
        ("gzip", gzip.compress(b" " * 99) + gzip.compress(b" " * 2), "the answer has more than 100 bytes"),
    ],
)
def test_an_answer_that_cannot_be_unpacked(encoding: str, body: bytes, message: str) -> None:
    with pytest.raises(AnswerError) as caught:
        unpacked(body, encoding, 100)
    assert str(caught.value) == message


def test_silence_ends_at_the_deadline(serve: Serve) -> None:
    client, _ = serve(b"HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n{", holds=True, timeout=0.05, retry_for=0)
    with pytest.raises(DeadlineError):
        client.readings()


def test_a_server_that_never_finishes_ends_at_the_deadline(connect: Connect) -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:

        def drip() -> None:
            connection, _ = listener.accept()
            with connection, contextlib.suppress(OSError):
                connection.sendall(b"HTTP/1.1 200 OK\r\nX: ")
                while True:
                    connection.sendall(b"x" * 10)
                    threading.Event().wait(0.005)

        server = threading.Thread(target=drip, daemon=True)
        server.start()
        with pytest.raises(DeadlineError):
            connect(f"http://127.0.0.1:{listener.getsockname()[1]}", timeout=0.1, retry_for=0).readings()
        server.join()


@pytest.mark.parametrize("body", [b"", b"<html>", b"[]", b"NaN", b'{"feeds":7}', b'{"feeds":[{}]}', b"[" * 100_000])
def test_wrong_json_is_an_answer_error(serve: Serve, body: bytes) -> None:
    client, _ = serve(answer(body))
    with pytest.raises(AnswerError):
        client.readings()


def test_a_huge_body_is_an_answer_error(serve: Serve, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(wattfeed._http, "MAX_BODY_BYTES", 1000)
    client, _ = serve(answer(b" " * 2000))
    with pytest.raises(AnswerError, match="1000 bytes"):
        client.readings()


def test_redirects_are_not_followed(serve: Serve) -> None:
    client, paths = serve(answer(b"", "302 Found", "Location: /other"))
    with pytest.raises(ApiError, match="redirects are not followed"):
        client.readings()
    assert len(paths) == 1


def test_the_proxy_of_the_environment_is_used(
    serve: Serve, listener: socket.socket, connect: Connect, monkeypatch: pytest.MonkeyPatch
) -> None:
    client, paths = serve(answer(b'{"feeds":[]}'), answer(b'{"feeds":[]}'))
    monkeypatch.delenv("NO_PROXY", raising=False)
    monkeypatch.setenv("no_proxy", "127.0.0.1")
    monkeypatch.setenv("http_proxy", f"127.0.0.1:{listener.getsockname()[1]}")
    assert client.readings() == []
    assert connect("http://feeds.invalid").readings() == []
    assert paths == ["/v1/feeds", "http://feeds.invalid/v1/feeds"]


@pytest.fixture
def refusing() -> str:
    """The address of a port at which nothing listens any more."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        return f"http://127.0.0.1:{listener.getsockname()[1]}"


def test_a_refused_connection_ends_after_one_retry(connect: Connect, pauses: list[float], refusing: str) -> None:
    with pytest.raises(TransportError) as caught:
        connect(refusing).readings()
    assert (len(pauses), caught.value.is_refused) == (1, True)
    assert str(caught.value) == (
        f"{refusing} refused the connection: no server runs there; start the demo with "
        "'npx -y bun@1.4.4 run demo' in a clone of the repository, or check the URL"
    )


def test_a_refused_connection_by_name_ends_after_one_retry(
    connect: Connect, pauses: list[float], refusing: str
) -> None:
    # The name may have several addresses, all of which refuse.
    with pytest.raises(TransportError, match=r"localhost:\d+ refused the connection: no server runs there"):
        connect(refusing.replace("127.0.0.1", "localhost")).readings()
    assert len(pauses) == 1


def test_the_command_of_the_demo_is_that_of_the_documentation() -> None:
    page = Path(__file__).parents[3] / "docs" / "read-a-feed.md"
    assert f"\n{wattfeed._http.DEMO}\n" in page.read_text(encoding="utf-8")


def test_a_refusing_proxy_is_named_without_its_password(
    connect: Connect, pauses: list[float], refusing: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("NO_PROXY", raising=False)
    monkeypatch.setenv("no_proxy", "")
    monkeypatch.setenv("http_proxy", refusing.replace("//", "//user:secret@"))
    with pytest.raises(TransportError) as caught:
        connect("http://feeds.invalid").readings()
    proxy = refusing.removeprefix("http://")
    assert str(caught.value) == f"the proxy {proxy} of the environment refused the connection to http://feeds.invalid"
    assert len(pauses) == 1


def test_a_stream_that_cannot_begin_ends_after_one_retry(connect: Connect, pauses: list[float], refusing: str) -> None:
    with pytest.raises(TransportError, match="refused"):
        next(connect(refusing).stream())
    assert len(pauses) == 1


def test_a_stream_that_has_begun_waits_for_its_server(
    serve: Serve, listener: socket.socket, monkeypatch: pytest.MonkeyPatch
) -> None:
    client, _ = serve(STREAM + f"id: {POSITION}\n\n".encode())
    events = client.stream()
    assert next(events) == Position(POSITION)
    pauses: list[float] = []

    class EnoughError(Exception):
        pass

    def pause(seconds: float) -> None:
        listener.close()
        pauses.append(seconds)
        if len(pauses) == 6:
            raise EnoughError

    async def pause_async(seconds: float) -> None:
        pause(seconds)

    monkeypatch.setattr(wattfeed._client, "sleep", pause)
    monkeypatch.setattr(wattfeed.aio, "sleep", pause_async)
    with pytest.raises(EnoughError):
        next(events)


def test_a_stream_resumes_after_a_cut(serve: Serve, pauses: list[float]) -> None:
    second = POSITION.replace("a1", "a2")
    cut = STREAM + f"id: {POSITION}\n\nid: {second}\nevent: att".encode()
    client, paths = serve(cut, answer(b"", "503 Busy"), STREAM + f"id: {second}\r\n\r\n".encode(), holds=True)
    events = client.stream()
    assert [next(events), next(events)] == [Position(POSITION), Position(second)]
    assert paths == ["/v1/stream", *[f"/v1/stream?from={POSITION}"] * 2]
    assert len(pauses) == 2


def test_a_stream_ends_if_the_server_rejects_it(serve: Serve) -> None:
    client, _ = serve(answer(b'{"error":"unknown id"}', "400 Bad Request", "X-Wattfeed-Error: query"))
    with pytest.raises(ApiError, match="unknown id"):
        next(client.stream(["NOPE"]))


def test_a_password_is_in_no_error(connect: Connect) -> None:
    with pytest.raises(TransportError) as caught:
        connect("http://user:secret@127.0.0.1:9", retry_for=0).readings()
    assert "secret" not in str(caught.value)
