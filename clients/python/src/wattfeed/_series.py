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


def print_series(options: argparse.Namespace, client: Client) -> int:
    """Prints the value, as a table or as JSON."""
    facets: dict[str, str | None] = {}
    for facet, chosen in options.facets:
        if facet in facets:
            raise ValueError(f"--facet {facet} is there twice; a series has one value of each facet")
        facets[facet] = chosen
    value = client.series(options.route, options.frequency, options.column, facets, options.period)
    if options.json:
        print(json.dumps(None if value is None else _json_of(value)))
    if value is None:
        print(escaped(f"error: the series has no value of {options.period}"), file=sys.stderr)
        return FAILED
    if not options.json:
        _print_table(value)
    if not value.is_newest_root:
        print("the value is of an earlier root: the server does not have the files of the newest one", file=sys.stderr)
    return DONE


def _print_table(value: SeriesValue) -> None:
    facets = [f"{facet}={chosen or ''}" for facet, chosen in value.facets.items()]
    print(escaped(", ".join([f"{value.route} ({value.frequency})", value.column, *facets])))
    shown = "withheld" if value.value is None else value.value
    row = (period_text(value.frequency, value), shown, value.unit or "", time_text(value.attested_at))
    print(table(("period", "value", "unit", "attested"), [row], right=("value",)))


def _json_of(value: SeriesValue) -> dict[str, object]:
    return {**asdict(value), **coverage_json(value), "attested_at": iso_time(value.attested_at)}
