"""Whether columns that belong together are one question with several answers, a grid, or single."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal, TypeAlias

from audiencelab.ingest.codebook_checks import suggestion
from audiencelab.ingest.draft.questions import clean_code
from audiencelab.ingest.markup import composed
from audiencelab.ingest.meaning.groups import QuestionGroup
from audiencelab.ingest.meaning.guess import Guess, GuessOption
from audiencelab.survey.errors import SurveyError

GivenKind: TypeAlias = Literal["multiple", "grid", "single"]

GivenKinds: TypeAlias = Mapping[str, GivenKind]
"""What columns of one stem are, by the code or name of their question, or one of the columns."""

_WORDS: dict[GivenKind, str] = {
    "multiple": "one question with several answers",
    "grid": "a grid, each column an item of it",
    "single": "single questions, one for each column",
}


@dataclass(frozen=True)
class Kinds:
    """The groups of columns that make one question each.

    choices: what each may be, by the name of its first column, the present one first. guesses: of
    columns that are single questions, as asked for.
    """

    groups: list[QuestionGroup] = field(default_factory=list[QuestionGroup])
    choices: dict[str, list[GuessOption]] = field(default_factory=dict[str, list[GuessOption]])
    guesses: list[Guess] = field(default_factory=list[Guess])


def with_kinds(groups: Sequence[QuestionGroup], given: GivenKinds | None) -> Kinds:
    """Groups of columns as a caller wants some of them.

    Raises `SurveyError` for what a group cannot be, and for a name of no group.
    """
    kinds = {composed(name): kind for name, kind in (given or {}).items()}
    often = Counter(clean_code(group.code) for group in groups)
    made = Kinds()
    for group in groups:
        first, code = group.columns[0].name, clean_code(group.code)
        names = (code, group.code, group.name, *(column.name for column in group.columns))
        name = next((each for each in names if each in kinds), "")
        kind = kinds.pop(name) if name else _kind(group)
        if kind not in (possible := _possible(group)):
            known = " or ".join(f'"{each}"' for each in possible)
            raise SurveyError(
                f"kind={{{name!r}: {kind!r}}} is not valid: {_span(group)} may be {known}."
            )
        key = code if often[code] == 1 else first
        choices = [
            GuessOption(_WORDS[each], each == kind, {"kind": {key: each}}) for each in possible
        ]
        made.choices[first] = sorted(choices, key=lambda each: not each.present)
        if kind == "single":
            said = f"{_span(group)} are single questions, as asked for"
            guess = Guess(code, "several answers", said, "", 3, choices=(*made.choices[first],))
            made.guesses.append(guess)
        elif kind != _kind(group):
            answered = tuple(column for column in group.columns if column.answers)
            reason = "grid: asked for"
            made.groups.append(
                replace(group, kind="grid", columns=answered, reason=reason, items=())
            )
            made.choices[answered[0].name] = made.choices[first]
        else:
            made.groups.append(group)
    if kinds:
        name, kind = next(iter(kinds.items()))
        known = [text for each in groups for text in (clean_code(each.code), each.name)]
        raise SurveyError(
            f"kind={{{name!r}: {kind!r}}} is not valid: no columns that belong together are called "
            f"{name!r}.{suggestion(name, known)}"
        )
    return made


def _kind(group: QuestionGroup) -> GivenKind:
    return "grid" if group.kind == "grid" else "multiple"


def _possible(group: QuestionGroup) -> tuple[GivenKind, ...]:
    """What a group may be: items are a grid where all have one scale, as Yes and No are."""
    if group.kind == "items" and group.points > 1:
        return "multiple", "grid", "single"
    return _kind(group), "single"


def _span(group: QuestionGroup) -> str:
    return f"{group.columns[0].name} … {group.columns[-1].name}"
