"""Settings of hypothesis. Lets the examples of the documentation read the server that the tests start."""

# cspell:ignore derandomize dtest

import os

import pytest
from hypothesis import settings

# The same examples in each run, at any speed, and no file of those that failed.
EXAMPLES = int(os.environ.get("EXAMPLES", "100"))
settings.register_profile("wattfeed", max_examples=EXAMPLES, deadline=None, derandomize=True, database=None)
settings.load_profile("wattfeed")

EXAMPLE = "http://localhost:4030"


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Replaces the server of the examples by that of ``WATTFEED_URL``."""
    url = os.environ.get("WATTFEED_URL", EXAMPLE)
    for item in items:
        if isinstance(item, pytest.DoctestItem):
            for example in item.dtest.examples:
                example.source = example.source.replace(EXAMPLE, url)
