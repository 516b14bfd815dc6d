"""Names for codes: what is known of them so far, and which questions are still to be asked for.

Nothing is asked here: `calls.names` asks, and lookups are pure. A name is never worth an error;
where the service does not give one, the code stands for itself.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

from audiencelab.audience import join_code, split_code
from audiencelab.audience.codes import BASE_NAMESPACE, WAVES
from audiencelab.wire import Question

__all__ = ["QuestionBook", "wave_name"]

_QUARTER = re.compile(r"q([1-4])_(\d{4})")


def wave_name(code: str) -> str:
    """A wave's name from its code: `q1_2024` is "Q1 2024"; other forms stay as they are."""
    found = _QUARTER.fullmatch(code)
    return f"Q{found[1]} {found[2]}" if found else code


class QuestionBook:
    """Questions by code, as far as they have come; implements `Labels`.

    base_namespace: where a code without namespace belongs.

    Safe to use from several threads: entries are added whole, and never change or go.
    """

    def __init__(self, base_namespace: str = BASE_NAMESPACE) -> None:
        self._base = base_namespace
        self._known: dict[str, Question | None] = {}
        self._datapoints: dict[str, Mapping[str, str]] = {}
        self._kinds: dict[str, str] = {}

    def canonical(self, code: str) -> str:
        """The code with its namespace."""
        return join_code(*split_code(code, self._base))

    def knows(self, codes: Iterable[str]) -> bool:
        """Whether nothing is to be asked for these codes any more."""
        return all(code == WAVES or self.canonical(code) in self._known for code in codes)

    def add(self, questions: Iterable[Question]) -> None:
        """Remember questions, their datapoints included."""
        for each in questions:
            full = join_code(each.namespace_code or self._base, each.code)
            self._datapoints[full] = {one.code: one.name for one in each.datapoints or ()}
            self._known[full] = each

    def add_unknown(self, codes: Iterable[str]) -> None:
        """Remember that the service gives no question by these codes, unless it has."""
        for code in codes:
            self._known.setdefault(self.canonical(code), None)

    def question(self, code: str) -> Question | None:
        """The question of that code, accessible or not, as far as it has come."""
        return self._known.get(self.canonical(code))

    def kinds_of(self, codes: Iterable[str]) -> dict[str, str]:
        """Kinds by the code as it is written, of these questions and of those asked for before.

        Every table of a client holds this one dictionary: a grid that is made again costs none.
        """
        self._kinds.update({code: kind for code in codes if (kind := self.kind(code)) is not None})
        return self._kinds

    def kind(self, code: str) -> str | None:
        """Whether respondents give one answer or several, where the service says it."""
        found = self.question(code)
        return found.kind if found else None

    def question_name(self, code: str) -> str | None:
        if code == WAVES:
            return "Wave"
        found = self._known.get(self.canonical(code))
        return (found.name or None) if found else None

    def datapoint_name(self, question: str, code: str) -> str | None:
        return wave_name(code) if question == WAVES else self.datapoints(question).get(code)

    def suffix_name(self, question: str, code: str) -> str | None:
        found = self._known.get(self.canonical(question))
        suffixes = found.suffixes if found else ()
        return next((each.name for each in suffixes if each.code == code), None)

    def datapoints(self, question: str) -> Mapping[str, str]:
        """Names of a question's datapoints by code; nothing for a question that is not known."""
        return self._datapoints.get(self.canonical(question), {})
