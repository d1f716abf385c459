"""Mutants of documents, by the procedure of the specification.

From the same number, every verifier makes the same mutant.
"""

from __future__ import annotations

import json
import re
from copy import deepcopy
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from .vectors import verdict_of

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

REPLACEMENTS: list[Any] = [
    None, True, False, 0, -1, 1, 2, 1.5, 2**53, "", "x", "00", [], {}, [[]], {"hash": ""},
]  # fmt: skip
_HEX = re.compile(r"(?:[0-9a-f]{2})+\Z")


@dataclass(frozen=True)
class Place:
    """A value below the root: what holds it, where, and the name of the member."""

    holder: Any
    name: str | int
    member: str

    @property
    def value(self) -> Any:
        return self.holder[self.name]


def places_of(holder: Any, member: str = "") -> list[Place]:
    if isinstance(holder, dict):
        own = [Place(holder, name, name) for name in holder]
    elif isinstance(holder, list):
        own = [Place(holder, number, member) for number in range(len(holder))]
    else:
        return []
    return [found for place in own for found in (place, *places_of(place.value, place.member))]


class Mutation:
    """The change of one mutant."""

    def __init__(self, number: int) -> None:
        self._state = (number + 1) * 2654435761 % 2**32
        self.places: list[Place] = []

    def draw(self, n: int) -> int:
        state = self._state
        state ^= state << 13 & 0xFFFFFFFF
        state ^= state >> 17
        state ^= state << 5 & 0xFFFFFFFF
        self._state = state
        return state % n

    def pick(self, items: Sequence[Any]) -> Any:
        return items[self.draw(len(items))]

    def pick_place(self, holds: Callable[[Any], bool]) -> Place:
        place: Place = self.pick([place for place in self.places if holds(place.value)])
        return place

    def change(self, document: Any) -> None:
        self.places = places_of(document)
        how = self.draw(10)
        changes = [
            lambda: self.change_bytes(200),
            lambda: self.change_bytes(200),
            lambda: self.change_bytes(2),
            lambda: self.change_bytes(2),
            self.change_character,
            self.remove,
            self.replace,
            self.copy,
            self.change_list,
            self.change_scalar,
        ]
        changes[how]()

    def change_bytes(self, length: int) -> None:
        place = self.pick_place(
            lambda value: isinstance(value, str) and len(value) >= length and bool(_HEX.match(value))
        )
        content = bytearray.fromhex(place.value)
        how = self.draw(4)
        if how == 0:
            at = self.draw(len(content))
            content[at] ^= 1 + self.draw(255)
        elif how == 1:
            del content[self.draw(len(content))]
        elif how == 2:
            at = self.draw(len(content) + 1)
            content.insert(at, self.draw(256))
        else:
            one, other = self.draw(len(content)), self.draw(len(content))
            content[one], content[other] = content[other], content[one]
        place.holder[place.name] = content.hex()

    def change_character(self) -> None:
        place = self.pick_place(lambda value: isinstance(value, str) and value != "")
        at = self.draw(len(place.value))
        place.holder[place.name] = place.value[:at] + chr(32 + self.draw(95)) + place.value[at + 1 :]

    def remove(self) -> None:
        place: Place = self.pick(self.places)
        del place.holder[place.name]

    def replace(self) -> None:
        place: Place = self.pick(self.places)
        place.holder[place.name] = deepcopy(self.pick(REPLACEMENTS))

    def copy(self) -> None:
        source: Place = self.pick(self.places)
        target: Place = self.pick([place for place in self.places if place.member == source.member])
        target.holder[target.name] = deepcopy(source.value)

    def change_list(self) -> None:
        items = self.pick_place(lambda value: isinstance(value, list) and value != []).value
        how = self.draw(3)
        if how == 0:
            at = self.draw(len(items))
            items.insert(at, deepcopy(items[at]))
        elif how == 1:
            items.reverse()
        else:
            items.append(items.pop(0))

    def change_scalar(self) -> None:
        place = self.pick_place(lambda value: isinstance(value, (int, float, str)))
        is_first, value = self.draw(2) == 0, place.value
        if isinstance(value, bool):
            place.holder[place.name] = not value
        elif isinstance(value, str):
            place.holder[place.name] = value.upper() if is_first else value.lower()
        else:
            place.holder[place.name] = value + (1 if is_first else -1)


def line_of(documents: list[dict[str, Any]], number: int) -> str:
    """Verifies a mutant, and gives its line: number, verdict, broken link."""
    mutation = Mutation(number)
    vector = mutation.pick(documents)
    # As text, it is copied three times as fast.
    document = json.loads(json.dumps(vector["document"]))
    mutation.change(document)
    verdict, link = verdict_of(document, vector["trust"])
    return "\t".join([str(number), verdict, *([] if link is None else [link])])
