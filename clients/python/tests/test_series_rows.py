"""The commands `series history`, `series table` and `series revisions`, with clients that know the answers."""

# cspell:ignore capsys

from __future__ import annotations

import csv
import io
import json
from dataclasses import replace
from datetime import date, datetime, timezone
from typing import Any

import pytest

import wattfeed.command
from wattfeed import Client, SeriesHistory, SeriesRow, SeriesTable, TableRow
from wattfeed.command import main
from wattfeed.series import SeriesRevision

AT = datetime(2026, 11, 20, 7, tzinfo=timezone.utc)
FACETS = {"stateid": "CA", "sectorid": None}
HISTORY = SeriesHistory(
    route="a/b",
    frequency="monthly",
    column="price",
    facets=FACETS,
    period_from=None,
    period_to=None,
    order="asc",
    limit=None,
    feed_id="F",
    root="ab",
    size=9,
    attested_at=AT,
    index=4,
    is_newest_root=True,
    covers_from=None,
    proof="/x",
    rows=(
        SeriesRow("2026-08", date(2026, 8, 1), date(2026, 8, 31), "24.110", "cents\x1b", 7),
        SeriesRow("2026-09", date(2026, 9, 1), date(2026, 9, 30), None, None, 8),
    ),
)
TABLE = SeriesTable(
    route="a/b",
    frequency="monthly",
    feed_id="F",
    root="ab",
    size=9,
    attested_at=AT,
    index=4,
    is_newest_root=True,
    total=5,
    is_complete=None,
    rows=(
        TableRow("price", FACETS, "2026-08", "24.110", "cents", 7),
        TableRow("price", FACETS, "2026-09", "w", "c", 8),
    ),
)
REVISIONS = [
    SeriesRevision(0, "ab", 9, AT, "value", "1.50", "$", 2, None, "/x"),
    SeriesRevision(1, "cd", 9, AT, "gone", None, None, None, None, None),
]
ONE = ["a/b", "--frequency=monthly", "--column=price", "--facet=stateid=CA", "--facet=sectorid="]


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> list[tuple[tuple[Any, ...], dict[str, Any]]]:
    """The arguments of each call."""
    calls: list[tuple[tuple[Any, ...], dict[str, Any]]] = []

    class Known(Client):
        def series_history(self, *args: Any, **options: Any) -> SeriesHistory:
            calls.append((args, options))
            return replace(HISTORY, rows=HISTORY.rows[: options["limit"]], is_newest_root=options["limit"] != 0)

        def series_table(self, *args: Any, **options: Any) -> SeriesTable:
            calls.append((args, options))
            return TABLE

        def series_revisions(self, *args: Any, **options: Any) -> list[SeriesRevision]:
            calls.append((args, options))
            return REVISIONS

    monkeypatch.setattr(wattfeed.command, "Client", Known)
    return calls


def test_a_history_is_a_table(asked: list[Any], capsys: pytest.CaptureFixture[str]) -> None:
    words = ["--from=2026-08", "--to=2026-09", "--as-of=2026-11-20", "--order=asc", "--limit=5"]
    assert main(["--server", "http://127.0.0.1:9", "series", "history", *ONE, *words]) == 0
    assert capsys.readouterr() == (
        "a/b (monthly), price, stateid=CA, sectorid=\n"
        "root ab, attested 2026-11-20 07:00:00Z\n"
        "period             value  unit         leaf\n"
        "August 2026       24.110  cents\\u{1b}     7\n"
        "September 2026  withheld                  8\n",
        "",
    )
    (args, options) = asked[0]
    assert args == ("a/b", "monthly", "price", FACETS)
    assert options == {
        "period_from": "2026-08",
        "period_to": "2026-09",
        "order": "asc",
        "limit": 5,
        "as_of": date(2026, 11, 20),
        "index": None,
    }


def test_a_history_has_the_columns_of_the_servers_files(asked: list[Any], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["series", "history", *ONE, "--format=csv"]) == 0
    first, second = csv.DictReader(io.StringIO(capsys.readouterr().out))
    assert list(first) == ["period", "period_start", "period_end", "value", "number", "unit", "leaf_index"]
    assert (first["value"], first["number"], second["value"], second["number"]) == ("24.110", "24.11", "", "")
    assert main(["series", "history", *ONE, "--format=jsonl"]) == 0
    lines = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert (lines[0]["number"], lines[1]["number"], lines[0]["period_end"]) == (24.11, None, "2026-08-31")
    assert main(["series", "history", *ONE, "--format=json"]) == 0
    assert json.loads(capsys.readouterr().out) == lines
    assert len(asked) == 3


def test_a_history_says_what_it_lacks(asked: list[Any], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["series", "history", *ONE, "--limit=0"]) == 0
    empty = "no values were found; check --from and --to\n"
    older = "the values are of an earlier root: the server does not have the files of the newest one\n"
    assert capsys.readouterr().err == empty + older
    # Who asks for a root knows that it is none of the newest.
    assert main(["series", "history", *ONE, "--limit=0", "--index=3"]) == 0
    assert capsys.readouterr().err == empty
    assert asked[1][1]["index"] == 3
    assert main(["series", "history", *ONE, "--from=2026-09", "--to=2026-08"]) == 1
    assert capsys.readouterr().err == "error: --from is 2026-09, which is after --to 2026-08; swap them\n"


def test_a_table_has_several_columns_and_codes(asked: list[Any], capsys: pytest.CaptureFixture[str]) -> None:
    chosen = ["--column=price", "--column=sales", "--facet=stateid=CA", "--facet=stateid=NY", "--sort=-period"]
    assert main(["series", "table", "a/b", "--frequency=monthly", *chosen]) == 0
    assert capsys.readouterr() == (
        "a/b (monthly): 2 of 5 rows\n"
        "root ab, attested 2026-11-20 07:00:00Z\n"
        "column  sectorid  stateid  period    value  unit\n"
        "price             CA       2026-08  24.110  cents\n"
        "price             CA       2026-09       w  c\n",
        "nothing shows that the root has no other rows of this table\n",
    )
    (args, options) = asked[0]
    assert args == ("a/b", "monthly", ["price", "sales"], {"stateid": ["CA", "NY"]})
    assert options["sort"] == ["-period"]
    assert main(["series", "table", "a/b", "--frequency=monthly", "--format=jsonl"]) == 0
    line = json.loads(capsys.readouterr().out.splitlines()[0])
    assert list(line) == ["column", "sectorid", "stateid", "period", "value", "unit", "number", "leaf_index"]
    assert line["number"] == 24.11


def test_revisions_are_a_table(asked: list[Any], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["series", "revisions", *ONE, "--period=2026-08"]) == 0
    assert capsys.readouterr().out == (
        "a/b (monthly), price, stateid=CA, sectorid=, 2026-08\n"
        "index  attested              value  unit\n"
        "    0  2026-11-20 07:00:00Z   1.50  $\n"
        "    1  2026-11-20 07:00:00Z   gone\n"
    )
    assert asked[0][0] == ("a/b", "monthly", "price", FACETS, "2026-08")
    assert main(["series", "revisions", *ONE, "--period=2026-08", "--format=json"]) == 0
    first, second = json.loads(capsys.readouterr().out)
    assert (first["number"], second["statement"], second["value"]) == (1.5, "gone", None)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["series", "history", "a/b"], "the following arguments are required: --frequency, --column"),
        (["series", "table"], "the following arguments are required: route, --frequency"),
        (["series", "revisions", *ONE], "the following arguments are required: --period"),
        (["series", "history", *ONE, "--order=up"], "invalid choice: 'up'"),
    ],
)
def test_wrong_arguments_have_the_exit_code_1(
    capsys: pytest.CaptureFixture[str], words: list[str], message: str
) -> None:
    with pytest.raises(SystemExit) as caught:
        main(words)
    assert (caught.value.code, message in capsys.readouterr().err) == (1, True)
