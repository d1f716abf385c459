"""The table of a snapshot, from a folder and from a server of files."""

from __future__ import annotations

import threading
from functools import partial
from http.server import HTTPServer, SimpleHTTPRequestHandler
from typing import TYPE_CHECKING, Any

import polars as pl
import pytest

import wattfeed.pandas
import wattfeed.polars
from wattfeed import ApiError

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

COLUMNS = ["column", "area", "series", "period", "value", "unit"]
ROWS = [
    ("value", None, "RWTC", "2026-11-16", "59.910", "$/BBL"),
    ("value", "A", "X", "2026-11-17", None, None),
    ("value", "A", "Y", "2026-11-17", "w", "é"),
]


class Files(SimpleHTTPRequestHandler):
    def log_message(self, *_: object) -> None:
        pass


@pytest.fixture
def snapshot(tmp_path: Path) -> Path:
    pl.DataFrame(ROWS, schema=dict.fromkeys(COLUMNS, pl.String), orient="row").write_parquet(
        tmp_path / "series.parquet"
    )
    return tmp_path


@pytest.fixture
def address(snapshot: Path) -> Iterator[str]:
    with HTTPServer(("127.0.0.1", 0), partial(Files, directory=snapshot)) as listening:
        thread = threading.Thread(target=listening.serve_forever, args=(0.01,))
        thread.start()
        yield f"http://127.0.0.1:{listening.server_port}/"
        listening.shutdown()
        thread.join()


def test_polars_has_the_rows_as_text(snapshot: Path, address: str) -> None:
    for folder in (snapshot, str(snapshot), address):
        frame = wattfeed.polars.dataset_frame(folder)
        assert dict(frame.schema) == dict.fromkeys(COLUMNS, pl.String)
        assert frame.rows() == ROWS


def test_pandas_has_the_rows_as_text(snapshot: Path, address: str) -> None:
    pytest.importorskip("pyarrow", reason="pandas needs it for Parquet")
    for folder in (snapshot, address):
        frame = wattfeed.pandas.dataset_frame(folder)
        assert list(frame.columns) == COLUMNS
        rows = frame.astype(object).where(frame.notna(), None)
        assert list(rows.itertuples(index=False, name=None)) == ROWS


@pytest.mark.parametrize("read", [wattfeed.pandas.dataset_frame, wattfeed.polars.dataset_frame])
def test_a_snapshot_without_the_table_is_an_error(read: Any, snapshot: Path, address: str) -> None:
    with pytest.raises(ApiError) as caught:
        read(f"{address}other")
    assert caught.value.status == 404
    with pytest.raises(FileNotFoundError, match=r"series\.parquet"):
        read(snapshot / "other")
