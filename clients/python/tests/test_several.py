"""Several histories at once, with a server that waits for as many requests."""

from __future__ import annotations

import asyncio
import contextlib
import json
import threading
from concurrent.futures import ThreadPoolExecutor
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING
from urllib.parse import unquote

import pytest

import wattfeed._client
from wattfeed import Client, History, NotFoundError
from wattfeed._decode import Answer
from wattfeed._operations import PARALLEL
from wattfeed.aio import AsyncClient

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence


class Server(ThreadingHTTPServer):
    """Answers histories when as many requests wait as a client may send at once."""

    daemon_threads = True
    request_queue_size = PARALLEL

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server_port}"
        self.waiting = threading.Barrier(PARALLEL)


class Handler(BaseHTTPRequestHandler):
    """Answers one request."""

    server: Server

    def do_GET(self) -> None:
        feed_id = unquote(self.path.split("/")[3])
        if feed_id != "NOPE":
            # The end of a test breaks it.
            with contextlib.suppress(threading.BrokenBarrierError):
                self.server.waiting.wait()
        body = history_of(feed_id)
        self.send_response(404 if feed_id == "NOPE" else 200)
        self.send_header("X-Wattfeed-Error", "feed_not_found")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        # A client that has failed does not read it.
        with contextlib.suppress(OSError):
            self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        pass


def history_of(feed_id: str) -> bytes:
    history = {"feed_id": feed_id, "decimals": 0, "unit": "", "frequency": "daily", "count": 0, "items": []}
    return json.dumps({**history, "next": None}).encode()


@pytest.fixture
def server() -> Iterator[Server]:
    with Server() as server:
        threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
        yield server
        server.waiting.abort()
        server.shutdown()


def read(url: str, ids: Sequence[str], kind: str) -> list[History]:
    async def run() -> list[History]:
        async with AsyncClient(url, retry_for=0) as client:
            return await client.history(ids)

    return Client(url, retry_for=0).history(ids) if kind == "sync" else asyncio.run(run())


IDS = [f"F{number}" for number in range(3 * PARALLEL)]


@pytest.mark.parametrize("kind", ["sync", "async"])
def test_some_histories_are_read_at_once(server: Server, kind: str) -> None:
    assert [history.feed_id for history in read(server.url, IDS, kind)] == IDS


def test_no_more_histories_are_read_by_threads(server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    sizes: list[int] = []

    class Pool(ThreadPoolExecutor):
        def __init__(self, size: int) -> None:
            sizes.append(size)
            super().__init__(size)

    monkeypatch.setattr(wattfeed._client, "ThreadPoolExecutor", Pool)
    read(server.url, IDS, "sync")
    assert sizes == [PARALLEL]


def test_no_more_histories_are_read_by_tasks(monkeypatch: pytest.MonkeyPatch) -> None:
    active = 0
    most = 0

    async def get(_: AsyncClient, path: str) -> Answer:
        nonlocal active, most
        active += 1
        most = max(most, active)
        # All tasks that may run have started.
        for _step in IDS:
            await asyncio.sleep(0)
        active -= 1
        return Answer(200, {}, history_of(unquote(path.split("/")[3])))

    monkeypatch.setattr(AsyncClient, "_get", get)
    assert len(read("http://nobody.invalid", IDS, "async")) == len(IDS)
    assert most == PARALLEL


@pytest.mark.parametrize("kind", ["sync", "async"])
def test_one_error_does_not_wait_for_the_others(server: Server, kind: str) -> None:
    with pytest.raises(NotFoundError):
        read(server.url, ["NOPE", "A", "B"], kind)
    # Threads cannot be cancelled: those of the others still wait for the server.
    left = [thread for thread in threading.enumerate() if thread.name.startswith("ThreadPoolExecutor")]
    assert bool(left) == (kind == "sync")
    server.waiting.abort()
    for thread in left:
        thread.join()
