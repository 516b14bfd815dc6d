"""Edits of a codebook, as people write them: each returns the codebook edited as if by hand."""

from __future__ import annotations

from typing import Any, TypeAlias

import msgspec
from msgspec import structs

from audiencelab.ingest.codebook import (
    Codebook,
    CodedQuestion,
    Scalar,
    Source,
    canonical_value,
)
from audiencelab.ingest.codebook_checks import check_codebook, suggestion
from audiencelab.ingest.edited_answers import (
    EditedAnswers,
    check_once,
    in_order,
    left_out,
    off_scale_of,
    renamed,
    united,
)
from audiencelab.ingest.joined_items import as_multiple
from audiencelab.ingest.markup import composed
from audiencelab.schema.scales import Ends, Top
from audiencelab.survey.catalogue import Kind
from audiencelab.survey.errors import SurveyError, listed

Scores: TypeAlias = tuple[tuple[Scalar, float | None], ...]


class Edit(msgspec.Struct, frozen=True, omit_defaults=True, forbid_unknown_fields=True):
    """An edit of one question or several. Answers are named by label, code or value of the file.

    missing: further codes of no valid answer. not_asked: those of people who were not
    asked. order: answers in their order, the first of them or all. labels: new names. scores: the
    numbers of answers for means, None for none. offered: the waves that offered an answer, by code
    or name, or "all". joined: answers that become one, by its name.
    name: of the question. kind: "multiple" makes one question of several with two answers each.
    The others are as in a codebook.
    """

    questions: tuple[str, ...]
    missing: tuple[Scalar, ...] = ()
    not_asked: tuple[Scalar, ...] = ()
    order: tuple[Scalar, ...] = ()
    top: Top | None = None
    ends: Ends | None = None
    off_scale: tuple[Scalar, ...] | None = None
    labels: tuple[tuple[Scalar, str], ...] = ()
    scores: Scores = ()
    offered: tuple[tuple[Scalar, tuple[str, ...]], ...] = ()
    joined: tuple[tuple[str, tuple[Scalar, ...]], ...] = ()
    kind: Kind | None = None
    name: str = ""

    @property
    def fields(self) -> dict[str, Any]:
        """What it changes, by name."""
        given = {name: getattr(self, name) for name in self.__struct_fields__[1:]}
        return {name: each for name, each in given.items() if each not in (None, (), "")} | (
            # Unlike for other fields, empty means something: no answer is off the scale.
            {"off_scale": ()} if self.off_scale == () else {}
        )


def edited(codebook: Codebook, edit: Edit) -> Codebook:
    """The codebook with an edit, as if it were written there.

    Raises `SurveyError` for an unknown question, a name of no answer, and what contradicts itself.
    """
    check_edit(edit)
    if edit.kind is not None:
        if edit.kind != "multiple" or edit.fields.keys() - {"kind", "name"}:
            raise SurveyError(
                f"kind={edit.kind!r} is not valid for {listed(edit.questions)}: "
                'kind="multiple" alone makes one question of several, and takes name=.'
            )
        changed = as_multiple(codebook, places_of(codebook, edit), edit.name)
    else:
        questions = [*codebook.questions]
        for place in places_of(codebook, edit):
            questions[place] = edited_question(questions[place], codebook.source, edit)
        changed = structs.replace(codebook, questions=tuple(questions))
    # By identity: edited questions are new objects, and only these have to be checked again.
    known = {id(each) for each in codebook.questions}
    touched = tuple(each for each in changed.questions if id(each) not in known)
    if touched:
        # The location may be a question that was not edited, and is then not in this part.
        alone = structs.replace(changed.study, location=None)
        part = structs.replace(changed, study=alone, questions=touched, texts=())
        check_codebook(part, "the edited codebook")
    return changed


def check_edit(edit: Edit) -> None:
    """Raise `SurveyError` for an edit that changes nothing, or that contradicts itself."""
    given = edit.fields
    if not given:
        raise SurveyError('An edit needs what it changes, such as missing=[99] or top="first".')
    what = listed(edit.questions)
    if edit.name and len(edit.questions) > 1 and edit.kind is None:
        raise SurveyError(f"name={edit.name!r} is not valid for {what}: it is of one question.")
    if edit.top == "none" and edit.ends == "amount":
        raise SurveyError(
            f"top='none' is not valid for {what} with ends='amount': a scale from none to most has "
            "a top. Leave one out."
        )
    both = {*map(canonical_value, edit.missing)} & {*map(canonical_value, edit.not_asked)}
    if both:
        raise SurveyError(
            f"{min(both)!r} is in missing and in not_asked of {what}: leave it out of one."
        )


def places_of(codebook: Codebook, edit: Edit) -> list[int]:
    """The positions of the questions that an edit is of; `SurveyError` with the nearest ones."""
    return [_place_of(codebook, name) for name in edit.questions]


def _place_of(codebook: Codebook, name: str) -> int:
    base, questions, name = codebook.study.namespace, codebook.questions, composed(name)
    full = [f"{each.namespace or base}.{each.code}" for each in questions]
    by_code = [
        place
        for place, each in enumerate(questions)
        if name == full[place] or (name == each.code and (each.namespace or base) == base)
    ]
    if found := by_code or [p for p, each in enumerate(questions) if each.name == name]:
        if len(found) > 1:
            codes = listed([questions[place].code for place in found])
            raise SurveyError(f"{len(found)} questions are called {name!r}: {codes}.")
        return found[0]
    known = [text for each in questions for text in (each.code, each.name)]
    raise SurveyError(f"Unknown question {name!r}.{suggestion(name, known)}")


def edited_question(question: CodedQuestion, source: Source, edit: Edit) -> CodedQuestion:
    """The question with an edit."""
    made = EditedAnswers(question)
    # All names are those of before the edit, whatever it changes first.
    order = [made.code(name) for name in edit.order]
    scores = {made.code(name): score for name, score in edit.scores}
    groups = [(name, [made.code(each) for each in parts]) for name, parts in edit.joined]
    off = off_scale_of(made, edit.off_scale)
    missing = left_out(made, edit.missing)
    not_asked = left_out(made, edit.not_asked)
    gone = [*missing.codes, *not_asked.codes]
    check_once(question, [*gone, *(code for _, codes in groups for code in codes)])
    if question.kind == "multiple" and (scores or groups) and not question.shares_values:
        raise SurveyError(
            f"{'scores' if scores else 'recode'} is not valid for {question.code} "
            f"({question.name}): its answers are items with a column each. al.net joins items."
        )
    if scores or groups or edit.labels or edit.offered:
        made.write_midpoints()
    if edit.offered and question.kind == "grid":
        raise SurveyError(
            f"offered is not valid for {question.code} ({question.name}): it is a grid, whose "
            "files say which items a wave has."
        )
    for name, waves in edit.offered:
        code = made.code(name)
        made.answers[code] = structs.replace(made.answers[code], waves=waves)
    items = [made.rename(name, new) for name, new in edit.labels]
    for code, score in scores.items():
        made.answers[code] = structs.replace(made.answers[code], midpoint=score)
    for name, codes in groups:
        off = made.join(name, codes, off)
    for code in gone:
        del made.answers[code]
    if gone and not made.answers:
        raise SurveyError(
            f"missing is not valid for {question.code} ({question.name}): no answer would be left."
        )
    changed = made.finish()
    asked = source.not_asked if question.not_asked is None else question.not_asked
    changed = structs.replace(
        changed,
        datapoints=tuple(renamed(each, items) for each in changed.datapoints),
        missing=united(question.missing, missing.values),
        not_asked=united(asked, not_asked.values) if not_asked.values else question.not_asked,
        off_scale=question.off_scale if off is None else made.keys(off),
        ends=edit.ends or question.ends,
        name=edit.name or question.name,
    )
    changed = in_order(changed, order) if order else changed
    return structs.replace(changed, top=edit.top or changed.top)
