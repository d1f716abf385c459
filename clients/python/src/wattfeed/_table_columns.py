"""The columns of tables of series, as in the server's files."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable

    from wattfeed.series import SeriesHistory, SeriesTable

_OWN = frozenset(("column", "period", "value", "unit", "number", "leaf_index"))


def facet_column(facet: str) -> str:
    """The column of a facet: its id, after ``facet_`` if another column has this name.

    >>> facet_column("stateid"), facet_column("unit")
    ('stateid', 'facet_unit')
    """
    return f"facet_{facet}" if facet in _OWN else facet


def facets_of(table: SeriesTable) -> list[str]:
    """The facets of a table in the order of its columns; none without rows."""
    return sorted(table[0].facets) if len(table) else []


def common_unit(units: Iterable[str | None]) -> str | None:
    """The unit of all values; None if they differ, or have none."""
    found = set(units)
    return found.pop() if len(found) == 1 else None


def origin_of(found: SeriesHistory | SeriesTable, chain: str) -> dict[Any, str | int]:
    """By which root of which chain rows are."""
    return {"feed_id": found.feed_id, "chain": chain, "root": found.root, "index": found.index}
