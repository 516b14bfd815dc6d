"""What a result is of, as one line for people and as JSON for programs."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from typing import Any, cast

from audiencelab.results.chart_result import ChartCalculationData
from audiencelab.results.crosstab import CrosstabData, title_of
from audiencelab.results.provenance import wave_names
from audiencelab.results.stats import StatsData
from audiencelab.results.table_code import table_code
from audiencelab.results.who_counts import base_line
from audiencelab.schema.http import UNWEIGHTED, short_version
from audiencelab.wording import without_controls

FORMAT = "audiencelab-record"
METADATA = "audiencelab"
"""Where the metadata of a notebook's output hold the record."""

_VERSION = 1

_MOST_CODE = 4_000
"""Characters of Python that a record holds; a table that takes more has its code in the cell."""

_OF_STUDY = ("citation", "doi", "licence", "producer", "universe", "field_dates")
_METHODS = ("whole_note", "method_note", "method")
"""The members that say how figures were made, the one of more first."""

_LISTS = ("waves", "locations")


@dataclass(frozen=True, slots=True, kw_only=True)
class Record:
    """What a result is of.

    survey: its name; of a service its address. survey_version: all of its hex digits; "" where the
        service names none. snapshot: the file that the result was replayed from.
    citation, doi, licence, producer, universe, field_dates: as the codebook's `[study]` has them.
    waves: their names. locations: () for all.
    weight: its name; None without a weight, "" where it has no name or it is not known.
    base: a sentence without "Base: ". method: of tests, intervals and estimates.
    code: Python that asks for the result again, given `client`.
    audiencelab: the version of the program. counted_at: ISO 8601, in UTC.
    """

    title: str = ""
    survey: str = ""
    survey_version: str = ""
    snapshot: str = ""
    citation: str = ""
    doi: str = ""
    licence: str = ""
    producer: str = ""
    universe: str = ""
    field_dates: str = ""
    waves: tuple[str, ...] = ()
    locations: tuple[str, ...] = ()
    weight: str | None = ""
    base: str = ""
    method: str = ""
    code: str = ""
    audiencelab: str = ""
    counted_at: str = ""

    def line(self, *, short: bool = False) -> str:
        """The source line under a table or a chart; "" where nothing is known.

        short: without what differs from run to run.

        >>> from audiencelab.results.record import Record
        >>> Record(survey="survey kunden", survey_version="3a635e9d75").line()
        'Source: survey kunden (version 3a635e9d)'
        """
        version = f"version {short_version(self.survey_version)}" if self.survey_version else ""
        if self.citation or self.doi:
            cited = [self.citation.rstrip(". ")]
            if self.doi and self.doi not in self.citation:
                cited.append(self.doi if ":" in self.doi else f"doi:{self.doi}")
            source, inside = ", ".join(filter(None, cited)), [self.survey, version]
        else:
            source, inside = self.survey, [version]
        if not source:
            return ""
        known = ", ".join(filter(None, inside))
        parts = [f"{source} ({known})" if known else source]
        if not short:
            counted = f"counted {self.counted_at[:10]}" if self.counted_at else ""
            by = f"with audiencelab {self.audiencelab}" if counted and self.audiencelab else ""
            parts.append(" ".join(filter(None, [counted, by])))
            parts.append(f"replayed from {self.snapshot}" if self.snapshot else "")
        return f"Source: {', '.join(filter(None, parts))}"

    def to_dict(self) -> dict[str, Any]:
        """The record as a JSON value, without what is empty."""
        known = {each.name: getattr(self, each.name) for each in fields(self)}
        known = {name: [*value] if name in _LISTS else value for name, value in known.items()}
        # Without a weight is a fact, too.
        kept = {name: value for name, value in known.items() if value or value is None}
        return {"format": FORMAT, "version": _VERSION, **kept}

    @classmethod
    def from_dict(cls, given: object) -> Record:
        """Read a record back; names that are not known are left out.

        Raises `ValueError` for anything else.
        """
        if not isinstance(given, dict):
            raise ValueError(f"A record must be a JSON object; got {type(given).__name__}.")
        found = cast("dict[str, Any]", given)
        if found.get("format") != FORMAT or not isinstance(found.get("version"), int):
            raise ValueError(f'A record must have "format": "{FORMAT}" and a version.')
        known: dict[str, Any] = {}
        for name in (each.name for each in fields(cls) if each.name in found):
            value = found[name]
            several = name in _LISTS
            texts = cast("list[object]", value) if several and isinstance(value, list) else [value]
            is_none = name == "weight" and value is None
            if isinstance(value, list) != several or not (
                is_none or all(isinstance(each, str) for each in texts)
            ):
                raise ValueError(f"{name!r} of a record is not valid: {value!r}.")
            known[name] = tuple(texts) if several else value
        return cls(**known)


UNKNOWN = Record()
"""That of a table without a result."""


def sourced(provenance: Mapping[str, Any]) -> Record:
    """What the provenance of a result says of where it comes from.

    >>> from audiencelab.results.record import sourced
    >>> sourced({"survey": "demo survey", "asked_at": "2026-11-30T08:00:00+00:00"}).line()
    'Source: demo survey, counted 2026-11-30'
    """
    # Saved tables of 1.0 call the survey a panel.
    named = (provenance.get(name) for name in ("survey", "panel", "service"))
    weight = provenance.get("weight", "")
    study: Mapping[str, Any] = provenance.get("study") or {}
    locations = provenance.get("locations")
    given: dict[str, Any] = {
        "survey": next(filter(None, named), ""),
        "survey_version": provenance.get("survey_version", ""),
        "snapshot": provenance.get("snapshot", ""),
        **{name: study.get(name, "") for name in _OF_STUDY},
        "audiencelab": provenance.get("audiencelab", ""),
        "counted_at": provenance.get("asked_at", ""),
    }
    return Record(
        **{name: _one_line(value) for name, value in given.items()},
        waves=tuple(wave_names(provenance)),
        locations=() if isinstance(locations, str) else tuple(map(_one_line, locations or ())),
        weight=None if weight == UNWEIGHTED else _one_line(weight or ""),
    )


def record_of(result: object, **known: Any) -> Record:
    """What a result, a comparison, an estimate or what a chart draws is of.

    known: fields that the caller knows better, such as the title that is shown.
    """
    about = _part(result, "source") or result
    # Of a grid or a moving average the table behind it, of a summary table that of its columns.
    tables = [_part(about, "table"), _part(about, "columns"), about]
    table = next((each for each in tables if isinstance(_part(each, "provenance"), Mapping)), None)
    provenance: Mapping[str, Any] = _part(about, "provenance") or _part(table, "provenance") or {}
    counted = getattr(table, "waves", None) if isinstance(table, StatsData) else None
    if isinstance(table, ChartCalculationData):
        counted = tuple({wave: 0 for group in table for row in group.data for wave in row.waves})
    if counted is not None:
        provenance = {**provenance, "waves": [*counted]}
    code = table_code(result)
    found: dict[str, Any] = {
        "title": _title(about, table),
        # A comparison of other things than a table does not know whom these are of.
        "base": base_line(table).removeprefix("Base: ") if _has(table, "base_audience") else "",
        "method": next((found for name in _METHODS if (found := _part(result, name))), ""),
        "code": code if len(code) <= _MOST_CODE else "",
    }
    return replace(sourced(provenance), **{**found, **known})


def metadata_of(result: object, **known: Any) -> dict[str, Any]:
    """The metadata of a display: the record of what it shows, and its source as a line.

    known: as for `record_of`. {} where nothing is known of it.
    """
    record = record_of(result, **known)
    return {METADATA: {**record.to_dict(), "line": record.line()}} if record.survey else {}


def without_run(text: str) -> str:
    """A text without what differs from run to run: date, version of audiencelab, snapshot's name.

    It takes them out of source lines in any form, and out of records as JSON.

    >>> from audiencelab.results.record import without_run
    >>> without_run("Source: demo survey, counted 2026-11-30 with audiencelab 3.0.0 and more")
    'Source: demo survey and more'
    """
    return _OF_RUN.sub(lambda found: f'{found["name"]}""' if found["name"] else "", text)


_OF_RUN = re.compile(
    r",\s+counted\s+\d{4}-\d\d-\d\d(\s+with\s+audiencelab\s+\d[\w.+!]*[\w])?"
    r"|,\s+replayed\s+from\s+[^\n<|]*"
    r'|(?P<name>"(?:audiencelab|counted_at|snapshot)":\s*)"(?:[^"\\]|\\.)*"'
)


def _title(about: object, table: object) -> str:
    """The title of a result, as far as it has one of its own."""
    if isinstance(about, CrosstabData):
        return title_of(about)
    if isinstance(title := _part(about, "title"), str):
        return title
    if isinstance(table, StatsData):
        return table.labels.question or table.question
    return table.name if isinstance(table, ChartCalculationData) else ""


def _has(result: object, name: str) -> bool:
    # By the class: results answer names that they do not have with a search for similar ones.
    return hasattr(type(result), name)


def _part(result: object, name: str) -> Any:
    return getattr(result, name) if _has(result, name) else None


def _one_line(value: object) -> str:
    return " ".join(without_controls(str(value)).split())
