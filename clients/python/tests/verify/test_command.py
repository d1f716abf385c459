# cspell:ignore capsys
from __future__ import annotations

import base64
import gzip
import io
import json
import threading
from dataclasses import replace
from http.server import BaseHTTPRequestHandler, HTTPServer
from typing import TYPE_CHECKING, Any

import pytest

from wattfeed.command import main
from wattfeed.verify import Request, UnreadableError
from wattfeed.verify.command import request_of

from .dataset import DAYS, FEED_ID, Dataset, asked, leaf
from .vectors import read_vectors, request_in
from .world import FEED, World, item_of, reading_of

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

BUILT = World().build()
TRUST = [
    f"--trust={BUILT.trust.trusted_block_hash}",
    f"--chain-name={BUILT.trust.chain_name}",
    f"--feed-registry={BUILT.trust.feed_registry_package_hash}",
    f"--attestation-registry={BUILT.trust.attestation_registry_package_hash}",
]
READING = BUILT.reading(reading_of())


@pytest.fixture
def proof(tmp_path: Path) -> str:
    path = tmp_path / "proof.json"
    path.write_text(json.dumps(READING))
    return str(path)


def test_proven_document_prints_each_link(proof: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["verify", proof, *TRUST]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "✓ registries: casper-tests"
    assert lines[-1] == f"proven: {FEED} = 58.46 $ (amount 5846, period 20260101, number 2 of 2)"


def test_refuted_document_names_the_link(tmp_path: Path, proof: str, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "lie.json"
    path.write_text(json.dumps({**READING, "count": 3}))
    assert main(["verify", str(path), *TRUST]) == 1
    lines = capsys.readouterr().out.splitlines()
    assert lines[-2:] == ["✗ reading: count is 3, not 2", "refuted: reading does not hold"]
    assert main(["verify", proof, *TRUST, "--max-age=1", "--json"]) == 1
    found = json.loads(capsys.readouterr().out)
    assert (found["proven"], found["links"][-1]["link"]) == (False, "age")


def test_unreadable_document_has_the_exit_code_2(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "cut.json"
    path.write_text('{"reading"')
    assert main(["verify", str(path), *TRUST]) == 2
    assert capsys.readouterr().err.startswith(f"unreadable: {path} is not a proof: not JSON")
    path.write_text("{}")
    assert main(["verify", str(path), *TRUST, "--json"]) == 2
    error = json.loads(capsys.readouterr().out)["error"]
    assert error == {"code": "decode", "message": f"{path} is not a proof: reading is not an object"}
    assert main(["verify", str(tmp_path / "none"), *TRUST]) == 2
    assert main(["verify", str(path), "--trust=abc"]) == 2


def test_standard_input_is_read(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    values = [item_of(1), item_of(5846)]
    content = io.BytesIO(json.dumps(BUILT.history(values)).encode())
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(content))
    assert main(["verify", "-", *TRUST, "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["history"]["values"] == values


DATASET = Dataset([leaf("RWTC", DAYS[0]), leaf("RWTC", DAYS[1], "\u001b[2J\ud800", None)])
SERIES_TRUST = [f"--trust={DATASET.built.trust.trusted_block_hash}", *TRUST[1:]]
NEWEST_ASKED = asked(period=None)
MORE_FACETS = {**NEWEST_ASKED.facets, "a b": None}
NEWEST = DATASET.document(NEWEST_ASKED, "newest", 1)


def test_series_is_one_object_of_json(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "series.json"
    path.write_text(json.dumps(NEWEST))
    assert main(["verify", str(path), *SERIES_TRUST, "--json"]) == 0
    printed = capsys.readouterr().out
    assert r'"value":"\u001b[2J\ud800"' in printed
    found = json.loads(printed)
    assert (found["proven"], found["reading"], found["links"][-1]["link"]) == (True, None, "statement")
    assert found["series"] == {
        "route": "petroleum/pri/spt",
        "frequency": "daily",
        "column": "value",
        "facets": {"product": "EPCWTI", "series": "RWTC"},
        "statement": "newest",
        "period": DAYS[1],
        "value": "\u001b[2J\ud800",
        "unit": None,
        "leaf_index": 1,
        "feed_id": FEED_ID,
        "root": NEWEST["root"]["reading"]["source_hash"],
        "size": 2,
        "index": None,
        "attested_at": 1_790_000_000_000,
        "block_height": 21,
    }
    assert main(["verify", str(path), *SERIES_TRUST]) == 0
    last = f"newest {DAYS[1]} = \\u{{1b}}[2J\\u{{d800}} (leaf 1 of 2)\n"
    assert capsys.readouterr().out.endswith(f"proven: petroleum/pri/spt daily value product=EPCWTI series=RWTC {last}")
    path.write_text(json.dumps(DATASET.document(asked(period="2027-01-01"), "no_period", 1)))
    assert main(["verify", str(path), *SERIES_TRUST, "--json"]) == 0
    absent = json.loads(capsys.readouterr().out)["series"]
    assert [absent[name] for name in ("statement", "period", "value", "unit", "leaf_index")] == [
        "no_period",
        *[None] * 4,
    ]


ANSWERS = {
    f"/v1/feeds/{FEED}/proof": (200, READING),
    "/v1/feeds/NONE/proof": (404, BUILT.absence("NONE")),
    "/v1/feeds/OTHER/proof": (200, READING),
    "/v1/feeds.proof": (200, BUILT.feeds()),
    "/v1/feeds/BROKEN/proof": (502, {}),
    "/v1/feeds/MOVED/proof": (302, {}),
    "/v1/feeds/MISSING/proof": (404, {"error": "…", "absence": None}),
    "/v1/feeds/PACKED/proof": (200, READING),
    "/v1/status": (200, {"feeds": []}),
    "/v1/series/proof": (404, {"error": "…", **DATASET.document(asked(period="2026-01-01"), "no_period", 0)}),
}


QUERY = "route=petroleum/pri/spt&frequency=daily&column=value&facet.product=EPCWTI&facet.series=RWTC"
ASKED = [
    ("", BUILT.trust.trusted_block_hash),
    *((f"{QUERY}{more}&", DATASET.built.trust.trusted_block_hash) for more in ("", "&period=2026-01-01")),
]
SENT: list[str | None] = []
# They come compressed, although nobody asked.
ENCODINGS = {"/v1/feeds.proof": "gzip", "/v1/feeds/NONE/proof": "gzip", "/v1/feeds/PACKED/proof": "br"}


class Handler(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        SENT.append(self.headers["Authorization"])
        path, _, query = self.path.partition("?")
        before, _, block = query.rpartition("from=")
        assert (before, block) in ASKED
        status, document = ANSWERS[path]
        self.send_response(status)
        self.send_header("Location", f"/v1/feeds/{FEED}/proof")
        encoding = ENCODINGS.get(path, "identity")
        self.send_header("Content-Encoding", encoding)
        self.end_headers()
        content = json.dumps(document, separators=(",", ":")).encode()
        self.wfile.write(content if encoding == "identity" else gzip.compress(content))

    def log_message(self, *_: object) -> None:
        pass


@pytest.fixture(scope="module")
def server() -> Iterator[str]:
    with HTTPServer(("127.0.0.1", 0), Handler) as listening:
        thread = threading.Thread(target=listening.serve_forever, args=(0.01,))
        thread.start()
        yield f"http://127.0.0.1:{listening.server_port}"
        listening.shutdown()
        thread.join()


@pytest.mark.parametrize(
    ("path", "code", "last"),
    [
        (f"/v1/feeds/{FEED}/proof", 0, "number 2 of 2)"),
        ("/v1/feeds/NONE/proof", 0, "NONE is not registered as of block 21"),
        ("/v1/feeds/OTHER/proof", 1, "refuted: what was asked for does not hold"),
        ("/v1/feeds.proof", 0, "1 feeds are registered, and no others, as of block 21"),
        ("/v1/feeds/BROKEN/proof", 2, "/v1/feeds/BROKEN/proof answers HTTP 502"),
        ("/v1/feeds/MOVED/proof", 2, " answers HTTP 302 (redirects are not followed; use the final URL)"),
        ("/v1/feeds/MISSING/proof", 2, " answers HTTP 404: …"),
        (
            "/v1/feeds/PACKED/proof",
            2,
            "cannot be read: the answer is compressed as 'br', which cannot be unpacked; turn that off",
        ),
        ("/v1/status", 2, "/v1/status is not a proof: reading is not an object"),
    ],
)
def test_address_names_what_is_requested(
    server: str, path: str, code: int, last: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["verify", server + path, *TRUST]) == code
    captured = capsys.readouterr()
    assert (captured.out + captured.err).splitlines()[-1].endswith(last)


@pytest.mark.parametrize(
    ("more", "code", "last"),
    [
        ("&period=2026-01-01", 0, "series=RWTC has no value for 2026-01-01 (of 2 values)"),
        ("", 1, "refuted: what was asked for does not hold"),
    ],
)
def test_address_names_the_series_that_is_requested(
    server: str, more: str, code: int, last: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["verify", f"{server}/v1/series/proof?{QUERY}{more}", *SERIES_TRUST]) == code
    assert capsys.readouterr().out.splitlines()[-1].endswith(last)


def test_password_of_an_address_is_sent_but_not_shown(server: str, capsys: pytest.CaptureFixture[str]) -> None:
    secret = server.replace("//", "//user:p%40ss@")
    assert main(["verify", f"{secret}/v1/feeds/{FEED}/proof", *TRUST]) == 0
    assert SENT[-1] == f"Basic {base64.b64encode(b'user:p@ss').decode()}"
    for path in ("/v1/feeds/BROKEN/proof", "/v1/status"):
        assert main(["verify", secret + path, *TRUST]) == 2
    assert main(["verify", "http://user:p%40ss@127.0.0.1:9/v1/feeds.proof", *TRUST]) == 2
    captured = capsys.readouterr()
    assert "p%40ss" not in captured.out + captured.err
    assert "http://127.0.0.1:9/v1/feeds.proof does not answer: [Errno " in captured.err


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("/prefix/v1/feeds/A%20B/history.proof/?from=00", Request(feed_id="A B", list="history")),
        ("/v1/feeds/A/history/7/proof", Request(feed_id="A", index=7)),
        ("/v1/feeds/A/proof/#x", Request(feed_id="A", index=None)),
        ("/v1/feeds.proof", Request(list="feeds")),
        ("/v1/feeds/A%2FB/proof", Request(feed_id="A/B", index=None)),
        ("/v1/feeds/%ff/proof", Request()),
        ("/v1/status", Request()),
        (f"/v1/series/proof?{QUERY}", Request(series=asked(period=None))),
        (f"/p/v1/series/proof/?from=00&{QUERY}&period=2026-11-13", Request(series=asked())),
        (f"/v1/series/proof?{QUERY}&facet.a%20b=", Request(series=replace(NEWEST_ASKED, facets=MORE_FACETS))),
        (f"/v1/series/proof?{QUERY}&x=1&x=2", Request(series=asked(period=None))),
        (f"/v1/series?{QUERY}", Request()),
    ],
)
def test_path_tells_what_is_requested(path: str, expected: Request) -> None:
    assert request_of(f"http://localhost{path}") == expected


@pytest.mark.parametrize("vector", read_vectors("verify/urls.jsonl"), ids=lambda vector: str(vector["url"]))
def test_url_requests_as_in_the_vectors(vector: dict[str, Any]) -> None:
    if vector["request"] is None:
        with pytest.raises(UnreadableError, match=r"/v1/series/(history/)?proof has "):
            request_of(vector["url"])
        return
    assert request_of(vector["url"]) == request_in(vector["request"])


@pytest.mark.parametrize("more", ["&route=aeo", "&facet.series=RWTC", "&period="])
def test_address_that_names_no_series_is_not_even_fetched(
    server: str, more: str, capsys: pytest.CaptureFixture[str]
) -> None:
    sent = len(SENT)
    assert main(["verify", f"{server}/v1/series/proof?{QUERY}{more}", *SERIES_TRUST]) == 2
    assert capsys.readouterr().err.startswith(f"unreadable: {server}/v1/series/proof has ")
    assert len(SENT) == sent


def test_texts_of_strangers_are_escaped(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "lie.json"
    reading = {**READING, "reading": {**READING["reading"], "feed_id": "\x1b[2J\u202e"}}
    path.write_text(json.dumps(reading))
    assert main(["verify", str(path), *TRUST]) == 1
    assert capsys.readouterr().out.endswith("refuted: FeedRegistry feeds[\\u{1b}[2J\\u{202e}] does not hold\n")
