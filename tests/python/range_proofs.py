"""Prints what the verifier says about each range on standard input: its values, or null if it is refuted. Takes the client's folder."""

import json
import sys
from types import SimpleNamespace

sys.path.insert(0, sys.argv[1])

from wattfeed.verify import SeriesRange
from wattfeed.verify._documents import RangeDocument, RangeLeaf
from wattfeed.verify._range import check_leaves, check_range


def values_of(line):
    claim = json.loads(line)
    found = claim["evidence"]
    asked = SeriesRange(**claim["range"])
    leaves = [RangeLeaf(leaf[0], leaf[1], leaf[2] if len(leaf) == 3 else None, len(leaf) == 3) for leaf in found["leaves"]]
    document = RangeDocument(asked, found["index"], found["before"], leaves, found["after"], found["hashes"], None)
    root = SimpleNamespace(amount=claim["size"], source_hash=claim["root"])
    try:
        run = check_leaves(document, root)
        check_range(run, asked)
    except ValueError:
        return None
    return [[leaf.period, leaf.value, leaf.unit] for leaf in run.leaves]


for line in sys.stdin:
    print(json.dumps(values_of(line)))
