"""Follows a stream and prints the log's index of each attestation, one a line. Resumes as docs/live.md says."""

import json
import sys

import httpx
from httpx_sse import connect_sse

url, last_id = sys.argv[1], None
# The server beats every 15 s: who hears nothing for 45 s connects again.
with httpx.Client(timeout=45) as client:
    while True:
        headers = {"Last-Event-ID": last_id} if last_id else {}
        try:
            with connect_sse(client, "GET", url, headers=headers) as source:
                source.response.raise_for_status()
                for event in source.iter_sse():
                    if event.event == "attested":
                        print(json.loads(event.data)["log_index"], flush=True)
                    last_id = event.id or last_id
        except httpx.TransportError as error:
            print(error, file=sys.stderr)
