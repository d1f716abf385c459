"""Reads a server of EIA's API with a public client, of which only the base URL is changed: CLIENT, URL before /v2, QUESTIONS as JSON.

Prints as JSON what the client returns to the questions. Rows are lists of a period and the numbers.
"""

import json
import sys

KEY = "any"
RETAIL = "electricity/retail-sales"
GASOLINE = "petroleum/pri/gnd"


def rows(frame, *columns):
    """The rows of a data frame, newest first."""
    period = frame["period"] if "period" in frame else frame.index.to_series()
    texts = [str(each)[:10] for each in period]
    numbers = [[float(each) for each in frame[column]] for column in columns]
    return sorted(map(list, zip(texts, *numbers)), reverse=True)


def months(found):
    """Without the day that some clients make of a month."""
    return [[period[:7], *numbers] for period, *numbers in found]


def myeia(base, asked):
    from myeia import API

    api = API(token=KEY)
    api.base_url = base + "/v2/"
    where = {"facet": ["stateid", "sectorid"], "data_identifier": "price"}
    codes = [asked["state"], asked["sector"]]
    newest = api.get_series_via_route(RETAIL, codes, "monthly", **where, limit=3)
    # Of lists, it keeps what it appended to them.
    where["facet"] = ["stateid", "sectorid"]
    span = {"start_date": asked["start"], "end_date": asked["end"]}
    history = api.get_series_via_route(RETAIL, codes, "monthly", **where, **span)
    weeks = api.get_series_via_route(GASOLINE, asked["series"], "weekly", start_date=asked["week"])
    by_id = api.get_series(f"PET.{asked['series']}.W", start_date=asked["week"])
    return {
        "newest": months(rows(newest, "price")),
        "history": months(rows(history, "price")),
        "weeks": rows(weeks, *weeks.columns),
        "by_id": rows(by_id, *by_id.columns),
    }


def python_eia(base, asked):
    from eia import EIAClient

    EIAClient.BASE_URL = base + "/v2/"
    client = EIAClient(api_key=KEY, cache=False)
    data = client.route("electricity").retail_sales.data
    pinned = {"facets": {"stateid": asked["state"], "sectorid": asked["sector"]}, "frequency": "monthly"}
    newest_first = [{"column": "period", "direction": "desc"}]
    newest = data.get(["price"], **pinned, sort=newest_first, length=3, paginate=False)
    history = data.get(["price"], **pinned, start=asked["start"], end=asked["end"])
    gasoline = client.route(GASOLINE).data
    weeks = gasoline.get(facets={"series": asked["series"]}, frequency="weekly", start=asked["week"])
    return {
        "newest": months(rows(newest, "price")),
        "history": months(rows(history, "price")),
        "weeks": rows(weeks, "value"),
        "rows": len(data.get(["price"])),
        "codes": sorted([value.id, value.name] for value in data.facets.sectorid.get_values()),
        "metadata": {
            "name": data.name,
            "columns": sorted(data.data_columns),
            "facets": sorted(data.facets.keys()),
            "frequencies": [frequency.id for frequency in data.frequencies],
            "periods": [data.start_period, data.end_period],
        },
    }


def openeia(base, asked):
    from openeia import EIA

    client = EIA(KEY, base_url=base + "/v2", requests_per_second=1000)
    pinned = {"facets": {"stateid": asked["state"], "sectorid": asked["sector"]}, "frequency": "monthly"}
    newest = client.get(RETAIL, data=["price"], **pinned, sort=[("period", "desc")], max_rows=3)
    span = {"start": asked["start"], "end": asked["end"]}
    history = client.get(RETAIL, data=["price", "sales"], **pinned, **span)
    weeks = client.get(GASOLINE, facets={"series": asked["series"]}, start=asked["week"])
    about = client.metadata(RETAIL)
    codes = client.facet_options(RETAIL, "sectorid")
    return {
        "newest": rows(newest, "price"),
        "history": rows(history, "price", "sales"),
        "weeks": rows(weeks, "value"),
        "rows": len(client.get(RETAIL, data=["price"])),
        "codes": sorted(map(list, zip(codes["id"], codes["name"]))),
        "routes": sorted(client.catalog(discover=True)["route"]),
        "metadata": {
            "name": about.name,
            "columns": sorted(about.value_columns),
            "facets": sorted(about.facet_ids),
            "frequencies": list(about.frequency_ids),
            "periods": [about.start_period, about.end_period],
        },
    }


def eia_client(base, asked):
    import eia_client as client
    from eia_client.endpoint.builder import EndpointBuilder

    EndpointBuilder.BASE = base + "/v2"
    key = client.api_key.ApiKey(KEY)

    # It sends all parameters but the key in the header X-Params.
    def read(**parameters):
        pinned = {"state": asked["state"], "sector": asked["sector"], **parameters}
        endpoint = client.endpoint.ElectricityRetailSales(key, **pinned).endpoint
        return client.parse.as_dataframe(client.Client(api_key=key).get(endpoint))

    history = read(data=["price", "sales"], start=asked["start"], end=asked["end"])
    return {
        "newest": rows(read(data="price", length=3), "price"),
        "history": rows(history, "price", "sales"),
    }


readers = {"myeia": myeia, "python-eia": python_eia, "openeia": openeia, "eia-client": eia_client}
print(json.dumps(readers[sys.argv[1]](sys.argv[2], json.loads(sys.argv[3]))))
