"""Names for codes, codes for names, and the suggestion of a similar name where there is none."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping
from difflib import get_close_matches
from typing import TypeVar

from audiencelab.expressions import join_code, split_code
from audiencelab.expressions.codes import BASE_NAMESPACE, WAVES, wave_name
from audiencelab.schema import Datapoint, Question, Suffix
from audiencelab.schema.scales import Scale, midpoints_of, scale_of

Named = TypeVar("Named", bound=Datapoint | Suffix)

_RANGE = re.compile(r"(?<=\d) ?[-\u2013] ?(?=\d)")


def find_by_code_or_name(key: str, among: Iterable[Named]) -> Named | None:
    """The one with that code, else that name, else a name that is alike; None if not exactly one.

    Names are alike whatever their case and spaces, and "18-24" is "18 to 24".

    Raises `TypeError` for a key that is not a `str`.
    """
    if not isinstance(key, str):
        several = " For several answers write question.any('…', '…')."
        raise TypeError(
            f"An answer is found by its code or name, which must be a str; got "
            f"{type(key).__name__}.{several if isinstance(key, list | tuple) else ''}"
        )
    listed, folded = list(among), folded_name(key)
    for matching in (
        (each for each in listed if each.code == key),
        (each for each in listed if each.name == key),
        (each for each in listed if folded_name(each.name) == folded),
    ):
        if len(found := list(matching)) == 1:
            return found[0]
    return None


def folded_name(name: str) -> str:
    """A name in lower case, with single spaces, and "18 to 24" for "18-24": for comparisons."""
    return _RANGE.sub(" to ", " ".join(name.casefold().split()))


def did_you_mean(key: str, names: Mapping[str, str]) -> str:
    """The sentence " Did you mean …?" with the nearest of these names by code, or `""`."""
    by_text = {text.casefold(): code for code, name in names.items() for text in (name, code)}
    near = get_close_matches(key.rpartition(".")[2].casefold(), by_text, n=3, cutoff=0.6)
    codes = list(dict.fromkeys(by_text[text] for text in near))
    if not codes:
        return ""
    return f" Did you mean {' or '.join(f'{code!r} ({names[code]})' for code in codes)}?"


def not_accessible(what: str) -> str:
    """The message for something that exists and that the credential may not use."""
    return (
        f"{what} is not accessible: it exists, but this credential may not use it. Ask those who "
        "run the service for access; in a survey of your own, put accessible = true into its "
        "codebook."
    )


class QuestionBook:
    """Questions by code, as far as they have been received; implements `Labels`.

    base_namespace: the namespace of a code that has none.
    waves: the names of waves by their codes, where they are known.

    Thread-safe: entries are added whole and are never changed or removed. Lookups send no request:
    where a name is not known, callers show the code.
    """

    def __init__(
        self, base_namespace: str = BASE_NAMESPACE, waves: Mapping[str, str] | None = None
    ) -> None:
        self._base = base_namespace
        self._waves = waves or {}
        self._known: dict[str, Question | None] = {}
        self._datapoints: dict[str, Mapping[str, str]] = {}

    def canonical(self, code: str) -> str:
        """The code with its namespace."""
        return join_code(*split_code(code, self._base))

    def knows(self, codes: Iterable[str]) -> bool:
        """Whether all of these codes have been asked for already."""
        return all(code == WAVES or self.canonical(code) in self._known for code in codes)

    def add(self, questions: Iterable[Question]) -> None:
        """Remember questions, their datapoints included."""
        for each in questions:
            full = join_code(each.namespace_code or self._base, each.code)
            self._datapoints[full] = {one.code: one.name for one in each.datapoints or ()}
            self._known[full] = each

    def add_unknown(self, codes: Iterable[str]) -> None:
        """Remember that the service has no question with these codes, unless it has sent one."""
        for code in codes:
            self._known.setdefault(self.canonical(code), None)

    def question(self, code: str) -> Question | None:
        """The question with that code, accessible or not, if it has been received."""
        return self._known.get(self.canonical(code))

    def kind(self, code: str) -> str | None:
        """Whether respondents give one answer or several, if the service says so."""
        found = self.question(code)
        return found.kind if found else None

    def question_name(self, code: str) -> str | None:
        if code == WAVES:
            return "Wave"
        found = self.question(code)
        return (found.name or None) if found else None

    def wave_name(self, code: str) -> str:
        """The name of a wave: its own, else one made from its code."""
        return self._waves.get(code) or wave_name(code)

    def datapoint_name(self, question: str, code: str) -> str | None:
        return self.wave_name(code) if question == WAVES else self.datapoints(question).get(code)

    def suffix_name(self, question: str, code: str) -> str | None:
        found = self.question(question)
        suffixes = found.suffixes if found else ()
        return next((each.name for each in suffixes if each.code == code), None)

    def midpoints(self, question: str) -> Mapping[str, float]:
        """The amounts that a question's datapoints represent, by code, as far as it has them."""
        found = self.question(question)
        return {} if found is None else midpoints_of(found.datapoints or ())

    def scale(self, question: str) -> Scale | None:
        """The scale that the answers to a question form; None for one that is not known."""
        found = self.question(question)
        return None if found is None else scale_of(found)

    def datapoints(self, question: str) -> Mapping[str, str]:
        """Names of a question's datapoints by code; empty for a question that is not known."""
        return self._datapoints.get(self.canonical(question), {})


def points_from(key: object, scale: Iterable[Suffix]) -> list[str]:
    """A point of a scale and all above it, by name; none where no amounts order them."""
    listed = list(scale)
    point = find_by_code_or_name(key, listed) if isinstance(key, str) else None
    amounts = midpoints_of(listed)
    if point is None or point.code not in amounts:
        return []
    least = amounts[point.code]
    return [each.name or each.code for each in listed if amounts.get(each.code, -math.inf) >= least]
