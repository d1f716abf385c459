"""The command `status`: whether feeds are up to date, by EIA's release calendar."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import asdict
from datetime import timedelta
from typing import TYPE_CHECKING, get_args

from wattfeed._files import iso_time
from wattfeed._output import coverage_json, end, error_json, iso_or_none, period_text, read_each, time_text
from wattfeed._terminal import table
from wattfeed.errors import ApiError
from wattfeed.models import State, Status

if TYPE_CHECKING:
    import argparse
    from collections.abc import Sequence

    from wattfeed._client import Client


def print_status(options: argparse.Namespace, client: Client) -> int:
    """Prints the status of some feeds, or of all."""
    results: Sequence[Status | ApiError]
    results = read_each(options.feeds, client.status) if options.feeds else client.statuses()
    found = [result for result in results if isinstance(result, Status)]
    if options.json:
        ids = options.feeds or [status.feed_id for status in found]
        print(json.dumps([_json_of(each, result) for each, result in zip(ids, results, strict=True)]))
    elif found:
        names = ("feed", "state", "period", "attested", "next release", "missing periods")
        print(table(names, [_cells(status) for status in found]))
        counts = Counter(status.state for status in found)
        print(f"\n{', '.join(f'{counts[state]} {state}' for state in get_args(State) if counts[state])}")
    return end(results)


def _cells(status: Status) -> tuple[str, ...]:
    if status.next_due_at is not None:
        release = time_text(status.next_due_at)
    else:
        release = "unknown" if status.next_due_on is None else status.next_due_on.isoformat()
    missing = "unknown" if status.gaps is None else ", ".join(map(iso_time, status.gaps)) or "none"
    period = period_text(status.frequency, status)
    return (status.feed_id, status.state, period, time_text(status.attested_at), release, missing)


def _json_of(feed_id: str, result: Status | ApiError) -> dict[str, object]:
    if isinstance(result, ApiError):
        return error_json(feed_id, result)
    cadence = result.cadence
    return {
        "feed_id": result.feed_id,
        "frequency": result.frequency,
        "state": result.state,
        "period": result.period_code,
        **coverage_json(result),
        "attested_at": iso_time(result.attested_at),
        "age_ms": _milliseconds(result.age),
        "max_age_ms": None if result.max_age is None else _milliseconds(result.max_age),
        "cadence": None if cadence is None else {**asdict(cadence), "valid_from": iso_time(cadence.valid_from)},
        "expected_period": iso_or_none(result.expected_period),
        "due_at": iso_or_none(result.due_at),
        "due_on": iso_or_none(result.due_on),
        "next_due_at": iso_or_none(result.next_due_at),
        "next_due_on": iso_or_none(result.next_due_on),
        "gaps": None if result.gaps is None else [iso_time(gap) for gap in result.gaps],
    }


def _milliseconds(span: timedelta) -> int:
    return span // timedelta(milliseconds=1)
