"""The command `info`: what describes a feed, and what its history covers."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from wattfeed._files import chain_amount, iso_time
from wattfeed._output import coverage_json, end, error_json, period_text, plain, read_each, time_text
from wattfeed._terminal import table
from wattfeed.errors import ApiError
from wattfeed.models import Info

if TYPE_CHECKING:
    import argparse

    from wattfeed._client import Client
    from wattfeed.models import Row


def print_info(options: argparse.Namespace, client: Client) -> int:
    """Prints what describes feeds, one below the other."""
    results = read_each(options.feeds, client.info)
    if options.json:
        print(json.dumps([_json_of(each, result) for each, result in zip(options.feeds, results, strict=True)]))
    else:
        found = [result for result in results if isinstance(result, Info)]
        for number, info in enumerate(found):
            if number > 0:
                print()
            print(table(("feed", info.feed_id), _lines(info)))
    return end(results)


def _lines(info: Info) -> list[tuple[str, str]]:
    return [
        ("title", info.title),
        *zip(("description", ""), info.description.split("\n", 1), strict=False),
        ("unit", f"{info.unit}, {info.decimals} decimals"),
        ("source", f"{info.source}, {info.route}, {info.frequency}"),
        ("first period", _value_text(info, info.first)),
        ("last period", _value_text(info, info.last)),
        ("values", f"{info.total}, revisions included"),
        ("attested", time_text(info.attested_at)),
        ("license", info.license or "unknown"),
    ]


def _value_text(info: Info, row: Row) -> str:
    return f"{period_text(info.frequency, row)}: {plain(row.amount)}"


def _json_of(feed_id: str, result: Info | ApiError) -> dict[str, object]:
    if isinstance(result, ApiError):
        return error_json(feed_id, result)
    return {
        "feed_id": result.feed_id,
        "title": result.title,
        "description": result.description,
        "unit": result.unit,
        "decimals": result.decimals,
        "source": result.source,
        "route": result.route,
        "frequency": result.frequency,
        "first": _row_json(result.first),
        "last": _row_json(result.last),
        "total": result.total,
        "attested_at": iso_time(result.attested_at),
        "license": result.license,
    }


def _row_json(row: Row) -> dict[str, object]:
    return {
        "period": row.period_code,
        **coverage_json(row),
        "value": row.value,
        "amount": chain_amount(row.amount),
        "revision": row.revision,
    }
