"""Checks that a history of a series is what its proof shows."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from wattfeed._operations import Operation
    from wattfeed.series import SeriesHistory
    from wattfeed.verify import ProvenRange, Trust


def prove_history(history: SeriesHistory, trust: Trust) -> Operation[ProvenRange]:
    """Reads the proof of a history, checks it, and compares all values."""
    from wattfeed.verify import (  # noqa: PLC0415  its packages are optional
        RangeValue,
        RefutedError,
        Request,
        SeriesRange,
        verify_range,
    )

    document = yield f"{history.proof}&from={trust.trusted_block_hash}"
    asked = SeriesRange(
        history.route,
        history.frequency,
        history.column,
        dict(history.facets),
        history.period_from,
        history.period_to,
        history.order,
        history.limit,
    )
    proven = verify_range(document.body, trust, Request(index=history.index, range=asked))
    rows = history.rows if history.order == "asc" else history.rows[::-1]
    if proven.values != tuple(RangeValue(row.period, row.value, row.unit) for row in rows):
        raise RefutedError("history", "its values are not those of the proof; read it again", proven.checks)
    reading = proven.root.value
    if (history.root, history.size) != (reading.source_hash, reading.amount):
        raise RefutedError("history", "its root is not that of the proof; read it again", proven.checks)
    return proven
