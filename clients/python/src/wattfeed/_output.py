"""What the commands share of their output: texts, JSON, errors and the exit code."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from wattfeed._files import iso_time
from wattfeed._terminal import escaped
from wattfeed.coverage import describe_period
from wattfeed.errors import ApiError, DeadlineError, NotFoundError, TransportError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from datetime import date, datetime
    from decimal import Decimal
    from typing import TypeVar

    from wattfeed.models import Reading, Row, SeriesValue, Status
    from wattfeed.series import SeriesRow

    T = TypeVar("T")
    Covered = Reading | Row | SeriesRow | SeriesValue | Status

DONE, FAILED, PARTLY = 0, 1, 2


def read_each(feeds: Sequence[str], read: Callable[[str], T]) -> list[T | ApiError]:
    """Reads each feed. The error of one does not fail the others."""
    results: list[T | ApiError] = []
    for feed_id in feeds:
        try:
            results.append(read(feed_id))
        except ApiError as error:
            results.append(error)
    return results


def end(results: Sequence[object]) -> int:
    """Prints the errors among the results, and returns the exit code."""
    errors = [result for result in results if isinstance(result, ApiError)]
    for error in errors:
        print_error(error)
    if not errors:
        return DONE
    return PARTLY if len(errors) < len(results) else FAILED


def print_error(error: Exception) -> None:
    """Prints an error and its fix."""
    fix = ""
    if isinstance(error, NotFoundError):
        fix = "" if error.suggestion else "; /v1/feeds.csv of the server lists all feeds"
    elif isinstance(error, TransportError) and error.is_refused:
        fix = " in --server or WATTFEED_URL"
    elif isinstance(error, (TransportError, DeadlineError)):
        fix = "; check --server or WATTFEED_URL, and that the server runs"
    print(escaped(f"error: {error}{fix}"), file=sys.stderr)


def error_json(feed_id: str, error: ApiError) -> dict[str, object]:
    """The error of a feed, in an array of results."""
    return {"feed_id": feed_id, "error": {"code": error.code, "message": str(error)}}


def coverage_json(value: Covered) -> dict[str, str | None]:
    """What the period of a value covers."""
    return {"period_start": iso_or_none(value.period_start), "period_end": iso_or_none(value.period_end)}


def iso_or_none(moment: date | None) -> str | None:
    """A date or a time as ISO text."""
    return None if moment is None else iso_time(moment)


def period_text(frequency: str, value: Covered) -> str:
    """What the period of a value covers, in words; the period itself if it is not known."""
    if value.period_start is None or value.period_end is None:
        return str(getattr(value, "period_code", value.period))
    return describe_period(frequency, value.period_start, value.period_end)


def plain(amount: Decimal) -> str:
    """An amount without trailing zeros."""
    text = f"{amount:f}"
    return text.rstrip("0").rstrip(".") if "." in text else text


def time_text(moment: datetime) -> str:
    """A time in UTC."""
    return f"{moment:%Y-%m-%d %H:%M:%S}Z"
