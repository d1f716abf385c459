"""Runs the program on standard input and prints the columns and rows of its `table` as JSON, dates in milliseconds."""

import datetime
import json
import math
import os
import sys


def cell(value):
    if hasattr(value, "item"):
        value = value.item()
    if isinstance(value, datetime.date) and not isinstance(value, datetime.datetime):
        value = datetime.datetime(value.year, value.month, value.day)
    if isinstance(value, datetime.datetime):
        utc = value if value.tzinfo else value.replace(tzinfo=datetime.timezone.utc)
        return round(utc.timestamp() * 1000)
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return None
    return value


def rows_of(table):
    if hasattr(table, "itertuples"):
        return table.astype(object).itertuples(index=False)
    return table.rows() if hasattr(table, "rows") else table.fetchall()


scope = {}
exec(sys.stdin.read(), scope)
table = scope["table"]
json.dump([list(table.columns), [[cell(value) for value in row] for row in rows_of(table)]], sys.stdout)
sys.stdout.flush()
# The libraries' own threads abort the process now and then while the interpreter shuts down.
os._exit(0)
