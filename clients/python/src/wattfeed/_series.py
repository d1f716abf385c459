"""The command `series`: a value of a series of a dataset."""

from __future__ import annotations

import json
import sys
from dataclasses import asdict
from typing import TYPE_CHECKING

from wattfeed._files import iso_time
from wattfeed._output import DONE, FAILED, coverage_json, period_text, time_text
from wattfeed._terminal import escaped, table

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterable, Mapping

    from wattfeed._client import Client
    from wattfeed.models import SeriesValue


def parse_facet(text: str) -> tuple[str, str | None]:
    """Parses ``stateid=CA``. An empty value is that of a series without one.

    >>> parse_facet("stateid=CA"), parse_facet("sectorid=")
    (('stateid', 'CA'), ('sectorid', None))
    """
    facet, equals, value = text.partition("=")
    if not (facet and equals):
        raise ValueError(f"{text!r} is not the id of a facet, then = and its value, such as stateid=CA")
    return facet, value or None


def facets_of(chosen: Iterable[tuple[str, str | None]]) -> dict[str, str | None]:
    """The code of each facet of one series."""
    facets: dict[str, str | None] = {}
    for facet, code in chosen:
        if facet in facets:
            raise ValueError(f"--facet {facet} is there twice; a series has one value of each facet")
        facets[facet] = code
    return facets


def title_of(route: str, frequency: str, column: str, facets: Mapping[str, str | None]) -> str:
    """The line that names a series."""
    codes = [f"{facet}={code or ''}" for facet, code in facets.items()]
    return ", ".join([f"{route} ({frequency})", column, *codes])


def value_text(value: str | None) -> str:
    """EIA's text of a value."""
    return "withheld" if value is None else value


def say_if_older(what: str, is_newest_root: object, options: argparse.Namespace) -> None:
    """Says that an answer is of an earlier root than the newest, unless an option names one."""
    if not is_newest_root and options.as_of is None and options.index is None:
        print(f"the {what} of an earlier root: the server does not have the files of the newest one", file=sys.stderr)


def print_series(options: argparse.Namespace, client: Client) -> int:
    """Prints the value, as a table or as JSON."""
    facets = facets_of(options.facets)
    value = client.series(
        options.route,
        options.frequency,
        options.column,
        facets,
        options.period,
        as_of=options.as_of,
        index=options.index,
    )
    if options.json:
        print(json.dumps(None if value is None else _json_of(value)))
    if value is None:
        print(escaped(f"error: the series has no value of {options.period}"), file=sys.stderr)
        return FAILED
    if not options.json:
        _print_table(value)
    say_if_older("value is", value.is_newest_root, options)
    return DONE


def _print_table(value: SeriesValue) -> None:
    print(escaped(title_of(value.route, value.frequency, value.column, value.facets)))
    row = (
        period_text(value.frequency, value),
        value_text(value.value),
        value.unit or "",
        time_text(value.attested_at),
    )
    print(table(("period", "value", "unit", "attested"), [row], right=("value",)))


def _json_of(value: SeriesValue) -> dict[str, object]:
    return {**asdict(value), **coverage_json(value), "attested_at": iso_time(value.attested_at)}
