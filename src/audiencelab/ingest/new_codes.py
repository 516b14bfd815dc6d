"""Missing codes that a further file is the first to have, as guesses: by the rules of any draft."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping

from msgspec import structs

from audiencelab.ingest.codebook import Codebook, CodedQuestion, canonical_value, natural
from audiencelab.ingest.columns import Variable
from audiencelab.ingest.draft.draft import Draft
from audiencelab.ingest.meaning.guess import Guess, quoted
from audiencelab.ingest.settled import codes_named
from audiencelab.survey.errors import SurveyError, listed


def new_codes(book: Codebook, draft: Draft, variables: Mapping[str, Variable]) -> Iterator[Guess]:
    """What the draft of a further file takes for missing codes, or doubts, that the survey had not.

    book: the survey's. variables: those of the file, with the answers of the survey.
    """
    owners = {name: each for each in book.questions for name in each.columns}
    drafted = {each.code: each for each in draft.codebook.questions}
    for guess in draft.guesses:
        own = drafted.get(guess.about)
        codes = codes_named(guess.subject, guess.said)
        if own is None or not codes:
            continue
        question = next((owners[name] for name in own.columns if name in owners), None)
        if question is None or codes & _known(question, variables):
            continue
        taken = codes <= {*map(canonical_value, own.missing)}
        yield structs.replace(
            guess,
            about=question.code,
            code=guess.code if taken else _edit(question, sorted(codes, key=float)),
            severity=min(guess.severity, 1),
        )


def check_given(
    book: Codebook, draft: Draft, variables: Mapping[str, Variable], codes: Collection[str]
) -> None:
    """Raise `SurveyError` for codes given as missing that are answers in the waves before."""
    owners = {name: each for each in book.questions for name in each.columns}
    for each in draft.codebook.questions:
        question = next((owners[name] for name in each.columns if name in owners), None)
        found = {*map(canonical_value, each.missing)} & {*codes}
        odd = [] if question is None else sorted(found & _answers(question, variables), key=natural)
        if question is not None and odd:
            raise SurveyError(
                f"missing={{{question.code!r}: …}} is not valid: {listed(odd)} is an answer in the "
                f"waves before. Leave it out in all of them first: {_edit(question, odd)}."
            )


def _known(question: CodedQuestion, variables: Mapping[str, Variable]) -> set[str]:
    """The answers of the survey in the columns of a question, and its missing codes."""
    return _answers(question, variables) | {*map(canonical_value, question.missing)}


def _answers(question: CodedQuestion, variables: Mapping[str, Variable]) -> set[str]:
    found = [variables[name] for name in question.columns if name in variables]
    return {value for each in found for value in each.answers}


def _edit(question: CodedQuestion, codes: list[str]) -> str:
    return f"client.edit({quoted(question.code)}, missing=[{', '.join(codes)}])"
