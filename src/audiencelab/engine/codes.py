"""The codes of one survey, and every fault of those that a query names, with a JSON pointer.

What to respond (400 or 403) is for the service. Messages name what the catalogue has, never what
was submitted. In a list of codes, None replaces a code whose fault is already known.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from audiencelab.errors import AudienceError, Fault, list_faults
from audiencelab.expressions import Condition, Expression, Leaf, NumberRange, walk
from audiencelab.expressions.codes import ASKED, WAVES

if TYPE_CHECKING:
    from audiencelab.survey import Survey, SurveyQuestion

_REMEMBERED = 50_000
"""Conditions that are known to be valid; a whole catalogue has fewer."""


@dataclass(frozen=True, slots=True)
class CodeFault(Fault):
    """A code that is not valid where it is used.

    forbidden: the survey has it, and the caller may not use it. unknown: the survey does not have
        it.
    """

    forbidden: bool = False
    unknown: bool = False

    def under(self, prefix: str) -> CodeFault:
        return replace(self, pointer=prefix + self.pointer)

    def at(self, pointer: str) -> CodeFault:
        """The same fault at another position."""
        return replace(self, pointer=pointer)


class MissingCodeError(AudienceError, LookupError):
    """A query of the engine that names codes the survey lacks; `faults` has all of them."""

    def __init__(self, faults: Sequence[Fault]) -> None:
        self.faults = tuple(faults)
        super().__init__(list_faults("The survey cannot answer this:", self.faults))

    def __reduce__(self) -> tuple[type[MissingCodeError], tuple[tuple[Fault, ...]]]:
        return type(self), (self.faults,)


class Codes:
    """The codes of one survey."""

    def __init__(self, survey: Survey) -> None:
        self._catalogue = survey.catalogue
        # The same conditions are used in rows and columns, in one query after another.
        self._valid: set[Condition] = set()
        self._numbered = survey.numbered
        self._waves = {wave.code: wave.accessible for wave in survey.waves}

    def in_expression(self, expression: Expression | None) -> Iterator[CodeFault]:
        """Every fault of every leaf, with its pointer from the expression's root."""
        for pointer, node in walk(expression) if expression is not None else ():
            if isinstance(node, Condition) and node not in self._valid:
                yield from (fault.under(pointer) for fault in self.in_condition(node))

    def in_condition(self, condition: Condition) -> list[CodeFault]:
        """The faults of one condition, with pointers from it."""
        if isinstance(condition, NumberRange):
            faults = list(self._range_faults(condition))
        else:
            assert isinstance(condition, Leaf), "a condition is a leaf or a range"
            faults = list(self._leaf_faults(condition))
        if not faults:
            # Emptied whole rather than entry by entry: it fills again with what is in use.
            if len(self._valid) >= _REMEMBERED:
                self._valid.clear()
            self._valid.add(condition)
        return faults

    def in_question(self, pointer: str, code: str) -> Iterator[CodeFault]:
        """The fault of a question code, if it has one; `waves` has none."""
        question = self._find(code)
        if question is None and code != WAVES:
            yield CodeFault(pointer, "No question has this code.", unknown=True)
        elif question is not None and not question.accessible:
            yield CodeFault(pointer, f"The question {question.canonical} is not accessible.", True)

    def in_datapoints(
        self, pointer: str, question: str, codes: Sequence[str | None]
    ) -> Iterator[CodeFault]:
        """Faults of datapoints; none if there is no such question."""
        found = self._find(question)
        if question == WAVES:
            yield from self.in_waves(pointer, codes)
        elif found is not None:
            yield from _faults(
                *(pointer, codes, _points(found)),
                f"The question {found.canonical} has no datapoint of this code.",
                f"The datapoint {{}} of {found.canonical} is not accessible.",
            )

    def in_suffixes(
        self, pointer: str, question: str, codes: Sequence[str | None]
    ) -> Iterator[CodeFault]:
        """Faults of suffixes; none if there is no such question."""
        found = self._find(question)
        if codes and (question == WAVES or (found is not None and not found.suffixes)):
            yield CodeFault(pointer, "This question has no suffixes; leave them out.")
        elif found is not None:
            known = {suffix.code: True for suffix in found.suffixes}
            yield from _faults(
                pointer, codes, known.get, "The question has no suffix of this code."
            )

    def in_waves(self, pointer: str, codes: Sequence[str | None]) -> Iterator[CodeFault]:
        """Codes that are not waves, and waves that may not be used."""
        unknown, forbidden = "No wave has this code.", "The wave {} is not accessible."
        return _faults(pointer, codes, self._waves.get, unknown, forbidden)

    def in_locations(self, pointer: str, codes: Sequence[str | None]) -> Iterator[CodeFault]:
        """Codes that are not locations, and locations that may not be used."""
        if codes:
            location = _points(self._catalogue.question(self._catalogue.location_question))
            unknown, forbidden = "No location has this code.", "The location {} is not accessible."
            yield from _faults(pointer, codes, location, unknown, forbidden)

    def in_datasets(self, pointer: str, codes: Sequence[str | None]) -> Iterator[CodeFault]:
        """Codes that are not datasets."""
        known = {dataset.code: True for dataset in self._catalogue.datasets}
        return _faults(pointer, codes, known.get, "No dataset has this code.")

    def _leaf_faults(self, leaf: Leaf) -> Iterator[CodeFault]:
        yield from self.in_question("/question", leaf.question)
        listed: Sequence[str | None] = leaf.datapoints
        found = self._find(leaf.question)
        if leaf.question != WAVES:
            # `asked` is not in the catalogue, and every question accepts it.
            listed = [None if code == ASKED else code for code in listed]
        yield from self.in_datapoints("/datapoints", leaf.question, listed)
        yield from self.in_suffixes("/suffixes", leaf.question, leaf.suffixes)
        # A datapoint listed twice can only be given once; a leaf that lists none means all.
        most = len(set(leaf.datapoints)) or (len(found.datapoints) if found is not None else 0)
        if most and leaf.min_count > most:
            yield CodeFault(
                "/min_count", f"'min_count' is above the number of different datapoints, {most}."
            )

    def _range_faults(self, condition: NumberRange) -> Iterator[CodeFault]:
        yield from self.in_question("/question", condition.question)
        found = self._find(condition.question)
        if found is not None and found.canonical not in self._numbered:
            yield CodeFault(
                "/numbers",
                f"The survey keeps no numbers of respondents for {found.canonical}; list the "
                "datapoints of the range.",
            )

    def _find(self, code: str) -> SurveyQuestion | None:
        try:
            return None if code == WAVES else self._catalogue.question(code)
        except KeyError:
            return None


def _points(question: SurveyQuestion) -> Callable[[str], bool | None]:
    """Whether a datapoint is accessible; None for an unknown one."""

    def accessible(code: str) -> bool | None:
        known = code in question.datapoint_positions
        return question.datapoint(code).accessible if known else None

    return accessible


def _faults(
    pointer: str,
    codes: Sequence[str | None],
    accessible: Callable[[str], bool | None],
    unknown: str,
    forbidden: str = "",
) -> Iterator[CodeFault]:
    """Faults of listed codes; accessible: whether a code may be used, None for an unknown one."""
    for at, code in enumerate(codes):
        usable = True if code is None else accessible(code)
        if usable is None:
            yield CodeFault(f"{pointer}/{at}", unknown, unknown=True)
        elif not usable:
            yield CodeFault(f"{pointer}/{at}", forbidden.replace("{}", code or ""), True)
