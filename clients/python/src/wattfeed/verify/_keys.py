"""Keys of Casper's global state: their bytes, and the format in which a node writes them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ._bytes import MalformedError, Reader, exactly, from_hex, u8

if TYPE_CHECKING:
    from collections.abc import Callable

_KINDS_WITH_SEVERAL_LENGTHS = (15, 18, 19, 23)

_BY_HASH = {
    0: "account-hash-",
    1: "hash-",
    3: "transfer-",
    4: "deploy-",
    6: "balance-",
    7: "bid-",
    8: "withdraw-",
    9: "dictionary-",
    10: "system-entity-registry-",
    11: "era-summary-",
    12: "unbond-",
    13: "chainspec-registry-",
    14: "checksum-registry-",
    16: "package-",
    25: "rewards-handling-",
}
_BID_LENGTHS = {0: 32, 1: 32, 2: 64, 3: 64, 4: 40, 5: 64, 6: 64, 7: 64, 8: 64, 9: 32}
_ENTITIES = ("entity-system-", "entity-account-", "entity-contract-")
_BYTE_CODES = ("byte-code-empty-", "byte-code-v1-wasm-", "byte-code-v2-wasm-")
_BLOCK_VALUES = (
    "block-time-",
    "block-message-count-",
    "block-protocol-version-",
    "block-addressable-entity-",
)


def read_uref(reader: Reader) -> str:
    """Reads a URef and gives the format of a node."""
    address = reader.hash().hex()
    return f"uref-{address}-{reader.u8(7):03o}"


def _entity(reader: Reader) -> str:
    kind = reader.u8(2)
    return _ENTITIES[kind] + reader.hash().hex()


def _bid(reader: Reader) -> str:
    kind = reader.u8(9)
    return f"bid-addr-{kind:02x}{reader.take(_BID_LENGTHS[kind]).hex()}"


def _byte_code(reader: Reader) -> str:
    kind = reader.u8(2)
    return _BYTE_CODES[kind] + (reader.hash() if kind else bytes(32)).hex()


def _message(reader: Reader) -> str:
    place = f"{_entity(reader)}-{reader.hash().hex()}"
    return f"message-{place}-{reader.u32():x}" if reader.u8(1) else f"message-topic-{place}"


def _named_key(reader: Reader) -> str:
    return f"named-key-{_entity(reader)}-{reader.hash().hex()}"


def _block_value(reader: Reader) -> str:
    kind = reader.u8(3)
    return _BLOCK_VALUES[kind] + reader.take(31).hex()


def _hold(reader: Reader) -> str:
    kind = reader.u8(1)
    return f"balance-hold-{kind:02x}{reader.take(40).hex()}"


def _entry_point(reader: Reader) -> str:
    reader.u8(0)
    return f"entry-point-v1-{_entity(reader)}-{reader.hash().hex()}"


_READERS: dict[int, Callable[[Reader], str]] = {
    2: read_uref,
    5: lambda reader: f"era-{reader.u64()}",
    15: _bid,
    17: _entity,
    18: _byte_code,
    19: _message,
    20: _named_key,
    21: _block_value,
    22: _hold,
    23: _entry_point,
    24: lambda reader: f"state-{_entity(reader)}",
}


def read_key(reader: Reader) -> str:
    r"""Reads a key and gives the format of a node.

    >>> read_key(Reader(b"\x01" + bytes(32)))
    'hash-0000000000000000000000000000000000000000000000000000000000000000'
    """
    tag = reader.u8()
    if tag in _BY_HASH:
        return _BY_HASH[tag] + reader.hash().hex()
    read = _READERS.get(tag)
    if read is None:
        raise MalformedError(f"no key has the tag {tag}")
    return read(reader)


def has_several_lengths(key: bytes) -> bool:
    """Whether keys of this kind have several lengths."""
    return key[0] in _KINDS_WITH_SEVERAL_LENGTHS


def key_bytes(formatted: str) -> bytes:
    """Serializes a key of the kinds that a verifier derives: account, contract or package, dictionary item.

    >>> key_bytes("dictionary-" + "00" * 32)[0]
    9
    """
    for tag in (0, 1, 9):
        prefix = _BY_HASH[tag]
        if formatted.startswith(prefix):
            key = u8(tag) + from_hex(formatted.removeprefix(prefix))
            if exactly(key, read_key) == formatted:
                return key
    raise MalformedError(f"not the key of an account, a contract or a dictionary item: {formatted}")
