"""JSON by the rules of the specification: all numbers are doubles, `NaN` is refused, nesting is limited."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, NoReturn, TypeGuard, TypeVar

from ._bytes import MalformedError

if TYPE_CHECKING:
    from collections.abc import Callable

T = TypeVar("T")

MAX_BYTES = 128 * 2**20
MAX_DEPTH = 128
MAX_INTEGER = 2**53 - 1

# cspell:ignore ufeff udfff
# One sign at a time, because a pattern of whole texts takes quadratic time if the last one has no end.
_SIGN = re.compile(r'\\.|["\[\]{}]', re.DOTALL)


def parse(content: bytes | str) -> object:
    """Parses a document.

    >>> parse('{"a": 1, "a": [true, null]}')
    {'a': [True, None]}
    """
    if len(content) > MAX_BYTES:
        raise MalformedError(f"more than {MAX_BYTES} bytes")
    try:
        decoded = content.decode("utf-8") if isinstance(content, bytes) else content
    except UnicodeDecodeError as error:
        raise MalformedError("not UTF-8") from error
    decoded = decoded.removeprefix("\ufeff")
    _refuse_depth(decoded)
    try:
        parsed: object = json.loads(decoded, parse_int=float, parse_float=float, parse_constant=_refuse_constant)
    except json.JSONDecodeError as error:
        raise MalformedError(f"not JSON: {error}") from error
    return parsed


def _refuse_constant(name: str) -> NoReturn:
    raise MalformedError(f"{name} is not JSON")


def _refuse_depth(decoded: str) -> None:
    depth = 0
    in_text = False
    for match in _SIGN.finditer(decoded):
        found = match.group()
        if found == '"':
            in_text = not in_text
        elif in_text:
            continue
        elif found in "[{":
            depth += 1
            if depth > MAX_DEPTH:
                raise MalformedError(f"nested more than {MAX_DEPTH} levels deep")
        elif found in "]}":
            depth -= 1


def is_number(value: object) -> TypeGuard[float]:
    """Whether a value is a JSON number."""
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def as_object(value: object, what: str) -> dict[str, object]:
    """Narrows to an object."""
    if not isinstance(value, dict):
        raise MalformedError(f"{what} is not an object")
    return value


def as_list(value: object, what: str) -> list[object]:
    """Narrows to a list."""
    if not isinstance(value, list):
        raise MalformedError(f"{what} is not a list")
    return value


def as_text(value: object, what: str) -> str:
    """Narrows to a text."""
    if not isinstance(value, str):
        raise MalformedError(f"{what} is not a text")
    return value


def as_integer(value: object, what: str, lowest: int = -MAX_INTEGER, highest: int = MAX_INTEGER) -> int:
    """Narrows to an integer.

    >>> as_integer(2.0, "count")
    2
    """
    if not is_number(value) or not lowest <= value <= highest or value != int(value):
        raise MalformedError(f"{what} is not an integer from {lowest} to {highest}")
    return int(value)


def as_unicode(value: object, what: str) -> str:
    """Narrows to a text without lone surrogates."""
    narrowed = as_text(value, what)
    if any("\ud800" <= character <= "\udfff" for character in narrowed):
        raise MalformedError(f"{what} has a lone surrogate")
    return narrowed


def list_of(value: object, what: str, read: Callable[[object, str], T]) -> list[T]:
    """Narrows each item of a list."""
    return [read(item, f"{what}[{number}]") for number, item in enumerate(as_list(value, what))]
