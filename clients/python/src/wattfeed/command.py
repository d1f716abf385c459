"""The program `python -m wattfeed`."""

from __future__ import annotations

import argparse
import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence


def main(arguments: Sequence[str] | None = None) -> int:
    """Parses the arguments of the program, runs its command, and returns the exit code.

    >>> main(["verify", "nothing.json", "--trust", "ab"])
    2
    """
    try:
        from wattfeed.verify import command as verify  # noqa: PLC0415  its packages are optional
    except ModuleNotFoundError as error:
        print(f"error: {error.name} is missing; run: pip install 'wattfeed[verify]'", file=sys.stderr)
        return 2
    parser = argparse.ArgumentParser(prog="python -m wattfeed", description="Checks proofs of a wattfeed server.")
    commands = parser.add_subparsers(required=True, metavar="command")
    checks = commands.add_parser("verify", help="check a proof offline, from one block hash that you trust")
    verify.add_arguments(checks)
    return verify.run(parser.parse_args(arguments))
