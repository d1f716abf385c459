"""The program `python -m wattfeed`."""

from __future__ import annotations

import argparse
import json
import logging
import os
import sys
from contextlib import contextmanager
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn, TypeVar, get_args

from wattfeed._client import Client
from wattfeed._days import check_order, parse_day, parse_moment
from wattfeed._files import Format, Histories, chain_amount, iso_time, write_atomically
from wattfeed._info import print_info
from wattfeed._output import DONE, FAILED, coverage_json, end, error_json, period_text, plain, print_error, time_text
from wattfeed._search import print_found
from wattfeed._series import parse_facet, print_series
from wattfeed._series_rows import FORMATS, print_history, print_revisions
from wattfeed._series_rows import print_table as print_rows
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
_TWO_WORDS = ("series history", "series table", "series revisions")
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
    _add_series_history(commands)
    _add_series_table(commands)
    _add_series_revisions(commands)
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
    options = parser.parse_args(_joined(words))
    code: int = options.run(options)
    return code


def _joined(words: Sequence[str]) -> list[str]:
    """Makes one word of ``series history``, because the word after ``series`` is otherwise a route."""
    for place, pair in enumerate(pairwise(words)):
        if " ".join(pair) in _TWO_WORDS:
            return [*words[:place], " ".join(pair), *words[place + 2 :]]
        if pair[0] == "series":
            break
    return list(words)


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

series history prints all of its values, series table rows of many series, and series revisions what each
root says of a value. The series needs no feed of its own. The proof of the value is not checked:
/v1/series/proof has it, and the command verify checks it."""
    parser = _add_command(commands, "series", print_series, about)
    _add_one_series(parser)
    _add_root(parser)
    parser.add_argument("--period", metavar="<period>", help="EIA's text, such as 2026-09 (default: the newest)")
    parser.add_argument(
        "--json", action="store_true", help="print one JSON object, with the attested root; null for no value"
    )


def _add_series_history(commands: Commands) -> None:
    about = """\
Print the values of a series of an attested dataset, all by one root.

The server checks them against the root. Their proof, which the command verify checks, is
/v1/series/history/proof."""
    parser = _add_command(commands, "series history", print_history, about)
    _add_one_series(parser)
    _add_range(parser)
    _add_root(parser)
    _add_order(parser)


def _add_series_table(commands: Commands) -> None:
    about = """\
Print rows of many series of an attested dataset, all by one root.

A facet that is left out may have any code, and one that is there several times one of these."""
    parser = _add_command(commands, "series table", print_rows, about)
    add = parser.add_argument
    _add_dataset(parser)
    add("--column", dest="columns", action="append", metavar="<id>", help="a column (default: all of them)")
    add("--sort", action="append", metavar="<key>", help="period, column or a facet; descending as --sort=-period")
    _add_range(parser)
    _add_root(parser)


def _add_series_revisions(commands: Commands) -> None:
    about = """\
Print what each root of a dataset says of a value.

A root whose files the server does not have is gone. One that was made without the column or with other
facets says not_covered."""
    parser = _add_command(commands, "series revisions", print_revisions, about)
    _add_one_series(parser)
    parser.add_argument("--period", required=True, metavar="<period>", help="EIA's text, such as 2026-09")
    _add_order(parser)
    _add_rows(parser)


def _add_dataset(parser: _Parser) -> None:
    add = parser.add_argument
    add("route", help="EIA's route of the dataset, such as electricity/retail-sales")
    add("--frequency", required=True, metavar="<frequency>", help="the dataset's frequency, such as monthly")
    add(
        "--facet",
        dest="facets",
        action="append",
        default=[],
        type=_argument(parse_facet),
        metavar="<id=value>",
        help="the value of a facet, such as stateid=CA; empty if the series has none",
    )


def _add_one_series(parser: _Parser) -> None:
    _add_dataset(parser)
    parser.add_argument("--column", required=True, metavar="<id>", help="the column, such as price")


def _add_range(parser: _Parser) -> None:
    add = parser.add_argument
    add("--from", dest="period_from", metavar="<period>", help="the first period, as EIA's text, such as 2026-09")
    add("--to", dest="period_to", metavar="<period>", help="the last period")
    _add_rows(parser)


def _add_rows(parser: _Parser) -> None:
    parser.add_argument("--limit", type=int, metavar="<number>", help="maximum number of rows (default: all)")
    parser.add_argument("--format", choices=FORMATS, default="text", help="how to print them (default: %(default)s)")


def _add_order(parser: _Parser) -> None:
    parser.add_argument("--order", choices=("asc", "desc"), default="asc", help="asc (default) or desc")


def _add_root(parser: _Parser) -> None:
    add = parser.add_argument
    add(
        "--as-of",
        type=_argument(parse_moment),
        metavar="<time>",
        help="by the newest root that was attested up to a date (its end in UTC) or a time with its zone",
    )
    add("--index", type=int, metavar="<number>", help="by the root of this attestation, from 0")


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
