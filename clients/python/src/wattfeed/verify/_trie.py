"""Casper's Merkle trie: proofs of values, and evidence that a key is absent."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING, Literal, TypeAlias

from ._bytes import MalformedError, Reader, blake, exactly, from_hex, prefixed, u8, u64
from ._keys import has_several_lengths, read_key
from ._stored import StoredValue, account_of_unknown_keys, read_stored_value

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

EvidenceVerdict: TypeAlias = Literal["absent", "present", "not shown"]

_MAX_PROOF_BYTES = 256 * 1024
_MAX_ELEMENTS_BYTES = 16 * 2**20
_CHUNK_BYTES = 8 * 2**20
_MAX_DIVISIONS = 16
_LEAF, _NODE, _EXTENSION = 0, 1, 2
_TO_LEAF, _TO_NODE = 0, 1


@dataclass(frozen=True)
class Pointer:
    """A pointer to an element of the trie: its tag and its hash."""

    tag: int
    hash: bytes

    def serialized(self) -> bytes:
        """Serializes the pointer."""
        return u8(self.tag) + self.hash


@dataclass(frozen=True)
class Node:
    """A step through a node of the trie; the hole is where the way goes on."""

    hole: int
    pointers: dict[int, Pointer]

    def consumed(self) -> bytes:
        """Gives the bytes of the key that this step follows."""
        return u8(self.hole)

    def element(self, pointer: Pointer) -> bytes:
        """Serializes the element, whose hole has the pointer."""
        slots = {**self.pointers, self.hole: pointer}
        return u8(_NODE) + b"".join(
            u8(1) + slots[index].serialized() if index in slots else u8(0) for index in range(256)
        )


@dataclass(frozen=True)
class Extension:
    """A step through an extension of the trie."""

    affix: bytes

    def consumed(self) -> bytes:
        """Gives the bytes of the key that this step follows."""
        return self.affix

    def element(self, pointer: Pointer) -> bytes:
        """Serializes the element, which leads to the pointer."""
        return u8(_EXTENSION) + prefixed(self.affix) + pointer.serialized()


Step: TypeAlias = "Node | Extension"


@dataclass(frozen=True)
class MerkleProof:
    """A proof of one value, with its steps from the leaf up to the root."""

    key: bytes
    value: StoredValue | None
    """None if a part of it has an unknown kind, unless it is an account."""
    leaf: bytes
    steps: list[Step]

    def root(self) -> bytes:
        """Computes the hash of the root."""
        pointer = Pointer(_TO_LEAF, blake(self.leaf))
        for step in self.steps:
            pointer = Pointer(_TO_NODE, blake(step.element(pointer)))
        return pointer.hash

    def check(self, state_root: bytes) -> None:
        """Refuses a proof that does not prove its value for its own key at this state root."""
        way = b"".join(step.consumed() for step in reversed(self.steps))
        if not self.key.startswith(way):
            raise MalformedError("the steps do not follow the key")
        if self.root() != state_root:
            raise MalformedError("the proof leads to another state root")


def _read_slot(reader: Reader) -> tuple[int, Pointer]:
    index = reader.u8()
    return index, Pointer(reader.u8(1), reader.hash())


def _read_step(reader: Reader) -> Step:
    if reader.u8(1) == 1:
        affix = reader.blob()
        if not affix:
            raise MalformedError("an affix is empty")
        return Extension(affix)
    hole = reader.u8()
    slots = reader.items(lambda: _read_slot(reader))
    indices = [index for index, _ in slots]
    if indices != sorted(set(indices)) or hole in indices:
        raise MalformedError("the pointers of a node are out of order, or one is in the hole")
    return Node(hole, dict(slots))


def _read_merkle_proof(reader: Reader, state_root: bytes) -> MerkleProof:
    if reader.u32() != 1:
        raise MalformedError("not one Merkle proof")
    start = reader.offset
    read_key(reader)
    key = reader.between(start)
    value_start = reader.offset
    try:
        value = read_stored_value(reader)
        leaf = u8(_LEAF) + reader.between(start)
        steps = _read_steps(reader, key)
        reader.end()
    except MalformedError as error:
        return _find_division(reader.rest(value_start), key, state_root, error)
    return MerkleProof(key, value, leaf, steps)


def _read_steps(reader: Reader, key: bytes) -> list[Step]:
    count = reader.u32()
    if not 1 <= count <= len(key):
        raise MalformedError(f"{count} steps, but the key has {len(key)} bytes")
    return [_read_step(reader) for _ in range(count)]


def _find_division(content: bytes, key: bytes, state_root: bytes, error: MalformedError) -> MerkleProof:
    """Finds where a value ends that has a part of an unknown kind: only its true end leads to the state root."""
    for proof in islice(_divide(content, key), _MAX_DIVISIONS):
        try:
            proof.check(state_root)
        except MalformedError:
            continue
        return proof
    raise error


def _divide(content: bytes, key: bytes) -> Iterator[MerkleProof]:
    for end in range(1, len(content) - 4):
        # Most divisions end here, so a count is compared before a reader is made.
        if content[end + 1 : end + 4] != bytes(3) or not 1 <= content[end] <= len(key):
            continue
        try:
            steps = exactly(content[end:], lambda reader: _read_steps(reader, key))
        except MalformedError:
            continue
        value = content[:end]
        yield MerkleProof(key, account_of_unknown_keys(value), u8(_LEAF) + key + value, steps)


def parse_merkle_proof(digits: str, state_root: bytes) -> MerkleProof:
    """Reads a Merkle proof from hex. Of a value of known kinds, it does not check what the proof proves."""
    if len(digits) > 2 * _MAX_PROOF_BYTES:
        raise MalformedError(f"a Merkle proof has more than {_MAX_PROOF_BYTES} bytes")
    return exactly(from_hex(digits), lambda reader: _read_merkle_proof(reader, state_root))


def prove(digits: str, key: bytes, state_root: bytes) -> StoredValue:
    """Gives the value that a Merkle proof proves for the key at this state root."""
    proof = parse_merkle_proof(digits, state_root)
    if proof.key != key:
        raise MalformedError("the proof is of another key")
    proof.check(state_root)
    if proof.value is None:
        raise MalformedError("a part of the value has an unknown kind")
    return proof.value


def absence_by_proof(digits: str, key: bytes, state_root: bytes) -> EvidenceVerdict:
    """Says what the Merkle proof of any key shows about this key."""
    if has_several_lengths(key):
        return "not shown"
    proof = parse_merkle_proof(digits, state_root)
    proof.check(state_root)
    if proof.key == key:
        return "present"
    depth = 0
    for step in reversed(proof.steps):
        if isinstance(step, Extension):
            if not key.startswith(step.affix, depth):
                return "absent"
            depth += len(step.affix)
            continue
        index = key[depth]
        depth += 1
        if index != step.hole:
            return "not shown" if index in step.pointers else "absent"
    return "absent"


def element_hash(element: bytes) -> bytes:
    """Hashes an element. A long one is cut into chunks, which form a Merkle tree."""
    if len(element) <= _CHUNK_BYTES:
        return blake(element)
    hashes = [blake(element[at : at + _CHUNK_BYTES]) for at in range(0, len(element), _CHUNK_BYTES)]
    count = len(hashes)
    while len(hashes) > 1:
        pairs = [hashes[at : at + 2] for at in range(0, len(hashes), 2)]
        hashes = [blake(*pair) if len(pair) == 2 else pair[0] for pair in pairs]
    return blake(bytes(_CHUNK_BYTES), u64(count), hashes[0])


def _read_pointer(reader: Reader) -> Pointer:
    return Pointer(reader.u8(1), reader.hash())


def _read_element(element: bytes) -> bytes | dict[int, Pointer] | tuple[bytes, Pointer]:
    """Reads what a leaf holds, the slots of a node, or the affix and the pointer of an extension."""
    reader = Reader(element)
    tag = reader.u8(2)
    if tag == _LEAF:
        return element[1:]
    if tag == _NODE:
        slots = {index: _read_pointer(reader) for index in range(256) if reader.u8(1)}
        reader.end()
        return slots
    affix = reader.blob()
    pointer = _read_pointer(reader)
    reader.end()
    return affix, pointer


def _leaf_verdict(content: bytes, key: bytes, depth: int) -> EvidenceVerdict:
    if len(content) < len(key) or content[:depth] != key[:depth]:
        raise MalformedError("the leaf does not belong on the way to the key")
    return "present" if content.startswith(key) else "absent"


def walk(take: Callable[[bytes], bytes], key: bytes, state_root: bytes) -> bytes | None:
    """Gives what the leaf of a key holds after the key, or None if the key is absent.

    `take` gives the element with a hash.
    """
    pointer = Pointer(_TO_NODE, state_root)
    depth = 0
    while True:
        content = _read_element(take(pointer.hash))
        if isinstance(content, bytes) != (pointer.tag == _TO_LEAF):
            raise MalformedError("an element is of another kind than its pointer says")
        if isinstance(content, bytes):
            return content[len(key) :] if _leaf_verdict(content, key, depth) == "present" else None
        if depth >= len(key):
            raise MalformedError("the way is longer than the key")
        if isinstance(content, dict):
            slot = content.get(key[depth])
            if slot is None:
                return None
            pointer, depth = slot, depth + 1
            continue
        affix, following = content
        if not affix:
            raise MalformedError("an affix is empty")
        if not key.startswith(affix, depth):
            return None
        pointer, depth = following, depth + len(affix)


def absence_by_elements(elements: Sequence[str], key: bytes, state_root: bytes) -> EvidenceVerdict:
    """Says what the elements of the trie, from the state root down, show about this key."""
    if has_several_lengths(key):
        return "not shown"
    if len(elements) > len(key) + 1 or sum(map(len, elements)) > 2 * _MAX_ELEMENTS_BYTES:
        raise MalformedError("too many elements")
    rest = iter(elements)

    def take(wanted: bytes) -> bytes:
        digits = next(rest, None)
        if digits is None:
            raise MalformedError("the last element is missing")
        element = from_hex(digits)
        if element_hash(element) != wanted:
            raise MalformedError("an element has another hash")
        return element

    content = walk(take, key, state_root)
    if next(rest, None) is not None:
        raise MalformedError("elements follow the last one")
    return "absent" if content is None else "present"
