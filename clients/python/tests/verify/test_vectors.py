from __future__ import annotations

from copy import deepcopy
from typing import Any

import pytest

from wattfeed.verify._blocks import read_block, weigh
from wattfeed.verify._bytes import MalformedError, u8
from wattfeed.verify._documents import BlockDocument
from wattfeed.verify._keys import key_bytes
from wattfeed.verify._signatures import is_valid
from wattfeed.verify._stored import Unused
from wattfeed.verify._trie import absence_by_elements, absence_by_proof, prove

from .vectors import read_vectors, verdict_of

DOCUMENTS = read_vectors("verify/documents.jsonl")
SERIES = read_vectors("verify/series-documents.jsonl")
RANGES = read_vectors("verify/range-documents.jsonl")


def name_of(vector: dict[str, Any]) -> str:
    return str(vector["name"])


def at(value: Any, path: list[str | int]) -> Any:
    for name in path:
        value = value[name]
    return value


def put(holder: Any, place: str | int, value: Any) -> None:
    """Replaces a value, or adds one: a member, or an item at the end of a list."""
    if isinstance(holder, list) and place == len(holder):
        holder.append(None)
    holder[place] = deepcopy(value)


def changed(lie: dict[str, Any], vectors: list[dict[str, Any]]) -> Any:
    """Makes the changes of a lie, one after another."""
    by_name = {vector["name"]: vector["document"] for vector in vectors}
    # The document itself may be replaced, so it is the only item of a list.
    holder: Any = [deepcopy(by_name[lie["document"]])]
    for change in lie["changes"]:
        path: list[str | int] = [0, *change["path"]]
        place, last = at(holder, path[:-1]), path[-1]
        if "remove" in change:
            del place[last]
        elif "order" in change:
            place[last] = [deepcopy(place[last][number]) for number in change["order"]]
        elif "from" in change:
            put(place, last, at(by_name[change["from"]["document"]], change["from"]["path"]))
        else:
            put(place, last, change["value"])
    return holder[0]


@pytest.mark.parametrize("vector", [*DOCUMENTS, *SERIES, *RANGES], ids=name_of)
def test_document_is_proven(vector: dict[str, Any]) -> None:
    assert verdict_of(vector["document"], vector["trust"]) == ("proven", None)


@pytest.mark.parametrize("lie", read_vectors("verify/lies.jsonl"), ids=name_of)
def test_lie_breaks_the_expected_link(lie: dict[str, Any]) -> None:
    assert verdict_of(changed(lie, DOCUMENTS), lie["trust"]) == (lie["verdict"], lie["link"])


@pytest.mark.parametrize("lie", read_vectors("verify/series-lies.jsonl"), ids=name_of)
def test_lie_about_a_series_breaks_the_expected_link(lie: dict[str, Any]) -> None:
    assert verdict_of(changed(lie, SERIES), lie["trust"]) == (lie["verdict"], lie["link"])


@pytest.mark.parametrize("lie", read_vectors("verify/range-lies.jsonl"), ids=name_of)
def test_lie_about_a_range_breaks_the_expected_link(lie: dict[str, Any]) -> None:
    assert verdict_of(changed(lie, RANGES), lie["trust"]) == (lie["verdict"], lie["link"])


@pytest.mark.parametrize("vector", read_vectors("verify/signatures.jsonl"), ids=name_of)
def test_signature_is_valid_as_expected(vector: dict[str, Any]) -> None:
    message = bytes.fromhex(vector["message"])
    assert is_valid(vector["public_key"], vector["signature"], message) == vector["is_valid"]


@pytest.mark.parametrize("vector", read_vectors("absence/vectors.jsonl"), ids=name_of)
def test_evidence_has_the_expected_verdict(vector: dict[str, Any]) -> None:
    evidence, state_root = vector["evidence"], bytes.fromhex(vector["state_root_hash"])
    # One vector is of a key that a verifier never derives.
    is_bid = vector["key"].startswith("bid-addr-")
    key = bytes.fromhex("0f" + vector["key"][len("bid-addr-") :]) if is_bid else key_bytes(vector["key"])
    try:
        if "merkle_proof" in evidence:
            verdict: str = absence_by_proof(evidence["merkle_proof"], key, state_root)
        else:
            verdict = absence_by_elements(evidence["trie_elements"], key, state_root)
    except MalformedError:
        verdict = "invalid"
    assert verdict == vector["verdict"]


@pytest.mark.parametrize("vector", read_vectors("unknown-kinds/vectors.jsonl"), ids=name_of)
def test_value_with_a_part_of_an_unknown_kind(vector: dict[str, Any]) -> None:
    state_root = bytes.fromhex(vector["state_root_hash"])
    # One vector is of a key that a verifier never derives.
    is_later = vector["key"].startswith("rewards-handling-")
    key = u8(25) + bytes(32) if is_later else key_bytes(vector["key"])
    try:
        proven = prove(vector["merkle_proof"], key, state_root)
    except MalformedError:
        assert vector["value"] is None
    else:
        assert not isinstance(proven, Unused)
        assert proven.to_json() == vector["value"]


def recorded_blocks(recording: str) -> dict[int, BlockDocument]:
    """The blocks of a recording, by height."""
    found = {}
    for exchange in read_vectors(f"chain/{recording}.jsonl"):
        signed = (exchange.get("result") or {}).get("block_with_signatures")
        if signed is None:
            continue
        (block,) = signed["block"].values()
        found[block["header"]["height"]] = BlockDocument(block["hash"], block["header"], signed["proofs"])
    return found


@pytest.mark.parametrize("recording", ["blocks", "blocks-3-validators", "switch-blocks-3-validators"])
def test_block_of_a_real_network_is_final(recording: str) -> None:
    recorded, switch_blocks = recorded_blocks(recording), recorded_blocks("switch-blocks-3-validators")
    vectors = [vector for vector in read_vectors("verify/blocks.jsonl") if vector["recording"] == recording]
    assert vectors
    for vector in vectors:
        block = read_block(recorded[vector["height"]])
        assert block.hash.hex() == vector["hash"]
        if vector["weights_of"] is None:
            continue
        weights = read_block(switch_blocks[vector["weights_of"]]).next_weights
        assert weights is not None
        assert weigh(block, weights, vector["chain_name"]).is_final == vector["is_final"]
        assert not weigh(block, weights, "another-chain").is_final
