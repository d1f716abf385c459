"""Server-Sent Events, and the state of a stream that resumes."""

from __future__ import annotations

import codecs
from collections.abc import Iterator, Sequence

from wattfeed._decode import decode_event
from wattfeed._operations import stream_path
from wattfeed.errors import AnswerError
from wattfeed.models import Event, Reset, Snapshot

#: A server may wait 60 s to catch up with a position.
CONNECT_S = 75.0
#: The server sends a heartbeat every 15 s.
SILENCE_S = 45.0
#: A server may send an event that never ends.
MAX_EVENT_CHARS = 1_000_000


class EventParser:
    """Parses an event stream, whose chunks may be cut anywhere.

    https://html.spec.whatwg.org/multipage/server-sent-events.html
    """

    def __init__(self) -> None:
        self._decode = codecs.getincrementaldecoder("utf-8-sig")("replace").decode
        self._after_cr = False
        self._line: list[str] = []
        self._size = 0
        self._clear()

    def _clear(self) -> None:
        self._id: str | None = None
        self._event = ""
        self._data: list[str] = []

    def feed(self, chunk: bytes) -> Iterator[Event]:
        """Takes a chunk, and yields the events that it completes."""
        text = self._decode(chunk)
        # A CR ends the line at once, so a LF at the start of the next chunk belongs to it.
        if self._after_cr and text:
            text = text.removeprefix("\n")
            self._after_cr = False
        self._after_cr = self._after_cr or text.endswith("\r")
        first, *lines = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
        self._add(first)
        for line in lines:
            yield from self._end_line()
            self._add(line)

    def _add(self, text: str) -> None:
        self._line.append(text)
        self._size += len(text)
        if self._size > MAX_EVENT_CHARS:
            raise AnswerError(f"an event has more than {MAX_EVENT_CHARS} characters")

    def _end_line(self) -> Iterator[Event]:
        line = "".join(self._line)
        self._line = []
        if line:
            self._read_field(line)
            return
        self._size = 0
        event_id, name, data = self._id, self._event or "message", "\n".join(self._data)
        has_data = bool(self._data)
        self._clear()
        event = decode_event(name if has_data else None, event_id, data)
        if event is not None:
            yield event

    def _read_field(self, line: str) -> None:
        name, _, value = line.partition(":")
        value = value.removeprefix(" ")
        if name == "data":
            self._data.append(value)
        elif name == "event":
            self._event = value
        elif name == "id" and "\0" not in value:
            self._id = value


class Resumption:
    """Knows where a stream resumes after the events so far."""

    def __init__(self, ids: Sequence[str] | None, position: str | None, *, snapshot: bool) -> None:
        self._ids = ids
        self._position = position
        self._snapshot = snapshot
        self.path()

    def path(self) -> str:
        """The path of the next connection."""
        return stream_path(self._ids, self._position, snapshot=self._snapshot)

    def see(self, event: Event) -> None:
        """Takes an event. A reset with snapshots starts over until the position after them."""
        if isinstance(event, Snapshot) or (isinstance(event, Reset) and self._snapshot):
            return
        self._position = event.position
