"""Texts for a terminal."""

from __future__ import annotations

from typing import TYPE_CHECKING
from unicodedata import category

if TYPE_CHECKING:
    from collections.abc import Sequence

# A lone surrogate (Cs) cannot be written in any encoding.
_UNPRINTABLE = ("Cc", "Cf", "Cs", "Zl", "Zp")


def escaped(line: str) -> str:
    """Escapes what a terminal would interpret: texts on chain are written by strangers."""
    return "".join(
        f"\\u{{{ord(character):x}}}" if category(character) in _UNPRINTABLE else character for character in line
    )


def table(names: Sequence[str], rows: Sequence[Sequence[str]], *, right: Sequence[str] = ()) -> str:
    """Lines of columns; those in `right` are aligned to the right."""
    lines = [[escaped(cell) for cell in row] for row in (names, *rows)]
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]

    def line(cells: Sequence[str]) -> str:
        padded = [
            cell.rjust(width) if name in right else cell.ljust(width)
            for name, cell, width in zip(names, cells, widths, strict=True)
        ]
        return "  ".join(padded).rstrip()

    return "\n".join(line(cells) for cells in lines)
