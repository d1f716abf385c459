"""All values of a snapshot, checked against its root. Needs what the verifier needs."""

from __future__ import annotations

from array import array
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from math import nan
from typing import TYPE_CHECKING

from wattfeed._operations import PARALLEL
from wattfeed._snapshots import is_url, reader_of
from wattfeed._table_columns import facet_column
from wattfeed.models import number_of
from wattfeed.verify import RefutedError
from wattfeed.verify._bytes import MalformedError
from wattfeed.verify._leaves import Leaf, leaf_hash, node_hash, read_leaf

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

#: Leaves of a full bundle.
_WIDTH = 256
#: Bundles that are in memory at once, each of some 90 kB. A server is asked for some of them in parallel.
_WINDOW = 32


@dataclass
class Codes:
    """A column of texts, of which each is kept once."""

    texts: list[str | None] = field(default_factory=list)
    numbers: array[int] = field(default_factory=lambda: array("I"))
    _places: dict[str | None, int] = field(default_factory=dict)

    def add(self, text: str | None) -> None:
        """Adds the text of a row."""
        place = self._places.setdefault(text, len(self.texts))
        if place == len(self.texts):
            self.texts.append(text)
        self.numbers.append(place)


@dataclass
class CheckedRows:
    """All rows of a snapshot."""

    route: str
    frequency: str
    facets: tuple[str, ...]
    codes: dict[str, Codes]
    numbers: array[float] = field(default_factory=lambda: array("d"))

    @classmethod
    def like(cls, leaf: Leaf) -> CheckedRows:
        """Empty columns for leaves like this one."""
        facets = tuple(name for name, _ in leaf.facets)
        names = ["column", *map(facet_column, facets), "period", "value", "unit"]
        return cls(leaf.route, leaf.frequency, facets, {name: Codes() for name in names})

    def add(self, leaf: Leaf) -> None:
        """Adds a row."""
        if (leaf.route, leaf.frequency, tuple(name for name, _ in leaf.facets)) != (
            self.route,
            self.frequency,
            self.facets,
        ):
            raise MalformedError("it is of another dataset, or has other facets")
        texts = (leaf.column, *(value for _, value in leaf.facets), leaf.period, leaf.value, leaf.unit)
        for codes, text in zip(self.codes.values(), texts, strict=True):
            codes.add(text)
        number = number_of(leaf.value)
        self.numbers.append(nan if number is None else number)


class _Tree:
    """The root of a tree of RFC 6962 whose leaves come one by one. It keeps a hash for each power of two."""

    def __init__(self) -> None:
        self.size = 0
        self._peaks: list[bytes] = []

    def add(self, hashed: bytes) -> None:
        """Adds the hash of a leaf."""
        # As in a binary counter, each trailing one of the size is a complete tree beside which this leaf ends another.
        place = self.size
        while place % 2 == 1:
            hashed = node_hash(self._peaks.pop(), hashed)
            place //= 2
        self._peaks.append(hashed)
        self.size += 1

    def root(self) -> bytes:
        """The root of the leaves so far."""
        *peaks, root = self._peaks
        for peak in reversed(peaks):
            root = node_hash(peak, root)
        return root


def read_checked(folder: str | Path, root: str, size: int) -> CheckedRows:
    """Reads all values of a snapshot, and checks that they are those of a root, and sorted."""
    if size < 1:
        raise ValueError(f"size is {size}: it must be at least 1")
    tree, rows, before = _Tree(), None, None
    try:
        for content in _leaves(folder, size):
            leaf = read_leaf(content.decode())
            _require_order(before, leaf)
            before = leaf
            rows = rows or CheckedRows.like(leaf)
            rows.add(leaf)
            tree.add(leaf_hash(content))
    except (MalformedError, UnicodeDecodeError) as error:
        raise RefutedError("leaves", f"the value {tree.size} of {folder} is wrong: {error}", []) from error
    # A value that is not of the root shows here.
    reached = tree.root().hex()
    if rows is None or reached != root:
        raise RefutedError("leaves", f"the values of {folder} lead to the root {reached}, not to {root}", [])
    return rows


def _require_order(before: Leaf | None, leaf: Leaf) -> None:
    if before is not None and leaf.key <= before.key:
        raise MalformedError("it does not follow the one before it")


def _leaves(folder: str | Path, size: int) -> Iterator[bytes]:
    read, count = reader_of(folder), -(-size // _WIDTH)
    with ThreadPoolExecutor(PARALLEL if is_url(folder) else 1) as pool:
        for start in range(0, count, _WINDOW):
            window = range(start, min(start + _WINDOW, count))
            widths = [min(_WIDTH, size - number * _WIDTH) for number in window]
            paths = [_path(number, width) for number, width in zip(window, widths, strict=True)]
            for bundle, width in zip(pool.map(read, paths), widths, strict=True):
                yield from _split(bundle, width)


def _path(number: int, width: int) -> str:
    """The path of a bundle by C2SP tlog-tiles.

    >>> _path(1234067, 256), _path(0, 12)
    ('tile/entries/x001/x234/067', 'tile/entries/000.p/12')
    """
    digits = str(number)
    digits = digits.zfill(-(-len(digits) // 3) * 3)
    *groups, end = (digits[place : place + 3] for place in range(0, len(digits), 3))
    return f"tile/entries/{''.join(f'x{group}/' for group in groups)}{end}{'' if width == _WIDTH else f'.p/{width}'}"


def _split(bundle: bytes, width: int) -> Iterator[bytes]:
    """The leaves of a bundle, each after its length."""
    place = 0
    for _ in range(width):
        end = place + 2 + int.from_bytes(bundle[place : place + 2], "big")
        if place + 2 > len(bundle) or end > len(bundle):
            raise MalformedError("its file ends before it")
        yield bundle[place + 2 : end]
        place = end
    if place != len(bundle):
        raise MalformedError("more follows in the file of the one before it")
