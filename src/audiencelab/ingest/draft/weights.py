"""The weight of a survey: the column that the file declares, else the only one that can be it.

A weight affects every figure, so a doubtful one is never taken: the candidates are listed. One that
was asked for is refused where it cannot be a weight.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from msgspec import UNSET, UnsetType
from msgspec.structs import replace

from audiencelab.ingest.codebook import Codebook, canonical_value, natural
from audiencelab.ingest.columns import Progress
from audiencelab.ingest.draft.weight_candidates import (
    MOST_WITHOUT,
    Candidate,
    measures_bodies,
    replicate_weights,
    share_of,
    weight_code,
)
from audiencelab.ingest.meaning.guess import Guess, GuessOption, Severity
from audiencelab.ingest.meaning.profile import ColumnProfile, is_number, profile_columns
from audiencelab.ingest.readers import ReadColumns
from audiencelab.ingest.sources import Sources
from audiencelab.ingest.waves import MOST_WEIGHT
from audiencelab.survey.errors import SourceError, SourcePlace, SurveyError


@dataclass(frozen=True)
class WeightChoice:
    """The column of the weight, or None; why; and the columns that make no question for it.

    guesses: the choice, and what else the weight may be. without: how many respondents have no
    weight. others: further weights that were asked for.
    objection: why an import refuses the weight that was asked for, since it leaves out too many; ""
    if it does not.
    """

    column: str | None
    guesses: list[Guess]
    left_out: dict[str, str] = field(default_factory=dict[str, str])
    without: int = 0
    others: tuple[str, ...] = ()
    objection: str = ""

    @property
    def reasons(self) -> list[str]:
        """The choice as text."""
        return [each.said for each in self.guesses]


def choose_weight(
    columns: Mapping[str, ColumnProfile],
    *,
    given: str | Sequence[str] | UnsetType | None = UNSET,
    declared: Sequence[str] = (),
    origin: str,
    tables: Sequence[ReadColumns] = (),
    strict: bool = True,
) -> WeightChoice:
    """The weight of a survey.

    given: the column that was asked for, or several, the usual one first; None for no weight.
    declared: what the files declare. origin: the source, for messages. tables: what was read of
    the files, in which messages name rows.

    Raises `SurveyError` for a given column that cannot be a weight, and where no column can be
    taken for sure; if not `strict`, the survey is unweighted then, and the reasons list what may be
    the weight.
    """
    replicates = replicate_weights(columns)
    is_of_bodies = any(map(measures_bodies, columns.values()))
    every = {name: Candidate(column, is_of_bodies) for name, column in columns.items()}
    candidates = [
        each for name, each in every.items() if name not in replicates and each.is_named_so
    ]
    left_out = dict.fromkeys(replicates, "a replicate weight")
    # What may be the weight of a body makes a question; weights of respondents do not.
    weights = [each.name for each in candidates if not each.is_other]
    if given is None:
        left_out |= dict.fromkeys(weights, "a weight that was not asked for")
        none = "no weight, as asked for: all weigh 1"
        return WeightChoice(None, [_chosen(none, 3, candidates, None)], left_out)
    others: list[Candidate] = []
    objection = ""
    severity: Severity
    if given is not UNSET:
        chosen, *others = _given([given] if isinstance(given, str) else given, every, candidates)
        for each in (chosen, *others):
            _check_given(each, candidates, tables)
        objection = _objection(chosen, candidates)
        why, severity = f"{chosen.name}: asked for; {chosen.range}", 3
    else:
        try:
            guessed = _guess(every, declared, candidates)
        except _DoubtfulError as doubt:
            if strict:
                raise SurveyError(f"{origin}: {doubt.why}.{_advice(doubt.columns)}") from None
            left_out |= dict.fromkeys(weights, "a weight that was not asked for")
            none = f"no weight, all weigh 1: {doubt.why}"
            # Rows are persons: the weight of their household is the less likely one.
            offered = sorted(doubt.columns, key=lambda each: each.is_of_households)
            guesses = [_chosen(none, 0, offered, None)]
            guesses += [_guessed(each.offer, 0, each.code) for each in doubt.columns]
            return WeightChoice(None, guesses, left_out)
        if guessed is None:
            none = "no weight: no column is named like one; all weigh 1"
            return WeightChoice(None, [_guessed(none, 3)], left_out)
        (chosen, why), severity = guessed, 2
    taken = [chosen.name, *(other.name for other in others)]
    rivals = [other for other in candidates if other.name not in taken]
    alternatives = [_guessed(other.alternative, severity, other.code) for other in rivals]
    guesses = [_chosen(why + chosen.gaps, severity, [chosen, *rivals], chosen)]
    guesses += [
        _guessed(
            f"{other.name}: asked for too", 3, f"client.with_options({weight_code(other.name)})"
        )
        for other in others
    ]
    guesses += alternatives
    left_out |= dict.fromkeys(weights, "another weight") | dict.fromkeys(taken, "a weight")
    return WeightChoice(
        chosen.name, guesses, left_out, chosen.without, tuple(taken[1:]), objection=objection
    )


def _guessed(said: str, severity: Severity, code: str = "") -> Guess:
    return Guess("weight", "weight", said, code, severity)


def _chosen(
    said: str, severity: Severity, offered: Sequence[Candidate], chosen: Candidate | None
) -> Guess:
    """Which weight is taken, with the columns that may be it, and none, to choose from."""
    columns = [
        GuessOption(f"{each.name}: {each.range}{each.gaps}", each is chosen, {"weight": each.name})
        for each in offered
        if each.code
    ]
    none = GuessOption("no weight: all weigh 1", chosen is None, {"weight": None})
    choices = [none, *columns] if chosen is None else [*columns, none]
    # There is nothing to choose where no column may be it.
    guess = Guess.of_choices("weight", "weight", said, choices if columns else (), severity)
    # A weight that was asked for needs no other.
    return replace(guess, code="") if severity == 3 else guess


def check_weights(sources: Sources, codebook: Codebook) -> None:
    """Raise `SurveyError` for weights of a codebook that a caller named, as for a draft."""
    sources.read(codebook.columns)
    names = codebook.weight.columns if codebook.weight else None
    missing = {canonical_value(value) for value in codebook.source.not_asked}
    present = [name for name in names or () if name in sources.names]
    found = profile_columns(sources, Progress(), present)
    columns = {name: column.without(missing) for name, column in found.items()}
    chosen = choose_weight(columns, given=names, origin="", tables=sources.tables)
    if chosen.objection:
        raise SurveyError(chosen.objection)


class _DoubtfulError(Exception):
    """No weight can be taken for sure. columns: what it may be."""

    def __init__(self, why: str, columns: Sequence[Candidate]) -> None:
        super().__init__(why)
        self.why = why
        self.columns = columns


# ---- a weight that was asked for ----


def _given(
    names: Sequence[str], columns: Mapping[str, Candidate], candidates: Sequence[Candidate]
) -> list[Candidate]:
    if missing := [name for name in names if name not in columns]:
        raise SurveyError(f"There is no column {missing[0]!r} for the weight.{_advice(candidates)}")
    return [columns[name] for name in dict.fromkeys(names)]


def _check_given(
    candidate: Candidate, candidates: Sequence[Candidate], tables: Sequence[ReadColumns]
) -> None:
    """Raise `SurveyError` for a column that cannot be a weight, though it was asked for."""
    column, code = candidate.column, weight_code(candidate.name)
    advice = _advice([each for each in candidates if each.name != candidate.name])
    if candidate.is_labelled or (candidate.is_codes and not candidate.may_count):
        shown = ", ".join(
            " ".join(dict.fromkeys((value, column.label(value))))
            for value in sorted(column.answers, key=natural)[:4]
        )
        raise SurveyError(
            f"{code} is not valid: {candidate.name} holds codes of answers ({shown}"
            f"{', …' if len(column.answers) > 4 else ''}), not weights.{advice}"
        )
    if not column.answers or column.numbers == {0.0: column.answered}:
        none = "only zeros" if column.answers else "no values"
        raise SurveyError(f"{code} is not valid: {candidate.name} holds {none}.{advice}")
    bad = {value: count for value, count in column.answers.items() if not _is_weight(value)}
    if bad:
        comma = ' Is the comma a decimal sign? Then write [source] decimal = ",".'
        raise SourceError(
            _place(tables, candidate.name, set(bad)),
            f"{code} is not valid: {share_of(sum(bad.values()), column.rows)} have a value that is "
            f"not a number from 0 to {MOST_WEIGHT:,.0f}. Correct these values or leave them empty."
            + (comma if any("," in value for value in bad) else "")
            + advice,
        )


def _objection(chosen: Candidate, candidates: Sequence[Candidate]) -> str:
    """Why an import refuses a weight that was asked for: it leaves out too many."""
    if not chosen.is_too_short:
        return ""
    code = weight_code(chosen.name)
    others = [each for each in candidates if each.name != chosen.name]
    return (
        f"{code} is not valid: it leaves out {share_of(chosen.without, chosen.column.rows)}, who "
        f"have none, and more than {MOST_WITHOUT:.0%} is too many.\nTo leave them out, draft a "
        f'codebook: audiencelab.ingest.draft_codebook(…, {code}).save("survey.toml"), and '
        f'open(…, codebook="survey.toml").{_advice(others)}'
    )


def _is_weight(value: str) -> bool:
    return is_number(value) and 0 <= float(value) <= MOST_WEIGHT


def _place(tables: Sequence[ReadColumns], column: str, values: Collection[str]) -> SourcePlace:
    """The first row with one of some values."""
    for table in tables:
        found = table.columns.get(column)
        codes = [] if found is None else [i for i, v in enumerate(found.values) if v in values]
        if found is not None and (rows := np.flatnonzero(np.isin(found.codes, codes))).size:
            row = int(rows[0])
            value = found.values[int(found.codes[row])]
            return SourcePlace(table.origin, row + 1, column, value)
    raise AssertionError(column)  # a value that was counted


# ---- a weight that was not asked for ----


def _guess(
    columns: Mapping[str, Candidate],
    declared: Sequence[str],
    candidates: Sequence[Candidate],
) -> tuple[Candidate, str] | None:
    """The weight where none was asked for, and why it is; None without a candidate."""
    # What the file declares goes before names, also if other columns are called weights.
    if found := _declared(columns, declared, candidates):
        return found, f"{found.name}: the file declares it; {found.range}"
    if not candidates:
        return None
    # What weighs bodies, a part of the respondents or all alike does not compete with the weight.
    rivals = [each for each in candidates if not (each.is_other or each.is_of_a_part)]
    # A constant is the weight only where nothing else may be it.
    rivals = [each for each in rivals if not each.is_constant] or rivals
    # Never the first or the best of several: a wrong weight changes every figure in silence.
    if len(rivals) > 1:
        raise _DoubtfulError("several columns may be the weight", candidates)
    if not rivals or rivals[0].problem:
        raise _DoubtfulError("no column is fit for a weight", candidates)
    return rivals[0], f"{rivals[0].name}: named like a weight, {rivals[0].range}"


def _declared(
    columns: Mapping[str, Candidate],
    declared: Sequence[str],
    candidates: Sequence[Candidate],
) -> Candidate | None:
    """The column that the files declare to be the weight."""
    by_name = {name.lower(): column for name, column in columns.items()}
    found = {name.lower(): by_name[name.lower()] for name in declared if name.lower() in by_name}
    if not found:
        return None
    if len(found) > 1:
        raise _DoubtfulError("several weights are declared", [*found.values()])
    [chosen] = found.values()
    others = [chosen, *(each for each in candidates if each.name != chosen.name)]
    if chosen.is_too_short:
        why = (
            f"the weight that the file declares, {chosen.name}, leaves out "
            f"{share_of(chosen.without, chosen.column.rows)}: they have none"
        )
        raise _DoubtfulError(why, others)
    if chosen.defect:
        why = f"the weight that the file declares, {chosen.name}, cannot be one"
        raise _DoubtfulError(why, others)
    return chosen


def _advice(candidates: Sequence[Candidate]) -> str:
    """The candidates, a line each, and what to write."""
    lines = [f"\n  {each.name}: {each.problem or each.range}" for each in candidates]
    usable = [each for each in candidates if not (each.defect or each.is_too_short)]
    likely = sorted(usable, key=lambda each: (each.problem is not None, each.is_of_households))
    fit = [each.name for each in likely]
    none = "weight=None counts every respondent as one." if fit else "Without a weight:"
    code = weight_code(fit[0]) if fit else "weight=None"
    return "".join(lines) + f"\n{none} Write al.open(…, {code})."
