"""The functions of fredapi 0.5.2, run on a mock of FRED's service, and ours on the same invented values."""

from __future__ import annotations

import inspect
from datetime import timedelta
from decimal import Decimal

import pandas as pd
import pytest
from fredapi import Fred
from hypothesis import given
from hypothesis import strategies as st

from wattfeed.pandas import Wattfeed

from .fred import check_same, real_fredapi
from .invented import ATTESTATIONS, FEED, FREQUENCIES, Attestation, InventedClient, rows_of

NAMES = [
    "get_series_info",
    "get_series",
    "get_series_latest_release",
    "get_series_first_release",
    "get_series_as_of_date",
    "get_series_all_releases",
    "get_series_vintage_dates",
    "search",
]

#: With pandas 2, fredapi itself causes this warning.
pytestmark = pytest.mark.filterwarnings("ignore:Dtype inference on a pandas object:FutureWarning")


@pytest.mark.parametrize("name", NAMES)
def test_the_signatures_are_those_of_fredapi(name: str) -> None:
    ours, theirs = (inspect.signature(getattr(kind, name)).parameters.values() for kind in (Wattfeed, Fred))
    assert [(each.name, each.kind, each.default) for each in ours] == [
        (each.name, each.kind, each.default) for each in theirs
    ]


@given(ATTESTATIONS, st.sampled_from(FREQUENCIES), st.integers(0, 11), st.integers(-1, 1), st.integers(0, 50))
def test_the_results_are_those_of_fredapi(
    attestations: list[Attestation], frequency: str, pick: int, offset: int, length: int
) -> None:
    rows = rows_of(attestations, frequency)
    ours = Wattfeed(InventedClient(rows, frequency))
    # On the day of an attestation, or beside it.
    start = rows[pick % len(rows)].attested_at.date() + timedelta(days=offset)
    end = start + timedelta(days=length)
    with real_fredapi(rows) as theirs:
        check_same(ours.get_series(FEED), theirs.get_series(FEED))
        check_same(ours.get_series(FEED, "1/9/2026", end), theirs.get_series(FEED, "1/9/2026", end))
        check_same(ours.get_series_latest_release(FEED), theirs.get_series_latest_release(FEED))
        check_same(ours.get_series_first_release(FEED), theirs.get_series_first_release(FEED))
        check_same(ours.get_series_all_releases(FEED), theirs.get_series_all_releases(FEED))
        check_same(ours.get_series_as_of_date(FEED, start), theirs.get_series_as_of_date(FEED, start))
        check_same(ours.get_series_vintage_dates(FEED), theirs.get_series_vintage_dates(FEED))
        windowed = theirs.get_series_all_releases(FEED, str(start), str(end))
        if len(windowed):
            check_same(ours.get_series_all_releases(FEED, str(start), str(end)), windowed)
        else:
            assert ours.get_series_all_releases(FEED, str(start), str(end)).empty


def test_no_value_in_a_range_gives_the_same_empty_series() -> None:
    rows = rows_of([Attestation(0, Decimal(1))])
    with real_fredapi(rows) as theirs:
        check_same(Wattfeed(InventedClient(rows)).get_series(FEED, "2030-01-01"), theirs.get_series(FEED, "2030-01-01"))


def test_a_search_has_the_columns_and_dtypes_of_fredapi() -> None:
    client = InventedClient(rows_of([Attestation(0, Decimal(1)), Attestation(1, Decimal(2), timedelta(0))]))
    found = client.search("invented")
    with real_fredapi(client.rows, found) as theirs:
        expected = theirs.search("invented")
        ours = Wattfeed(client).search("invented")
        assert ours is not None
        unknown = ["observation_start"]
        assert ours["observation_start"].isna().all()
        assert list(ours.columns) == list(expected.columns)
        assert ours["observation_start"].dtype == expected["observation_start"].dtype
        pd.testing.assert_frame_equal(ours.drop(columns=unknown), expected.drop(columns=unknown), check_exact=True)
        assert theirs.search("nothing") is None
    assert Wattfeed(client).search("nothing") is None


def test_the_info_of_a_series_has_the_names_and_texts_of_fredapi() -> None:
    client = InventedClient(rows_of([Attestation(0, Decimal(1))]))
    with real_fredapi(client.rows, client.search("invented")) as theirs:
        expected = theirs.get_series_info(FEED)
    ours = Wattfeed(client).get_series_info(FEED)
    unknown = ["seasonal_adjustment", "seasonal_adjustment_short", "popularity"]
    assert ours[unknown].isna().all()
    # The mock's day is that of the invented attestation.
    for name in expected.index.drop(["realtime_start", "realtime_end"]):
        assert (name, ours[name]) == (name, expected[name])
    assert set(ours.index) == {*expected.index, *unknown}
