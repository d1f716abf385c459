"""Documents of a chain of its own, and lies about it that have a right state root and right signatures."""

from __future__ import annotations

from copy import deepcopy
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from wattfeed.verify import (
    Attester,
    RefutedError,
    Request,
    Trust,
    UnreadableError,
    verify,
    verify_absence,
    verify_feeds,
    verify_history,
    verify_reading,
)
from wattfeed.verify._bytes import text, u8, u32
from wattfeed.verify._keys import key_bytes

from .world import (
    ACCOUNT,
    ATTESTATIONS,
    CONTRACTS,
    FEED,
    FEEDS,
    PACKAGES,
    SEEDS,
    World,
    account,
    attestation,
    block,
    contract,
    feed,
    field_place,
    header,
    item_of,
    reading_of,
)

BUILT = World().build()
amounts = st.integers(0, 2**512 - 1)
finite = st.floats(allow_nan=False, allow_infinity=False)


def broken_link(document: Any, trust: Trust, request: Request | None = None) -> str:
    with pytest.raises(RefutedError) as caught:
        verify(document, trust, request or Request())
    return caught.value.link


@settings(max_examples=60, deadline=None)
@given(amounts, st.integers(0, 255), st.integers(0, 2**64 - 1))
def test_reading_of_any_value_is_proven(amount: int, decimals: int, period: int) -> None:
    world = World(values=[attestation(), attestation(period, amount)], feed=feed(decimals))
    built = world.build()
    claimed = reading_of(decimals, float(f"{amount}e-{decimals}"), amount, float(period))
    result = verify_reading(built.reading(claimed), built.trust)
    assert (result.value.amount, result.value.period, result.count) == (amount, period, 2)


@settings(max_examples=60, deadline=None)
@given(
    st.sampled_from(sorted(reading_of())),
    st.one_of(st.none(), st.text(), finite),
)
def test_reading_with_another_member_is_refuted(name: str, value: object) -> None:
    claimed = reading_of()
    if name == "feed_id" or value == claimed[name]:
        return
    assert broken_link(BUILT.reading({**claimed, name: value}), BUILT.trust) == "reading"


def test_minus_zero_is_not_zero() -> None:
    built = World(values=[attestation(), attestation(0)]).build()
    verify(built.reading(reading_of(period=0)), built.trust)
    assert broken_link(built.reading(reading_of(period=-0.0)), built.trust) == "reading"


@pytest.mark.parametrize(
    ("weights", "deployment", "expected"),
    [([1, 1, 1], 2, 2), ([1, 5, 1], 5, 1), ([1, 1], 3, 0), ([], 1, 0), ([255, 255], 255, 1)],
)
def test_attester_is_proven(weights: list[int], deployment: int, expected: int) -> None:
    built = World(account=account(weights, deployment, 255)).build()
    document = {**built.reading(reading_of()), "attester": built.attester()}
    attester = verify_reading(document, built.trust).attester
    assert attester is not None
    assert attester.least_signers == expected
    assert [weight for _, weight in attester.keys] == weights


@pytest.mark.parametrize(("keys", "is_proven"), [(1, True), (100, True), (101, False)])
def test_attester_with_a_named_key_of_an_unknown_kind_has_at_most_100_keys(keys: int, is_proven: bool) -> None:
    unknown = u32(1) + text("a") + u8(99) + b"\x01" * 32
    built = World(account=account([1] * keys, 1, 255, unknown)).build()
    without = World(account=account([1] * keys, 1, 255)).build().attester()["account"]["stored_value"]
    document = {**built.reading(reading_of()), "attester": built.attester(without)}
    if not is_proven:
        assert broken_link(document, built.trust) == "attester"
        return
    attester = verify_reading(document, built.trust).attester
    assert attester is not None
    assert len(attester.keys) == keys


def test_contract_as_attester_has_no_keys() -> None:
    built = World(claimant=u8(1) + ACCOUNT).build()
    proof = built.attester()
    document = {**built.reading(reading_of()), "attester": proof}
    assert broken_link(document, built.trust) == "attester"
    del proof["account"]
    assert verify_reading(document, built.trust).attester == Attester(f"hash-{ACCOUNT.hex()}")


def test_lists_are_proven_to_be_complete() -> None:
    assert verify_feeds(BUILT.feeds(), BUILT.trust).feed_ids == [FEED]
    history = verify_history(BUILT.history([item_of(1), item_of(5846)]), BUILT.trust)
    assert [value.amount for value in history.values] == [1, 5846]


def test_list_that_lacks_an_item_is_refuted() -> None:
    short = BUILT.history([item_of(1)])
    assert broken_link(short, BUILT.trust) == f"{ATTESTATIONS} history[{FEED}#1]"
    left = BUILT.history([item_of(1), item_of(5846)])
    left["items"].append(left["items"][-1])
    assert broken_link(left, BUILT.trust) == "history"


@settings(max_examples=60, deadline=None)
@given(st.text(st.characters(exclude_categories=["Cs"]), min_size=1).filter(lambda name: name != FEED))
def test_absence_of_any_feed_is_proven(feed_id: str) -> None:
    result = verify_absence(BUILT.absence(feed_id), BUILT.trust, Request(feed_id=feed_id))
    assert result.feed_id == feed_id


def test_registered_feed_is_not_absent() -> None:
    link = f"{FEEDS} feeds[{FEED}] is absent"
    assert broken_link(BUILT.absence(FEED), BUILT.trust) == link
    _, key = field_place(FEEDS, 2, text(FEED))
    proof = {"merkle_proof": BUILT.trie.merkle_proof(key_bytes(key))}
    assert broken_link(BUILT.absence(FEED, proof), BUILT.trust) == link


def test_newest_enabled_version_counts() -> None:
    other = b"\x77" * 32
    versions = [(2, 1, CONTRACTS[FEEDS]), (1, 9, other), (2, 3, other)]
    listed = b"".join(u32(major) + u32(version) + hash_ for major, version, hash_ in versions)
    disabled = u32(1) + u32(2) + u32(3)
    package = u8(4) + b"\x07" * 32 + u8(7) + u32(3) + listed + disabled + u32(0) + u8(0)
    built = World(replaced={u8(1) + PACKAGES[FEEDS]: package}).build()
    verify(built.feeds(), built.trust)
    enabled = package.replace(disabled, u32(0))
    built = World(replaced={u8(1) + PACKAGES[FEEDS]: enabled}).build()
    assert broken_link(built.feeds(), built.trust) == f"{FEEDS} contract"


def test_seed_must_be_a_uref() -> None:
    uref, other = text("state") + u8(2) + SEEDS[FEEDS] + u8(7), text("state") + u8(1) + SEEDS[FEEDS]
    changed = contract(FEEDS).replace(uref, other)
    built = World(replaced={u8(1) + CONTRACTS[FEEDS]: changed}).build()
    assert broken_link(built.feeds(), built.trust) == f"{FEEDS} count"


@settings(max_examples=100, deadline=None)
@given(st.data())
def test_changed_contract_never_crashes_the_verifier(data: st.DataObject) -> None:
    changed = bytearray(contract(FEEDS))
    changed[data.draw(st.integers(1, len(changed) - 1))] = data.draw(st.integers(0, 255))
    built = World(replaced={u8(1) + CONTRACTS[FEEDS]: bytes(changed)}).build()
    try:
        verify(built.feeds(), built.trust)
    except RefutedError as error:
        assert error.link.startswith(FEEDS)  # noqa: PT017


def paths(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    return [path, *(found for name, item in inner for found in paths(item, (*path, name)))]


READING = BUILT.reading(reading_of())
PATHS = [path for path in paths(READING) if path]
anything = st.recursive(
    st.one_of(st.none(), st.booleans(), finite, st.text()),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=5,
)


@settings(max_examples=300, deadline=None)
@given(st.sampled_from(PATHS), anything)
def test_document_with_any_change_has_a_verdict(path: tuple[Any, ...], value: object) -> None:
    changed = deepcopy(READING)
    place = changed
    for name in path[:-1]:
        place = place[name]
    if place[path[-1]] == value:
        return
    place[path[-1]] = value
    # A change that is still proven, such as one of the trusted block's signatures, changes no value.
    try:
        result = verify_reading(changed, BUILT.trust)
    except (RefutedError, UnreadableError):
        return
    assert (result.feed_id, result.number, result.count) == (FEED, 58.46, 2)


def resigned(change: dict[str, Any], signers: tuple[int, ...] = (0, 1)) -> dict[str, Any]:
    written = {**header(BUILT.trie.root, 21, 2, BUILT.switch_blocks[1]["hash"], ends_era=False), **change}
    return {**READING, "block": block(written, signers)}


def test_block_needs_more_than_two_thirds() -> None:
    # The weights are 3, 3 and 2 of 8.
    link = "finality signatures of block 21"
    verify(resigned({}, (0, 1)), BUILT.trust)
    assert broken_link(resigned({}, (0, 2)), BUILT.trust) == link
    verify(resigned({}, (0, 0, 1)), BUILT.trust)
    assert broken_link(resigned({}, (0, 0, 0)), BUILT.trust) == link


def test_block_must_follow_the_last_switch_block() -> None:
    first = BUILT.switch_blocks[0]["hash"]
    for change in (
        {"era_id": 3},
        {"era_id": 1},
        {"last_switch_block_hash": first},
        {"last_switch_block_hash": None},
    ):
        assert broken_link(resigned(change), BUILT.trust) == "finality signatures of block 21"


def test_proof_without_the_trusted_block_says_how_to_fetch_it() -> None:
    document = {**READING, "switch_blocks": READING["switch_blocks"][1:]}
    with pytest.raises(RefutedError) as caught:
        verify(document, BUILT.trust)
    address = f"fetch the proof with ?from={BUILT.trust.trusted_block_hash}, or export the data set with"
    assert address in caught.value.reason


def test_missing_switch_block_is_named() -> None:
    document = {**READING, "switch_blocks": READING["switch_blocks"][1:]}
    assert broken_link(document, BUILT.trust) == "trusted block"
    document = {**READING, "switch_blocks": READING["switch_blocks"][:1]}
    assert broken_link(document, BUILT.trust) == "finality signatures of block 21"
    document = {**READING, "switch_blocks": [READING["switch_blocks"][0], READING["block"]]}
    assert broken_link(document, BUILT.trust) == "switch block of era 1"


def test_age_has_a_limit_in_both_directions() -> None:
    block_time = 1_795_176_000_000
    limited = replace(BUILT.trust, max_age_ms=1000)
    for late in (1000, 0, -60_000):
        verify(READING, replace(limited, now_ms=block_time + late))
    for late in (1001, -60_001):
        assert broken_link(READING, replace(limited, now_ms=block_time + late)) == "age"


def test_request_is_compared_with_the_document() -> None:
    verify(READING, BUILT.trust, Request(feed_id=FEED, index=None))
    for request in (Request(feed_id="B"), Request(index=0), Request(list="feeds"), Request(list="history")):
        assert broken_link(READING, BUILT.trust, request) == "what was asked for"


@pytest.mark.parametrize("fact", ["chain_name", "feed_registry_package_hash", "attestation_registry_package_hash"])
def test_other_registries_are_refused(fact: str) -> None:
    chain, feeds, attestations = ({**BUILT.trust.registries, fact: "ab" * 32}).values()
    trust = Trust(BUILT.trust.trusted_block_hash, chain, feeds, attestations)
    assert broken_link(READING, trust) == "registries"
