"""The questions of a draft, with the reason for each, and the missing codes that were found."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence

from msgspec.structs import replace

from audiencelab.ingest.asked_of import in_words
from audiencelab.ingest.codebook import CodedQuestion, natural
from audiencelab.ingest.draft.places import is_location
from audiencelab.ingest.draft.questions import (
    IN_BANDS,
    Drafted,
    QuestionCodes,
    column_question,
    group_question,
    scalars,
    with_form,
)
from audiencelab.ingest.draft.told import band_guess, form_guess, group_guess
from audiencelab.ingest.meaning.doubts import bare_codes, doubts_of
from audiencelab.ingest.meaning.forms import FormedColumns
from audiencelab.ingest.meaning.groups import QuestionGroup
from audiencelab.ingest.meaning.guess import Guess, GuessOption
from audiencelab.ingest.meaning.missing import MissingCodes, kept_choices
from audiencelab.ingest.meaning.profile import ColumnProfile, is_number
from audiencelab.ingest.meaning.scales import scale_guesses, top_reason
from audiencelab.survey.errors import listed


class QuestionList:
    """Questions in their order, the reason for each, and what is guessed of them.

    location: the code of the question that has the locations. without_values: columns that make no
    question. missing: the codes that mean no answer, or "not selected", in any column.
    names: of all columns.
    """

    def __init__(self, missing: MissingCodes, names: Iterable[str]) -> None:
        self.questions: list[CodedQuestion] = []
        self.reasons: dict[str, list[str]] = {}
        self.guesses: list[Guess] = []
        self.location: str | None = None
        self.without_values: list[str] = []
        self._everywhere = missing
        self._missing = defaultdict[str, list[str]](list)
        self._codes = QuestionCodes(names)

    def add_all(
        self,
        columns: Mapping[str, ColumnProfile],
        groups: Sequence[QuestionGroup],
        formed: Sequence[FormedColumns] = (),
        *,
        location: str | None,
        banded: bool,
        choices: Mapping[str, Sequence[GuessOption]],
    ) -> None:
        """Add the questions of columns and of groups of them, in the order of the columns.

        formed: columns that are ranks or parts of a sum. location: the column that has the
        locations. banded: numbers may be put into bands. choices: what a group may be, by the name
        of its first column.
        """
        forms = {column.name: each for each in formed for column in each.columns}
        first: defaultdict[str, list[QuestionGroup]] = defaultdict(list)
        for group in groups:
            first[group.columns[0].name].append(group)
        grouped = {column.name for group in groups for column in group.columns}
        for name, column in columns.items():
            # A group is where its first column is, so that questions keep the order of the file.
            for group in first[name]:
                drafted = group_question(group, self._codes.take(group.code), self._everywhere)
                if drafted.question.points:
                    self.add(drafted, group.columns)
                    self.guesses.append(group_guess(drafted.question, group, choices[name]))
            if name in grouped:
                continue
            if not column.answers:
                self.without_values.append(name)
                continue
            code = self._codes.take(name, may_be_location=name == location)
            # Numbers of regions or countries are codes, however many there are.
            in_bands = banded and not is_location(column)
            drafted = column_question(column, code, banded=in_bands)
            own = forms.get(name)
            self.add(with_form(drafted, own.form) if own else drafted, [column])
            if drafted.reason.startswith(IN_BANDS):
                self.guesses.append(band_guess(drafted.question))
            if own and own.columns[0].name == name:
                self.guesses.append(form_guess(code, own))
            self.location = code if name == location else self.location

    def add(self, drafted: Drafted, columns: Sequence[ColumnProfile]) -> None:
        """Add the question of some columns, without the missing codes that only these have."""
        question, reason, found = drafted
        question = _with_words(question, columns)
        if question.asked_of:
            by = columns[0].variable.listed_by
            who = " and ".join(map(in_words, question.asked_of))
            reason += f"; asked of {who}{f', by {by}' * bool(by)} (in the codebook: asked_of)"
        given = {code for column in columns for code in column.given_codes or ()}
        if codes := sorted(given.difference(self._everywhere.missing), key=natural):
            question = replace(question, missing=scalars(codes))
        own = {code for column in columns for code in column.own_codes}
        # What the caller gives needs no reason, and is not a guess.
        if codes := sorted(own - given, key=natural):
            shown = ", ".join(codes)
            if {*scalars(codes)}.issubset(question.not_selected or ()):
                reason += f"; {shown} taken as not chosen (in the codebook: not_selected)"
            else:
                question = replace(question, missing=(*question.missing, *scalars(codes)))
                reason += f"; {shown} taken as no answer (in the codebook: missing)"
            if all(map(is_number, codes)):
                self._missing[shown].append(question.code)
                said = f"{shown} taken as no answer, apart from the scale"
                choices = kept_choices(question.code)
                self.guesses.append(Guess.of_choices(question.code, "missing", said, choices))
        self.questions.append(question)
        is_place = any(map(is_location, columns))
        doubts = [] if is_place else doubts_of(question, columns)
        self.guesses += [] if is_place else bare_codes(question, columns)
        counts = Counter[str]()
        for column in columns if found.open else ():
            counts.update(column.answers)
        self.guesses += [*doubts, *scale_guesses(question, found, counts)]
        self.reasons[f"questions/{question.code}"] = [
            reason + top_reason(question, found),
            *(f"in doubt: {each.said}" for each in doubts),
        ]

    def missing_reasons(self) -> list[str]:
        """The codes that are taken as no answer in some questions alone, a line for each."""
        return [
            f"{codes} in {listed(questions)}: apart from the scale, taken as no answer "
            "(in the codebook: missing)"
            for codes, questions in self._missing.items()
        ]


def _with_words(question: CodedQuestion, columns: Sequence[ColumnProfile]) -> CodedQuestion:
    """The question with its whole text and who was asked, where all of its columns say the same."""
    texts = {column.variable.text for column in columns}
    universes = {column.variable.universe for column in columns}
    conditions = {column.variable.asked_of for column in columns}
    # Of any other question an empty cell says who was not asked.
    are_ticks = question.kind == "multiple" and not question.shares_values
    return replace(
        question,
        description=texts.pop() if len(texts) == 1 else "",
        universe=universes.pop() if len(universes) == 1 else "",
        asked_of=conditions.pop() if are_ticks and len(conditions) == 1 else (),
    )
