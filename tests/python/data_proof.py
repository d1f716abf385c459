"""Checks the proof of a data set, from its state root on, as docs/verify-spec.md describes it: FILE, both package hashes."""

import base64
import hashlib
import json
import struct
import sys


def blake2b(data):
    return hashlib.blake2b(data, digest_size=32).digest()


class Missing(Exception):
    """An element that is neither known nor on the next line."""


class Elements:
    def __init__(self, lines):
        self.lines = lines
        self.known = {}
        self.waiting = None

    def peek(self):
        if self.waiting is None:
            line = self.lines.readline()
            if line == "":
                return None
            content = base64.b64decode(json.loads(line), validate=True)
            self.waiting = blake2b(content), content
        return self.waiting

    def find(self, wanted):
        if wanted not in self.known:
            found = self.peek()
            if found is None or found[0] != wanted:
                raise Missing(wanted.hex())
            self.known[wanted] = found[1]
            self.waiting = None
        return self.known[wanted]

    def read(self, root, key):
        """Returns the value of a key; None if it is absent."""
        pointer, is_leaf, depth = root, False, 0
        while True:
            element = self.find(pointer)
            assert (element[0] == 0) == is_leaf
            if is_leaf:
                assert element[1 : 1 + depth] == key[:depth]
                return element[1 + len(key) :] if element[1 : 1 + len(key)] == key else None
            if element[0] == 1:
                found = slot(element, key[depth])
                depth += 1
                if found is None:
                    return None
            else:
                (length,) = struct.unpack_from("<I", element, 1)
                if element[5 : 5 + length] != key[depth : depth + length]:
                    return None
                found = element[5 + length :]
                depth += length
            is_leaf, pointer = found[0] == 0, found[1:33]


def slot(node, wanted):
    position = 1
    for index in range(wanted):
        position += 34 if node[position] else 1
    return node[position + 1 : position + 34] if node[position] else None


class Reader:
    def __init__(self, content):
        self.content = content
        self.position = 0

    def take(self, length):
        taken = self.content[self.position : self.position + length]
        assert len(taken) == length
        self.position += length
        return taken

    def number(self, form):
        return struct.unpack(form, self.take(struct.calcsize(form)))[0]

    def u32(self):
        return self.number("<I")

    def u64(self):
        return self.number("<Q")

    def bytes(self):
        return self.take(self.u32())

    def string(self):
        return self.bytes().decode()


def text(value):
    content = value.encode()
    return struct.pack("<I", len(content)) + content


class Registry:
    def __init__(self, elements, root, package_hash):
        self.read = lambda key: elements.read(root, key)
        package = Reader(self.read(b"\x01" + bytes.fromhex(package_hash)))
        assert package.number("B") == 4
        package.take(33)
        versions = [(package.u32(), package.u32(), package.take(32)) for _ in range(package.u32())]
        disabled = [(package.u32(), package.u32()) for _ in range(package.u32())]
        newest = max(version for version in versions if version[:2] not in disabled)
        contract = Reader(self.read(b"\x01" + newest[2]))
        assert contract.number("B") == 3
        contract.take(64)
        self.names = {}
        for _ in range(contract.u32()):
            name = contract.string()
            self.names[name] = contract.take({1: 32, 2: 33}[contract.number("B")])[:32]

    def length(self):
        if "__events" not in self.names:
            return 0
        stored = Reader(self.read(b"\x02" + self.names["__events_length"] + b"\x00"))
        assert stored.number("B") == 0
        return Reader(stored.bytes()).u32()

    def item(self, seed, item_key, required):
        stored = self.read(b"\x09" + blake2b(self.names[seed] + item_key.encode()))
        if stored is None:
            assert not required, item_key
            return None
        reader = Reader(stored)
        assert reader.number("B") == 0
        item = Reader(reader.bytes())
        value = item.bytes()
        assert item.take(2) == b"\x0e\x03"
        assert [item.bytes(), item.bytes()] == [self.names[seed], item_key.encode()]
        return value

    def field(self, number, key=b"", required=True):
        value = self.item("state", blake2b(struct.pack(">I", number) + key).hex(), required)
        return None if value is None else Reader(Reader(value).bytes())

    def count(self, number, key=b""):
        """Returns a number that may be absent."""
        found = self.field(number, key, required=False)
        return None if found is None else found.u64()


def check(path, feed_package, attestation_package):
    with open(path, encoding="utf-8") as lines:
        head = json.loads(lines.readline())
        assert (head["kind"], head["format"]) == ("wattfeed data set proof", 1)
        for _ in range(head["switch_blocks"]):
            lines.readline()
        root = bytes.fromhex(head["block"]["header"]["state_root_hash"])
        elements = Elements(lines)
        feeds = Registry(elements, root, feed_package)
        values = Registry(elements, root, attestation_package)
        lengths = [feeds.length(), values.length()]
        ids = [feeds.field(3, struct.pack("<Q", index)).string() for index in range(feeds.count(4) or 0)]
        assert len(set(ids)) == len(ids)
        for feed_id in ids:
            feeds.field(2, text(feed_id))
        total = values.count(5) or 0
        counts = {}
        for feed_id in ids:
            try:
                counts[feed_id] = values.count(4, text(feed_id))
            except Missing:
                counts[feed_id] = None
        for feed_id in ids:
            for index in range(counts[feed_id] or 0):
                values.field(3, text(f"{feed_id}#{index}"))
        for registry, length in zip([feeds, values], lengths):
            for index in range(length):
                registry.item("__events", str(index), required=True)
        known = sum(count or 0 for count in counts.values())
        for feed_id in ids:
            if counts[feed_id] is None and known != total:
                assert values.count(4, text(feed_id)) is None
        assert elements.peek() is None
        return {"feeds": len(ids), "values": known, "events": lengths}


print(json.dumps(check(*sys.argv[1:])))
