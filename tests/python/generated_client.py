"""Imports every function of a generated client, and reads feeds, a history and a series with it.

Usage: generated_client.py <url> <feed id> <facets as JSON> < the query of the series as JSON
"""

import json
import pkgutil
import sys
from importlib import import_module

import client.api
from client import Client
from client.api.feeds import get_feed, get_history, get_readings, list_feeds
from client.api.series import get_series, get_series_proof
from client.models import Error, GetSeriesFacets, GetSeriesProofFacets, HistoryPage, Series, SeriesProof

url, feed_id, facets = sys.argv[1], sys.argv[2], json.loads(sys.argv[3])
query = json.load(sys.stdin)
names = [each.name for each in pkgutil.walk_packages(client.api.__path__, "client.api.") if not each.ispkg]
functions = [name.rsplit(".", 1)[1] for name in names if callable(import_module(name).sync_detailed)]

server = Client(base_url=url)
history = get_history.sync(feed_id, client=server, vintages="latest")
assert isinstance(history, HistoryPage), history
series = get_series.sync(client=server, **query, facets=GetSeriesFacets.from_dict(facets))
assert isinstance(series, Series), series
proof = get_series_proof.sync(client=server, **query, facets=GetSeriesProofFacets.from_dict(facets))
assert isinstance(proof, SeriesProof), proof
other = GetSeriesProofFacets.from_dict({**facets, "facet.product": "NO"})
absence = get_series_proof.sync(client=server, **query, facets=other)
assert isinstance(absence, SeriesProof), absence
unknown = get_series_proof.sync(client=server, **{**query, "route": "a/b"}, facets=other)
assert isinstance(unknown, Error), unknown

answers = {
    "feeds": list_feeds.sync(client=server, q="dataset"),
    "feed": get_feed.sync(feed_id, client=server),
    "missing": get_feed.sync("NO", client=server),
    "readings": get_readings.sync(client=server, id=[feed_id, "NO"], fields="value"),
    "history": history,
    "series": series,
    "proof": proof,
    "absence": absence,
    "unknown": unknown,
}
print(json.dumps({"functions": functions, **{name: answer.to_dict() for name, answer in answers.items()}}))
