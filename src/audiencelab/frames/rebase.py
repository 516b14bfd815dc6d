"""Bases by name: who the percentages are taken of, chosen on purpose.

A respondent who was not asked a question stays in the denominator, so that a percentage is
always one of the whole base. Whoever wants another denominator asks for it with one of these.
"""

from __future__ import annotations

from audiencelab.audience import Audience, Labels, Q

__all__ = ["rebase_to_asked"]


def rebase_to_asked(question: str, labels: Labels | None = None) -> Audience:
    """The base audience "any datapoint of this question", for `base_audience=`.

    question: its code, with or without namespace.
    labels: a catalogue, so that the base is named by the question's name.

    The service has no way to ask who saw a question and ticked nothing: they are left out too.
    Where "none of these" is a datapoint of its own, they are in.
    """
    name = (labels.question_name(question) if labels else None) or question
    return Audience(name=f"Answered {name}", expression=Q(question).any())
