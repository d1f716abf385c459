"""The links of each kind of document."""

from __future__ import annotations

from math import copysign
from typing import TYPE_CHECKING

from ._bytes import MalformedError, Reader, text, u64
from ._chain import Chain, Items, Registry, require
from ._documents import (
    AbsenceDocument,
    FeedsDocument,
    HistoryDocument,
    RangeDocument,
    ReadingDocument,
    SeriesDocument,
)
from ._facts import (
    ANY,
    Attester,
    Check,
    Feed,
    ProvenAbsence,
    ProvenFeeds,
    ProvenHistory,
    ProvenRange,
    ProvenReading,
    ProvenSeries,
    RangeValue,
    Request,
    Result,
    Trust,
    Value,
)
from ._json import is_number
from ._range import check_leaves
from ._range import check_range as check_bounds
from ._series import check_dataset, check_leaf, check_statement
from ._stored import Account

if TYPE_CHECKING:
    from ._blocks import Block
    from ._documents import AttesterDocument, Document

FEEDS = "FeedRegistry"
ATTESTATIONS = "AttestationRegistry"


def check(document: Document, trust: Trust, request: Request) -> Result:
    """Checks all links of a document."""
    if isinstance(document, AbsenceDocument):
        return check_absence(document, trust, request)
    if isinstance(document, FeedsDocument):
        return check_feeds(document, trust, request)
    if isinstance(document, HistoryDocument):
        return check_history(document, trust, request)
    if isinstance(document, SeriesDocument):
        return check_series(document, trust, request)
    if isinstance(document, RangeDocument):
        return check_range(document, trust, request)
    return check_reading(document, trust, request)


def _feed_registry(chain: Chain, items: Items) -> Registry:
    return chain.check_contract(items, FEEDS, chain.trust.feed_registry_package_hash)


def _attestation_registry(chain: Chain, items: Items) -> Registry:
    return chain.check_contract(items, ATTESTATIONS, chain.trust.attestation_registry_package_hash)


def _read_address(reader: Reader) -> str:
    return ("account-hash-" if reader.u8(1) == 0 else "hash-") + reader.hash().hex()


def read_feed(reader: Reader) -> Feed:
    """Reads the metadata of a feed."""
    return Feed(
        decimals=reader.u8(),
        unit=reader.text(),
        title=reader.text(),
        source=reader.text(),
        route=reader.text(),
        frequency=reader.text(),
        description=reader.text(),
    )


def read_value(reader: Reader) -> Value:
    """Reads a value on chain."""
    return Value(
        period=reader.u64(),
        amount=reader.u512(),
        source_hash=reader.text(),
        attester=_read_address(reader),
        timestamp=reader.u64(),
    )


def _value_at(registry: Registry, items: Items, feed_id: str, index: int) -> Value:
    place = f"{feed_id}#{index}"
    return registry.field(items, f"history[{place}]", 3, read_value, text(place))


def _count_of(registry: Registry, items: Items, feed_id: str) -> int:
    return registry.field(items, f"count[{feed_id}]", 4, Reader.u64, text(feed_id))


def _require_equal(claimed: object, proven: dict[str, str | float]) -> None:
    """Requires an object of exactly these members. Numbers are doubles."""
    require(isinstance(claimed, dict), "not an object")
    members = claimed if isinstance(claimed, dict) else {}
    require(members.keys() == proven.keys(), f"the members are not exactly {', '.join(proven)}")
    for name, value in proven.items():
        require(_is_equal(members[name], value), f"{name} is {members[name]!r}, not {value!r}")


def _is_equal(claimed: object, proven: str | float) -> bool:
    if isinstance(proven, str):
        return isinstance(claimed, str) and claimed == proven
    return is_number(claimed) and claimed == float(proven)


def _is_minus_zero(claimed: object) -> bool:
    return claimed == 0 and is_number(claimed) and copysign(1, claimed) < 0


def _is_of_feed(request: Request) -> bool:
    """Whether no series was requested."""
    return request.series is None and request.range is None


def _is_requested(request: Request, feed_id: str, index: int | None) -> bool:
    if request.list is not None or not _is_of_feed(request):
        return False
    return request.feed_id in (None, feed_id) and (request.index is ANY or request.index == index)


def check_reading(document: ReadingDocument, trust: Trust, request: Request) -> ProvenReading:
    """Checks the proof of a reading."""
    feed_id, index = document.feed_id, document.index
    which = "its newest value" if index is None else f"its value at index {index}"
    requested = _is_requested(request, feed_id, index), f"{feed_id}, {which}"
    return _check_reading(Chain(trust), document, request, requested)


def _check_reading(
    chain: Chain, document: ReadingDocument, request: Request, requested: tuple[bool, str]
) -> ProvenReading:
    items, feed_id, index = Items(document.common.items), document.feed_id, document.index
    block = chain.check_block(document.common, request, requested)

    feeds = _feed_registry(chain, items)
    feed = feeds.field(items, f"feeds[{feed_id}]", 2, read_feed, text(feed_id))
    attestations = _attestation_registry(chain, items)
    if index is None:
        value = attestations.field(items, f"latest[{feed_id}]", 2, read_value, text(feed_id))
    else:
        value = _value_at(attestations, items, feed_id, index)
    count = None if document.count is None else _count_of(attestations, items, feed_id)
    attester = None if document.attester is None else _check_attester(chain, feeds, document.attester, feed_id)

    number = float(f"{value.amount}e-{feed.decimals}")
    result = ProvenReading(
        *_place(chain, block),
        feed_id,
        feed,
        value,
        number,
        index,
        count,
        attester,
        document.is_attester_missing,
    )
    with chain.link("reading") as detail:
        items.require_all_used()
        if count is not None:
            require(document.count == float(count), f"count is {document.count}, not {count}")
            require((index or 0) < count, f"the feed has {count} values")
        _require_equal(document.reading, reading_of(result))
        require(not any(map(_is_minus_zero, document.reading.values())), "-0 is not 0")
        detail.text = result.summary
    return result


def _place(chain: Chain, block: Block) -> tuple[list[Check], str, int, int]:
    return chain.checks, block.hash.hex(), block.height, block.timestamp_ms


def reading_of(result: ProvenReading) -> dict[str, str | float]:
    """Gives the member `reading` that a document of this result has."""
    return {
        "feed_id": result.feed_id,
        "decimals": result.feed.decimals,
        "unit": result.feed.unit,
        "title": result.feed.title,
        "source": result.feed.source,
        "route": result.feed.route,
        "frequency": result.feed.frequency,
        "description": result.feed.description,
        "value": result.number,
        "amount": str(result.value.amount),
        "period": result.value.period,
        "source_hash": result.value.source_hash,
        "updated_at": result.value.timestamp,
    }


def _check_attester(chain: Chain, feeds: Registry, document: AttesterDocument, feed_id: str) -> Attester:
    items, name, number = Items([document.claimant]), f"feed_attester[{feed_id}]", 5
    if document.unclaimed is None:
        address = feeds.field(items, name, number, _read_address, text(feed_id))
    else:
        feeds.absent_field(document.unclaimed, name, number, text(feed_id))
        address = feeds.field(items, "owner", 1, _read_address)
    with chain.link("attester") as detail:
        if address.startswith("hash-"):
            require(document.account is None, "a contract has no account")
            detail.text = f"{address}, a contract"
            return Attester(address)
        if document.account is None:
            raise MalformedError("the account is missing")
        require(document.account.key == address, f"the account is {document.account.key!r}, not {address!r}")
        account = chain.prove_account(document.account)
        if not isinstance(account, Account):
            raise MalformedError("the value is not an account")
        attester = Attester(
            address, account.associated_keys, account.deployment_threshold, account.key_management_threshold
        )
        detail.text = f"{address}, {attester.least_signers} of {len(attester.keys)} keys must sign"
        return attester


def check_absence(document: AbsenceDocument, trust: Trust, request: Request) -> ProvenAbsence:
    """Checks the proof that a feed or its newest value is absent."""
    chain, feed_id, evidence = Chain(trust), document.feed_id, document.evidence
    items = Items([*document.common.items, *(evidence.ids or [])])
    is_requested = _is_of_feed(request) and request.list is None and request.feed_id in (None, feed_id)
    block = chain.check_block(document.common, request, (is_requested, feed_id))

    if document.is_of_value:
        registry = _attestation_registry(chain, items)
        registry.absent_field(evidence, f"latest[{feed_id}]", 2, text(feed_id))
    elif evidence.ids is None:
        registry = _feed_registry(chain, items)
        registry.absent_field(evidence, f"feeds[{feed_id}]", 2, text(feed_id))
    else:
        registry = _feed_registry(chain, items)
        for number in range(registry.field(items, "count", 4, Reader.u64)):
            other = _id_at(registry, items, number)
            with chain.link(f"{FEEDS} ids[{number}] is another feed"):
                require(other != feed_id, "it is the feed")
    with chain.link("evidence"):
        items.require_all_used()
    return ProvenAbsence(*_place(chain, block), feed_id, "value" if document.is_of_value else "feed")


def _id_at(registry: Registry, items: Items, number: int) -> str:
    return registry.field(items, f"ids[{number}]", 3, Reader.text, u64(number))


def check_feeds(document: FeedsDocument, trust: Trust, request: Request) -> ProvenFeeds:
    """Checks the proof of the list of all feeds."""
    chain, items = Chain(trust), Items(document.common.items)
    is_requested = request.list == "feeds" and _is_of_feed(request)
    block = chain.check_block(document.common, request, (is_requested, "the list of all feeds"))
    registry = _feed_registry(chain, items)
    count = registry.field(items, "count", 4, Reader.u64)
    feed_ids = [_id_at(registry, items, number) for number in range(count)]
    with chain.link("list of feeds") as detail:
        items.require_all_used()
        require(document.feed_count == float(count), f"feed_count is {document.feed_count}, not {count}")
        require(document.feed_ids == feed_ids, "feed_ids are not the proven ones")
        detail.text = f"all {count} ids"
    return ProvenFeeds(*_place(chain, block), feed_ids)


def check_history(document: HistoryDocument, trust: Trust, request: Request) -> ProvenHistory:
    """Checks the proof of all values of a feed."""
    chain, items, feed_id = Chain(trust), Items(document.common.items), document.feed_id
    is_of_kind = request.list in (None, "history") and request.index is ANY and _is_of_feed(request)
    is_requested = is_of_kind and request.feed_id in (None, feed_id)
    block = chain.check_block(document.common, request, (is_requested, f"{feed_id}, all its values"))
    registry = _attestation_registry(chain, items)
    count = _count_of(registry, items, feed_id)
    values = [_value_at(registry, items, feed_id, index) for index in range(count)]
    with chain.link("history") as detail:
        items.require_all_used()
        require(document.count == float(count), f"count is {document.count}, not {count}")
        require(len(document.values) == count, f"values has {len(document.values)} items, not {count}")
        for claimed, value in zip(document.values, values, strict=True):
            _require_equal(claimed, history_item_of(value))
        detail.text = f"all {count} values of {feed_id}"
    return ProvenHistory(*_place(chain, block), feed_id, values)


def history_item_of(value: Value) -> dict[str, str | float]:
    """Gives the item of `values` that a document of this value has."""
    return {
        "period": value.period,
        "amount": str(value.amount),
        "source_hash": value.source_hash,
        "attester": value.attester,
        "timestamp": value.timestamp,
    }


def check_series(document: SeriesDocument, trust: Trust, request: Request) -> ProvenSeries:
    """Checks the proof of a statement about a series."""
    chain, series, statement = Chain(trust), document.series, document.statement
    period = "its newest value" if series.period is None else f"its value of {series.period}"
    requested = request == Request(series=series), f"{series}, {period}"
    root = _check_reading(chain, document.root, request, requested)

    with chain.link("dataset") as detail:
        check_dataset(root, series)
        detail.text = f"{root.value.amount} values, root {root.value.source_hash}"
    leaves = []
    for place in document.leaves:
        with chain.link(f"leaf {place.index}") as detail:
            leaf = check_leaf(place, root.value)
            leaves.append((place.index, leaf))
            detail.text = str(leaf)
    with chain.link("statement") as detail:
        check_statement(statement, series, leaves, root.value.amount)
        detail.text = statement
    index, leaf = leaves[0]
    is_there = statement in ("value", "newest")
    return ProvenSeries(
        chain.checks,
        root.block_hash,
        root.block_height,
        root.block_timestamp_ms,
        series,
        statement,
        period=leaf.period if is_there else None,
        value=leaf.value if is_there else None,
        unit=leaf.unit if is_there else None,
        leaf_index=index if is_there else None,
        root=root,
    )


def check_range(document: RangeDocument, trust: Trust, request: Request) -> ProvenRange:
    """Checks the proof of a range of a series."""
    chain, asked = Chain(trust), document.range
    root = _check_reading(chain, document.root, request, (_is_range(document, request), str(asked)))

    with chain.link("dataset") as detail:
        check_dataset(root, asked.series)
        detail.text = f"{root.value.amount} values, root {root.value.source_hash}"
    with chain.link("leaves") as detail:
        run = check_leaves(document, root.value)
        detail.text = f"{len(run.leaves)} from the index {document.index} on"
    with chain.link("range") as detail:
        check_bounds(run, asked)
        detail.text = str(asked)
    return ProvenRange(
        chain.checks,
        root.block_hash,
        root.block_height,
        root.block_timestamp_ms,
        asked,
        tuple(RangeValue(leaf.period, leaf.value, leaf.unit) for leaf in run.leaves),
        first_index=document.index if run.leaves else None,
        root=root,
    )


def _is_range(document: RangeDocument, request: Request) -> bool:
    if request.range is None or request != Request(index=request.index, range=request.range):
        return False
    return document.range.is_same(request.range) and request.index in (ANY, document.root.index)
