"""What an import took for granted: each guess with its figures and the code that changes it."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any, Literal, cast

import msgspec

Severity = Literal[0, 1, 2, 3]
"""0: a figure is wrong if the guess is; 1: doubtful; 2: settled by evidence; 3: a plain fact."""


CODEBOOK = 'al.ingest.draft_codebook(…).save("survey.toml")'
"""The code for what only a codebook changes."""


class GuessOption(msgspec.Struct, frozen=True, omit_defaults=True):
    """One way to take what a guess is about.

    label: what it means. present: whether it is how the survey has it. opens: the arguments of
    `al.open` that make it so. edits: or those of `client.edit`, the question among them.

    >>> GuessOption("the last answer", edits={"question": "q5", "top": "last"}).code
    'client.edit("q5", top="last")'
    >>> GuessOption("no weight", opens={"weight": None}).code
    'al.open(…, weight=None)'
    """

    label: str
    present: bool = False
    opens: dict[str, Any] = {}
    edits: dict[str, Any] = {}

    @property
    def code(self) -> str:
        """What makes it so, as Python; "" where nothing does."""
        if self.opens:
            return f"al.open(…, {_arguments(self.opens)})"
        if not self.edits:
            return ""
        others = {name: value for name, value in self.edits.items() if name != "question"}
        return f"client.edit({as_code(self.edits['question'])}, {_arguments(others)})"


class Guess(msgspec.Struct, frozen=True, omit_defaults=True):
    """One guess.

    about: the code of a question, or the part of the survey: "weight", "waves", "location", "file".
    subject: what it is a guess of: "missing", "scale", "order", "several answers", "grid",
        "outlier", "codes", "numbers", "weight", "waves", "base", "rows", "left out", "design".
    said: a sentence with its figures. code: what changes it, as Python; "" where nothing does.
    moved: by how much it changes a figure: the part of a share, or standard deviations of a mean.
    choices: the ways to take it, the present one among them; none where only a codebook says it.

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
    choices: tuple[GuessOption, ...] = ()

    def __repr__(self) -> str:
        # Without the choices: the code is that of one of them.
        fields = [name for name in self.__struct_fields__ if name != "choices"]
        return f"Guess({', '.join(f'{name}={getattr(self, name)!r}' for name in fields)})"

    @classmethod
    def of_choices(
        cls,
        about: str,
        subject: str,
        said: str,
        choices: Sequence[GuessOption],
        severity: Severity = 2,
        moved: float = 0.0,
    ) -> Guess:
        """A guess whose code is that of the first choice that is not the present one."""
        code = next((each.code for each in choices if not each.present and each.code), "")
        return cls(about, subject, said, code, severity, moved, tuple(choices))


def worst_first(guesses: list[Guess]) -> list[Guess]:
    """Guesses by severity, otherwise in their order."""
    return sorted(guesses, key=lambda each: each.severity)


def quoted(name: str) -> str:
    """A name as code."""
    return json.dumps(name, ensure_ascii=False)


def as_code(value: object) -> str:
    """A plain value as code, its texts in double quotes.

    >>> as_code({"q3": [98, "Refused", None]})
    '{"q3": [98, "Refused", None]}'
    """
    if isinstance(value, str):
        return quoted(value)
    if isinstance(value, Mapping):
        pairs = cast("Mapping[object, object]", value).items()
        return f"{{{', '.join(f'{as_code(key)}: {as_code(each)}' for key, each in pairs)}}}"
    if isinstance(value, list | tuple):
        return f"[{', '.join(map(as_code, cast('Sequence[object]', value)))}]"
    return repr(value)


def _arguments(given: Mapping[str, Any]) -> str:
    return ", ".join(f"{name}={as_code(value)}" for name, value in given.items())
