"""The forms of the kinds of documents."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, TypeAlias, get_args

from ._bytes import MalformedError
from ._facts import Series, SeriesRange, Statement
from ._json import as_integer, as_list, as_object, as_text, as_unicode, list_of

if TYPE_CHECKING:
    from collections.abc import Mapping

ABSENT = object()
"""The place of a member that is not there: no proven value is equal to it."""


@dataclass(frozen=True)
class Item:
    """An item with its Merkle proof."""

    registry: str
    key: str
    stored_value: object
    merkle_proof: str


@dataclass(frozen=True)
class BlockDocument:
    """A block as a node serves it."""

    hash: str
    header: Mapping[str, object]
    proofs: list[object]


@dataclass(frozen=True)
class Evidence:
    """Evidence that something is absent: one of three."""

    merkle_proof: str | None = None
    trie_elements: list[str] | None = None
    ids: list[Item] | None = None


@dataclass(frozen=True)
class AccountDocument:
    """The record of an account with its proof."""

    key: str
    merkle_proof: str
    stored_value: object


@dataclass(frozen=True)
class AttesterDocument:
    """The proof of who may attest to a feed."""

    claimant: Item
    unclaimed: Evidence | None
    account: AccountDocument | None


@dataclass(frozen=True)
class Common:
    """The members of all documents."""

    registries: dict[str, str]
    items: list[Item]
    block: BlockDocument
    switch_blocks: list[BlockDocument]


@dataclass(frozen=True)
class ReadingDocument:
    """The proof of a reading."""

    common: Common
    feed_id: str
    reading: dict[str, object]
    index: int | None
    count: int | None = field(default=None)
    """Absent in format 1."""
    attester: AttesterDocument | None = None
    is_attester_missing: bool = False


@dataclass(frozen=True)
class AbsenceDocument:
    """The proof that a feed or its newest value is absent."""

    common: Common
    feed_id: str
    is_of_value: bool
    evidence: Evidence


@dataclass(frozen=True)
class FeedsDocument:
    """The proof of the list of all feeds."""

    common: Common
    feed_count: int
    feed_ids: list[str]


@dataclass(frozen=True)
class HistoryDocument:
    """The proof of all values of a feed."""

    common: Common
    feed_id: str
    count: int
    values: list[object]


@dataclass(frozen=True)
class LeafDocument:
    """A leaf of a dataset's tree, with its path to the root."""

    index: int
    leaf: str
    path: list[str]


@dataclass(frozen=True)
class SeriesDocument:
    """The proof of a statement about a series of a dataset."""

    series: Series
    statement: Statement
    leaves: list[LeafDocument]
    root: ReadingDocument


@dataclass(frozen=True)
class RangeLeaf:
    """A leaf of a range, without what all of its leaves have. Without a unit, it has that of the leaf before it."""

    period: str
    value: str | None
    unit: str | None
    has_unit: bool


@dataclass(frozen=True)
class RangeDocument:
    """The proof of all values of a range of a series."""

    range: SeriesRange
    index: int
    before: str | None
    leaves: list[RangeLeaf]
    after: str | None
    hashes: list[str]
    root: ReadingDocument


Document: TypeAlias = (
    "ReadingDocument | AbsenceDocument | FeedsDocument | HistoryDocument | SeriesDocument | RangeDocument"
)


def read_document(value: object) -> Document:
    """Reads a document of any kind."""
    document = as_object(value, "the document")
    if "statement" in document:
        return read_series(document)
    if "absence" in document:
        return read_absence(document)
    if "feed_ids" in document:
        return read_feeds(document)
    if "values" in document:
        return read_history(document)
    if "range" in document:
        return read_range(document)
    return read_reading(document)


def read_reading(document: dict[str, object]) -> ReadingDocument:
    """Reads the proof of a reading."""
    reading = as_object(document.get("reading"), "reading")
    count = None
    if "format" in document:
        _require_format(document)
        count = as_integer(document.get("count"), "count")
    return ReadingDocument(
        common=_common(document),
        feed_id=as_unicode(reading.get("feed_id"), "feed_id"),
        reading=reading,
        index=as_integer(document["index"], "index", 0) if "index" in document else None,
        count=count,
        attester=None if document.get("attester") is None else _attester(document["attester"]),
        is_attester_missing="attester" in document and document["attester"] is None,
    )


def read_absence(document: dict[str, object]) -> AbsenceDocument:
    """Reads the proof that a feed or its newest value is absent."""
    absence = as_object(document.get("absence"), "absence")
    _require_format(absence)
    absent = absence.get("absent")
    if absent not in ("feed", "value"):
        raise MalformedError("absent is neither feed nor value")
    evidence = _evidence(absence.get("evidence"), "evidence", with_ids=absent == "feed")
    return AbsenceDocument(
        common=_common(absence),
        feed_id=as_unicode(absence.get("feed_id"), "feed_id"),
        is_of_value=absent == "value",
        evidence=evidence,
    )


def read_feeds(document: dict[str, object]) -> FeedsDocument:
    """Reads the proof of the list of all feeds."""
    _require_format(document)
    return FeedsDocument(
        common=_common(document),
        feed_count=as_integer(document.get("feed_count"), "feed_count"),
        feed_ids=list_of(document.get("feed_ids"), "feed_ids", as_unicode),
    )


def read_history(document: dict[str, object]) -> HistoryDocument:
    """Reads the proof of all values of a feed."""
    _require_format(document)
    return HistoryDocument(
        common=_common(document),
        feed_id=as_unicode(document.get("feed_id"), "feed_id"),
        count=as_integer(document.get("count"), "count"),
        values=as_list(document.get("values"), "values"),
    )


def read_series(document: dict[str, object]) -> SeriesDocument:
    """Reads the proof of a statement about a series."""
    _require_format(document, 1)
    return SeriesDocument(
        series=_series(document.get("series")),
        statement=_statement(document.get("statement")),
        leaves=list_of(document.get("leaves"), "leaves", _leaf),
        root=_root(document),
    )


def read_range(document: dict[str, object]) -> RangeDocument:
    """Reads the proof of a range of a series."""
    _require_format(document, 1)
    return RangeDocument(
        range=_range(document.get("range")),
        index=as_integer(document.get("index"), "index", 0),
        before=_text_or_null(document.get("before", ABSENT), "before"),
        leaves=list_of(document.get("leaves"), "leaves", _range_leaf),
        after=_text_or_null(document.get("after", ABSENT), "after"),
        hashes=list_of(document.get("hashes"), "hashes", as_text),
        root=_root(document),
    )


def _root(document: dict[str, object]) -> ReadingDocument:
    root = as_object(document.get("root"), "root")
    _require_format(root)
    return read_reading(root)


def _series(value: object) -> Series:
    series = as_object(value, "series")
    return Series(
        route=as_text(series.get("route"), "series.route"),
        frequency=as_text(series.get("frequency"), "series.frequency"),
        column=as_text(series.get("column"), "series.column"),
        facets=_facets(series, "series.facets"),
        period=_text_or_null(series.get("period", ABSENT), "series.period"),
    )


def _range(value: object) -> SeriesRange:
    asked = as_object(value, "range")
    order = asked.get("order")
    if order not in ("asc", "desc"):
        raise MalformedError("range.order is neither asc nor desc")
    limit = asked.get("limit", ABSENT)
    return SeriesRange(
        route=as_text(asked.get("route"), "range.route"),
        frequency=as_text(asked.get("frequency"), "range.frequency"),
        column=as_text(asked.get("column"), "range.column"),
        facets=_facets(asked, "range.facets"),
        period_from=_text_or_null(asked.get("period_from", ABSENT), "range.period_from"),
        period_to=_text_or_null(asked.get("period_to", ABSENT), "range.period_to"),
        order="asc" if order == "asc" else "desc",
        limit=None if limit is None else as_integer(limit, "range.limit", 1),
    )


def _facets(series: dict[str, object], what: str) -> dict[str, str | None]:
    facets = as_object(series.get("facets"), what)
    return {name: _text_or_null(facet, f"{what}.{name}") for name, facet in facets.items()}


def _range_leaf(value: object, what: str) -> RangeLeaf:
    leaf = as_list(value, what)
    if len(leaf) not in (2, 3):
        raise MalformedError(f"{what} has {len(leaf)} members, not two or three")
    return RangeLeaf(
        period=as_text(leaf[0], f"{what}[0]"),
        value=_text_or_null(leaf[1], f"{what}[1]"),
        unit=_text_or_null(leaf[2], f"{what}[2]") if len(leaf) == 3 else None,
        has_unit=len(leaf) == 3,
    )


def _text_or_null(value: object, what: str) -> str | None:
    return None if value is None else as_text(value, what)


def _statement(value: object) -> Statement:
    statements: tuple[Statement, ...] = get_args(Statement)
    for statement in statements:
        if statement == value:
            return statement
    raise MalformedError(f"statement is none of {', '.join(statements)}")


def _leaf(value: object, what: str) -> LeafDocument:
    leaf = as_object(value, what)
    return LeafDocument(
        index=as_integer(leaf.get("index"), f"{what}.index", 0),
        leaf=as_text(leaf.get("leaf"), f"{what}.leaf"),
        path=list_of(leaf.get("path"), f"{what}.path", as_text),
    )


def _require_format(document: dict[str, object], expected: int = 2) -> None:
    if as_integer(document.get("format"), "format") != expected:
        raise MalformedError(f"the format is not {expected}")


def read_header(document: dict[str, object], switch_blocks: list[BlockDocument]) -> Common:
    """Reads the first line of a data set's proof."""
    _require_format(document, 1)
    block = read_block_document(document.get("block"), "block")
    return Common(_registries(document), [], block, switch_blocks)


def _common(document: dict[str, object]) -> Common:
    return Common(
        registries=_registries(document),
        items=list_of(document.get("items"), "items", _item),
        block=read_block_document(document.get("block"), "block"),
        switch_blocks=list_of(document.get("switch_blocks"), "switch_blocks", read_block_document),
    )


def _registries(document: dict[str, object]) -> dict[str, str]:
    registries = as_object(document.get("registries"), "registries")
    names = ("chain_name", "feed_registry_package_hash", "attestation_registry_package_hash")
    return {name: as_text(registries.get(name), name) for name in names}


def _item(value: object, what: str) -> Item:
    item = as_object(value, what)
    return Item(
        registry=as_text(item.get("registry"), f"{what}.registry"),
        key=as_text(item.get("key"), f"{what}.key"),
        stored_value=item.get("stored_value", ABSENT),
        merkle_proof=as_text(item.get("merkle_proof"), f"{what}.merkle_proof"),
    )


def read_block_document(value: object, what: str) -> BlockDocument:
    """Reads a block."""
    block = as_object(value, what)
    return BlockDocument(
        hash=as_text(block.get("hash"), f"{what}.hash"),
        header=as_object(block.get("header"), f"{what}.header"),
        proofs=as_list(block.get("proofs"), f"{what}.proofs"),
    )


def _evidence(value: object, what: str, *, with_ids: bool) -> Evidence:
    evidence = as_object(value, what)
    if len(evidence) != 1:
        raise MalformedError(f"{what} does not have exactly one member")
    if "merkle_proof" in evidence:
        return Evidence(merkle_proof=as_text(evidence["merkle_proof"], f"{what}.merkle_proof"))
    if "trie_elements" in evidence:
        return Evidence(trie_elements=list_of(evidence["trie_elements"], f"{what}.trie_elements", as_text))
    if "ids" in evidence and with_ids:
        return Evidence(ids=list_of(evidence["ids"], f"{what}.ids", _item))
    raise MalformedError(f"{what} is of no known kind")


def _account(value: object) -> AccountDocument:
    account = as_object(value, "account")
    return AccountDocument(
        key=as_text(account.get("key"), "account.key"),
        merkle_proof=as_text(account.get("merkle_proof"), "account.merkle_proof"),
        stored_value=account.get("stored_value", ABSENT),
    )


def _attester(value: object) -> AttesterDocument:
    attester = as_object(value, "attester")
    return AttesterDocument(
        claimant=_item(attester.get("claimant"), "claimant"),
        unclaimed=(_evidence(attester["unclaimed"], "unclaimed", with_ids=False) if "unclaimed" in attester else None),
        account=_account(attester["account"]) if "account" in attester else None,
    )
