# cspell:ignore seriess vintagedates
"""The real fredapi on a mock of FRED's web service, which serves invented values; none is one of FRED."""

from __future__ import annotations

import io
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import date, datetime, timedelta, timezone
from decimal import Decimal
from typing import TYPE_CHECKING, Any
from unittest import mock
from urllib.parse import parse_qs, urlsplit
from xml.etree import ElementTree as ET

import fredapi.fred
import pandas as pd
from fredapi import Fred

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from wattfeed import Reading, Row

ENDLESS = date.max


@dataclass
class Span:
    """A value, and the days on which it was the newest one of its period."""

    period: date
    value: Decimal
    start: date
    end: date


class MockFred:
    """Answers the requests of fredapi by the rules of FRED's documentation."""

    def __init__(self, rows: Sequence[Row], readings: Sequence[Reading], today: date) -> None:
        self._spans = spans_of(rows)
        self._readings = readings
        self._today = today

    def urlopen(self, url: str) -> io.BytesIO:
        """Replaces `urllib.request.urlopen`."""
        parts = urlsplit(url)
        query = {name: values[0] for name, values in parse_qs(parts.query).items()}
        endpoint = parts.path.removeprefix("/fred/series/").removeprefix("/fred/")
        root = getattr(self, endpoint)(query)
        return io.BytesIO(ET.tostring(root))

    def observations(self, query: dict[str, str]) -> ET.Element:
        start = date.fromisoformat(query.get("realtime_start", self._today.isoformat()))
        end = date.fromisoformat(query.get("realtime_end", self._today.isoformat()))
        first, last = query.get("observation_start", "1776-07-04"), query.get("observation_end", "9999-12-31")
        root = ET.Element("observations")
        for span in self._spans:
            if span.start <= end and span.end >= start and first <= span.period.isoformat() <= last:
                ET.SubElement(
                    root,
                    "observation",
                    realtime_start=max(span.start, start).isoformat(),
                    realtime_end=min(span.end, end).isoformat(),
                    date=span.period.isoformat(),
                    value=str(span.value),
                )
        return root

    def vintagedates(self, _: dict[str, str]) -> ET.Element:
        root = ET.Element("vintage_dates")
        for day in sorted({span.start for span in self._spans}):
            ET.SubElement(root, "vintage_date").text = day.isoformat()
        return root

    def series(self, query: dict[str, str]) -> ET.Element:
        return self._series([each for each in self._readings if each.feed_id == query["series_id"]])

    def search(self, query: dict[str, str]) -> ET.Element:
        text = query["search_text"].casefold()
        return self._series([each for each in self._readings if text in f"{each.feed_id} {each.title}".casefold()])

    def _series(self, found: Sequence[Reading]) -> ET.Element:
        root = ET.Element("seriess", count=str(len(found)))
        for reading in found:
            assert reading.period is not None
            ET.SubElement(
                root,
                "series",
                id=reading.feed_id,
                realtime_start=self._today.isoformat(),
                realtime_end=self._today.isoformat(),
                title=reading.title,
                observation_start=reading.period.isoformat(),
                observation_end=reading.period.isoformat(),
                frequency=reading.frequency.capitalize(),
                frequency_short=reading.frequency[0].upper(),
                units=reading.unit,
                units_short=reading.unit,
                last_updated=f"{reading.attested_at:%Y-%m-%d %H:%M:%S}+00",
                notes=reading.description,
            )
        return root


def spans_of(rows: Sequence[Row]) -> list[Span]:
    """The spans in FRED's order.

    FRED has one value a day. wattfeed may have several; each ends on the day of the next, the newest on the last day.
    """
    spans: list[Span] = []
    for period in sorted({row.period for row in rows if row.period is not None}):
        prints: list[Span] = []
        for row in rows:
            if row.period != period or (prints and prints[-1].value == row.amount):
                continue
            day = row.attested_at.date()
            if prints:
                prints[-1].end = max(prints[-1].start, day - timedelta(days=1))
            prints.append(Span(period, row.amount, day, ENDLESS))
        spans += prints
    return spans


@contextmanager
def real_fredapi(rows: Sequence[Row], readings: Sequence[Reading] = ()) -> Iterator[Fred]:
    """Runs fredapi with these values."""
    # Invented attestations may be of days to come.
    today = max(datetime.now(timezone.utc).date(), *(row.attested_at.date() for row in rows))
    with mock.patch.object(fredapi.fred, "urlopen", MockFred(rows, readings, today).urlopen):
        yield Fred(api_key="mock")


def check_same(ours: Any, theirs: Any) -> None:
    """Compares types, index, dtypes and values."""
    assert type(ours) is type(theirs)
    if isinstance(theirs, pd.DataFrame):
        assert list(ours.columns) == list(theirs.columns)
        pd.testing.assert_frame_equal(ours, theirs, check_exact=True)
        assert [type(cell) for cell in ours.to_numpy().flat] == [type(cell) for cell in theirs.to_numpy().flat]
    elif isinstance(theirs, pd.Series):
        pd.testing.assert_series_equal(ours, theirs, check_exact=True)
        assert type(ours.index) is type(theirs.index)
        assert ours.index.dtype == theirs.index.dtype
        assert [type(label) for label in ours.index] == [type(label) for label in theirs.index]
    else:
        assert ours == theirs
        assert [type(each) for each in ours] == [type(each) for each in theirs]
