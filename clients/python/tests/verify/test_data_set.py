"""Proofs of data sets of a small chain, with hashes and signatures that are right."""

from __future__ import annotations

import base64
import json
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import pytest

from wattfeed.command import main
from wattfeed.verify import RefutedError, UnreadableError, verify_data_set
from wattfeed.verify._bytes import blake, prefixed, text, u8, u32, u64, u512
from wattfeed.verify._keys import key_bytes

from .world import (
    ANY_TYPE,
    ATTESTATIONS,
    CONTRACTS,
    FEED,
    FEEDS,
    LIST_OF_U8,
    PACKAGES,
    Built,
    Entries,
    Trie,
    attestation,
    cl_value,
    contract,
    feed,
    field_place,
    field_value,
    package,
)

if TYPE_CHECKING:
    from pathlib import Path

OTHER = "B.FEED"
EVENTS, LENGTH = b"\x41" * 32, b"\x42" * 32
LENGTH_KEY = u8(2) + LENGTH + u8(0)
U32_TYPE, U64_TYPE = b"\x04", b"\x05"
EIGHT_BYTES = u8(0) + cl_value(u64(0), U64_TYPE)


@dataclass
class DataSet:
    """What a data set's file proves: the fields of both registries, and the events of one."""

    ids: list[str] = field(default_factory=lambda: [FEED])
    values: list[bytes] = field(default_factory=lambda: [attestation(amount=1), attestation()])
    total: int | None = 2
    events: list[bytes] | None = None
    replaced: Entries = field(default_factory=dict)

    def entries(self) -> Entries:
        """The items of the state, in the order in which they are read."""
        found: Entries = {}

        def put(registry: str, number: int, mapping_key: bytes, content: bytes | None) -> None:
            field_key, key = field_place(registry, number, mapping_key)
            found[key_bytes(key)] = b"" if content is None else field_value(registry, field_key, content)

        for registry in (FEEDS, ATTESTATIONS):
            found[u8(1) + PACKAGES[registry]] = package(registry)
            urefs = (
                None if registry == FEEDS or self.events is None else {"__events": EVENTS, "__events_length": LENGTH}
            )
            found[u8(1) + CONTRACTS[registry]] = contract(registry, urefs)
        if self.events is not None:
            found[LENGTH_KEY] = u8(0) + cl_value(u32(len(self.events)), U32_TYPE)
        put(FEEDS, 4, b"", u64(len(self.ids)))
        for number, feed_id in enumerate(self.ids):
            put(FEEDS, 3, u64(number), text(feed_id))
        for feed_id in self.ids:
            put(FEEDS, 2, text(feed_id), feed())
        put(ATTESTATIONS, 5, b"", None if self.total is None else u64(self.total))
        for feed_id in self.ids:
            count = len(self.values) if feed_id == FEED else 0
            put(ATTESTATIONS, 4, text(feed_id), u64(count) if count else None)
        for index, value in enumerate(self.values):
            put(ATTESTATIONS, 3, text(f"{FEED}#{index}"), value)
        for number, event in enumerate(self.events or []):
            own = cl_value(prefixed(event), LIST_OF_U8)
            item = own + prefixed(EVENTS) + prefixed(str(number).encode())
            address = blake(EVENTS, str(number).encode())
            found[u8(9) + address] = u8(0) + cl_value(item, ANY_TYPE)
        return {**found, **self.replaced}

    def build(self, *, late: bytes | None = None) -> tuple[Built, list[bytes]]:
        """The chain, and the lines of the file. The elements of a `late` key come last."""
        entries = self.entries()
        built = Built(Trie({key: stored for key, stored in entries.items() if stored}), {})
        keys = [key for key in entries if key != late] + ([] if late is None else [late])
        elements = dict.fromkeys(digits for key in keys for digits in built.trie.walk(key))
        header = {
            "kind": "wattfeed data set proof",
            "format": 1,
            "registries": built.trust.registries,
            "block": built.block,
            "switch_blocks": len(built.switch_blocks),
        }
        documents = [json.dumps(each, separators=(",", ":")) for each in (header, *built.switch_blocks)]
        lines = [f'"{base64.b64encode(bytes.fromhex(digits)).decode()}"' for digits in elements]
        return built, [f"{line}\n".encode() for line in (*documents, *lines)]


def item_of(registry: str, number: int, mapping_key: bytes) -> bytes:
    return key_bytes(field_place(registry, number, mapping_key)[1])


def registered(feed_id: str) -> bytes:
    return text("event_FeedRegistered") + text(feed_id) + u8(2) + text("$") + text("EIA")


def attested(index: int) -> bytes:
    fields = text(FEED) + u64(20260101) + u512(5846) + text("ab") + u64(index) + u64(1_790_000_000_000)
    return text("event_RevenueAttested") + fields


def broken_link(data_set: DataSet, change: int | None = None) -> str:
    """The link that breaks, after a line was removed."""
    built, lines = data_set.build()
    if change is not None:
        del lines[change]
    with pytest.raises(RefutedError) as caught:
        verify_data_set(lines, built.trust)
    return caught.value.link


def test_a_data_set_is_proven() -> None:
    built, lines = DataSet(events=[registered(FEED), attested(0), attested(1)]).build()
    proven = verify_data_set(lines, built.trust)
    assert [value.amount for value in proven.values[FEED]] == [1, 5846]
    assert proven.feeds[FEED].unit == "$"
    assert str(proven) == "all 2 values of all 1 feeds, and all 3 events, as of block 21 (no rows compared)"
    assert proven.checks[-1].link == "end of the file"


def test_the_command_checks_a_data_set(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    built, lines = DataSet().build()
    path = tmp_path / "_proofs.jsonl"
    path.write_bytes(b"".join(lines))
    options = [f"--trust={built.trust.trusted_block_hash}", f"--chain-name={built.trust.chain_name}"]
    options += [f"--feed-registry={PACKAGES[FEEDS].hex()}", f"--attestation-registry={PACKAGES[ATTESTATIONS].hex()}"]
    assert main(["verify", str(path), *options, "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["data_set"] == {
        "block_height": 21,
        "state_root_hash": built.trie.root.hex(),
        "feeds": 1,
        "values": 2,
        "events": {FEEDS: 0, ATTESTATIONS: 0},
        "rows": None,
    }
    path.write_bytes(b"".join(lines[:-1]))
    assert main(["verify", str(path), *options, "--json"]) == 1
    assert json.loads(capsys.readouterr().out)["data_set"] is None
    assert main(["verify", str(path), *options]) == 1
    assert capsys.readouterr().out.endswith("refuted: AttestationRegistry history does not hold\n")


@pytest.mark.parametrize("late", [None, item_of(ATTESTATIONS, 4, text(OTHER))])
def test_a_feed_without_a_value_is_shown_if_others_have_values(late: bytes | None) -> None:
    built, lines = DataSet(ids=[FEED, OTHER], total=3).build(late=late)
    proven = verify_data_set(lines, built.trust)
    assert (len(proven.values[FEED]), proven.values[OTHER]) == (2, [])
    assert proven.checks[-2].link == "feeds without a value"


def test_a_total_shows_that_a_feed_has_no_value() -> None:
    built, lines = DataSet(ids=[FEED, OTHER], total=2).build()
    # The elements of the absent count prove nothing that the total does not.
    assert "feeds without a value" not in [check.link for check in verify_data_set(lines, built.trust).checks]


def test_no_value_at_all() -> None:
    built, lines = DataSet(values=[], total=None).build()
    assert verify_data_set(lines, built.trust).values == {FEED: []}


def test_values_that_are_left_out_are_missed() -> None:
    hidden = DataSet()
    entries = hidden.entries()
    built, lines = hidden.build()
    first = {digits for key in list(entries)[:8] for digits in built.trie.walk(key)}
    kept = [line for line in lines[3:] if base64.b64decode(line.strip(b'"\n')).hex() in first]
    with pytest.raises(RefutedError) as caught:
        verify_data_set([*lines[:3], *kept], built.trust)
    assert caught.value.link == "feeds without a value"


@pytest.mark.parametrize(
    ("data_set", "link"),
    [
        (DataSet(ids=[FEED, FEED]), "FeedRegistry ids"),
        (DataSet(replaced={item_of(FEEDS, 2, text(FEED)): b""}), "FeedRegistry feeds"),
        (DataSet(replaced={u8(1) + CONTRACTS[ATTESTATIONS]: b""}), "AttestationRegistry contract"),
        (DataSet(replaced={item_of(ATTESTATIONS, 3, text(f"{FEED}#1")): b""}), "AttestationRegistry history"),
        (DataSet(events=[text("event_Other") + text(FEED)]), "AttestationRegistry __events"),
        (DataSet(events=[registered(FEED) + u8(0)]), "AttestationRegistry __events"),
        (DataSet(events=[], replaced={LENGTH_KEY: b""}), "AttestationRegistry __events_length"),
        (DataSet(events=[], replaced={LENGTH_KEY: EIGHT_BYTES}), "AttestationRegistry __events_length"),
    ],
)
def test_a_lie_breaks_its_link(data_set: DataSet, link: str) -> None:
    assert broken_link(data_set) == link


def test_every_line_is_needed_in_its_place() -> None:
    built, lines = DataSet().build()
    for number in range(3, len(lines)):
        assert broken_link(DataSet(), number)
    with pytest.raises(RefutedError, match="end of the file: a line is left"):
        verify_data_set([*lines, lines[-1]], built.trust)
    for last in (lines[-1][:-1], lines[-1].replace(b"\n", b"\r\n"), b" " + lines[-1], b"7\n"):
        with pytest.raises(RefutedError, match="is not the base64"):
            verify_data_set([*lines[:-1], last], built.trust)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (b'"format":1', b'"format":2'),
        (b'{"kind"', b'{ "kind"'),
        (b'"switch_blocks":2', b'"switch_blocks":3'),
        (b'"switch_blocks":2', b'"switch_blocks":2001'),
        (b'"switch_blocks":2', b'"switch_blocks":-1'),
        (b'"registries"', b'"others"'),
    ],
)
def test_another_header_is_unreadable(old: bytes, new: bytes) -> None:
    built, lines = DataSet().build()
    assert old in lines[0]
    with pytest.raises(UnreadableError):
        verify_data_set([lines[0].replace(old, new), *lines[1:]], built.trust)
