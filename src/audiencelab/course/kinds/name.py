"""Answers that are the name of one answer to a question."""

from __future__ import annotations

from dataclasses import dataclass
from difflib import get_close_matches
from typing import Any

from audiencelab.course.kinds.kind import Kind
from audiencelab.course.respondents import Respondents

__all__ = ["Name", "code_of", "labels_of"]


@dataclass(frozen=True)
class Name(Kind):
    """One answer of a question, by its label or its code.

    question: its code. noun: what such an answer is, such as "channel".
    """

    question: str
    noun: str

    @property
    def asks_for(self) -> str:
        """The kind in words."""
        return f"the name of a {self.noun}, as text"

    def read(self, given: Any, respondents: Respondents) -> str:
        if not isinstance(given, str):
            raise self.refuse(given, "Write it in quotation marks.")
        found = code_of(given, self.question, respondents)
        if found is None:
            labels = list(labels_of(self.question, respondents).values())
            near = get_close_matches(given, labels, 3, 0.4) or labels[:3]
            raise self.refuse(given, f"No {self.noun} is called so. For example: {near}")
        return found

    def same(self, answer: Any, wanted: Any, respondents: Respondents) -> bool:
        return answer == wanted

    def shown(self, answer: Any, respondents: Respondents) -> str:
        return labels_of(self.question, respondents)[answer]


def labels_of(question: str, respondents: Respondents) -> dict[str, str]:
    """The labels of a question's answers, by code."""
    return {
        point.code: point.name
        for point in respondents.survey.catalogue.question(question).datapoints
    }


def code_of(given: str, question: str, respondents: Respondents) -> str | None:
    """The code of the answer that a label or a code names; None where it names none."""
    wanted = " ".join(given.split()).casefold()
    for code, label in labels_of(question, respondents).items():
        if wanted in (code.casefold(), label.casefold()):
            return code
    return None
