"""US energy statistics (EIA) from the Casper blockchain, read from a wattfeed server.

>>> from wattfeed import Client
>>> client = Client("http://localhost:4030")
>>> reading = client.reading("EIA.PET.PRICE.WTI.DAILY")
>>> reading.title, reading.unit, reading.frequency
('WTI crude oil spot price', '$/bbl', 'daily')
"""

from wattfeed._client import Client
from wattfeed.coverage import Coverage, coverage_of, describe_period
from wattfeed.errors import (
    AnswerError,
    ApiError,
    DeadlineError,
    NotCoveredError,
    NotFoundError,
    SnapshotGoneError,
    TransportError,
    WattfeedError,
)
from wattfeed.models import (
    Attested,
    AttestedDataset,
    Cadence,
    Code,
    Dataset,
    Event,
    Feed,
    FeedChanged,
    History,
    Info,
    Position,
    Reading,
    Reset,
    Row,
    SeriesValue,
    Snapshot,
    State,
    Status,
    Vintages,
)
from wattfeed.periods import format_period, period_date
from wattfeed.series import SeriesHistory, SeriesRevision, SeriesRow, SeriesTable, Statement, TableRow

__all__ = [
    "AnswerError",
    "ApiError",
    "Attested",
    "AttestedDataset",
    "Cadence",
    "Client",
    "Code",
    "Coverage",
    "Dataset",
    "DeadlineError",
    "Event",
    "Feed",
    "FeedChanged",
    "History",
    "Info",
    "NotCoveredError",
    "NotFoundError",
    "Position",
    "Reading",
    "Reset",
    "Row",
    "SeriesHistory",
    "SeriesRevision",
    "SeriesRow",
    "SeriesTable",
    "SeriesValue",
    "Snapshot",
    "SnapshotGoneError",
    "State",
    "Statement",
    "Status",
    "TableRow",
    "TransportError",
    "Vintages",
    "WattfeedError",
    "coverage_of",
    "describe_period",
    "format_period",
    "period_date",
]

__version__ = "0.1.0"
