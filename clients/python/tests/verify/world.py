"""A small chain of its own: two registries in a trie, validators with keys, blocks, and proofs of it all.

Everything is built from the specification, as the verifier is. Tests change a part of it and build it again.
"""

from __future__ import annotations

import json
from copy import deepcopy
from dataclasses import dataclass, field
from typing import Any

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

from wattfeed.verify import Trust
from wattfeed.verify._blocks import decimal
from wattfeed.verify._bytes import Reader, blake, prefixed, text, u8, u32, u64, u512
from wattfeed.verify._keys import key_bytes
from wattfeed.verify._stored import read_stored_value

CHAIN = "casper-tests"
FEED = "A.FEED"
FEEDS, ATTESTATIONS = "FeedRegistry", "AttestationRegistry"
PACKAGES = {FEEDS: b"\x01" * 32, ATTESTATIONS: b"\x02" * 32}
CONTRACTS = {FEEDS: b"\x11" * 32, ATTESTATIONS: b"\x12" * 32}
SEEDS = {FEEDS: b"\x21" * 32, ATTESTATIONS: b"\x22" * 32}
ACCOUNT = b"\x31" * 32
LIST_OF_U8, ANY_TYPE = b"\x0e\x03", b"\x15"

Entries = dict[bytes, bytes]
JsonObject = dict[str, Any]


def cl_value(content: bytes, cl_type: bytes) -> bytes:
    return prefixed(content) + cl_type


def package(registry: str) -> bytes:
    versions = u32(1) + u32(2) + u32(1) + CONTRACTS[registry]
    return u8(4) + b"\x07" * 32 + u8(7) + versions + u32(0) + u32(0) + u8(0)


def contract(registry: str, urefs: dict[str, bytes] | None = None) -> bytes:
    """A contract whose named keys are the seed of its fields and these URefs."""
    urefs = {"state": SEEDS[registry], **(urefs or {})}
    named_keys = u32(len(urefs)) + b"".join(text(name) + u8(2) + urefs[name] + u8(7) for name in sorted(urefs))
    entry_point = text("attest") + u32(0) + u8(9) + u8(1) + u8(1)
    versions = u32(2) + u32(0) + u32(0)
    return u8(3) + PACKAGES[registry] + b"\x08" * 32 + named_keys + u32(1) + text("attest") + entry_point + versions


def field_place(registry: str, number: int, mapping_key: bytes = b"") -> tuple[str, str]:
    """The field key, and the key of the item."""
    field_key = blake(number.to_bytes(4, "big") + mapping_key).hex()
    return field_key, f"dictionary-{blake(SEEDS[registry], field_key.encode()).hex()}"


def field_value(registry: str, field_key: str, content: bytes) -> bytes:
    own = cl_value(prefixed(content), LIST_OF_U8)
    return u8(0) + cl_value(own + prefixed(SEEDS[registry]) + prefixed(field_key.encode()), ANY_TYPE)


def feed(
    decimals: int = 2, unit: str = "$", source: str = "EIA", route: str = "a/b", description: str = "About"
) -> bytes:
    return u8(decimals) + b"".join(map(text, (unit, "Title", source, route, "daily", description)))


def attestation(
    period: int = 20260101, amount: int = 5846, timestamp: int = 1_790_000_000_000, source_hash: str = "00ff"
) -> bytes:
    return u64(period) + u512(amount) + text(source_hash) + u8(0) + ACCOUNT + u64(timestamp)


NO_NAMED_KEYS = u32(0)


def account(weights: list[int], deployment: int, key_management: int, named_keys: bytes = NO_NAMED_KEYS) -> bytes:
    keys = b"".join(bytes([number]) * 32 + u8(weight) for number, weight in enumerate(weights))
    end = b"\x32" * 32 + u8(7) + u32(len(weights)) + keys + u8(deployment) + u8(key_management)
    return u8(1) + ACCOUNT + named_keys + end


def prefix_of(keys: list[bytes], depth: int) -> bytes:
    shortest = min(keys)[depth:]
    longest = max(keys)[depth:]
    length = 0
    while length < min(len(shortest), len(longest)) and shortest[length] == longest[length]:
        length += 1
    return shortest[:length]


@dataclass
class Trie:
    """A trie with the elements from the root down to each key, and the steps of each proof."""

    entries: Entries
    root: bytes = b""
    elements: dict[bytes, list[bytes]] = field(default_factory=dict)
    steps: dict[bytes, list[bytes]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.elements = {key: [] for key in self.entries}
        self.steps = {key: [] for key in self.entries}
        self.root = self._node(list(self.entries), 0)[1]

    def _pointer(self, keys: list[bytes], depth: int) -> tuple[int, bytes]:
        if len(keys) == 1:
            element = u8(0) + keys[0] + self.entries[keys[0]]
            self.elements[keys[0]].insert(0, element)
            return 0, blake(element)
        affix = prefix_of(keys, depth)
        if not affix:
            return self._node(keys, depth)
        tag, hash_ = self._node(keys, depth + len(affix))
        element = u8(2) + prefixed(affix) + u8(tag) + hash_
        for key in keys:
            self.elements[key].insert(0, element)
            self.steps[key].append(u8(1) + prefixed(affix))
        return 1, blake(element)

    def _node(self, keys: list[bytes], depth: int) -> tuple[int, bytes]:
        slots: dict[int, list[bytes]] = {}
        for key in keys:
            slots.setdefault(key[depth], []).append(key)
        pointers = {index: self._pointer(slots[index], depth + 1) for index in sorted(slots)}
        element = u8(1) + b"".join(
            u8(1) + u8(pointers[index][0]) + pointers[index][1] if index in pointers else u8(0) for index in range(256)
        )
        for index, members in slots.items():
            others = [(other, pointer) for other, pointer in pointers.items() if other != index]
            listed = b"".join(u8(other) + u8(tag) + hash_ for other, (tag, hash_) in others)
            for key in members:
                self.elements[key].insert(0, element)
                self.steps[key].append(u8(0) + u8(index) + u32(len(others)) + listed)
        return 1, blake(element)

    def merkle_proof(self, key: bytes) -> str:
        steps = self.steps[key]
        return (u32(1) + key + self.entries[key] + u32(len(steps)) + b"".join(steps)).hex()

    def walk(self, key: bytes) -> list[str]:
        """The elements on the way to a key, as far as it goes."""
        shared = max(self.entries, key=lambda other: len(prefix_of([key, other], 0)))
        found: list[str] = []
        depth = 0
        for element in self.elements[shared]:
            found.append(element.hex())
            if element[0] == 1:
                if key[depth] != shared[depth]:
                    break
                depth += 1
            elif element[0] == 2:
                affix = element[5 : 5 + element[1]]
                if key[depth : depth + len(affix)] != affix:
                    break
                depth += len(affix)
        return found


def inner_json(stored: bytes, *, is_field: bool) -> Any:
    value = read_stored_value(Reader(stored))
    if is_field:
        inner = Reader(value.content)  # type: ignore[union-attr]
        return read_stored_value(Reader(u8(0) + cl_value(inner.blob(), LIST_OF_U8))).to_json()  # type: ignore[union-attr]
    return value.to_json()  # type: ignore[union-attr]


def signer(number: int) -> tuple[Ed25519PrivateKey, str]:
    private = Ed25519PrivateKey.from_private_bytes(bytes([number]) * 32)
    raw = private.public_key().public_bytes(Encoding.Raw, PublicFormat.Raw)
    return private, "01" + raw.hex()


VALIDATORS = [signer(number) for number in (1, 2, 3)]
WEIGHTS = [3, 3, 2]
ZEROS = "00" * 32


def header(root: bytes, height: int, era: int, previous: str | None, *, ends_era: bool) -> JsonObject:
    end = {
        "equivocators": [],
        "inactive_validators": [],
        "next_era_validator_weights": [
            {"validator": key, "weight": str(weight)} for (_, key), weight in zip(VALIDATORS, WEIGHTS, strict=True)
        ],
        "rewards": {},
        "next_era_gas_price": 1,
    }
    return {
        "parent_hash": ZEROS,
        "state_root_hash": root.hex(),
        "body_hash": ZEROS,
        "random_bit": False,
        "accumulated_seed": ZEROS,
        "era_end": end if ends_era else None,
        "timestamp": "2026-11-20T12:00:00.000Z",
        "era_id": era,
        "height": height,
        "protocol_version": "2.0.0",
        "proposer": VALIDATORS[0][1],
        "current_gas_price": 1,
        "last_switch_block_hash": previous,
    }


def header_hash(written: JsonObject) -> bytes:
    end = b"\x00"
    if written["era_end"] is not None:
        weights = written["era_end"]["next_era_validator_weights"]
        pairs = b"".join(bytes.fromhex(entry["validator"]) + u512(decimal(entry["weight"])) for entry in weights)
        end = u8(1) + u32(0) + u32(0) + u32(len(weights)) + pairs + u32(0) + u8(1)
    previous = written["last_switch_block_hash"]
    return blake(
        bytes.fromhex(written["parent_hash"] + written["state_root_hash"] + written["body_hash"]),
        u8(written["random_bit"]) + bytes.fromhex(written["accumulated_seed"]) + end,
        u64(1_795_176_000_000) + u64(written["era_id"]) + u64(written["height"]) + u32(2) + u32(0) + u32(0),
        bytes.fromhex(written["proposer"]) + u8(written["current_gas_price"]),
        u8(0) if previous is None else u8(1) + bytes.fromhex(previous),
    )


def block(written: JsonObject, signers: tuple[int, ...] = (0, 1)) -> JsonObject:
    hash_ = header_hash(written)
    message = hash_ + u64(written["height"]) + u64(written["era_id"]) + blake(CHAIN.encode())
    proofs = [
        {"public_key": VALIDATORS[place][1], "signature": "01" + VALIDATORS[place][0].sign(message).hex()}
        for place in signers
    ]
    return {"hash": hash_.hex(), "header": written, "proofs": proofs}


@dataclass
class World:
    """The entries of the state; `documents` of them are proven at one block."""

    values: list[bytes] = field(default_factory=lambda: [attestation(amount=1), attestation()])
    feed: bytes = field(default_factory=feed)
    claimant: bytes = u8(0) + ACCOUNT
    account: bytes = field(default_factory=lambda: account([1, 1, 1], 2, 3))
    replaced: Entries = field(default_factory=dict)
    count: int | None = None
    feed_id: str = FEED

    def places(self) -> dict[tuple[str, str], tuple[int, bytes, bytes]]:
        """The number, the mapping key and the content of each field."""
        count = len(self.values) if self.count is None else self.count
        found = {
            (FEEDS, f"feeds[{self.feed_id}]"): (2, text(self.feed_id), self.feed),
            (FEEDS, "count"): (4, b"", u64(1)),
            (FEEDS, "ids[0]"): (3, u64(0), text(self.feed_id)),
            (FEEDS, f"feed_attester[{self.feed_id}]"): (5, text(self.feed_id), self.claimant),
            (ATTESTATIONS, f"latest[{self.feed_id}]"): (2, text(self.feed_id), self.values[-1]),
            (ATTESTATIONS, f"count[{self.feed_id}]"): (4, text(self.feed_id), u64(count)),
        }
        for index, value in enumerate(self.values):
            found[ATTESTATIONS, f"history[{self.feed_id}#{index}]"] = (3, text(f"{self.feed_id}#{index}"), value)
        return found

    def build(self) -> Built:
        entries: Entries = {u8(0) + ACCOUNT: self.account}
        keys: dict[tuple[str, str], str] = {}
        for registry in (FEEDS, ATTESTATIONS):
            for name, hash_, stored in (
                ("package", PACKAGES[registry], package(registry)),
                ("contract", CONTRACTS[registry], contract(registry)),
            ):
                keys[registry, name] = f"hash-{hash_.hex()}"
                entries[u8(1) + hash_] = stored
        for (registry, name), (number, mapping_key, content) in self.places().items():
            field_key, key = field_place(registry, number, mapping_key)
            keys[registry, name] = key
            entries[key_bytes(key)] = field_value(registry, field_key, content)
        entries.update(self.replaced)
        return Built(Trie(entries), keys, self.feed_id)


@dataclass
class Built:
    """A world with its trie and blocks."""

    trie: Trie
    keys: dict[tuple[str, str], str]
    feed_id: str = FEED

    def __post_init__(self) -> None:
        first = block(header(self.trie.root, 9, 0, None, ends_era=True))
        second = block(header(self.trie.root, 19, 1, first["hash"], ends_era=True))
        self.switch_blocks = [first, second]
        self.block = block(header(self.trie.root, 21, 2, second["hash"], ends_era=False))
        self.trust = Trust(
            trusted_block_hash=first["hash"],
            chain_name=CHAIN,
            feed_registry_package_hash=PACKAGES[FEEDS].hex(),
            attestation_registry_package_hash=PACKAGES[ATTESTATIONS].hex(),
        )

    def item(self, registry: str, name: str) -> JsonObject:
        formatted = self.keys[registry, name]
        key = key_bytes(formatted)
        try:
            stored = inner_json(self.trie.entries[key], is_field=formatted.startswith("dictionary-"))
        except (ValueError, AttributeError):
            stored = None
        return {
            "registry": registry,
            "key": formatted,
            "stored_value": stored,
            "merkle_proof": self.trie.merkle_proof(key),
        }

    def common(self, *names: tuple[str, str]) -> JsonObject:
        return {
            "format": 2,
            "registries": self.trust.registries,
            "items": [self.item(*name) for name in names],
            "block": self.block,
            "switch_blocks": self.switch_blocks,
        }

    def reading(self, claimed: JsonObject, count: int = 2) -> JsonObject:
        names = [(FEEDS, "package"), (FEEDS, "contract"), (FEEDS, f"feeds[{self.feed_id}]")]
        names += [(ATTESTATIONS, "package"), (ATTESTATIONS, "contract")]
        names += [(ATTESTATIONS, f"latest[{self.feed_id}]"), (ATTESTATIONS, f"count[{self.feed_id}]")]
        return deepcopy({**self.common(*names), "reading": claimed, "count": count})

    def attester(self, stored_value: JsonObject | None = None) -> JsonObject:
        key = u8(0) + ACCOUNT
        record = {
            "key": f"account-hash-{ACCOUNT.hex()}",
            "merkle_proof": self.trie.merkle_proof(key),
            "stored_value": stored_value or inner_json(self.trie.entries[key], is_field=False),
        }
        return {"claimant": self.item(FEEDS, f"feed_attester[{FEED}]"), "account": record}

    def history(self, values: list[JsonObject]) -> JsonObject:
        names = [(ATTESTATIONS, "package"), (ATTESTATIONS, "contract"), (ATTESTATIONS, f"count[{FEED}]")]
        names += [(ATTESTATIONS, f"history[{FEED}#{index}]") for index in range(len(values))]
        return {**self.common(*names), "feed_id": FEED, "count": len(values), "values": values}

    def feeds(self) -> JsonObject:
        names = [(FEEDS, "package"), (FEEDS, "contract"), (FEEDS, "count"), (FEEDS, "ids[0]")]
        return {**self.common(*names), "feed_ids": [FEED], "feed_count": 1}

    def absence(self, feed_id: str, evidence: JsonObject | None = None) -> JsonObject:
        _, key = field_place(FEEDS, 2, text(feed_id))
        shown = evidence or {"trie_elements": self.trie.walk(key_bytes(key))}
        common = self.common((FEEDS, "package"), (FEEDS, "contract"))
        return {"absence": {**common, "feed_id": feed_id, "absent": "feed", "evidence": shown}}


def reading_of(decimals: int = 2, value: float = 58.46, amount: int = 5846, period: float = 20260101) -> JsonObject:
    return {
        "feed_id": FEED,
        "decimals": decimals,
        "unit": "$",
        "title": "Title",
        "source": "EIA",
        "route": "a/b",
        "frequency": "daily",
        "description": "About",
        "value": value,
        "amount": str(amount),
        "period": period,
        "source_hash": "00ff",
        "updated_at": 1_790_000_000_000,
    }


def item_of(amount: int) -> JsonObject:
    address = f"account-hash-{ACCOUNT.hex()}"
    when = {"period": 20260101, "timestamp": 1_790_000_000_000}
    return {**when, "amount": str(amount), "source_hash": "00ff", "attester": address}


def written(document: JsonObject) -> str:
    return json.dumps(document)
