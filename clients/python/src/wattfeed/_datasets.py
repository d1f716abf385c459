"""The operations on series of datasets, without I/O, as those of `wattfeed._operations`."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, TypeVar, get_args
from urllib.parse import urlencode

from wattfeed._days import moment_of
from wattfeed._decode import Fields, decode_period_ends, decode_series_value
from wattfeed._operations import moment_text
from wattfeed.errors import ApiError
from wattfeed.series import SeriesHistory, SeriesRevision, SeriesRow, SeriesTable, Statement, TableRow

if TYPE_CHECKING:
    from collections.abc import Mapping

    from wattfeed._days import Day
    from wattfeed._operations import Operation
    from wattfeed.models import SeriesValue

    Pairs = list[tuple[str, str]]

T = TypeVar("T")

_HISTORY, _TABLE, _REVISIONS = "/v1/series/history", "/v1/series/table", "/v1/series/revisions"
_HISTORY_ROWS, _TABLE_ROWS, _REVISIONS_ROWS = 1000, 5000, 50
#: The code of an absence: the dataset is there, and does not have the series or the period.
_NO_SERIES = "series_absent"
#: What all pages of one root agree on.
_OF_ROOT = ("feed_id", "root", "size", "attested_at", "index", "is_newest_root")


def series_pairs(route: str, frequency: str, column: str, facets: Mapping[str, str | None]) -> Pairs:
    """The query that names a series."""
    pairs = [("route", route), ("frequency", frequency), ("column", column)]
    return [*pairs, *((f"facet.{name}", _code(name, value)) for name, value in facets.items())]


def _code(name: str, value: object) -> str:
    if value is not None and not isinstance(value, str):
        raise TypeError(f"facets[{name!r}] is {value!r:.80}: it must be the text of one code, or None")
    return value or ""


def root_pairs(as_of: Day | None, index: int | None) -> Pairs:
    """The query that names the root; empty for the newest."""
    if as_of is not None and index is not None:
        raise ValueError(f"index is {index}, and as_of names the root, too; pass one of them")
    moment = moment_text(moment_of("as_of", as_of))
    pairs = [("as_of", moment), ("index", None if index is None else str(index))]
    return [(name, text) for name, text in pairs if text is not None]


def _optional(**parameters: str | None) -> Pairs:
    return [(name, text) for name, text in parameters.items() if text is not None]


def read_series(series: Pairs, period: str | None, root: Pairs) -> Operation[SeriesValue | None]:
    """A value of a series of a dataset, the newest one without a period; None if the series lacks the period."""
    path = f"/v1/series?{urlencode([*series, *root])}"
    try:
        document = yield path if period is None else f"{path}&{urlencode({'period': period})}"
    except ApiError as error:
        if period is None or not _is_absence(error):
            raise
        # The answer is the same if a code is wrong, and the dataset does not have the series. This is then its error.
        yield path
        return None
    return decode_series_value(document.fields)


def _is_absence(error: ApiError) -> bool:
    """Whether a dataset does not have a series or a period. A missing dataset, or none at all, is another error."""
    return error.status == 404 and error.code == _NO_SERIES


@dataclass(frozen=True)
class HistoryQuery:
    """The range of a history."""

    series: Pairs
    period_from: str | None
    period_to: str | None
    order: Literal["asc", "desc"]
    limit: int | None
    root: Pairs

    def pairs(self) -> Pairs:
        """Its parameters without the limit and the root."""
        bounds = _optional(period_from=self.period_from, period_to=self.period_to)
        return [*self.series, *bounds, ("order", self.order)]

    def proof(self, index: int) -> str:
        """The path of the proof of the whole range by a root."""
        limit = _optional(limit=None if self.limit is None else str(self.limit))
        return f"{_HISTORY}/proof?{urlencode([*self.pairs(), *limit, ('index', str(index))])}"


def read_series_history(query: HistoryQuery) -> Operation[SeriesHistory]:
    """All pages of a history, by the root of the first one."""
    first, rows = yield from _read_pages(
        f"{_HISTORY}?{urlencode([*query.pairs(), *query.root, *_page(query.limit, _HISTORY_ROWS)])}",
        "items",
        query.limit,
    )
    frequency = first.text("frequency")
    return SeriesHistory(
        route=first.text("route"),
        frequency=frequency,
        column=first.text("column"),
        facets=first.texts_by_name("facets"),
        period_from=query.period_from,
        period_to=query.period_to,
        order=query.order,
        limit=query.limit,
        feed_id=first.text("feed_id"),
        root=first.text("root"),
        size=first.integer("size"),
        attested_at=first.time("attested_at"),
        index=first.integer("index"),
        is_newest_root=first.flag("is_newest_root"),
        covers_from=first.nullable("covers_from", first.text),
        proof=query.proof(first.integer("index")),
        rows=tuple(_series_row(row, frequency) for row in rows),
    )


def _series_row(fields: Fields, frequency: str) -> SeriesRow:
    start, end = decode_period_ends(fields, frequency)
    return SeriesRow(
        period=fields.text("period"),
        period_start=start,
        period_end=end,
        value=fields.nullable("value", fields.text),
        unit=fields.nullable("unit", fields.text),
        leaf_index=fields.integer("leaf_index"),
    )


def table_pairs(
    dataset: tuple[str, str],
    columns: str | Iterable[str] | None,
    facets: Mapping[str, str | Iterable[str | None] | None] | None,
    periods: tuple[str | None, str | None],
    sort: str | Iterable[str] | None,
) -> Pairs:
    """The query of a table without its limit and root."""
    (route, frequency), (period_from, period_to) = dataset, periods
    return [
        ("route", route),
        ("frequency", frequency),
        *_several("column", columns),
        *(pair for name, codes in (facets or {}).items() for pair in _several(f"facet.{name}", codes, absent="")),
        *_optional(period_from=period_from, period_to=period_to),
        *_several("sort", sort),
    ]


def _several(name: str, value: str | Iterable[str | None] | None, absent: str | None = None) -> Pairs:
    """A parameter for each text. What None stands for is left out unless it is a text, too."""
    given: object = value
    listed: list[object] = [given] if isinstance(given, str) or not isinstance(given, Iterable) else list(given)
    if not listed:
        raise ValueError(f"{name} is an empty list; leave it out for all")
    texts = [absent if each is None else each for each in listed]
    for each in texts:
        if each is not None and not isinstance(each, str):
            raise TypeError(f"{name} has {each!r:.80}: each must be a text")
    return [(name, str(each)) for each in texts if each is not None]


def read_series_table(query: Pairs, limit: int | None, root: Pairs) -> Operation[SeriesTable]:
    """All pages of a table, by the root of the first one."""
    first, rows = yield from _read_pages(
        f"{_TABLE}?{urlencode([*query, *root, *_page(limit, _TABLE_ROWS)])}", "rows", limit
    )
    total = first.integer("total")
    if len(rows) != min(total, limit or total):
        first.fail("total", f"{len(rows)}, the number of rows of all pages")
    return SeriesTable(
        route=first.text("route"),
        frequency=first.text("frequency"),
        feed_id=first.text("feed_id"),
        root=first.text("root"),
        size=first.integer("size"),
        attested_at=first.time("attested_at"),
        index=first.integer("index"),
        is_newest_root=first.flag("is_newest_root"),
        total=total,
        is_complete=True if first.nullable("complete", first.flag) else None,
        rows=tuple(map(_table_row, rows)),
    )


def _table_row(fields: Fields) -> TableRow:
    return TableRow(
        column=fields.text("column"),
        facets=fields.texts_by_name("facets"),
        period=fields.text("period"),
        value=fields.nullable("value", fields.text),
        unit=fields.nullable("unit", fields.text),
        leaf_index=fields.integer("leaf_index"),
    )


def read_revisions(
    series: Pairs, period: str, order: Literal["asc", "desc"], limit: int | None
) -> Operation[list[SeriesRevision]]:
    """What each root says of a value."""
    query = [*series, ("period", period), ("order", order), *_page(limit, _REVISIONS_ROWS)]
    _, rows = yield from _read_pages(f"{_REVISIONS}?{urlencode(query)}", "items", limit, same=("feed_id", "period"))
    return list(map(_revision, rows))


def _revision(fields: Fields) -> SeriesRevision:
    return SeriesRevision(
        index=fields.integer("index"),
        root=fields.text("root"),
        size=fields.integer("size"),
        attested_at=fields.time("attested_at"),
        statement=_statement(fields),
        value=fields.nullable("value", fields.text),
        unit=fields.nullable("unit", fields.text),
        leaf_index=fields.nullable("leaf_index", fields.integer),
        covers_from=fields.nullable("covers_from", fields.text),
        proof=fields.nullable("proof", fields.text),
    )


def _statement(fields: Fields) -> Statement:
    known: tuple[Statement, ...] = get_args(Statement)
    name = fields.text("statement")
    return next((each for each in known if each == name), None) or fields.fail("statement", ", ".join(known))


def _page(limit: int | None, most: int) -> Pairs:
    if limit is not None and limit < 1:
        raise ValueError(f"limit is {limit}: it must be at least 1")
    return [("limit", str(min(limit or most, most)))]


def _read_pages(
    path: str, rows_name: str, limit: int | None, same: tuple[str, ...] = _OF_ROOT
) -> Operation[tuple[Fields, list[Fields]]]:
    """The first page, and the rows of all pages up to a limit. The pages must be of one root."""
    prefix = path.partition("?")[0] + "?"
    document = yield path
    first, rows = document.fields, list[Fields]()
    while True:
        page = document.fields
        found = [Fields(item, "a row") for item in page.items(rows_name)]
        rows += found
        following = page.optional("next", page.text)
        if following is None or (limit is not None and len(rows) >= limit):
            return first, rows[:limit]
        # Another prefix could lead to another host, and a page without rows to an endless loop.
        if not (found and following.startswith(prefix)):
            page.fail("next", "the path of a page, or null")
        document = yield following
        document.fields.require_same(first, same)
