from __future__ import annotations

import subprocess
import sys
from dataclasses import replace
from datetime import date, datetime, timedelta
from decimal import Decimal
from typing import TYPE_CHECKING, Any

import pandas as pd
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import wattfeed.pandas
import wattfeed.polars
from wattfeed import NotFoundError

from .invented import (
    ATTESTATIONS,
    CHAIN,
    FEED,
    FIRST_BLOCK,
    FREQUENCIES,
    UTC,
    VERSION,
    Attestation,
    InventedClient,
    rows_of,
)

if TYPE_CHECKING:
    from wattfeed import Row

HOUR = timedelta(hours=1)
DAY = timedelta(days=1)
REVISED = [Attestation(0, Decimal("1.10")), Attestation(1, Decimal("2.25")), Attestation(0, Decimal("1.20"), DAY)]


def in_pandas(rows: list[Row], frequency: str = "weekly", *, exact: bool = False) -> wattfeed.pandas.Wattfeed:
    return wattfeed.pandas.Wattfeed(InventedClient(rows, frequency), exact=exact)


def in_polars(rows: list[Row], frequency: str = "weekly", *, exact: bool = False) -> wattfeed.polars.Wattfeed:
    return wattfeed.polars.Wattfeed(InventedClient(rows, frequency), exact=exact)


def last_of_each(releases: pd.DataFrame) -> dict[Any, float]:
    return dict(zip(releases["date"], releases["value"], strict=True))


@given(ATTESTATIONS, st.sampled_from(FREQUENCIES), st.lists(st.integers(-2, 400), min_size=2, max_size=4))
def test_vintages_agree_with_each_other(attestations: list[Attestation], frequency: str, days: list[int]) -> None:
    source = in_pandas(rows_of(attestations, frequency), frequency)
    releases = source.get_series_all_releases(FEED)
    vintages = source.get_series_vintage_dates(FEED)
    newest = source.get_series_as_of_date(FEED, vintages[-1])
    pd.testing.assert_frame_equal(newest, releases)
    assert last_of_each(newest) == source.get_series(FEED).to_dict()
    first = last_of_each(releases[::-1])
    assert source.get_series_first_release(FEED).to_dict() == first
    assert vintages == sorted(set(releases["realtime_start"]))

    before = releases[:0]
    for day in sorted(days):
        then = date(2026, 3, 1) + timedelta(days=day)
        known = source.get_series_as_of_date(FEED, then)
        assert set(before.index) <= set(known.index)
        by_period = source.history(FEED, as_of=then)["value"].copy()
        if frequency == "weekly":
            by_period.index = by_period.index.to_timestamp(how="E").normalize()  # type: ignore[attr-defined]
        else:
            by_period.index = by_period.index.to_timestamp()  # type: ignore[attr-defined]
        assert by_period.to_dict() == last_of_each(known)
        before = known


@given(ATTESTATIONS, st.sampled_from([*FREQUENCIES, "hourly"]), st.booleans())
def test_polars_has_the_same_values_as_pandas(attestations: list[Attestation], frequency: str, exact: bool) -> None:
    rows = rows_of(attestations, frequency)
    one, other = in_pandas(rows, frequency, exact=exact), in_polars(rows, frequency, exact=exact)
    day = FIRST_BLOCK.date() + timedelta(days=9)
    for ours, theirs in [
        (other.get_series(FEED, day), one.get_series(FEED, day)),
        (other.get_series_latest_release(FEED), one.get_series_latest_release(FEED)),
        (other.get_series_first_release(FEED), one.get_series_first_release(FEED)),
    ]:
        assert ours.columns == ["date", "value"]
        assert [(naive(when), value) for when, value in ours.rows()] == list(theirs.to_dict().items())
    for ours, frame in [
        (other.get_series_all_releases(FEED), one.get_series_all_releases(FEED)),
        (other.get_series_all_releases(FEED, day, day), one.get_series_all_releases(FEED, day, day)),
        (other.get_series_as_of_date(FEED, day), one.get_series_as_of_date(FEED, day)),
    ]:
        cells = [tuple(naive(cell) for cell in row) for row in ours.rows()]
        assert cells == list(frame[ours.columns].itertuples(index=False, name=None))
    assert [naive(each) for each in other.get_series_vintage_dates(FEED)] == one.get_series_vintage_dates(FEED)
    shared = ["value", "revision", "index"]
    assert other.history(FEED).select(shared).rows() == list(
        one.history(FEED)[shared].itertuples(index=False, name=None)
    )


def naive(cell: Any) -> Any:
    if isinstance(cell, datetime):
        return cell.replace(tzinfo=None)
    return datetime(cell.year, cell.month, cell.day) if isinstance(cell, date) else cell  # noqa: DTZ001


@pytest.mark.parametrize(
    ("frequency", "freq", "last"),
    [
        ("weekly", "W-FRI", "2026-01-03/2026-01-09"),
        ("daily", "D", "2026-01-03"),
        ("monthly", "M", "2020-02"),
        ("quarterly", "Q-DEC", "2020Q2"),
        ("annual", "Y-DEC", "2001"),
        ("hourly", "h", "2026-01-02 05:00"),
    ],
)
def test_the_index_has_the_periods_of_a_frequency(frequency: str, freq: str, last: str) -> None:
    frame = in_pandas(rows_of(REVISED, frequency), frequency).history(FEED, vintages="latest")
    assert isinstance(frame.index, pd.PeriodIndex)
    assert (frame.index.freqstr, str(frame.index[-1]), frame.index.name) == (freq, last, "period")


@given(ATTESTATIONS, st.sampled_from([*FREQUENCIES, "hourly"]))
def test_a_period_of_pandas_is_what_the_period_covers(attestations: list[Attestation], frequency: str) -> None:
    rows = rows_of(attestations, frequency)
    frame = in_pandas(rows, frequency).history(FEED)
    end = pd.Timedelta(hours=0) if frequency == "hourly" else pd.Timedelta(days=1)
    for period, row in zip(frame.index, rows, strict=True):
        first, last = (pd.to_datetime(str(each)).tz_localize(None) for each in (row.period_start, row.period_end))
        assert (period.start_time, period.end_time.ceil("s")) == (first, last + end)


def test_days_of_a_weekly_survey_are_days() -> None:
    rows = rows_of(REVISED, "daily")
    frame = in_pandas(rows, "weekly").history(FEED)
    assert (str(frame.index.dtype), str(frame.index[0])) == ("period[D]", "2026-01-02")
    assert in_pandas(rows, "weekly").readings([FEED])["period"].iloc[0] == pd.Period("2026-01-03", "D")


def test_weeks_of_different_days_and_four_weeks_are_timestamps_of_their_last_day() -> None:
    friday, thursday = rows_of(REVISED)[0], replace(rows_of(REVISED)[1], period_end=date(2026, 1, 8))
    for rows, frequency, last in [
        ([friday, thursday], "weekly", "2026-01-08"),
        (rows_of(REVISED[:2], "four-week-average"), "four-week-average", "2026-01-09"),
    ]:
        source = in_pandas(rows, frequency)
        frame = source.history(FEED)
        assert isinstance(frame.index, pd.DatetimeIndex)
        assert (frame.index.name, frame.index[-1]) == ("period", pd.Timestamp(last))
    assert source.readings([FEED])["period"].iloc[0] == pd.Timestamp("2026-01-09")


@pytest.mark.parametrize(
    ("frequency", "start", "end"),
    [
        ("weekly", "2025-12-27", "2026-01-02"),
        ("four-week-average", "2025-12-06", "2026-01-02"),
        ("daily", "2026-01-02", "2026-01-02"),
        ("monthly", "2020-01-01", "2020-01-31"),
        ("quarterly", "2020-01-01", "2020-03-31"),
        ("annual", "2000-01-01", "2000-12-31"),
        ("hourly", "2026-01-02 04:00", "2026-01-02 05:00"),
    ],
)
def test_frames_have_the_first_and_the_last_day_or_the_instants_of_an_hour(
    frequency: str, start: str, end: str
) -> None:
    rows = rows_of(REVISED[:1], frequency)
    one, other = in_pandas(rows, frequency), in_polars(rows, frequency)
    zone = "UTC" if frequency == "hourly" else None
    names = ["period_start", "period_end"]
    assert one.history(FEED)[names].iloc[0].to_list() == [pd.Timestamp(text, tz=zone) for text in (start, end)]
    assert one.readings([FEED])[names].iloc[0].to_list() == [pd.Timestamp(text, tz="UTC") for text in (start, end)]
    times = [datetime.fromisoformat(text).replace(tzinfo=UTC) for text in (start, end)]
    assert list(other.readings([FEED]).select(names).row(0)) == times
    days = times if zone else [time.date() for time in times]
    assert list(other.history(FEED).select(names).row(0)) == days
    assert in_polars([], frequency).history(FEED).schema == other.history(FEED).schema
    assert in_pandas([], frequency).history(FEED).dtypes.equals(one.history(FEED).dtypes)


def test_observations_are_selected_by_their_dates() -> None:
    # The second week starts on the day before, the third one ends after the last day.
    rows = rows_of([Attestation(number, Decimal(number)) for number in (3, 4, 5)])
    for source in (in_pandas(rows), in_polars(rows)):
        series = source.get_series(FEED, "2026-01-25", "2026-01-31")
        days = series.index if isinstance(series, pd.Series) else series["date"]
        assert [f"{day:%d}" for day in days] == ["30"]
    hours = in_pandas(rows_of(REVISED, "hourly"), "hourly").get_series(FEED)
    assert [day.hour for day in hours.index] == [4, 5]


def test_a_frame_has_dtypes_and_attributes() -> None:
    frame = in_pandas(rows_of(REVISED)).history(FEED)
    assert {name: str(dtype) for name, dtype in frame.dtypes.items()} == {
        "value": "float64",
        "period_start": "datetime64[ms]",
        "period_end": "datetime64[ms]",
        "revision": "int64",
        "attested_at": "datetime64[ms, UTC]",
        "index": "int64",
    }
    attributes = {"feed_id": FEED, "unit": "Bcf", "chain": CHAIN, "version": VERSION}
    assert frame.attrs == frame["value"].attrs == frame.tail(1).attrs == attributes
    assert frame["revision"].to_list() == [0, 0, 1]


@pytest.mark.parametrize("name", ["get_series", "get_series_first_release", "get_series_all_releases"])
def test_the_results_of_fredapis_functions_have_attributes(name: str) -> None:
    source = in_pandas(rows_of(REVISED))
    attributes = {"feed_id": FEED, "unit": "Bcf", "chain": CHAIN, "version": VERSION}
    assert getattr(source, name)(FEED).attrs == attributes
    assert source.get_series_as_of_date(FEED, "2026-03-02").attrs == attributes


def test_a_history_without_values_keeps_its_dtypes() -> None:
    full, empty = (in_pandas(rows).history(FEED) for rows in (rows_of(REVISED), []))
    assert empty.dtypes.equals(full.dtypes)
    assert in_pandas([]).get_series(FEED).empty
    assert list(in_pandas([]).get_series_as_of_date(FEED, "2026-01-01")) == ["realtime_start", "date", "value"]
    assert in_pandas([]).get_series_first_release(FEED).empty
    full_, empty_ = (in_polars(rows).history(FEED) for rows in (rows_of(REVISED), []))
    assert empty_.schema == full_.schema
    assert in_polars([]).get_series(FEED).schema == in_polars(rows_of(REVISED)).get_series(FEED).schema


def test_an_integer_that_is_not_a_period_is_missing() -> None:
    first, *others = rows_of(REVISED)
    rows = [replace(first, period=None, period_start=None, period_end=None, period_code=20261399), *others]
    assert in_pandas(rows).history(FEED).index.isna().tolist() == [True, False, False]
    assert in_polars(rows).history(FEED)["period_end"].is_null().to_list() == [True, False, False]
    assert len(in_pandas(rows).get_series_all_releases(FEED)) == 2


def test_dates_far_from_today_are_periods() -> None:
    days = (date.min, date(1859, 1, 1), date.max)
    rows = [replace(rows_of(REVISED)[0], period=day, period_start=day, period_end=day) for day in days]
    assert [each.year for each in in_pandas(rows, "daily").history(FEED).index] == [1, 1859, 9999]


@given(st.lists(st.integers(0, 10**36 - 1), min_size=1, max_size=4))
def test_exact_values_keep_every_digit(units: list[int]) -> None:
    amounts = [Decimal(f"{unit}E-2") for unit in units]
    rows = rows_of([Attestation(number, amount) for number, amount in enumerate(amounts)])
    exact = in_pandas(rows, exact=True)
    assert exact.get_series(FEED).to_list() == amounts
    assert exact.history(FEED)["value"].to_list() == amounts
    assert in_pandas(rows).get_series(FEED).to_list() == [float(amount) for amount in amounts]
    assert in_polars(rows, exact=True).history(FEED)["value"].to_list() == amounts
    assert in_polars(rows, exact=True).get_series(FEED).schema["value"] == pl.Decimal(38, 2)


@pytest.mark.parametrize("amount", [Decimal(10**36), Decimal(10**40)])
def test_polars_rejects_values_that_its_decimals_cannot_hold(amount: Decimal) -> None:
    rows = rows_of([Attestation(0, amount)])
    with pytest.raises(ValueError, match="exact=False"):
        in_polars(rows, exact=True).history(FEED)
    assert in_polars(rows).get_series(FEED)["value"].to_list() == [float(amount)]


def test_two_releases_of_one_day_are_kept_in_their_order() -> None:
    rows = rows_of([Attestation(0, Decimal(amount), HOUR) for amount in (3, 1, 1, 3)])
    assert in_pandas(rows).get_series_all_releases(FEED)["value"].to_list() == [3.0, 1.0, 3.0]
    day = rows[-1].attested_at.date()
    assert in_pandas(rows).get_series_all_releases(FEED, day, day)["value"].to_list() == [1.0, 3.0]
    assert in_pandas(rows).get_series(FEED).to_list() == [3.0]


def test_readings_have_their_units_and_periods() -> None:
    rows = rows_of(REVISED)
    frame = in_pandas(rows).readings([FEED])
    assert frame.index.to_list() == [FEED]
    cells = frame[["value", "unit", "period"]].to_numpy().tolist()
    assert cells == [[2.25, "Bcf", pd.Period("2026-01-09", "W-FRI")]]
    assert frame.attrs == {"chain": CHAIN, "version": VERSION}
    reading = in_polars(rows).readings([FEED]).row(0, named=True)
    assert (reading["value"], reading["unit"], reading["chain"], reading["version"]) == (2.25, "Bcf", CHAIN, VERSION)
    ends = [datetime(2026, 1, day, tzinfo=UTC) for day in (3, 9)]
    assert [reading["period_start"], reading["period_end"]] == ends


@pytest.mark.parametrize("make", [in_pandas, in_polars])
@pytest.mark.parametrize(
    "name", ["get_series", "get_series_first_release", "get_series_all_releases", "get_series_vintage_dates"]
)
def test_a_function_of_one_series_says_so_if_it_gets_a_list(make: Any, name: str) -> None:
    with pytest.raises(TypeError, match=r"^series_id is \['A', 'B'\]: it must be the text of one id; "):
        getattr(make(rows_of(REVISED)), name)(["A", "B"])


@pytest.mark.parametrize("make", [in_pandas, in_polars])
def test_an_unknown_feed_is_an_error(make: Any) -> None:
    source = make(rows_of(REVISED))
    with pytest.raises(NotFoundError):
        source.readings([FEED, "NOPE"])
    with pytest.raises(NotFoundError):
        source.get_series("NOPE")


@pytest.mark.parametrize("make", [in_pandas, in_polars])
def test_a_search_is_filtered_sorted_and_limited(make: Any) -> None:
    def ids(**options: Any) -> list[str]:
        return list(make(rows_of(REVISED)).search("invented", **options)["id"])

    assert ids() == [FEED, "INVENTED.OTHER"]
    assert ids(limit=0) == ids()
    assert ids(limit=1) == [FEED]
    assert ids(order_by="series_id") == ["INVENTED.OTHER", FEED]
    assert ids(order_by="title", sort_order="desc") == [FEED, "INVENTED.OTHER"]
    assert ids(order_by="popularity") == ids()
    assert ids(filter=("frequency", "Weekly")) == [FEED]
    assert ids(filter=("units", "$")) == ["INVENTED.OTHER"]
    for options in ({"order_by": "size"}, {"sort_order": "up"}, {"filter": ("title", "x")}, {"filter": ("units",)}):
        with pytest.raises(ValueError, match="must be"):
            ids(**options)


def test_a_parameter_of_fred_that_is_missing_here_is_an_error() -> None:
    with pytest.raises(TypeError, match="'units'"):
        in_pandas(rows_of(REVISED)).get_series(FEED, units="pch")


@pytest.mark.parametrize("library", ["pandas", "polars"])
def test_without_the_extra_the_import_says_how_to_install_it(library: str) -> None:
    program = f"""
import sys
sys.modules["{library}"] = None
try:
    import wattfeed.{library}
except ImportError as error:
    print(error)
"""
    done = subprocess.run(
        [sys.executable, "-c", program],
        env={"PYTHONPATH": ":".join(sys.path)},
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout == f"wattfeed.{library} needs {library}; run: pip install 'wattfeed[{library}]'\n"


@pytest.mark.parametrize("make", [in_pandas, in_polars])
@pytest.mark.parametrize(("first", "last"), [("2026-10-20", "2026-10-01"), ("2026-11-01", date(2026, 10, 1))])
def test_dates_in_the_wrong_order_are_an_error_that_repeats_them(make: Any, first: str, last: str | date) -> None:
    source = make(rows_of(REVISED))
    for read, name, rows in [(source.get_series, "observation", 0), (source.get_series_all_releases, "realtime", 2)]:
        with pytest.raises(ValueError, match=rf"^{name}_start is {first}, which is after {name}_end 2026-10-01; swap"):
            read(FEED, first, last)
        assert len(read(FEED, "2026-10-01", "2026-10-01")) == rows
