"""Merkle proofs of a real network."""

from __future__ import annotations

import json
from typing import Any

import pytest

from wattfeed.verify._bytes import Reader, blake, u8
from wattfeed.verify._chain import require_included
from wattfeed.verify._keys import key_bytes
from wattfeed.verify._stored import CLValue, read_cl_value
from wattfeed.verify._trie import parse_merkle_proof, prove

from .vectors import FIXTURES, read_vectors

NETWORK = json.loads((FIXTURES / "chain" / "network.json").read_text(encoding="utf-8"))


def key_of(params: dict[str, Any], digits: str) -> bytes:
    """The key that was requested, or that of the proof if the request does not name it."""
    if "dictionary_identifier" in params:
        place = params["dictionary_identifier"]["URef"]
        seed = bytes.fromhex(place["seed_uref"].split("-")[1])
        return u8(9) + blake(seed, place["dictionary_item_key"].encode())
    key = params.get("key", "")
    if key.startswith("uref-"):
        # In global state, a URef has no access rights.
        return u8(2) + bytes.fromhex(key.split("-")[1]) + u8(0)
    return key_bytes(key) if key else parse_merkle_proof(digits, bytes(32)).key


def recorded_proofs() -> list[tuple[dict[str, Any], dict[str, Any]]]:
    exchanges = [
        exchange
        for name in ("snapshot", "history", "events", "accounts")
        for exchange in read_vectors(f"chain/{name}.jsonl")
    ]
    return [
        (exchange["params"], exchange["result"])
        for exchange in exchanges
        if "stored_value" in (exchange.get("result") or {})
    ]


def test_each_proof_of_a_real_node_proves_its_value() -> None:
    proofs = recorded_proofs()
    assert len(proofs) > 300
    for params, result in proofs:
        identifier = params.get("state_identifier") or {}
        state_root = params.get("state_root_hash") or identifier.get("StateRootHash") or NETWORK["state_root_hash"]
        digits = result["merkle_proof"]
        proven = prove(digits, key_of(params, digits), bytes.fromhex(state_root))
        if "dictionary_identifier" in params:
            assert isinstance(proven, CLValue)
            proven = read_cl_value(Reader(proven.content))
        require_included(result["stored_value"], proven)


@pytest.mark.parametrize("place", [8, 100, 400, -1])
def test_proof_of_a_real_node_with_a_changed_byte_is_refused(place: int) -> None:
    params, result = recorded_proofs()[0]
    changed = bytearray.fromhex(result["merkle_proof"])
    changed[place] ^= 1
    key = key_of(params, result["merkle_proof"])
    with pytest.raises(ValueError, match=r".+"):
        prove(changed.hex(), key, bytes.fromhex(NETWORK["state_root_hash"]))
