"""Both clients and the commands, with the real server of ``WATTFEED_URL``."""

# cspell:ignore capsys pytestmark

import asyncio
import csv
import io
import json
import os
from collections.abc import Awaitable, Callable, Iterator
from contextlib import aclosing
from dataclasses import replace
from datetime import date, timedelta
from decimal import Decimal
from itertools import islice
from pathlib import Path
from typing import Any, TypeVar

import pytest

from wattfeed import ApiError, Client, Event, NotFoundError, Reading, Snapshot, coverage_of
from wattfeed._files import Histories
from wattfeed.aio import AsyncClient
from wattfeed.command import main

T = TypeVar("T")

URL = os.environ.get("WATTFEED_URL", "")
WTI = "EIA.PET.PRICE.WTI.DAILY"
STORAGE = "EIA.NG.STORAGE.L48_WORKING.WEEKLY"

pytestmark = pytest.mark.skipif(URL == "", reason="WATTFEED_URL is not set")

client = Client(URL or "http://localhost:4030")


def with_async(read: Callable[[AsyncClient], Awaitable[T]]) -> T:
    async def run() -> T:
        async with AsyncClient(URL) as other:
            return await read(other)

    return asyncio.run(run())


@pytest.mark.parametrize(
    "read",
    [
        lambda reader: reader.chain_name(),
        lambda reader: reader.reading(WTI),
        lambda reader: reader.readings(),
        lambda reader: reader.search("wti spot"),
        lambda reader: reader.history(STORAGE, vintages="latest", order="desc", limit=5),
        lambda reader: reader.history([STORAGE, WTI], vintages="first", limit=5),
        lambda reader: reader.history(iter([STORAGE])),
        lambda reader: reader.info(STORAGE),
        lambda reader: reader.datasets("Cushing crude"),
        lambda reader: reader.datasets(),
        lambda reader: reader.attested_datasets(),
        lambda reader: reader.codes("electricity/retail-sales", "monthly", "sectorid"),
    ],
)
def test_both_clients_read_the_same(read: Callable[[Any], Any]) -> None:
    def results() -> list[object]:
        return [read(client), with_async(read)]

    # An agent may attest between two reads, but not forever.
    assert any(first == second for first, second in (results() for _ in range(20)))


def test_a_search_finds_the_feeds_that_have_all_words() -> None:
    def found(text: str) -> list[str]:
        return [reading.feed_id for reading in client.search(text)]

    assert found("SPOT wti") == [WTI]
    assert found("wti & spot=") == []
    assert found(" ") == [reading.feed_id for reading in client.readings() if isinstance(reading, Reading)]
    with pytest.raises(ApiError, match="1 to 200 characters"):
        client.search("x" * 201)


@pytest.mark.parametrize("read", [client.history, lambda ids: with_async(lambda each: each.history(ids))])
def test_several_histories_are_those_of_each_feed_in_the_order_of_the_ids(read: Callable[[Any], Any]) -> None:
    ids = [reading.feed_id for reading in client.readings() if isinstance(reading, Reading)][::-1]
    for one, other in zip(read(ids), ids, strict=True):
        alone = client.history(other)
        # An agent may attest between two reads.
        assert (one.feed_id, one.unit, one.rows) == (other, alone.unit, alone.rows[: len(one)])
    with pytest.raises(NotFoundError, match="NOPE"):
        read([WTI, "NOPE", STORAGE])
    with pytest.raises(ValueError, match="name at least one feed"):
        read([])
    with pytest.raises(ValueError, match=f"feed_id has '{WTI}' 2 times"):
        read([WTI, STORAGE, WTI])


def test_an_info_is_what_the_history_says() -> None:
    for feed_id in (WTI, STORAGE):
        info, history = client.info(feed_id), client.history(feed_id)
        if info.total < len(history):
            continue
        rows = sorted(history, key=lambda row: (row.period_code, row.index))
        oldest = [row for row in rows if row.period_code == rows[0].period_code]
        assert (info.first, info.last, info.total) == (oldest[-1], rows[-1], len(rows))
        assert info.attested_at == max(row.attested_at for row in rows)
        reading = client.reading(feed_id)
        assert (info.title, info.unit, info.source) == (reading.title, reading.unit, reading.source)
    with pytest.raises(NotFoundError):
        client.info("NOPE")


def test_a_misspelt_id_has_the_suggestion_of_a_feed_of_the_server() -> None:
    with pytest.raises(
        NotFoundError, match=f"^feed not found on-chain: EIA.PET.PRICE.WTL.DAILY; did you mean {WTI}\\?$"
    ):
        client.status("EIA.PET.PRICE.WTL.DAILY")


def test_a_search_of_datasets_needs_all_words() -> None:
    def found(text: str) -> list[str]:
        return [dataset.route for dataset in client.datasets(text)]

    assert found("CUSHING crude") == found("crude cushing") == ["petroleum/stoc/cu"]
    assert found("cushing coal") == []
    assert found(" ") == found("")
    assert set(found("crude")) > set(found("crude cushing"))


def test_both_clients_read_the_same_status() -> None:
    def ageless(found: Any) -> Any:
        return replace(found, age=timedelta())

    assert ageless(with_async(lambda reader: reader.status(STORAGE))) == ageless(client.status(STORAGE))
    found = with_async(lambda reader: reader.statuses())
    assert [each.feed_id for each in found] == [each.feed_id for each in client.statuses()]


def test_a_period_has_the_same_ends_everywhere() -> None:
    known = [reading for reading in client.readings() if isinstance(reading, Reading)]
    statuses = {each.feed_id: each for each in client.statuses()}
    assert {"hourly", "daily", "weekly", "monthly", "annual"} <= {reading.frequency for reading in known}
    for reading in known:
        # The client computes those of a reading, the server the others.
        ends = {reading.period_code: (reading.period_start, reading.period_end)}
        newest = client.history(reading.feed_id, vintages="latest", order="desc", limit=5)
        rows = {row.period_code: (row.period_start, row.period_end) for row in newest}
        status = statuses[reading.feed_id]
        ends_of_status = {status.period_code: (status.period_start, status.period_end)}
        for found in (rows, ends_of_status):
            # An agent may attest between two reads.
            assert all(found[code] == ends[code] for code in ends.keys() & found.keys())
        for row in newest:
            coverage = coverage_of(reading.route, reading.frequency, row.period_code)
            assert coverage is not None
            assert rows[row.period_code] == coverage[1:]


def test_both_clients_follow_the_same_stream() -> None:
    def first(events: Iterator[Event]) -> list[Event]:
        return list(islice(events, 2))

    async def first_of(reader: AsyncClient) -> list[Event]:
        async with aclosing(reader.stream([WTI], snapshot=True)) as events:
            return [await events.__anext__(), await events.__anext__()]

    one, other = first(client.stream([WTI], snapshot=True)), with_async(first_of)
    assert [type(event).__name__ for event in one] == [type(event).__name__ for event in other]
    assert isinstance(one[0], Snapshot)
    assert isinstance(other[0], Snapshot)
    assert one[0].feed == other[0].feed


#: Rows that no later attestation changes.
FIRST: Any = {"vintages": "first", "period_to": date(2026, 11, 1)}


def test_exports_are_the_servers_files(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    as_of = "--as-of=2026-11-01"
    assert main(["export", WTI, f"--out={tmp_path / 'one.csv'}", f"--server={URL}", as_of]) == 0
    path = f"/v1/feeds/{WTI}/history.csv?as_of=2026-11-01"
    assert (tmp_path / "one.csv").read_bytes() == client._get(path).body
    assert main(["export", WTI, STORAGE, f"--out={tmp_path / 'two.parquet'}", f"--server={URL}"]) == 0
    assert (tmp_path / "two.parquet").read_bytes()[:4] == b"PAR1"
    assert capsys.readouterr().err == ""


@pytest.mark.parametrize("ending", ["csv", "jsonl", "parquet"])
def test_an_export_of_years_without_values_says_so(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], ending: str
) -> None:
    assert main(["export", WTI, f"--out={tmp_path / 'none'}.{ending}", f"--server={URL}", "--from=2040-01-01"]) == 0
    assert capsys.readouterr().err.startswith("no values were found")


def test_json_lines_have_the_columns_of_the_csv() -> None:
    histories = Histories(client, [WTI, STORAGE], **FIRST)
    rows = [json.loads(line) for line in b"".join(histories.chunks("jsonl")).splitlines()]
    text = b"".join(histories.chunks("csv")).decode()
    served = list(csv.DictReader(io.StringIO(text, newline="")))
    assert len(rows) > 10
    assert [_comparable(row) for row in rows] == [_comparable(row) for row in served]


def _comparable(row: dict[str, Any]) -> dict[str, str]:
    # In a file of several feeds, days are timestamps.
    days = {name: row[name][:10] for name in ("period_start", "period_end")}
    changed = {"value": str(Decimal(str(row["value"])).normalize()), **days}
    return {name: str(value) for name, value in {**row, **changed}.items()}


def test_the_pages_of_a_csv_are_the_whole_file(monkeypatch: pytest.MonkeyPatch) -> None:
    histories = Histories(client, [WTI], **FIRST)
    whole = b"".join(histories.chunks("csv"))
    first_path = Histories._first_path
    monkeypatch.setattr(Histories, "_first_path", lambda self, ending: f"{first_path(self, ending)}&limit=7")
    pages = list(histories.chunks("csv"))
    assert len(pages) > 3
    assert b"".join(pages) == whole
    with pytest.raises(ValueError, match="5,000 rows"):
        list(histories.chunks("parquet"))


@pytest.mark.parametrize("period", [None, "2026-08", "1990-01"])
def test_a_wrong_code_of_a_series_is_an_error_and_a_missing_period_is_none(period: str | None) -> None:
    asked = ("electricity/retail-sales", "monthly", "price")
    found = client.series(*asked, {"stateid": "CA", "sectorid": "COM"}, period)
    assert (found is None) == (period == "1990-01")
    wrong = {"stateid": "ZZ", "sectorid": "COM"}
    for read in (client.series, lambda *args: with_async(lambda each: each.series(*args))):
        with pytest.raises(
            ApiError, match=r'sectorid=COM stateid=ZZ has no value among .* it has no stateid "ZZ"'
        ) as no:
            read(*asked, wrong, period)
        assert no.value.code == "series_absent"
