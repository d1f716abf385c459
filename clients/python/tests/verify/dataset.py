"""A small dataset, its tree by RFC 6962, and documents about its series on a chain of its own."""

from __future__ import annotations

from copy import deepcopy
from dataclasses import dataclass, field
from functools import cached_property

from wattfeed.verify import Series
from wattfeed.verify._bytes import exactly
from wattfeed.verify._leaves import Leaf, leaf_hash, node_hash
from wattfeed.verify._links import read_feed, read_value
from wattfeed.verify._series import dataset_feed_id

from .world import Built, JsonObject, World, attestation, feed, reading_of

ROUTE, FREQUENCY = "petroleum/pri/spt", "daily"
FEED_ID = dataset_feed_id(ROUTE, FREQUENCY)
RECIPE = "eia-dataset:1;price,value;all;product,series"
DAYS = ("2026-11-13", "2026-11-16", "2026-11-17")


def left_size(size: int) -> int:
    """The largest power of two below the size."""
    return 1 << (size - 1).bit_length() - 1


def root_of(hashes: list[bytes]) -> bytes:
    if len(hashes) == 1:
        return hashes[0]
    split = left_size(len(hashes))
    return node_hash(root_of(hashes[:split]), root_of(hashes[split:]))


def path_of(index: int, hashes: list[bytes]) -> list[str]:
    """The hashes from the leaf up, by the recursion of RFC 6962, section 2.1.1."""
    if len(hashes) == 1:
        return []
    split = left_size(len(hashes))
    left, right = hashes[:split], hashes[split:]
    if index < split:
        return [*path_of(index, left), root_of(right).hex()]
    return [*path_of(index - split, right), root_of(left).hex()]


def leaf(
    series: str | None = "RWTC",
    period: str = DAYS[0],
    value: str | None = "59.91",
    unit: str | None = "$/BBL",
    column: str = "value",
) -> Leaf:
    return Leaf(column, ROUTE, FREQUENCY, (("product", "EPCWTI"), ("series", series)), period, value, unit)


def asked(series: str | None = "RWTC", period: str | None = DAYS[0], column: str = "value") -> Series:
    return Series(ROUTE, FREQUENCY, column, {"product": "EPCWTI", "series": series}, period)


LEAVES = [
    leaf("A", DAYS[0], "1.5"),
    leaf("A", DAYS[1], None, None),
    leaf("C", DAYS[1], "w"),
    leaf("RWTC", DAYS[0]),
    leaf("RWTC", DAYS[2], "60.10"),
]


@dataclass(frozen=True)
class Dataset:
    """Leaves in the order of the tree, and what the feed says of them."""

    leaves: list[Leaf] = field(default_factory=lambda: list(LEAVES))
    feed: bytes = field(
        default_factory=lambda: feed(0, "values", route=ROUTE, description=f"All of a dataset.\n{RECIPE}")
    )
    feed_id: str = FEED_ID
    amount: int | None = None
    root: str | None = None

    @cached_property
    def hashes(self) -> list[bytes]:
        return [leaf_hash(str(each).encode()) for each in self.leaves]

    @cached_property
    def built(self) -> Built:
        amount = len(self.leaves) if self.amount is None else self.amount
        root = root_of(self.hashes).hex() if self.root is None else self.root
        newest = attestation(amount=amount, source_hash=root)
        return World(values=[attestation(), newest], feed=self.feed, feed_id=self.feed_id).build()

    def reading(self) -> JsonObject:
        document = self.built.reading({})
        return {**document, "reading": claimed_by(self.built, document)}

    def document(self, series: Series, statement: str, *indices: int) -> JsonObject:
        leaves = [
            {"index": index, "leaf": str(self.leaves[index]), "path": path_of(index, self.hashes)} for index in indices
        ]
        members = {**vars(series), "facets": dict(series.facets)}
        return deepcopy(
            {"format": 1, "series": members, "statement": statement, "leaves": leaves, "root": self.reading()}
        )


def claimed_by(built: Built, document: JsonObject) -> JsonObject:
    """The member `reading` of what the items of a document prove."""
    described, value = exactly(content_of(document, 2), read_feed), exactly(content_of(document, 5), read_value)
    return {
        **reading_of(described.decimals, float(f"{value.amount}e-{described.decimals}"), value.amount, value.period),
        **{name: vars(described)[name] for name in ("unit", "title", "source", "route", "frequency", "description")},
        "feed_id": built.feed_id,
        "source_hash": value.source_hash,
    }


def content_of(document: JsonObject, place: int) -> bytes:
    """The content of an item, without the length in front of it."""
    return bytes.fromhex(document["items"][place]["stored_value"]["CLValue"]["bytes"])[4:]
