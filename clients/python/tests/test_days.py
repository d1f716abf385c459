"""The days and times that `history` takes."""

import asyncio
from datetime import date, datetime, timedelta, timezone
from typing import Any
from urllib.parse import parse_qsl, urlsplit

import pytest

from wattfeed import Client, TransportError
from wattfeed._decode import Answer
from wattfeed.aio import AsyncClient

NOON = datetime(2026, 11, 20, 14, tzinfo=timezone(timedelta(hours=2)))


@pytest.fixture(params=["sync", "async"])
def query(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Any:
    """Returns what a client of either kind sends to its server."""
    seen: list[str] = []

    def get(_: Client, path: str) -> Answer:
        seen.append(path)
        raise TransportError("no server")

    async def get_later(_: AsyncClient, path: str) -> Answer:
        return get(Client("http://nobody.invalid"), path)

    monkeypatch.setattr(Client, "_get", get)
    monkeypatch.setattr(AsyncClient, "_get", get_later)

    def read(kind: str, arguments: Any) -> None:
        if kind == "sync":
            Client("http://nobody.invalid").history("A", **arguments)
        else:
            asyncio.run(AsyncClient("http://nobody.invalid").history("A", **arguments))

    def run(**arguments: Any) -> dict[str, str]:
        with pytest.raises(TransportError):
            read(request.param, arguments)
        return {name: value for name, value in parse_qsl(urlsplit(seen[-1]).query) if name != "limit"}

    return run


@pytest.mark.parametrize(
    ("as_of", "sent"),
    [
        (date(2026, 11, 20), "2026-11-20"),
        ("2026-11-20", "2026-11-20"),
        (NOON, "2026-11-20T12:00:00.000Z"),
        ("2026-11-20T14:00:00+02:00", "2026-11-20T12:00:00.000Z"),
        ("2026-11-20T12:00:00Z", "2026-11-20T12:00:00.000Z"),
    ],
)
def test_days_and_times_are_dates_or_texts(query: Any, as_of: object, sent: str) -> None:
    assert query(as_of=as_of) == {"as_of": sent}
    days = {"period_from": "2026-10-01", "period_to": "2026-10-02"}
    assert query(period_from=date(2026, 10, 1), period_to="2026-10-02") == days
    assert query(period_from="2026-10-01", period_to=date(2026, 10, 2)) == days
    assert query(period_from="2026-10-01", period_to="2026-10-01")["period_to"] == "2026-10-01"


@pytest.mark.parametrize(
    ("arguments", "kind", "message"),
    [
        ({"period_from": "2026-11-31"}, ValueError, "period_from '2026-11-31' is not a date, such as 2026-11-20"),
        ({"period_to": "2026-11-20T00:00Z"}, ValueError, "period_to '2026-11-20T00:00Z' is not a date"),
        ({"period_to": NOON}, TypeError, "period_to is a datetime; pass a date, such as datetime.date(2026, 11, 20)"),
        ({"period_to": 20261120}, TypeError, "period_to is 20261120; pass a date, or its ISO text, such as '2026-11"),
        ({"as_of": "2026-11-20T10:00"}, ValueError, "as_of '2026-11-20T10:00' is neither a date, such as 2026-11-20, "),
        ({"as_of": NOON.replace(tzinfo=None)}, ValueError, "as_of has no time zone; pass a date, or an aware datetime"),
        ({"as_of": 20261120}, TypeError, "as_of is 20261120; pass a date, or its ISO text, such as '2026-11-20'"),
        (
            {"period_from": "2026-10-20", "period_to": date(2026, 10, 1)},
            ValueError,
            "period_from is 2026-10-20, which is after period_to 2026-10-01; swap them",
        ),
    ],
)
def test_wrong_days_are_errors_that_name_the_argument(arguments: Any, kind: type[Exception], message: str) -> None:
    with pytest.raises(kind) as caught:
        Client("http://nobody.invalid").history("A", **arguments)
    assert str(caught.value).startswith(message)
