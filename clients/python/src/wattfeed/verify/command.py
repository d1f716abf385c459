"""The command `verify`: checks a proof offline, and prints each link."""

from __future__ import annotations

import argparse
import json
import re
import sys
from dataclasses import replace
from http.client import HTTPException, HTTPResponse
from pathlib import Path
from typing import TYPE_CHECKING, TextIO, TypeVar
from urllib.error import HTTPError, URLError
from urllib.parse import parse_qs, parse_qsl, unquote, urlsplit, urlunsplit
from urllib.request import HTTPRedirectHandler, build_opener
from urllib.request import Request as HttpRequest

from wattfeed._decode import Answer, error_of
from wattfeed._http import Server, unpacked
from wattfeed._terminal import escaped
from wattfeed.errors import AnswerError

from . import (
    ProvenAbsence,
    ProvenDataSet,
    ProvenFeeds,
    ProvenHistory,
    ProvenRange,
    ProvenReading,
    ProvenSeries,
    RefutedError,
    Request,
    Series,
    SeriesRange,
    Trust,
    UnreadableError,
    verify,
    verify_data_set,
)
from ._data_set import DATA_SET_START, MAX_LINE_BYTES
from ._json import MAX_BYTES, MAX_INTEGER
from ._links import history_item_of, reading_of

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from . import Attester, Check, Result

T = TypeVar("T")

PROVEN, REFUTED, UNREADABLE = 0, 1, 2

_TIMEOUT_S = 120
# cspell:ignore udfff
_LONE_SURROGATE = re.compile("[\ud800-\udfff]")
_FEEDS = re.compile(r"/v1/feeds\.proof/?\Z")
_FEED = re.compile(r"/v1/feeds/([^/]+)/(?:proof|history/(\d{1,16})/proof|(history\.proof))/?\Z", re.ASCII)
_SERIES = re.compile(r"/v1/series/proof/?\Z")
_RANGE = re.compile(r"/v1/series/history/proof/?\Z")
_SERIES_PARAMETERS = ("route", "frequency", "column")
_RANGE_PARAMETERS = ("period_from", "period_to", "order", "limit", "index", "cursor")
_INTEGER = re.compile("0|[1-9][0-9]{0,15}")
_CURSOR = re.compile("(0|[1-9][0-9]{0,15})\\.[0-9a-f]{16}\\.(.+)", re.DOTALL)
_FACET = "facet."
_DESCRIPTION = """\
Checks the proof of a reading, of a history, of the list of feeds, of a series of a dataset, of a range of one or
of a data set offline, from one trusted block hash, and shows each link."""
_EPILOG = """\
Exit code: 0 proven, 1 refuted, 2 unreadable or wrong usage. The proof that a feed is not registered,
or that a feed or a series has no value, is proven, too. Then "reading" of --json is null.

Only the options are trusted: the block hash (of a switch block, the last block of an era), the
chain's name and both registries. Take them from sources that you trust.

From a URL, the proof must be of the feed and the value, of the list, of the series or of the range, that the URL names.
The URL of a series that lacks a part of it, or has one twice, is unreadable. Redirects are not followed.

The file _proofs.jsonl of "wattfeed export --proofs" proves a whole data set. This command does not
compare its rows; "wattfeed verify" does."""


class _NoRedirects(HTTPRedirectHandler):
    def redirect_request(self, *_: object) -> None:
        return None


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Adds the arguments of the command to a parser."""
    parser.description = _DESCRIPTION
    parser.epilog = _EPILOG
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    add = parser.add_argument
    add("source", help="a file, the URL of a proof, or - for standard input")
    add("--trust", required=True, metavar="<block hash>", help="the hash of a switch block that you trust")
    add("--chain-name", default="casper-test", metavar="<name>", help="the chain (default: %(default)s)")
    add(
        "--feed-registry",
        default="741cc223c14c2c00c9f06d7bb5c4be2f824fbf0c8b09a147bf1835570bddf5b6",
        metavar="<package hash>",
        help="the FeedRegistry (default: %(default)s)",
    )
    add(
        "--attestation-registry",
        default="236b510436c60b6a797d175c72c6014de367d43f1de1ca45f580d112f98116cc",
        metavar="<package hash>",
        help="the AttestationRegistry (default: %(default)s)",
    )
    add("--max-age", type=_age, metavar="<ms>", help="maximum age of its block, in milliseconds")
    add("--json", action="store_true", help="print one JSON object")


def run(options: argparse.Namespace, output: TextIO | None = None) -> int:
    """Runs the command with these options, and gives its exit code."""
    out = sys.stdout if output is None else output
    source: str = options.source
    try:
        trust = Trust(
            options.trust,
            options.chain_name,
            options.feed_registry,
            options.attestation_registry,
            options.max_age,
        )
    except ValueError as error:
        print(f"error: {error}", file=sys.stderr)
        return UNREADABLE
    try:
        result = _verify(source, trust)
    except UnreadableError as error:
        if options.json:
            _print_json({"error": {"code": error.code, "message": str(error)}}, out)
        else:
            print(escaped(f"unreadable: {error}"), file=sys.stderr)
        return UNREADABLE
    except RefutedError as error:
        _print_refuted(error, out, "data_set" if _is_data_set(source) else "reading", as_json=options.json)
        return REFUTED
    _print_proven(result, out, as_json=options.json)
    return PROVEN


def _verify(source: str, trust: Trust) -> Result | ProvenDataSet:
    if _is_data_set(source):
        with Path(source).open("rb") as file:
            return _named(source, lambda: verify_data_set(iter(lambda: file.readline(MAX_LINE_BYTES + 1), b""), trust))
    content, request = _load(source, trust)
    return _named(source, lambda: verify(content, trust, request))


def _named(source: str, check: Callable[[], T]) -> T:
    """Adds the source to the error of a document that is not a proof."""
    try:
        return check()
    except UnreadableError as error:
        named = UnreadableError(f"{_shown(source)} is not a proof: {error}")
        named.code = error.code
        raise named from error


def _is_data_set(source: str) -> bool:
    try:
        with Path(source).open("rb") as file:
            return file.read(len(DATA_SET_START)) == DATA_SET_START
    except (OSError, ValueError):
        return False


def _age(text: str) -> int:
    if re.fullmatch("[0-9]{1,15}", text) is None:
        raise argparse.ArgumentTypeError("must be a whole number from 0 to 999999999999999")
    return int(text)


def request_of(url: str) -> Request:
    """Gives what an address requests.

    Raises:
        UnreadableError: It is the address of a series or of a range, and does not name one.

    >>> request_of("http://localhost:4030/v1/feeds/A.B/history/3/proof")
    Request(feed_id='A.B', index=3, list=None, series=None, range=None)
    """
    path = urlsplit(url).path
    if _SERIES.search(path):
        series, others = _parts_of(url, ("period",))
        return Request(series=replace(series, period=others.get("period")))
    if _RANGE.search(path):
        return _range_of(url)
    if _FEEDS.search(path):
        return Request(list="feeds")
    match = _FEED.search(path)
    feed_id = None if match is None else _decoded(match[1])
    if match is None or feed_id is None:
        return Request()
    if match[3]:
        return Request(feed_id=feed_id, list="history")
    return Request(feed_id=feed_id, index=None if match[2] is None else int(match[2]))


def _decoded(text: str) -> str | None:
    try:
        return unquote(text, errors="strict")
    except UnicodeDecodeError:
        return None


def _parts_of(url: str, names: Sequence[str]) -> tuple[Series, dict[str, str]]:
    """Gives the series that an address names, and its other parts.

    If it could be read in two ways, a proof of any series would seem to be that of the address.
    """
    members: dict[str, str] = {}
    for name, text in parse_qsl(urlsplit(url).query, keep_blank_values=True):
        if not name.startswith(_FACET) and name not in _SERIES_PARAMETERS and name not in names:
            continue
        if name in members:
            raise UnreadableError(f'{_shown(url)} has "{name}" twice; name each part of the series once')
        members[name] = text
    facets = {name.removeprefix(_FACET): text or None for name, text in members.items() if name.startswith(_FACET)}
    missing = [name for name in _SERIES_PARAMETERS if not members.get(name)]
    missing += [name for name in names if members.get(name) == ""]
    if missing:
        raise UnreadableError(
            f'{_shown(url)} has no text for "{missing[0]}"; take the address of a proof as the server gives it'
        )
    route, frequency, column = (members[name] for name in _SERIES_PARAMETERS)
    return Series(route, frequency, column, facets), {name: members[name] for name in names if name in members}


def _range_of(url: str) -> Request:
    """Gives the range that an address names. A cursor replaces a bound, and names the attestation of the root."""
    series, parts = _parts_of(url, _RANGE_PARAMETERS)
    order, limit, index = parts.get("order", "asc"), parts.get("limit"), parts.get("index")
    if order not in ("asc", "desc"):
        raise UnreadableError(f'{_shown(url)} has an "order" that is neither asc nor desc')
    if limit is not None and (limit == "0" or not _is_integer(limit)):
        raise UnreadableError(f'{_shown(url)} has a "limit" that is not an integer of at least 1')
    if index is not None and ("cursor" in parts or not _is_integer(index)):
        raise UnreadableError(f'{_shown(url)} has an "index" that is not an integer, or is there beside a cursor')
    asked = SeriesRange(
        series.route,
        series.frequency,
        series.column,
        series.facets,
        parts.get("period_from"),
        parts.get("period_to"),
        "asc" if order == "asc" else "desc",
        None if limit is None else int(limit),
    )
    if "cursor" not in parts:
        return Request(range=asked) if index is None else Request(index=int(index), range=asked)
    cursor = _CURSOR.fullmatch(parts["cursor"])
    if cursor is None or not _is_integer(cursor[1]):
        raise UnreadableError(f'{_shown(url)} has a "cursor" that no server gives')
    asked = replace(asked, period_from=cursor[2]) if order == "asc" else replace(asked, period_to=cursor[2])
    return Request(index=int(cursor[1]), range=asked)


def _is_integer(text: str) -> bool:
    return _INTEGER.fullmatch(text) is not None and int(text) <= MAX_INTEGER


def _is_url(source: str) -> bool:
    return re.match("https?://", source, re.IGNORECASE) is not None


def _shown(source: str) -> str:
    """A source without the user, the password and the query of a URL."""
    if not _is_url(source):
        return source
    parts = urlsplit(source)
    return urlunsplit((parts.scheme, parts.netloc.rpartition("@")[2], parts.path, "", ""))


def _load(source: str, trust: Trust) -> tuple[bytes, Request]:
    if _is_url(source):
        request = request_of(source)
        return _fetch(source, trust), request
    try:
        if source == "-":
            return sys.stdin.buffer.read(MAX_BYTES + 1), Request()
        with Path(source).open("rb") as file:
            return file.read(MAX_BYTES + 1), Request()
    except (OSError, ValueError) as error:
        raise UnreadableError(
            f"{source} cannot be read; name a file, a URL, or - for standard input ({error})"
        ) from error


def _with_from(url: str, block_hash: str) -> str:
    parts = urlsplit(url)
    query = parts.query
    if "from" not in parse_qs(query, keep_blank_values=True):
        query = f"{query}&from={block_hash}" if query else f"from={block_hash}"
    return urlunsplit(parts._replace(query=query, fragment=""))


def _fetch(url: str, trust: Trust) -> bytes:
    shown = _shown(url)
    try:
        parts = urlsplit(_with_from(url, trust.trusted_block_hash))
        server = Server(urlunsplit((parts.scheme, parts.netloc, "", "", "")))
        address = f"{server.base}{urlunsplit(('', '', parts.path, parts.query, ''))}"
        request = HttpRequest(address, headers=server.headers)  # noqa: S310  the server checks the scheme
        with build_opener(_NoRedirects).open(request, timeout=_TIMEOUT_S) as response:
            return _read(response, shown)
    except HTTPError as error:
        content = _read(error, shown)
        if error.code == 404 and (b'"absence":{' in content or b'"statement":"' in content):
            return content
        raise UnreadableError(f"{shown} answers {_describe(error.code, content)}") from error
    except (URLError, HTTPException, OSError, ValueError) as error:
        raise UnreadableError(f"{shown} does not answer: {getattr(error, 'reason', error)}") from error


def _read(response: HTTPResponse | HTTPError, shown: str) -> bytes:
    content = response.read(MAX_BYTES + 1)
    try:
        return unpacked(content, response.headers.get("content-encoding"), MAX_BYTES)
    except AnswerError as error:
        raise UnreadableError(f"{shown} cannot be read: {error}") from error


def _describe(status: int, content: bytes) -> str:
    """The status of an answer, with the server's message."""
    message = str(error_of(Answer(status, {}, content)))
    return message if message.startswith("HTTP ") else f"HTTP {status}: {message}"


def _links_json(checks: Sequence[Check]) -> list[dict[str, object]]:
    return [{"link": check.link, "holds": True, "detail": check.detail} for check in checks]


def _print_json(value: object, out: TextIO) -> None:
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    print(_LONE_SURROGATE.sub(lambda match: f"\\u{ord(match.group()):04x}", text), file=out)


def _print_refuted(error: RefutedError, out: TextIO, fact: str, *, as_json: bool) -> None:
    if as_json:
        broken = {"link": error.link, "holds": False, "detail": error.reason}
        links = [*_links_json(error.checks), broken]
        _print_json({"proven": False, fact: None, "links": links}, out)
        return
    for check in error.checks:
        print(escaped(f"✓ {check}"), file=out)
    print(escaped(f"✗ {error}"), file=out)
    print(escaped(f"refuted: {error.link} does not hold"), file=out)


def _print_proven(result: Result | ProvenDataSet, out: TextIO, *, as_json: bool) -> None:
    if as_json:
        _print_json({"proven": True, **_result_json(result), "links": _links_json(result.checks)}, out)
        return
    for check in result.checks:
        print(escaped(f"✓ {check}"), file=out)
    if isinstance(result, ProvenReading) and result.is_attester_missing:
        print("attester: not proven", file=out)
    print(escaped(f"proven: {result}"), file=out)


def _result_json(result: Result | ProvenDataSet) -> dict[str, object]:
    if isinstance(result, ProvenReading):
        return _reading_json(result)
    found: dict[str, object] = {"block_height": result.block_height}
    if isinstance(result, ProvenDataSet):
        return {"data_set": _data_set_json(result, found)}
    if isinstance(result, ProvenAbsence):
        return {"reading": None, "absence": {"feed_id": result.feed_id, "absent": result.absent, **found}}
    if isinstance(result, ProvenFeeds):
        return {"reading": None, "feeds": {"feed_ids": result.feed_ids, **found}}
    if isinstance(result, (ProvenSeries, ProvenRange)):
        return {"reading": None, **_dataset_json(result, found)}
    return {"reading": None, "history": _history_json(result, found)}


def _dataset_json(result: ProvenSeries | ProvenRange, found: dict[str, object]) -> dict[str, object]:
    if isinstance(result, ProvenRange):
        return {"range": _range_json(result, found)}
    return {"series": _series_json(result, found)}


def _series_json(result: ProvenSeries, found: dict[str, object]) -> dict[str, object]:
    series = result.series
    return {
        "route": series.route,
        "frequency": series.frequency,
        "column": series.column,
        "facets": series.facets,
        "statement": result.statement,
        "period": result.period,
        "value": result.value,
        "unit": result.unit,
        "leaf_index": result.leaf_index,
        "feed_id": result.root.feed_id,
        "root": result.root.value.source_hash,
        "size": result.size,
        "index": result.root.index,
        "attested_at": result.root.value.timestamp,
        **found,
    }


def _range_json(result: ProvenRange, found: dict[str, object]) -> dict[str, object]:
    return {
        **vars(result.range),
        "values": [vars(value) for value in result.values],
        "first_index": result.first_index,
        "feed_id": result.root.feed_id,
        "root": result.root.value.source_hash,
        "size": result.size,
        "index": result.root.index,
        "attested_at": result.root.value.timestamp,
        **found,
    }


def _data_set_json(result: ProvenDataSet, found: dict[str, object]) -> dict[str, object]:
    return {
        **found,
        "state_root_hash": result.state_root_hash,
        "feeds": len(result.feeds),
        "values": result.value_count,
        "events": result.event_counts,
        "rows": None,
    }


def _history_json(result: ProvenHistory, found: dict[str, object]) -> dict[str, object]:
    return {"feed_id": result.feed_id, **found, "values": [history_item_of(value) for value in result.values]}


def _reading_json(result: ProvenReading) -> dict[str, object]:
    reading = reading_of(result)
    number = result.number
    found: dict[str, object] = {"reading": {**reading, "value": int(number) if number.is_integer() else number}}
    if result.index is not None:
        found["index"] = result.index
    if result.count is not None:
        found["count"] = result.count
    if result.attester is not None or result.is_attester_missing:
        found["attester"] = None if result.attester is None else _attester_json(result.attester)
    return found


def _attester_json(attester: Attester) -> dict[str, object]:
    if attester.deployment_threshold is None:
        return {"account": attester.address, "authority": None}
    return {
        "account": attester.address,
        "authority": {
            "keys": [{"account_hash": key, "weight": weight} for key, weight in attester.keys],
            "thresholds": {
                "deployment": attester.deployment_threshold,
                "key_management": attester.key_management_threshold,
            },
            "min_signers": attester.least_signers,
        },
    }
