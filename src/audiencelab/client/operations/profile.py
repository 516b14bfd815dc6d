"""The profile of an audience as crosstab queries: which answers, and how many in a request.

A profile is checked before anything is sent; its answers are known once the catalogue is loaded.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TypeAlias, cast

import msgspec

from audiencelab.client.catalogue import Catalogue, CatalogueCategory, CatalogueQuestion
from audiencelab.client.catalogue.labels import not_accessible
from audiencelab.client.errors import UnknownCodeError
from audiencelab.client.operations.arguments import codes
from audiencelab.client.operations.audiences import (
    AudienceLike,
    assign_base_id,
    assign_base_name,
    assign_ids,
    assign_names,
    questions_to_name,
    to_audience,
    to_ref,
)
from audiencelab.client.operations.queries import CrosstabRequest
from audiencelab.expressions import Audience, Labels, Leaf, Q, walk
from audiencelab.markup import shorten
from audiencelab.results.profile import ProfilePoint

QuestionsLike: TypeAlias = (
    "Iterable[str | CatalogueQuestion] | Catalogue | CatalogueCategory | CatalogueQuestion | None"
)
"""Questions by code or name, a part of the catalogue, or None for all of them."""

_MOST_ROWS = 1_000
"""Answers in one request: half of the service's limit, so that the first come soon."""

_MOST_BYTES = 512 * 1024
"""Bytes of the answers of one request, a sixteenth of the service's limit."""

_NAME_LENGTH = 200
"""Characters of an answer's name as it is sent; the result holds the whole name."""


@dataclass(frozen=True, slots=True)
class ProfileRequest:
    """A checked profile."""

    audience: Audience
    base_audience: Audience | None
    questions: Sequence[str | CatalogueQuestion] | None
    locations: list[str] | None
    waves: list[str] | None

    @property
    def needs_catalogue(self) -> bool:
        """Whether questions have to be looked up."""
        return self.questions is None or any(isinstance(each, str) for each in self.questions)

    def questions_to_name(self) -> set[str]:
        """The questions whose names make up the names of nameless audiences."""
        return questions_to_name((self.audience, self.base_audience))

    def named(self, labels: Labels) -> ProfileRequest:
        """The same with a name for every audience."""
        [audience] = assign_names([self.audience], labels)
        base = assign_base_name(self.base_audience, labels)
        return replace(self, audience=audience, base_audience=base)

    def points(
        self, catalogue: Catalogue | None, canonical: Callable[[str], str]
    ) -> list[ProfilePoint]:
        """The answers to set the audience against, each once, in the order of the questions.

        catalogue: where questions are looked up, if they have to be.
        canonical: gives a question's code with its namespace.

        Raises `UnknownCodeError` for a question that is not there or may not be used, and
        `ValueError` where no answer is left.
        """
        own = {canonical(code) for code in _codes(self.audience)}
        asked = {each.canonical: each for each in self._asked(catalogue)}
        points = [
            ProfilePoint(
                question.code,
                question.name,
                each.code,
                each.name or each.code,
                question.canonical in own,
            )
            for question in asked.values()
            for each in question.datapoints
            if each.accessible
        ]
        if not points:
            raise ValueError(
                "There is no answer to set the audience against: the questions have none, or none "
                "that may be used. Leave questions= out for the whole catalogue."
            )
        return points

    def crosstab(self, points: Iterable[ProfilePoint]) -> CrosstabRequest:
        """The table of some answers by the audience, to be asked for part by part."""
        rows = tuple(
            Audience(
                shorten(point.datapoint_label, _NAME_LENGTH),
                Q(point.question).any(point.datapoint),
                f"{point.question}/{point.datapoint}",
            )
            for point in points
        )
        taken = {cast(str, row.id) for row in rows}
        columns = assign_ids([self.audience], "audiences", taken)
        return CrosstabRequest(
            rows=rows,
            columns=columns,
            base_audience=assign_base_id(self.base_audience, taken),
            rows_requested=True,
            columns_requested=True,
            locations=self.locations,
            waves=self.waves,
        )

    def _asked(self, catalogue: Catalogue | None) -> Iterator[CatalogueQuestion]:
        if self.questions is None:
            yield from (each for each in catalogue or () if each.accessible)
            return
        for given in self.questions:
            if isinstance(given, CatalogueQuestion):
                found = given
            else:
                assert catalogue is not None, "names and codes need a catalogue"
                found = catalogue[given]
            if not found.accessible:
                raise UnknownCodeError(
                    not_accessible(f"Question {found.code!r} ({found.name})"), [found.code]
                )
            yield found


def build_profile(
    audience: AudienceLike,
    questions: QuestionsLike,
    *,
    base_audience: AudienceLike | None,
    waves: Iterable[str] | None,
    locations: Iterable[str] | None,
) -> ProfileRequest:
    """A profile; raises `TypeError` for arguments of the wrong type."""
    return ProfileRequest(
        audience=to_audience("audience", audience),
        base_audience=None
        if base_audience is None
        else to_audience("base_audience", base_audience),
        questions=_as_list(questions),
        locations=codes("locations", locations),
        waves=codes("waves", waves),
    )


def parts(rows: Sequence[Audience]) -> Iterator[slice]:
    """The rows of a table in slices that fit one request each."""
    start = size = 0
    for position, row in enumerate(rows):
        length = len(msgspec.json.encode(to_ref(row)))
        if position > start and (position - start == _MOST_ROWS or size + length > _MOST_BYTES):
            yield slice(start, position)
            start, size = position, 0
        size += length
    if start < len(rows):
        yield slice(start, len(rows))


def _as_list(questions: QuestionsLike) -> list[str | CatalogueQuestion] | None:
    if questions is None:
        return None
    if isinstance(questions, Catalogue):
        return [each for each in questions if each.accessible]
    if isinstance(questions, CatalogueCategory):
        return [each for each in questions.all_questions() if each.accessible]
    if isinstance(questions, CatalogueQuestion):
        return [questions]
    if isinstance(questions, str) or not isinstance(questions, Iterable):  # pyright: ignore[reportUnnecessaryIsInstance] -- callers in notebooks are not type-checked
        raise TypeError(
            "questions must be a list of codes or names, such as ['q4', 'Gender'], or a part of "
            f"the catalogue; got {type(questions).__name__}."
        )
    listed = list(questions)
    for position, each in enumerate(listed):
        if not isinstance(each, str | CatalogueQuestion):  # pyright: ignore[reportUnnecessaryIsInstance] -- as above
            raise TypeError(
                f"questions[{position}] must be a code, a name or a question of the catalogue; got "
                f"{type(each).__name__}."
            )
    return listed


def _codes(audience: Audience) -> Iterator[str]:
    if audience.expression is not None:
        for _, node in walk(audience.expression):
            if isinstance(node, Leaf):
                yield node.question
