"""The program `python -m wattfeed`."""

from __future__ import annotations

import argparse
import json
import logging
import os
import sys
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn, get_args

from wattfeed._client import Client
from wattfeed._days import check_order, parse_day, parse_moment
from wattfeed._files import Format, Histories, chain_amount, iso_time, write_atomically
from wattfeed._search import print_found
from wattfeed._terminal import escaped, table
from wattfeed.coverage import describe_period
from wattfeed.errors import ApiError, DeadlineError, NotFoundError, TransportError, WattfeedError
from wattfeed.models import Reading, Vintages

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from datetime import date, datetime
    from decimal import Decimal

    from wattfeed.models import History, Row

    Run = Callable[[argparse.Namespace, Client], int]
    Commands = argparse._SubParsersAction["_Parser"]  # noqa: SLF001  argparse names it nowhere else

DONE, FAILED, PARTLY = 0, 1, 2
#: The exit code of `verify` for a wrong usage.
UNREADABLE = 2

_SERVER = "http://localhost:4030"
_EXPORTS: tuple[Format, ...] = ("csv", "jsonl", "parquet")
_TIMES = """\
--from and --to select the periods that start on these days (UTC) or between them. --as-of selects the
values that were on chain then. That is block time, not EIA's time of publication."""
_EPILOG = """\
Exit codes:
  0  done
  1  not done: an argument, the server or a file is the cause
{more}
The environment variable WATTFEED_URL can have the server, instead of --server. Use it for a URL with a
password, because others can see arguments. Failed requests are retried for a minute."""


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
        prog="python -m wattfeed", description="Reads US energy statistics (EIA) of the Casper blockchain."
    )
    commands = parser.add_subparsers(required=True, metavar="command")
    _add_search(commands)
    _add_reading(commands)
    _add_history(commands)
    _add_export(commands)
    checks = commands.add_parser("verify", help="check a proof offline, from one block hash that you trust")
    if words[:1] == ["verify"]:
        try:
            from wattfeed.verify import command as verify  # noqa: PLC0415  its packages are optional
        except ImportError as error:
            print(f"error: {error}", file=sys.stderr)
            return UNREADABLE
        verify.add_arguments(checks)
        checks.usage_code = UNREADABLE
        checks.set_defaults(run=verify.run)
    options = parser.parse_args(words)
    code: int = options.run(options)
    return code


def _add_command(commands: Commands, name: str, run: Run, about: str, more: str = "") -> _Parser:
    summary = about.partition(".")[0]
    parser = commands.add_parser(
        name,
        help=f"{summary[0].lower()}{summary[1:]}",
        description=about,
        epilog=_EPILOG.format(more=more),
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument(
        "--server",
        metavar="<url>",
        default=os.environ.get("WATTFEED_URL") or _SERVER,
        help=f"the wattfeed server (default: {_SERVER})",
    )
    parser.set_defaults(run=lambda options: _run(run, options))
    return parser


def _add_search(commands: Commands) -> None:
    about = """\
Find feeds, and datasets of EIA's catalog.

A feed has all words in its id, title, unit, route, frequency or description, a dataset in its route, name
or description. Case and order do not matter.

Only feeds have values: history and export cannot read a dataset. Its series can become feeds."""
    parser = _add_command(commands, "search", print_found, about)
    parser.add_argument("words", nargs="+", metavar="word", help="a word or a part of one, such as storage")
    parser.add_argument("--json", action="store_true", help="print one JSON object")


def _add_reading(commands: Commands) -> None:
    more = "  2  some of the feeds were not read\n"
    parser = _add_command(commands, "reading", _read, "Print the newest values of feeds.", more)
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


def _add_selection(parser: _Parser) -> None:
    add, day, moment = parser.add_argument, _argument(parse_day), _argument(parse_moment)
    add("--from", dest="period_from", type=day, metavar="<date>", help="first day of the first period")
    add("--to", dest="period_to", type=day, metavar="<date>", help="first day of the last period")
    add("--as-of", type=moment, metavar="<time>", help="a date (the end of that day in UTC) or a time with its zone")
    add("--vintages", choices=get_args(Vintages), help="all, or the first or latest value of each period")


def _argument(parse: Callable[[str], date]) -> Callable[[str], date]:
    """Shows the message of an error, which argparse replaces by its own."""

    def read(text: str) -> date:
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
        _print_error(error)
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


def _print_error(error: Exception) -> None:
    fix = ""
    if isinstance(error, NotFoundError):
        fix = "" if error.suggestion else "; /v1/feeds.csv of the server lists all feeds"
    elif isinstance(error, TransportError) and error.is_refused:
        fix = " in --server or WATTFEED_URL"
    elif isinstance(error, (TransportError, DeadlineError)):
        fix = "; check --server or WATTFEED_URL, and that the server runs"
    print(escaped(f"error: {error}{fix}"), file=sys.stderr)


def _read(options: argparse.Namespace, client: Client) -> int:
    results = client.readings(options.feeds)
    readings = [result for result in results if isinstance(result, Reading)]
    if options.json:
        print(json.dumps([_json_of(each, result) for each, result in zip(options.feeds, results, strict=True)]))
    elif readings:
        names = ("feed", "period", "value", "unit", "attested")
        print(table(names, [_cells(reading) for reading in readings], right=("value",)))
    for result in results:
        if isinstance(result, ApiError):
            _print_error(result)
    if len(readings) == len(results):
        return DONE
    return PARTLY if readings else FAILED


def _cells(reading: Reading) -> tuple[str, ...]:
    period = _period_text(reading.frequency, reading)
    return (reading.feed_id, period, _plain(reading.amount), reading.unit, _time_text(reading.attested_at))


def _json_of(feed_id: str, result: Reading | ApiError) -> dict[str, object]:
    if isinstance(result, ApiError):
        return {"feed_id": feed_id, "error": {"code": result.code, "message": str(result)}}
    return {
        "feed_id": feed_id,
        "title": result.title,
        "unit": result.unit,
        "frequency": result.frequency,
        "period": result.period_code,
        "period_start": None if result.period_start is None else iso_time(result.period_start),
        "period_end": None if result.period_end is None else iso_time(result.period_end),
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
            _period_text(history.frequency, row),
            _plain(row.amount),
            str(row.revision),
            _time_text(row.attested_at),
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


def _period_text(frequency: str, value: Reading | Row) -> str:
    if value.period_start is None or value.period_end is None:
        return str(value.period_code)
    return describe_period(frequency, value.period_start, value.period_end)


def _plain(amount: Decimal) -> str:
    text = f"{amount:f}"
    return text.rstrip("0").rstrip(".") if "." in text else text


def _time_text(moment: datetime) -> str:
    return f"{moment:%Y-%m-%d %H:%M:%S}Z"
