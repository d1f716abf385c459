"""The program `python -m wattfeed`."""

from __future__ import annotations

import argparse
import json
import logging
import os
import sys
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn, TypeVar, get_args

from wattfeed._client import Client
from wattfeed._days import check_order, parse_day, parse_moment
from wattfeed._files import Format, Histories, chain_amount, iso_time, write_atomically
from wattfeed._info import print_info
from wattfeed._output import DONE, FAILED, coverage_json, end, error_json, period_text, plain, print_error, time_text
from wattfeed._search import print_found
from wattfeed._series import parse_facet, print_series
from wattfeed._status import print_status
from wattfeed._terminal import escaped, table
from wattfeed.errors import ApiError, WattfeedError
from wattfeed.models import Reading, Vintages

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from wattfeed.models import History

    Run = Callable[[argparse.Namespace, Client], int]
    Commands = argparse._SubParsersAction["_Parser"]  # noqa: SLF001  argparse names it nowhere else

T = TypeVar("T")

#: The exit code of `verify` for a wrong usage.
UNREADABLE = 2

_SERVER = "http://localhost:4030"
_EXPORTS: tuple[Format, ...] = ("csv", "jsonl", "parquet")
_SOME_MISSING = "  2  some of the feeds were not read\n"
_TIMES = """\
--from and --to select the periods that start on these days (UTC) or between them. --as-of selects the
values that were on chain then. That is block time, not EIA's time of publication."""
_EPILOG = """\
Exit codes:
  0  done
  1  not done: an argument, the server or a file is the cause
{more}
--server can also come before the command. The environment variable WATTFEED_URL can have the server,
instead of --server. Use it for a URL with a password, because others can see arguments. Failed requests
are retried for a minute."""


class _Parser(argparse.ArgumentParser):
    """Its errors have the exit code of the command."""

    usage_code = FAILED

    def error(self, message: str) -> NoReturn:
        self.print_usage(sys.stderr)
        self.exit(self.usage_code, f"error: {message}\n")


def main(arguments: Sequence[str] | None = None) -> int:
    """Parses the arguments of the program, runs its command, and returns the exit code.

    >>> main(["reading", "EIA.PET.PRICE.WTI.DAILY", "--server", "http://localhost:4030"])  # doctest: +ELLIPSIS
    feed                     period      ...
    EIA.PET.PRICE.WTI.DAILY  ... 2026  ...  $/bbl  ...
    0
    """
    words = sys.argv[1:] if arguments is None else list(arguments)
    parser = _Parser(
        prog="python -m wattfeed",
        description="Reads US energy statistics (EIA) of the Casper blockchain.",
        allow_abbrev=False,
    )
    _add_server(parser, os.environ.get("WATTFEED_URL") or _SERVER)
    commands = parser.add_subparsers(required=True, metavar="command")
    _add_search(commands)
    _add_reading(commands)
    _add_history(commands)
    _add_export(commands)
    _add_series(commands)
    _add_status(commands)
    _add_info(commands)
    checks = commands.add_parser("verify", help="check a proof offline, from one block hash that you trust")
    if _command_of(words) == "verify":
        try:
            from wattfeed.verify import command as verify  # noqa: PLC0415  its packages are optional
        except ImportError as error:
            print(f"error: {error}", file=sys.stderr)
            return UNREADABLE
        verify.add_arguments(checks)
        parser.usage_code = checks.usage_code = UNREADABLE
        checks.set_defaults(run=verify.run)
        if words[0] != "verify":
            checks.error("verify takes no --server: the source is a file or a URL")
    options = parser.parse_args(words)
    code: int = options.run(options)
    return code


def _command_of(words: Sequence[str]) -> str | None:
    """The command after ``--server <url>`` or ``--server=<url>``, if there is one."""
    if words[:1] == ["--server"]:
        return _command_of(words[2:])
    if words and words[0].startswith("--server="):
        return _command_of(words[1:])
    return words[0] if words else None


def _add_command(commands: Commands, name: str, run: Run, about: str, more: str = "") -> _Parser:
    summary = about.partition(".")[0]
    parser = commands.add_parser(
        name,
        help=f"{summary[0].lower()}{summary[1:]}",
        description=about,
        epilog=_EPILOG.format(more=more),
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    # Without it, the option before the command stays.
    _add_server(parser, argparse.SUPPRESS)
    parser.set_defaults(run=lambda options: _run(run, options))
    return parser


def _add_server(parser: _Parser, default: str) -> None:
    parser.add_argument("--server", metavar="<url>", default=default, help=f"the wattfeed server (default: {_SERVER})")


def _add_search(commands: Commands) -> None:
    about = """\
Find feeds, and datasets of EIA's catalog.

A feed has all words in its id, title, unit, route, frequency or description, a dataset in its route, name
or description. Case and order do not matter.

history and export read feeds. The command series reads attested datasets. Series of other datasets can
become feeds."""
    parser = _add_command(commands, "search", print_found, about)
    parser.add_argument("words", nargs="+", metavar="word", help="a word or a part of one, such as storage")
    parser.add_argument("--json", action="store_true", help="print one JSON object")


def _add_reading(commands: Commands) -> None:
    parser = _add_command(commands, "reading", _read, "Print the newest values of feeds.", _SOME_MISSING)
    parser.add_argument("feeds", nargs="+", metavar="feed", help="the id of a feed, such as EIA.PET.PRICE.WTI.DAILY")
    parser.add_argument("--json", action="store_true", help="print one JSON array, which also has the errors")


def _add_history(commands: Commands) -> None:
    about = f"Print the values of feeds, revisions included.\n\n{_TIMES}"
    parser = _add_command(commands, "history", _print_history, about)
    parser.add_argument("feeds", nargs="+", metavar="feed", help="the id of a feed, such as EIA.PET.PRICE.WTI.DAILY")
    forms = ("text", "csv", "json", "jsonl")
    parser.add_argument("--format", choices=forms, default="text", help="how to print them (default: %(default)s)")
    _add_selection(parser)


def _add_export(commands: Commands) -> None:
    about = f"""\
Write the values of feeds to one file, revisions included. It is the server's file, which has at most
100 feeds, and at most 5,000 rows in Parquet. JSON lines have the columns of CSV. The file is written
only if it is complete.

{_TIMES}"""
    parser = _add_command(commands, "export", _export, about)
    parser.add_argument("feeds", nargs="+", metavar="feed", help="the id of a feed, such as EIA.PET.PRICE.WTI.DAILY")
    parser.add_argument("--out", type=Path, required=True, metavar="<file>", help="the file to write")
    parser.add_argument("--format", choices=_EXPORTS, help="its format (default: by the ending of the file's name)")
    parser.add_argument("--force", action="store_true", help="replace the file if it exists")
    _add_selection(parser)


def _add_series(commands: Commands) -> None:
    about = """\
Print a value of a series of an attested dataset.

The series needs no feed of its own. The proof of the value is not checked: /v1/series/proof has it, and
the command verify checks it."""
    parser = _add_command(commands, "series", print_series, about)
    add = parser.add_argument
    add("route", help="EIA's route of the dataset, such as electricity/retail-sales")
    add("--frequency", required=True, metavar="<frequency>", help="the dataset's frequency, such as monthly")
    add("--column", required=True, metavar="<id>", help="the column, such as price")
    add(
        "--facet",
        dest="facets",
        action="append",
        default=[],
        type=_argument(parse_facet),
        metavar="<id=value>",
        help="the value of a facet, such as stateid=CA; needed for each facet, and empty if the series has none",
    )
    add("--period", metavar="<period>", help="EIA's text of a period, such as 2026-09 (default: the newest)")
    add("--json", action="store_true", help="print one JSON object, with the attested root; null for no value")


def _add_status(commands: Commands) -> None:
    about = "Print whether feeds are up to date, by EIA's release calendar."
    parser = _add_command(commands, "status", print_status, about, _SOME_MISSING)
    parser.add_argument("feeds", nargs="*", metavar="feed", help="the id of a feed (default: all feeds)")
    parser.add_argument("--json", action="store_true", help="print one JSON array, which also has the errors")


def _add_info(commands: Commands) -> None:
    about = (
        "Print what describes feeds.\n\nThat is title, unit, source, and the periods and the number of their values."
    )
    parser = _add_command(commands, "info", print_info, about, _SOME_MISSING)
    parser.add_argument("feeds", nargs="+", metavar="feed", help="the id of a feed, such as EIA.PET.PRICE.WTI.DAILY")
    parser.add_argument("--json", action="store_true", help="print one JSON array, which also has the errors")


def _add_selection(parser: _Parser) -> None:
    add, day, moment = parser.add_argument, _argument(parse_day), _argument(parse_moment)
    add("--from", dest="period_from", type=day, metavar="<date>", help="first day of the first period")
    add("--to", dest="period_to", type=day, metavar="<date>", help="first day of the last period")
    add("--as-of", type=moment, metavar="<time>", help="a date (the end of that day in UTC) or a time with its zone")
    add("--vintages", choices=get_args(Vintages), help="all, or the first or latest value of each period")


def _argument(parse: Callable[[str], T]) -> Callable[[str], T]:
    """Shows the message of an error, which argparse replaces by its own."""

    def read(text: str) -> T:
        try:
            return parse(text)
        except ValueError as error:
            raise argparse.ArgumentTypeError(str(error)) from None

    return read


def _run(run: Run, options: argparse.Namespace) -> int:
    try:
        with _shown_retries():
            code = run(options, Client(options.server))
            sys.stdout.flush()
            return code
    except BrokenPipeError:
        # The reader of the output has ended. The interpreter would fail again when it flushes the output.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return FAILED
    except (WattfeedError, OSError, ValueError) as error:
        print_error(error)
        return FAILED


@contextmanager
def _shown_retries() -> Iterator[None]:
    """Shows on standard error why the program waits."""
    logger = logging.getLogger("wattfeed")
    handler, level = logging.StreamHandler(), logger.level
    logger.addHandler(handler)
    logger.setLevel(logging.INFO)
    try:
        yield
    finally:
        logger.removeHandler(handler)
        logger.setLevel(level)


def _read(options: argparse.Namespace, client: Client) -> int:
    results = client.readings(options.feeds)
    readings = [result for result in results if isinstance(result, Reading)]
    if options.json:
        print(json.dumps([_json_of(each, result) for each, result in zip(options.feeds, results, strict=True)]))
    elif readings:
        names = ("feed", "period", "value", "unit", "attested")
        print(table(names, [_cells(reading) for reading in readings], right=("value",)))
    return end(results)


def _cells(reading: Reading) -> tuple[str, ...]:
    period = period_text(reading.frequency, reading)
    return (reading.feed_id, period, plain(reading.amount), reading.unit, time_text(reading.attested_at))


def _json_of(feed_id: str, result: Reading | ApiError) -> dict[str, object]:
    if isinstance(result, ApiError):
        return error_json(feed_id, result)
    return {
        "feed_id": feed_id,
        "title": result.title,
        "unit": result.unit,
        "frequency": result.frequency,
        "period": result.period_code,
        **coverage_json(result),
        "value": result.value,
        "amount": chain_amount(result.amount),
        "decimals": result.decimals,
        "source_hash": result.source_hash,
        "attested_at": iso_time(result.attested_at),
    }


def _histories(options: argparse.Namespace, client: Client) -> Histories:
    check_order("--from", options.period_from, "--to", options.period_to)
    return Histories(
        client,
        options.feeds,
        period_from=options.period_from,
        period_to=options.period_to,
        as_of=options.as_of,
        vintages=options.vintages,
    )


def _print_history(options: argparse.Namespace, client: Client) -> int:
    histories = _histories(options, client)
    if options.format == "text":
        for number, history in enumerate(histories):
            if number > 0:
                print()
            _print_table(history)
    else:
        for chunk in histories.chunks(options.format):
            sys.stdout.buffer.write(chunk)
    _say_if_empty(histories)
    return DONE


def _say_if_empty(histories: Histories) -> None:
    if histories.is_empty:
        print("no values were found; check --from, --to and --as-of", file=sys.stderr)


def _print_table(history: History) -> None:
    rows = [
        (
            period_text(history.frequency, row),
            plain(row.amount),
            str(row.revision),
            time_text(row.attested_at),
        )
        for row in history
    ]
    print(escaped(f"{history.feed_id} in {history.unit}"))
    print(table(("period", "value", "revision", "attested"), rows, right=("value", "revision")))


def _export(options: argparse.Namespace, client: Client) -> int:
    form = options.format or options.out.suffix.lower().removeprefix(".")
    if form not in _EXPORTS:
        raise ValueError(
            f"--out is {str(options.out)!r}, whose ending is no format; add --format csv, jsonl or parquet"
        )
    histories = _histories(options, client)
    size = write_atomically(options.out, histories.chunks(form), force=options.force)
    print(escaped(f"{options.out}: {size} bytes"))
    _say_if_empty(histories)
    return DONE
