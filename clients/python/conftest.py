"""Lets the examples of the documentation read the server that the tests start."""

# cspell:ignore dtest

import os

import pytest

EXAMPLE = "http://localhost:4030"


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Replaces the server of the examples by that of ``WATTFEED_URL``."""
    url = os.environ.get("WATTFEED_URL", EXAMPLE)
    for item in items:
        if isinstance(item, pytest.DoctestItem):
            for example in item.dtest.examples:
                example.source = example.source.replace(EXAMPLE, url)
