"""Whether a survey has the codes that a query names, and whether they may be used.

Finds every fault with its place; what to answer (400 or 403) is the service's affair. A fault's
words name what the catalogue has, never what was submitted. In a list of codes, None stands for
one whose fault is already known, and keeps its place.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from audiencelab.errors import AudienceError, Fault, list_faults
from audiencelab.expressions import Expression, Leaf, walk
from audiencelab.expressions.codes import ASKED, WAVES

if TYPE_CHECKING:
    from audiencelab.survey import Survey, SurveyQuestion

__all__ = ["CodeFault", "Codes", "UnknownCodeError"]


_REMEMBERED = 50_000
"""Leaves that are known to be sound; a whole catalogue has fewer."""


@dataclass(frozen=True, slots=True)
class CodeFault(Fault):
    """A code that makes no sense where it stands.

    forbidden: the survey has it, and the caller may not use it. unknown: the survey does not have
        it.
    """

    forbidden: bool = False
    unknown: bool = False

    def under(self, prefix: str) -> CodeFault:
        return replace(self, pointer=prefix + self.pointer)

    def at(self, pointer: str) -> CodeFault:
        """The same fault of a document in which the code stands elsewhere."""
        return replace(self, pointer=pointer)


class UnknownCodeError(AudienceError, LookupError):
    """A query of the engine that names codes the survey lacks; `faults` has all of them."""

    def __init__(self, faults: Sequence[Fault]) -> None:
        self.faults = tuple(faults)
        super().__init__(list_faults("The survey cannot answer this:", self.faults))

    def __reduce__(self) -> tuple[type[UnknownCodeError], tuple[tuple[Fault, ...]]]:
        return type(self), (self.faults,)


class Codes:
    """The codes of one survey."""

    def __init__(self, survey: Survey) -> None:
        self._catalogue = survey.catalogue
        # The same conditions come again and again: in rows and columns, in one query after another.
        self._sound: set[Leaf] = set()
        self._accessible_waves = {wave.code: wave.accessible for wave in survey.waves}

    def in_expression(self, expression: Expression | None) -> Iterator[CodeFault]:
        """Every fault of every leaf, with its pointer from the expression's root."""
        for pointer, node in walk(expression) if expression is not None else ():
            if isinstance(node, Leaf) and node not in self._sound:
                faults = list(self._in_leaf(node))
                yield from (fault.under(pointer) for fault in faults)
                if not faults:
                    self._remember(node)

    def in_question(self, pointer: str, code: str) -> Iterator[CodeFault]:
        """The fault of a question code, if it has one; `waves` has none."""
        if code == WAVES:
            return
        question = self._find(code)
        if question is None:
            yield CodeFault(pointer, "No question has this code.", unknown=True)
        elif not question.accessible:
            yield CodeFault(pointer, f"The question {question.canonical} is not accessible.", True)

    def in_datapoints(
        self, pointer: str, question: str, codes: Sequence[str | None]
    ) -> Iterator[CodeFault]:
        """Codes that are no datapoints of a question; nothing if there is no such question."""
        if question == WAVES:
            yield from self.in_waves(pointer, codes)
            return
        found = self._find(question)
        for place, code in enumerate(codes if found is not None else ()):
            yield from self._in_datapoint(f"{pointer}/{place}", found, code)

    def in_suffixes(
        self, pointer: str, question: str, codes: Sequence[str | None]
    ) -> Iterator[CodeFault]:
        """Codes that are no suffixes of a question; nothing if there is no such question."""
        found = self._find(question)
        if codes and (question == WAVES or (found is not None and not found.suffixes)):
            yield CodeFault(pointer, "This question has no suffixes; leave them out.")
            return
        known = {suffix.code for suffix in found.suffixes} if found is not None else set[str]()
        for place, code in enumerate(codes if found is not None else ()):
            if code is not None and code not in known:
                detail = "The question has no suffix of this code."
                yield CodeFault(f"{pointer}/{place}", detail, unknown=True)

    def in_waves(self, pointer: str, codes: Sequence[str | None]) -> Iterator[CodeFault]:
        """Codes that are no waves, and waves that may not be used."""
        for place, code in enumerate(codes):
            if code is None:
                continue
            accessible = self._accessible_waves.get(code)
            if accessible is None:
                yield CodeFault(f"{pointer}/{place}", "No wave has this code.", unknown=True)
            elif not accessible:
                yield CodeFault(f"{pointer}/{place}", f"The wave {code} is not accessible.", True)

    def in_locations(self, pointer: str, codes: Sequence[str | None]) -> Iterator[CodeFault]:
        """Codes that are no locations, and locations that may not be used."""
        location = self._catalogue.question(self._catalogue.location_question)
        known = location.datapoint_positions
        for place, code in enumerate(codes):
            if code is not None and code not in known:
                yield CodeFault(f"{pointer}/{place}", "No location has this code.", unknown=True)
            elif code is not None and not location.datapoint(code).accessible:
                detail = f"The location {code} is not accessible."
                yield CodeFault(f"{pointer}/{place}", detail, True)

    def in_datasets(self, pointer: str, codes: Sequence[str | None]) -> Iterator[CodeFault]:
        """Codes that are no datasets."""
        known = {dataset.code for dataset in self._catalogue.datasets}
        for place, code in enumerate(codes):
            if code is not None and code not in known:
                yield CodeFault(f"{pointer}/{place}", "No dataset has this code.", unknown=True)

    def _remember(self, leaf: Leaf) -> None:
        if len(self._sound) >= _REMEMBERED:
            self._sound.clear()
        self._sound.add(leaf)

    def _in_leaf(self, leaf: Leaf) -> Iterator[CodeFault]:
        yield from self.in_question("/question", leaf.question)
        listed: Sequence[str | None] = leaf.datapoints
        if leaf.question != WAVES:
            listed = [None if code == ASKED else code for code in listed]
        yield from self.in_datapoints("/datapoints", leaf.question, listed)
        yield from self.in_suffixes("/suffixes", leaf.question, leaf.suffixes)
        yield from self._in_min_count(leaf)

    def _in_min_count(self, leaf: Leaf) -> Iterator[CodeFault]:
        found = self._find(leaf.question)
        most = len(set(leaf.datapoints))
        if not most and leaf.question != WAVES:
            most = len(found.datapoints) if found is not None else leaf.min_count
        if most and leaf.min_count > most:
            yield CodeFault(
                "/min_count", f"'min_count' is above the number of different datapoints, {most}."
            )

    def _in_datapoint(
        self, pointer: str, question: SurveyQuestion | None, code: str | None
    ) -> Iterator[CodeFault]:
        if question is None or code is None:
            return
        if code not in question.datapoint_positions:
            yield CodeFault(
                pointer,
                f"The question {question.canonical} has no datapoint of this code.",
                unknown=True,
            )
        elif not question.datapoint(code).accessible:
            yield CodeFault(
                pointer, f"The datapoint {code} of {question.canonical} is not accessible.", True
            )

    def _find(self, code: str) -> SurveyQuestion | None:
        try:
            return self._catalogue.question(code)
        except KeyError:
            return None
