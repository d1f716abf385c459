"""Exceptions that leave their process, and are copied."""

import copy
import importlib
import pickle
import pkgutil
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from typing import Any

import pytest

import wattfeed
from wattfeed.errors import (
    AnswerError,
    ApiError,
    DeadlineError,
    NotCoveredError,
    NotFoundError,
    SnapshotGoneError,
    TransportError,
    WattfeedError,
)
from wattfeed.verify import RefutedError, UnreadableError
from wattfeed.verify._bytes import MalformedError
from wattfeed.verify._data_set import _MissingError
from wattfeed.verify._facts import Check

NOT_FOUND = NotFoundError("feed not found on-chain: A.WTI", 404, "feed_not_found")
NOT_FOUND.suggestion = "A.WTI.DAILY"
UNREADABLE = UnreadableError("not a proof")
UNREADABLE.code = "decode"

EXAMPLES: list[Exception] = [
    WattfeedError("the base"),
    TransportError("nothing listens", is_refused=True),
    DeadlineError("no answer"),
    AnswerError("no JSON"),
    ApiError("retry later", 503, "stream_ahead", 2.5),
    NOT_FOUND,
    NotCoveredError("the root lacks the column", 404, "not_covered"),
    SnapshotGoneError("the files are gone", 410, "snapshot_gone"),
    UNREADABLE,
    MalformedError("no bytes"),
    _MissingError("no element"),
    RefutedError("block 903", "its hash differs", [Check("block 902", "final")]),
]


def facts(error: BaseException) -> tuple[object, ...]:
    return type(error), str(error), error.args, vars(error), getattr(error, "code", None)


def failure(number: int) -> None:
    raise EXAMPLES[number]


def test_every_exception_of_the_package_is_tried() -> None:
    names = {each.name for each in pkgutil.walk_packages(wattfeed.__path__, "wattfeed.")} - {"wattfeed.__main__"}
    modules = [importlib.import_module(each) for each in names]
    found = {each for module in modules for each in vars(module).values() if isinstance(each, type)}
    exceptions = {each for each in found if issubclass(each, BaseException) and each.__module__.startswith("wattfeed")}
    assert exceptions == {type(each) for each in EXAMPLES}


@pytest.mark.parametrize("error", EXAMPLES, ids=lambda error: type(error).__name__)
@pytest.mark.parametrize(
    "copied", [lambda each: pickle.loads(pickle.dumps(each)), copy.copy, copy.deepcopy], ids=["pickle", "copy", "deep"]
)
def test_a_copy_has_the_message_and_the_facts(error: Exception, copied: Callable[[Any], Any]) -> None:
    assert facts(copied(error)) == facts(error)


def test_an_exception_of_a_process_pool_reaches_the_caller() -> None:
    with ProcessPoolExecutor(1, get_context("spawn")) as pool:
        work = [pool.submit(failure, number) for number in range(len(EXAMPLES))]
        raised = [each.exception(timeout=120) for each in work]
    assert [facts(each) for each in raised if each is not None] == [facts(each) for each in EXAMPLES]
