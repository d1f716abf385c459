"""The forms of periods, as pandas names them. Feeds of one form fit side by side."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import date

    from wattfeed.models import History, Reading, Row, Vintages
    from wattfeed.series import SeriesRow

_FORMS = {"annual": "Y", "quarterly": "Q", "monthly": "M", "hourly": "h", "local-hourly": "h"}
_WEEKDAYS = ("MON", "TUE", "WED", "THU", "FRI", "SAT", "SUN")


def form_of(frequency: str, values: Sequence[Reading | Row | SeriesRow]) -> str | None:
    """Returns pandas' frequency of periods; None if it has none."""
    if frequency == "four-week-average":
        return None
    if frequency != "weekly":
        return _FORMS.get(frequency, "D")
    forms = {_form_of_week(value.period_start, value.period_end) for value in values if value.period_end is not None}
    return None if len(forms) > 1 else "".join(forms) or "D"


def _form_of_week(start: date | None, end: date) -> str:
    return "D" if start == end else f"W-{_WEEKDAYS[end.weekday()]}"


def common_form(histories: Sequence[History]) -> str | None:
    """Returns the form of all histories; None if they differ, or pandas has none. Without values there is no form."""
    forms = {form_of(each.frequency, each) for each in histories if len(each)}
    forms = forms or {form_of(histories[0].frequency, ())}
    return forms.pop() if len(forms) == 1 else None


def check_one_form(histories: Sequence[History]) -> None:
    """Raises an error if the periods of some histories cannot be rows of one table."""
    kinds: dict[str, tuple[str, str]] = {}
    for history in histories:
        form = form_of(history.frequency, history) or history.frequency
        if len(history):
            kinds.setdefault(form, (history.feed_id, f"{history.frequency} ({form})"))
    if len(kinds) > 1:
        (one, kind), (other, other_kind), *_ = kinds.values()
        raise ValueError(
            f"{one} is {kind} and {other} is {other_kind}: a wide frame has periods of one kind;"
            " read feeds of each kind apart, or leave out wide=True"
        )


def one_per_period(vintages: Vintages | None) -> Vintages:
    """Returns which value of each period a wide frame has."""
    if vintages == "all":
        raise ValueError("vintages is 'all': a wide frame has one value of each period; use 'first' or 'latest'")
    return vintages or "latest"
