"""Checks the server's JSON and converts it to models. Every wrong field is an AnswerError that names it."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable
from datetime import date, datetime, timedelta, timezone
from decimal import Decimal
from typing import NamedTuple, NoReturn, TypeVar, get_args

from wattfeed.coverage import coverage_of
from wattfeed.errors import AnswerError, ApiError, NotCoveredError, NotFoundError, SnapshotGoneError
from wattfeed.models import (
    Attested,
    AttestedDataset,
    Cadence,
    Code,
    Dataset,
    Event,
    Feed,
    FeedChanged,
    Position,
    Reading,
    Reset,
    Row,
    SeriesValue,
    Snapshot,
    State,
    Status,
)
from wattfeed.periods import HOURLY, period_date

T = TypeVar("T")

_EPOCH = datetime(1970, 1, 1, tzinfo=timezone.utc)
_AMOUNT = re.compile(r"[0-9]{1,1000}")
_POSITION = re.compile(r"[0-9a-f]{8}-[0-9a-f]{8}-[0-9a-f]{8}\.f\d{1,10}\.a\d{1,10}")
_MAX_DECIMALS = 255
_KINDS: dict[str, type[ApiError]] = {
    "feed_not_found": NotFoundError,
    "not_covered": NotCoveredError,
    "snapshot_gone": SnapshotGoneError,
}


class Answer(NamedTuple):
    """An HTTP answer; header names are in lower case."""

    status: int
    headers: dict[str, str]
    body: bytes


def _no_constant(name: str) -> NoReturn:
    raise ValueError(name)


def decode_json(text: bytes | str) -> object:
    """Parses JSON strictly: NaN and Infinity are not JSON."""
    try:
        parsed: object = json.loads(text, parse_constant=_no_constant)
    except (ValueError, RecursionError) as error:
        raise AnswerError("the answer is not JSON; check that the URL is a wattfeed server") from error
    return parsed


class Fields:
    """The fields of a JSON object, by type."""

    def __init__(self, value: object, name: str = "the answer") -> None:
        if not isinstance(value, dict):
            raise AnswerError(f"{name} is not a JSON object; check that the URL is a wattfeed server")
        self._fields: dict[str, object] = value
        self._name = name

    def has(self, name: str) -> bool:
        """Whether the field exists and is not null."""
        return self._fields.get(name) is not None

    def fail(self, name: str, rule: str) -> NoReturn:
        """Raises the error of a field."""
        value = repr(self._fields.get(name))
        raise AnswerError(f"{name} of {self._name} is {value[:80]}: it must be {rule}")

    def text(self, name: str) -> str:
        """A string."""
        value = self._fields.get(name)
        return value if isinstance(value, str) else self.fail(name, "text")

    def flag(self, name: str) -> bool:
        """A boolean."""
        value = self._fields.get(name)
        return value if isinstance(value, bool) else self.fail(name, "true or false")

    def integer(self, name: str) -> int:
        """An integer that is not negative. Above 2^53 the server writes some with an exponent."""
        return self._integer(self._fields.get(name), name)

    def _integer(self, value: object, name: str) -> int:
        if isinstance(value, float) and value.is_integer():
            value = int(value)
        if isinstance(value, bool) or not isinstance(value, int) or value < 0:
            self.fail(name, "a whole number")
        return value

    def integers(self, name: str) -> list[int]:
        """A list of integers."""
        return [self._integer(item, name) for item in self.items(name)]

    def texts(self, name: str) -> tuple[str, ...]:
        """A list of strings."""
        texts = [item for item in self.items(name) if isinstance(item, str)]
        return tuple(texts) if len(texts) == len(self.items(name)) else self.fail(name, "a list of texts")

    def items(self, name: str) -> list[object]:
        """A list."""
        value = self._fields.get(name)
        return value if isinstance(value, list) else self.fail(name, "a list")

    def texts_by_name(self, name: str) -> dict[str, str | None]:
        """An object of strings, some of which may be null."""
        fields = self.object(name)
        return {each: fields.nullable(each, fields.text) for each in fields._fields}

    def object(self, name: str) -> Fields:
        """An object."""
        return Fields(self._fields.get(name), name)

    def time(self, name: str) -> datetime:
        """Epoch milliseconds."""
        ms = self.integer(name)
        try:
            return _EPOCH + timedelta(milliseconds=ms)
        except OverflowError:
            self.fail(name, "milliseconds since 1970")

    def duration(self, name: str) -> timedelta:
        """Milliseconds."""
        try:
            return timedelta(milliseconds=self.integer(name))
        except OverflowError:
            self.fail(name, "milliseconds")

    def day(self, name: str) -> date:
        """An ISO date."""
        try:
            return date.fromisoformat(self.text(name))
        except ValueError:
            self.fail(name, "a date")

    def instant(self, name: str) -> datetime:
        """An ISO time in UTC."""
        try:
            return datetime.strptime(self.text(name), "%Y-%m-%dT%H:%M:%S%z")
        except ValueError:
            self.fail(name, "a time in UTC")

    def amount(self, decimals: int) -> Decimal:
        """The exact amount, with its decimals applied."""
        digits = self.text("amount")
        if not _AMOUNT.fullmatch(digits):
            self.fail("amount", "decimal digits")
        # The constructor is exact; arithmetic rounds to the precision of the context.
        return Decimal(f"{digits}E-{decimals}")

    def decimals(self) -> int:
        """Number of digits after the decimal point."""
        decimals = self.integer("decimals")
        return decimals if decimals <= _MAX_DECIMALS else self.fail("decimals", f"at most {_MAX_DECIMALS}")

    def position(self, name: str) -> str:
        """A position of a stream."""
        text = self.text(name)
        return text if is_position(text) else self.fail(name, "a position")

    def optional(self, name: str, read: Callable[[str], T]) -> T | None:
        """A field that may be null."""
        return read(name) if self.has(name) else None

    def require_same(self, other: Fields, names: Iterable[str]) -> None:
        """Raises an error if a field differs from that of the first page."""
        for name in names:
            if self._fields.get(name) != other._fields.get(name):
                self.fail(name, f"{other._fields.get(name)!r}, as on the first page; read it again")

    def nullable(self, name: str, read: Callable[[str], T]) -> T | None:
        """A field that must exist, and may be null."""
        return self.optional(name, read) if name in self._fields else self.fail(name, "there; update the server")


def is_position(text: str) -> bool:
    """Whether a text is a position of a stream."""
    return _POSITION.fullmatch(text) is not None


def decode_feed(fields: Fields) -> Feed:
    """Metadata of a feed."""
    return Feed(
        feed_id=fields.text("feed_id"),
        decimals=fields.decimals(),
        unit=fields.text("unit"),
        title=fields.text("title"),
        source=fields.text("source"),
        route=fields.text("route"),
        frequency=fields.text("frequency"),
        description=fields.text("description"),
    )


def decode_reading(fields: Fields, version: str | None) -> Reading:
    """Metadata and newest value of a feed."""
    feed = decode_feed(fields)
    code = fields.integer("period")
    coverage = coverage_of(feed.route, feed.frequency, code)
    return Reading(
        **vars(feed),
        amount=fields.amount(feed.decimals),
        period=period_date(feed.frequency, code),
        period_start=None if coverage is None else coverage.start,
        period_end=None if coverage is None else coverage.end,
        period_code=code,
        source_hash=fields.text("source_hash"),
        attested_at=fields.time("updated_at"),
        version=version,
    )


def decode_row(fields: Fields, frequency: str, decimals: int) -> Row:
    """A row of a history."""
    code = fields.integer("period")
    start, end = decode_period_ends(fields, frequency)
    return Row(
        index=fields.integer("index"),
        period=period_date(frequency, code),
        period_start=start,
        period_end=end,
        period_code=code,
        amount=fields.amount(decimals),
        revision=fields.integer("revision"),
        source_hash=fields.text("source_hash"),
        attester=fields.text("attester"),
        attested_at=fields.time("attested_at"),
    )


def decode_period_ends(fields: Fields, frequency: str) -> tuple[date | datetime, date | datetime] | tuple[None, None]:
    """What a period covers."""

    def read(name: str) -> date | datetime | None:
        # Python has no year 0.
        if fields.text(name).startswith("0000-"):
            return None
        return fields.instant(name) if frequency in HOURLY else fields.day(name)

    start, end = fields.nullable("period_start", read), fields.nullable("period_end", read)
    return (None, None) if start is None or end is None else (start, end)


def decode_dataset(fields: Fields) -> Dataset:
    """A dataset of the catalog."""
    return Dataset(
        route=fields.text("route"),
        name=fields.text("name"),
        frequencies=fields.texts("frequencies"),
        columns=fields.texts("columns"),
        facets=fields.texts("facets"),
    )


def decode_attested_dataset(fields: Fields) -> AttestedDataset:
    """A dataset of which a root is on the chain."""
    return AttestedDataset(
        route=fields.text("route"),
        frequency=fields.text("frequency"),
        name=fields.nullable("name", fields.text),
        columns=fields.texts("columns"),
        facets=fields.texts("facets"),
        periods=fields.nullable("periods", fields.integer),
        size=fields.integer("size"),
        newest_period=fields.nullable("newest_period", fields.text),
        feed_id=fields.text("feed_id"),
        root=fields.text("root"),
        attested_at=fields.time("attested_at"),
    )


def decode_code(fields: Fields) -> Code:
    """A code of a facet."""
    return Code(
        id=fields.nullable("id", fields.text),
        name=fields.nullable("name", fields.text),
        values=fields.integer("values"),
    )


def decode_series_value(fields: Fields) -> SeriesValue:
    """A value of a series."""
    frequency = fields.text("frequency")
    start, end = decode_period_ends(fields, frequency)
    return SeriesValue(
        route=fields.text("route"),
        frequency=frequency,
        column=fields.text("column"),
        facets=fields.texts_by_name("facets"),
        period=fields.text("period"),
        period_start=start,
        period_end=end,
        value=fields.nullable("value", fields.text),
        unit=fields.nullable("unit", fields.text),
        feed_id=fields.text("feed_id"),
        root=fields.text("root"),
        size=fields.integer("size"),
        leaf_index=fields.integer("leaf_index"),
        attested_at=fields.time("attested_at"),
        index=fields.integer("index"),
        is_newest_root=fields.flag("is_newest_root"),
    )


def decode_status(fields: Fields) -> Status:
    """A status."""
    frequency = fields.text("frequency")
    code = fields.integer("period")
    start, end = decode_period_ends(fields, frequency)
    expected = fields.optional("expected_period", fields.integer)
    gaps = fields.optional("gaps", fields.integers)
    return Status(
        feed_id=fields.text("feed_id"),
        frequency=frequency,
        period=period_date(frequency, code),
        period_start=start,
        period_end=end,
        period_code=code,
        attested_at=fields.time("attested_at"),
        age=fields.duration("age_ms"),
        state=_decode_state(fields),
        cadence=fields.optional("cadence", lambda name: _decode_cadence(fields.object(name))),
        expected_period=None if expected is None else period_date(frequency, expected),
        due_at=fields.optional("due_at", fields.time),
        due_on=fields.optional("due_on", fields.day),
        next_due_at=fields.optional("next_due_at", fields.time),
        next_due_on=fields.optional("next_due_on", fields.day),
        max_age=fields.optional("max_age_ms", fields.duration),
        gaps=None if gaps is None else _decode_gaps(frequency, gaps),
    )


def _decode_state(fields: Fields) -> State:
    states: tuple[State, ...] = get_args(State)
    name = fields.text("state")
    return next((state for state in states if state == name), None) or fields.fail("state", ", ".join(states))


def _decode_cadence(fields: Fields) -> Cadence:
    return Cadence(
        rule=fields.text("rule"),
        valid_from=fields.day("valid_from"),
        basis=fields.text("basis"),
        is_assumed=fields.flag("is_assumed"),
    )


def _decode_gaps(frequency: str, codes: list[int]) -> tuple[date | datetime, ...]:
    dates = (period_date(frequency, code) for code in codes)
    return tuple(day for day in dates if day is not None)


def decode_event(event: str | None, event_id: str | None, data: str) -> Event | None:
    """An event of a stream. None for an unknown one, because newer servers may send others."""
    if event in {"attested", "feed", "snapshot", "reset"}:
        fields = Fields(decode_json(data), f"event {event}")
        return _decode_named_event(str(event), fields, event_id)
    return None if event_id is None else Position(_position_of(event_id))


def _decode_named_event(event: str, fields: Fields, event_id: str | None) -> Event:
    if event == "reset":
        return Reset(fields.text("reason"), fields.position("position"))
    root = fields.text("state_root_hash")
    if event == "snapshot":
        reading = decode_reading(fields, None) if fields.has("amount") else None
        return Snapshot(decode_feed(fields), reading, root)
    log, log_index, position = fields.text("log"), fields.integer("log_index"), _position_of(event_id)
    if event == "feed":
        return FeedChanged(decode_feed(fields), log, log_index, root, position)
    return Attested(decode_reading(fields, None), fields.integer("index"), log, log_index, root, position)


def _position_of(text: str | None) -> str:
    if text is None or not is_position(text):
        raise AnswerError(f"the id of an event is {text!r:.80}: it must be a position")
    return text


def error_of(answer: Answer) -> ApiError:
    """The error of an answer whose status is not 200."""
    code = answer.headers.get("x-wattfeed-error")
    # A wrong URL of the server is a 404, too.
    kind = _KINDS.get(code or "", ApiError)
    return kind(_message_of(answer), answer.status, code, retry_after_of(answer.headers.get("retry-after")))


def _message_of(answer: Answer) -> str:
    try:
        return Fields(decode_json(answer.body)).text("error")
    except AnswerError:
        moved = " (redirects are not followed; use the final URL)" if 300 <= answer.status < 400 else ""
        return f"HTTP {answer.status}{moved}"


def retry_after_of(header: str | None) -> float | None:
    """Seconds of a Retry-After header: a number, or an HTTP date."""
    text = (header or "").strip()
    if re.fullmatch(r"[0-9]{1,9}", text):
        return float(text)
    try:
        moment = datetime.strptime(text, "%a, %d %b %Y %H:%M:%S GMT").replace(tzinfo=timezone.utc)
    except ValueError:
        return None
    return max(0.0, (moment - datetime.now(timezone.utc)).total_seconds())
