"""Bases by name: who the percentages are taken of, chosen on purpose.

A respondent who was not asked a question stays in the denominator, so that a percentage is
always one of the whole base. These functions make other denominators.
"""

from __future__ import annotations

from audiencelab.expressions import Audience, Labels, Q
from audiencelab.expressions.codes import ASKED


def answered(question: str, labels: Labels | None = None) -> Audience:
    """The respondents who gave any answer to a question, for `base_audience=`.

    question: its code, with or without namespace.
    labels: a catalogue, so that the base is named by the question's name.

    Respondents who were asked and chose nothing are left out; `asked` has them. Where "none of
    these" is a datapoint of its own, it is an answer.

        client.stats("q9", base_audience=al.answered("q9"))
    """
    return Audience(name=f"Answered {_name(question, labels)}", expression=Q(question).any())


def asked(question: str, labels: Labels | None = None) -> Audience:
    """The respondents who were asked a question, also those who chose nothing.

    question, labels: as for `answered`.

    Only respondent-level data know who was asked, so this audience works where the survey is in
    this process (`connect(survey=…)`, the demo survey) and in replays of recordings made there. Any
    other client raises `LookupError` before it sends anything.

        client.stats("q9", base_audience=al.asked("q9"))
    """
    return Audience(name=f"Asked {_name(question, labels)}", expression=Q(question).any(ASKED))


def _name(question: str, labels: Labels | None) -> str:
    return (labels.question_name(question) if labels else None) or question
