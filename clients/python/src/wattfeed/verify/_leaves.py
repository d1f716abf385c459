"""Leaves of a dataset's tree: their form, their keys, and the paths that prove them."""

from __future__ import annotations

import re
from dataclasses import dataclass
from hashlib import sha256
from typing import TYPE_CHECKING, TypeAlias

from ._bytes import MalformedError, hash_from_hex
from ._json import as_list, as_object, as_text, as_unicode, parse

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

Key: TypeAlias = "tuple[bytes, ...]"

MAX_LEAF_BYTES = 4096

_ID = re.compile(r"[A-Za-z0-9_-]+\Z")
# cspell:ignore udfff
_ESCAPED = re.compile('["\\\\\x00-\x1f\ud800-\udfff]')
_ESCAPES = {'"': '\\"', "\\": "\\\\", "\b": "\\b", "\t": "\\t", "\n": "\\n", "\f": "\\f", "\r": "\\r"}


@dataclass(frozen=True)
class Leaf:
    """One value of a dataset: a column of a row."""

    column: str
    route: str
    frequency: str
    facets: tuple[tuple[str, str | None], ...]
    period: str
    value: str | None
    unit: str | None

    @property
    def series(self) -> Key:
        """The elements of the key without the period."""
        return series_key(self.route, self.frequency, self.column, dict(self.facets))

    @property
    def key(self) -> Key:
        """The key, by which leaves are ordered."""
        return (*self.series, self.period.encode())

    def __str__(self) -> str:
        """Writes the JSON of the leaf."""
        facets = ",".join(f"[{_quoted(name)},{_quoted(value)}]" for name, value in self.facets)
        source = (
            f'"route":{_quoted(self.route)},"frequency":{_quoted(self.frequency)},"facets":[{facets}],'
            f'"period":{_quoted(self.period)},"value":{_quoted(self.value)},"unit":{_quoted(self.unit)}'
        )
        return f'{{"column":{_quoted(self.column)},"source":{{{source}}}}}'


def series_key(route: str, frequency: str, column: str, facets: Mapping[str, str | None]) -> Key:
    """Gives the elements of a series: the key of its leaves without the period.

    >>> series_key("a/b", "daily", "value", {"y": None, "x": "1"})
    (b'a/b', b'daily', b'value', b'x', b'1', b'y', b'')
    """
    pairs = sorted(facets.items())
    return tuple(part.encode() for part in (route, frequency, column, *(part or "" for pair in pairs for part in pair)))


def _quoted(text: str | None) -> str:
    return "null" if text is None else f'"{_ESCAPED.sub(_escape, text)}"'


def _escape(match: re.Match[str]) -> str:
    character = match.group()
    return _ESCAPES.get(character, f"\\u{ord(character):04x}")


def read_leaf(text: str) -> Leaf:
    """Reads a leaf. A text that differs from its form in any way is none."""
    if len(text.encode()) > MAX_LEAF_BYTES:
        raise MalformedError(f"a leaf has at most {MAX_LEAF_BYTES} bytes")
    members = as_object(parse(text), "the leaf")
    source = as_object(members.get("source"), "source")
    leaf = Leaf(
        column=as_part(members.get("column"), "column"),
        route=as_part(source.get("route"), "route"),
        frequency=as_part(source.get("frequency"), "frequency"),
        facets=tuple(map(_facet, as_list(source.get("facets"), "facets"))),
        period=as_part(source.get("period"), "period"),
        value=_text_or_null(source, "value"),
        unit=_text_or_null(source, "unit"),
    )
    names = [name for name, _ in leaf.facets]
    if names != sorted(set(names)):
        raise MalformedError("the facets are not sorted, or one is there twice")
    if leaf.unit == "":
        raise MalformedError("the unit must be null or a text that is not empty")
    if str(leaf) != text:
        raise MalformedError("the leaf is not written in its only form")
    return leaf


def as_part(value: object, what: str) -> str:
    """Narrows to a text that may be an element of a key."""
    part = as_unicode(value, what)
    if part == "" or "\0" in part:
        raise MalformedError(f"{what} is empty, or has a zero character")
    return part


def _facet(value: object) -> tuple[str, str | None]:
    pair = as_list(value, "a facet")
    if len(pair) != 2:
        raise MalformedError("a facet is not a pair")
    name = as_part(pair[0], "a facet's id")
    if _ID.match(name) is None:
        raise MalformedError("a facet's id has a character that none has")
    return name, None if pair[1] is None else as_part(pair[1], "a facet's value")


def _text_or_null(source: dict[str, object], name: str) -> str | None:
    if name not in source:
        raise MalformedError(f"{name} is missing")
    return None if source[name] is None else as_text(source[name], name)


def leaf_hash(content: bytes) -> bytes:
    """Hashes a leaf of a tree of RFC 6962.

    >>> leaf_hash(b"").hex()[:16]
    '6e340b9cffb37a98'
    """
    return sha256(b"\0" + content).digest()


def node_hash(left: bytes, right: bytes) -> bytes:
    """Hashes a node of a tree of RFC 6962."""
    return sha256(b"\1" + left + right).digest()


def root_by_path(hashed: bytes, index: int, size: int, path: Sequence[str]) -> bytes:
    """Follows a path from the hash of a leaf to the root (RFC 9162, section 2.1.3.2)."""
    if index >= size:
        raise MalformedError(f"the tree has {size} leaves")
    place, last = index, size - 1
    for text in path:
        other = hash_from_hex(text)
        if last == 0:
            raise MalformedError("the path is too long")
        if place % 2 == 1 or place == last:
            hashed = node_hash(other, hashed)
            while place % 2 == 0 and place != 0:
                place, last = place // 2, last // 2
        else:
            hashed = node_hash(hashed, other)
        place, last = place // 2, last // 2
    if last != 0:
        raise MalformedError("the path is too short")
    return hashed
