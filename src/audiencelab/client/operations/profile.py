"""The profile of an audience as crosstab queries: which answers, and how many in a request."""

from __future__ import annotations

from collections.abc import Generator, Iterable, Iterator, Sequence
from contextlib import closing
from dataclasses import replace
from typing import TypeAlias, cast

import msgspec

from audiencelab.client.audiences import assign_base_id, assign_ids, question_codes, to_ref
from audiencelab.client.catalogue import Catalogue, CatalogueCategory, CatalogueQuestion
from audiencelab.client.catalogue.labels import not_accessible
from audiencelab.client.errors import RequestRefused, UnknownCodeError
from audiencelab.client.names import QuestionLike
from audiencelab.client.operations.adjust import check_adjust, fetch_adjusted
from audiencelab.client.operations.call_code import call_code
from audiencelab.client.operations.crosstab_request import CrosstabRequest
from audiencelab.client.operations.queries import (
    empty_crosstab,
)
from audiencelab.client.operations.streaming import begun
from audiencelab.client.operations.who_counts import ask_whole, compare_with_all_waves, who_of
from audiencelab.client.sending import (
    Sender,
    add_hints,
    load_catalogue,
    load_names,
    require_respondents,
)
from audiencelab.client.stream.collector import CrosstabUpdate
from audiencelab.expressions import Audience, Q
from audiencelab.expressions.labels import ANY_POINT
from audiencelab.markup import shorten
from audiencelab.results.profile import Adjustment, ProfilePoint
from audiencelab.schema.http import Request
from audiencelab.schema.scope import Scope
from audiencelab.tables import ProfileResult

QuestionsLike: TypeAlias = (
    "QuestionLike | Iterable[QuestionLike] | Catalogue | CatalogueCategory | None"
)
"""Questions by code or name, a part of the catalogue, or None for all of them."""

_MOST_ROWS = 1_000
"""Answers in one request of a profile: half of the service's limit, so that the first come soon."""

_MOST_BYTES = 512 * 1024
"""Bytes of the answers of one request, a sixteenth of the service's limit."""

ALL = "all"
"""What a caller may write for all questions; `["all"]` is a question of this name."""

_NAME_LENGTH = 200
"""Characters of an answer's name as it is sent; the result holds the whole name."""


def fill_profile(
    sender: Sender,
    audience: Audience,
    questions: Sequence[str | CatalogueQuestion] | None,
    scope: Scope,
    result: ProfileResult,
    adjust: Sequence[str | CatalogueQuestion] = (),
) -> Generator[CrosstabUpdate, None]:
    """Yields an update once the answers are known, and as they come.

    adjust: questions whose answers, crossed, are the composition that the audience is adjusted to.
    """
    context, counted = sender.context, (audience, scope.base)
    require_respondents(sender, counted)
    named = [*(questions or ()), *adjust]
    needs_catalogue = questions is None or any(isinstance(each, str) for each in named)
    catalogue = load_catalogue(sender) if needs_catalogue else None
    canonical = context.names.canonical
    own = {canonical(code) for code in question_codes((audience,))}
    points = _points(find_questions(questions, catalogue), own)
    composed_of = {each.canonical: each for each in find_questions(adjust, catalogue)}.values()
    if composed_of:
        check_adjust(sender, list(composed_of))
    load_names(sender, question_codes(counted, nameless=True))
    request = _profile_request(points, audience, scope)
    table = empty_crosstab(sender, request)
    table.provenance["operation"] = "profile"
    about = question_codes((*request.rows, *request.columns))
    table.who = who_of(context, about, replace(scope, base=table.base_audience))
    table.kinds = context.kinds_of(about)
    result.points, result.table = tuple(points), table
    asked = {"adjust": adjust or None}
    result.made = call_code(sender, "client.profile()", [audience, questions], asked, scope)
    if composed_of:
        named = [(each.code, each.name) for each in composed_of]
        result.adjustment = Adjustment(named, len(points))
    yield begun(table)

    def request_for(rows: Sequence[int], columns: Sequence[int]) -> Request:
        return request.part(table, rows, columns)

    for part in _parts(table.rows):
        if result.adjustment is not None:
            fetch_adjusted(request, table, part, result.adjustment)
        compare_with_all_waves(sender, request, table, part=part)
        ask_whole(sender, request, table, part=part)
        try:
            with closing(sender.crosstab(request_for, table, part=part)) as updates:
                yield from updates
        except RequestRefused as error:
            add_hints(sender, error, request_for(range(len(table.rows))[part], [0]))
            raise


def list_questions(
    questions: QuestionsLike, name: str = "questions"
) -> Sequence[str | CatalogueQuestion] | None:
    """The questions of an argument one by one; None for all, which may be written "all"."""
    if questions is None:
        return None
    if isinstance(questions, str):
        return None if (name, questions) == ("questions", ALL) else [questions]
    if isinstance(questions, CatalogueQuestion):
        return [questions]
    if isinstance(questions, CatalogueCategory):
        questions = questions.all_questions()
    elif not isinstance(questions, Iterable):
        raise TypeError(
            f"{name} must be a list of codes or names, such as ['q4', 'Gender'], or a part of "
            f"the catalogue; got {type(questions).__name__}."
        )
    elif not isinstance(questions, Catalogue):
        listed = list(questions)
        for position, each in enumerate(listed):
            if not isinstance(each, str | CatalogueQuestion):
                raise TypeError(
                    f"{name}[{position}] must be a code, a name or a question of the "
                    f"catalogue; got {type(each).__name__}."
                )
        return listed
    return [each for each in questions if each.accessible]


def find_questions(
    questions: Sequence[str | CatalogueQuestion] | None, catalogue: Catalogue | None
) -> Iterator[CatalogueQuestion]:
    """The questions, looked up in the catalogue; raises `UnknownCodeError`."""
    if questions is None:
        yield from (each for each in catalogue or () if each.accessible)
        return
    for given in questions:
        found = given if isinstance(given, CatalogueQuestion) else cast(Catalogue, catalogue)[given]
        if not found.accessible:
            title = f"Question {found.code!r} ({found.name})"
            raise UnknownCodeError(not_accessible(title), [found.code])
        yield found


def _points(questions: Iterable[CatalogueQuestion], own: set[str]) -> list[ProfilePoint]:
    """The answers to set the audience against, each once, in the order of the questions.

    own: the questions of the audience itself. Raises `ValueError` where no answer is left.
    """
    points = [
        ProfilePoint(
            question.code,
            question.name,
            each.code,
            (each.name or each.code) + (ANY_POINT if question.suffixes else ""),
            (question.item_of or question).canonical in own,
            question.any(each.code) if question.item_of else None,
        )
        for question in {each.canonical: each for each in questions}.values()
        for each in question.datapoints
        if each.accessible
    ]
    if not points:
        raise ValueError(
            "There is no answer to set the audience against: the questions have none, or none "
            "that may be used. Leave questions= out for the whole catalogue."
        )
    return points


def _profile_request(
    points: Iterable[ProfilePoint], audience: Audience, scope: Scope
) -> CrosstabRequest:
    """The table of the answers by the audience, which is requested part by part."""
    rows = tuple(
        Audience(
            # Recordings of earlier versions have requests with the name alone.
            shorten(point.datapoint_label.removesuffix(ANY_POINT), _NAME_LENGTH),
            Q(point.question).any(point.datapoint)
            if point.expression is None
            else point.expression,
            f"{point.question}/{point.datapoint}",
        )
        for point in points
    )
    taken = {row.id or "" for row in rows}
    columns = assign_ids([audience], "audiences", taken)
    base = assign_base_id(scope.base, taken)
    return CrosstabRequest(rows, columns, replace(scope, base=base))


def _parts(rows: Sequence[Audience]) -> Iterator[slice]:
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
