"""The command `search`: feeds of the server and datasets of EIA's catalog that have all words."""

from __future__ import annotations

import json
from dataclasses import asdict
from typing import TYPE_CHECKING

from wattfeed._terminal import escaped, table

if TYPE_CHECKING:
    import argparse
    from collections.abc import Sequence

    from wattfeed._client import Client


def print_found(options: argparse.Namespace, client: Client) -> int:
    """Prints what was found, as tables or as JSON."""
    text = " ".join(options.words)
    feeds, datasets = client.search(text), client.datasets(text)
    if options.json:
        names = ("feed_id", "title", "unit", "frequency", "route", "description")
        found = [{name: getattr(feed, name) for name in names} for feed in feeds]
        print(json.dumps({"feeds": found, "datasets": [asdict(dataset) for dataset in datasets]}))
        return 0
    _print_table(
        f"feeds with {text!r}",
        ("feed", "title", "unit", "frequency"),
        [(feed.feed_id, feed.title, feed.unit, feed.frequency) for feed in feeds],
    )
    print()
    _print_table(
        f"datasets of EIA with {text!r}",
        ("dataset", "name", "frequencies"),
        [(each.route, each.name, ", ".join(each.frequencies)) for each in datasets],
    )
    if datasets:
        print("\nOnly feeds have values: history and export cannot read a dataset. Its series can become feeds.")
    return 0


def _print_table(title: str, names: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    print(escaped(f"{title}: {len(rows) or 'none'}"))
    if rows:
        print(table(names, rows))
