"""An independent verifier of wattfeed's proofs, written from their specification alone.

It needs the library `cryptography`, for signatures.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, TypeAlias, TypeVar

from ._bytes import MalformedError
from ._data_set import check_data_set
from ._documents import (
    read_absence,
    read_document,
    read_feeds,
    read_history,
    read_range,
    read_reading,
    read_series,
)
from ._facts import (
    ANY,
    Attester,
    Check,
    Feed,
    Proven,
    ProvenAbsence,
    ProvenDataSet,
    ProvenFeeds,
    ProvenHistory,
    ProvenRange,
    ProvenReading,
    ProvenSeries,
    RangeValue,
    RefutedError,
    Request,
    Result,
    Series,
    SeriesRange,
    Statement,
    Trust,
    UnreadableError,
    Value,
)
from ._json import as_object, parse
from ._links import check, check_absence, check_feeds, check_history, check_range, check_reading, check_series

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

__all__ = [
    "ANY",
    "Attester",
    "Check",
    "Feed",
    "Proven",
    "ProvenAbsence",
    "ProvenDataSet",
    "ProvenFeeds",
    "ProvenHistory",
    "ProvenRange",
    "ProvenReading",
    "ProvenSeries",
    "RangeValue",
    "RefutedError",
    "Request",
    "Result",
    "Series",
    "SeriesRange",
    "Statement",
    "Trust",
    "UnreadableError",
    "Value",
    "verify",
    "verify_absence",
    "verify_data_set",
    "verify_feeds",
    "verify_history",
    "verify_range",
    "verify_reading",
    "verify_series",
]

T = TypeVar("T")
Source: TypeAlias = "bytes | str | Mapping[str, object]"
_ANYTHING = Request()


def _read(source: Source, read: Callable[[dict[str, object]], T]) -> T:
    try:
        content = source if isinstance(source, (bytes, str)) else json.dumps(source, allow_nan=False)
        parsed = parse(content)
    except (ValueError, TypeError, RecursionError) as error:
        raise UnreadableError(str(error)) from error
    try:
        return read(as_object(parsed, "the document"))
    except MalformedError as error:
        unreadable = UnreadableError(str(error))
        unreadable.code = "decode"
        raise unreadable from error


def verify(source: Source, trust: Trust, request: Request = _ANYTHING) -> Result:
    """Checks a document of any kind: JSON as text or bytes, or parsed.

    Raises `RefutedError` with the first link that does not hold, and `UnreadableError` for what is not a
    proof.

    >>> trust = Trust("00" * 32, "casper-test", "00" * 32, "00" * 32)
    >>> verify("[]", trust)
    Traceback (most recent call last):
    wattfeed.verify._facts.UnreadableError: the document is not an object
    """
    return check(_read(source, read_document), trust, request)


def verify_reading(source: Source, trust: Trust, request: Request = _ANYTHING) -> ProvenReading:
    """Checks the proof of a reading.

    >>> trust = Trust("00" * 32, "casper-test", "00" * 32, "00" * 32)
    >>> verify_reading({"reading": None}, trust)
    Traceback (most recent call last):
    wattfeed.verify._facts.UnreadableError: reading is not an object
    """
    return check_reading(_read(source, read_reading), trust, request)


def verify_absence(source: Source, trust: Trust, request: Request = _ANYTHING) -> ProvenAbsence:
    """Checks the proof that a feed or its newest value is absent.

    >>> trust = Trust("00" * 32, "casper-test", "00" * 32, "00" * 32)
    >>> verify_absence({"error": "…", "absence": None}, trust)
    Traceback (most recent call last):
    wattfeed.verify._facts.UnreadableError: absence is not an object
    """
    return check_absence(_read(source, read_absence), trust, request)


def verify_feeds(source: Source, trust: Trust, request: Request = _ANYTHING) -> ProvenFeeds:
    """Checks the proof of the list of all feeds.

    >>> trust = Trust("00" * 32, "casper-test", "00" * 32, "00" * 32)
    >>> verify_feeds({"format": 1}, trust)
    Traceback (most recent call last):
    wattfeed.verify._facts.UnreadableError: the format is not 2
    """
    return check_feeds(_read(source, read_feeds), trust, request)


def verify_history(source: Source, trust: Trust, request: Request = _ANYTHING) -> ProvenHistory:
    """Checks the proof of all values of a feed.

    >>> trust = Trust("00" * 32, "casper-test", "00" * 32, "00" * 32)
    >>> verify_history("NaN", trust)
    Traceback (most recent call last):
    wattfeed.verify._facts.UnreadableError: NaN is not JSON
    """
    return check_history(_read(source, read_history), trust, request)


def verify_series(source: Source, trust: Trust, request: Request = _ANYTHING) -> ProvenSeries:
    """Checks the proof of a series of a dataset: of a value, or that there is none.

    That there is none is proven if the attester has sorted the tree. See the page "Verified reads".

    >>> trust = Trust("00" * 32, "casper-test", "00" * 32, "00" * 32)
    >>> verify_series({"format": 2, "statement": "value"}, trust)
    Traceback (most recent call last):
    wattfeed.verify._facts.UnreadableError: the format is not 1
    """
    return check_series(_read(source, read_series), trust, request)


def verify_range(source: Source, trust: Trust, request: Request = _ANYTHING) -> ProvenRange:
    """Checks the proof of all values of a range of a series.

    That there are no others is proven if the attester has sorted the tree. See the page "Verified reads".

    >>> trust = Trust("00" * 32, "casper-test", "00" * 32, "00" * 32)
    >>> verify_range({"format": 2, "range": {}}, trust)
    Traceback (most recent call last):
    wattfeed.verify._facts.UnreadableError: the format is not 1
    """
    return check_range(_read(source, read_range), trust, request)


def verify_data_set(lines: Iterable[bytes], trust: Trust) -> ProvenDataSet:
    """Checks the proof of a whole data set, line by line: the file `_proofs.jsonl`, opened for bytes.

    Rows of the data set are not compared.

    >>> trust = Trust("00" * 32, "casper-test", "00" * 32, "00" * 32)
    >>> verify_data_set([b"{}"], trust)
    Traceback (most recent call last):
    wattfeed.verify._facts.UnreadableError: the first line is not that of a data set's proof
    """
    return check_data_set(lines, trust)
