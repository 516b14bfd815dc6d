"""Compare the files of one import: each with those before it.

First by labels, before a codebook is drafted of them together; then, once the columns have
questions and the files waves, by everything.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass

from msgspec import structs

from audiencelab.ingest.codebook import Codebook, Scalar, canonical_value
from audiencelab.ingest.columns import Variable
from audiencelab.ingest.drift.compare import (
    WaveColumns,
    compare,
    decision_of,
    unknown_decisions,
)
from audiencelab.ingest.drift.of_questions import QuestionColumns
from audiencelab.ingest.drift.reading import read_file
from audiencelab.ingest.drift.record import Decide, Drift
from audiencelab.ingest.drift.refusals import check_drift
from audiencelab.ingest.drift.seen import Seen
from audiencelab.ingest.meaning.profile import profile_of
from audiencelab.ingest.readers.base import ReadColumns
from audiencelab.ingest.sources import Sources
from audiencelab.ingest.waves import WaveRows

_OPEN = "al.open(…"
_OF_WORDS = ("words", "renamed answer", "missing codes")
"""What a codebook that was not drafted decides by naming the values."""


def settle_labels(
    sources: Sources,
    missing: Mapping[str, Sequence[Scalar]] | None = None,
    codebook: Codebook | None = None,
) -> None:
    """Read columns of later files as the first one has them, where labels and shares agree on it.

    missing: codes that the caller says are missing, by column or "*". codebook: one that is given,
    and not to be drafted.

    Raises `SurveyError` with all columns of which it is not certain what their values mean.
    """
    if len(sources.files) < 2 or sources.drift is not None:
        return
    sources.drift = []
    names = sources.names if codebook is None else codebook.columns
    tables = sources.read(names)
    coded = (missing or {}).items()
    given = {name: frozenset(map(canonical_value, codes)) for name, codes in coded}
    columns = None if codebook is None else QuestionColumns(codebook)
    none, old = frozenset[str](), dict[str, Seen]()
    # A column of which no file says anything, and the caller neither, has no labels to compare.
    described = {name for file in sources.files for name in file.variables}
    described |= {name for name in names if decision_of(sources.decide, name, name) is not None}
    found: list[Drift] = []
    for place, table in enumerate(tables):
        now = {
            name: seen.without(given.get("*", none) | given.get(name, none))
            for name, seen in _seen(table, columns, only=described)
        }
        drifts = compare(
            WaveColumns(old, {}),
            WaveColumns(now, {}),
            _of_values(sources.decide),
            _OPEN,
            by_labels=True,
        )
        drifts = [structs.replace(each, wave=table.name) for each in drifts]
        if codebook is not None:
            drifts = [_as_given(each) for each in drifts]
        found += drifts
        read_file(sources, place, drifts)
        kept = [each for each in drifts if each.reads or each.missing or each.answers or each.was]
        sources.drift += kept
        names = {each.column: each.was for each in kept if each.was}
        old |= {
            names.get(name, name): _reread(seen, kept)
            for name, seen in now.items()
            if not seen.is_empty
        }
    check_drift(found)


def _of_values(decide: Decide) -> Decide:
    """Decisions as far as labels decide: a break is stored once waves are known."""
    return {name: "labels" if each == "break" else each for name, each in decide.items()}


def _as_given(drift: Drift) -> Drift:
    is_named = drift.kind in _OF_WORDS and drift.refuses
    return structs.replace(drift, refuses=False) if is_named else drift


def _reread(seen: Seen, drifts: Sequence[Drift]) -> Seen:
    for each in drifts:
        if seen.name in each.columns and each.reads:
            seen = seen.read_as(each.reads)
    return seen


def _seen(
    table: ReadColumns, columns: QuestionColumns | None, only: Collection[str] | None = None
) -> Iterator[tuple[str, Seen]]:
    """The columns of a file, or those of questions by what these say of their values."""
    found: dict[str, Seen] = {}
    for name in table.columns:
        if only is not None and name not in only:
            continue
        if columns is None or name in columns.questions:
            variable = table.variables.get(name) or Variable()
            found[name] = Seen.of(profile_of(name, [table], variable))
    yield from (found if columns is None else columns.joined(found)).items()


# ---- once questions and waves are known ----


@dataclass(frozen=True)
class _Before:
    """A column in the last file that had it, by its position among the files."""

    place: int
    seen: Seen


def drift_of_files(
    sources: Sources, tables: Sequence[ReadColumns], codebook: Codebook, waves: Sequence[WaveRows]
) -> list[Drift]:
    """Every drift between the files of an import, with the wave in which it begins.

    Raises `SurveyError` for a decision about what is neither a question nor a column, and with all
    drifts by which a figure would change its meaning.
    """
    if len(tables) < 2:
        return []
    columns = QuestionColumns(codebook)
    found = [*_settled(sources, tables, columns, waves)]
    old: dict[str, _Before] = {}
    seen_in = [dict(_seen(table, columns)) for table in tables]
    for place, table in enumerate(tables):
        if len(_waves_of(table, waves)) == 1:
            seen_in[place] = columns.with_asked(seen_in[place], table)
    unknown_decisions(sources.decide, [WaveColumns(each, columns.questions) for each in seen_in])
    gone = set[str]()
    for place, now in enumerate(seen_in):
        own = _waves_of(tables[place], waves)
        before = {
            name: each.seen
            for name, each in old.items()
            if own.isdisjoint(_waves_of(tables[each.place], waves))
            and name not in gone - now.keys()
        }
        if before and own:
            drifts = compare(
                WaveColumns(before, columns.questions),
                WaveColumns(now, columns.questions),
                _without_values(sources.decide),
                _OPEN,
            )
            decided = _broken(codebook)
            for each in drifts:
                start = _start(each, place, old, tables, waves)
                is_settled = each.refuses and (each.question, start) in decided
                refuses = each.refuses and not is_settled
                found.append(structs.replace(each, wave=start, refuses=refuses))
        gone = {name for name in old if name not in now}
        old |= {n: _Before(place, each) for n, each in now.items() if not each.is_empty}
    check_drift(found)
    broken = {each.question for each in found if each.is_break and each.kind != "decided"}
    # A break that was decided begins where a difference is seen, if there is one.
    return [e for e in found if not (e.kind == "decided" and e.is_break and e.question in broken)]


def _without_values(decide: Decide) -> Decide:
    """Decisions that values were read by are done."""
    return {name: each if each == "break" else "codes" for name, each in decide.items()}


def _waves_of(table: ReadColumns, waves: Sequence[WaveRows]) -> set[str]:
    return {each.wave.code for each in waves if any(part.table is table for part in each.segments)}


def _start(
    drift: Drift,
    place: int,
    old: Mapping[str, _Before],
    tables: Sequence[ReadColumns],
    waves: Sequence[WaveRows],
) -> str:
    """The first wave that is different: of two files, that of the later one."""
    names = [*drift.columns, drift.was]
    before = next((old[name].place for name in names if name in old), None)
    codes = [each.wave.code for each in sorted(waves, key=lambda each: each.wave.starts)]
    firsts = [_first(codes, _waves_of(tables[place], waves))]
    firsts += [] if before is None else [_first(codes, _waves_of(tables[before], waves))]
    return codes[max(firsts)] if codes else ""


def _first(codes: Sequence[str], own: Collection[str]) -> int:
    return min((number for number, code in enumerate(codes) if code in own), default=0)


def _broken(codebook: Codebook) -> set[tuple[str, str]]:
    """Questions with the waves in which the codebook says that they are others than before."""
    return {
        (question.code, each.wave) for question in codebook.questions for each in question.breaks
    }


def _settled(
    sources: Sources,
    tables: Sequence[ReadColumns],
    columns: QuestionColumns,
    waves: Sequence[WaveRows],
) -> Iterator[Drift]:
    """What was read otherwise already, by its question and wave."""
    codes = [each.wave.code for each in sorted(waves, key=lambda each: each.wave.starts)]
    for each in sources.drift or ():
        column = each.was or each.column
        if column not in columns.questions:
            continue
        own = next((_waves_of(table, waves) for table in tables if table.name == each.wave), None)
        wave = codes[_first(codes, own)] if own else ""
        yield structs.replace(each, question=columns.questions[column], wave=wave)
