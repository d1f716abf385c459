"""Frames of series of datasets: numbers as numbers, by period, and whole datasets that are checked."""

from __future__ import annotations

import threading
from dataclasses import replace
from datetime import date, datetime, timezone
from decimal import Decimal
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING, Any

import pandas as pd
import polars as pl
import pytest

import wattfeed.pandas
import wattfeed.polars
from wattfeed import Client, SeriesHistory, SeriesRow, SeriesTable, TableRow
from wattfeed.verify import RefutedError
from wattfeed.verify._leaves import Leaf, leaf_hash, node_hash

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from pathlib import Path

FACETS = {"sectorid": None, "unit": "CA"}
AT = datetime(2026, 11, 20, 7, tzinfo=timezone.utc)
ROWS = (
    SeriesRow("2026-08", date(2026, 8, 1), date(2026, 8, 31), "24.110", "$", 7),
    SeriesRow("2026-09", date(2026, 9, 1), date(2026, 9, 30), "w", "$", 8),
    SeriesRow("2026-10", date(2026, 10, 1), date(2026, 10, 31), None, "$", 9),
)
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
    rows=ROWS,
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
    is_complete=True,
    rows=tuple(TableRow("price", FACETS, row.period, row.value, row.unit, row.leaf_index) for row in ROWS),
)
COLUMNS = ["column", "sectorid", "facet_unit", "period", "value", "unit", "number", "leaf_index"]


class Known(Client):
    """A client that knows its answers."""

    def __init__(self, history: SeriesHistory = HISTORY, table: SeriesTable = TABLE) -> None:
        super().__init__("http://127.0.0.1:9")
        self._answers = (history, table)

    def chain_name(self) -> str:
        return "casper-test"

    def series_history(self, *_: Any, **__: Any) -> SeriesHistory:
        return self._answers[0]

    def series_table(self, *_: Any, **__: Any) -> SeriesTable:
        return self._answers[1]


def test_pandas_has_numbers_by_period() -> None:
    frame = wattfeed.pandas.Wattfeed(Known()).series_history("a/b", "monthly", "price", FACETS)
    assert frame.index.dtype == "period[M]"
    assert [str(period) for period in frame.index] == ["2026-08", "2026-09", "2026-10"]
    assert frame["number"].dtype == "float64"
    assert frame["number"].iloc[0] == 24.11
    assert frame["number"].isna().tolist() == [False, True, True]
    assert frame["value"].iloc[:2].tolist() == ["24.110", "w"]
    assert frame["value"].isna().tolist() == [False, False, True]
    assert frame.attrs == {
        "feed_id": "F",
        "chain": "casper-test",
        "root": "ab",
        "index": 4,
        "attested_at": "2026-11-20T07:00:00.000Z",
        "unit": "$",
    }


def test_pandas_has_the_rows_of_a_table() -> None:
    frame = wattfeed.pandas.Wattfeed(Known()).series_table("a/b", "monthly")
    assert list(frame.columns) == COLUMNS
    assert frame["facet_unit"].tolist() == ["CA"] * 3
    assert frame["sectorid"].isna().all()
    assert frame["number"].dtype == "float64"
    assert (frame.attrs["total"], frame.attrs["is_complete"], frame.attrs["index"]) == (5, True, 4)


def test_polars_has_numbers_and_days() -> None:
    frame = wattfeed.polars.Wattfeed(Known()).series_history("a/b", "monthly", "price", FACETS)
    assert frame["number"].to_list() == [24.11, None, None]
    assert frame["value"].to_list() == ["24.110", "w", None]
    assert frame.schema["period_start"] == pl.Date
    assert frame["period_end"][0] == date(2026, 8, 31)
    assert frame.row(0)[-5:] == ("F", "casper-test", "ab", 4, AT)


def test_polars_has_the_rows_of_a_table() -> None:
    frame = wattfeed.polars.Wattfeed(Known()).series_table("a/b", "monthly")
    assert frame.columns[:8] == ["column", "sectorid", "facet_unit", "period", "value", "unit", "number", "leaf_index"]
    assert frame["sectorid"].null_count() == 3


def test_exact_numbers_are_decimals() -> None:
    rows = (ROWS[0], replace(ROWS[1], value="1e2"), ROWS[2])
    client = Known(replace(HISTORY, rows=rows))
    pandas = wattfeed.pandas.Wattfeed(client, exact=True).series_history("a/b", "monthly", "price", FACETS)
    assert pandas["number"].tolist() == [Decimal("24.110"), Decimal("1e2"), None]
    polars = wattfeed.polars.Wattfeed(client, exact=True).series_history("a/b", "monthly", "price", FACETS)
    assert polars["number"].to_list() == [Decimal("24.110"), Decimal(100), None]
    huge = Known(replace(HISTORY, rows=(replace(ROWS[0], value="1e200"),)))
    with pytest.raises(ValueError, match="use exact=False"):
        wattfeed.polars.Wattfeed(huge, exact=True).series_history("a/b", "monthly", "price", FACETS)


def test_frames_without_rows_have_their_columns() -> None:
    client = Known(replace(HISTORY, rows=()), replace(TABLE, rows=(), total=0))
    for module in (wattfeed.pandas, wattfeed.polars):
        eia = module.Wattfeed(client)
        assert "number" in eia.series_history("a/b", "monthly", "price", FACETS).columns
        assert "period" in eia.series_table("a/b", "monthly").columns


def leaf(number: int, value: str | None = "1.50", route: str = "a/b") -> Leaf:
    return Leaf("price", route, "monthly", (("stateid", None if number == 0 else "CA"),), f"{number:05}", value, "$")


def root_of(hashes: Sequence[bytes]) -> bytes:
    """By the recursion of RFC 6962."""
    if len(hashes) == 1:
        return hashes[0]
    split = 1 << (len(hashes) - 1).bit_length() - 1
    return node_hash(root_of(hashes[:split]), root_of(hashes[split:]))


def write(folder: Path, leaves: Sequence[Leaf]) -> str:
    """Writes the bundles of leaves, and returns their root."""
    contents = [str(each).encode() for each in leaves]
    for number in range(0, len(contents), 256):
        bundle = contents[number : number + 256]
        name = f"{number // 256:03}{'' if len(bundle) == 256 else f'.p/{len(bundle)}'}"
        path = folder / "tile" / "entries" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(b"".join(len(each).to_bytes(2, "big") + each for each in bundle))
    return root_of([leaf_hash(each) for each in contents]).hex()


class Files(SimpleHTTPRequestHandler):
    def log_message(self, *_: object) -> None:
        pass


@pytest.fixture
def address(tmp_path: Path) -> Iterator[str]:
    with ThreadingHTTPServer(("127.0.0.1", 0), partial(Files, directory=tmp_path)) as listening:
        thread = threading.Thread(target=listening.serve_forever, args=(0.01,))
        thread.start()
        yield f"http://127.0.0.1:{listening.server_port}"
        listening.shutdown()
        thread.join()


Frame = Any
READERS: list[Callable[..., Frame]] = [wattfeed.pandas.checked_dataset_frame, wattfeed.polars.checked_dataset_frame]


@pytest.mark.parametrize("size", [1, 2, 255, 256, 257, 700])
def test_a_dataset_of_any_size_is_checked(tmp_path: Path, size: int) -> None:
    root = write(tmp_path, [leaf(number) for number in range(size)])
    for read in READERS:
        frame = read(tmp_path, root, size)
        assert (len(frame), list(frame.columns)) == (size, ["column", "stateid", "period", "value", "unit", "number"])
        assert list(frame["number"]) == [1.5] * size
        assert [str(each) for each in frame["period"]] == [f"{number:05}" for number in range(size)]


def test_texts_are_null_where_eia_has_none(tmp_path: Path) -> None:
    root = write(tmp_path, [leaf(0, None), leaf(1, "w"), leaf(2, "1e400"), leaf(3, "2")])
    pandas, polars = (read(tmp_path, root, 4) for read in READERS)
    assert polars["number"].to_list() == [None, None, None, 2.0]
    assert pandas["number"].isna().tolist() == [True, True, True, False]
    assert polars["value"].to_list() == [None, "w", "1e400", "2"]
    assert polars["stateid"].to_list() == [None, "CA", "CA", "CA"]
    assert isinstance(pandas["stateid"].dtype, pd.CategoricalDtype)
    assert pandas["stateid"].isna().tolist() == [True, False, False, False]
    assert pandas.attrs == {"route": "a/b", "frequency": "monthly", "root": root, "size": 4}


def test_a_server_of_files_has_the_same_rows(tmp_path: Path, address: str) -> None:
    root = write(tmp_path, [leaf(number) for number in range(600)])
    pandas, polars = (read(address, root, 600) for read in READERS)
    assert len(pandas) == len(polars) == 600


def _cut(folder: Path) -> None:
    path = folder / "tile/entries/000.p/3"
    path.write_bytes(path.read_bytes()[:-1])


def _longer(folder: Path) -> None:
    path = folder / "tile/entries/000.p/3"
    path.write_bytes(path.read_bytes() + b"\0")


def _changed(folder: Path) -> None:
    path = folder / "tile/entries/000.p/3"
    path.write_bytes(path.read_bytes().replace(b"1.50", b"1.51", 1))


@pytest.mark.parametrize("read", READERS)
@pytest.mark.parametrize(
    ("spoil", "words"),
    [
        (_cut, "the value 2 of .* is wrong: its file ends before it"),
        (_longer, "the value 3 of .* is wrong: more follows"),
        (_changed, "lead to the root"),
    ],
)
def test_files_that_are_not_those_of_the_root_are_refuted(
    tmp_path: Path, read: Callable[..., Frame], spoil: Callable[[Path], None], words: str
) -> None:
    root = write(tmp_path, [leaf(number) for number in range(3)])
    assert len(read(tmp_path, root, 3)) == 3
    spoil(tmp_path)
    with pytest.raises(RefutedError, match=words):
        read(tmp_path, root, 3)


@pytest.mark.parametrize(
    ("leaves", "words"),
    [
        ([leaf(2), leaf(1)], "the value 1 of .* does not follow the one before it"),
        ([leaf(1), leaf(1)], "the value 1 of .* does not follow the one before it"),
        ([leaf(1), leaf(2, route="a/c")], "the value 1 of .* is of another dataset"),
    ],
)
def test_a_root_of_leaves_that_are_not_sorted_is_refuted(tmp_path: Path, leaves: list[Leaf], words: str) -> None:
    root = write(tmp_path, leaves)
    for read in READERS:
        with pytest.raises(RefutedError, match=words):
            read(tmp_path, root, len(leaves))


def test_another_size_is_refuted_or_has_no_file(tmp_path: Path) -> None:
    root = write(tmp_path, [leaf(number) for number in range(256)])
    for read in READERS:
        with pytest.raises(OSError, match=r"000\.p/255"):
            read(tmp_path, root, 255)
        with pytest.raises(ValueError, match="size is 0"):
            read(tmp_path, root, 0)
