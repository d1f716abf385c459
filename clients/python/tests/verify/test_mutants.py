from __future__ import annotations

import os
from hashlib import sha256

import pytest
from conftest import EXAMPLES

from .mutants import line_of
from .vectors import FIXTURES, read_vectors

DOCUMENTS = {prefix: read_vectors(f"verify/{prefix}documents.jsonl") for prefix in ("", "series-", "range-")}


def rows_of(name: str) -> list[list[str]]:
    path = FIXTURES / "verify" / name
    return [line.split("\t") for line in path.read_text(encoding="utf-8").splitlines()]


@pytest.mark.parametrize("prefix", DOCUMENTS)
def test_mutants_have_the_verdicts_of_the_other_verifier(prefix: str) -> None:
    # Every fifth for the usual number of examples. The first digest is that of all of them.
    for row in rows_of(f"{prefix}mutants.tsv")[:: max(1, 500 // EXAMPLES)]:
        assert line_of(DOCUMENTS[prefix], int(row[0])) == "\t".join(row)


@pytest.mark.skipif("ALL_MUTANTS" not in os.environ, reason="takes minutes; set ALL_MUTANTS=1")
@pytest.mark.parametrize(
    ("prefix", "row"),
    [(prefix, row) for prefix in DOCUMENTS for row in rows_of(f"{prefix}digests.tsv")],
    ids=lambda value: value if isinstance(value, str) else value[0],
)
def test_digest_of_the_verdicts_is_that_of_the_other_verifier(prefix: str, row: list[str]) -> None:
    first, count, expected = int(row[0]), int(row[1]), row[2]
    digest = sha256()
    for number in range(first, first + count):
        digest.update(f"{line_of(DOCUMENTS[prefix], number)}\n".encode())
    assert digest.hexdigest() == expected
