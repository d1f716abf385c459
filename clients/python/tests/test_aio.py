"""What only the asynchronous client has."""

import asyncio
import importlib
import socket
import sys
import threading
from contextlib import aclosing

import pytest

from wattfeed import DeadlineError, Position
from wattfeed.aio import AsyncClient

EMPTY = b'HTTP/1.1 200 OK\r\nContent-Length: 12\r\nSet-Cookie: a=b\r\n\r\n{"feeds":[]}'
POSITION = "0f3c9a1e-7b2d4c88-5e1f0a9b.f36.a1"
STREAM = f"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\nid: {POSITION}\n\n".encode()


def test_without_aiohttp_the_import_says_how_to_install_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "aiohttp", None)
    monkeypatch.delitem(sys.modules, "wattfeed.aio")
    with pytest.raises(ImportError, match=r"aiohttp: pip install 'wattfeed\[async\]'"):
        importlib.import_module("wattfeed.aio")


@pytest.fixture
def listener() -> socket.socket:
    return socket.create_server(("127.0.0.1", 0))


def url_of(listener: socket.socket) -> str:
    return f"http://127.0.0.1:{listener.getsockname()[1]}"


def test_requests_share_a_connection_and_keep_no_cookie(listener: socket.socket) -> None:
    requests: list[bytes] = []

    def answer() -> None:
        with listener, listener.accept()[0] as connection:
            while request := connection.recv(65536):
                requests.append(request)
                connection.sendall(EMPTY)

    server = threading.Thread(target=answer)
    server.start()

    async def read() -> None:
        async with AsyncClient(url_of(listener)) as client:
            assert [await client.readings(), await client.readings()] == [[], []]

    asyncio.run(read())
    server.join()
    assert len(requests) == 2
    assert b"cookie" not in requests[1].lower()


def test_a_closed_stream_closes_its_connection(listener: socket.socket) -> None:
    ends: list[bytes] = []

    def answer() -> None:
        with listener, listener.accept()[0] as connection:
            connection.recv(65536)
            connection.sendall(STREAM)
            ends.append(connection.recv(65536))

    server = threading.Thread(target=answer)
    server.start()

    async def read() -> None:
        async with AsyncClient(url_of(listener)) as client:
            async with aclosing(client.stream()) as events:
                assert await events.__anext__() == Position(POSITION)
            await asyncio.to_thread(server.join)

    asyncio.run(read())
    assert ends == [b""]


def test_a_cancelled_read_ends_at_once(listener: socket.socket) -> None:
    async def read() -> None:
        async with AsyncClient(url_of(listener)) as client:
            task = asyncio.create_task(client.readings())
            connection, _ = await asyncio.to_thread(listener.accept)
            task.cancel()
            with connection, pytest.raises(asyncio.CancelledError):
                await task

    with listener:
        asyncio.run(read())


def test_a_stalled_read_does_not_delay_another_task(listener: socket.socket) -> None:
    async def read() -> int:
        ticks = 0
        async with AsyncClient(url_of(listener), timeout=0.1, retry_for=0) as client:
            task = asyncio.create_task(client.readings())
            while not task.done():
                ticks += 1
                await asyncio.sleep(0)
            with pytest.raises(DeadlineError):
                await task
        return ticks

    with listener:
        assert asyncio.run(read()) > 10
