"""What a survey says of the queries that name nothing themselves: a header of its catalogue."""

from __future__ import annotations

from typing import Literal, Self
from urllib.parse import quote, unquote

import msgspec

from audiencelab.errors import AudienceError
from audiencelab.schema.scope import BaseOf

MOST_BYTES = 6_000
"""Bytes of the header; proxies take 8 KB for all headers of an answer."""

STUDY_FIELDS = ("citation", "doi", "licence", "producer", "universe", "field_dates")
"""What a study says of itself to those who cite it."""

ROUTED_FLAG = "routed"
"""The flag of a question that a wave has and some of its respondents were not asked."""


class SurveyScope(msgspec.Struct, frozen=True, omit_defaults=True):
    """Whom a survey counts by default, and what its waves are.

    base_of: who of the base counts in a cell. waves: "all", or "" for the default of the operation.
    sizes: what weighted sizes over several waves are, the average or the sum.
    routed_known: whether the flag `routed` marks all questions that some were not asked; without
        it every question may be one.
    wave_names: the name of each accessible wave by its code, in order of date.
    weight: the weight of queries that choose none; "" where it has no name.
    minimum_base: counts of fewer respondents are withheld; 0 for no minimum.
    study: what the study says of itself, by `STUDY_FIELDS`, without those that it leaves out.

    >>> SurveyScope(base_of="valid", waves="all").to_header()
    '%7B%22base_of%22%3A%22valid%22%2C%22waves%22%3A%22all%22%7D'
    """

    base_of: BaseOf = "everyone"
    waves: Literal["", "all"] = ""
    sizes: Literal["average", "sum"] = "average"
    routed_known: bool = False
    wave_names: dict[str, str] = {}
    weight: str = ""
    minimum_base: int = 0
    study: dict[str, str] = {}

    def to_header(self) -> str:
        """The value of the header; without the study where it is too long, then without waves.

        They are for people; what a query counts by default must not be lost.
        """
        without_study = msgspec.structs.replace(self, study={})
        shorter = (self, without_study, msgspec.structs.replace(without_study, wave_names={}))
        values = [*map(_encoded, shorter)]
        return next((each for each in values if len(each) <= MOST_BYTES), values[-1])

    @classmethod
    def from_header(cls, value: str) -> Self:
        """The scope in a header. Raises `AudienceError` for what this version does not read."""
        try:
            return msgspec.json.decode(unquote(value), type=cls)
        except (msgspec.DecodeError, RecursionError) as error:
            message = str(error)
        raise AudienceError(f"The header of the survey's scope is not valid: {message}.")


def _encoded(scope: SurveyScope) -> str:
    return quote(msgspec.json.encode(scope), safe="")
