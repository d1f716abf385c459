from __future__ import annotations

from typing import Any

import pytest

from wattfeed.verify._bytes import MalformedError
from wattfeed.verify._keys import key_bytes
from wattfeed.verify._trie import absence_by_elements, absence_by_proof

from .vectors import read_vectors, verdict_of

DOCUMENTS = read_vectors("verify/documents.jsonl")
ABSENCES = read_vectors("absence/vectors.jsonl")


def name_of(vector: dict[str, Any]) -> str:
    return str(vector["name"])


@pytest.mark.parametrize("vector", DOCUMENTS, ids=name_of)
def test_document_has_the_expected_verdict(vector: dict[str, Any]) -> None:
    expected = (vector.get("verdict", "proven"), vector.get("link"))
    assert verdict_of(vector["document"], vector["trust"]) == expected


@pytest.mark.parametrize("vector", ABSENCES, ids=name_of)
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
