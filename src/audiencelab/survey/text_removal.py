"""Remove columns of text from a survey, before it is given to others."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from pathlib import Path
from typing import Any

from audiencelab.survey.errors import SurveyError, listed
from audiencelab.survey.reader import Survey
from audiencelab.survey.texts import Texts
from audiencelab.survey.update import Revision, all_waves, asked_questions, revise


def drop_texts(path: str | Path, *names: str, out: str | Path | None = None) -> Survey:
    """Remove columns of text from a survey, open answers and keys; by default all of them.

    names: of columns. out: a folder for a new survey; by default the new version replaces this one.

    Raises `SurveyError` for a column that the survey does not have, and as `revise`.

    >>> drop_texts("my-survey", out="for-others")
    """

    def plan(current: Survey) -> Revision:
        known = [each.name for each in current.texts]
        if unknown := [name for name in names if name not in known]:
            raise SurveyError(
                f"There is no text {listed(unknown)} in {current.name}. It has "
                f"{listed(known) or 'none'}."
            )
        gone: dict[str, Texts | None] = dict.fromkeys(names or known)
        return Revision(
            asked_questions(current),
            current.derived,
            all_waves(current),
            report=_without(current.import_report, "guesses", "subject", {"text"}),
            codebook=_without(current.codebook, "texts", "column", gone.keys()),
            texts={wave.code: gone for wave in current.waves},
        )

    return revise(path, plan, out=out)


def _without(
    record: Mapping[str, Any] | None, part: str, field: str, gone: Collection[str]
) -> dict[str, Any] | None:
    """A record of JSON without some entries of one of its lists."""
    if record is None or part not in record:
        return None
    return {**record, part: [each for each in record[part] if each.get(field) not in gone]}
