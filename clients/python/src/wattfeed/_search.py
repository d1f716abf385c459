"""The command `search`: feeds of the server and datasets of EIA's catalog that have all words."""

from __future__ import annotations

import json
from dataclasses import asdict
from http import HTTPStatus
from typing import TYPE_CHECKING

from wattfeed._terminal import escaped, table
from wattfeed.errors import ApiError

if TYPE_CHECKING:
    import argparse
    from collections.abc import Sequence

    from wattfeed._client import Client


def print_found(options: argparse.Namespace, client: Client) -> int:
    """Prints what was found, as tables or as JSON."""
    text = " ".join(options.words)
    feeds, datasets = client.search(text), client.datasets(text)
    attested = _attested(client) if datasets else {}
    if options.json:
        names = ("feed_id", "title", "unit", "frequency", "route", "description")
        found = [{name: getattr(feed, name) for name in names} for feed in feeds]
        known = [{**asdict(each), "attested_frequencies": attested.get(each.route, [])} for each in datasets]
        print(json.dumps({"feeds": found, "datasets": known}))
        return 0
    _print_table(
        f"feeds with {text!r}",
        ("feed", "title", "unit", "frequency"),
        [(feed.feed_id, feed.title, feed.unit, feed.frequency) for feed in feeds],
    )
    print()
    _print_table(
        f"datasets of EIA with {text!r}",
        ("dataset", "name", "frequencies", "attested"),
        [
            (each.route, each.name, ", ".join(each.frequencies), ", ".join(attested.get(each.route, [])) or "-")
            for each in datasets
        ],
    )
    if datasets:
        print("\nhistory and export read feeds. The command series reads attested datasets.")
        print("Series of other datasets can become feeds.")
    return 0


def _attested(client: Client) -> dict[str, list[str]]:
    """The attested frequencies by route; none on a server that does not list them."""
    found: dict[str, list[str]] = {}
    try:
        for each in client.attested_datasets():
            found.setdefault(each.route, []).append(each.frequency)
    except ApiError as error:
        if error.status != HTTPStatus.NOT_FOUND:
            raise
    return found


def _print_table(title: str, names: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    print(escaped(f"{title}: {len(rows) or 'none'}"))
    if rows:
        print(table(names, rows))
