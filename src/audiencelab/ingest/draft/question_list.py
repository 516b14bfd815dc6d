"""The questions of a draft, with the reason for each, and the missing codes that were found."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence

from msgspec.structs import replace

from audiencelab.ingest.codebook import CodedQuestion, natural
from audiencelab.ingest.draft.questions import (
    IN_BANDS,
    Codes,
    column_question,
    group_question,
    scalars,
)
from audiencelab.ingest.draft.roles import is_location
from audiencelab.ingest.draft.told import band_guess, group_guess, quoted
from audiencelab.ingest.meaning.doubts import doubts_of
from audiencelab.ingest.meaning.groups import QuestionGroup
from audiencelab.ingest.meaning.guess import Guess
from audiencelab.ingest.meaning.missing import MissingCodes
from audiencelab.ingest.meaning.profile import ColumnProfile, is_number
from audiencelab.ingest.meaning.scales import top_reason, with_scale
from audiencelab.survey.errors import listed


class QuestionList:
    """Questions in their order, the reason for each, and what is guessed of them.

    location: the code of the question that has the locations. without_values: columns that make no
    question. missing: the codes that mean no answer, or "not selected", in any column.
    """

    def __init__(self, missing: MissingCodes) -> None:
        self.questions: list[CodedQuestion] = []
        self.reasons: dict[str, list[str]] = {}
        self.guesses: list[Guess] = []
        self.location: str | None = None
        self.without_values: list[str] = []
        self._everywhere = missing
        self._missing = defaultdict[str, list[str]](list)
        self._codes = Codes()

    def add_all(
        self,
        columns: Mapping[str, ColumnProfile],
        groups: Sequence[QuestionGroup],
        *,
        location: str | None,
        banded: bool,
    ) -> None:
        """Add the questions of columns and of groups of them, in the order of the columns.

        location: the column that has the locations. banded: numbers may be put into bands.
        """
        first: defaultdict[str, list[QuestionGroup]] = defaultdict(list)
        for group in groups:
            first[group.columns[0].name].append(group)
        grouped = {column.name for group in groups for column in group.columns}
        for name, column in columns.items():
            for group in first[name]:
                question = group_question(group, self._codes.take(group.code), self._everywhere)
                if question.points:
                    self.add(question, group.reason, group.columns)
                    self.guesses.append(group_guess(question, group))
            if name in grouped:
                continue
            if not column.answers:
                self.without_values.append(name)
                continue
            code = self._codes.take(name, may_be_location=name == location)
            # Numbers of regions or countries are codes, however many there are.
            in_bands = banded and not is_location(column)
            question, reason = column_question(column, code, banded=in_bands)
            self.add(question, reason, [column])
            if reason.startswith(IN_BANDS):
                self.guesses.append(band_guess(question))
            self.location = code if name == location else self.location

    def add(self, question: CodedQuestion, reason: str, columns: Sequence[ColumnProfile]) -> None:
        """Add the question of some columns, without the missing codes that only these have."""
        given = {code for column in columns for code in column.given_codes or ()}
        if codes := sorted(given.difference(self._everywhere.missing), key=natural):
            question = replace(question, missing=scalars(codes))
        own = {code for column in columns for code in column.own_codes}
        if codes := sorted(own - given, key=natural):
            shown = ", ".join(codes)
            if {*scalars(codes)}.issubset(question.not_selected or ()):
                reason += f"; {shown} taken as not chosen (in the codebook: not_selected)"
            else:
                question = replace(question, missing=(*question.missing, *scalars(codes)))
                reason += f"; {shown} taken as no answer (in the codebook: missing)"
            if all(map(is_number, codes)):
                self._missing[shown].append(question.code)
                code = f"al.open(…, missing={{{quoted(question.code)}: []}})"
                said = f"{shown} taken as no answer, apart from the scale"
                self.guesses.append(Guess(question.code, "missing", said, code))
        question = with_scale(question)
        self.questions.append(question)
        doubts = [] if any(map(is_location, columns)) else doubts_of(question, columns)
        self.guesses += doubts
        self.reasons[f"questions/{question.code}"] = [
            reason + top_reason(question),
            *(f"in doubt: {each.said}" for each in doubts),
        ]

    def missing_reasons(self) -> list[str]:
        """The codes that are taken as no answer in some questions alone, a line for each."""
        return [
            f"{codes} in {listed(questions)}: apart from the scale, taken as no answer "
            "(in the codebook: missing)"
            for codes, questions in self._missing.items()
        ]
