"""Ranges of series: what any run of a tree proves, and how a proven range is told."""

# cspell:ignore capsys

from __future__ import annotations

import json
from dataclasses import replace
from itertools import combinations
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wattfeed.command import main
from wattfeed.verify import RangeValue, RefutedError, Request, SeriesRange, UnreadableError, verify, verify_range
from wattfeed.verify._bytes import MalformedError
from wattfeed.verify._documents import RangeDocument, RangeLeaf
from wattfeed.verify._leaves import Leaf, leaf_hash
from wattfeed.verify._range import check_leaves, check_range, root_by_run

from .dataset import DAYS, FREQUENCY, LEAVES, ROUTE, Dataset, left_size, root_of

if TYPE_CHECKING:
    from pathlib import Path

DATASET = Dataset()
TRUST = DATASET.built.trust


def asked(series: str | None = "A", first: str | None = None, last: str | None = None, **part: Any) -> SeriesRange:
    return SeriesRange(ROUTE, FREQUENCY, "value", {"product": "EPCWTI", "series": series}, first, last, **part)


def beside(first: int, past: int, hashes: list[bytes], start: int = 0) -> list[str]:
    """The hashes of the largest subtrees without a leaf of a run, from left to right."""
    end = start + len(hashes)
    if end <= first or start >= past:
        return [root_of(hashes).hex()]
    if len(hashes) == 1:
        return []
    split = left_size(len(hashes))
    return [*beside(first, past, hashes[:split], start), *beside(first, past, hashes[split:], start + split)]


def document_of(dataset: Dataset, range_: SeriesRange, first: int, past: int) -> dict[str, Any]:
    """The document that claims that a run of leaves is a range."""
    leaves, size = dataset.leaves, len(dataset.leaves)
    return {
        "format": 1,
        "range": {**vars(range_), "facets": dict(range_.facets)},
        "index": first,
        "before": str(leaves[first - 1]) if first > 0 else None,
        "leaves": [[leaf.period, leaf.value, leaf.unit] for leaf in leaves[first:past]],
        "after": str(leaves[past]) if past < size else None,
        "hashes": beside(max(0, first - 1), min(size, past + 1), dataset.hashes),
        "root": dataset.reading(),
    }


def is_proven(leaves: list[Leaf], range_: SeriesRange, first: int, past: int) -> bool:
    hashes = [leaf_hash(str(leaf).encode()) for leaf in leaves]
    document = RangeDocument(
        range=range_,
        index=first,
        before=str(leaves[first - 1]) if first > 0 else None,
        leaves=[RangeLeaf(leaf.period, leaf.value, leaf.unit, has_unit=True) for leaf in leaves[first:past]],
        after=str(leaves[past]) if past < len(leaves) else None,
        hashes=beside(max(0, first - 1), min(len(leaves), past + 1), hashes),
        root=None,  # type: ignore[arg-type]
    )
    value = replace(ROOT, amount=len(leaves), source_hash=root_of(hashes).hex())
    try:
        check_range(check_leaves(document, value), range_)
    except MalformedError:
        return False
    return True


ROOT = verify_range(document_of(DATASET, asked(), 0, 2), TRUST).root.value

periods = st.sampled_from(["a", "ab", "b", "z", "é"])
keys = st.lists(st.tuples(st.none() | periods, periods), min_size=1, max_size=8, unique=True)


@given(keys, st.tuples(st.none() | periods, st.none() | periods), st.none() | periods, st.integers(0, 5), st.booleans())
def test_only_the_leaves_of_a_range_are_proven(
    known: list[tuple[str | None, str]],
    bounds: tuple[str | None, str | None],
    series: str | None,
    limit: int,
    is_newest: bool,
) -> None:
    first, last = bounds
    if first is not None and last is not None and first.encode() > last.encode():
        first, last = last, first
    range_ = asked(series, first, last, order="desc" if is_newest else "asc", limit=limit or None)
    leaves = sorted(
        (Leaf("value", ROUTE, FREQUENCY, facets_of(s), p, "1", None) for s, p in known), key=lambda x: x.key
    )
    within = [
        place
        for place, leaf in enumerate(leaves)
        if leaf.facets == facets_of(series)
        and (first is None or leaf.period.encode() >= first.encode())
        and (last is None or leaf.period.encode() <= last.encode())
    ]
    expected = within if limit == 0 else within[-limit:] if is_newest else within[:limit]
    runs = [(start, past) for start in range(len(leaves) + 1) for past in range(start, len(leaves) + 1)]
    proven = [run for run in runs if is_proven(leaves, range_, *run)]
    assert [list(range(*run)) for run in proven] == [expected]


def facets_of(series: str | None) -> tuple[tuple[str, str | None], ...]:
    return ("product", "EPCWTI"), ("series", series)


def test_leaves_that_are_not_sorted_are_refuted() -> None:
    days = [replace(LEAVES[0], period=day) for day in (DAYS[0], DAYS[2], DAYS[1])]
    assert not is_proven(days, asked(), 0, 3)
    assert is_proven(sorted(days, key=lambda leaf: leaf.key), asked(), 0, 3)


@pytest.mark.parametrize("size", range(1, 14))
def test_run_leads_to_the_root_at_its_place_only(size: int) -> None:
    hashes = [leaf_hash(bytes([number])) for number in range(size)]
    for first, past in combinations(range(size + 1), 2):
        others = beside(first, past, hashes)
        reached = []
        for place in range(size + 1):
            try:
                reached.append(root_by_run(hashes[first:past], place, size, others))
            except MalformedError:
                reached.append(b"")
        assert [place for place, root in enumerate(reached) if root == root_of(hashes)] == [first]
        for changed in (others[1:], [*others, "00" * 32]):
            if changed != others:
                with pytest.raises(MalformedError):
                    root_by_run(hashes[first:past], first, size, changed)


@pytest.mark.parametrize(
    ("range_", "run", "words"),
    [
        (asked(), (0, 2), " has 2 values (of 5)"),
        (asked(last=DAYS[0]), (0, 1), f" to {DAYS[0]} has 1 value (of 5)"),
        (asked(limit=1, order="desc"), (1, 2), ", the newest 1 has 1 value (of 5)"),
        (asked(limit=1), (0, 1), ", the oldest 1 has 1 value (of 5)"),
        (asked("B"), (2, 2), " has no value (of 5)"),
        (asked("RWTC", DAYS[1], DAYS[1]), (4, 4), f" from {DAYS[1]} to {DAYS[1]} has no value (of 5)"),
    ],
)
def test_range_is_proven(range_: SeriesRange, run: tuple[int, int], words: str) -> None:
    document = document_of(DATASET, range_, *run)
    result = verify_range(document, TRUST, Request(range=range_))
    name = f"petroleum/pri/spt daily value product=EPCWTI series={range_.facets['series']}"
    assert str(result) == name + words
    assert str(replace(result, root=replace(result.root, index=7))) == (name + words).replace("5)", "5, root 7)")
    leaves = LEAVES[slice(*run)]
    assert result.values == tuple(RangeValue(leaf.period, leaf.value, leaf.unit) for leaf in leaves)
    assert result.first_index == (run[0] if leaves else None)
    assert [check.link for check in result.checks][-4:] == ["reading", "dataset", "leaves", "range"]
    assert str(verify(document, TRUST)) == str(result)


def test_request_is_compared_with_the_whole_document() -> None:
    range_ = asked(last=DAYS[0])
    document = document_of(DATASET, range_, 0, 1)
    turned = replace(range_, facets=dict(reversed(list(range_.facets.items()))), order="desc")
    verify(document, TRUST, Request(range=turned, index=None))
    for other in (
        Request(range=replace(range_, period_to=None)),
        Request(range=replace(range_, limit=1)),
        Request(range=range_, index=0),
        Request(range=range_, feed_id=DATASET.feed_id),
        Request(range=range_, series=range_.series),
        Request(series=range_.series),
        Request(index=None),
    ):
        with pytest.raises(RefutedError) as caught:
            verify(document, TRUST, other)
        assert caught.value.link == "what was asked for"


def test_a_verifier_of_before_calls_it_unreadable() -> None:
    # Such a verifier does not know the member `range`, and takes any other document for a reading.
    document = document_of(DATASET, asked(), 0, 2)
    with pytest.raises(UnreadableError, match="reading is not an object"):
        verify({name: value for name, value in document.items() if name != "range"}, TRUST)


def test_range_is_one_object_of_json(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "range.json"
    path.write_text(json.dumps(document_of(DATASET, asked(order="desc", limit=1), 1, 2)))
    trust = TRUST
    options = [
        f"--trust={trust.trusted_block_hash}",
        f"--chain-name={trust.chain_name}",
        f"--feed-registry={trust.feed_registry_package_hash}",
        f"--attestation-registry={trust.attestation_registry_package_hash}",
    ]
    assert main(["verify", str(path), *options, "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert [found["proven"], found["reading"]] == [True, None]
    assert {name: found["range"][name] for name in ("order", "limit", "period_from", "values", "first_index")} == {
        "order": "desc",
        "limit": 1,
        "period_from": None,
        "values": [{"period": DAYS[1], "value": None, "unit": None}],
        "first_index": 1,
    }
