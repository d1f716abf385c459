"""Tests of the rules for JSON."""

from __future__ import annotations

import pytest

from wattfeed.verify._bytes import MalformedError
from wattfeed.verify._json import MAX_DEPTH, parse


def test_brackets_in_texts_are_no_depth() -> None:
    for text in ("[" * 200, '"[' * 200, '\\"' * 200 + "[" * 200):
        escaped = text.replace("\\", "\\\\").replace('"', '\\"')
        assert parse(f'["{escaped}"]') == [text]


def test_depth_is_limited() -> None:
    nested = "[" * MAX_DEPTH + "]" * MAX_DEPTH
    parse(nested)
    with pytest.raises(MalformedError, match="nested more than 128 levels deep"):
        parse(f'["\\"", {nested}]')


@pytest.mark.parametrize("sign", ['\\"', "\\\\", "[", '\\"['])
def test_text_without_an_end_is_refused_in_linear_time(sign: str) -> None:
    # A quadratic search would take hours.
    with pytest.raises(MalformedError, match="not JSON"):
        parse('"' + sign * 500_000)
