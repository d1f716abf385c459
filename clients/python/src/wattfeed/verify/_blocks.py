"""Blocks: the hash of a header, the validators of the next era, and finality signatures."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import datetime, timedelta, timezone
from typing import TYPE_CHECKING, TypeVar

from ._bytes import MalformedError, blake, hash_from_hex, u8, u32, u64, u512
from ._json import as_integer, as_list, as_object, as_text
from ._signatures import is_valid, public_key

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from ._documents import BlockDocument

T = TypeVar("T")

_MAX_ENTRIES = 1000
_MAX_REWARDS = 4
_MAX_PROOFS_OF_VALIDATOR = 2
_U512_LIMIT = 2**512
_EPOCH = datetime(1970, 1, 1, tzinfo=timezone.utc)

_TIMESTAMP = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z\Z", re.ASCII)
_VERSION = re.compile(r"(?:(?:0|[1-9]\d{0,8})(?:\.(?!\Z)|\Z)){3}\Z", re.ASCII)
_DECIMAL = re.compile(r"(?:0|[1-9]\d{0,154})\Z", re.ASCII)


@dataclass(frozen=True)
class Signature:
    """An entry of the list of finality signatures."""

    public_key: str
    signature: object


@dataclass(frozen=True)
class Block:
    """A block with a well-formed header, whose hash is right."""

    hash: bytes
    state_root: bytes
    era: int
    height: int
    timestamp_ms: int
    is_version_1: bool
    previous_switch_block: bytes | None
    next_weights: dict[str, int] | None
    signatures: list[Signature]


@dataclass(frozen=True)
class Weight:
    """The signed and the total weight of the validators, in motes."""

    signed: int
    total: int

    @property
    def is_final(self) -> bool:
        """Whether more than two thirds signed."""
        return 3 * self.signed > 2 * self.total


def read_block(document: BlockDocument) -> Block:
    """Reads a block, and refuses it if its hash is not that of its header."""
    header = document.header
    version = header.get("protocol_version")
    is_version_1 = isinstance(version, str) and version.startswith("1.")
    end, weights = _era_end(header.get("era_end"), is_version_1=is_version_1)
    timestamp = _timestamp(header.get("timestamp"))
    era = as_integer(header.get("era_id"), "era_id", 0)
    height = as_integer(header.get("height"), "height", 0)
    state_root = hash_from_hex(header.get("state_root_hash"))
    previous = None if is_version_1 else _optional_hash(header.get("last_switch_block_hash"))
    parts = [
        hash_from_hex(header.get("parent_hash")),
        state_root,
        hash_from_hex(header.get("body_hash")),
        u8(_boolean(header.get("random_bit"))),
        hash_from_hex(header.get("accumulated_seed")),
        end,
        u64(timestamp),
        u64(era),
        u64(height),
        _version(version),
    ]
    if not is_version_1:
        parts += [
            _key(header.get("proposer")),
            u8(as_integer(header.get("current_gas_price"), "current_gas_price", 0, 255)),
            u8(0) if previous is None else u8(1) + previous,
        ]
    hash_ = hash_from_hex(document.hash)
    if blake(*parts) != hash_:
        raise MalformedError("the hash is not that of the header")
    signatures = _entries(document.proofs, "proofs", _signature)
    return Block(hash_, state_root, era, height, timestamp, is_version_1, previous, weights, signatures)


def weigh(block: Block, weights: dict[str, int], chain_name: str) -> Weight:
    """Adds up the weight of the validators with a valid signature, until the block is final."""
    message = block.hash + u64(block.era)
    if not block.is_version_1:
        message = block.hash + u64(block.height) + u64(block.era) + blake(chain_name.encode())
    considered = dict.fromkeys(weights, 0)
    signers: set[str] = set()
    weight = Weight(0, sum(weights.values()))
    for entry in block.signatures:
        key = entry.public_key
        if key not in weights or considered[key] == _MAX_PROOFS_OF_VALIDATOR or weight.is_final:
            continue
        considered[key] += 1
        if key not in signers and is_valid(key, entry.signature, message):
            signers.add(key)
            weight = Weight(weight.signed + weights[key], weight.total)
    return weight


def _entries(value: object, what: str, read: Callable[[object], T], most: int = _MAX_ENTRIES) -> list[T]:
    entries = as_list(value, what)
    if len(entries) > most:
        raise MalformedError(f"{what} has more than {most} entries")
    return [read(entry) for entry in entries]


def _serialized(parts: Iterable[bytes]) -> bytes:
    serialized = list(parts)
    return u32(len(serialized)) + b"".join(serialized)


def _signature(value: object) -> Signature:
    entry = as_object(value, "a finality signature")
    return Signature(public_key(entry.get("public_key")), entry.get("signature"))


def _key(value: object) -> bytes:
    return bytes.fromhex(public_key(value))


def _boolean(value: object) -> bool:
    if not isinstance(value, bool):
        raise MalformedError("random_bit is not a boolean")
    return value


def _optional_hash(value: object) -> bytes | None:
    return None if value is None else hash_from_hex(value)


def _timestamp(value: object) -> int:
    written = as_text(value, "timestamp")
    if _TIMESTAMP.match(written) is None:
        raise MalformedError(f"not a time in UTC with milliseconds: {written}")
    try:
        # Before Python 3.11, `fromisoformat` does not know the letter Z.
        time = datetime.fromisoformat(f"{written[:-1]}+00:00")
    except ValueError as error:
        raise MalformedError(f"no such time: {written}") from error
    if time < _EPOCH:
        raise MalformedError(f"before 1970: {written}")
    return (time - _EPOCH) // timedelta(milliseconds=1)


def _version(value: object) -> bytes:
    written = as_text(value, "protocol_version")
    if _VERSION.match(written) is None:
        raise MalformedError(f"not a protocol version: {written}")
    return b"".join(u32(int(number)) for number in written.split("."))


def decimal(value: object) -> int:
    """Reads an amount of motes: a decimal text below 2^512.

    >>> decimal("120")
    120
    """
    written = as_text(value, "an amount")
    if _DECIMAL.match(written) is None or int(written) >= _U512_LIMIT:
        raise MalformedError("not a decimal text below 2^512")
    return int(written)


def _weight(value: object) -> tuple[str, int]:
    entry = as_object(value, "a weight")
    return public_key(entry.get("validator")), decimal(entry.get("weight"))


def _amount(value: object) -> bytes:
    return u512(decimal(value))


def _amounts(value: object) -> bytes:
    return _serialized(_entries(value, "the amounts of a reward", _amount, _MAX_REWARDS))


def _rewards(value: object) -> bytes:
    rewards = as_object(value, "rewards")
    if len(rewards) > _MAX_ENTRIES:
        raise MalformedError(f"rewards has more than {_MAX_ENTRIES} entries")
    return _serialized(_key(validator) + _amounts(amounts) for validator, amounts in rewards.items())


def _old_reward(value: object) -> bytes:
    entry = as_object(value, "a reward")
    return _key(entry.get("validator")) + u64(as_integer(entry.get("amount"), "amount", 0))


def _era_end(value: object, *, is_version_1: bool) -> tuple[bytes, dict[str, int] | None]:
    if value is None:
        return u8(0), None
    end = as_object(value, "era_end")
    weights = _entries(end.get("next_era_validator_weights"), "next_era_validator_weights", _weight)
    weights_bytes = _serialized(bytes.fromhex(validator) + u512(weight) for validator, weight in weights)
    if is_version_1:
        report = as_object(end.get("era_report"), "era_report")
        parts = [
            _serialized(_entries(report.get("equivocators"), "equivocators", _key)),
            _serialized(_entries(report.get("rewards"), "rewards", _old_reward)),
            _serialized(_entries(report.get("inactive_validators"), "inactive_validators", _key)),
            weights_bytes,
        ]
    else:
        parts = [
            _serialized(_entries(end.get("equivocators"), "equivocators", _key)),
            _serialized(_entries(end.get("inactive_validators"), "inactive_validators", _key)),
            weights_bytes,
            _rewards(end.get("rewards")),
            u8(as_integer(end.get("next_era_gas_price"), "next_era_gas_price", 0, 255)),
        ]
    return u8(1) + b"".join(parts), dict(weights)
