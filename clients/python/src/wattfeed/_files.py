"""Histories as files: the server's CSV and Parquet, and JSON with the same columns."""

from __future__ import annotations

import json
import os
import re
import secrets
from datetime import datetime, timezone
from typing import TYPE_CHECKING, Literal
from urllib.parse import urlencode

from wattfeed._operations import feed_path, history_query
from wattfeed.errors import AnswerError

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from datetime import date
    from decimal import Decimal
    from pathlib import Path

    from wattfeed._client import Client
    from wattfeed._decode import Answer
    from wattfeed.models import History, Row, Vintages

Format = Literal["csv", "json", "jsonl", "parquet"]

_NEXT = re.compile(r'<(/v1/[^>]*)>\s*;\s*rel="next"')


class Histories:
    """The histories of some feeds, in any format."""

    def __init__(
        self,
        client: Client,
        ids: Sequence[str],
        *,
        period_from: date | None = None,
        period_to: date | None = None,
        as_of: date | None = None,
        vintages: Vintages | None = None,
    ) -> None:
        self._client = client
        self._ids = ids
        self._period_from = period_from
        self._period_to = period_to
        self._as_of = as_of
        self._vintages = vintages
        #: Whether none of them has had a row so far.
        self.is_empty = True

    def chunks(self, form: Format) -> Iterator[bytes]:
        """The bytes of a file, page by page."""
        if form == "csv":
            return self._csv()
        if form == "parquet":
            return self._parquet()
        return self._json() if form == "json" else self._jsonl()

    def __iter__(self) -> Iterator[History]:
        """Reads feed after feed."""
        for each in self._ids:
            history = self._client.history(
                each,
                period_from=self._period_from,
                period_to=self._period_to,
                as_of=self._as_of,
                vintages=self._vintages,
            )
            self.is_empty = self.is_empty and len(history) == 0
            yield history

    def _csv(self) -> Iterator[bytes]:
        answer = self._get(self._first_path("csv"))
        self.is_empty = answer.body.partition(b"\r\n")[2] == b""
        yield answer.body
        while path := _next_of(answer):
            answer = self._get(path)
            _, _, rows = answer.body.partition(b"\r\n")
            if not rows:
                raise AnswerError("the server answers with a file without rows; export again")
            yield rows

    def _parquet(self) -> Iterator[bytes]:
        answer = self._get(self._first_path("parquet"))
        if _next_of(answer):
            raise ValueError(
                "the server's Parquet files end after 5,000 rows, and there are more; "
                "select fewer with --from and --to, or use csv or jsonl"
            )
        self.is_empty = not _has_row_groups(answer.body)
        yield answer.body

    def _jsonl(self) -> Iterator[bytes]:
        for line in self._lines():
            yield line + b"\n"

    def _json(self) -> Iterator[bytes]:
        before = b"["
        for line in self._lines():
            yield before + line
            before = b",\n"
        yield b"]\n" if before == b",\n" else b"[]\n"

    def _lines(self) -> Iterator[bytes]:
        for history in self:
            for row in history:
                yield json.dumps(_columns_of(history, row), separators=(",", ":")).encode()

    def _first_path(self, ending: str) -> str:
        query = history_query(
            period_from=self._period_from,
            period_to=self._period_to,
            as_of=self._as_of,
            vintages=self._vintages,
            order=None,
        )
        if len(self._ids) == 1:
            return f"{feed_path(self._ids[0], f'/history.{ending}')}?{urlencode(query)}"
        return f"/v1/history.{ending}?{urlencode([*(('id', each) for each in self._ids), *query.items()])}"

    def _get(self, path: str) -> Answer:
        return self._client._get(path, "*/*")  # noqa: SLF001  only files need the bytes


def _has_row_groups(parquet: bytes) -> bool:
    """Whether a Parquet file has more than its footer, its footer's length (4 bytes) and its marks (4 bytes each)."""
    return int.from_bytes(parquet[-8:-4], "little") + 12 < len(parquet)


def _next_of(answer: Answer) -> str | None:
    match = _NEXT.search(answer.headers.get("link", ""))
    return None if match is None else match[1]


def _columns_of(history: History, row: Row) -> dict[str, object]:
    return {
        "feed_id": history.feed_id,
        "unit": history.unit,
        "index": row.index,
        "period": row.period_code,
        "period_start": None if row.period_start is None else iso_time(row.period_start),
        "period_end": None if row.period_end is None else iso_time(row.period_end),
        "value": row.value,
        "amount": chain_amount(row.amount),
        "revision": row.revision,
        "source_hash": row.source_hash,
        "attester": row.attester,
        "attested_at": iso_time(row.attested_at),
    }


def chain_amount(amount: Decimal) -> str:
    """The digits on chain, without the decimal point."""
    # Arithmetic would round them to the precision of the context.
    return "".join(map(str, amount.as_tuple().digits))


def iso_time(moment: date) -> str:
    """A date, or a time in UTC with milliseconds, as in the server's files."""
    if not isinstance(moment, datetime):
        return moment.isoformat()
    return moment.astimezone(timezone.utc).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def write_atomically(path: Path, chunks: Iterator[bytes], *, force: bool) -> int:
    """Writes a file that exists only if it is complete, and returns its size."""
    _check_target(path, force=force)
    unfinished = path.with_name(f".{path.name}.{secrets.token_hex(4)}")
    try:
        with unfinished.open("xb") as file:
            size = sum(file.write(chunk) for chunk in chunks)
            file.flush()
            os.fsync(file.fileno())
        _check_target(path, force=force)
        unfinished.replace(path)
    finally:
        unfinished.unlink(missing_ok=True)
    return size


def _check_target(path: Path, *, force: bool) -> None:
    if not path.parent.is_dir():
        raise ValueError(f"--out is {str(path)!r}, whose folder does not exist; create it")
    if path.exists() and not path.is_file():
        raise ValueError(f"--out is {str(path)!r}, which is not a file; name a file")
    if path.exists() and not force:
        raise ValueError(f"--out is {str(path)!r}, which exists; name another file, or add --force to replace it")
