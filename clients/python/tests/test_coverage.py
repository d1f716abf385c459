"""The vectors of the repository: what periods cover, by the rules that the server has, too."""

from __future__ import annotations

import json
from datetime import date, datetime, timedelta, timezone
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wattfeed import coverage_of, describe_period, period_date

VECTORS = Path(__file__).resolve().parents[3] / "fixtures" / "coverage" / "vectors.jsonl"


def read_vectors() -> list[dict[str, Any]]:
    with VECTORS.open(encoding="utf-8") as file:
        return [json.loads(line) for line in file]


def as_text(moment: date) -> str:
    return moment.isoformat().replace("+00:00", "Z")


@pytest.mark.parametrize("vector", read_vectors(), ids=lambda vector: f"{vector['route']} {vector['period']}")
def test_a_period_covers_what_the_server_says(vector: dict[str, Any]) -> None:
    frequency, code = vector["frequency"], vector["period"]
    coverage = coverage_of(vector["route"], frequency, code)
    if vector["covers"] is None:
        assert coverage is None
        return
    assert coverage is not None
    found = (coverage.covers, as_text(coverage.start), as_text(coverage.end))
    assert found == (vector["covers"], vector["start"], vector["end"])
    assert describe_period(frequency, coverage.start, coverage.end) == vector["words"]


#: In any dataset: what decides is the frequency, and the weekday of a week.
DAY = timedelta(days=1)
LENGTHS = {"daily": {1}, "weekly": {1, 7}, "four-week-average": {28}, "monthly": {28, 29, 30, 31}}


@given(st.sampled_from(tuple(LENGTHS)), st.dates(min_value=date(1, 2, 1)))
def test_days_cover_the_length_of_their_frequency(frequency: str, day: date) -> None:
    first = day.replace(day=1)
    code = int(f"{first:%Y%m}") if frequency == "monthly" else int(day.isoformat().replace("-", ""))
    coverage = coverage_of("any/route", frequency, code)
    assert coverage is not None
    assert (coverage.end - coverage.start) // DAY + 1 in LENGTHS[frequency]
    assert (coverage.start if frequency == "monthly" else coverage.end) == period_date(frequency, code)


@given(st.integers(0, 70_000_000))
def test_hours_follow_each_other_without_a_gap(number: int) -> None:
    first, second = (coverage_of("any/route", "local-hourly", (number + each) * 3600) for each in (0, 1))
    assert first is not None
    assert second is not None
    assert first.end == second.start == datetime(1970, 1, 1, tzinfo=timezone.utc) + timedelta(hours=number)


def test_a_week_before_the_first_date_of_python_covers_nothing() -> None:
    assert coverage_of("any/route", "weekly", 10102) is None
    assert coverage_of("any/route", "weekly", 10108) is not None
