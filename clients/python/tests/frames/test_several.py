"""Frames of several feeds: long, and wide by feed."""

from __future__ import annotations

from dataclasses import replace
from datetime import date, timedelta
from decimal import Decimal
from typing import Any

import pandas as pd
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import wattfeed.pandas
import wattfeed.polars
from wattfeed import NotFoundError

from .invented import ATTESTATIONS, CHAIN, FEED, FREQUENCIES, VERSION, Attestation, InventedClient, rows_of

OTHER = "INVENTED.OTHER"
LONG = ["feed_id", "period", "value", "unit", "period_start", "period_end", "revision", "attested_at", "index"]
REVISED = [Attestation(0, Decimal("1.10")), Attestation(1, Decimal("2.25")), Attestation(0, Decimal("1.20"))]
LATER = [Attestation(1, Decimal("7.50")), Attestation(2, Decimal("8.00"))]


def server_of(frequency: str = "weekly", other: str = "weekly", **options: Any) -> InventedClient:
    """A server with two feeds that share a period."""
    client = InventedClient(rows_of(REVISED, frequency), frequency)
    client.others[OTHER] = InventedClient(rows_of(LATER, other), other, **options)
    return client


def in_pandas(client: InventedClient, **options: Any) -> wattfeed.pandas.Wattfeed:
    return wattfeed.pandas.Wattfeed(client, **options)


def in_polars(client: InventedClient, **options: Any) -> wattfeed.polars.Wattfeed:
    return wattfeed.polars.Wattfeed(client, **options)


def test_a_long_frame_of_pandas_has_the_rows_of_one_feed_after_those_of_another() -> None:
    source = in_pandas(server_of())
    frame = source.history([OTHER, FEED])
    assert list(frame) == LONG
    for feed_id in (OTHER, FEED):
        rows, alone = frame[frame["feed_id"] == feed_id].set_index("period"), source.history(feed_id)
        pd.testing.assert_frame_equal(rows.drop(columns=["feed_id", "unit"]), alone)
    assert frame["feed_id"].to_list() == [OTHER] * 2 + [FEED] * 3
    assert frame["unit"].to_list() == ["Bcf"] * 5
    assert frame["period"].dtype == "period[W-FRI]"
    assert frame.index.to_list() == [0, 1, 2, 3, 4]
    assert frame.attrs == {
        "unit": {OTHER: "Bcf", FEED: "Bcf"},
        "chain": CHAIN,
        "version": {OTHER: VERSION, FEED: VERSION},
    }


def test_a_wide_frame_of_pandas_has_a_column_for_each_feed() -> None:
    frame = in_pandas(server_of()).history([OTHER, FEED], wide=True)
    assert (list(frame), frame.columns.name, frame.index.name) == ([OTHER, FEED], "feed_id", "period")
    expected = {
        OTHER: [None, 7.5, 8.0],
        FEED: [1.2, 2.25, None],
    }
    assert frame.index.dtype == "period[W-FRI]"
    assert frame.index.is_monotonic_increasing
    assert frame.dtypes.eq("float64").all()
    assert {name: [None if pd.isna(cell) else cell for cell in frame[name]] for name in frame} == expected
    assert frame.attrs["unit"] == {OTHER: "Bcf", FEED: "Bcf"}
    pd.testing.assert_frame_equal(in_pandas(server_of()).history([OTHER, FEED], wide=True, order="desc"), frame[::-1])


def test_a_wide_frame_of_polars_has_a_column_for_each_feed() -> None:
    frame = in_polars(server_of()).history([OTHER, FEED], wide=True)
    assert frame.columns == ["period_start", "period_end", OTHER, FEED]
    days = [date(2026, 1, day) for day in (2, 9, 16)]
    expected = [(days[0], None, 1.2), (days[1], 7.5, 2.25), (days[2], 8.0, None)]
    assert frame.drop("period_start").rows() == expected
    assert frame["period_start"].to_list() == [day - timedelta(days=6) for day in days]
    descending = in_polars(server_of()).history([OTHER, FEED], wide=True, order="desc")
    assert descending.rows() == frame.rows()[::-1]


@pytest.mark.parametrize("make", [in_pandas, in_polars])
def test_one_feed_can_be_a_wide_frame(make: Any) -> None:
    for ids in (FEED, [FEED], iter([FEED]), pd.Index([FEED])):
        assert list(make(server_of()).history(ids, wide=True)[FEED]) == [1.2, 2.25]
    assert list(make(server_of()).history([FEED])["value"]) == [1.1, 2.25, 1.2]


@given(ATTESTATIONS, ATTESTATIONS, st.sampled_from([*FREQUENCIES, "hourly"]), st.sampled_from(["first", "latest"]))
def test_a_wide_frame_has_the_values_of_the_long_one(
    one: list[Attestation], other: list[Attestation], frequency: str, vintages: Any
) -> None:
    client = InventedClient(rows_of(one, frequency), frequency)
    client.others[OTHER] = InventedClient(rows_of(other, frequency), frequency)
    frame = in_pandas(client).history([FEED, OTHER], vintages=vintages)
    pivoted = frame.pivot(index="period", columns="feed_id", values="value")
    wide = in_pandas(client).history([FEED, OTHER], vintages=vintages, wide=True)
    pd.testing.assert_frame_equal(wide, pivoted[[FEED, OTHER]], check_column_type=False)
    table = in_polars(client).history([FEED, OTHER], vintages=vintages, wide=True)
    for feed_id in (FEED, OTHER):
        assert table[feed_id].to_list() == [None if pd.isna(cell) else cell for cell in wide[feed_id]]
    assert set(in_polars(client).history([FEED, OTHER])["feed_id"].unique()) == {FEED, OTHER}


@pytest.mark.parametrize("make", [in_pandas, in_polars])
def test_a_wide_frame_has_one_value_of_each_period(make: Any) -> None:
    source = make(server_of())
    assert list(source.history([FEED], wide=True, vintages="first")[FEED]) == [1.1, 2.25]
    known = source.history([FEED], wide=True, as_of=date(2026, 3, 3))
    assert list(known[FEED]) == [1.1, 2.25]
    with pytest.raises(ValueError, match="vintages is 'all': a wide frame has one value of each period"):
        source.history([FEED], wide=True, vintages="all")


@pytest.mark.parametrize("make", [in_pandas, in_polars])
@pytest.mark.parametrize(
    ("one", "other", "words"),
    [
        ("weekly", "daily", r"weekly \(W-FRI\) and INVENTED.OTHER is daily \(D\)"),
        ("hourly", "monthly", r"hourly \(h\) and INVENTED.OTHER is monthly \(M\)"),
        ("weekly", "four-week-average", r"and INVENTED.OTHER is four-week-average \(four-week-average\)"),
    ],
)
def test_periods_of_two_kinds_are_no_wide_frame(make: Any, one: str, other: str, words: str) -> None:
    source = make(server_of(one, other))
    with pytest.raises(ValueError, match=rf"{FEED} is {words}|{FEED} is .* {words}"):
        source.history([FEED, OTHER], wide=True)
    assert len(source.history([FEED, OTHER])) == 5


@pytest.mark.parametrize("make", [in_pandas, in_polars])
def test_a_survey_of_a_day_and_a_week_are_no_wide_frame(make: Any) -> None:
    client = server_of()
    client.others[OTHER] = InventedClient(rows_of(LATER, "daily"), "weekly")
    with pytest.raises(ValueError, match=r"weekly \(W-FRI\) and INVENTED.OTHER is weekly \(D\)"):
        make(client).history([FEED, OTHER], wide=True)


@pytest.mark.parametrize("make", [in_pandas, in_polars])
@pytest.mark.parametrize("frequency", ["weekly", "four-week-average", "hourly"])
def test_a_feed_without_values_is_an_empty_column(make: Any, frequency: str) -> None:
    client = server_of(frequency)
    client.others[OTHER] = InventedClient([], "weekly" if frequency != "hourly" else "hourly")
    wide = make(client).history([OTHER, FEED], wide=True)
    assert list(wide[FEED]) == [1.2, 2.25]
    assert all(cell is None or pd.isna(cell) for cell in wide[OTHER])
    assert len(make(client).history([OTHER, FEED])) == 3
    assert len(make(client).history([OTHER])) == 0
    assert len(make(client).history([OTHER], wide=True)) == 0


def test_hours_and_days_share_the_columns_of_a_long_frame() -> None:
    client = server_of("hourly", "daily")
    frame = in_pandas(client).history([FEED, OTHER])
    assert frame.loc[frame["feed_id"] == OTHER, "period_start"].iloc[0] == pd.Timestamp("2026-01-03", tz="UTC")
    assert frame["period"].iloc[-1] == pd.Timestamp("2026-01-04")
    # An hour has the same place alone.
    alone = in_pandas(client).history(FEED)
    assert frame["period"][:3].to_list() == alone.index.to_timestamp().to_list()  # type: ignore[attr-defined]
    table = in_polars(client).history([FEED, OTHER])
    assert table.schema["period_end"] == pl.Datetime("ms", "UTC")
    assert [f"{each:%d %H}" for each in table["period_start"]] == ["02 04", "02 05", "02 04", "03 00", "04 00"]


def test_an_integer_that_is_not_a_period_is_in_no_wide_frame() -> None:
    client = server_of()
    first, *others = client.rows
    client.rows[:] = [
        replace(first, period=None, period_start=None, period_end=None, period_code=20261399),
        *others,
    ]
    for source in (in_pandas(client), in_polars(client)):
        assert len(source.history([FEED, OTHER], wide=True)) == 3


def test_exact_values_of_several_feeds() -> None:
    client = server_of(decimals=4)
    exact = in_pandas(client, exact=True)
    assert exact.history([FEED, OTHER])["value"].to_list() == [
        Decimal(text) for text in ["1.10", "2.25", "1.20", "7.50", "8.00"]
    ]
    assert exact.history([FEED, OTHER], wide=True)[OTHER].to_list()[1:] == [Decimal("7.50"), Decimal("8.00")]
    table = in_polars(client, exact=True)
    assert table.history([FEED, OTHER]).schema["value"] == pl.Decimal(38, 4)
    assert table.history([FEED, OTHER], wide=True).schema[FEED] == pl.Decimal(38, 2)


@pytest.mark.parametrize("make", [in_pandas, in_polars])
def test_wrong_ids_are_errors(make: Any) -> None:
    source = make(server_of())
    with pytest.raises(NotFoundError):
        source.history([FEED, "NOPE"], wide=True)
    with pytest.raises(ValueError, match="feed_id is an empty list; name at least one feed"):
        source.history([])
    with pytest.raises(ValueError, match=f"feed_id has '{FEED}' 2 times"):
        source.history([FEED, OTHER, FEED])
