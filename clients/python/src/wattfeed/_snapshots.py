"""Snapshots of datasets: the folder of files that belong to a root."""

from __future__ import annotations

from pathlib import Path

from wattfeed._client import Client

_TABLE = "series.parquet"


def read_table(folder: str | Path) -> bytes:
    """The bytes of the table of a snapshot, from a folder or from the URL of one."""
    if isinstance(folder, str) and folder.lower().startswith(("http://", "https://")):
        return Client(folder)._get(f"/{_TABLE}", "*/*").body  # noqa: SLF001  only files need the bytes
    return (Path(folder) / _TABLE).read_bytes()
