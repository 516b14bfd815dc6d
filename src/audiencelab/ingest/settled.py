"""Which guesses of an import an edit settles, so that they leave its report."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from audiencelab.ingest.codebook import canonical_value
from audiencelab.ingest.edits import Edit

_OF_SCALES = ("order", "top", "ends", "off_scale", "scores", "labels", "joined")
_SETTLED = {
    "kind": ("several answers",),
    "offered": ("not offered",),
    **dict.fromkeys(_OF_SCALES, ("scale", "order", "codes")),
}
"""The subjects of guesses that a field of an edit settles."""

_CODES = ("missing", "outlier")
"""Subjects of guesses that are settled by leaving out the codes that they name."""

_CODE = re.compile(r"-?\d+(?:\.\d+)?")
_WORD = re.compile(r"-?\w+")


def without_settled(
    report: Mapping[str, Any] | None, edits: Iterable[Edit]
) -> dict[str, Any] | None:
    """The report of an import without the guesses that edits settle; None where there is none."""
    if report is None:
        return None
    guesses: Sequence[Mapping[str, Any]] = report.get("guesses", [])
    for edit in edits:
        guesses = [each for each in guesses if not _is_settled(each, edit)]
    return {**report, "guesses": guesses}


def codes_named(subject: str, said: str) -> set[str]:
    """The codes that a guess about missing codes names by their numbers; empty for any other."""
    # What follows are figures; 9,999,999 is one code.
    named = said.partition(" (")[0].replace(",", "")
    return {*_CODE.findall(named)} if subject in _CODES and named[:1] not in "'\"" else set()


def _is_made(choice: Mapping[str, Any], edit: Edit) -> bool:
    """Whether an edit leaves out the answers that a choice leaves out."""
    values = {*map(canonical_value, choice.get("missing", ()))}
    return bool(values) and values <= {*map(canonical_value, (*edit.missing, *edit.not_asked))}


def _is_settled(guess: Mapping[str, Any], edit: Edit) -> bool:
    # Guesses name questions without a namespace.
    about = {name.rpartition(".")[2] for name in edit.questions}
    subject = guess.get("subject")
    if guess.get("about") not in about:
        return False
    if any(_is_made(choice.get("edits", {}), edit) for choice in guess.get("choices", ())):
        return True
    if subject in _CODES:
        said = str(guess.get("said", "")).partition(" (")[0]
        values = {*map(canonical_value, (*edit.missing, *edit.not_asked))}
        if codes := codes_named(subject, said):
            return values >= codes
        return any({*_WORD.findall(value)} <= {*_WORD.findall(said)} for value in values)
    return any(subject in _SETTLED.get(name, ()) for name in edit.fields)
