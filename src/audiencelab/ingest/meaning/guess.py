"""What an import took for granted: each guess with its figures and the code that changes it."""

from __future__ import annotations

import json
from typing import Literal

import msgspec

Severity = Literal[0, 1, 2, 3]
"""0: a figure is wrong if the guess is; 1: doubtful; 2: settled by evidence; 3: a plain fact."""


CODEBOOK = 'al.ingest.draft_codebook(…).save("survey.toml")'
"""The code for what only a codebook changes."""


class Guess(msgspec.Struct, frozen=True, omit_defaults=True):
    """One guess.

    about: the code of a question, or the part of the survey: "weight", "waves", "location", "file".
    subject: what it is a guess of: "missing", "scale", "order", "several answers", "grid",
        "outlier", "codes", "numbers", "weight", "waves", "base", "rows", "left out", "design".
    said: a sentence with its figures. code: what changes it, as Python; "" where nothing does.
    moved: by how much it changes a figure: the part of a share, or standard deviations of a mean.

    >>> Guess("q5", "missing", "99 (41 of 2,600) counts as an answer", 'client.edit("q5", …)', 0)
    Guess(about='q5', subject='missing', said='99 (41 of 2,600) counts as an answer', \
code='client.edit("q5", …)', severity=0, moved=0.0)
    """

    about: str
    subject: str
    said: str
    code: str = ""
    severity: Severity = 2
    moved: float = 0.0


def worst_first(guesses: list[Guess]) -> list[Guess]:
    """Guesses by severity, otherwise in their order."""
    return sorted(guesses, key=lambda each: each.severity)


def quoted(name: str) -> str:
    """A name as code."""
    return json.dumps(name, ensure_ascii=False)
