"""Add waves to a survey: import them by themselves, join the catalogues, write the next version.

Without a codebook the one that built the survey reads the file, with all edits since; what the file
has beside that is drafted. Old labels, codes, weights and their grid stay.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from typing import Any, cast

import msgspec
from msgspec import UNSET

from audiencelab.ingest.added import Added, WaveArguments, Weight
from audiencelab.ingest.cache import digest_of
from audiencelab.ingest.card import facts_of
from audiencelab.ingest.codebook import Codebook, WeightColumn, canonical_value
from audiencelab.ingest.codebook_files import load_codebook
from audiencelab.ingest.columns import Progress, watching
from audiencelab.ingest.draft import draft_codebook
from audiencelab.ingest.draft.given import GivenMissing, by_question
from audiencelab.ingest.drift import (
    Decide,
    Drift,
    check_drift,
    find_drift,
    guesses_of,
    read_as_before,
    with_breaks,
)
from audiencelab.ingest.further import further
from audiencelab.ingest.importer import import_survey
from audiencelab.ingest.joining import Joined, join_catalogues, not_offered
from audiencelab.ingest.kept import codebook_of, joined_codebook, kept_json
from audiencelab.ingest.meaning.guess import Guess, quoted, worst_first
from audiencelab.ingest.meaning.profile import joint_variables, profile_columns
from audiencelab.ingest.new_codes import check_given, new_codes
from audiencelab.ingest.new_waves import NewWaves, find_new_waves
from audiencelab.ingest.of_a_survey import ADD, OPEN, called, check_columns, of_this_call
from audiencelab.ingest.opening import frame_digest
from audiencelab.ingest.placing import Placed, place_answers
from audiencelab.ingest.report import ImportReport, SourceRead, WaveRead
from audiencelab.ingest.sources import Sources
from audiencelab.ingest.versions import next_version
from audiencelab.survey.catalogue import placeholder, placeholder_number
from audiencelab.survey.derivations import code_of
from audiencelab.survey.errors import SurveyError, listed
from audiencelab.survey.locks import BUILDING
from audiencelab.survey.reader import Survey, WaveData
from audiencelab.survey.update import Revision, all_waves, open_to_change

__all__ = ["Added", "Joined", "add_wave", "join_catalogues"]


def add_wave(
    path: str | Path,
    sources: Any,
    codebook: Codebook | str | Path | None = None,
    *,
    wave: str | None = None,
    weight: Weight = UNSET,
    encoding: str | None = None,
    sheet: str | int | None = None,
    missing: GivenMissing | None = None,
    decide: Decide | None = None,
    dry_run: bool = False,
    out: str | Path | None = None,
    progress: Progress | None = None,
) -> Added:
    """Add waves from survey files to a survey, with its derived questions.

    path: the survey's folder. sources: survey files as for an import, or a frame.
    codebook: what the columns mean; by default the survey's own, with all edits since the import,
        and a draft of the columns and answers that it does not know.
    wave: what the wave is called, such as "Q1 2026", or the column that makes the waves. By default
        the survey's wave column where the file has it, otherwise the period after the last wave.
    weight: the column of weights, where it is not called as in the survey; None: all weigh 1.
    encoding, sheet, missing, decide: as for `audiencelab.open`.
    dry_run: report everything, also what would be refused, and write nothing.
    out: a folder for a new survey; without it the survey's next version replaces it once that is
        complete. The weights keep their grid as long as all of them sum exactly on it.

    The same file again changes nothing. Raises what an import raises; `SurveyError` for a wave that
    the survey has already, for a file of another survey, a period that is not certain, a question
    of another kind, and for all by which a figure would change its meaning, with what decides it;
    `SurveyBusyError` if another process is writing the survey. The survey is then as it was.

    >>> import pandas as pd
    >>> from audiencelab import ingest
    >>> frame = pd.DataFrame({"tea": ["yes", "no"], "wave": ["spring", "spring"]})
    >>> frame.to_csv(folder / "spring.csv", index=False)
    >>> frame.assign(wave="autumn").to_csv(folder / "autumn.csv", index=False)
    >>> spring = ingest.draft_codebook(folder / "spring.csv", wave="wave").codebook
    >>> survey = ingest.import_survey(folder / "spring.csv", spring, folder / "tea")
    >>> ingest.add_wave(folder / "tea", folder / "autumn.csv").waves
    ('wave_autumn',)
    """
    given = WaveArguments.of(
        wave=wave, weight=weight, encoding=encoding, sheet=sheet, missing=missing, decide=decide
    )
    adding = Adding(path, sources, codebook, given, progress)
    return adding.tried() if dry_run else adding.add(out)


class Adding:
    """A file on its way into a survey; the arguments are those of `add_wave`."""

    def __init__(
        self,
        path: str | Path,
        sources: Any,
        codebook: Codebook | str | Path | None,
        given: WaveArguments,
        progress: Progress | None = None,
    ) -> None:
        self.survey = open_to_change(path)
        is_named = isinstance(codebook, str | Path)
        self._declared = load_codebook(Path(codebook)) if is_named else codebook
        self._given = given
        self._progress = progress or watching()
        self._source = sources
        self._sources = self._opened()
        frame = "" if isinstance(sources, str | Path | list | tuple) else frame_digest(sources)
        self._checksums = [each.checksum() or frame for each in self._sources.files]
        self._drifts: list[Drift] = []
        self._made: tuple[Survey, Placed, Joined] | None = None

    @property
    def record(self) -> dict[str, Any]:
        """What tells the change apart from others, as JSON."""
        book = self._declared
        declared = (
            {} if book is None else {"codebook": digest_of(msgspec.json.encode(book).decode())}
        )
        names = [each.name for each in self._sources.files]
        given = msgspec.to_builtins(self._given, str_keys=True)
        return {"change": "wave", "files": names, "sha256": self._checksums, **given, **declared}

    def add(self, out: str | Path | None = None) -> Added:
        """Write the survey with the file, unless it has it."""
        if self._is_there():
            return self._nothing()
        target = Path(self.survey.path if out is None else out).expanduser().absolute()
        # The new waves are mapped files, which must stay until the next version is written.
        with ExitStack() as until_written:
            survey = next_version(
                self.survey,
                self.record,
                lambda current: self._revision(current, until_written, target),
                out=out,
            )
            return self._added(survey)

    def tried(self) -> Added:
        """All that adding would do, without a change."""
        if self._is_there():
            return self._nothing()
        found = self._waves(self.survey)
        if any(each.refuses for each in self._compare(self.survey, found)):
            return self._refused(found)
        with tempfile.TemporaryDirectory() as folder:
            self._read(self.survey, found, Path(folder))
            return replace(self._added(self.survey), is_dry=True)

    def _refused(self, found: NewWaves) -> Added:
        """What is known of a file that cannot be read before something is decided."""
        waves = [WaveRead(each.code, 0, 0.0, 0) for each in found.waves]
        if len(waves) == 1:
            rows = sum(table.rows for table in self._sources.tables)
            waves = [msgspec.structs.replace(waves[0], respondents=rows)]
        report = ImportReport(
            sources=[
                SourceRead(each.name, checksum, each.rows, len(each.header), [])
                for each, checksum in zip(self._sources.files, self._checksums, strict=True)
            ],
            waves=waves,
            guesses=worst_first([*guesses_of(self._drifts), *found.guesses]),
            drift=self._drifts,
        )
        names = tuple(each.name for each in found.waves)
        codes = tuple(each.code for each in found.waves)
        bits, joined = self.survey.manifest.weight_bits, Joined(self.survey.catalogue)
        return Added(self.survey, codes, names, joined, (bits, bits), report, is_dry=True)

    def _is_there(self) -> bool:
        """Whether the survey has the files already."""
        read = self.survey.manifest.provenance.get("sources", ())
        return {*self._checksums} <= {each["sha256"] for each in read} - {""}

    def _nothing(self) -> Added:
        """What comes of files that the survey has: it stays as it is."""
        bits, joined = self.survey.manifest.weight_bits, Joined(self.survey.catalogue)
        report = ImportReport.of(self.survey).of_files(self._checksums, ())
        return Added(self.survey, (), (), joined, (bits, bits), report, is_repeated=True)

    def _revision(self, survey: Survey, stack: ExitStack, target: Path) -> Revision:
        """The next version of the survey; its waves are in a folder that the stack removes."""
        # Made under the lock, with a name that the next writer clears away if we are killed.
        target.parent.mkdir(parents=True, exist_ok=True)
        folder = stack.enter_context(
            tempfile.TemporaryDirectory(
                prefix=f".{target.name}.", suffix=BUILDING, dir=target.parent
            )
        )
        found = self._waves(survey)
        check_drift(self._compare(survey, found))
        new, placed, joined = self._read(survey, found, Path(folder))
        book = placed.book
        own, report = survey.manifest.provenance.get("sources", []), ImportReport.of(survey)
        facts = facts_of(book, len(survey.waves) + len(new.waves))
        added = [
            {**each, "sha256": checksum}
            for each, checksum in zip(
                new.manifest.provenance["sources"], self._checksums, strict=True
            )
        ]
        return Revision(
            joined.catalogue,
            survey.derived,
            (*_renamed(survey, found), *_waves_after(survey, new)),
            provenance={"sources": [*own, *added]},
            described=new.texts,
            changed=not_offered(survey, new, joined.catalogue, self._drifts),
            report=report.with_wave(self._report_of(new, placed), facts).to_json(),
            # A survey that keeps none shows the one of its catalogue.
            codebook=None if survey.codebook is None else kept_json(book),
        )

    def _added(self, survey: Survey) -> Added:
        """What came of it; of a survey that the cache has, what its report has of the file."""
        known = {wave.code for wave in self.survey.waves}
        if self._made is None:
            waves = [wave for wave in survey.waves if wave.code not in known]
            joined = Joined(survey.catalogue)
            report = ImportReport.of(survey).of_files(self._checksums, [e.code for e in waves])
        else:
            new, placed, joined = self._made
            waves, report = [*new.waves], self._report_of(new, placed)
        return Added(
            survey,
            tuple(wave.code for wave in waves),
            tuple(wave.name for wave in waves),
            joined,
            (self.survey.manifest.weight_bits, survey.manifest.weight_bits),
            report,
        )

    def _report_of(self, new: Survey, placed: Placed) -> ImportReport:
        """The report of a file, with what it has otherwise, and code that adds it again."""
        report = ImportReport.of(new)
        # What the one file lacks is among the drifts.
        lacking = {str(each) for each in report.offered}
        told = [
            msgspec.structs.replace(each, code=each.code.replace(OPEN, ADD))
            for each in report.guesses
            if each.said not in lacking
        ]
        drift = [*self._drifts, *report.drift]
        guesses = worst_first([*told, *placed.guesses])
        return msgspec.structs.replace(report, guesses=guesses, drift=drift, offered=[])

    # ---- the file ----

    def _opened(self) -> Sources:
        """The file, read as it is written: its encoding and dialect may be others than before."""
        book, given = self._declared, self._given
        if book is not None:
            return Sources.open(self._source, book.source, given.encoding, sheet=given.sheet)
        source = codebook_of(self.survey).source
        sheet = given.sheet
        is_book = isinstance(self._source, str | Path) and Path(self._source).suffix in _WORKBOOKS
        if sheet is None and is_book:
            sheet = source.sheet
        opened = Sources.open(self._source, None, given.encoding, sheet=sheet)
        if source.wide:
            opened.split_waves(source.wide)
        return opened

    def _waves(self, survey: Survey) -> NewWaves:
        """The waves that the file brings, without rows of waves that the survey has."""
        sources, declared = self._sources, self._declared
        book = codebook_of(survey) if declared is None else declared
        columns = profile_columns(sources, self._progress)
        if declared is None:
            check_columns(survey, book, sources)
        found = find_new_waves(survey, book, sources, columns, self._given.wave)
        if found.question and _is_used(survey, found.question):
            found.question = ""
        return found

    def _compare(self, survey: Survey, found: NewWaves) -> list[Drift]:
        """What the file has otherwise than the survey; a codebook of its own decides that."""
        if self._declared is None:
            wave, decide = found.waves[0].code, self._given.decide
            is_one = len(found.waves) == 1
            drifts = find_drift(survey, self._sources, decide, is_one_wave=is_one)
            self._drifts = [
                msgspec.structs.replace(each, wave=each.wave or wave)
                for each in drifts
                # The column of the wave has stopped being a question.
                if not found.question or each.question != found.question
            ]
        return self._drifts

    def _read(self, survey: Survey, found: NewWaves, folder: Path) -> tuple[Survey, Placed, Joined]:
        """The file as a survey of its own, in a folder: its errors leave the other as it is."""
        guesses = [*guesses_of(self._drifts), *found.guesses]
        if self._declared is None:
            read_as_before(self._sources, self._drifts)
            book, more = self._drafted(survey, codebook_of(survey), found)
            guesses += more
        else:
            book = self._declared
        new = import_survey(
            self._sources,
            with_breaks(found.reading(book), self._drifts),
            folder / "waves",
            encoding=self._given.encoding,
            guesses=guesses,
            progress=self._progress,
        )
        base = survey.catalogue.base_namespace
        gone = f"{base}.{found.question}" if found.question else ""
        joined = join_catalogues(survey, new, without=gone)
        book = joined_codebook(found.joined(codebook_of(survey)), codebook_of(new))
        placed = place_answers(survey.catalogue, joined.catalogue, book)
        joined.catalogue = placed.catalogue
        self._made = (new, placed, joined)
        return self._made

    def _drafted(
        self, survey: Survey, book: Codebook, found: NewWaves
    ) -> tuple[Codebook, list[Guess]]:
        """The survey's codebook as it reads the file, with what is new in it."""
        weight, guesses = self._weight(book)
        with of_this_call():
            draft = draft_codebook(
                self._sources,
                weight=UNSET if weight is None else [*weight.columns],
                wave=UNSET if found.column is None else found.column.column,
                missing=self._given.missing,
                # A survey that keeps none may do so on purpose.
                text=bool(book.texts),
                strict=False,
            )
            if draft.objection:
                raise SurveyError(draft.objection)
        if weight is None and draft.codebook.weight is not None and self._given.weight is UNSET:
            name = draft.codebook.weight.column
            said = f"the survey has no weight, so {name} is not used"
            code = f"client.add_wave(…, weight={quoted(name)})"
            guesses.append(Guess("weight", "weight", said, code, 1))
        columns = profile_columns(self._sources, self._progress)
        base = book.study.namespace
        derived = [code_of(each, base).removeprefix(f"{base}.") for each in survey.derived]
        unused = {name for each in ImportReport.of(survey).sources for name in each.unused_columns}
        read, more = further(
            book, draft.codebook, columns, derived, without=found.question, unused=unused
        )
        variables = joint_variables(self._sources.files)
        given = by_question(self._given.missing)
        check_given(book, draft, variables, {canonical_value(c) for e in given.values() for c in e})
        codes = new_codes(book, draft, variables)
        return msgspec.structs.replace(read, weight=weight), [*guesses, *more, *codes]

    def _weight(self, book: Codebook) -> tuple[WeightColumn | None, list[Guess]]:
        """The weights of the file; `SurveyError` where it lacks the survey's."""
        given, names = self._given.weight, self._sources.names
        others = book.weight.others if book.weight else ()
        kept = tuple(each for each in others if each in names and each != given)
        guesses: list[Guess] = []
        if gone := [each for each in others if each not in names]:
            said = f"{listed(gone)} is not in the file, whose respondents do not have that weight"
            guesses.append(Guess("weight", "weight", said, severity=1))
        if given is None or (given is UNSET and book.weight is None):
            return None, guesses
        column = book.weight.column if given is UNSET and book.weight else cast("str", given)
        if column in names:
            return WeightColumn(column, kept), guesses
        file = called(self._sources)
        what = "the weight of the survey" if given is UNSET else "which was asked for as the weight"
        raise SurveyError(
            f"{file} has no column {column!r}, {what}. Name the one that it has, "
            'client.add_wave(…, weight="COLUMN"), or write weight=None: all weigh 1 in this wave. '
            f"Its columns: {listed(names)}."
        )


_WORKBOOKS = (".xlsx", ".xlsm", ".xls", ".ods")


def _is_used(survey: Survey, code: str) -> bool:
    """Whether a derived question or a saved audience uses a question."""
    made = msgspec.json.encode([survey.derived, survey.saved_audiences]).decode()
    base = survey.catalogue.base_namespace
    return f'"{code}"' in made or f'"{base}.{code}"' in made


def _renamed(survey: Survey, found: NewWaves) -> Iterator[WaveData]:
    """The survey's own waves; the only one with the name that it gets."""
    for data in all_waves(survey):
        if found.renamed is not None and data.code == found.renamed.code:
            named = found.renamed
            data.wave = msgspec.structs.replace(
                data.wave, name=named.name, starts=named.starts, ends=named.ends
            )
        yield data


def _waves_after(survey: Survey, new: Survey) -> Iterator[WaveData]:
    """The waves of another survey; those without a date come after the survey's own without one."""
    mine = [wave.starts for wave in survey.waves if not wave.is_dated]
    theirs = [wave.starts for wave in new.waves if not wave.is_dated]
    # Every import begins its placeholders at January 1900, so those of two imports collide.
    collide = mine and theirs and min(theirs) <= max(mine)
    shift = max(map(placeholder_number, mine)) if collide else 0
    for data in all_waves(new):
        if shift and not data.wave.is_dated:
            day = placeholder(placeholder_number(data.wave.starts) + shift)
            data.wave = msgspec.structs.replace(data.wave, starts=day, ends=day)
        yield data
