"""Parses the calendar and the Atom feed on standard input, and prints their contents as JSON."""

import json
import re
import sys
import xml.etree.ElementTree as ElementTree

import feedparser
from icalendar import Calendar


def timestamp(value):
    return value.isoformat()


def event(component):
    return {
        "uid": str(component["UID"]),
        "sequence": int(component["SEQUENCE"]),
        "stamp": timestamp(component["DTSTAMP"].dt),
        "start": timestamp(component["DTSTART"].dt),
        "duration": str(component["DURATION"].dt) if "DURATION" in component else None,
        "summary": str(component["SUMMARY"]),
        "description": str(component["DESCRIPTION"]),
        "status": str(component["STATUS"]),
        "transparency": str(component["TRANSP"]),
        "url": str(component["URL"]) if "URL" in component else None,
        "errors": [str(error) for error in component.errors],
    }


def calendar(text):
    lines = text.encode().split(b"\r\n")
    parsed = Calendar.from_ical(text)
    return {
        "longest_line": max(len(line) for line in lines),
        "ends_with_line_break": lines[-1] == b"",
        "bare_line_breaks": len(re.findall(r"(?<!\r)\n|\r(?!\n)", text)),
        "method": str(parsed["METHOD"]),
        "refresh": str(parsed["REFRESH-INTERVAL"].dt),
        "name": str(parsed["X-WR-CALNAME"]),
        "description": str(parsed["X-WR-CALDESC"]),
        "components": [component.name for component in parsed.walk()[1:]],
        "events": [event(component) for component in parsed.walk("VEVENT")],
    }


def atom(text):
    # Unlike feedparser, this parser rejects XML that is not well-formed.
    root = ElementTree.fromstring(text.encode())
    parsed = feedparser.parse(text.encode(), sanitize_html=False)
    return {
        "root": root.tag,
        "bozo": bool(parsed.bozo),
        "version": parsed.version,
        "id": parsed.feed.id,
        "title": parsed.feed.title,
        "subtitle": parsed.feed.subtitle,
        "updated": parsed.feed.updated,
        "links": [[link.rel, link.href] for link in parsed.feed.links],
        "authors": [author.name for author in parsed.feed.authors],
        "entries": [
            {
                "id": entry.id,
                "link": entry.link,
                "title": entry.title,
                "title_type": entry.title_detail.type,
                "updated": entry.updated,
                "published": entry.published,
                "content": entry.content[0].value,
            }
            for entry in parsed.entries
        ],
    }


read = json.load(sys.stdin)
print(json.dumps({"calendars": [calendar(text) for text in read["calendars"]], "feeds": [atom(text) for text in read["feeds"]]}))
