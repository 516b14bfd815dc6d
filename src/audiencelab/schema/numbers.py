"""What a stats answer in this process has beside the interface: the numbers behind bands.

Respondents are needed for it, so that no service sends it over a network. A recording holds it
with the answer, and a replay gives the same figures.
"""

from __future__ import annotations

import msgspec

__all__ = ["NUMBERS", "NumberRow", "QuestionNumbers"]

NUMBERS = "audiencelab_numbers"
"""The field of the answer, beside `meta` and `data`."""


class NumberRow(msgspec.Struct, frozen=True, omit_defaults=True):
    """The numbers of the respondents of one segment and audience; None where nobody gave any.

    Sizes are weighted people, samples respondents.
    """

    answered_size: float
    answered_sample: float
    mean: float | None = None
    median: float | None = None
    standard_deviation: float | None = None
    segment: str | None = None
    audience: str | None = None


class QuestionNumbers(msgspec.Struct, frozen=True):
    """The numbers that respondents answered a question with.

    datapoints: whose respondents are counted. without: those of them that stand for no number.
    """

    datapoints: tuple[str, ...]
    without: tuple[str, ...]
    rows: tuple[NumberRow, ...]
