"""Casper's serialization (`bytesrepr`), hex and BLAKE2b."""

from __future__ import annotations

import re
from hashlib import blake2b
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable

T = TypeVar("T")
K = TypeVar("K")

_HEX = re.compile(r"(?:[0-9a-fA-F]{2})*\Z")
_LOWER_HASH = re.compile(r"[0-9a-f]{64}\Z")


class MalformedError(ValueError):
    """Bytes or JSON that do not have the form that the specification defines."""


def blake(*parts: bytes) -> bytes:
    """Hashes the parts, one after another, with BLAKE2b to 32 bytes.

    >>> blake(b"").hex()[:16]
    '0e5751c026e543b2'
    """
    state = blake2b(digest_size=32)
    for part in parts:
        state.update(part)
    return state.digest()


def from_hex(text: str) -> bytes:
    r"""Reads hex digits of either case, without whitespace.

    >>> from_hex("00Ff")
    b'\x00\xff'
    """
    if _HEX.match(text) is None:
        raise MalformedError("not hex digits")
    return bytes.fromhex(text)


def hash_from_hex(value: object) -> bytes:
    """Reads a hash: 64 lower-case hex digits."""
    if not isinstance(value, str) or _LOWER_HASH.match(value) is None:
        raise MalformedError("not a hash of 64 lower-case hex digits")
    return bytes.fromhex(value)


def u8(value: int) -> bytes:
    """Serializes a `u8`."""
    return value.to_bytes(1, "little")


def u32(value: int) -> bytes:
    """Serializes a `u32`."""
    return value.to_bytes(4, "little")


def u64(value: int) -> bytes:
    """Serializes a `u64`."""
    return value.to_bytes(8, "little")


def u512(value: int) -> bytes:
    r"""Serializes a `U512`.

    >>> u512(0), u512(256)
    (b'\x00', b'\x02\x00\x01')
    """
    digits = value.to_bytes((value.bit_length() + 7) // 8, "little")
    return u8(len(digits)) + digits


def prefixed(content: bytes) -> bytes:
    """Serializes `bytes`: a length, then the content."""
    return u32(len(content)) + content


def text(value: str) -> bytes:
    """Serializes a `string`."""
    return prefixed(value.encode())


class Reader:
    r"""Reads serialized values, one after another.

    >>> reader = Reader(b"\x02\x00\x00\x00hi")
    >>> reader.text(), reader.at_end
    ('hi', True)
    """

    def __init__(self, content: bytes) -> None:
        """Starts at the first byte."""
        self._content = content
        self.offset = 0

    @property
    def at_end(self) -> bool:
        """Whether all bytes were read."""
        return self.offset == len(self._content)

    def take(self, length: int) -> bytes:
        """Reads that many bytes."""
        end = self.offset + length
        if end > len(self._content):
            raise MalformedError(f"cut short at byte {self.offset}")
        taken = self._content[self.offset : end]
        self.offset = end
        return taken

    def between(self, start: int) -> bytes:
        """Gives the bytes from `start` to the place that was reached."""
        return self._content[start : self.offset]

    def rest(self, start: int) -> bytes:
        """Reads the bytes from `start` to the end."""
        self.offset = len(self._content)
        return self._content[start:]

    def end(self) -> None:
        """Refuses bytes after the last value."""
        if not self.at_end:
            raise MalformedError(f"{len(self._content) - self.offset} bytes too many")

    def u8(self, highest: int = 255) -> int:
        """Reads a `u8` of at most `highest`."""
        value = self.take(1)[0]
        if value > highest:
            raise MalformedError(f"byte {value} is above {highest}")
        return value

    def u32(self) -> int:
        """Reads a `u32`."""
        return int.from_bytes(self.take(4), "little")

    def u64(self) -> int:
        """Reads a `u64`."""
        return int.from_bytes(self.take(8), "little")

    def u512(self) -> int:
        """Reads a `U512` of at most 64 bytes; zeros at its end are accepted."""
        return int.from_bytes(self.take(self.u8(64)), "little")

    def hash(self) -> bytes:
        """Reads 32 bytes."""
        return self.take(32)

    def blob(self) -> bytes:
        """Reads `bytes`: a length, then the content."""
        return self.take(self.u32())

    def text(self) -> str:
        """Reads a `string` in strict UTF-8."""
        try:
            return self.blob().decode("utf-8")
        except UnicodeDecodeError as error:
            raise MalformedError("a text is not UTF-8") from error

    def items(self, read: Callable[[], T]) -> list[T]:
        """Reads a list of the items that `read` reads."""
        return [read() for _ in range(self.u32())]

    def mapping(self, read_key: Callable[[], K], read_value: Callable[[], T]) -> dict[K, T]:
        """Reads a map. Of equal keys, the last counts."""
        return {read_key(): read_value() for _ in range(self.u32())}


def exactly(content: bytes, read: Callable[[Reader], T]) -> T:
    """Reads one value, after which no byte may be left."""
    reader = Reader(content)
    value = read(reader)
    reader.end()
    return value
