"""The commands except `verify`, with a server that answers as told."""

# cspell:ignore capfdbinary capsys

import json
import logging
import os
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import IO, Any, NoReturn

import pytest

import wattfeed
from wattfeed.command import main

FEED: dict[str, object] = {
    "feed_id": "A.B",
    "decimals": 2,
    "unit": "$/bbl",
    "title": "Oil",
    "source": "EIA",
    "route": "r",
    "frequency": "daily",
    "description": "",
    "amount": "6600",
    "period": 20261120,
    "source_hash": "ab",
    "updated_at": 1_795_158_000_000,
}
ROW: dict[str, object] = {
    "index": 0,
    "period": 20261120,
    "period_start": "2026-11-20",
    "period_end": "2026-11-20",
    "amount": "6600",
    "revision": 0,
    "source_hash": "ab",
    "attester": "account-hash-1",
    "attested_at": 1_795_158_000_000,
}
HISTORY = {"feed_id": "A.B", "decimals": 2, "unit": "$/bbl", "frequency": "daily", "count": 1, "next": None}
ABSENT = {"feed_id": "NOPE", "status": 404, "error": "feed not found on-chain: NOPE"}
NEXT = '</v1/feeds/A.B/history.csv-metadata.json>; rel="describedby", </v1/more>; rel="next"'

Answers = dict[str, tuple[dict[str, str], bytes]]
Start = Callable[[Answers], str]


@pytest.fixture
def start() -> Iterator[Start]:
    """Starts a server of these answers by path, with or without its query, and returns its URL."""
    servers: list[ThreadingHTTPServer] = []

    def run(answers: Answers) -> str:
        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                path = self.path if self.path in answers else self.path.partition("?")[0]
                headers, body = answers.get(path, ({}, b'{"error":"nothing here"}'))
                status = 200 if path in answers else 404
                self.send_response(int(headers.get(":status", status)))
                for name, value in {"Content-Length": str(len(body)), **headers}.items():
                    if name == ":status":
                        continue
                    self.send_header(name, value)
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *_: object) -> None:
                pass

        server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        servers.append(server)
        threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
        return f"--server=http://127.0.0.1:{server.server_port}"

    yield run
    for server in servers:
        server.shutdown()
        server.server_close()


def of(value: object) -> tuple[dict[str, str], bytes]:
    return {}, json.dumps(value).encode()


def readings(*results: object) -> Answers:
    return {"/v1/readings": of({"results": results})}


def history(*rows: object, **changed: object) -> Answers:
    return {"/v1/feeds/A.B/history": of({**HISTORY, "items": rows, **changed})}


def test_reading_prints_a_table(start: Start, capsys: pytest.CaptureFixture[str]) -> None:
    server = start(readings({"feed_id": "A.B", "status": 200, "reading": FEED}))
    assert main(["reading", "A.B", server]) == 0
    assert capsys.readouterr().out.splitlines() == [
        "feed  period       value  unit   attested",
        "A.B   20 Nov 2026     66  $/bbl  2026-11-20 07:00:00Z",
    ]


def test_reading_names_the_feeds_that_it_lacks(start: Start, capsys: pytest.CaptureFixture[str]) -> None:
    server = start(readings({"feed_id": "A.B", "status": 200, "reading": FEED}, ABSENT))
    assert main(["reading", "A.B", "NOPE", server]) == 2
    assert capsys.readouterr().err == (
        "error: feed not found on-chain: NOPE; /v1/feeds.csv of the server lists all feeds\n"
    )
    assert main(["reading", "A.B", "NOPE", "--json", server]) == 2
    first, second = json.loads(capsys.readouterr().out)
    assert (first["feed_id"], first["value"], first["amount"], first["decimals"]) == ("A.B", 66.0, "6600", 2)
    assert second["error"]["code"] == "feed_not_found"
    assert main(["reading", "NOPE", start(readings(ABSENT))]) == 1


def test_reading_suggests_the_id_that_was_meant(start: Start, capsys: pytest.CaptureFixture[str]) -> None:
    absent = {"feed_id": "A.PRICE", "status": 404, "error": "feed not found on-chain: A.PRICE"}
    server = start({**readings(absent), "/v1/feeds.csv": ({}, b"feed_id\r\nA.PRICES\r\n")})
    assert main(["reading", "A.PRICE", server]) == 1
    assert capsys.readouterr().err == "error: feed not found on-chain: A.PRICE; did you mean A.PRICES?\n"


def test_history_escapes_texts_of_strangers(start: Start, capsys: pytest.CaptureFixture[str]) -> None:
    unknown = {"period": 20261399, "period_start": None, "period_end": None}
    rows = [ROW, {**ROW, **unknown, "index": 1, "amount": "6550", "revision": 1}]
    assert main(["history", "A.B", start(history(*rows, count=2, unit="\x1b[31m\ud800$"))]) == 0
    assert capsys.readouterr().out.splitlines() == [
        "A.B in \\u{1b}[31m\\u{d800}$",
        "period       value  revision  attested",
        "20 Nov 2026     66         0  2026-11-20 07:00:00Z",
        "20261399      65.5         1  2026-11-20 07:00:00Z",
    ]


DATASET = {"route": "a/b", "name": "Oil\x1b", "frequencies": ["daily", "weekly"], "columns": ["value"], "facets": []}
OTHER_DATASET = {**DATASET, "route": "a/c"}


def test_search_prints_feeds_and_datasets_that_have_all_words(start: Start, capsys: pytest.CaptureFixture[str]) -> None:
    answers = {
        "/v1/feeds?q=crude+oil": of({"feeds": [FEED]}),
        # The server takes one word of the datasets.
        "/v1/datasets?q=crude": of({"datasets": [OTHER_DATASET, DATASET]}),
        "/v1/datasets?q=oil": of({"datasets": [DATASET, {**DATASET, "route": "a/d"}]}),
    }
    server = start(answers)
    assert main(["search", "crude", "oil", server]) == 0
    assert capsys.readouterr().out.splitlines() == [
        "feeds with 'crude oil': 1",
        "feed  title  unit   frequency",
        "A.B   Oil    $/bbl  daily",
        "",
        "datasets of EIA with 'crude oil': 1",
        "dataset  name       frequencies    attested",
        "a/b      Oil\\u{1b}  daily, weekly  -",
        "",
        "history and export read feeds. The command series reads attested datasets.",
        "Series of other datasets can become feeds.",
    ]
    assert main(["search", "crude", "oil", "--json", server]) == 0
    found = json.loads(capsys.readouterr().out)
    assert [feed["feed_id"] for feed in found["feeds"]] == ["A.B"]
    assert found["datasets"] == [{**DATASET, "attested_frequencies": []}]


def test_search_marks_attested_datasets(start: Start, capsys: pytest.CaptureFixture[str]) -> None:
    attested = {
        "route": "a/b",
        "frequency": "weekly",
        "name": "Oil",
        "columns": ["value"],
        "facets": [],
        "periods": None,
        "size": 9,
        "newest_period": "2026-11-20",
        "feed_id": "EIA.DATASET.A.B.WEEKLY",
        "root": "ab",
        "attested_at": 1_795_158_000_000,
    }
    answers: Answers = {
        "/v1/feeds": of({"feeds": []}),
        "/v1/datasets": of({"datasets": [DATASET, OTHER_DATASET]}),
        "/v1/datasets/attested": of({"datasets": [attested]}),
    }
    server = start(answers)
    assert main(["search", "oil", server]) == 0
    out = capsys.readouterr().out
    assert "\na/b      Oil\\u{1b}  daily, weekly  weekly\na/c      Oil\\u{1b}  daily, weekly  -\n" in out
    assert main(["search", "oil", "--json", server]) == 0
    datasets = json.loads(capsys.readouterr().out)["datasets"]
    assert [each["attested_frequencies"] for each in datasets] == [["weekly"], []]
    broken = start({**answers, "/v1/datasets/attested": ({":status": "400"}, b'{"error":"broken"}')})
    assert main(["search", "oil", broken]) == 1
    assert "broken" in capsys.readouterr().err


def test_a_search_without_results_says_so(start: Start, capsys: pytest.CaptureFixture[str]) -> None:
    server = start({"/v1/feeds": of({"feeds": []}), "/v1/datasets": of({"datasets": []})})
    assert main(["search", "coffee", server]) == 0
    assert capsys.readouterr().out == "feeds with 'coffee': none\n\ndatasets of EIA with 'coffee': none\n"


SERIES: dict[str, object] = {
    "route": "a/b",
    "frequency": "monthly",
    "column": "price",
    "facets": {"stateid": "CA", "sectorid": None},
    "period": "2026-09",
    "period_start": "2026-09-01",
    "period_end": "2026-09-30",
    "value": "23.40",
    "unit": "cents\x1b",
    "feed_id": "EIA.DATASET.A.B.MONTHLY",
    "root": "ab",
    "size": 9,
    "leaf_index": 3,
    "attested_at": 1_795_158_000_000,
    "index": 0,
    "is_newest_root": True,
}
ONE_SERIES = ["series", "a/b", "--frequency=monthly", "--column=price", "--facet=stateid=CA", "--facet=sectorid="]
ITS_QUERY = "route=a%2Fb&frequency=monthly&column=price&facet.stateid=CA&facet.sectorid="


def test_series_prints_a_value_of_a_dataset(start: Start, capsys: pytest.CaptureFixture[str]) -> None:
    withheld = {**SERIES, "value": None, "unit": None, "is_newest_root": False}
    server = start(
        {
            f"/v1/series?{ITS_QUERY}": of(SERIES),
            f"/v1/series?{ITS_QUERY}&period=2026-08": of(withheld),
        }
    )
    assert main([*ONE_SERIES, server]) == 0
    assert capsys.readouterr() == (
        "a/b (monthly), price, stateid=CA, sectorid=\n"
        "period          value  unit         attested\n"
        "September 2026  23.40  cents\\u{1b}  2026-11-20 07:00:00Z\n",
        "",
    )
    assert main([*ONE_SERIES, "--json", server]) == 0
    assert json.loads(capsys.readouterr().out) == {**SERIES, "attested_at": "2026-11-20T07:00:00.000Z"}
    assert main([*ONE_SERIES, "--period=2026-08", server]) == 0
    printed, said = capsys.readouterr()
    assert printed.splitlines()[-1].split() == ["September", "2026", "withheld", "2026-11-20", "07:00:00Z"]
    assert said == "the value is of an earlier root: the server does not have the files of the newest one\n"


def test_a_series_or_a_period_that_is_not_there_is_an_error(start: Start, capsys: pytest.CaptureFixture[str]) -> None:
    absent = ({":status": "404", "X-Wattfeed-Error": "series_absent"}, b'{"error":"it has no stateid \\"CA\\""}')
    server = start({"/v1/series": absent})
    assert main([*ONE_SERIES, server]) == 1
    assert capsys.readouterr() == ("", 'error: it has no stateid "CA"\n')
    server = start({f"/v1/series?{ITS_QUERY}": of(SERIES), f"/v1/series?{ITS_QUERY}&period=2026-07": absent})
    assert main([*ONE_SERIES, "--period=2026-07", "--json", server]) == 1
    assert capsys.readouterr() == ("null\n", "error: the series has no value of 2026-07\n")
    assert main([*ONE_SERIES, "--facet=stateid=TX", server]) == 1
    assert capsys.readouterr().err == ("error: --facet stateid is there twice; a series has one value of each facet\n")


STATUS: dict[str, object] = {
    "feed_id": "A.B",
    "frequency": "daily",
    "period": 20261120,
    "period_start": "2026-11-20",
    "period_end": "2026-11-20",
    "attested_at": 1_795_158_000_000,
    "age_ms": 90_500,
    "state": "late",
    "cadence": {"rule": "spot", "valid_from": "2020-01-01", "basis": "EIA", "is_assumed": False},
    "expected_period": 20261123,
    "due_at": 1_795_158_000_000,
    "due_on": "2026-11-25",
    "next_due_at": 1_795_158_000_000,
    "next_due_on": "2026-11-26",
    "max_age_ms": 172_800_000,
    "gaps": [20261118, 20261117],
}
NO_RULE = dict.fromkeys(("cadence", "expected_period", "due_at", "due_on", "next_due_at", "max_age_ms"))


def test_status_compares_feeds_with_the_calendar(start: Start, capsys: pytest.CaptureFixture[str]) -> None:
    others = [
        {**STATUS, **NO_RULE, "feed_id": "C", "state": "unknown", "next_due_on": None, "gaps": None},
        {**STATUS, "feed_id": "D", "next_due_at": None, "gaps": []},
    ]
    server = start(
        {
            "/v1/status": of({"feeds": [STATUS, *others]}),
            "/v1/feeds/A.B/status": of(STATUS),
            "/v1/feeds/C/status": of(others[0]),
        }
    )
    assert main(["status", server]) == 0
    assert capsys.readouterr().out.splitlines() == [
        "feed  state    period       attested              next release          missing periods",
        "A.B   late     20 Nov 2026  2026-11-20 07:00:00Z  2026-11-20 07:00:00Z  2026-11-18, 2026-11-17",
        "C     unknown  20 Nov 2026  2026-11-20 07:00:00Z  unknown               unknown",
        "D     late     20 Nov 2026  2026-11-20 07:00:00Z  2026-11-26            none",
        "",
        "2 late, 1 unknown",
    ]
    assert main(["status", "C", "NOPE", "A.B", "--json", server]) == 2
    printed, said = capsys.readouterr()
    second, absent, first = json.loads(printed)
    time = "2026-11-20T07:00:00.000Z"
    assert first == {
        **STATUS,
        "attested_at": time,
        "expected_period": "2026-11-23",
        "due_at": time,
        "next_due_at": time,
        "gaps": ["2026-11-18", "2026-11-17"],
    }
    assert [second[name] for name in (*NO_RULE, "gaps")] == [None] * 7
    assert (absent["feed_id"], absent["error"]["message"]) == ("NOPE", "nothing here")
    assert said.startswith("error: nothing here")
    assert main(["status", "NOPE", server]) == 1


def test_info_describes_a_feed_and_what_its_history_covers(start: Start, capsys: pytest.CaptureFixture[str]) -> None:
    older = {**ROW, "period": 20251120, "period_start": "2025-11-20", "period_end": "2025-11-20", "amount": "5905"}
    page = "/v1/feeds/A.B/history?vintages=latest&order={}&limit=1"
    answers: Answers = {
        "/": of({"registries": {"chain_name": "casper"}}),
        "/v1/feeds/A.B": of({**FEED, "description": "Spot price\neia:value\nx"}),
        page.format("asc"): of({**HISTORY, "count": 7, "items": [older]}),
        page.format("desc"): of({**HISTORY, "count": 7, "items": [{**ROW, "index": 6, "revision": 1}]}),
    }
    server = start(answers)
    assert main(["info", "A.B", server]) == 0
    assert capsys.readouterr().out.splitlines() == [
        "feed          A.B",
        "title         Oil",
        "description   Spot price",
        "              eia:value\\u{a}x",
        "unit          $/bbl, 2 decimals",
        "source        EIA, r, daily",
        "first period  20 Nov 2025: 59.05",
        "last period   20 Nov 2026: 66",
        "values        7, revisions included",
        "attested      2026-11-20 07:00:00Z",
        "license       https://www.eia.gov/about/copyrights_reuse.php",
    ]
    assert main(["info", "A.B", "NOPE", "--json", server]) == 2
    found, absent = json.loads(capsys.readouterr().out)
    assert found["last"] == {
        "period": 20261120,
        "period_start": "2026-11-20",
        "period_end": "2026-11-20",
        "value": 66.0,
        "amount": "6600",
        "revision": 1,
    }
    assert (found["first"]["value"], found["total"], found["decimals"]) == (59.05, 7, 2)
    assert absent["error"]["message"] == "nothing here"
    assert main(["info", "A.B", "A.B", server]) == 0
    assert capsys.readouterr().out.count("\n\nfeed  ") == 1


def test_history_prints_several_feeds(start: Start, capsys: pytest.CaptureFixture[str]) -> None:
    other = {**HISTORY, "feed_id": "C.D", "unit": "Bcf", "items": [ROW]}
    assert main(["history", "A.B", "C.D", start({**history(ROW), "/v1/feeds/C.D/history": of(other)})]) == 0
    row = "20 Nov 2026     66         0  2026-11-20 07:00:00Z"
    names = "period       value  revision  attested"
    expected = ["A.B in $/bbl", names, row, "", "C.D in Bcf", names, row]
    assert capsys.readouterr().out.splitlines() == expected


def test_history_prints_json(start: Start, capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    server = start(history(ROW, {**ROW, "index": 1, "amount": "7" * 60}, count=2))
    assert main(["history", "A.B", "--format=jsonl", server]) == 0
    lines = [json.loads(line) for line in capfdbinary.readouterr().out.splitlines()]
    assert main(["history", "A.B", "--format=json", server]) == 0
    assert json.loads(capfdbinary.readouterr().out) == lines
    assert lines[0] == {
        "feed_id": "A.B",
        "unit": "$/bbl",
        "index": 0,
        "period": 20261120,
        "period_start": "2026-11-20",
        "period_end": "2026-11-20",
        "value": 66.0,
        "amount": "6600",
        "revision": 0,
        "source_hash": "ab",
        "attester": "account-hash-1",
        "attested_at": "2026-11-20T07:00:00.000Z",
    }
    assert lines[1]["amount"] == "7" * 60
    assert main(["history", "A.B", "--format=json", start(history(count=0))]) == 0
    assert capfdbinary.readouterr().out == b"[]\n"


HOUR = {"period": 1_795_730_400, "period_start": "2026-11-26T21:00:00Z", "period_end": "2026-11-26T22:00:00Z"}
WEEK = {"period": 20261120, "period_start": "2026-11-14", "period_end": "2026-11-20"}
SURVEY = {"period": 20261123, "period_start": "2026-11-23", "period_end": "2026-11-23"}


@pytest.mark.parametrize(
    ("frequency", "dates", "words"),
    [
        ("hourly", HOUR, "hour ending 26 Nov 2026, 22:00 UTC"),
        ("weekly", WEEK, "week ending 20 Nov 2026"),
        ("weekly", SURVEY, "on Monday 23 Nov 2026"),
    ],
)
def test_a_period_is_printed_in_words_and_its_ends_are_those_of_the_server(
    start: Start, capfdbinary: pytest.CaptureFixture[bytes], frequency: str, dates: dict[str, object], words: str
) -> None:
    server = start(history({**ROW, **dates}, frequency=frequency))
    assert main(["history", "A.B", server]) == 0
    assert capfdbinary.readouterr().out.decode().splitlines()[-1].startswith(f"{words}  ")
    assert main(["history", "A.B", "--format=jsonl", server]) == 0
    row = json.loads(capfdbinary.readouterr().out)
    expected = {name: text.replace("00Z", "00.000Z") if isinstance(text, str) else text for name, text in dates.items()}
    assert {name: row[name] for name in dates} == expected
    # The values of `reading` have no dates: they follow from the dataset.
    feed = {**FEED, "frequency": frequency, "period": dates["period"]}
    assert main(["reading", "A.B", "--json", start(readings({"feed_id": "A.B", "status": 200, "reading": feed}))]) == 0
    (reading,) = json.loads(capfdbinary.readouterr().out)
    assert {name: reading[name] for name in dates} == expected


@pytest.mark.parametrize(
    ("frequency", "changed", "message"),
    [
        (
            "daily",
            {"period_end": "2026-11-20T00:00:00Z"},
            "period_end of a row is '2026-11-20T00:00:00Z': it must be a date",
        ),
        (
            "hourly",
            {**HOUR, "period_start": "2026-11-26"},
            "period_start of a row is '2026-11-26': it must be a time in UTC",
        ),
        ("daily", {"period_start": 7}, "period_start of a row is 7: it must be text"),
    ],
)
def test_wrong_dates_of_a_period_are_an_error(
    start: Start, capsys: pytest.CaptureFixture[str], frequency: str, changed: dict[str, object], message: str
) -> None:
    assert main(["history", "A.B", start(history({**ROW, **changed}, frequency=frequency))]) == 1
    assert message in capsys.readouterr().err


def test_a_server_that_does_not_say_where_a_period_ends_is_an_error(
    start: Start, capsys: pytest.CaptureFixture[str]
) -> None:
    row = {name: value for name, value in ROW.items() if name != "period_end"}
    assert main(["history", "A.B", start(history(row))]) == 1
    assert "period_end of a row is None: it must be there; update the server" in capsys.readouterr().err


def test_a_week_that_starts_in_the_year_0_has_no_dates(start: Start, capsys: pytest.CaptureFixture[str]) -> None:
    row = {**ROW, "period": 10102, "period_start": "0000-12-27", "period_end": "0001-01-02"}
    assert main(["history", "A.B", start(history(row, frequency="weekly"))]) == 0
    assert capsys.readouterr().out.splitlines()[-1].startswith("10102 ")


def test_the_pages_of_a_csv_are_one_file(start: Start, tmp_path: Path) -> None:
    answers: Answers = {
        "/v1/feeds/A.B/history.csv": ({"Link": NEXT}, b"names\r\n1\r\n"),
        "/v1/more": ({}, b"names\r\n2\r\n"),
    }
    out = tmp_path / "a.csv"
    assert main(["export", "A.B", f"--out={out}", start(answers)]) == 0
    assert out.read_bytes() == b"names\r\n1\r\n2\r\n"
    assert oct(out.stat().st_mode & 0o777) == oct(0o666 & ~umask())


def umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask


EMPTY = "no values were found; check --from, --to and --as-of\n"
#: A footer of 3 bytes, and its length.
FOOTER = b"...\x03\0\0\0PAR1"


@pytest.mark.parametrize(
    ("name", "path", "without", "with_rows"),
    [
        ("a.csv", "/v1/feeds/A.B/history.csv", ({}, b"names\r\n"), ({}, b"names\r\n1\r\n")),
        ("a.parquet", "/v1/feeds/A.B/history.parquet", ({}, b"PAR1" + FOOTER), ({}, b"PAR1group" + FOOTER)),
        ("a.jsonl", "/v1/feeds/A.B/history", *(history(*rows)["/v1/feeds/A.B/history"] for rows in ((), (ROW,)))),
    ],
)
def test_an_export_without_values_says_so(  # noqa: PLR0917
    start: Start, tmp_path: Path, capsys: pytest.CaptureFixture[str], name: str, path: str, without: Any, with_rows: Any
) -> None:
    out = tmp_path / name
    for answer, message in [(without, EMPTY), (with_rows, "")]:
        assert main(["export", "A.B", f"--out={out}", "--force", start({path: answer})]) == 0
        captured = capsys.readouterr()
        assert (captured.out, captured.err) == (f"{out}: {out.stat().st_size} bytes\n", message)


@pytest.mark.parametrize("form", ["text", "json", "jsonl"])
def test_a_history_without_values_says_so(start: Start, capfdbinary: pytest.CaptureFixture[bytes], form: str) -> None:
    other = {**HISTORY, "feed_id": "C.D", "items": [ROW]}
    server = start({**history(count=0), "/v1/feeds/C.D/history": of(other)})
    assert main(["history", "A.B", f"--format={form}", server]) == 0
    assert capfdbinary.readouterr().err.decode() == EMPTY
    # One value is enough.
    for feeds in (["A.B", "C.D"], ["C.D", "A.B"]):
        assert main(["history", *feeds, f"--format={form}", server]) == 0
        assert capfdbinary.readouterr().err == b""


def test_several_feeds_are_one_file(start: Start, tmp_path: Path) -> None:
    out = tmp_path / "a.parquet"
    assert main(["export", "A", "B", f"--out={out}", start({"/v1/history.parquet": ({}, b"PAR1")})]) == 0
    assert out.read_bytes() == b"PAR1"


@pytest.mark.parametrize(
    ("name", "answers", "message"),
    [
        ("a.csv", {"/v1/feeds/A.B/history.csv": ({"Link": NEXT}, b"names\r\n1\r\n")}, "nothing here"),
        (
            "a.csv",
            {"/v1/feeds/A.B/history.csv": ({"Link": NEXT}, b"n\r\n1\r\n"), "/v1/more": ({"Link": NEXT}, b"n\r\n")},
            "a file without rows",
        ),
        ("a.parquet", {"/v1/feeds/A.B/history.parquet": ({"Link": NEXT}, b"PAR1")}, "5,000 rows"),
        ("a.jsonl", history(ROW, {**ROW, "amount": "x"}), "amount of a row is 'x'"),
        ("a.xls", {}, "whose ending is no format; add --format"),
        ("none/a.csv", {}, "whose folder does not exist"),
        ("", {}, "is not a file"),
    ],
)
def test_a_failed_export_leaves_nothing(  # noqa: PLR0917
    start: Start, tmp_path: Path, capsys: pytest.CaptureFixture[str], name: str, answers: Answers, message: str
) -> None:
    options = ["--format=csv"] if name == "" else []
    assert main(["export", "A.B", f"--out={tmp_path / name}", *options, start(answers)]) == 1
    assert message in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == []


def test_a_file_is_replaced_only_by_force(start: Start, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "a.csv"
    out.write_text("old")
    command = ["export", "A.B", f"--out={out}", start({"/v1/feeds/A.B/history.csv": ({}, b"new")})]
    assert main(command) == 1
    assert (out.read_text(), "add --force" in capsys.readouterr().err) == ("old", True)
    assert main([*command, "--force"]) == 0
    assert out.read_text() == "new"
    # A failure keeps the old file.
    assert main(["export", "A.B", f"--out={out}", "--force", start({})]) == 1
    assert out.read_text() == "new"


def test_a_killed_export_has_not_written_its_file(tmp_path: Path) -> None:
    out = tmp_path / "a.csv"
    head = f"HTTP/1.1 200 OK\r\nContent-Length: 7\r\nLink: {NEXT}\r\n\r\nn\r\n1\r\n\r\n"
    with socket.create_server(("127.0.0.1", 0)) as listener:
        url = f"--server=http://127.0.0.1:{listener.getsockname()[1]}"
        command = [sys.executable, "-m", "wattfeed", "export", "A.B", f"--out={out}", url]
        with subprocess.Popen(command, env=ENVIRONMENT) as child:
            with listener.accept()[0] as connection:
                connection.recv(65536)
                connection.sendall(head.encode())
            # The first page is read; the second one is not answered.
            with listener.accept()[0] as connection:
                assert b"/v1/more" in connection.recv(65536)
                child.send_signal(signal.SIGKILL)
                child.wait()
    assert not out.exists()


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ([], "the following arguments are required: command"),
        (["reading"], "the following arguments are required: feed"),
        (["history", "A.B", "--from=2026-11-31"], "'2026-11-31' is not a date, such as 2026-11-20"),
        (["history", "A.B", "--as-of=2026-11-20T10:00"], "nor a time with its zone, such as 2026-11-20T15:00:00Z"),
        (["history", "A.B", "--as-of=yesterday"], "'yesterday' is neither a date"),
        (["history", "A.B", "--vintages=second"], "invalid choice: 'second'"),
        (["export", "A.B"], "the following arguments are required: --out"),
        (["series", "a/b", "--frequency=monthly"], "the following arguments are required: --column"),
        (["series", "a/b", "--facet=CA"], "'CA' is not the id of a facet, then = and its value, such as stateid=CA"),
        (["info"], "the following arguments are required: feed"),
        (["--serve=http://127.0.0.1:9", "reading", "A.B"], "unrecognized arguments: --serve=http://127.0.0.1:9"),
    ],
)
def test_wrong_arguments_have_the_exit_code_1(
    capsys: pytest.CaptureFixture[str], words: list[str], message: str
) -> None:
    with pytest.raises(SystemExit) as caught:
        main(words)
    assert (caught.value.code, message in capsys.readouterr().err) == (1, True)


@pytest.mark.parametrize("command", [["history"], ["export", "--out=none.csv"]])
def test_dates_in_the_wrong_order_are_an_error_that_names_the_options(
    capsys: pytest.CaptureFixture[str], command: list[str]
) -> None:
    assert main([*command, "A.B", "--from=2026-11-01", "--to=2026-10-01"]) == 1
    assert capsys.readouterr().err == "error: --from is 2026-11-01, which is after --to 2026-10-01; swap them\n"


def test_wrong_arguments_of_verify_have_the_exit_code_2() -> None:
    with pytest.raises(SystemExit) as caught:
        main(["verify"])
    assert caught.value.code == 2


@pytest.mark.parametrize("server", [["--server", "http://127.0.0.1:9"], ["--server=http://127.0.0.1:9"]])
def test_verify_takes_no_server(capsys: pytest.CaptureFixture[str], server: list[str]) -> None:
    with pytest.raises(SystemExit) as caught:
        main([*server, "verify", "proof.json", "--trust=00"])
    assert caught.value.code == 2
    assert "verify takes no --server: the source is a file or a URL" in capsys.readouterr().err


def test_the_server_is_named_before_or_after_the_command(
    start: Start, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("WATTFEED_URL", "http://127.0.0.1:9")
    server = start(history(ROW))
    assert main(["history", "A.B", server]) == 0
    after = capsys.readouterr()
    assert main([server, "history", "A.B"]) == 0
    assert main([*server.split("="), "history", "A.B"]) == 0
    assert capsys.readouterr().out == after.out * 2
    # The one after the command counts.
    assert main(["--server=http://127.0.0.1:9", "history", "A.B", server]) == 0
    monkeypatch.setenv("WATTFEED_URL", server.partition("=")[2])
    assert main(["history", "A.B"]) == 0


#: Where a program finds the package that is tested.
ENVIRONMENT = {**os.environ, "PYTHONPATH": str(Path(wattfeed.__file__).parent.parent)}


def run_python(*arguments: str, output: IO[bytes] | int = subprocess.DEVNULL) -> subprocess.CompletedProcess[bytes]:
    command = [sys.executable, *arguments]
    return subprocess.run(command, env=ENVIRONMENT, stdout=output, stderr=subprocess.PIPE, check=False)


def test_verify_names_its_package() -> None:
    program = """if True:
        import sys
        sys.modules["cryptography"] = None
        from wattfeed.command import main
        sys.exit(main(["verify", "proof.json"]))"""
    ended = run_python("-c", program)
    assert (ended.returncode, b"pip install 'wattfeed[verify]'" in ended.stderr) == (2, True)


def test_as_of_reaches_the_server(start: Start, monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[str] = []
    get = wattfeed.Client._get

    def spy(client: wattfeed.Client, path: str, accept: str = "application/json") -> object:
        seen.append(path)
        return get(client, path, accept)

    monkeypatch.setattr(wattfeed.Client, "_get", spy)
    moment = "--as-of=2026-11-20T15:00:00+02:00"
    assert main(["history", "A.B", moment, "--from=2026-11-01", "--vintages=first", start(history(ROW))]) == 0
    query = "period_from=2026-11-01&as_of=2026-11-20T13%3A00%3A00.000Z&vintages=first"
    assert seen == [f"/v1/feeds/A.B/history?{query}&limit=1000"]


def test_retries_and_failures_are_shown_without_the_password(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    pauses: list[float] = []

    def pause(seconds: float) -> None:
        pauses.append(seconds)
        if len(pauses) == 2:
            raise wattfeed.TransportError("broken")

    def fail(*_: object) -> NoReturn:
        raise wattfeed.TransportError("the connection to the server failed")

    monkeypatch.setattr("wattfeed._client.sleep", pause)
    monkeypatch.setattr("wattfeed._client.fetch", fail)
    monkeypatch.setenv("WATTFEED_URL", "http://user:secret@127.0.0.1:9")
    assert main(["reading", "A.B"]) == 1
    *retries, last = capsys.readouterr().err.splitlines()
    assert ["retrying in" in line for line in retries] == [True, True]
    assert last == "error: broken; check --server or WATTFEED_URL, and that the server runs"
    assert logging.getLogger("wattfeed").handlers == []


def test_a_server_that_does_not_run_is_named_once_retried(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("wattfeed._client.sleep", lambda _: None)
    monkeypatch.setenv("WATTFEED_URL", "http://user:secret@127.0.0.1:9")
    assert main(["reading", "A.B"]) == 1
    retry, last = capsys.readouterr().err.splitlines()
    assert "retrying in" in retry
    assert last.startswith(
        "error: http://127.0.0.1:9 refused the connection: no server runs there; start the demo with"
    )
    assert last.endswith(" or check the URL in --server or WATTFEED_URL")
    assert "secret" not in f"{retry}{last}"
    assert logging.getLogger("wattfeed").handlers == []


def test_a_reader_that_ends_early_is_no_traceback(start: Start) -> None:
    output, unread = os.pipe()
    os.close(output)
    with open(unread, "wb") as closed:  # noqa: PTH123
        ended = run_python("-m", "wattfeed", "history", "A.B", "--format=jsonl", start(history(ROW)), output=closed)
    assert (ended.returncode, ended.stderr) == (1, b"")
