"""What a study says of itself to those who cite it, as codebooks, calls and files write it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any, cast

from msgspec.structs import replace

from audiencelab.ingest.codebook import Codebook, Study
from audiencelab.ingest.codebook_checks import suggestion
from audiencelab.schema.survey_scope import STUDY_FIELDS
from audiencelab.survey.errors import SurveyError
from audiencelab.wording import without_controls

_DOI = re.compile(r"(?i)\b10\.\d{4,9}/[^\s\"<>]+")
_ADDRESS = re.compile(r"(?i)(https?://)?(dx\.)?(doi\.org/|doi:\s*)")
_MOST = 1_000
"""Characters of a field: more belongs into the description."""

_LINE = re.compile(r"\W*([A-Za-z][A-Za-z ]{1,30}?)\s*[:=]\s+(\S.*)")
"""A line of the notes in a file of statistics: "Citation: Müller (2025) …"."""

_OTHER_WORDS = {
    "citation": ("cite as", "how to cite", "suggested citation"),
    "licence": ("license",),
    "producer": ("principal investigator",),
    "universe": ("population",),
    "field_dates": ("field dates", "fieldwork", "fieldwork dates", "collection dates"),
}
_IN_NOTES = {word: name for name in STUDY_FIELDS for word in (name, *_OTHER_WORDS.get(name, ()))}


def with_study(codebook: Codebook, given: Mapping[str, str] | None) -> Codebook:
    """A codebook whose study says what a call gives; fields that it does not name stay."""
    return codebook if given is None else replace(codebook, study=replace(codebook.study, **given))


def check_study(given: Mapping[str, str] | None) -> None:
    """Raise `SurveyError` for a field that a study does not have, or a value that is not text."""
    if given is None:
        return
    if not isinstance(cast(Any, given), Mapping):
        raise SurveyError(
            f"study={given!r} is not valid: it is what the study says of itself, by field. Write "
            'study={"citation": "Müller (2025), Customers", "doi": "10.5281/zenodo.1"}.'
        )
    for name, value in given.items():
        if name not in STUDY_FIELDS:
            raise SurveyError(
                f"study={{{name!r}: …}} is not valid: its fields are {', '.join(STUDY_FIELDS)}."
                + suggestion(name, STUDY_FIELDS)
            )
        if not isinstance(cast(Any, value), str):
            raise SurveyError(f"study={{{name!r}: {value!r}}} is not valid: write it as text.")
    facts_of(replace(Study(), **given))


def facts_of(study: Study) -> dict[str, str]:
    """The fields of a study that say something, each in one line; a DOI without its address.

    Raises `SurveyError` for what is not a DOI, and for a text that is too long.

    >>> facts_of(Study(doi="https://doi.org/10.5281/zenodo.1", licence=" CC BY  4.0"))
    {'doi': '10.5281/zenodo.1', 'licence': 'CC BY 4.0'}
    """
    found = {name: _line(str(getattr(study, name))) for name in STUDY_FIELDS}
    found = {name: text for name, text in found.items() if text}
    for name, text in found.items():
        if len(text) > _MOST:
            raise SurveyError(
                f"The {name} of [study] is not valid: it has {len(text):,} characters, and "
                f"{_MOST:,} are the most. Write what is longer into `description`."
            )
    if doi := found.get("doi"):
        found["doi"] = _ADDRESS.sub("", doi, count=1)
        if not _DOI.fullmatch(found["doi"]):
            raise SurveyError(
                f'The doi of [study] is not valid: {doi!r}. Write it as "10.5281/zenodo.1".'
            )
    return found


def in_notes(notes: Iterable[str]) -> dict[str, str]:
    """What the notes in a file say of its study, each in a line of its own.

    >>> in_notes(["Wave 2", "Citation: Müller (2025), Customers", "License: CC BY 4.0"])
    {'citation': 'Müller (2025), Customers', 'licence': 'CC BY 4.0'}
    """
    lines = (found for note in notes for each in note.splitlines() if (found := _LINE.match(each)))
    said = ((_IN_NOTES.get(each[1].lower().strip(), ""), each[2]) for each in lines)
    return as_found({name: text for name, text in said if name})


def as_found(said: Mapping[str, str]) -> dict[str, str]:
    """What a file says, without what cannot be a field: a text of pages, what is not a DOI."""
    found = {name: _line(text) for name, text in said.items()}
    if "doi" in found:
        doi = _DOI.search(found["doi"])
        found["doi"] = doi[0].rstrip(".,;)") if doi else ""
    return {name: text for name, text in found.items() if 0 < len(text) <= _MOST}


def _line(text: str) -> str:
    return " ".join(without_controls(text).split())
