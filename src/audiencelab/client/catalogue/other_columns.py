"""Columns of a file that make no question: what they are used for, and where they are read."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any, cast

if TYPE_CHECKING:
    from audiencelab.survey.reader import Survey

_USES = {
    "weight": "It is the weight of the survey, not a question",
    "key": "It names the respondents, and is not a question",
    "person": "It names persons over the waves, and is not a question",
    "strata": "It has the strata of the sample, and is not a question",
    "clusters": "It has the clusters of the sample, and is not a question",
    "fpc": "It has the sizes of the population, and is not a question",
    "replicates": "It is a replicate weight, not a question",
}
"""The use of a column, by its key in a codebook."""

_KEPT = ("weight", "key", "clusters", "strata")
"""Those that the respondents have."""


def other_columns(survey: Survey) -> Mapping[str, str]:
    """What the columns of an import are that made no question, by name in lower case."""
    codebook, report = survey.codebook or {}, survey.import_report or {}
    found: dict[str, str] = {}
    for source in report.get("sources", ()):
        for name in source.get("unused_columns", ()):
            found[name.casefold()] = "The import left this column out. Write client.import_report."
    for key, name in _named(codebook):
        read = "client.respondents()" if key in _KEPT else "client.import_report"
        found[name.casefold()] = f"{_USES[key]}. Write {read}."
    return found


def _named(codebook: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """Columns with their keys in a codebook."""
    for key, given in {**codebook, **codebook.get("design", {})}.items():
        if key not in _USES:
            continue
        for each in cast(list[Any], given if isinstance(given, list) else [given]):
            name: Any = cast(dict[str, Any], each).get("column") if isinstance(each, dict) else each
            if isinstance(name, str):
                yield key, name
