"""What follows from drifts: an error, lines of the import's card, breaks of the codebook."""

from __future__ import annotations

from collections.abc import Iterable

from msgspec import structs

from audiencelab.ingest.codebook import Codebook, CodedBreak, CodedQuestion
from audiencelab.ingest.drift.record import Drift
from audiencelab.ingest.meaning.guess import Guess, Severity
from audiencelab.survey.errors import SurveyError

_MOST = 20
_LONGEST = 160
"""Characters of the reason of a break, which is a part of every catalogue."""
_PLAIN = ("new question", "gone question", "new answer", "gone answer")


def check_drift(drifts: Iterable[Drift]) -> None:
    """Raise `SurveyError` with all drifts that refuse an import, each with the code that decides.

    >>> from audiencelab.ingest.drift import Drift, check_drift
    >>> check_drift([Drift("new answer", "q5", "6 'Dora' (4%) is new")])
    """
    found = [each for each in drifts if each.refuses]
    if not found:
        return
    lines = [line for each in found[:_MOST] for line in _lines(each)]
    lines += [f"  … and {len(found) - _MOST:,} more"] if len(found) > _MOST else []
    shown = "\n".join(lines)
    raise SurveyError(
        f"The files differ in what their answers mean:\n{shown}\n"
        'decide= settles it by question: "labels" (an answer is what its label says), "codes" (a '
        'code means what it meant), "break" (as it is, and figures of earlier waves do not '
        "compare), {new: old} values, or a factor."
    )


def _lines(drift: Drift) -> list[str]:
    lines = [f"  {drift.question}: {_said(drift)}"]
    return [*lines, f"    {drift.fix}"] if drift.fix else lines


def guesses_of(drifts: Iterable[Drift]) -> list[Guess]:
    """A line of the card for each drift, with the code that changes how it is read."""
    return [
        Guess(each.question, "drift", _said(each), each.fix, _severity(each))
        for each in drifts
        if not _is_told(each)
    ]


def _is_told(drift: Drift) -> bool:
    """Whether it is a code that is new, of which the draft says what it is taken for."""
    is_read = drift.is_break or drift.refuses or drift.missing or drift.answers
    return drift.kind == "missing codes" and not is_read


def _said(drift: Drift) -> str:
    return f"{drift.wave}: {drift.detail}" if drift.wave else drift.detail


def _severity(drift: Drift) -> Severity:
    if drift.refuses:
        return 0
    if drift.is_break or drift.reads or drift.was or drift.missing:
        return 1
    return 3 if drift.kind in _PLAIN else 2


def with_breaks(codebook: Codebook, drifts: Iterable[Drift], wave: str = "") -> Codebook:
    """A codebook with a break for each drift after which figures do not compare.

    wave: the code of the first wave that is different, of drifts that name none.
    """
    found: dict[str, dict[str, str]] = {}
    for each in drifts:
        if each.is_break and (code := each.wave or wave):
            # The first one says enough.
            found.setdefault(each.question, {}).setdefault(code, _why(each))
    questions = tuple(_broken(each, found.get(each.code, {})) for each in codebook.questions)
    return structs.replace(codebook, questions=questions)


def _why(drift: Drift) -> str:
    detail = drift.detail
    return detail if len(detail) <= _LONGEST else f"{detail[: _LONGEST - 1].rstrip()}…"


def _broken(question: CodedQuestion, found: dict[str, str]) -> CodedQuestion:
    known = {each.wave for each in question.breaks}
    more = [CodedBreak(wave, why) for wave, why in found.items() if wave not in known]
    return structs.replace(question, breaks=(*question.breaks, *more)) if more else question
