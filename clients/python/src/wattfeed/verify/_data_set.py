"""The proof of a whole data set: a file whose lines are the elements of the trie, each once."""

from __future__ import annotations

import base64
import re
from contextlib import contextmanager
from typing import TYPE_CHECKING, TypeVar

from ._bytes import MalformedError, Reader, exactly, text, u8, u64
from ._chain import Chain, Registry, item_key, read_dictionary_item, require
from ._documents import read_block_document, read_header
from ._facts import Feed, ProvenDataSet, Request, Trust, UnreadableError, Value
from ._json import as_integer, as_object, parse
from ._keys import key_bytes
from ._links import ATTESTATIONS, FEEDS, read_feed, read_value
from ._stored import CLValue, StoredValue, read_stored_value
from ._trie import element_hash, walk

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from ._documents import Common

T = TypeVar("T")

#: How the first line starts.
DATA_SET_START = b'{"kind":"wattfeed data set proof"'
MAX_LINE_BYTES = 16 * 2**20
_ELEMENT = re.compile(rb'"((?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}(?:==)?|[A-Za-z0-9+/]{3}=?)?)"\n')
_MAX_SWITCH_BLOCKS = 2000
_UREF = 2
_EVENTS = ("event_FeedRegistered", "event_RevenueAttested")


class _MissingError(MalformedError):
    """The file does not have an element where it is needed."""


class _Elements:
    """The elements of a file, of which each line is the next one that is needed."""

    def __init__(self, lines: Iterator[bytes], number: int) -> None:
        """Starts at the line of this number."""
        self._lines = lines
        self._number = number
        self._taken: dict[bytes, bytes] = {}
        self._next: tuple[bytes, bytes] | None = None

    def _peek(self) -> tuple[bytes, bytes] | None:
        """Gives the hash and the element of the next line."""
        if self._next is None:
            line = next(self._lines, None)
            if line is not None:
                element = _element_of(line, self._number)
                self._next = element_hash(element), element
                self._number += 1
        return self._next

    def take(self, wanted: bytes) -> bytes:
        """Gives the element with this hash: a known one, or the next line."""
        known = self._taken.get(wanted)
        if known is not None:
            return known
        following = self._peek()
        if following is None or following[0] != wanted:
            raise _MissingError(f"line {self._number} is not the element {wanted.hex()}")
        self._taken[wanted] = following[1]
        self._next = None
        return following[1]

    def end(self) -> int:
        """Refuses a line that is left, and gives the number of elements."""
        require(self._peek() is None, "a line is left")
        return len(self._taken)


def _element_of(line: bytes, number: int) -> bytes:
    match = _ELEMENT.fullmatch(line)
    if match is None or len(line) > MAX_LINE_BYTES:
        raise MalformedError(f"line {number} is not the base64 of an element")
    digits = match[1]
    return base64.b64decode(digits + b"=" * (-len(digits) % 4))


class _State:
    """Reads values at the block's state root."""

    def __init__(self, chain: Chain, elements: _Elements) -> None:
        self._chain = chain
        self._elements = elements

    def decided(self, key: bytes) -> StoredValue | None:
        """The value of a key, or None if it is absent."""
        content = walk(self._elements.take, key, self._chain.state_root)
        return None if content is None else exactly(content, read_stored_value)

    def required(self, key: str) -> StoredValue:
        """The value of a key that must not be absent."""
        value = self.decided(key_bytes(key))
        if value is None:
            raise MalformedError("the value is absent")
        return value

    def field(self, registry: Registry, number: int, read: Callable[[Reader], T], mapping_key: bytes = b"") -> T | None:
        """A field, or None if it is absent."""
        seed, name, key = registry.address(number, mapping_key)
        stored = self.decided(key_bytes(key))
        if stored is None:
            return None
        return _read_item(stored, seed, name, read)

    def event_count(self, registry: Registry) -> int:
        """The number of a registry's events."""
        stored = self.decided(u8(_UREF) + registry.named_uref("__events_length") + u8(0))
        if not isinstance(stored, CLValue) or stored.cl_type != "U32":
            raise MalformedError("the value is not a u32")
        return exactly(stored.content, Reader.u32)

    def require_event(self, registry: Registry, number: int) -> None:
        """Requires an event of a known form."""
        seed, name = registry.named_uref("__events"), str(number)
        _read_item(self.required(item_key(seed, name)), seed, name, _skip_event)


def _present(value: T | None) -> T:
    if value is None:
        raise MalformedError("the value is absent")
    return value


def _read_item(stored: StoredValue, seed: bytes, name: str, read: Callable[[Reader], T]) -> T:
    return exactly(exactly(read_dictionary_item(stored, seed, name).content, Reader.blob), read)


def _skip_event(reader: Reader) -> None:
    name = reader.text()
    require(name in _EVENTS, f"no event is {name!r}")
    reader.text()
    if name == _EVENTS[0]:
        reader.u8()
        reader.text()
        reader.text()
    else:
        reader.u64()
        reader.u512()
        reader.text()
        reader.u64()
        reader.u64()


def check_data_set(lines: Iterable[bytes], trust: Trust) -> ProvenDataSet:
    """Checks the proof of a data set."""
    rest = iter(lines)
    common = _read_common(rest)
    chain = Chain(trust)
    block = chain.check_block(common, Request(), (True, ""))
    state = _State(chain, elements := _Elements(rest, len(common.switch_blocks) + 2))
    feed_registry = chain.read_contract(state.required, FEEDS, trust.feed_registry_package_hash)
    attestations = chain.read_contract(state.required, ATTESTATIONS, trust.attestation_registry_package_hash)
    registries = {FEEDS: feed_registry, ATTESTATIONS: attestations}
    lengths = {name: _check_length(chain, state, name, registry) for name, registry in registries.items()}
    feeds = _check_feeds(chain, state, feed_registry)
    values, is_complete = _check_values(chain, state, attestations, list(feeds))
    for name, registry in registries.items():
        _check_events(chain, state, name, registry, lengths[name])
    if not is_complete:
        _check_valueless(chain, state, attestations, [each for each, own in values.items() if not own])
    with chain.link("end of the file") as detail:
        detail.text = f"{elements.end()} elements"
    place = chain.checks, block.hash.hex(), block.height, block.timestamp_ms
    return ProvenDataSet(*place, feeds, values, lengths, block.state_root.hex())


def _read_common(lines: Iterator[bytes]) -> Common:
    try:
        first = next(lines, b"")
        if not first.startswith(DATA_SET_START):
            raise MalformedError("the first line is not that of a data set's proof")
        header = as_object(parse(first), "the first line")
        count = as_integer(header.get("switch_blocks"), "switch_blocks", 0)
        require(count <= _MAX_SWITCH_BLOCKS, f"switch_blocks is {count}, more than {_MAX_SWITCH_BLOCKS}")
        switch_blocks = [
            read_block_document(parse(next(lines, b"")), f"the block of line {number + 2}") for number in range(count)
        ]
        return read_header(header, switch_blocks)
    except (ValueError, RecursionError) as error:
        raise UnreadableError(str(error)) from error


def _check_length(chain: Chain, state: _State, name: str, registry: Registry) -> int:
    if not registry.has_named("__events"):
        return 0
    with chain.link(f"{name} __events_length") as detail:
        length = state.event_count(registry)
        detail.text = f"{length} events"
    return length


@contextmanager
def _at(place: str) -> Iterator[None]:
    """Adds the place of a value to the reason of a broken link."""
    try:
        yield
    except ValueError as error:
        raise MalformedError(f"{place}: {error}") from error


def _check_feeds(chain: Chain, state: _State, registry: Registry) -> dict[str, Feed]:
    with chain.link(f"{FEEDS} count") as detail:
        count = state.field(registry, 4, Reader.u64) or 0
        detail.text = f"{count} feeds"
    ids: list[str] = []
    with chain.link(f"{FEEDS} ids") as detail:
        for number in range(count):
            with _at(f"ids[{number}]"):
                ids.append(_present(state.field(registry, 3, Reader.text, u64(number))))
        require(len(set(ids)) == len(ids), "an id occurs twice")
        detail.text = f"all {count} ids"
    feeds: dict[str, Feed] = {}
    with chain.link(f"{FEEDS} feeds") as detail:
        for feed_id in ids:
            with _at(f"feeds[{feed_id}]"):
                feeds[feed_id] = _present(state.field(registry, 2, read_feed, text(feed_id)))
        detail.text = f"the metadata of {count} feeds"
    return feeds


def _check_values(
    chain: Chain, state: _State, registry: Registry, ids: list[str]
) -> tuple[dict[str, list[Value]], bool]:
    """Gives the values of each feed, and whether no feed can have others."""
    with chain.link(f"{ATTESTATIONS} count") as detail:
        total = state.field(registry, 5, Reader.u64) or 0
        counts = {feed_id: _count_for_now(state, registry, feed_id) for feed_id in ids}
        known = sum(counts.values())
        detail.text = f"{known} values of {len(ids)} feeds"
    values: dict[str, list[Value]] = {feed_id: [] for feed_id in ids}
    with chain.link(f"{ATTESTATIONS} history") as detail:
        for feed_id, count in counts.items():
            for index in range(count):
                with _at(f"history[{feed_id}#{index}]"):
                    value = state.field(registry, 3, read_value, text(f"{feed_id}#{index}"))
                    values[feed_id].append(_present(value))
        detail.text = f"all {known} values"
    return values, 0 not in counts.values() or known == total


def _count_for_now(state: _State, registry: Registry, feed_id: str) -> int:
    with _at(f"count[{feed_id}]"):
        try:
            return state.field(registry, 4, Reader.u64, text(feed_id)) or 0
        except _MissingError:
            return 0


def _check_events(chain: Chain, state: _State, name: str, registry: Registry, count: int) -> None:
    if not registry.has_named("__events"):
        return
    with chain.link(f"{name} __events") as detail:
        for number in range(count):
            with _at(f"__events[{number}]"):
                state.require_event(registry, number)
        detail.text = f"all {count} events"


def _check_valueless(chain: Chain, state: _State, registry: Registry, ids: list[str]) -> None:
    with chain.link("feeds without a value") as detail:
        for feed_id in ids:
            with _at(f"count[{feed_id}]"):
                count = state.field(registry, 4, Reader.u64, text(feed_id))
                require(count is None, f"the count is {count}")
        detail.text = f"{len(ids)} feeds"
