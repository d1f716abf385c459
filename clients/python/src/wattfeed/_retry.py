"""When to retry, for both clients."""

from __future__ import annotations

import logging
import random
import time

from wattfeed.errors import ApiError, TransportError, WattfeedError

logger = logging.getLogger("wattfeed")

_MIN_PAUSE_S = 0.5
_MAX_PAUSE_S = 30.0


class Backoff:
    """Pauses that double with each failure in a row, with jitter."""

    def __init__(self) -> None:
        self.failures = 0

    def pause(self, error: WattfeedError | None) -> float:
        """Seconds before the next attempt. The server's wish comes first."""
        doubled: float = _MIN_PAUSE_S * 2.0 ** min(self.failures, 10)
        self.failures += 1
        if error is not None and error.retry_after is not None:
            return error.retry_after + random.uniform(0, _MIN_PAUSE_S)  # noqa: S311
        return min(_MAX_PAUSE_S, doubled * random.uniform(1, 2))  # noqa: S311


class Refusals:
    """Counts the connections that were refused: if nothing listens, waiting longer seldom helps."""

    def __init__(self) -> None:
        self._count = 0

    def are_final(self, error: WattfeedError) -> bool:
        """Whether an error is the second refusal."""
        self._count += isinstance(error, TransportError) and error.is_refused
        return self._count > 1


class Retries:
    """The attempts of one call, for at most `retry_for` seconds."""

    def __init__(self, retry_for: float) -> None:
        self._end = time.monotonic() + retry_for
        self._backoff = Backoff()
        self._refusals = Refusals()

    def pause(self, error: WattfeedError) -> float:
        """Seconds before the next attempt. Raises the error if another attempt cannot help or would come too late."""
        if not error.retryable or self._refusals.are_final(error):
            raise error
        pause = self._backoff.pause(error)
        if time.monotonic() + pause > self._end:
            raise error
        logger.info("%s; retrying in %.1f s", error, pause)
        return pause


class StreamRetries:
    """The connections of one stream. Once it has begun, it never ends by itself."""

    def __init__(self) -> None:
        self._backoff = Backoff()
        self._refusals: Refusals | None = Refusals()

    def reset(self) -> None:
        """Starts with short pauses again, after an event."""
        self._backoff = Backoff()
        # The server was there, and will be there again.
        self._refusals = None

    def pause(self, error: WattfeedError | None) -> float:
        """Seconds before the next connection. Raises the error if the server rejects the request or is not wattfeed."""
        if error is not None and not (error.retryable or _is_fault(error)):
            raise error
        if error is not None and self._refusals is not None and self._refusals.are_final(error):
            raise error
        pause = self._backoff.pause(error)
        logger.info("stream %s; reconnecting in %.1f s", error or "ended", pause)
        return pause


def _is_fault(error: WattfeedError) -> bool:
    return isinstance(error, ApiError) and error.status >= 500
