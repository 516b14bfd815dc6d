"""The averages of a question with amounts, as a line below the shares of its answers."""

from __future__ import annotations

from typing import Any

from audiencelab.errors import AudienceError
from audiencelab.figures import figure
from audiencelab.results.stats import StatsData

_MOST = 12
"""Segments or audiences whose means are listed."""


def average_notes(result: StatsData) -> tuple[str, ...]:
    """The mean, its error and the median of the amounts, of each segment and audience.

    None for answers without amounts, and where the service does not say them.
    """
    averages: Any = getattr(result, "averages", None)
    if averages is None or not result.rows:
        return ()
    try:
        lines = averages().to_dict("records")
    except (AudienceError, LookupError, TypeError, ValueError):
        return ()
    if not lines or len(lines) > _MOST or any(line["mean"] != line["mean"] for line in lines):
        return ()
    if len(lines) == 1:
        [line] = lines
        return (
            f"Mean {line['mean']:,.2f} (standard error {figure(line['standard_error'], 2)}), "
            f"standard deviation {figure(line['standard_deviation'], 2)}, "
            f"median {line['median']:,.2f}, of the "
            f"{line['answered_sample']:,.0f} respondents with a number",
        )
    means = (f"{_named(line)} {line['mean']:,.2f}" for line in lines)
    return (f"Mean: {', '.join(means)}",)


def _named(line: dict[Any, Any]) -> str:
    names = (line.get(name) for name in ("segment_label", "audience_name"))
    return " › ".join(str(name) for name in names if name)
