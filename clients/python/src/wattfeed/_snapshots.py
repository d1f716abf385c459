"""Snapshots of datasets: the folder of files that belong to a root."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from wattfeed._client import Client

if TYPE_CHECKING:
    from collections.abc import Callable

_TABLE = "series.parquet"


def read_table(folder: str | Path) -> bytes:
    """The bytes of the table of a snapshot, from a folder or from the URL of one."""
    return reader_of(folder)(_TABLE)


def reader_of(folder: str | Path) -> Callable[[str], bytes]:
    """What reads a file of a snapshot."""
    if is_url(folder):
        client = Client(str(folder))
        return lambda path: client._get(f"/{path}", "*/*").body  # noqa: SLF001  only files need the bytes
    return lambda path: (Path(folder) / path).read_bytes()


def is_url(folder: str | Path) -> bool:
    """Whether the files are on a server."""
    return isinstance(folder, str) and folder.lower().startswith(("http://", "https://"))
