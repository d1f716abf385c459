"""Rules that hold for every input, which hypothesis searches for counterexamples."""

# cspell:ignore FULLWIDTH timedeltas

from __future__ import annotations

import json
import string
from datetime import date, datetime, timedelta, timezone
from decimal import Decimal
from fractions import Fraction
from itertools import pairwise
from unittest import mock

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from wattfeed import AnswerError, Event, TransportError, WattfeedError, format_period, period_date
from wattfeed._decode import Fields, retry_after_of
from wattfeed._events import EventParser
from wattfeed._files import chain_amount
from wattfeed._output import plain
from wattfeed._retry import Backoff, Retries

DATED = ("daily", "weekly", "four-week-average")
FREQUENCIES = (*DATED, "monthly", "quarterly", "annual", "hourly", "local-hourly")


def code_of(frequency: str, period: date) -> int:
    """The integer on chain, computed in another way than by the package."""
    if isinstance(period, datetime):
        return int(period.timestamp())
    digits = {"annual": 4, "monthly": 6, "quarterly": 6}.get(frequency, 8)
    return int(period.isoformat().replace("-", "")[:digits])


@given(st.sampled_from(DATED), st.dates())
def test_every_day_is_a_period(frequency: str, day: date) -> None:
    assert period_date(frequency, code_of(frequency, day)) == day
    assert date.fromisoformat(format_period(frequency, day)) == day


@given(st.datetimes(min_value=datetime(1970, 1, 1), timezones=st.just(timezone.utc)))  # noqa: DTZ001
def test_every_hour_is_a_period(moment: datetime) -> None:
    hour = moment.replace(minute=0, second=0, microsecond=0)
    assert period_date("hourly", code_of("hourly", hour)) == hour
    text = format_period("hourly", hour)
    assert datetime.fromisoformat(text.replace("Z", ":00:00+00:00")) == hour


@given(st.sampled_from(FREQUENCIES), st.integers(0, 10**12) | st.integers(0, 2**64))
def test_an_integer_is_a_period_or_none_of_them(frequency: str, code: int) -> None:
    period = period_date(frequency, code)
    assert period is None or code_of(frequency, period) == code


@given(st.sampled_from(("monthly", "quarterly", "annual")), st.dates())
def test_the_text_of_a_period_names_it(frequency: str, day: date) -> None:
    first = {"monthly": day.month, "quarterly": (day.month - 1) // 3 * 3 + 1, "annual": 1}[frequency]
    period = day.replace(month=first, day=1)
    assert period_date(frequency, code_of(frequency, period)) == period
    texts = {
        "monthly": f"{day.year:04}-{day.month:02}",
        "quarterly": f"{day.year:04}-Q{(day.month - 1) // 3 + 1}",
        "annual": f"{day.year:04}",
    }
    assert format_period(frequency, period) == texts[frequency]


@given(st.integers(0, 2**512 - 1), st.integers(0, 255))
def test_an_amount_is_exact(units: int, decimals: int) -> None:
    amount = Fields({"amount": str(units)}).amount(decimals)
    exact = Fraction(units, 10**decimals)
    assert Fraction(amount) == exact
    assert chain_amount(amount) == str(units)
    assert float(amount) == float(exact)
    assert Fraction(Decimal(plain(amount))) == exact


@given(st.text(max_size=20))
@example("1e3")
@example("-1")
@example("\N{FULLWIDTH DIGIT ONE}")
def test_an_amount_has_only_digits(text: str) -> None:
    if text and set(text) <= set(string.digits):
        assert Fields({"amount": text}).amount(0) == int(text)
    else:
        with pytest.raises(AnswerError):
            Fields({"amount": text}).amount(0)


positions = st.integers(0, 10**9).map(lambda count: f"0f3c9a1e-7b2d4c88-5e1f0a9b.f36.a{count}")
texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=30)


@st.composite
def blocks(draw: st.DrawFn) -> tuple[str, int]:
    """A block of a stream, with any ends of lines, and the number of its events."""
    end = draw(st.sampled_from(("\n", "\r\n", "\r")))
    kind = draw(st.sampled_from(("position", "snapshot", "unknown", "comment")))
    position = draw(positions)
    feed = dict.fromkeys(("title", "source", "route", "frequency", "description"), "")
    feed |= {"feed_id": draw(texts), "unit": draw(texts)}
    snapshot = json.dumps({**feed, "decimals": 2, "state_root_hash": "ab"}, ensure_ascii=draw(st.booleans()))
    lines = {
        "position": [f"id: {position}"],
        "snapshot": ["event: snapshot", f"data:{snapshot}"],
        "unknown": ["event:x", "data: {", "data", f"id:{position}"],
        "comment": [":", "retry: 3"],
    }[kind]
    return "".join(line + end for line in (*lines, "")), int(kind != "comment")


def events_of(chunks: list[bytes]) -> list[Event]:
    parser = EventParser()
    return [event for chunk in chunks for event in parser.feed(chunk)]


@given(st.lists(blocks(), max_size=6), st.booleans(), st.data())
def test_a_stream_may_be_cut_at_any_byte(found: list[tuple[str, int]], has_mark: bool, data: st.DataObject) -> None:
    whole = (b"\xef\xbb\xbf" if has_mark else b"") + "".join(text for text, _ in found).encode()
    cuts = sorted(data.draw(st.sets(st.integers(0, len(whole)), max_size=20)))
    bounds = [0, *cuts, len(whole)]
    chunks = [whole[start:end] for start, end in pairwise(bounds)]
    single = [whole[at : at + 1] for at in range(len(whole))]
    events = events_of([whole])
    assert events_of(chunks) == events
    assert events_of(single) == events
    assert len(events) == sum(count for _, count in found)


def failure(retry_after: float | None) -> WattfeedError:
    error = TransportError("broken")
    error.retry_after = retry_after
    return error


waits = st.none() | st.floats(0, 100)


@given(st.lists(waits, max_size=20))
def test_pauses_double_or_are_those_of_the_server(asked: list[float | None]) -> None:
    backoff = Backoff()
    for number, seconds in enumerate(asked):
        pause = backoff.pause(None if seconds is None else failure(seconds))
        if seconds is None:
            assert min(30.0, 0.5 * 2**number) <= pause <= min(30.0, 2**number)
        else:
            assert seconds <= pause <= seconds + 0.5


@given(st.floats(0, 1000), st.lists(waits, min_size=50, max_size=50), st.floats(0, 50))
def test_retries_end_within_their_time(retry_for: float, asked: list[float | None], attempt_s: float) -> None:
    clock = 0.0
    with mock.patch("time.monotonic", side_effect=lambda: clock):
        retries = Retries(retry_for)
        for seconds in asked:
            clock += attempt_s
            error = failure(seconds)
            try:
                pause = retries.pause(error)
            except TransportError as raised:
                assert raised is error  # noqa: PT017
                break
            clock += pause
            assert clock <= retry_for


@given(st.integers(0, 10**9 - 1))
def test_a_number_of_seconds_is_a_wait(seconds: int) -> None:
    assert retry_after_of(f" {seconds}") == seconds


@given(st.timedeltas(timedelta(days=-1000), timedelta(days=1000)))
def test_a_date_is_a_wait(wait: timedelta) -> None:
    moment = (datetime.now(timezone.utc) + wait).replace(microsecond=0)
    names = ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")
    seconds = retry_after_of(f"{names[moment.weekday()]}, {moment:%d %b %Y %H:%M:%S} GMT")
    assert seconds is not None
    # The clock advances meanwhile.
    assert 0 <= seconds <= max(0.0, wait.total_seconds())


@given(texts)
def test_any_other_header_is_no_wait(text: str) -> None:
    seconds = retry_after_of(text)
    assert seconds is None or seconds >= 0
