"""The next version of a survey: in its folder, or beside it where it is kept in the user's cache.

Every change leaves a record in the survey, by which the same change is known when it is made again.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, cast

import msgspec

from audiencelab.files import cache_folder
from audiencelab.ingest.cache import cached, digest_of
from audiencelab.survey.reader import Survey
from audiencelab.survey.update import Revision, revise

_CHANGES = "edits"
"""The field of a manifest's provenance that lists the changes since the import."""


def next_version(
    survey: Survey,
    record: Mapping[str, Any],
    plan: Callable[[Survey], Revision],
    *,
    out: str | Path | None = None,
) -> Survey:
    """The survey with a change: its next version, or another one where it is in the user's cache.

    record: the change as JSON, enough to know it again; what is not an edit of answers has its kind
        as "change". plan: what the next version contains; the record is added to its provenance.
    out: a folder for it, in place of both.

    A survey in the cache stays what it was made of: the changed one is beside it, and is opened
    without work the next time. Raises as `revise`; the survey then stays as it is.
    """
    folder = survey.path

    def recorded(current: Survey) -> Revision:
        made = plan(current)
        changes = [*changes_of(current), dict(record)]
        return replace(made, provenance={**made.provenance, _CHANGES: changes})

    if out is not None or not is_cached(survey):
        return revise(folder, recorded, out=out)
    # The seal changes with every change before, so one change after another has another key.
    key = digest_of(str(folder), survey.seal, msgspec.json.encode(record).decode())[:32]
    return cached(key, folder.name, lambda target: revise(folder, recorded, out=target))


def changes_of(survey: Survey) -> list[dict[str, Any]]:
    """The records of all changes since the survey was imported, the first at the front."""
    return survey.manifest.provenance.get(_CHANGES, [])


def is_repeated(survey: Survey, record: Mapping[str, Any], subject: str) -> bool:
    """Whether a change is the last of its kind about its subject, such as the name of a weight.

    subject: the field of the record that says what it is about; of a list, any of its parts.
    """
    own = _parts(record[subject])
    about = [
        each
        for each in changes_of(survey)
        if each.get("change") == record["change"] and own & _parts(each.get(subject))
    ]
    return bool(about) and about[-1] == record


def _parts(subject: Any) -> set[Any]:
    return {*cast("list[Any]", subject)} if isinstance(subject, list) else {subject}


def is_cached(survey: Survey) -> bool:
    """Whether a survey stays what it was made of: in the user's cache, or a demo survey."""
    is_demo = survey.manifest.provenance.get("generator") == "demo" and not changes_of(survey)
    return is_demo or survey.path.is_relative_to(cache_folder())
