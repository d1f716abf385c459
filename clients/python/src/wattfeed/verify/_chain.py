"""The chain of links that all documents share: from the caller's request to the items at one state root."""

from __future__ import annotations

import time
from contextlib import contextmanager
from typing import TYPE_CHECKING, TypeVar

from ._blocks import Block, read_block, weigh
from ._bytes import MalformedError, Reader, blake, exactly
from ._facts import Check, RefutedError, Request, Trust
from ._keys import key_bytes
from ._stored import CLValue, Contract, ContractPackage, StoredValue, Unused, includes, read_cl_value
from ._trie import absence_by_elements, absence_by_proof, prove

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from ._documents import AccountDocument, BlockDocument, Common, Evidence, Item

T = TypeVar("T")

_MOST_AHEAD_MS = 60_000


class Detail:
    """The text of a link that holds."""

    text = ""


def require(holds: object, reason: str) -> None:
    """Breaks the link if something does not hold."""
    if not holds:
        raise MalformedError(reason)


class Items:
    """Items of a document, used one after another."""

    def __init__(self, items: Sequence[Item]) -> None:
        """Starts at the first item."""
        self._items = items
        self._used = 0

    def next(self) -> Item:
        """Takes the next item."""
        require(self._used < len(self._items), "an item is missing")
        self._used += 1
        return self._items[self._used - 1]

    def require_all_used(self) -> None:
        """Refuses items that are left."""
        require(self._used == len(self._items), f"{len(self._items) - self._used} items are left")


class Chain:
    """Checks links in their order, and remembers those that hold."""

    def __init__(self, trust: Trust) -> None:
        """Starts without any check."""
        self.checks: list[Check] = []
        self.trust = trust
        self.state_root = b""

    @contextmanager
    def link(self, name: str) -> Iterator[Detail]:
        """Checks a link; any failure inside of it breaks it."""
        detail = Detail()
        try:
            yield detail
        except ValueError as error:
            raise RefutedError(name, str(error), self.checks) from error
        self.checks.append(Check(name, detail.text))

    def check_block(self, common: Common, request: Request, requested: tuple[bool, str]) -> Block:
        """Checks the links from `registries` to `age`, and gives the document's block."""
        with self.link("registries") as detail:
            for name, expected in self.trust.registries.items():
                found = common.registries[name]
                require(found == expected, f"{name} is {found!r}, not {expected!r}")
            detail.text = self.trust.chain_name
        if not request.is_empty:
            with self.link("what was asked for") as detail:
                is_requested, detail.text = requested
                require(is_requested, f"the document is of {detail.text}")
        last = self._check_switch_blocks(common.switch_blocks)
        with self.link("block") as detail:
            block = read_block(common.block)
            detail.text = f"{common.block.hash}, state root {block.state_root.hex()}"
        with self.link(f"finality signatures of block {block.height}") as detail:
            self._require_follows(block, last, detail)
        with self.link("age") as detail:
            self._require_age(block, detail)
        self.state_root = block.state_root
        return block

    def _check_switch_blocks(self, documents: list[BlockDocument]) -> Block:
        trusted = self.trust.trusted_block_hash
        with self.link("trusted block") as detail:
            places = [place for place, document in enumerate(documents) if document.hash == trusted]
            require(
                places,
                f"no switch block has the trusted hash; fetch the proof with ?from={trusted}, or export the data set"
                " with VERIFY=full and this TRUSTED_BLOCK_HASH",
            )
            last = read_block(documents[places[0]])
            require(last.next_weights is not None, "the trusted block does not end an era")
            detail.text = f"{trusted}, which ends era {last.era}"
        for document in documents[places[0] + 1 :]:
            with self.link(f"switch block of era {last.era + 1}") as detail:
                block = read_block(document)
                require(block.next_weights is not None, "the block does not end its era")
                self._require_follows(block, last, detail)
                detail.text = f"{document.hash}, {detail.text}"
                last = block
        return last

    def _require_follows(self, block: Block, last: Block, detail: Detail) -> None:
        require(block.previous_switch_block == last.hash, "the block does not follow the last switch block")
        require(block.era == last.era + 1, f"the block is of era {block.era}, not {last.era + 1}")
        weight = weigh(block, last.next_weights or {}, self.trust.chain_name)
        detail.text = f"signed by {weight.signed} of {weight.total} motes"
        require(weight.is_final, f"only {detail.text}")

    def _require_age(self, block: Block, detail: Detail) -> None:
        now = time.time() * 1000 if self.trust.now_ms is None else self.trust.now_ms
        age, limit = now - block.timestamp_ms, self.trust.max_age_ms
        detail.text = f"{age:.0f} ms"
        if limit is not None:
            require(age <= limit, f"{detail.text}, more than {limit:.0f}")
            require(age >= -_MOST_AHEAD_MS, f"{detail.text}, so the block is ahead of the clock")

    def _prove_item(self, items: Items, registry: str, key: str) -> tuple[Item, StoredValue]:
        item = items.next()
        require(item.registry == registry, f"the next item is of {item.registry!r}")
        require(item.key == key, f"the next item is {item.key!r}, not {key!r}")
        return item, prove(item.merkle_proof, key_bytes(key), self.state_root)

    def check_contract(self, items: Items, registry: str, package_hash: str) -> Registry:
        """Checks the links of a package, its version and its contract."""

        def prove_next(key: str) -> StoredValue:
            item, stored = self._prove_item(items, registry, key)
            require_included(item.stored_value, stored)
            return stored

        return self.read_contract(prove_next, registry, package_hash)

    def read_contract(self, read: Callable[[str], StoredValue], registry: str, package_hash: str) -> Registry:
        """Checks the same links, with values that `read` proves."""
        with self.link(f"{registry} package") as detail:
            detail.text = f"hash-{package_hash}"
            package = read(detail.text)
        with self.link(f"{registry} version") as detail:
            if not isinstance(package, ContractPackage):
                raise MalformedError("the value is not a package")
            contract_hash = package.newest_contract().hex()
            detail.text = f"hash-{contract_hash}"
        with self.link(f"{registry} contract") as detail:
            detail.text = f"hash-{contract_hash}"
            contract = read(detail.text)
        return Registry(self, registry, contract)

    def prove_account(self, document: AccountDocument) -> StoredValue:
        """Proves the record of an account."""
        account = prove(document.merkle_proof, key_bytes(document.key), self.state_root)
        require_included(document.stored_value, account)
        return account


class Registry:
    """A registry whose contract is proven: reads its fields."""

    def __init__(self, chain: Chain, name: str, contract: StoredValue) -> None:
        """Reads the fields of this contract."""
        self._chain = chain
        self._name = name
        self._contract = contract

    def named_uref(self, name: str) -> bytes:
        """Gives the address of a URef that the contract has by this name."""
        if not isinstance(self._contract, Contract):
            raise MalformedError("the value of the contract is not a contract")
        key = self._contract.named_keys.get(name, "")
        require(key.startswith("uref-"), f"the contract has no URef named {name}")
        return bytes.fromhex(key.split("-")[1])

    def has_named(self, name: str) -> bool:
        """Whether the contract has a key by this name."""
        return isinstance(self._contract, Contract) and name in self._contract.named_keys

    def address(self, number: int, mapping_key: bytes) -> tuple[bytes, str, str]:
        """Gives the seed, the field key and the key of a field's item."""
        seed = self.named_uref("state")
        field_key = blake(number.to_bytes(4, "big"), mapping_key).hex()
        return seed, field_key, item_key(seed, field_key)

    def field(self, items: Items, name: str, number: int, read: Callable[[Reader], T], mapping_key: bytes = b"") -> T:
        """Checks the link of a field, and gives its value."""
        with self._chain.link(f"{self._name} {name}") as detail:
            seed, field_key, key = self.address(number, mapping_key)
            detail.text = key
            item, stored = self._chain._prove_item(items, self._name, key)  # noqa: SLF001
            value = read_dictionary_item(stored, seed, field_key)
            require_included(item.stored_value, value)
            return exactly(exactly(value.content, Reader.blob), read)

    def absent_field(self, evidence: Evidence, name: str, number: int, mapping_key: bytes) -> None:
        """Checks the link of a field that is absent."""
        with self._chain.link(f"{self._name} {name} is absent") as detail:
            _, _, detail.text = self.address(number, mapping_key)
            key, state_root = key_bytes(detail.text), self._chain.state_root
            if evidence.merkle_proof is not None:
                verdict = absence_by_proof(evidence.merkle_proof, key, state_root)
            else:
                verdict = absence_by_elements(evidence.trie_elements or [], key, state_root)
            require(verdict == "absent", f"the evidence shows: {verdict}")


def item_key(seed: bytes, name: str) -> str:
    """Gives the key of a dictionary's item."""
    return f"dictionary-{blake(seed, name.encode()).hex()}"


def read_dictionary_item(stored: StoredValue, seed: bytes, name: str) -> CLValue:
    """Reads the own value of a dictionary's item, which must have this seed and this name."""

    def read(reader: Reader) -> CLValue:
        value = read_cl_value(reader)
        require(reader.blob() == seed, "the item is of another dictionary")
        require(reader.blob() == name.encode(), "the item is of another field")
        return value

    if not isinstance(stored, CLValue) or stored.cl_type != "Any":
        raise MalformedError("the value is not one of a dictionary")
    return exactly(stored.content, read)


def require_included(claimed: object, proven: StoredValue) -> None:
    """Refuses JSON that does not include the proven value."""
    if isinstance(proven, Unused):
        raise MalformedError(f"no link proves a stored value with the tag {proven.tag}")
    require(includes(claimed, proven.to_json()), "stored_value is not the proven value")
