"""Series of datasets, with the real server of ``WATTFEED_URL``."""

# cspell:ignore pytestmark

from __future__ import annotations

import asyncio
import json
import os
from dataclasses import replace
from typing import TYPE_CHECKING, Any, TypeVar

import pytest

from wattfeed import ApiError, Client
from wattfeed.aio import AsyncClient
from wattfeed.verify import RefutedError, Trust

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

T = TypeVar("T")

URL = os.environ.get("WATTFEED_URL", "")
DATASET = ("electricity/retail-sales", "monthly")
PRICE = (*DATASET, "price", {"stateid": "CA", "sectorid": "COM"})

pytestmark = pytest.mark.skipif(URL == "", reason="WATTFEED_URL is not set")

client = Client(URL or "http://localhost:4030")


def with_async(read: Callable[[AsyncClient], Awaitable[T]]) -> T:
    async def run() -> T:
        async with AsyncClient(URL) as other:
            return await read(other)

    return asyncio.run(run())


def pinned() -> dict[str, Any]:
    """Names the newest root: an agent may attest another between two reads."""
    price = client.series(*PRICE)
    assert price is not None
    return {"index": price.index}


def trust_of(path: str) -> Trust:
    """Trusts the server's own block, which shows that the rest of its proof fits."""
    root = json.loads(client._get(path).body)["root"]
    named = root["registries"]
    hashes = (named[f"{name}_registry_package_hash"] for name in ("feed", "attestation"))
    return Trust(root["switch_blocks"][0]["hash"], named["chain_name"], *hashes)


@pytest.mark.parametrize(
    "read",
    [
        lambda reader, root: reader.series_history(*PRICE, **root),
        lambda reader, root: reader.series_history(*PRICE, **root, order="desc", limit=1),
        lambda reader, root: reader.series_table(*DATASET, "price", {"sectorid": ["COM", "RES"]}, **root),
        lambda reader, _: reader.series_revisions(*PRICE, "1990-01", limit=1),
        lambda reader, root: reader.series(*PRICE, **root),
    ],
)
def test_both_clients_read_the_same_of_a_root(read: Callable[[Any, Any], Any]) -> None:
    root = pinned()
    found = read(client, root)
    assert with_async(lambda reader: read(reader, root)) == found
    assert found is not None


def test_a_table_has_the_values_of_the_histories() -> None:
    root = pinned()
    table = client.series_table(*DATASET, "price", {"sectorid": "COM", "stateid": ["CA", "NY"]}, **root)
    assert (table.is_complete, table.total) == (True, len(table))
    for state in ("CA", "NY"):
        history = client.series_history(*DATASET, "price", {"sectorid": "COM", "stateid": state}, **root)
        rows = [(row.period, row.value, row.leaf_index) for row in table if row.facets["stateid"] == state]
        assert rows == [(row.period, row.value, row.leaf_index) for row in history]


def test_pages_are_a_whole_table() -> None:
    root = pinned()
    whole = client.series_table(*DATASET, **root)
    assert whole.total == len(whole) == whole.size
    parts = client.series_table(*DATASET, limit=7, **root)
    assert parts.rows == whole[:7]


@pytest.mark.parametrize("options", [{}, {"order": "desc", "limit": 1}, {"period_from": "2026-09"}])
def test_a_history_is_proven_by_one_call(options: Any) -> None:
    asked = {**pinned(), **options}
    history = client.series_history(*PRICE, **asked)
    trust = trust_of(history.proof)
    proven = client.prove_series_history(history, trust)
    assert sorted(value.period for value in proven.values) == sorted(row.period for row in history)
    # The chain may have a new block.
    assert with_async(lambda reader: reader.prove_series_history(history, trust)).values == proven.values
    changed = [
        replace(history, rows=(replace(history[0], value="1.00"), *history[1:])),
        replace(history, rows=history[1:]),
        replace(history, root="ab" * 32),
        replace(history, facets={"stateid": "NY", "sectorid": "COM"}),
        replace(history, index=history.index + 1),
        replace(history, limit=3),
    ]
    for other in changed:
        with pytest.raises(RefutedError):
            client.prove_series_history(other, trust)
    with pytest.raises(RefutedError):
        client.prove_series_history(history, replace(trust, feed_registry_package_hash="00" * 32))


def test_a_root_that_does_not_exist_is_no_other_root() -> None:
    for read in (client.series, client.series_history, client.series_table):
        with pytest.raises(ApiError) as caught:
            read(*PRICE, index=10**6)
        assert (caught.value.status, caught.value.code) == (400, "query")
    with pytest.raises(ApiError, match="had no root"):
        client.series_history(*PRICE, as_of="2001-01-01")
