"""The last links of a range of a series: its leaves with their neighbors, and its bounds."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

from ._bytes import MalformedError, hash_from_hex
from ._chain import require
from ._leaves import Key, Leaf, as_part, leaf_hash, node_hash, read_leaf
from ._series import key_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ._documents import RangeDocument, RangeLeaf
    from ._facts import Series, SeriesRange, Value


@dataclass(frozen=True)
class Run:
    """Leaves of a series that follow each other in a tree, with their neighbors there."""

    before: Leaf | None
    leaves: list[Leaf]
    after: Leaf | None


def check_leaves(document: RangeDocument, root: Value) -> Run:
    """Requires that leaves and neighbors follow each other in the tree with this root."""
    before = None if document.before is None else read_leaf(document.before)
    after = None if document.after is None else read_leaf(document.after)
    leaves = _leaves_of(document.leaves, document.range.series)
    index, past = document.index, document.index + len(leaves)
    require((before is None) == (index == 0), f"the leaf before the index {index} is missing, or there is none")
    require((after is None) == (past == root.amount), f"the leaf at the index {past} is missing, or there is none")
    run = [*([] if before is None else [before]), *leaves, *([] if after is None else [after])]
    require(all(one.key < other.key for one, other in pairwise(run)), "the keys do not ascend")
    hashes = [leaf_hash(str(leaf).encode()) for leaf in run]
    reached = root_by_run(hashes, index - (before is not None), root.amount, document.hashes)
    require(reached.hex() == root.source_hash, f"the leaves lead to {reached.hex()}, not to {root.source_hash}")
    return Run(before, leaves, after)


def _leaves_of(leaves: Sequence[RangeLeaf], series: Series) -> list[Leaf]:
    """Adds the series and the units that repeat to leaves. Each must be one."""
    facets = tuple(sorted(series.facets.items()))
    found: list[Leaf] = []
    for leaf in leaves:
        if not leaf.has_unit and not found:
            raise MalformedError("the first leaf has no unit")
        unit = leaf.unit if leaf.has_unit else found[-1].unit
        whole = Leaf(series.column, series.route, series.frequency, facets, leaf.period, leaf.value, unit)
        found.append(read_leaf(str(whole)))
    return found


def root_by_run(run: Sequence[bytes], first: int, size: int, beside: Sequence[str]) -> bytes:
    """Computes a root from the hashes of a run of leaves, and those of the nodes beside them, from left to right."""
    past = first + len(run)
    if not run or past > size:
        raise MalformedError(f"the tree has {size} leaves, and no run from {first} to before {past}")
    rest = iter(beside)

    def hash_of(start: int, end: int) -> bytes:
        if end <= first or start >= past:
            found = next(rest, None)
            if found is None:
                raise MalformedError("a hash is missing")
            return hash_from_hex(found)
        if end - start == 1:
            return run[start - first]
        middle = start + (1 << (end - start - 1).bit_length() - 1)
        return node_hash(hash_of(start, middle), hash_of(middle, end))

    root = hash_of(0, size)
    require(next(rest, None) is None, "there are more hashes than nodes beside the leaves")
    return root


def check_range(run: Run, asked: SeriesRange) -> None:
    """Requires that a run has exactly the leaves of a range."""
    bounds = _Bounds.of(asked)
    count, limit = len(run.leaves), asked.limit
    require(limit is None or count <= limit, f"there are more than {limit} leaves")
    require(all(bounds.order(leaf.key) == 0 for leaf in run.leaves), "a leaf is outside of the bounds")
    # With as many leaves as the limit, more may follow on one side.
    is_full = count == limit
    if run.before is not None and not (is_full and asked.order == "desc"):
        require(bounds.order(run.before.key) < 0, "the leaf before is not before the bounds")
    if run.after is not None and not (is_full and asked.order == "asc"):
        require(bounds.order(run.after.key) > 0, "the leaf after is not after the bounds")


@dataclass(frozen=True)
class _Bounds:
    searched: Key
    first: bytes | None
    last: bytes | None

    @classmethod
    def of(cls, asked: SeriesRange) -> _Bounds:
        first, last = (
            None if period is None else as_part(period, "a bound").encode()
            for period in (asked.period_from, asked.period_to)
        )
        require(first is None or last is None or first <= last, "the first period is after the last")
        return cls(key_of(asked.series), first, last)

    def order(self, key: Key) -> int:
        """Tells whether a key is before the bounds, within them, or after them: -1, 0 or 1."""
        searched = self.searched
        if self.first is None:
            if key < searched:
                return -1
        elif key < (*searched, self.first):
            return -1
        if self.last is None:
            return int(key[: len(searched)] > searched)
        return int(key > (*searched, self.last))
