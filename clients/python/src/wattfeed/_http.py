"""HTTP with the standard library: a deadline for a whole answer, and a limit of its size."""

# cspell:ignore ECONNREFUSED decompressobj getproxies WBITS

from __future__ import annotations

import base64
import http.client
import io
import socket
import time
import urllib.request
import zlib
from collections.abc import Callable, Iterator
from contextlib import closing
from errno import ECONNREFUSED
from functools import partial
from typing import Any
from urllib.parse import unquote, urlsplit, urlunsplit

from wattfeed._decode import Answer
from wattfeed.errors import AnswerError, DeadlineError, TransportError

#: A page of 1,000 rows has 250 kB, and 10,000 feeds have 6 MB.
MAX_BODY_BYTES = 64 * 1024 * 1024
_CHUNK_BYTES = 65_536

#: Starts a server with invented figures.
DEMO = "npx -y bun@1.4.4 run demo"

Remaining = Callable[[], float]


class Server:
    """A server's base URL. User and password are moved to a header, so that no error shows them."""

    def __init__(self, url: str) -> None:
        parts = urlsplit(url)
        if parts.scheme not in {"http", "https"} or not parts.hostname:
            raise ValueError("the server's URL must begin with http:// or https://, such as http://localhost:4030")
        if parts.query or parts.fragment:
            raise ValueError("the server's URL must not have a query or a fragment")
        host = parts.netloc.rpartition("@")[2]
        self.base = urlunsplit((parts.scheme, host, parts.path.rstrip("/"), "", ""))
        self.headers = {
            "Accept": "application/json",
            "Accept-Encoding": "identity",
            "User-Agent": "wattfeed-python",
        }
        if parts.username is not None:
            user = f"{unquote(parts.username)}:{unquote(parts.password or '')}"
            self.headers["Authorization"] = f"Basic {base64.b64encode(user.encode()).decode()}"

    def proxy(self) -> str | None:
        """The proxy of the environment for this server."""
        parts = urlsplit(self.base)
        proxy = None if urllib.request.proxy_bypass(parts.netloc) else urllib.request.getproxies().get(parts.scheme)
        return f"http://{proxy}" if proxy and "://" not in proxy else proxy


class _Paced(io.RawIOBase):
    """Sets the time left before every read, because a socket's timeout is that of one read."""

    def __init__(self, raw: io.RawIOBase, sock: socket.socket, remaining: Remaining) -> None:
        self._raw = raw
        self._sock = sock
        self._remaining = remaining

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int | None:
        seconds = self._remaining()
        if seconds <= 0:
            raise TimeoutError
        self._sock.settimeout(seconds)
        count: int | None = self._raw.readinto(buffer)
        return count

    def close(self) -> None:
        self._raw.close()
        super().close()


class _Response(http.client.HTTPResponse):
    def __init__(self, sock: socket.socket, *args: Any, remaining: Remaining, **options: Any) -> None:
        super().__init__(sock, *args, **options)
        raw = self.fp.detach()
        self.fp = io.BufferedReader(_Paced(raw, sock, remaining))


class _Request(urllib.request.Request):
    remaining: Remaining


def _connection(kind: type[http.client.HTTPConnection], remaining: Remaining, host: str, **options: Any) -> Any:
    connection = kind(host, **options)
    connection.response_class = partial(_Response, remaining=remaining)  # type: ignore[assignment]
    return connection


class _Http(urllib.request.HTTPHandler):
    def http_open(self, req: urllib.request.Request) -> http.client.HTTPResponse:
        assert isinstance(req, _Request)  # noqa: S101
        return self.do_open(partial(_connection, http.client.HTTPConnection, req.remaining), req)


class _Https(urllib.request.HTTPSHandler):
    def https_open(self, req: urllib.request.Request) -> http.client.HTTPResponse:
        assert isinstance(req, _Request)  # noqa: S101
        return self.do_open(partial(_connection, http.client.HTTPSConnection, req.remaining), req)


def _opener() -> urllib.request.OpenerDirector:
    """Neither follows redirects, which would carry the password along, nor raises an error for a status."""
    opener = urllib.request.OpenerDirector()
    for handler in (urllib.request.ProxyHandler(), _Http(), _Https()):
        opener.add_handler(handler)
    return opener


def _open(server: Server, path: str, accept: str, timeout: float, remaining: Remaining) -> http.client.HTTPResponse:
    request = _Request(f"{server.base}{path}", headers={**server.headers, "Accept": accept})
    request.remaining = remaining
    try:
        response: http.client.HTTPResponse = _opener().open(request, timeout=timeout)
    except (OSError, http.client.HTTPException) as error:
        raise failure(error, timeout, server) from error
    return response


def failure(error: Exception, timeout: float, server: Server) -> DeadlineError | TransportError:
    """The error of a connection that failed, or took longer than `timeout`."""
    reason = getattr(error, "reason", error)
    if isinstance(reason, TimeoutError):
        return DeadlineError(f"no complete answer within {timeout:g} s")
    # aiohttp's error has only the number.
    if isinstance(reason, ConnectionRefusedError) or getattr(reason, "errno", None) == ECONNREFUSED:
        return TransportError(_refusal_of(server), is_refused=True)
    name = reason if isinstance(reason, OSError) else type(reason).__name__
    return TransportError(f"the connection to the server failed: {name}")


def _refusal_of(server: Server) -> str:
    proxy = server.proxy()
    if proxy is not None:
        # Without its password.
        host = urlsplit(proxy).netloc.rpartition("@")[2]
        return f"the proxy {host} of the environment refused the connection to {server.base}"
    return (
        f"{server.base} refused the connection: no server runs there; start the demo with {DEMO!r} in a clone of the"
        " repository, or check the URL"
    )


def fetch(server: Server, path: str, timeout: float, accept: str = "application/json") -> Answer:
    """Gets an answer of any status within `timeout` seconds; connecting may take as long again."""
    end = time.monotonic() + timeout
    with closing(_open(server, path, accept, timeout, lambda: end - time.monotonic())) as response:
        headers = {name.lower(): value for name, value in response.getheaders()}
        try:
            body = _read_body(response)
        except (OSError, http.client.HTTPException) as error:
            raise failure(error, timeout, server) from error
        return Answer(response.status, headers, unpacked(body, headers.get("content-encoding")))


class Body:
    """Collects the chunks of an answer, up to a limit."""

    def __init__(self) -> None:
        self._bytes = bytearray()

    def add(self, chunk: bytes) -> None:
        """Adds the next chunk."""
        self._bytes += chunk
        if len(self._bytes) > MAX_BODY_BYTES:
            raise AnswerError(f"the answer has more than {MAX_BODY_BYTES} bytes")

    def complete(self) -> bytes:
        """The bytes of all chunks."""
        return bytes(self._bytes)


_PLAIN = {"", "identity"}
_UNPACKABLE = {"gzip", "x-gzip", "deflate"}
_BROKEN = "the answer is compressed in a way that cannot be unpacked"


def unpacked(body: bytes, encoding: str | None, most: int = MAX_BODY_BYTES) -> bytes:
    """The bytes of a body, which some servers compress although nobody asked; at most `most`."""
    name = (encoding or "").lower()
    if name in _PLAIN or not body:
        return body
    if name not in _UNPACKABLE:
        raise AnswerError(f"the answer is compressed as {name[:80]!r}, which cannot be unpacked; turn that off")
    plain = bytearray()
    while body:
        inflater = zlib.decompressobj(zlib.MAX_WBITS | 32)
        try:
            plain += inflater.decompress(body, most + 1 - len(plain))
        except zlib.error as error:
            raise AnswerError(_BROKEN) from error
        if len(plain) > most:
            raise AnswerError(f"the answer has more than {most} bytes")
        if not inflater.eof:
            raise AnswerError(_BROKEN)
        body = inflater.unused_data
    return bytes(plain)


def _read_body(response: http.client.HTTPResponse) -> bytes:
    body = Body()
    while chunk := response.read1(_CHUNK_BYTES):
        body.add(chunk)
    if response.length:
        raise TransportError("the connection was lost before the end of the answer")
    return body.complete()


class EventSource:
    """An open event stream. Its chunks end with an error if the server is silent."""

    def __init__(self, server: Server, path: str, *, connect_s: float, silence_s: float) -> None:
        self._server = server
        self._limit = connect_s
        self._response = _open(server, path, "text/event-stream", connect_s, lambda: self._limit)
        self._limit = silence_s

    def answer(self) -> Answer:
        """The answer, with its body if it is an error."""
        headers = {name.lower(): value for name, value in self._response.getheaders()}
        try:
            body = b"" if self._response.status == 200 else _read_body(self._response)
        except (OSError, http.client.HTTPException) as error:
            raise failure(error, self._limit, self._server) from error
        return Answer(self._response.status, headers, unpacked(body, headers.get("content-encoding")))

    def chunks(self) -> Iterator[bytes]:
        """The chunks, until the server ends the stream."""
        try:
            while chunk := self._response.read1(_CHUNK_BYTES):
                yield chunk
        except (OSError, http.client.HTTPException) as error:
            raise failure(error, self._limit, self._server) from error

    def close(self) -> None:
        """Closes the connection."""
        self._response.close()
