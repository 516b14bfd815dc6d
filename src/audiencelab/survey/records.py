"""The other records of a survey: its waves and its insights."""

from __future__ import annotations

from datetime import date

import msgspec

from audiencelab.schema import Insight

__all__ = ["InsightRecord", "Wave"]


class Wave(msgspec.Struct, frozen=True, omit_defaults=True):
    """A round of fieldwork.

    starts, ends: first and last day; waves sort by them, never by their codes.
    respondents: how many answered; a builder counts them itself.
    """

    code: str
    name: str
    starts: date
    ends: date
    accessible: bool = True
    respondents: int = 0


class InsightRecord(msgspec.Struct, frozen=True, omit_defaults=True):
    """An insight with what it can be filtered and sorted by.

    categories: category ids as numbers. type: `report`, `infographic`, `powerpoint` or `chart`.
    The three times are ISO 8601; `trending` and `popularity` are scores, higher is more.
    """

    insight: Insight
    type: str
    categories: tuple[int, ...] = ()
    is_trending: bool = False
    published_at: str = ""
    created_at: str = ""
    updated_at: str = ""
    trending: float = 0.0
    popularity: float = 0.0
