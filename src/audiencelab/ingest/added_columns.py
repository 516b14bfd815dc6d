"""Columns of a frame as questions and weights of a survey, as an import of its files makes them."""

from __future__ import annotations

from msgspec import structs

from audiencelab.import_card import ImportCard
from audiencelab.ingest.card import card_lines
from audiencelab.ingest.codebook import Codebook
from audiencelab.ingest.columns_plan import added_to, plan_columns
from audiencelab.ingest.frame_columns import FrameColumns
from audiencelab.ingest.kept import codebook_of
from audiencelab.ingest.report import ImportReport
from audiencelab.ingest.versions import is_repeated, next_version
from audiencelab.survey.errors import listed
from audiencelab.survey.reader import Survey


def add_columns(survey: Survey, columns: FrameColumns, *, replace: bool = False) -> Survey:
    """The survey with columns of a frame: its next version, or a copy as for an edit.

    replace: questions of these names are replaced; those of earlier columns always are.

    Raises `SurveyError` with every key that is not of one respondent, and every name that is a
    question of the survey already; the survey then stays as it is.
    """
    if is_repeated(survey, columns.record, "columns"):
        return survey
    return next_version(
        survey,
        columns.record,
        lambda current: plan_columns(current, columns, replace=replace),
    )


def columns_card(survey: Survey, columns: FrameColumns) -> ImportCard:
    """What the survey says of the columns of a frame, the worst first."""
    names = {*columns.columns}
    questions = [each for each in codebook_of(survey).questions if names.issuperset(each.columns)]
    about = names | {each.code for each in questions}
    guesses = [each for each in ImportReport.of(survey).guesses if each.about in about]
    made = [each.code for each in questions] + [*columns.weights]
    return ImportCard(f"Columns by {columns.key}: {listed(made)}", (), card_lines(guesses))


def without_added(survey: Survey, codebook: Codebook) -> Codebook:
    """A survey's codebook without questions and weights of frames, which no file of it has."""
    base, added = codebook.study.namespace, added_to(survey)
    kept = tuple(
        each
        for each in codebook.questions
        if f"{each.namespace or base}.{each.code}" not in added.questions
    )
    weight = codebook.weight
    if weight is not None:
        others = tuple(each for each in weight.others if each not in added.weights)
        weight = structs.replace(weight, others=others)
    return structs.replace(codebook, questions=kept, weight=weight)
