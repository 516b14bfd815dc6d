"""What a survey says of its own answers: who counts by default, and who was asked each item."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

import msgspec

from audiencelab.schema.scope import BaseOf

Sizes = Literal["average", "sum"]


class SurveyRecord(msgspec.Struct, frozen=True, omit_defaults=True):
    """The content of `record.json`; a survey without the file has the defaults.

    base_of: who of the base counts in a cell of a query that names none.
    waves: which waves a query that names none counts: "all", or "" for its usual default.
    sizes: what weighted sizes over several waves are: the average of samples of one population, or
        the sum of the parts of one sample.
    routed: full codes of the questions that a wave has and some of its respondents were not asked;
        None where it is not known.
    not_offered: by wave and full code of a question, the answers or items that the wave did not
        offer: nobody could give them.
    asked: by wave, full code and item, the row of `asked/<wave>.npy` that says who was asked the
        item. Without a row, all who were asked the question were asked each offered item.
    """

    base_of: BaseOf = "everyone"
    waves: Literal["", "all"] = ""
    sizes: Sizes = "average"
    routed: tuple[str, ...] | None = None
    not_offered: Mapping[str, Mapping[str, tuple[str, ...]]] = {}
    asked: Mapping[str, Mapping[str, Mapping[str, int]]] = {}

    def offers(self, wave: str, question: str, answer: str) -> bool:
        """Whether a wave offered an answer or item of a question (full code) that it has.

        >>> record = SurveyRecord(not_offered={"w1": {"core.brands": ("dora",)}})
        >>> record.offers("w1", "core.brands", "dora"), record.offers("w2", "core.brands", "dora")
        (False, True)
        """
        return answer not in self.not_offered.get(wave, {}).get(question, ())
