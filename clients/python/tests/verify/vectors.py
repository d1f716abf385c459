"""The vectors of the repository, which verifiers in all languages share."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from wattfeed.verify import ANY, RefutedError, Request, Series, SeriesRange, Trust, UnreadableError, verify

FIXTURES = Path(__file__).resolve().parents[4] / "fixtures"
_FACTS = (
    "trusted_block_hash",
    "chain_name",
    "feed_registry_package_hash",
    "attestation_registry_package_hash",
)


def read_vectors(path: str) -> list[dict[str, Any]]:
    with (FIXTURES / path).open(encoding="utf-8") as file:
        return [json.loads(line) for line in file]


def facts_of(trust: dict[str, Any]) -> tuple[Trust, Request]:
    """The facts to trust, and the request, as the specification names them."""
    block, chain, feeds, attestations = (trust[name] for name in _FACTS)
    return Trust(block, chain, feeds, attestations, trust.get("max_age_ms"), trust.get("now")), request_in(trust)


def request_in(facts: dict[str, Any]) -> Request:
    """The request, as the specification names its facts."""
    series = None if facts.get("series") is None else Series(**facts["series"])
    asked = None if facts.get("range") is None else SeriesRange(**facts["range"])
    return Request(facts.get("feed_id"), facts.get("index", ANY), facts.get("list"), series, asked)


def verdict_of(document: bytes | str | dict[str, Any], trust: dict[str, Any]) -> tuple[str, str | None]:
    """The verdict, and the broken link if the document is refuted."""
    try:
        verify(document, *facts_of(trust))
    except UnreadableError:
        return "unreadable", None
    except RefutedError as error:
        return "refuted", error.link
    return "proven", None
