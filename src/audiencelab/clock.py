"""The time that results say they were counted at."""

from __future__ import annotations

import os
from datetime import UTC, datetime

FIXED = "SOURCE_DATE_EPOCH"
"""The variable of the environment by which builds that are repeated have one time."""


def counted_at() -> str:
    """Now, as ISO 8601 in UTC; the time of `SOURCE_DATE_EPOCH` where that is set.

    Raises `ValueError` where it is not a number of seconds.
    """
    given = os.environ.get(FIXED, "")
    try:
        moment = datetime.fromtimestamp(int(given), UTC) if given else datetime.now(UTC)
    except (ValueError, OverflowError, OSError):
        raise ValueError(
            f"{FIXED} must be the seconds since 1970 as an integer, such as 1767225600; "
            f"got {given!r}. Unset it to use the current time."
        ) from None
    return moment.isoformat(timespec="seconds")
