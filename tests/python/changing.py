"""Prints what DuckDB and Polars raise if a file becomes shorter after their first request.

`files` has the numbers of the files of which Polars returns rows, if one of the same length replaces another.
"""

import hashlib
import http.server
import io
import json
import os
import sys
import threading

import duckdb
import polars as pl

ROWS = 5000


def file_of(kind, rows, number):
    # Texts that cannot be compressed, so that a reader needs several ranges.
    texts = [hashlib.sha256(b"%d" % each).hexdigest() for each in range(rows)]
    table = pl.DataFrame({"file": [number] * rows, "text": texts})
    file = io.BytesIO()
    if kind == "csv":
        table.write_csv(file)
    else:
        table.write_parquet(file, row_group_size=500, compression="uncompressed", statistics=False)
    return file.getvalue()


class Changing(http.server.BaseHTTPRequestHandler):
    """Serves each file as often as `turns` says, and the second one from then on."""

    protocol_version = "HTTP/1.1"
    served: dict[str, int] = {}
    files: dict[str, list[bytes]] = {}
    turns = 1

    def do_HEAD(self):
        self.answer(with_body=False)

    def do_GET(self):
        self.answer(with_body=True)

    def answer(self, with_body):
        asked = self.served[self.path] = self.served.get(self.path, 0) + 1
        data = self.files[self.path][min((asked - 1) // self.turns, 1)]
        first, _, last = self.headers.get("Range", f"bytes=0-{len(data) - 1}").removeprefix("bytes=").partition("-")
        start = int(first) if first else max(0, len(data) - int(last))
        end = min(int(last), len(data) - 1) if first and last else len(data) - 1
        part = data[start : end + 1] if with_body else data
        self.send_response(206 if with_body and "Range" in self.headers else 200)
        self.send_header("ETag", f'"{hashlib.sha256(data).hexdigest()[:16]}"')
        self.send_header("Accept-Ranges", "bytes")
        self.send_header("Content-Range", f"bytes {start}-{end}/{len(data)}")
        self.send_header("Content-Length", str(len(part)))
        self.end_headers()
        if with_body:
            self.wfile.write(part)

    def log_message(self, *_):
        pass


server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Changing)
threading.Thread(target=server.serve_forever, daemon=True).start()


def url_of(name, kind, rows):
    """The address of a file that is replaced by one with so many rows."""
    path = f"/{name}.{kind}"
    Changing.files[path] = [file_of(kind, ROWS, 1), file_of(kind, rows, 2)]
    return f"http://127.0.0.1:{server.server_port}{path}"


def raised_by(read):
    try:
        return f"none: {len(read())} rows"
    except BaseException as error:  # Polars' panics are no Exception
        return type(error).__name__


shorter = ROWS - 100
found = {
    "DuckDB, CSV": raised_by(lambda: duckdb.sql(f"FROM read_csv('{url_of('duck', 'csv', shorter)}')").fetchall()),
    "DuckDB, Parquet": raised_by(lambda: duckdb.sql(f"FROM '{url_of('duck', 'parquet', shorter)}'").fetchall()),
    "Polars": raised_by(lambda: pl.read_parquet(url_of("polars", "parquet", shorter))),
}
Changing.turns = 5
found["files"] = sorted(set(pl.read_parquet(url_of("mixed", "parquet", ROWS))["file"]))
json.dump(found, sys.stdout)
sys.stdout.flush()
# The libraries' own threads abort the process now and then while the interpreter shuts down.
os._exit(0)
