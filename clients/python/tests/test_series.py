"""Histories, tables and revisions of series, for both clients, with a server that answers as told."""

from __future__ import annotations

import asyncio
import json
import threading
from datetime import date, datetime, timezone
from decimal import Decimal
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qsl, urlsplit

import pytest

from wattfeed import AnswerError, ApiError, Client, NotCoveredError, SeriesRow, SnapshotGoneError
from wattfeed.aio import AsyncClient
from wattfeed.series import SeriesRevision, TableRow

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    Read = Callable[..., Any]

SERIES = ("a/b", "monthly", "price", {"stateid": "CA", "sectorid": None})
OF_ROOT = {
    "feed_id": "EIA.DATASET.A.B.MONTHLY",
    "root": "ab" * 32,
    "size": 9,
    "attested_at": 1_790_000_000_000,
    "index": 4,
    "is_newest_root": True,
}
HISTORY = {
    **OF_ROOT,
    "route": "a/b",
    "frequency": "monthly",
    "column": "price",
    "facets": {"sectorid": None, "stateid": "CA"},
    "covers_from": "2021-01",
    "proof": "/v1/series/history/proof",
    "next": None,
}
TABLE = {**OF_ROOT, "route": "a/b", "frequency": "monthly", "complete": None, "row_proof": "/x", "next": None}


def item(period: str, value: str | None = "24.110") -> dict[str, object]:
    return {
        "period": period,
        "period_start": f"{period}-01",
        "period_end": f"{period}-28",
        "value": value,
        "unit": "$",
        "leaf_index": 7,
    }


def row(period: str, state: str = "CA") -> dict[str, object]:
    facets = {"sectorid": None, "stateid": state}
    return {"column": "price", "facets": facets, "period": period, "value": "w", "unit": None, "leaf_index": 3}


class Answers:
    """A server that gives these answers one after the other, and the paths that it was asked for."""

    def __init__(self) -> None:
        self.paths: list[str] = []
        self.next: list[tuple[int, dict[str, str], object]] = []
        answers = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                answers.paths.append(self.path)
                status, headers, value = answers.next.pop(0)
                body = json.dumps(value).encode()
                self.send_response(status)
                for name, text in {"Content-Length": str(len(body)), **headers}.items():
                    self.send_header(name, text)
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *_: object) -> None:
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_port}"

    def give(self, *values: object) -> None:
        self.next = [value if isinstance(value, tuple) else (200, {}, value) for value in values]

    def asked(self, number: int = 0) -> tuple[str, list[tuple[str, str]]]:
        parts = urlsplit(self.paths[number])
        return parts.path, parse_qsl(parts.query, keep_blank_values=True)


@pytest.fixture
def answers() -> Iterator[Answers]:
    found = Answers()
    threading.Thread(target=found.server.serve_forever, args=(0.01,), daemon=True).start()
    yield found
    found.server.shutdown()
    found.server.server_close()


@pytest.fixture(params=["sync", "async"])
def call(request: pytest.FixtureRequest, answers: Answers) -> Read:
    """Calls a method of a client of either kind."""

    async def wait(name: str, *args: Any, **options: Any) -> Any:
        async with AsyncClient(answers.url, retry_for=0) as client:
            return await getattr(client, name)(*args, **options)

    if request.param == "async":
        return lambda *args, **options: asyncio.run(wait(*args, **options))
    return lambda name, *args, **options: getattr(Client(answers.url, retry_for=0), name)(*args, **options)


def test_a_history_has_all_pages_of_one_root(call: Read, answers: Answers) -> None:
    answers.give(
        {**HISTORY, "items": [item("2026-08"), item("2026-09", "w")], "next": "/v1/series/history?cursor=4.ab.2026-10"},
        {**HISTORY, "items": [item("2026-10", None)]},
    )
    history = call("series_history", *SERIES, period_from="2026-08", as_of=date(2026, 11, 20))
    assert history.rows[0] == SeriesRow("2026-08", date(2026, 8, 1), date(2026, 8, 28), "24.110", "$", 7)
    assert [(each.amount, each.number) for each in history] == [(Decimal("24.110"), 24.11), (None, None), (None, None)]
    assert (history.root, history.index, history.covers_from) == ("ab" * 32, 4, "2021-01")
    assert (len(history), history[-1].period) == (3, "2026-10")
    named = [
        ("route", "a/b"),
        ("frequency", "monthly"),
        ("column", "price"),
        ("facet.stateid", "CA"),
        ("facet.sectorid", ""),
        ("period_from", "2026-08"),
        ("order", "asc"),
    ]
    assert answers.asked() == ("/v1/series/history", [*named, ("as_of", "2026-11-20"), ("limit", "1000")])
    assert answers.paths[1] == "/v1/series/history?cursor=4.ab.2026-10"
    # The proof is of the whole range by this root, not of a page.
    proof = urlsplit(history.proof)
    assert (proof.path, parse_qsl(proof.query, keep_blank_values=True)) == (
        "/v1/series/history/proof",
        [*named, ("index", "4")],
    )


def test_a_limit_ends_a_history(call: Read, answers: Answers) -> None:
    answers.give({**HISTORY, "items": [item("2026-08"), item("2026-09")], "next": "/v1/series/history?cursor=x"})
    history = call("series_history", *SERIES, order="desc", limit=2, index=4)
    assert ([each.period for each in history], len(answers.paths)) == (["2026-08", "2026-09"], 1)
    assert answers.asked()[1][-3:] == [("order", "desc"), ("index", "4"), ("limit", "2")]
    assert history.proof.endswith("&order=desc&limit=2&index=4")


@pytest.mark.parametrize(
    ("changed", "words"),
    [
        ({"root": "cd" * 32}, "root of the answer is 'cd.*as on the first page"),
        ({"index": 5}, "index of the answer is 5: it must be 4"),
        ({"items": [], "next": "/v1/series/history?x"}, "next of the answer"),
        ({"next": "//elsewhere/v1/series/history?x"}, "next of the answer"),
        ({"next": "/v1/series/table?x"}, "next of the answer"),
    ],
)
def test_a_page_that_is_none_is_an_error(call: Read, answers: Answers, changed: dict[str, object], words: str) -> None:
    first = {**HISTORY, "items": [item("2026-08")], "next": "/v1/series/history?cursor=x"}
    answers.give(first, {**HISTORY, "items": [item("2026-09")], **changed})
    with pytest.raises(AnswerError, match=words):
        call("series_history", *SERIES)


def test_a_table_repeats_what_has_several_texts(call: Read, answers: Answers) -> None:
    answers.give(
        {**TABLE, "total": 3, "rows": [row("2026-08"), row("2026-09")], "next": "/v1/series/table?cursor=x"},
        {**TABLE, "total": 3, "rows": [row("2026-09", "NY")]},
    )
    chosen = {"stateid": ["CA", "NY"], "sectorid": None}
    table = call("series_table", "a/b", "monthly", ["price", "sales"], chosen, period_to="2026-09", sort="-period")
    assert table[0] == TableRow("price", {"sectorid": None, "stateid": "CA"}, "2026-08", "w", None, 3)
    assert ([each.facets["stateid"] for each in table], table.total, table.is_complete) == (["CA", "CA", "NY"], 3, None)
    assert answers.asked() == (
        "/v1/series/table",
        [
            ("route", "a/b"),
            ("frequency", "monthly"),
            ("column", "price"),
            ("column", "sales"),
            ("facet.stateid", "CA"),
            ("facet.stateid", "NY"),
            ("facet.sectorid", ""),
            ("period_to", "2026-09"),
            ("sort", "-period"),
            ("limit", "5000"),
        ],
    )
    answers.give({**TABLE, "total": 3, "rows": [row("2026-08")], "complete": True})
    assert call("series_table", "a/b", "monthly", limit=1).is_complete is True


def test_a_table_that_lacks_rows_is_an_error(call: Read, answers: Answers) -> None:
    answers.give({**TABLE, "total": 2, "rows": [row("2026-08")]})
    with pytest.raises(AnswerError, match="total of the answer is 2: it must be 1, the number of rows of all pages"):
        call("series_table", "a/b", "monthly")


def test_revisions_say_what_each_root_says(call: Read, answers: Answers) -> None:
    said = {"index": 0, "root": "ab", "size": 9, "attested_at": 0, "covers_from": None, "proof": "/v1/series/proof?x"}
    value = {**said, "statement": "value", "value": "1.50", "unit": "$", "leaf_index": 2}
    gone = {**said, "index": 1, "statement": "gone", "value": None, "unit": None, "leaf_index": None, "proof": None}
    page = {"feed_id": "A", "period": "2026-08", "items": [value], "next": "/v1/series/revisions?cursor=1"}
    answers.give(page, {**page, "items": [gone], "next": None})
    start = datetime(1970, 1, 1, tzinfo=timezone.utc)
    first, second = call("series_revisions", *SERIES, "2026-08")
    assert first == SeriesRevision(0, "ab", 9, start, "value", "1.50", "$", 2, None, "/v1/series/proof?x")
    assert (first.number, second.statement, second.number, second.proof) == (1.5, "gone", None, None)
    assert answers.asked()[1][-3:] == [("period", "2026-08"), ("order", "asc"), ("limit", "50")]
    answers.give({**page, "items": [{**value, "statement": "maybe"}], "next": None})
    with pytest.raises(AnswerError, match="statement of a row is 'maybe': it must be value, no_period"):
        call("series_revisions", *SERIES, "2026-08")


@pytest.mark.parametrize(
    "failure",
    [
        (410, "snapshot_gone", SnapshotGoneError),
        (404, "not_covered", NotCoveredError),
        (503, "snapshot_missing", ApiError),
    ],
)
@pytest.mark.parametrize(
    "read",
    [
        lambda call: call("series", *SERIES, "2026-08", index=3),
        lambda call: call("series_history", *SERIES, index=3),
        lambda call: call("series_table", *SERIES, index=3),
    ],
)
def test_what_a_root_cannot_say_has_an_exception_of_its_own(
    call: Read, answers: Answers, read: Read, failure: tuple[int, str, type]
) -> None:
    status, code, kind = failure
    answers.give((status, {"X-Wattfeed-Error": code}, {"error": "no"}))
    with pytest.raises(ApiError, match="no") as caught:
        read(call)
    assert (type(caught.value), caught.value.code, len(answers.paths)) == (kind, code, 1)


def test_a_root_whose_files_go_while_pages_are_read_is_gone(call: Read, answers: Answers) -> None:
    page = {**HISTORY, "items": [item("2026-08")], "next": "/v1/series/history?cursor=x"}
    answers.give(page, (410, {"X-Wattfeed-Error": "snapshot_gone"}, {"error": "no"}))
    with pytest.raises(SnapshotGoneError):
        call("series_history", *SERIES)


def test_a_series_of_a_root_asks_for_it_twice(call: Read, answers: Answers) -> None:
    absent = (404, {"X-Wattfeed-Error": "series_absent"}, {"error": "no"})
    answers.give(absent, absent)
    with pytest.raises(ApiError, match="no"):
        call("series", *SERIES, "2026-08", as_of="2026-11-20T15:00:00Z")
    assert all(("as_of", "2026-11-20T15:00:00.000Z") in answers.asked(number)[1] for number in (0, 1))


@pytest.mark.parametrize(
    ("options", "kind", "words"),
    [
        ({"as_of": "2026-11-20", "index": 1}, ValueError, "index is 1, and as_of names the root, too"),
        ({"limit": 0}, ValueError, "limit is 0"),
        ({"as_of": "yesterday"}, ValueError, "as_of 'yesterday' is neither a date"),
    ],
)
def test_a_wrong_argument_is_an_error(call: Read, options: dict[str, Any], kind: type[Exception], words: str) -> None:
    for name in ("series_history", "series_table"):
        with pytest.raises(kind, match=words):
            call(name, *SERIES, **options)


def test_a_list_of_a_table_must_have_texts(call: Read) -> None:
    with pytest.raises(TypeError, match=r"facet.stateid has 1: each must be a text"):
        call("series_table", "a/b", "monthly", None, {"stateid": [1]})
    with pytest.raises(ValueError, match=r"facet.stateid is an empty list"):
        call("series_table", "a/b", "monthly", None, {"stateid": []})
