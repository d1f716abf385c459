"""The exceptions that this package raises."""

from __future__ import annotations

__all__ = [
    "AnswerError",
    "ApiError",
    "DeadlineError",
    "NotCoveredError",
    "NotFoundError",
    "SnapshotGoneError",
    "TransportError",
    "WattfeedError",
]


class WattfeedError(Exception):
    """Base of all exceptions of this package.

    >>> from wattfeed import Client, WattfeedError
    >>> client = Client("http://localhost:4030")
    >>> try:
    ...     client.reading("NOPE")
    ... except WattfeedError as error:
    ...     print(error.code, error.retryable)
    feed_not_found False
    """

    #: Stable name of the cause, for programs. The server's codes are listed in the documentation page "Errors".
    code: str = "wattfeed"
    #: Whether the same call can succeed later.
    retryable: bool = False
    #: Seconds after which the server asks to retry. None if it did not say.
    retry_after: float | None = None


class TransportError(WattfeedError):
    """The server could not be reached, or the connection broke.

    Attributes:
        is_refused: Whether nothing listens at the address. Then one retry is enough.

    >>> from wattfeed import Client, TransportError
    >>> try:
    ...     Client("http://127.0.0.1:9", retry_for=0).readings()
    ... except TransportError as error:
    ...     print(error.code)
    transport
    """

    code = "transport"
    retryable = True

    def __init__(self, message: str, *, is_refused: bool = False) -> None:
        """Keeps what is known of the cause."""
        super().__init__(message)
        self.is_refused = is_refused


class DeadlineError(WattfeedError, TimeoutError):
    """The server did not answer in time.

    >>> from wattfeed import DeadlineError
    >>> issubclass(DeadlineError, TimeoutError)
    True
    """

    code = "deadline"
    retryable = True


class AnswerError(WattfeedError):
    """The answer is not one of a wattfeed server: wrong JSON, a missing field, or too large.

    >>> from wattfeed import AnswerError
    >>> AnswerError.code
    'answer'
    """

    code = "answer"


class ApiError(WattfeedError):
    """The server answered with an error.

    Attributes:
        status: The HTTP status.
        code: The server's error code (header ``X-Wattfeed-Error``); ``http`` if a proxy answered.
        retry_after: Seconds after which to retry, or None.

    >>> from wattfeed import ApiError, Client
    >>> try:
    ...     Client("http://localhost:4030").readings(["EIA.PET.PRICE.WTI.DAILY"] * 101)
    ... except ApiError as error:
    ...     print(error.status, error.code)
    400 query
    """

    def __init__(self, message: str, status: int, code: str | None = None, retry_after: float | None = None) -> None:
        """Keeps the facts of an answer."""
        super().__init__(message, status, code, retry_after)
        self.status = status
        self.code = code or "http"
        self.retry_after = retry_after
        self.retryable = _is_retryable(status, code, retry_after)

    def __str__(self) -> str:
        """The server's message."""
        return str(self.args[0])


class NotFoundError(ApiError):
    """The feed does not exist or has no value (status 404). Neither a failing node nor a wrong URL causes this error.

    Attributes:
        suggestion: The similar id that was probably meant, or None. It ends the message.

    >>> from wattfeed import Client, NotFoundError
    >>> try:
    ...     Client("http://localhost:4030").history("NOPE")
    ... except NotFoundError as error:
    ...     print(error)
    feed not found on-chain: NOPE
    """

    suggestion: str | None = None

    def __str__(self) -> str:
        """The server's message, and the suggestion."""
        meant = "" if self.suggestion is None else f"; did you mean {self.suggestion}?"
        return f"{super().__str__()}{meant}"


class NotCoveredError(ApiError):
    """The root was made without the column or with other facets, so it says nothing about the series (status 404).

    It is no absence: EIA may have values. Another root may cover the series.

    >>> from wattfeed import ApiError, NotCoveredError
    >>> issubclass(NotCoveredError, ApiError)
    True
    """


class SnapshotGoneError(ApiError):
    """The server no longer has the files of the root that was asked for, or whose pages were read (status 410).

    No other root answers instead. Without ``as_of`` and ``index``, the same call reads the newest root.

    >>> from wattfeed import Client, SnapshotGoneError
    >>> client = Client("http://localhost:4030")
    >>> def first_known(*series: object) -> object:
    ...     try:
    ...         return client.series(*series, index=0)
    ...     except SnapshotGoneError:
    ...         return None
    """


def _is_retryable(status: int, code: str | None, retry_after: float | None) -> bool:
    """The server adds Retry-After to every temporary error; a proxy, which sends no code, need not."""
    if status in {408, 425, 429}:
        return True
    is_proxy = code is None and status in {500, 502, 503, 504}
    return status >= 500 and (retry_after is not None or is_proxy)
