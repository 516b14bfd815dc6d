"""Questions of a survey by words, with the codes and names of their answers."""

from __future__ import annotations

from collections.abc import Iterator

from audiencelab.cli.output import text_table
from audiencelab.survey.catalogue import SurveyQuestion
from audiencelab.survey.reader import Survey
from audiencelab.unknown_names import near


def found_lines(survey: Survey, words: str) -> Iterator[str]:
    """The questions whose code, name or answers have all of the words."""
    wanted = words.casefold().split()
    questions = survey.catalogue.questions
    found = [each for each in questions if all(word in _text(each) for word in wanted)]
    if not found:
        close = near(words, [each.name for each in questions] + [each.code for each in questions])
        hint = f" Did you mean {close!r}?" if close else ""
        yield f"No question has {words!r} in its code, name or answers.{hint}"
    for number, each in enumerate(found):
        if number:
            yield ""
        yield f"{each.canonical}  {each.name} ({each.kind})"
        points = [(point.code, point.name) for point in each.datapoints]
        if points:
            yield from text_table(("code", "answer"), points)
        if each.suffixes:
            yield f"scale: {', '.join(f'{point.code} {point.name}' for point in each.suffixes)}"


def _text(question: SurveyQuestion) -> str:
    parts = [question.code, question.name, *(each.name for each in question.datapoints)]
    return " ".join(parts).casefold()
