"""The stats and crosstab queries: building the requests, reading the answers."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import msgspec

from audiencelab.audience import Audience, Labels
from audiencelab.client.messages import Call, Request
from audiencelab.client.operations.audiences import (
    AudienceLike,
    identified,
    identified_base,
    to_ref,
)
from audiencelab.client.reading import reader
from audiencelab.wire import CrosstabQuery, StatsQuery, StatsResult

__all__ = ["CrosstabPlan", "StatsPlan", "codes", "crosstab", "stats"]

STREAM_TYPES = "application/x-ndjson, application/json-seq, application/json"


@dataclass(frozen=True, slots=True)
class StatsPlan:
    """A statistics query, ready to send, and what its result will need."""

    call: Call[StatsResult]
    audiences: tuple[Audience, ...]
    base_audience: Audience | None


@dataclass(frozen=True, slots=True)
class CrosstabPlan:
    """A crosstab query, ready to send; a side not asked for holds the base audience alone."""

    request: Request
    rows: tuple[Audience, ...]
    columns: tuple[Audience, ...]
    base_audience: Audience | None
    rows_requested: bool
    columns_requested: bool


def stats(
    *,
    question: str,
    datapoints: Iterable[str] | None,
    suffixes: Iterable[str | int] | None,
    splitter: str | None,
    segments: Iterable[str] | None,
    segmented_base: bool | None,
    audiences: Iterable[AudienceLike] | None,
    locations: Iterable[str] | None,
    waves: Iterable[str] | None,
    base_audience: AudienceLike | None,
    labels: Labels | None = None,
) -> StatsPlan:
    """POST /v2/query/stats."""
    taken: set[str] = set()
    sent = identified(audiences, "audiences", taken, labels)
    base = identified_base(base_audience, taken, labels)
    query = StatsQuery(
        question=_code("question", question),
        datapoints=codes("datapoints", datapoints),
        suffixes=codes("suffixes", suffixes),
        splitter=None if splitter is None else _code("splitter", splitter),
        segments=codes("segments", segments),
        segmented_base=segmented_base,
        audiences=[to_ref(audience) for audience in sent] or None,
        locations=codes("locations", locations),
        waves=codes("waves", waves),
        base_audience=None if base is None else to_ref(base),
    )
    request = Request("POST", "/v2/query/stats", {}, msgspec.json.encode(query))
    return StatsPlan(Call(request, reader(StatsResult)), sent, base)


def crosstab(
    *,
    rows: Iterable[AudienceLike] | None,
    columns: Iterable[AudienceLike] | None,
    base_audience: AudienceLike | None,
    locations: Iterable[str] | None,
    waves: Iterable[str] | None,
    labels: Labels | None = None,
) -> CrosstabPlan:
    """POST /v2/query/crosstab."""
    taken: set[str] = set()
    sent_rows = identified(rows, "rows", taken, labels)
    sent_columns = identified(columns, "columns", taken, labels)
    base = identified_base(base_audience, taken, labels)
    query = CrosstabQuery(
        columns=[to_ref(audience) for audience in sent_columns] or None,
        rows=[to_ref(audience) for audience in sent_rows] or None,
        locations=codes("locations", locations),
        waves=codes("waves", waves),
        base_audience=None if base is None else to_ref(base),
    )
    headers = {"accept": STREAM_TYPES}
    request = Request("POST", "/v2/query/crosstab", {}, msgspec.json.encode(query), headers)
    alone = base or Audience(name="All", id="base")
    return CrosstabPlan(
        request,
        sent_rows or (alone,),
        sent_columns or (alone,),
        base,
        bool(sent_rows),
        bool(sent_columns),
    )


def codes(name: str, given: Iterable[str | int] | None) -> list[str] | None:
    """Codes as the wire writes them; None stays None and an empty list stays empty."""
    if given is None:
        return None
    if isinstance(given, str):
        raise TypeError(f"{name} must be a list of codes, such as [{given!r}], not a single one.")
    if not isinstance(given, Iterable):  # pyright: ignore[reportUnnecessaryIsInstance] -- callers in notebooks are not type-checked
        raise TypeError(f"{name} must be a list of codes, such as [{given!r}].")
    listed = list(given)
    for place, code in enumerate(listed):
        if not isinstance(code, (str, int)):  # pyright: ignore[reportUnnecessaryIsInstance] -- as above
            raise TypeError(
                f"{name}[{place}] is no code but of type {type(code).__name__}. Give the codes: "
                f"{name}=[each.code for each in …]."
            )
    return [str(code) for code in listed]


def _code(name: str, given: str) -> str:
    """The code of one question."""
    if not isinstance(given, str):  # pyright: ignore[reportUnnecessaryIsInstance] -- callers in notebooks are not type-checked
        raise TypeError(
            f"{name} must be the code of one question, such as 'q4', not "
            f"{type(given).__name__}. A question of the catalogue has it as its .code."
        )
    return given
