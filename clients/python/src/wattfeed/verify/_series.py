"""The last links of a series of a dataset: the dataset, its leaves, and the statement."""

from __future__ import annotations

import re
from string import ascii_lowercase, ascii_uppercase
from typing import TYPE_CHECKING

from ._bytes import MalformedError, hash_from_hex
from ._chain import require
from ._json import MAX_INTEGER
from ._leaves import Key, Leaf, as_part, leaf_hash, read_leaf, root_by_path, series_key

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from ._documents import LeafDocument
    from ._facts import ProvenReading, Series, Statement, Value

    Leaves = Sequence[tuple[int, Leaf]]

_UPPER = str.maketrans(ascii_lowercase, ascii_uppercase)
_RECIPE = re.compile(r"eia-dataset:1;([A-Za-z0-9_,-]+);(all|[1-9][0-9]{0,15});([A-Za-z0-9_,-]*)\Z")


def dataset_feed_id(route: str, frequency: str) -> str:
    """Gives the id of the feed of a dataset's roots.

    >>> dataset_feed_id("petroleum/pri/spt", "daily")
    'EIA.DATASET.PETROLEUM.PRI.SPT.DAILY'
    """
    return f"EIA.DATASET.{route.replace('/', '.')}.{frequency}".translate(_UPPER)


def check_dataset(root: ProvenReading, series: Series) -> None:
    """Requires a value of the feed of the series' dataset, which has its column and exactly its facets."""
    feed, value = root.feed, root.value
    expected_id = dataset_feed_id(series.route, series.frequency)
    require(root.feed_id == expected_id, f"the feed is {root.feed_id!r}, not {expected_id!r}")
    found = (feed.unit, feed.decimals, feed.source, feed.route, feed.frequency)
    expected = ("values", 0, "EIA", series.route, series.frequency)
    require(found == expected, f"the feed has {found!r}, not {expected!r}")
    recipe = _RECIPE.match(feed.description.rpartition("\n")[2])
    if recipe is None:
        raise MalformedError("the last line of the description is no recipe")
    require(recipe[2] == "all" or int(recipe[2]) <= MAX_INTEGER, "the recipe has too many periods")
    columns, facets = _ids(recipe[1], "columns"), _ids(recipe[3], "facets")
    require(series.column in columns, f"{series.column!r} is none of the columns {', '.join(columns)}")
    require(sorted(series.facets) == facets, f"the facets are {', '.join(facets) or 'none'}")
    require(1 <= value.amount <= MAX_INTEGER, f"{value.amount} is no number of leaves")
    hash_from_hex(value.source_hash)


def _ids(text: str, what: str) -> list[str]:
    ids = text.split(",") if text else []
    require("" not in ids and ids == sorted(set(ids)), f"the {what} of the recipe are not sorted, each once")
    return ids


def check_leaf(document: LeafDocument, root: Value) -> Leaf:
    """Requires a leaf of the tree with this root."""
    leaf = read_leaf(document.leaf)
    reached = root_by_path(leaf_hash(document.leaf.encode()), document.index, root.amount, document.path)
    require(reached.hex() == root.source_hash, f"the path leads to {reached.hex()}, not to {root.source_hash}")
    return leaf


def check_statement(statement: Statement, series: Series, leaves: Leaves, size: int) -> None:
    """Requires that the proven leaves show the statement."""
    require(len(leaves) in (1, 2), f"there are {len(leaves)} leaves, not one or two")
    require(leaves[-1][0] == leaves[0][0] + len(leaves) - 1, "the leaves are no neighbors")
    searched = key_of(series)
    if statement == "newest":
        require(series.period is None, "a period was asked for")
        _require_newest(searched, leaves, size)
    elif statement == "no_series":
        # All keys of the series are on one side of a key, unless that has the elements of the series.
        width = len(searched)
        _require_between(leaves, size, lambda key: _order(key[:width], searched), "the series")
    else:
        if series.period is None:
            raise MalformedError("no period was asked for")
        sought = (*searched, as_part(series.period, "the period").encode())
        if statement == "value":
            require(len(leaves) == 1 and leaves[0][1].key == sought, "the leaf is another value, or not the only one")
        else:
            _require_between(leaves, size, lambda key: _order(key, sought), "the period")


def key_of(series: Series) -> Key:
    """Gives the elements of a series. An empty text is not null: no leaf has it, and so no key."""
    facets = {
        name: None if value is None else as_part(value, f"the facet {name}") for name, value in series.facets.items()
    }
    return series_key(series.route, series.frequency, series.column, facets)


def _require_newest(searched: Key, leaves: Leaves, size: int) -> None:
    index, first = leaves[0]
    require(first.series == searched, "the first leaf is of another series")
    if len(leaves) == 1:
        require(index == size - 1, "the leaf is not the last one")
        return
    _, second = leaves[1]
    require(second.key[: len(searched)] > searched, "the second leaf does not come after all of the series")


def _require_between(leaves: Leaves, size: int, order: Callable[[Key], int], what: str) -> None:
    """Requires that something lies between two leaves, before the first one of the tree, or after the last one."""
    orders = [order(leaf.key) for _, leaf in leaves]
    if len(leaves) == 2:
        require(orders == [-1, 1], f"{what} is not between the leaves")
        return
    index = leaves[0][0]
    is_before_all = index == 0 and orders == [1]
    is_after_all = index == size - 1 and orders == [-1]
    require(is_before_all or is_after_all, f"{what} is neither before the first leaf nor after the last")


def _order(key: Key, other: Key) -> int:
    return (key > other) - (key < other)
