"""The functions of fredapi, with the real server of ``WATTFEED_URL``."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

import pytest

from wattfeed import Client, History
from wattfeed.pandas import Wattfeed

from .fred import check_same, real_fredapi

if TYPE_CHECKING:
    from datetime import date

    from fredapi import Fred

FEEDS = [
    "EIA.NUC.OUTAGE.US_CAPACITY.DAILY",
    "EIA.NG.STORAGE.L48_WORKING.WEEKLY",
    "EIA.NG.IMPORTS.TOTAL.MONTHLY",
    "EIA.COAL.PROD.US.ANNUAL",
]

URL = os.environ.get("WATTFEED_URL", "")

pytestmark = [
    pytest.mark.skipif(URL == "", reason="WATTFEED_URL is not set"),
    #: With pandas 2, fredapi itself causes this warning.
    pytest.mark.filterwarnings("ignore:Dtype inference on a pandas object:FutureWarning"),
]


@pytest.mark.parametrize("feed", FEEDS)
def test_the_results_of_a_server_are_those_of_fredapi(feed: str) -> None:
    client = Client(URL)
    # An agent may attest between two reads, but not forever.
    for _ in range(20):
        history, results = read(client, feed)
        if {history.version} == {each.attrs["version"] for each in results if not isinstance(each, list)}:
            break
    days = sorted({row.attested_at.date() for row in history})
    with real_fredapi(history.rows) as theirs:
        expected = results_of(theirs, feed, days[len(days) // 2])
    for ours, theirs_ in zip(results, expected, strict=True):
        check_same(ours, theirs_)


def test_the_server_has_revisions() -> None:
    assert max(row.revision for feed in FEEDS for row in Client(URL).history(feed)) > 0


def read(client: Client, feed: str) -> tuple[History, list[Any]]:
    history = client.history(feed)
    days = sorted({row.attested_at.date() for row in history})
    return history, results_of(Wattfeed(client), feed, days[len(days) // 2])


def results_of(source: Wattfeed | Fred, feed: str, day: date) -> list[Any]:
    return [
        source.get_series(feed),
        source.get_series(feed, "2026-01-01", "2026-10-31"),
        source.get_series_first_release(feed),
        source.get_series_all_releases(feed),
        source.get_series_all_releases(feed, str(day)),
        source.get_series_vintage_dates(feed),
        source.get_series_as_of_date(feed, day),
    ]
