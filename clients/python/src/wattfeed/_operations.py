"""The operations of both clients, without I/O: each yields paths, receives documents, and returns its result."""

from __future__ import annotations

import csv
import io
from collections import Counter
from collections.abc import Generator, Iterable, Sequence
from dataclasses import dataclass
from dataclasses import fields as fields_of
from datetime import date, datetime, timezone
from difflib import get_close_matches
from typing import TypeVar
from urllib.parse import quote, urlencode

from wattfeed._days import Day, check_order, day_of, moment_of
from wattfeed._decode import (
    Answer,
    Fields,
    decode_attested_dataset,
    decode_code,
    decode_dataset,
    decode_json,
    decode_reading,
    decode_row,
    decode_status,
    error_of,
    is_position,
)
from wattfeed.errors import AnswerError, ApiError, NotFoundError
from wattfeed.models import (
    AttestedDataset,
    Code,
    Dataset,
    Feed,
    History,
    Info,
    Reading,
    Row,
    Status,
    Vintages,
)

T = TypeVar("T")

_PAGE_ROWS = 1000

#: Number of histories that are read at once. The server reads long ones in a queue of 16.
PARALLEL = 8

#: The ids of all feeds: a small part of their JSON.
IDS_PATH = "/v1/feeds.csv?fields=feed_id"
_NOT_FOUND = "feed not found on-chain: "
#: Typing errors and missing parts of an id have more in common with it.
_LEAST_LIKENESS = 0.8

_PUBLIC_CHAINS = ("casper", "casper-test")
_EIA_TERMS = "https://www.eia.gov/about/copyrights_reuse.php"


@dataclass(frozen=True)
class Document:
    """A JSON answer."""

    fields: Fields
    version: str | None
    body: bytes


Operation = Generator[str, Document, T]


def check_id(feed_id: str, name: str = "feed_id") -> str:
    """The id of one feed."""
    # Without types, a list gets here, too.
    checked: object = feed_id
    if not isinstance(checked, str):
        raise TypeError(f"{name} is {checked!r:.80}: it must be the text of one id; readings and history read several")
    return checked


def _check_each(ids: Iterable[str], name: str) -> list[str]:
    """The ids of a list."""
    listed: list[object] = list(ids)
    for each in listed:
        if not isinstance(each, str):
            raise TypeError(f"{name} has {each!r:.80}: each must be the text of one id")
    return [str(each) for each in listed]


def feed_path(feed_id: str, part: str = "") -> str:
    """The path of a feed."""
    if check_id(feed_id) in {"", ".", ".."}:
        raise ValueError(f"feed_id is {feed_id!r}, which no URL can hold; use readings([{feed_id!r}])")
    return f"/v1/feeds/{quote(feed_id, safe='')}{part}"


def read_chain_name() -> Operation[str]:
    """The name of the chain."""
    document = yield "/"
    return document.fields.object("registries").text("chain_name")


def read_reading(feed_id: str) -> Operation[Reading]:
    """One feed."""
    document = yield feed_path(feed_id)
    return decode_reading(document.fields, document.version)


def read_all(words: str | None = None) -> Operation[list[Reading]]:
    """All feeds, or those that have all words."""
    document = yield "/v1/feeds" if words is None else f"/v1/feeds?{urlencode({'q': words})}"
    version = document.version
    return [decode_reading(Fields(item, "a feed"), version) for item in document.fields.items("feeds")]


def read_readings(ids: Sequence[str]) -> Operation[list[Reading | ApiError]]:
    """Some feeds."""
    if isinstance(ids, str):
        raise TypeError(f"ids is the text {ids!r}; pass a list, [{ids!r}]")
    listed = _check_each(ids, "ids")
    if not listed:
        return []
    document = yield f"/v1/readings?{urlencode([('id', each) for each in listed])}"
    items = [Fields(item, "a result") for item in document.fields.items("results")]
    if [item.text("feed_id") for item in items] != listed:
        raise AnswerError("the results are not those of the requested ids")
    return [_decode_result(item, document.version) for item in items]


def _decode_result(item: Fields, version: str | None) -> Reading | ApiError:
    status = item.integer("status")
    if status == 200:
        return decode_reading(item.object("reading"), version)
    if status == 404:
        return NotFoundError(item.text("error"), status, "feed_not_found")
    return ApiError(item.text("error"), status)


def search_feeds(text: str) -> Operation[list[Reading]]:
    """Feeds that have all words."""
    return read_all(text) if _words_of(text) else read_all()


def _words_of(text: object) -> list[str]:
    if not isinstance(text, str):
        raise TypeError(f"text is {text!r:.80}: it must be one text of all words")
    return text.split()


def read_datasets(text: str) -> Operation[list[Dataset]]:
    """Datasets that have all words. The server takes one substring, so each word is a request."""
    found: dict[str, Dataset] | None = None
    for word in _words_of(text) or [""]:
        document = yield f"/v1/datasets?{urlencode({'q': word})}"
        datasets = [decode_dataset(Fields(item, "a dataset")) for item in document.fields.items("datasets")]
        found = {each.route: each for each in datasets if found is None or each.route in found}
    return list((found or {}).values())


def read_attested_datasets() -> Operation[list[AttestedDataset]]:
    """The datasets whose roots are on the chain."""
    document = yield "/v1/datasets/attested"
    return [decode_attested_dataset(Fields(item, "a dataset")) for item in document.fields.items("datasets")]


def read_codes(route: str, frequency: str, facet: str, text: str) -> Operation[list[Code]]:
    """The codes of a facet of a dataset that contain a text, or have it in their name."""
    query = {"route": route, "frequency": frequency, "facet": facet, **({"q": text} if text else {})}
    document = yield f"/v1/datasets/codes?{urlencode(query)}"
    return [decode_code(Fields(item, "a code")) for item in document.fields.items("codes")]


def read_info(feed_id: str, chain_name: str) -> Operation[Info]:
    """What describes a feed. Its history says which periods it has."""
    reading = yield from read_reading(feed_id)
    oldest = yield from read_history(feed_id, {"vintages": "latest", "order": "asc"}, 1)
    newest = yield from read_history(feed_id, {"vintages": "latest", "order": "desc"}, 1)
    if not (len(oldest) and len(newest)):
        raise AnswerError(f"{feed_id} has a value but an empty history; read it again")
    # The values of other chains are invented.
    is_eia = reading.source == "EIA" and chain_name in _PUBLIC_CHAINS
    return Info(
        **{field.name: getattr(reading, field.name) for field in fields_of(Feed)},
        first=oldest[0],
        last=newest[0],
        total=newest.total,
        attested_at=reading.attested_at,
        license=_EIA_TERMS if is_eia else None,
        version=newest.version,
    )


def read_status(feed_id: str) -> Operation[Status]:
    """The status of one feed."""
    document = yield feed_path(feed_id, "/status")
    return decode_status(document.fields)


def read_statuses() -> Operation[list[Status]]:
    """The status of all feeds."""
    document = yield "/v1/status"
    return [decode_status(Fields(item, "a status")) for item in document.fields.items("feeds")]


def check_ids(ids: Iterable[str]) -> list[str]:
    """The ids of several feeds whose histories are read."""
    # Without types, anything gets here, too.
    given: object = ids
    if not isinstance(given, Iterable):
        raise TypeError(f"feed_id is {given!r:.80}: it must be the text of one id, or a list of ids")
    listed = _check_each(ids, "feed_id")
    if not listed:
        raise ValueError("feed_id is an empty list; name at least one feed")
    feed_id, count = Counter(listed).most_common(1)[0]
    if count > 1:
        raise ValueError(f"feed_id has {feed_id!r} {count} times; name each feed once")
    return listed


def history_query(
    *,
    period_from: Day | None,
    period_to: Day | None,
    as_of: Day | None,
    vintages: Vintages | None,
    order: str | None,
) -> dict[str, str]:
    """The query of a history."""
    first, last = day_of("period_from", period_from), day_of("period_to", period_to)
    check_order("period_from", first, "period_to", last)
    query = {
        "period_from": None if first is None else first.isoformat(),
        "period_to": None if last is None else last.isoformat(),
        "as_of": moment_text(moment_of("as_of", as_of)),
        "vintages": vintages,
        "order": order,
    }
    return {name: value for name, value in query.items() if value is not None}


def moment_text(as_of: date | None) -> str | None:
    """The parameter of a time; None without one."""
    if not isinstance(as_of, datetime):
        return None if as_of is None else as_of.isoformat()
    return as_of.astimezone(timezone.utc).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def read_history(feed_id: str, query: dict[str, str], limit: int | None) -> Operation[History]:
    """A history as of its first page: values that are attested meanwhile are left out."""
    if limit is not None and limit < 1:
        raise ValueError(f"limit is {limit}: it must be at least 1")
    path: str | None = _first_page(feed_id, query, limit)
    document = yield str(path)
    first, version = document.fields, document.version
    total, decimals, frequency = first.integer("count"), first.decimals(), first.text("frequency")
    rows: list[Row] = []
    while True:
        page = [decode_row(Fields(item, "a row"), frequency, decimals) for item in document.fields.items("items")]
        rows += [row for row in page if row.index < total]
        path = _next_path(document.fields, has_rows=bool(page))
        if path is None or (limit is not None and len(rows) >= limit) or len(rows) >= total:
            break
        document = yield path
        _check_same_feed(first, document.fields)
    return History(
        feed_id=first.text("feed_id"),
        decimals=decimals,
        unit=first.text("unit"),
        frequency=frequency,
        total=total,
        rows=tuple(rows[:limit]),
        version=version,
    )


def _first_page(feed_id: str, query: dict[str, str], limit: int | None) -> str:
    page = {"limit": str(min(limit or _PAGE_ROWS, _PAGE_ROWS))}
    return f"{feed_path(feed_id, '/history')}?{urlencode({**query, **page})}"


def _next_path(page: Fields, *, has_rows: bool) -> str | None:
    path = page.optional("next", page.text)
    # Another prefix could lead to another host, and a page without rows to an endless loop.
    if path is not None and not (has_rows and path.startswith("/v1/feeds/")):
        page.fail("next", "the path of a page, or null")
    return path


def _check_same_feed(first: Fields, page: Fields) -> None:
    for name in ("unit", "frequency"):
        if page.text(name) != first.text(name):
            page.fail(name, f"{first.text(name)!r}, as on the first page; read the history again")
    if page.decimals() != first.decimals():
        page.fail("decimals", f"{first.decimals()}, as on the first page; read the history again")


def stream_path(ids: Iterable[str] | None, position: str | None, *, snapshot: bool) -> str:
    """The path of a stream."""
    if isinstance(ids, str):
        raise TypeError(f"ids is the text {ids!r}; pass a list, [{ids!r}]")
    query = [("id", each) for each in _check_each(ids or (), "ids")]
    if ids is not None and not query:
        raise ValueError("ids is empty; pass None for all feeds")
    if position is not None:
        if not is_position(position):
            raise ValueError(f"position is {position!r:.80}: it must be a position of a stream's event")
        query.append(("from", position))
    if snapshot:
        query.append(("snapshot", "1"))
    return f"/v1/stream?{urlencode(query)}" if query else "/v1/stream"


def check(answer: Answer) -> Answer:
    """Raises the error that an answer is."""
    if answer.status != 200:
        raise error_of(answer)
    return answer


def missing_id(error: NotFoundError) -> str | None:
    """The id that an error names."""
    message = str(error)
    return message.removeprefix(_NOT_FOUND) if message.startswith(_NOT_FOUND) else None


def ids_of(answer: Answer) -> list[str]:
    """The ids of all feeds."""
    rows = csv.reader(io.StringIO(check(answer).body.decode(errors="replace"), newline=""))
    try:
        return [row[0] for row in rows if row][1:]
    except csv.Error as error:
        raise AnswerError(f"the list of ids is not CSV: {error}") from error


def near_id(missing: str, ids: Sequence[str]) -> str | None:
    """The id that was probably meant; None if the feed exists without a value, or if no id is similar."""
    if missing in ids:
        return None
    names = {each.upper(): each for each in ids}
    near = get_close_matches(missing.upper(), names, 1, _LEAST_LIKENESS)
    return names[near[0]] if near else None


def document_of(answer: Answer) -> Document:
    """The JSON of an answer."""
    return Document(Fields(decode_json(answer.body)), answer.headers.get("x-wattfeed-version"), answer.body)


def check_stream(answer: Answer) -> None:
    """Raises the error of an answer that is not an event stream."""
    kind = check(answer).headers.get("content-type", "no content type")
    if kind.partition(";")[0].strip().lower() != "text/event-stream":
        raise AnswerError(f"expected an event stream but got {kind:.80}; check the URL")
