"""The lines of the documentation that save frames, with each kind of frame."""

from __future__ import annotations

import re
import sqlite3
from contextlib import closing
from decimal import Decimal
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pandas as pd
import polars as pl
import pytest

import wattfeed.pandas
import wattfeed.polars

from .invented import FEED, Attestation, InventedClient, rows_of

if TYPE_CHECKING:
    from collections.abc import Callable

PAGE = Path(__file__).parents[4] / "docs/python.md"
#: An hour, a period and a timestamp in the index.
FREQUENCIES = ("hourly", "weekly", "four-week-average")
VALUES = [Attestation(0, Decimal("1.10")), Attestation(1, Decimal("2.25")), Attestation(0, Decimal("1.20"))]


def lines_of(heading: str) -> str:
    """The last program below a heading."""
    section = PAGE.read_text().partition(f"\n### {heading}\n")[2].partition("\n## ")[0].partition("\n### ")[0]
    return str(re.findall(r"```python\n(.*?)```", section, re.DOTALL)[-1])


def flat_of_page() -> Callable[[pd.DataFrame], pd.DataFrame]:
    names: dict[str, Any] = {}
    exec(lines_of("Save a frame").partition("\nframes = ")[0], names)
    flat: Callable[[pd.DataFrame], pd.DataFrame] = names["flat"]
    return flat


flat = flat_of_page()


def client_of(frequency: str) -> InventedClient:
    return InventedClient(rows_of(VALUES, frequency), frequency)


def frames_of(frequency: str, *, exact: bool = False) -> dict[str, pd.DataFrame]:
    eia = wattfeed.pandas.Wattfeed(client_of(frequency), exact=exact)
    return {
        "one": eia.history(FEED),
        "long": eia.history([FEED]),
        "wide": eia.history(FEED, wide=True),
        "newest": flat(eia.readings()),
        "series": eia.get_series(FEED).rename_axis("date").to_frame("value"),
        "first": eia.get_series_first_release(FEED).to_frame(),
        "releases": eia.get_series_all_releases(FEED),
    }


@pytest.mark.parametrize("frequency", FREQUENCIES)
def test_every_frame_can_be_saved_to_sql(frequency: str) -> None:
    with closing(sqlite3.connect(":memory:")) as database:
        for name, frame in frames_of(frequency).items():
            flat(frame).to_sql(name, database, index=False)
            saved = pd.read_sql(f"SELECT * FROM {name}", database)
            assert list(saved) == list(flat(frame))
            value = "value" if "value" in frame else FEED
            assert saved[value].to_list() == frame[value].to_list()
            assert all(isinstance(each, str) for each in saved.get("period", []))


@pytest.mark.parametrize("frequency", FREQUENCIES)
@pytest.mark.parametrize("exact", [False, True])
def test_every_frame_comes_back_from_parquet(frequency: str, exact: bool, tmp_path: Path) -> None:
    pytest.importorskip("pyarrow", reason="pandas needs it for Parquet")
    for name, frame in frames_of(frequency, exact=exact).items():
        path = tmp_path / f"{name}.parquet"
        frame.to_parquet(path)
        saved = pd.read_parquet(path)
        # As in fredapi, the releases have the dtype object, of which Parquet makes that of the values.
        has_dtypes = name not in {"first", "releases"}
        pd.testing.assert_frame_equal(
            saved, frame, check_dtype=has_dtypes, check_index_type="equiv" if has_dtypes else False
        )
        assert saved.attrs == frame.attrs


@pytest.mark.parametrize("frequency", FREQUENCIES)
def test_every_frame_can_be_saved_to_excel(frequency: str, tmp_path: Path) -> None:
    pytest.importorskip("openpyxl", reason="pandas needs it for Excel")
    path = tmp_path / "frames.xlsx"
    frames = frames_of(frequency)
    with pd.ExcelWriter(path) as book:
        for name, frame in frames.items():
            flat(frame).to_excel(book, sheet_name=name, index=False)
    for name, frame in frames.items():
        saved = pd.read_excel(path, sheet_name=name)
        value = "value" if "value" in frame else FEED
        assert saved[value].to_list() == frame[value].to_list()
        if "attested_at" in frame:
            assert saved["attested_at"].to_list() == [each.tz_localize(None) for each in flat(frame)["attested_at"]]


def test_exact_values_are_texts_in_sql() -> None:
    with closing(sqlite3.connect(":memory:")) as database:
        frame = frames_of("weekly", exact=True)["one"]
        flat(frame).astype({"value": str}).to_sql("one", database, index=False)
        assert pd.read_sql("SELECT value FROM one", database)["value"].to_list() == ["1.10", "2.25", "1.20"]


@pytest.mark.parametrize("frequency", FREQUENCIES)
@pytest.mark.parametrize("exact", [False, True])
def test_every_frame_of_polars_can_be_saved(
    frequency: str, exact: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for library in ("pyarrow", "xlsxwriter"):
        pytest.importorskip(library, reason="the page says that Polars needs it")
    eia = wattfeed.polars.Wattfeed(client_of(frequency), exact=exact)
    frames = [eia.history(FEED), eia.history(FEED, wide=True), eia.readings(), eia.get_series(FEED)]
    for number, frame in enumerate(frames):
        folder = tmp_path / str(number)
        folder.mkdir()
        monkeypatch.chdir(folder)
        exec(lines_of("Polars"), {"history": frame, "pl": pl, "sqlite3": sqlite3, "closing": closing})
        assert pl.read_parquet("gas.parquet").equals(frame)
        with closing(sqlite3.connect("gas.db")) as database:
            saved = pd.read_sql("SELECT * FROM gas", database)
        value = "value" if "value" in frame.columns else FEED
        assert [Decimal(str(each)) for each in saved[value]] == [Decimal(str(each)) for each in frame[value]]
        assert Path("gas.xlsx").stat().st_size > 0
