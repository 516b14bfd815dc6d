"""The design of a sample in a draft: the columns that are named, else those that are called so."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from msgspec import UNSET, UnsetType
from msgspec.structs import replace

from audiencelab.ingest.codebook import DesignColumns, ReplicateMethod
from audiencelab.ingest.codebook_checks import suggestion
from audiencelab.ingest.draft.told import Told
from audiencelab.ingest.draft.weight_candidates import share_of
from audiencelab.ingest.markup import composed
from audiencelab.ingest.meaning.guess import CODEBOOK
from audiencelab.ingest.meaning.profile import ColumnProfile
from audiencelab.ingest.sources import Sources
from audiencelab.survey.errors import SurveyError

_OF_SAMPLE = r"(^|[_. ])(v|var|sdmv|pseudo|samp|sample|design)?_?"
_NUMBERED = r"_?(id|no|nr|num|number|code|pri)?\d*"
_NAMES = {  # patterns of a column's name and of its label
    "strata": (
        re.compile(
            rf"{_OF_SAMPLE}(strat|stra|str|stratum|strata|estrato){_NUMBERED}$|"
            # BRFSS, NSDUH, MEPS, NHIS, NAMCS, ANES, DHS
            r"^([_x]*ststr|vestr|vestr_c|varstr|pstrat|cstratm|v200010d|v240107d|h?v022|h?v023)$",
            re.I,
        ),
        re.compile(r"(?=.*\bstrat(um|a)\b).*\b(sampl\w*|variance|design)\b", re.I),
    ),
    "clusters": (
        re.compile(
            rf"{_OF_SAMPLE}(psu|clusters?|clust|secu|conglomerado|upm){_NUMBERED}$|"
            # NSDUH, NHIS, NAMCS, ANES, DHS, Afrobarometer and others that draw enumeration areas
            r"^(verep|ppsu|cpsum|v200010c|v240107c|h?v021|ea|ea_?(id|no|nr|code|numb)|"
            r"(sampling|sample)_?(point|pt)(_?(id|no|nr))?)$",
            re.I,
        ),
        re.compile(
            r"\b(primary sampling unit|sampl\w* cluster|cluster number|sampling point)\b", re.I
        ),
    ),
}
_LEFT_OUT = "the design of the sample"

NO_DESIGN = DesignColumns()

RECUR = (
    "its codes recur in several waves, each of which counts clusters of its own; if these are the "
    "same points, errors of all waves together are too small, and those of changes too large"
)
"""The guess about clusters that several waves may have in common."""


@dataclass(frozen=True, slots=True)
class NamedDesign:
    """The columns of the design that a caller names; None for a design without, UNSET to find it.

    replication: replicate weights, and the person of a panel.
    """

    strata: str | UnsetType | None = UNSET
    clusters: str | UnsetType | None = UNSET
    fpc: str | None = None
    replication: DesignColumns = NO_DESIGN

    @classmethod
    def of(
        cls,
        columns: Mapping[str, ColumnProfile],
        named: Mapping[str, str | UnsetType | None],
        replication: DesignColumns,
    ) -> NamedDesign:
        """The columns of a call by what they are; `SurveyError` for one that is not there."""
        given: dict[str, Any] = composed({**named})
        for what, name in given.items():
            if isinstance(name, str) and name not in columns:
                raise SurveyError(
                    f"{what}={name!r} is not valid: there is no such column."
                    f"{suggestion(name, columns)}"
                )
        del given["person"]
        return cls(**given, replication=replication)

    @property
    def columns(self) -> dict[str, str]:
        """The columns that are named, by what they are."""
        given = {"strata": self.strata, "clusters": self.clusters, "fpc": self.fpc}
        return {what: name for what, name in given.items() if isinstance(name, str)}


class DraftedDesign:
    """The design of some sources. told, left_out: of the draft, which are added to."""

    def __init__(self, sources: Sources, told: Told, left_out: dict[str, str]) -> None:
        self._sources = sources
        self._told = told
        self._left_out = left_out

    def of(
        self, columns: Mapping[str, ColumnProfile], named: NamedDesign, wave: str | None = None
    ) -> DesignColumns:
        """The columns of the design.

        columns: those that may be strata and clusters. wave: the column of the waves.
        """
        design = self._found(columns, named)
        replication = named.replication
        if replication.clusters_recur:
            if design.clusters is None:
                raise SurveyError(
                    "clusters_recur=True is not valid: no column has the clusters. Name it as "
                    "clusters=."
                )
            self._tell(
                f"clusters: {design.clusters}: the same in several waves: asked for", severity=3
            )
        elif design.clusters and replication.person is None and self._recur(design.clusters, wave):
            code = "al.open(…, clusters_recur=True)"
            self._told.tell("design", f"clusters: {design.clusters}: {RECUR}", code, severity=1)
        if replication.replicates:
            count, method = len(replication.replicates), replication.replicate_method
            self._tell(f"{count} replicate weights ({method}): asked for", severity=3)
            design = replace(
                replication, strata=design.strata, clusters=design.clusters, fpc=design.fpc
            )
        if replication.person is not None:
            is_row = replication.person == self._sources.person
            why = "each row of the file is one in all of its waves" if is_row else "asked for"
            records = self._sources.records
            is_record = records and records.record == replication.person
            why = "each record is one in all of its events" if is_record else why
            self._tell(f"person: {replication.person}: {why}", severity=3)
            design = replace(design, person=replication.person)
        if replication.clusters_recur:
            design = replace(design, clusters_recur=True)
        return design

    def _found(self, columns: Mapping[str, ColumnProfile], named: NamedDesign) -> DesignColumns:
        chosen = named.columns
        for what, name in chosen.items():
            self._tell(f"{what}: {name}: asked for", severity=3)
            column = columns.get(name)
            # What is called like a part of the design is nothing else; a region may be both.
            if what == "fpc" or (column and _evidence(column, what) and not column.labels):
                self._left_out[name] = _LEFT_OUT
        refused = [each for what in _NAMES for each in self._look_for(what, columns, named, chosen)]
        for each in refused:
            self._tell(each)
        strata, clusters, fpc = map(chosen.get, ("strata", "clusters", "fpc"))
        return DesignColumns(strata, clusters, fpc)

    def _look_for(
        self,
        what: str,
        columns: Mapping[str, ColumnProfile],
        named: NamedDesign,
        chosen: dict[str, str],
    ) -> Iterator[str]:
        """Choose a column that is called like a part of the design; yields why others are not."""
        given, is_open = getattr(named, what), getattr(named, what) is UNSET
        if given is None:
            self._tell(f"{what}: none, as asked for", severity=3)
        for column in columns.values():
            if not (by := _evidence(column, what)):
                continue
            why = ", not asked for"
            if is_open and (problem := _problem(column, what)):
                if not column.answers:
                    continue
                why = ", not taken"
                yield f"{what}: not {column.name}: {problem}"
            elif is_open:
                if what in chosen:
                    continue
                why, chosen[what] = "", column.name
                numbers = f"by its {by}; {column.distinct:,} values, none missing"
                self._tell(f"{what}: {column.name}, {numbers}", f"al.open(…, {what}=None)")
            # A column with labels makes a question as well.
            if not column.labels:
                self._left_out.setdefault(column.name, _LEFT_OUT + why)

    def _recur(self, clusters: str, wave: str | None) -> bool:
        """Whether a code of clusters is in several waves, or in several files that are waves."""
        seen: dict[str, set[str]] = {}
        for at, table in enumerate(self._sources.tables):
            column = table.columns.get(clusters)
            waves = None if wave is None else table.columns.get(wave)
            if column is None or (wave is None and self._sources.is_one_table):
                continue
            in_wave = np.full(table.rows, at) if waves is None else waves.codes
            pairs = np.unique(np.stack([in_wave, column.codes]).astype(np.int64), axis=1)
            pair: list[int]
            for pair in pairs.T.tolist():
                if min(pair) >= 0:
                    name = str(at) if waves is None else waves.values[pair[0]]
                    seen.setdefault(column.values[pair[1]], set()).add(name)
        return any(len(each) > 1 for each in seen.values())

    def _tell(self, said: str, code: str = "", severity: Any = 2) -> None:
        self._told.tell("design", said, code or (CODEBOOK if severity == 2 else ""), severity)


def find_replicates(
    given: str | Sequence[str],
    columns: Mapping[str, ColumnProfile],
    method: ReplicateMethod | None,
    fay: float | None,
) -> DesignColumns:
    """The design of replicate weights, those of a pattern in the order of their numbers.

    Raises `SurveyError` for columns that are not there, and for what the method lacks.
    """
    if isinstance(given, str):
        form = re.compile(re.escape(given).replace(r"\*", r"(\d+)"), re.IGNORECASE)
        numbered = [(int(match[1]), name) for name in columns if (match := form.fullmatch(name))]
        found = tuple(name for _, name in sorted(numbered))
        numbers = {number for number, _ in numbered}
        if gaps := sorted({*range(min(numbers, default=0), max(numbers, default=0))} - numbers):
            raise SurveyError(
                f"replicates={given!r} is not complete: there are {len(found):,} columns like that "
                f"up to {found[-1]}, and none with {', '.join(map(str, gaps[:3]))}. Add what is "
                "missing, or list the columns."
            )
    else:
        found = tuple(given)
    if not columns.keys() >= {*found} or (given and not found):
        raise SurveyError(f"replicates={given!r} is not valid: there are no columns like that.")
    design = DesignColumns(replicates=found, replicate_method=method, fay=fay)
    if found or method is not None:
        design.scales()
    return design


def _evidence(column: ColumnProfile, what: str) -> str | None:
    name, label = _NAMES[what]
    if name.search(column.name):
        return "name"
    return "label" if label.search(column.variable.label) else None


def _problem(column: ColumnProfile, what: str) -> str | None:
    """Why a column cannot describe how the sample was drawn; None where it can."""
    if column.is_date:
        return "it holds dates"
    if not column.is_full:
        without = share_of(column.rows - column.answered, column.rows)
        return f"{without} have none; name it under [design] if these are whole waves"
    if column.distinct < 2:
        return "it is the same for all respondents"
    if column.distinct > 0.9 * column.rows:
        return "it differs for nearly every respondent"
    if what == "clusters" and column.labels:
        return "its values have labels, as those of a segmentation have"
    return None
