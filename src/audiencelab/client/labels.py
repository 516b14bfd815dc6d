"""Names for codes, looked up when a result or a sentence needs them and remembered.

A name is never worth an error: where the service does not give one, the code stands for itself.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping

from audiencelab.audience import join_code, split_code
from audiencelab.audience.codes import BASE_NAMESPACE, WAVES
from audiencelab.errors import AudienceError
from audiencelab.wire import Question

__all__ = ["QuestionBook", "wave_name"]

_QUARTER = re.compile(r"q([1-4])_(\d{4})")


def wave_name(code: str) -> str:
    """A wave's name from its code: `q1_2024` is "Q1 2024"; other forms stay as they are."""
    found = _QUARTER.fullmatch(code)
    return f"Q{found[1]} {found[2]}" if found else code


class QuestionBook:
    """Questions by code, asked for one by one; implements `Labels`.

    fetch: gives a question with its datapoints by full code.
    base_namespace: where a code without namespace belongs.
    """

    def __init__(
        self, fetch: Callable[[str], Question], base_namespace: str = BASE_NAMESPACE
    ) -> None:
        self._fetch = fetch
        self._base = base_namespace
        self._known: dict[str, Question | None] = {}

    def add(self, questions: Iterable[Question]) -> None:
        """Remember questions that came by another way, datapoints included."""
        for each in questions:
            self._known[join_code(each.namespace_code or self._base, each.code)] = each

    def get(self, code: str) -> Question | None:
        """The question, or None if the service does not give it."""
        full = self.canonical(code)
        if full not in self._known:
            try:
                self._known[full] = self._fetch(full)
            except AudienceError:
                self._known[full] = None
        return self._known[full]

    def canonical(self, code: str) -> str:
        """The code with its namespace."""
        return join_code(*split_code(code, self._base))

    def question_name(self, code: str) -> str | None:
        if code == WAVES:
            return "Wave"
        found = self.get(code)
        return (found.name or None) if found else None

    def datapoint_name(self, question: str, code: str) -> str | None:
        return self.datapoints(question).get(code) if question != WAVES else wave_name(code)

    def suffix_name(self, question: str, code: str) -> str | None:
        found = self.get(question)
        return (
            next((each.name for each in found.suffixes if each.code == code), None)
            if found
            else None
        )

    def datapoints(self, question: str) -> Mapping[str, str]:
        """Names of a question's datapoints by code."""
        found = self.get(question)
        return {each.code: each.name for each in found.datapoints or []} if found else {}
