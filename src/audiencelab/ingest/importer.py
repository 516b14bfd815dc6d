"""The import itself: files or a frame and a codebook in, survey and report out.

Sources are read first, then looked over question by question, and only then written, so that
whatever is wrong with them is said before a folder is touched.
"""

from __future__ import annotations

from collections.abc import Generator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from msgspec import structs

from audiencelab.ingest.agreeing import check_places, relabelled
from audiencelab.ingest.answering import SurveyRows, WaveBits, WaveNumbers, hand_out, look_over
from audiencelab.ingest.codebook import Codebook
from audiencelab.ingest.coherence import suggestion
from audiencelab.ingest.loading import load_codebook
from audiencelab.ingest.questionnaire import Questionnaire
from audiencelab.ingest.readers import SurveyFile, read_columns
from audiencelab.ingest.readers.finding import find_files, open_all
from audiencelab.ingest.readers.frames import frame_source
from audiencelab.ingest.reading import read_sources
from audiencelab.ingest.report import ImportReport, SourceRead, WaveRead
from audiencelab.ingest.sampling import design_of
from audiencelab.ingest.tables import Progress, Table
from audiencelab.ingest.waves import columns_of, divide_into_waves
from audiencelab.ingest.workers import Workers, usable_cores
from audiencelab.survey.builder import SurveyBuilder
from audiencelab.survey.errors import SurveyError, listed
from audiencelab.survey.layout import check_target, writes
from audiencelab.survey.locks import BUILDING, WriterLock
from audiencelab.survey.reader import Survey

__all__ = ["from_frame", "import_survey"]

_NO_WEIGHT = "none, everybody counts as one"
_MOST_JOBS = 8
"""Processes that are taken unasked: each holds some 100 MB of libraries."""

_WORTH_JOBS = 64 << 20
"""Bytes of sources from which on processes pay, which take a second to start."""


def import_survey(
    sources: Sequence[str | Path],
    codebook: Codebook | str | Path,
    out: str | Path,
    *,
    name: str = "",
    replace: bool = False,
    progress: Progress | None = None,
    jobs: int | None = 1,
    encoding: str | None = None,
) -> Survey:
    """Import survey files into a new survey at `out`.

    sources: survey files of any format that is read, the waves or parts of one study; also folders
    of files (columns may stand in the names of folders, as in `wave=2024q1/part-0.parquet`) and
    patterns such as `data/*/*.parquet`.
    codebook: read from a .toml or .json file, or already parsed.
    name: of the survey; the codebook's study name where it is left out.
    replace: an existing survey at `out` is replaced once the new one is complete.
    jobs: processes that share the work; None takes one for each core that may be used, at most
    8, where the files are large. The survey is the same, byte for byte. More than one of a script
    needs its work under `if __name__ == "__main__":`.
    encoding: of the files' text, in place of the one that the codebook or the file names.

    What was read and dropped stands in `survey.import_report`. Raises `SourceError` for a file
    that cannot be imported, naming the row, column and value where they are known;
    `SurveyExistsError` if `out` exists, or holds more than the survey to replace; `SurveyBusyError`
    if somebody else is writing there; `SurveyError` for a codebook that does not fit.
    """
    target = Path(out).expanduser().absolute()
    check_target(target, replace=replace)
    coded = codebook if isinstance(codebook, Codebook) else load_codebook(Path(codebook))
    if encoding is not None:
        source = structs.replace(coded.source, encoding=encoding)
        coded = structs.replace(coded, source=source)
    told = progress or Progress()
    wanted = list(dict.fromkeys(columns_of(coded)))
    opened = open_all(find_files(sources), coded.source)
    _check_columns(coded, opened)
    check_places(opened, _answer_columns(coded))
    taken = _jobs_for(opened) if jobs is None else jobs
    with _workplace(target) as (lock, folder), Workers(taken) as workers:
        tables = read_sources(opened, wanted, coded.source, folder, workers, told)
        build = _Build(coded, target, name, replace, told, workers, folder, lock)
        return build.run(tables)


def from_frame(
    frame: Any,
    codebook: Codebook | str | Path,
    out: str | Path,
    *,
    name: str = "",
    replace: bool = False,
    progress: Progress | None = None,
) -> Survey:
    """Import a frame of pandas, polars or pyarrow into a new survey at `out`.

    frame: one row a respondent, named columns; anything with `__arrow_c_stream__` will do.
    The rest is as for `import_survey`, all in this process; rows count from 1 in messages, and the
    index of a pandas frame is no column.
    """
    target = Path(out).expanduser().absolute()
    check_target(target, replace=replace)
    coded = codebook if isinstance(codebook, Codebook) else load_codebook(Path(codebook))
    told = progress or Progress()
    source = frame_source(frame)
    _check_columns(coded, [source])
    table = read_columns(source, list(columns_of(coded)), told)
    with _workplace(target) as (lock, folder), Workers() as workers:
        return _Build(coded, target, name, replace, told, workers, folder, lock).run([table])


@dataclass(frozen=True)
class _Build:
    """What is done once the sources are read. folder: for what processes hand each other."""

    codebook: Codebook
    target: Path
    name: str
    replace: bool
    progress: Progress
    workers: Workers
    folder: Path
    lock: WriterLock

    def run(self, tables: Sequence[Table]) -> Survey:
        codebook, report = self.codebook, ImportReport()
        report.sources.extend(_source_read(table) for table in tables)
        report.notes.extend(relabelled(tables, _answer_columns(codebook)))
        waves = divide_into_waves(codebook, tables, report)
        survey = SurveyRows(Questionnaire(codebook, tables), waves)
        at = hand_out(survey, self.folder, self.workers)
        kept = look_over(survey, at, self.workers, self.progress, report)
        designs = [design_of(codebook.design, wave, codebook.source) for wave in waves]
        catalogue = survey.questionnaire.catalogue(kept)
        with SurveyBuilder(
            self.target,
            catalogue,
            name=self.name or codebook.study.name,
            description=codebook.study.description,
            provenance={
                "sources": [{"file": s.file, "sha256": s.sha256} for s in report.sources],
                "weight": codebook.weight.column if codebook.weight else _NO_WEIGHT,
            },
            replace=self.replace,
            lock=self.lock,
        ) as builder:
            for place, (wave, design) in enumerate(zip(waves, designs, strict=True)):
                asked = kept[wave.wave.code]
                bits = WaveBits(survey, at, place, asked, catalogue, self.workers, self.progress)
                self.progress.start(f"writing {wave.wave.code}", bits.octets)
                weights = wave.weights
                builder.add_packed_wave(
                    wave.wave,
                    weights[bits.order],
                    bits,
                    design.ordered(bits.order),
                    WaveNumbers(survey, place, asked, bits.order),
                )
                self.progress.done()
                report.waves.append(
                    WaveRead(wave.wave.code, len(wave), float(weights.sum()), len(asked))
                )
            return builder.finish(report.to_json())


def _jobs_for(sources: Sequence[SurveyFile]) -> int:
    """As many processes as pay."""
    large = sum(source.octets for source in sources) >= _WORTH_JOBS
    return min(_MOST_JOBS, usable_cores()) if large else 1


@contextmanager
def _workplace(target: Path) -> Generator[tuple[WriterLock, Path]]:
    """The right to write a survey, and a folder beside it for what is at work; both go afterwards.

    The folder's name is one that the next writer clears away, should this process be killed.
    """
    made = [each for each in (target.parent, *target.parent.parents) if not each.exists()]
    with ExitStack() as left:
        left.callback(_remove_empty, made)
        with writes(target):
            target.parent.mkdir(parents=True, exist_ok=True)
        lock = WriterLock(target)
        left.callback(lock.release)
        folder = left.enter_context(
            TemporaryDirectory(
                prefix=f".{target.name}.",
                suffix=BUILDING,
                dir=target.parent,
                ignore_cleanup_errors=True,
            )
        )
        yield lock, Path(folder)


def _remove_empty(folders: Sequence[Path]) -> None:
    with suppress(OSError):
        for folder in folders:
            folder.rmdir()


def _source_read(table: Table) -> SourceRead:
    unused = [column for column in table.header if column not in table.columns]
    return SourceRead(table.name, table.sha256, table.rows, len(table.header), unused)


def _answer_columns(codebook: Codebook) -> set[str]:
    return {column for question in codebook.questions for column in question.columns}


def _check_columns(codebook: Codebook, sources: Sequence[SurveyFile]) -> None:
    """A column that is in none of the files is a slip in the codebook."""
    found = {column for source in sources for column in source.header}
    named = [("[design]", column) for column in codebook.design.columns]
    named += [
        (f"question {question.code}", column)
        for question in codebook.questions
        for column in question.columns
    ]
    for part, column in named:
        if column not in found:
            raise SurveyError(
                f"The codebook's {part} reads column {column}, which is in none of the files "
                f"({listed([source.name for source in sources])})."
                + (_delimiter_advice(sources) or suggestion(column, found))
            )


def _delimiter_advice(sources: Sequence[SurveyFile]) -> str:
    """What to do where a whole header is one column, as with another delimiter."""
    for source in sources:
        # As TOML writes it: a tab between the quotation marks would not be seen.
        for delimiter, written in ((";", ";"), ("\t", "\\t"), ("|", "|"), (",", ",")):
            if len(source.header) == 1 and delimiter in source.header[0]:
                return (
                    f" {source.name} seems to have another delimiter: write "
                    f'[source] delimiter = "{written}".'
                )
    return ""
