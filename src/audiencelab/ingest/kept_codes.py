"""Codes of answers that stay with their labels where a frame brings a question again.

An audience names answers by their codes. Codes by position would give the code of an answer to
another one where labels are other ones, or more.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import count

import msgspec
from msgspec import structs

from audiencelab.ingest.answers import answer_codes, answers_of
from audiencelab.ingest.codebook import CodedQuestion, datapoint_codes
from audiencelab.ingest.edited_answers import EditedAnswers
from audiencelab.survey.catalogue import SurveyQuestion


class KnownCodes(msgspec.Struct, frozen=True):
    """Codes by labels: of the datapoints of a question and of the scale of a grid, ever given."""

    datapoints: dict[str, str] = {}
    suffixes: dict[str, str] = {}

    def with_question(self, question: SurveyQuestion) -> KnownCodes:
        """With the codes that a question has now."""
        points = {each.name: each.code for each in question.datapoints}
        scale = {each.name: each.code for each in question.suffixes}
        return KnownCodes({**self.datapoints, **points}, {**self.suffixes, **scale})

    def of(self, question: CodedQuestion) -> CodedQuestion:
        """A question of which each label has the code that it had, and a new label a new one."""
        is_grid = question.kind == "grid"
        edited = EditedAnswers(question)
        names = [each.name for each in answers_of(question)]
        known = self.suffixes if is_grid else self.datapoints
        before = answer_codes(question)
        now = [*_codes(names, before, known, "" if is_grid else f"{question.code}_")]
        if is_grid:
            question = self._of_items(question, dict(zip(before, now, strict=True)))
            edited = EditedAnswers(question)
        edited.answers = dict(zip(now, edited.answers.values(), strict=True))
        return question if now == before else edited.finish()

    def _of_items(self, question: CodedQuestion, scale: Mapping[str, str]) -> CodedQuestion:
        """A grid with the codes of its items, whose columns are by the new codes of its scale."""
        points = question.datapoints
        before = datapoint_codes(question, points)
        names = [each.name for each in points]
        now = [*_codes(names, before, self.datapoints, f"{question.code}_")]
        made = tuple(
            structs.replace(
                each,
                code=each.code if code == old else code,
                columns={scale.get(key, key): name for key, name in each.columns.items()},
            )
            for each, old, code in zip(points, before, now, strict=True)
        )
        return structs.replace(question, datapoints=made)


def _codes(
    names: Iterable[str], codes: Iterable[str], known: Mapping[str, str], prefix: str
) -> Iterable[str]:
    """The code of each name: the known one, else its own unless another name had it, else new."""
    taken = {*known.values()}
    given: set[str] = set()
    for name, own in zip(names, codes, strict=True):
        code = known.get(name, own)
        if code in given or (name not in known and own in taken):
            made = (f"{prefix}{number}" for number in count(1))
            code = next(each for each in made if each not in taken and each not in given)
        given.add(code)
        yield code
