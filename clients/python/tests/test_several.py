"""Several histories at once, with a server that answers when it is told to."""

from __future__ import annotations

import asyncio
import contextlib
import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING
from urllib.parse import unquote

import pytest

from wattfeed import Client, History, NotFoundError
from wattfeed._operations import PARALLEL
from wattfeed.aio import AsyncClient

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence


class Server(ThreadingHTTPServer):
    """Answers histories when as many requests wait as a client may send at once, and counts them."""

    daemon_threads = True
    request_queue_size = PARALLEL

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server_port}"
        self.waiting = threading.Barrier(PARALLEL)
        self.lock = threading.Lock()
        self.open = 0
        self.most = 0


class Handler(BaseHTTPRequestHandler):
    """Answers one request."""

    server: Server

    def do_GET(self) -> None:
        feed_id = unquote(self.path.split("/")[3])
        with self.server.lock:
            self.server.open += 1
            self.server.most = max(self.server.most, self.server.open)
        if feed_id != "NOPE":
            # The end of a test breaks it.
            with contextlib.suppress(threading.BrokenBarrierError):
                self.server.waiting.wait()
        with self.server.lock:
            self.server.open -= 1
        history = {"feed_id": feed_id, "decimals": 0, "unit": "", "frequency": "daily", "count": 0, "items": []}
        body = json.dumps({**history, "next": None}).encode()
        self.send_response(404 if feed_id == "NOPE" else 200)
        self.send_header("X-Wattfeed-Error", "feed_not_found")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        # A client that has failed does not read it.
        with contextlib.suppress(OSError):
            self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        pass


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


@pytest.mark.parametrize("kind", ["sync", "async"])
def test_some_histories_are_read_at_once_and_not_more(server: Server, kind: str) -> None:
    ids = [f"F{number}" for number in range(3 * PARALLEL)]
    assert [history.feed_id for history in read(server.url, ids, kind)] == ids
    assert server.most == PARALLEL


@pytest.mark.parametrize("kind", ["sync", "async"])
def test_one_error_ends_the_others(server: Server, kind: str) -> None:
    # The other requests are not answered.
    with pytest.raises(NotFoundError):
        read(server.url, ["NOPE", "A", "B"], kind)
