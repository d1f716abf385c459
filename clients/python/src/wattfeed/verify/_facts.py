"""What a caller trusts and requests, and what a verifier finds."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from decimal import Decimal
from enum import Enum
from typing import TYPE_CHECKING, Literal, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Mapping

_HASH = re.compile(r"[0-9a-fA-F]{64}\Z")


class Any(Enum):
    """The type of `ANY`."""

    ANY = "any"


Statement = Literal["value", "newest", "no_period", "no_series"]
"""What a proof says of a series: its value of a period, its newest value, or that there is none."""

ANY: Literal[Any.ANY] = Any.ANY
"""Any index: the document may be of the newest value or of a past one."""


def _hash(value: str, name: str) -> str:
    if _HASH.match(value) is None:
        raise ValueError(f"{name} must be 64 hex digits, not {value!r}")
    return value.lower()


@dataclass(frozen=True)
class Trust:
    """The facts that a caller trusts. Hashes may be of either case, those of packages may start with `hash-`.

    >>> Trust("AB" * 32, "casper-test", "hash-" + "cd" * 32, "ef" * 32).trusted_block_hash[:4]
    'abab'
    """

    trusted_block_hash: str
    chain_name: str
    feed_registry_package_hash: str
    attestation_registry_package_hash: str
    max_age_ms: float | None = None
    """Maximum age of the document's block. Without it, the age is not limited."""
    now_ms: float | None = None
    """The clock, in milliseconds since 1970. Without it, the machine's clock."""

    def __post_init__(self) -> None:
        """Checks and converts the hashes."""
        for name in ("feed_registry_package_hash", "attestation_registry_package_hash"):
            value: str = getattr(self, name)
            object.__setattr__(self, name, _hash(value.removeprefix("hash-"), name))
        object.__setattr__(self, "trusted_block_hash", _hash(self.trusted_block_hash, "trusted_block_hash"))
        try:
            self.chain_name.encode()
        except UnicodeEncodeError as error:
            raise ValueError(f"chain_name must be a text, not {self.chain_name!r}") from error

    @property
    def registries(self) -> dict[str, str]:
        """The three texts that a document must have."""
        return {
            "chain_name": self.chain_name,
            "feed_registry_package_hash": self.feed_registry_package_hash,
            "attestation_registry_package_hash": self.attestation_registry_package_hash,
        }


@dataclass(frozen=True)
class Series:
    """A series of a dataset, and one of its periods; without a period, its newest value."""

    route: str
    frequency: str
    column: str
    facets: Mapping[str, str | None]
    """The value of **every** facet of the dataset; None if the series has none."""
    period: str | None = None

    def __str__(self) -> str:
        """Gives the words of the command, without the period.

        >>> str(Series("petroleum/pri/spt", "daily", "value", {"series": "RWTC", "product": None}))
        'petroleum/pri/spt daily value product= series=RWTC'
        """
        facets = (f"{name}={value or ''}" for name, value in sorted(self.facets.items()))
        return " ".join([self.route, self.frequency, self.column, *facets])


@dataclass(frozen=True)
class SeriesRange:
    """Some values of a series: those of the periods between two bounds, or the first of these in an order."""

    route: str
    frequency: str
    column: str
    facets: Mapping[str, str | None]
    """The value of **every** facet of the dataset; None if the series has none."""
    period_from: str | None = None
    """The first period, or None for no bound."""
    period_to: str | None = None
    """The last period, or None for no bound."""
    order: Literal["asc", "desc"] = "asc"
    """Which values are the first: the oldest, or with `desc` the newest. Without a limit, it says nothing."""
    limit: int | None = None
    """The largest number of values, or None for all."""

    @property
    def series(self) -> Series:
        """The series, without a period."""
        return Series(self.route, self.frequency, self.column, self.facets)

    def is_same(self, other: SeriesRange) -> bool:
        """Whether the other range has the same values. Without a limit, the order does not matter."""
        return self == other or (self.limit is None and replace(self, order=other.order) == other)

    def __str__(self) -> str:
        """Gives the words of the command.

        >>> str(SeriesRange("petroleum/pri/spt", "daily", "value", {}, "2026-11-02", order="desc", limit=10))
        'petroleum/pri/spt daily value from 2026-11-02, the newest 10'
        """
        first = "" if self.period_from is None else f" from {self.period_from}"
        last = "" if self.period_to is None else f" to {self.period_to}"
        part = "" if self.limit is None else f", the {'oldest' if self.order == 'asc' else 'newest'} {self.limit}"
        return f"{self.series}{first}{last}{part}"


@dataclass(frozen=True)
class Request:
    """What a caller requested. What is left out may be anything."""

    feed_id: str | None = None
    index: int | Literal[Any.ANY] | None = ANY
    """An index in the feed's history, or None for the newest value."""
    list: Literal["feeds", "history"] | None = None
    series: Series | None = None
    range: SeriesRange | None = None
    """Then `index` is that of the attestation of the root."""

    @property
    def is_empty(self) -> bool:
        """Whether nothing was requested."""
        return self == Request()


@dataclass(frozen=True)
class Check:
    """A link that holds."""

    link: str
    detail: str

    def __str__(self) -> str:
        """Gives the line of the command."""
        return f"{self.link}: {self.detail}" if self.detail else self.link


class UnreadableError(ValueError):
    """The document is not JSON, or does not have the form of a proof.

    The code is `decode` for JSON of the wrong form, and `unreadable_proof` otherwise.
    """

    code = "unreadable_proof"


class RefutedError(Exception):
    """A link of a proof does not hold; `link` is the first such link."""

    def __init__(self, link: str, reason: str, checks: list[Check]) -> None:
        """Names the link, why it does not hold, and the checks before it."""
        # A copy of an exception, as a process pool makes one, is created from these.
        super().__init__(link, reason, checks)
        self.link = link
        self.reason = reason
        self.checks = checks

    def __str__(self) -> str:
        """Names the link, and why it does not hold."""
        return f"{self.link}: {self.reason}"


@dataclass(frozen=True)
class Attester:
    """Who may attest to a feed. A contract has no keys."""

    address: str
    keys: tuple[tuple[str, int], ...] = ()
    """Account hashes and weights."""
    deployment_threshold: int | None = None
    key_management_threshold: int | None = None

    @property
    def least_signers(self) -> int:
        """The least number of keys that can sign together; 0 if all of them cannot.

        >>> Attester("account-hash-…", (("a", 1), ("b", 3), ("c", 1)), 4, 5).least_signers
        2
        """
        weight = 0
        for number, heaviest in enumerate(sorted((weight for _, weight in self.keys), reverse=True), 1):
            weight += heaviest
            if weight >= (self.deployment_threshold or 0):
                return number
        return 0


@dataclass(frozen=True)
class Feed:
    """The metadata of a feed."""

    decimals: int
    unit: str
    title: str
    source: str
    route: str
    frequency: str
    description: str


@dataclass(frozen=True)
class Value:
    """A value on chain."""

    period: int
    amount: int
    source_hash: str
    attester: str
    timestamp: int


@dataclass(frozen=True)
class Proven:
    """What all proven documents have: the checks, and the block at which they hold."""

    checks: list[Check]
    block_hash: str
    block_height: int
    block_timestamp_ms: int


@dataclass(frozen=True)
class ProvenReading(Proven):
    """A proven value of a feed."""

    feed_id: str
    feed: Feed
    value: Value
    number: float
    """The amount in the feed's unit: the nearest double."""
    index: int | None
    """The index in the feed's history, or None for the newest value."""
    count: int | None
    """The number of the feed's values, or None in format 1."""
    attester: Attester | None
    is_attester_missing: bool
    """Whether the server could not prove the attester that was requested."""

    def __str__(self) -> str:
        """Gives the line of the command."""
        place = [] if self.index is None else [f"index {self.index}"]
        details = [f"amount {self.value.amount}", f"period {self.value.period}", *place, *self._number]
        return f"{self._title} ({', '.join(details)})"

    @property
    def summary(self) -> str:
        """Gives the text of the last link."""
        return ", ".join([self._title, f"period {self.value.period}", *self._number])

    @property
    def _title(self) -> str:
        return f"{self.feed_id} = {plain(self.number)} {self.feed.unit}"

    @property
    def _number(self) -> list[str]:
        if self.count is None:
            return []
        return [f"number {self.count if self.index is None else self.index + 1} of {self.count}"]


@dataclass(frozen=True)
class ProvenAbsence(Proven):
    """A proven absence of a feed, or of its newest value."""

    feed_id: str
    absent: Literal["feed", "value"]

    def __str__(self) -> str:
        """Gives the line of the command."""
        missing = "is not registered" if self.absent == "feed" else "has no value"
        return f"{self.feed_id} {missing} as of block {self.block_height}"


@dataclass(frozen=True)
class ProvenFeeds(Proven):
    """The proven list of all feeds."""

    feed_ids: list[str]

    def __str__(self) -> str:
        """Gives the line of the command."""
        return f"{len(self.feed_ids)} feeds are registered, and no others, as of block {self.block_height}"


@dataclass(frozen=True)
class ProvenHistory(Proven):
    """The proven list of all values of a feed."""

    feed_id: str
    values: list[Value]

    def __str__(self) -> str:
        """Gives the line of the command."""
        return f"{self.feed_id}, its complete history (count {len(self.values)}, block {self.block_height})"


@dataclass(frozen=True)
class ProvenSeries(Proven):
    """A proven statement about a series of a dataset."""

    series: Series
    """The series, and the period that was asked for."""
    statement: Statement
    period: str | None
    """The period of the value, or None if there is none."""
    value: str | None
    """The text that EIA sent. None if EIA withholds it, or if there is no value."""
    unit: str | None
    leaf_index: int | None
    """The index of the value's leaf, or None if there is none."""
    root: ProvenReading
    """The attestation of the dataset's root."""

    @property
    def size(self) -> int:
        """The number of the dataset's values."""
        return self.root.value.amount

    def __str__(self) -> str:
        """Gives the line of the command."""
        # Not the newest root: a later one may say something else.
        root = "" if self.root.index is None else f", root {self.root.index}"
        if self.statement == "no_series":
            return f"{self.series} has no value (of {self.size} values{root})"
        if self.statement == "no_period":
            return f"{self.series} has no value for {self.series.period} (of {self.size} values{root})"
        newest = " newest" if self.statement == "newest" else ""
        value = "withheld" if self.value is None else self.value
        unit = "" if self.unit is None else f" {self.unit}"
        return f"{self.series}{newest} {self.period} = {value}{unit} (leaf {self.leaf_index} of {self.size}{root})"


@dataclass(frozen=True)
class RangeValue:
    """One value of a proven range."""

    period: str
    value: str | None
    """The text that EIA sent, or None if EIA withholds it."""
    unit: str | None


@dataclass(frozen=True)
class ProvenRange(Proven):
    """All values of a range of a series."""

    range: SeriesRange
    values: tuple[RangeValue, ...]
    """The values, oldest first. There are no others, if the attester has sorted the tree."""
    first_index: int | None
    """The index of the first value's leaf, or None without values."""
    root: ProvenReading
    """The attestation of the dataset's root."""

    @property
    def size(self) -> int:
        """The number of the dataset's values."""
        return self.root.value.amount

    def __str__(self) -> str:
        """Gives the line of the command."""
        # Not the newest root: a later one may say something else.
        root = "" if self.root.index is None else f", root {self.root.index}"
        count = len(self.values)
        found = "no value" if count == 0 else "1 value" if count == 1 else f"{count} values"
        return f"{self.range} has {found} (of {self.size}{root})"


@dataclass(frozen=True)
class ProvenDataSet(Proven):
    """A proven data set: all feeds, all their values, and all events."""

    feeds: dict[str, Feed]
    """The metadata of each feed, in the order of registration."""
    values: dict[str, list[Value]]
    """The values of each feed."""
    event_counts: dict[str, int]
    """The number of events of each registry."""
    state_root_hash: str

    def __str__(self) -> str:
        """Gives the line of the command."""
        events = sum(self.event_counts.values())
        found = f"all {self.value_count} values of all {len(self.feeds)} feeds, and all {events} events"
        return f"{found}, as of block {self.block_height} (no rows compared)"

    @property
    def value_count(self) -> int:
        """The number of values of all feeds."""
        return sum(map(len, self.values.values()))


Result: TypeAlias = "ProvenReading | ProvenAbsence | ProvenFeeds | ProvenHistory | ProvenSeries | ProvenRange"


def plain(number: float) -> str:
    """Writes a number as the command does.

    >>> plain(58.0), plain(58.46), plain(7e-06), plain(1e-7)
    ('58', '58.46', '0.000007', '1e-7')
    """
    if number == 0 or 1e-6 <= abs(number) < 1e21:
        return f"{Decimal(repr(number)):f}".removesuffix(".0")
    mantissa, exponent = f"{number!r}".split("e")
    return f"{mantissa}e{int(exponent):+d}"
