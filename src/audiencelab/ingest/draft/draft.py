"""Draft a codebook for undescribed sources; every guess has a reason.

The draft can be imported as it is, or edited first. It keeps the order of the file.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from msgspec import UNSET, UnsetType
from msgspec.structs import replace

from audiencelab.files import put_new
from audiencelab.flags import flag
from audiencelab.ingest.codebook import (
    Codebook,
    CodedQuestion,
    CodedWave,
    ColumnOf,
    DesignColumns,
    Period,
    Source,
    Study,
    WaveColumn,
)
from audiencelab.ingest.columns import Progress
from audiencelab.ingest.draft.column_roles import (
    Guess,
    find_clusters,
    find_dates,
    find_locations,
    find_strata,
    find_wave_columns,
    is_location,
    is_wave_name,
    refused_design,
    why_left_out,
)
from audiencelab.ingest.draft.missing_codes import find_marks, missing_reasons
from audiencelab.ingest.draft.profile import (
    ColumnProfile,
    SourceProfile,
    profile_sources,
)
from audiencelab.ingest.draft.question_groups import (
    Family,
    declared_families,
    named_families,
)
from audiencelab.ingest.draft.questions import (
    Codes,
    column_question,
    family_question,
    scalars,
)
from audiencelab.ingest.draft.to_toml import codebook_toml
from audiencelab.ingest.draft.waves import (
    PLACEHOLDERS,
    file_waves,
    listed_waves,
    one_wave,
)
from audiencelab.ingest.draft.weights import WeightChoice, choose_weight
from audiencelab.ingest.sources import Sources
from audiencelab.survey.errors import SurveyError


@dataclass(frozen=True)
class Draft:
    """A drafted codebook.

    reasons: why it is as it is, by place as `codebook_toml` takes them. left_out: columns that
    make no question, each with the reason. respondents: how many rows the sources have, and
    without_weight how many of them have none of the weight that was chosen.
    """

    codebook: Codebook
    reasons: dict[str, list[str]]
    left_out: dict[str, str]
    respondents: int = 0
    without_weight: int = 0

    def to_toml(self) -> str:
        """The codebook as TOML, each reason as a comment above what it explains."""
        comments = dict(self.reasons)
        if self.left_out:
            comments["end"] = ["Left out:"]
            comments["end"] += [
                f"  {name or '(no name)'}: {why}" for name, why in self.left_out.items()
            ]
        return codebook_toml(self.codebook, comments)

    def lines(self) -> Iterator[str]:
        """The draft in short: questions by kind, guesses for the whole file, what is left out."""
        kinds = Counter(question.kind for question in self.codebook.questions)
        counted = ", ".join(f"{number:,} {kind}" for kind, number in kinds.items())
        number = len(self.codebook.questions)
        yield f"drafted   {number:,} question{'s' * (number != 1)}: {counted}"
        for place in ("study", "source", "weight", "design", "wave", "waves"):
            for reason in self.reasons.get(place, ()):
                yield f"{place:<9} {reason}"
        if self.left_out:
            shown = ", ".join(name or "(no name)" for name in list(self.left_out)[:12])
            more = len(self.left_out) - 12
            yield f"left out  {shown}" + (f" and {more:,} more" if more > 0 else "")

    def save(self, path: str | Path) -> Path:
        """Write the TOML into a new file; `SurveyError` if there is one already, or no room."""
        target = Path(path).expanduser()
        try:
            put_new(target, self.to_toml().encode())
        except FileExistsError:
            raise SurveyError(
                f"{target} exists already, and may have been edited: choose another name."
            ) from None
        return target


def draft_codebook(
    source: Any,
    *,
    weight: str | UnsetType | None = UNSET,
    wave: str | None = None,
    encoding: str | None = None,
    options: Source | None = None,
    banded: bool = True,
    progress: Progress | None = None,
) -> Draft:
    """Draft a codebook for survey files, or for a frame.

    source: a path, several paths (waves or parts of one study; also folders and patterns, as for an
    import), or a frame of pandas, polars or pyarrow.
    weight: the column of weights; None for a survey without weights. Where it is left out, it is
    the weight that the file declares, else the one column that can be nothing else.
    wave: the column that tells the waves apart; each quarter is a wave where it holds dates. Where
    it is left out, a column that is named like one (`wave`, `round`, `year` …), but no date.
    encoding: of CSV files, found out where it is left out; of other files, in place of the one that
    they name. options: how files are read otherwise.
    banded: numbers without labels are put into round bands; otherwise each number is a datapoint.

    Raises `SurveyError` for files that cannot be read, a weight or wave that is not a column, a
    weight that is doubtful (the message lists the columns that it may be), or sources in which
    there is nothing to ask about.
    """
    flag("banded", banded)
    sources = Sources.open(source, options, encoding)
    profile = profile_sources(sources, progress or Progress())
    return _Drafting(sources, profile, weight, wave, banded).draft()


@dataclass
class _Drafting:
    """A draft in the making."""

    sources: Sources
    profile: SourceProfile
    weight: str | UnsetType | None
    wave: str | None
    banded: bool
    reasons: dict[str, list[str]] = field(default_factory=dict[str, list[str]])
    left_out: dict[str, str] = field(default_factory=dict[str, str])

    def draft(self) -> Draft:
        self.left_out |= dict.fromkeys(self.profile.twice, "the header names it more than once")
        marks = find_marks(self.profile.columns.values())
        not_asked, unselected = marks.not_asked, marks.not_selected
        headings = [f"{each.name}: {each.heading}" for each in self.sources.files if each.heading]
        missing = missing_reasons(self.profile.columns.values())
        for words in (*headings, *marks.reasons, *missing):
            self._say("source", words)
        columns = {
            name: column.without([*not_asked, *unselected])
            for name, column in self.profile.columns.items()
        }
        weight = self._weight(columns)
        columns = {name: column for name, column in columns.items() if name not in self.left_out}
        wave, waves = self._waves(columns)
        location = next(iter(find_locations(columns.values())), None)
        design = self._design([each for each in columns.values() if each.name not in self.left_out])
        columns = self._keep(columns)
        questions, codes = self._questions(columns, unselected, location)
        if not questions:
            raise SurveyError(
                f"{self.sources.files[0].origin}: there is nothing in it to make a question of.\n"
                + "\n".join(f"  {name}: {why}" for name, why in self.left_out.items())
            )
        codebook = Codebook(
            study=self._study(location, codes),
            source=replace(
                self.sources.options, not_asked=scalars(not_asked), not_selected=scalars(unselected)
            ),
            weight=None if weight.column is None else ColumnOf(weight.column),
            wave=wave,
            waves=waves,
            design=design,
            questions=tuple(questions),
        )
        self._introduce()
        rows = self.profile.rows
        return Draft(codebook, self.reasons, self.left_out, rows, weight.without)

    def _weight(self, columns: dict[str, ColumnProfile]) -> WeightChoice:
        """The weight; all that might be one make no questions."""
        declared = [each.declared_weight for each in self.sources.files if each.declared_weight]
        found = choose_weight(
            columns, given=self.weight, declared=declared, place=self.sources.files[0].origin
        )
        for words in found.reasons:
            self._say("weight", words)
        self.left_out |= found.left_out
        return found

    def _waves(
        self, columns: dict[str, ColumnProfile]
    ) -> tuple[WaveColumn | None, tuple[CodedWave, ...]]:
        dates = find_dates(columns.values())
        guess = self._wave_column(columns)
        if guess is not None:
            column = columns[guess.column]
            self._say("wave", guess.reason)
            self.left_out[guess.column] = "the wave"
            if column.is_date:
                return WaveColumn(guess.column, by=self._period(column)), ()
            dated_by = dates[0].column if dates else None
            waves, why = listed_waves(self.sources.tables, column, dated_by)
            self._say("waves", why)
            return WaveColumn(guess.column), waves
        for date in dates[:1]:
            self._say(
                "wave",
                f"{date.column} holds dates and makes no waves by itself: --wave {date.column} (in "
                f'Python: wave="{date.column}") makes each quarter a wave',
            )
        if len(self.sources.files) > 1 and not self.sources.is_one_table:
            self._say("waves", f"each file is a wave, in the order given: {PLACEHOLDERS}")
            return None, file_waves(self.sources.files)
        if dates:
            self._say("waves", f"everybody is in one wave, dated by {dates[0].column}")
            return None, one_wave(self.sources.name, columns[dates[0].column])
        return None, ()

    def _wave_column(self, columns: dict[str, ColumnProfile]) -> Guess | None:
        if self.wave is None:
            return next(iter(find_wave_columns(columns.values())), None)
        if self.wave not in columns:
            why = self.left_out.get(self.wave)
            raise SurveyError(
                f"{self.wave!r} cannot be the column of the waves: it is {why}."
                if why
                else f"There is no column {self.wave!r} to make waves of."
            )
        return Guess(self.wave, f"{self.wave}: asked for")

    def _period(self, column: ColumnProfile) -> Period | None:
        """The period of the waves that dates make; None where each of them is a wave."""
        if all(len(value) == len("2024-03") for value in column.answers):
            return None
        if is_wave_name(column.name):
            # An import takes days as they are; a time of day has to be cut off.
            timed = any(len(value) > len("2024-03-31") for value in column.answers)
            return "day" if timed else None
        self._say("wave", "each quarter is a wave; `by` may also be day, month or year")
        return "quarter"

    def _design(self, columns: list[ColumnProfile]) -> DesignColumns:
        """Strata and clusters; they make questions only where the file gives them labels."""
        found = (find_strata(columns), find_clusters(columns))
        for guess in (each for guesses in found for each in guesses[:1]):
            self._say("design", guess.reason)
            if not self.profile.columns[guess.column].labels:
                self.left_out[guess.column] = "the design of the sample"
        for guess in refused_design(columns):
            self._say("design", guess.reason)
            if not self.profile.columns[guess.column].labels:
                self.left_out.setdefault(guess.column, "the design of the sample, not taken")
        return DesignColumns(*(guesses[0].column if guesses else None for guesses in found))

    def _keep(self, columns: dict[str, ColumnProfile]) -> dict[str, ColumnProfile]:
        """The columns that make questions; the declared sets know why theirs do."""
        declared = {name.lower() for each in self.profile.sets for name in each.columns}
        kept: dict[str, ColumnProfile] = {}
        for name, column in columns.items():
            if name in self.left_out:
                continue
            why = None if name.lower() in declared else why_left_out(column)
            if why is None:
                kept[name] = column
            else:
                self.left_out[name] = why
        return kept

    def _questions(
        self,
        columns: dict[str, ColumnProfile],
        unselected: list[str],
        location: Guess | None,
    ) -> tuple[list[CodedQuestion], dict[str, str]]:
        """The questions in the order of the file, and the code of each single column's."""
        profile = SourceProfile((), self.profile.rows, columns, self.profile.sets)
        declared = list(declared_families(profile))
        taken = {column.name for family in declared for column in family.columns}
        place = location.column if location else None
        free = [each for each in columns.values() if each.name not in taken and each.name != place]
        families = [*declared, *named_families(free)]
        first: dict[str, list[Family]] = {}
        for family in families:
            first.setdefault(family.columns[0].name, []).append(family)
            taken.update(column.name for column in family.columns)
        questions: list[CodedQuestion] = []
        single: dict[str, str] = {}
        codes = Codes()
        for name, column in columns.items():
            for family in first.get(name, ()):
                question = family_question(family, codes.take(family.code), unselected)
                if question.points:
                    questions.append(question)
                    self._say(f"questions/{question.code}", family.reason)
            if name not in taken:
                single[name] = codes.take(name, may_be_location=name == place)
                # Numbers of regions or countries are codes, whatever their count.
                banded = self.banded and not is_location(column)
                question, why = column_question(column, single[name], banded=banded)
                questions.append(question)
                self._say(f"questions/{question.code}", why)
        return questions, single

    def _study(self, location: Guess | None, codes: dict[str, str]) -> Study:
        if location is None or location.column not in codes:
            self._say("study", "no location: no column is named like one and filled for everybody")
            return Study(name=self.sources.name)
        self._say("study", f"location: {location.reason}")
        return Study(name=self.sources.name, location=codes[location.column])

    def _introduce(self) -> None:
        names = ", ".join(source.name for source in self.sources.files)
        self._say("", f"Drafted from {names}: {self.profile.rows:,} respondents, "
                  f"{len(self.profile.names):,} columns.")  # fmt: skip
        self._say("", "Every guess has its reason above it. Put right what is wrong, then import.")

    def _say(self, place: str, words: str) -> None:
        self.reasons.setdefault(place, []).append(words)
