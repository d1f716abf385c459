"""The commands `series history`, `series table` and `series revisions`: rows of series of a dataset."""

from __future__ import annotations

import csv
import json
import sys
from typing import TYPE_CHECKING, TextIO

from wattfeed._days import check_order
from wattfeed._files import iso_time
from wattfeed._output import DONE, coverage_json, period_text, time_text
from wattfeed._series import facets_of, say_if_older, title_of, value_text
from wattfeed._table_columns import facet_column
from wattfeed._table_columns import facets_of as facets_of_table
from wattfeed._terminal import escaped, table

if TYPE_CHECKING:
    import argparse
    from collections.abc import Sequence

    from wattfeed._client import Client

    Record = dict[str, object]

FORMATS = ("text", "csv", "json", "jsonl")


def print_history(options: argparse.Namespace, client: Client) -> int:
    """Prints the values of a series."""
    check_order("--from", options.period_from, "--to", options.period_to)
    history = client.series_history(
        options.route,
        options.frequency,
        options.column,
        facets_of(options.facets),
        period_from=options.period_from,
        period_to=options.period_to,
        order=options.order,
        limit=options.limit,
        as_of=options.as_of,
        index=options.index,
    )
    if options.format == "text":
        rows = [
            (period_text(history.frequency, row), value_text(row.value), row.unit or "", str(row.leaf_index))
            for row in history
        ]
        print(escaped(title_of(history.route, history.frequency, history.column, history.facets)))
        print(f"root {history.root}, attested {time_text(history.attested_at)}")
        print(table(("period", "value", "unit", "leaf"), rows, right=("value", "leaf")))
    else:
        columns = ("period", "period_start", "period_end", "value", "number", "unit", "leaf_index")
        _print_records(
            options.format,
            columns,
            [
                {
                    "period": row.period,
                    **coverage_json(row),
                    "value": row.value,
                    "number": row.number,
                    "unit": row.unit,
                    "leaf_index": row.leaf_index,
                }
                for row in history
            ],
        )
    _say_if_empty(len(history))
    say_if_older("values are", history.is_newest_root, options)
    return DONE


def print_table(options: argparse.Namespace, client: Client) -> int:
    """Prints the rows of a table."""
    check_order("--from", options.period_from, "--to", options.period_to)
    codes: dict[str, list[str | None]] = {}
    for facet, code in options.facets:
        codes.setdefault(facet, []).append(code)
    found = client.series_table(
        options.route,
        options.frequency,
        options.columns or None,
        codes,
        period_from=options.period_from,
        period_to=options.period_to,
        sort=options.sort or None,
        limit=options.limit,
        as_of=options.as_of,
        index=options.index,
    )
    facets = facets_of_table(found)
    records: list[Record] = [
        {
            "column": row.column,
            **{facet_column(each): row.facets.get(each) for each in facets},
            "period": row.period,
            "value": row.value,
            "unit": row.unit,
            "number": row.number,
            "leaf_index": row.leaf_index,
        }
        for row in found
    ]
    columns = ("column", *map(facet_column, facets), "period", "value", "unit", "number", "leaf_index")
    if options.format == "text":
        shown = columns[:-2]
        print(escaped(f"{found.route} ({found.frequency}): {len(found)} of {found.total} rows"))
        print(f"root {found.root}, attested {time_text(found.attested_at)}")
        lines = [
            [value_text(row.value) if name == "value" else str(record[name] or "") for name in shown]
            for row, record in zip(found, records, strict=True)
        ]
        print(table(shown, lines, right=("value",)))
    else:
        _print_records(options.format, columns, records)
    _say_if_empty(len(found))
    if found.is_complete is None:
        print("nothing shows that the root has no other rows of this table", file=sys.stderr)
    say_if_older("rows are", found.is_newest_root, options)
    return DONE


def print_revisions(options: argparse.Namespace, client: Client) -> int:
    """Prints what each root says of a value."""
    facets = facets_of(options.facets)
    found = client.series_revisions(
        options.route,
        options.frequency,
        options.column,
        facets,
        options.period,
        order=options.order,
        limit=options.limit,
    )
    columns = ("index", "attested_at", "statement", "value", "number", "unit", "root")
    if options.format == "text":
        rows = [
            (
                str(said.index),
                time_text(said.attested_at),
                value_text(said.value) if said.statement == "value" else said.statement,
                said.unit or "",
            )
            for said in found
        ]
        title = title_of(options.route, options.frequency, options.column, facets)
        print(escaped(f"{title}, {options.period}"))
        print(table(("index", "attested", "value", "unit"), rows, right=("index", "value")))
    else:
        _print_records(
            options.format,
            columns,
            [
                {
                    "index": said.index,
                    "attested_at": iso_time(said.attested_at),
                    "statement": said.statement,
                    "value": said.value,
                    "number": said.number,
                    "unit": said.unit,
                    "root": said.root,
                }
                for said in found
            ],
        )
    return DONE


def _print_records(form: str, columns: Sequence[str], records: Sequence[Record]) -> None:
    if form == "csv":
        _print_csv(columns, records, sys.stdout)
    elif form == "json":
        print(json.dumps(records))
    else:
        for record in records:
            print(json.dumps(record, separators=(",", ":")))


def _print_csv(columns: Sequence[str], records: Sequence[Record], out: TextIO) -> None:
    # The terminal's own line ends, because standard output is text.
    writer = csv.DictWriter(out, columns, lineterminator="\n")
    writer.writeheader()
    writer.writerows(records)


def _say_if_empty(count: int) -> None:
    if count == 0:
        print("no values were found; check --from and --to", file=sys.stderr)
