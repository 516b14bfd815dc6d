"""Import a survey: files or a frame and a codebook in, a survey and a report out.

Sources are read first, then checked question by question, and only then written, so that errors
are raised before a folder is touched.
"""

from __future__ import annotations

from collections.abc import Generator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import Any

from msgspec import structs

from audiencelab.ingest.card import facts_of
from audiencelab.ingest.codebook import Codebook
from audiencelab.ingest.codebook_checks import check_codebook, suggestion
from audiencelab.ingest.codebook_files import load_codebook
from audiencelab.ingest.columns import Progress, watching
from audiencelab.ingest.design import sample_design
from audiencelab.ingest.drift.as_read import as_read
from audiencelab.ingest.drift.files import drift_of_files, settle_labels
from audiencelab.ingest.drift.refusals import guesses_of, with_breaks
from audiencelab.ingest.encode import AskedReport, CodedSurvey, asked_questions, write_wave
from audiencelab.ingest.kept import kept_json
from audiencelab.ingest.keys import ImportedKeys
from audiencelab.ingest.meaning.guess import Guess
from audiencelab.ingest.readers import ReadColumns, SurveyFile
from audiencelab.ingest.report import ImportReport, SourceRead, WaveRead
from audiencelab.ingest.sources import Sources
from audiencelab.ingest.study import facts_of as facts_of_study
from audiencelab.ingest.texts import described_texts
from audiencelab.ingest.waves import divide_into_waves
from audiencelab.schema.http import UNWEIGHTED
from audiencelab.survey.builder import SurveyBuilder
from audiencelab.survey.errors import SurveyError, listed
from audiencelab.survey.layout import check_target, writes
from audiencelab.survey.locks import WriterLock
from audiencelab.survey.reader import Survey
from audiencelab.survey.record import SurveyRecord
from audiencelab.survey.study import STUDY


def import_survey(
    sources: str | Path | Sequence[str | Path] | Sources,
    codebook: Codebook | str | Path,
    out: str | Path,
    *,
    name: str = "",
    replace: bool = False,
    progress: Progress | None = None,
    encoding: str | None = None,
    provenance: Mapping[str, Any] | None = None,
    notes: Sequence[str] = (),
    guesses: Sequence[Guess] = (),
) -> Survey:
    """Import survey files into a new survey at `out`.

    sources: survey files of any format that can be read, the waves or parts of one study; also
        folders of files (columns may be in the names of folders, as in
        `wave=2024q1/part-0.parquet`) and patterns such as `data/*/*.parquet`.
    codebook: read from a .toml or .json file, or already parsed.
    name: of the survey; by default the codebook's study name.
    replace: replace an existing survey at `out` once the new one is complete.
    encoding: of the files' text, instead of the one that the codebook or the file names.
    provenance: JSON values to keep with the survey, beside the names and checksums of its sources.
    notes: what the report notes first. guesses: of the draft that the codebook was, for the report.

    `survey.import_report` is what was read and dropped. Raises `SourceError` for a file that
    cannot be imported, naming the row, column and value where they are known; `SurveyExistsError`
    if `out` exists, or contains more than the survey to replace; `SurveyBusyError` if another
    process is writing there; `SurveyError` for a codebook that does not fit.

    import_survey("survey.sav", "codebook.toml", "my-survey")

    >>> import pandas as pd
    >>> from audiencelab import ingest
    >>> frame = pd.DataFrame({"tea": ["yes", "no", "no"], "sex": ["f", "m", "f"]})
    >>> frame.to_csv(folder / "tea.csv", index=False)
    >>> codebook = ingest.draft_codebook(folder / "tea.csv").codebook
    >>> survey = ingest.import_survey(folder / "tea.csv", codebook, folder / "tea")
    >>> al.connect(survey=survey).crosstab("tea", "sex").shape
    (2, 2)
    """
    target = _checked_target(out, replace)
    loaded = _loaded(codebook, encoding)
    opened = Sources.open(sources, loaded.source)
    return _import(
        opened, loaded, target, name, replace, progress or watching(), provenance, notes, guesses
    )


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

    frame: one row a respondent, named columns; anything with `__arrow_c_stream__` works.
    The rest is as in `import_survey`; rows count from 1 in messages, and the index of a pandas
    frame is not a column.

    >>> import pandas as pd
    >>> from audiencelab.ingest import draft_codebook, from_frame
    >>> frame = pd.DataFrame({"tea": ["yes", "no", "no"], "sex": ["f", "m", "f"]})
    >>> survey = from_frame(frame, draft_codebook(frame).codebook, folder / "tea")
    >>> al.connect(survey=survey).crosstab("tea", "sex").shape
    (2, 2)
    """
    target = _checked_target(out, replace)
    loaded = _loaded(codebook)
    opened = Sources.open_frame(frame, loaded.source)
    return _import(opened, loaded, target, name, replace, progress or watching())


def _checked_target(out: str | Path, replace: bool) -> Path:
    target = Path(out).expanduser().absolute()
    check_target(target, replace=replace)
    return target


def _loaded(codebook: Codebook | str | Path, encoding: str | None = None) -> Codebook:
    loaded = codebook if isinstance(codebook, Codebook) else load_codebook(Path(codebook))
    if encoding is None:
        return loaded
    return structs.replace(loaded, source=structs.replace(loaded.source, encoding=encoding))


def _import(
    sources: Sources,
    codebook: Codebook,
    target: Path,
    name: str,
    replace: bool,
    progress: Progress,
    provenance: Mapping[str, Any] | None = None,
    notes: Sequence[str] = (),
    guesses: Sequence[Guess] = (),
) -> Survey:
    if sources.person and codebook.design.person is None:
        design = structs.replace(codebook.design, person=sources.person)
        codebook = structs.replace(codebook, design=design)
    check_codebook(codebook)
    _check_columns(codebook, sources.files)
    with _locked(target) as lock:
        sources.read(codebook.columns, progress)
        settle_labels(sources, codebook=codebook)
        tables = sources.read(codebook.columns)
        # A draft has read every column; those that make no question are not needed any more.
        sources.release(codebook.columns)
        # A draft has told them already; a codebook does not know which rows a reader left out.
        told_before = {(each.about, each.subject, each.said) for each in guesses}
        of_files = [
            each
            for file in sources.files
            for each in file.guesses
            if (each.about, each.subject, each.said) not in told_before
        ]
        report = ImportReport(
            sources=[_source_read(table) for table in tables],
            notes=[*sources.notes, *notes],
            guesses=[*guesses, *of_files],
            read=as_read(
                [column for question in codebook.questions for column in question.columns],
                [file.variables for file in sources.files],
            ),
        )
        # Everything that may be refused comes before the builder, which makes the folder.
        waves = divide_into_waves(codebook, tables, report)
        report.drift = drift_of_files(sources, tables, codebook, waves)
        report.guesses += guesses_of(report.drift)
        if codebook.pinned is None or not codebook.pinned.survey:
            codebook = with_breaks(codebook, report.drift)
        questionnaire = CodedSurvey(codebook, tables)
        asked = asked_questions(questionnaire, waves, report)
        said, study = AskedReport(questionnaire), codebook.study
        told = facts_of_study(study)
        designs = [sample_design(codebook, wave) for wave in waves]
        catalogue = questionnaire.catalogue(asked)
        codes = {each.canonical for each in catalogue.questions}
        keys = ImportedKeys(codebook, tables, waves)
        report.notes += keys.notes
        with SurveyBuilder(
            target,
            catalogue,
            name=name or study.name,
            description=study.description,
            provenance={
                "sources": [{"file": s.file, "sha256": s.sha256} for s in report.sources],
                "weight": codebook.weight.column if codebook.weight else UNWEIGHTED,
                **({STUDY: told} if told else {}),
                **(provenance or {}),
            },
            codebook=kept_json(questionnaire.codebook),
            texts=(*described_texts(codebook, tables, codes), *keys.described),
            record=SurveyRecord(base_of=study.base_of, waves="all", sizes=study.sizes),
            replace=replace,
            lock=lock,
        ) as builder:
            for wave, design in zip(waves, designs, strict=True):
                code, size = wave.wave.code, float(wave.weights.sum())
                write_wave(builder, questionnaire, wave, asked[code], design, keys, progress, said)
                report.waves.append(WaveRead(code, len(wave), size, len(asked[code])))
            said.to(report, builder.catalogue)
            facts = facts_of(codebook, len(waves))
            return builder.finish(report.concluded(facts).to_json())


@contextmanager
def _locked(target: Path) -> Generator[WriterLock]:
    """The lock on a survey that is to be written; folders made for it are removed if it is not."""
    # Deepest first, as they are removed.
    made = [each for each in (target.parent, *target.parent.parents) if not each.exists()]
    with ExitStack() as stack:
        stack.callback(_remove_empty, made)
        with writes(target):
            target.parent.mkdir(parents=True, exist_ok=True)
        lock = WriterLock(target)
        stack.callback(lock.release)
        yield lock


def _remove_empty(folders: Sequence[Path]) -> None:
    with suppress(OSError):
        for folder in folders:
            folder.rmdir()


def _source_read(table: ReadColumns) -> SourceRead:
    header = table.source.header
    unused = [column for column in header if column not in table.columns]
    return SourceRead(table.name, table.source.checksum(), table.rows, len(header), unused)


def _check_columns(codebook: Codebook, files: Sequence[SurveyFile]) -> None:
    """A column that is in none of the files is a mistake in the codebook."""
    found = {column for file in files for column in file.header}
    named = [("[design]", column) for column in codebook.design.columns]
    named += [("[[texts]]", each.column) for each in codebook.texts]
    for question in codebook.questions:
        own = (*question.columns, *(each.column for each in question.asked_of))
        named += [(f"question {question.code}", column) for column in own]
    for part, column in named:
        if column not in found:
            raise SurveyError(
                f"The codebook's {part} reads column {column}, which is in none of the files "
                f"({listed([file.name for file in files])})."
                + (_delimiter_advice(files) or suggestion(column, found))
            )


def _delimiter_advice(files: Sequence[SurveyFile]) -> str:
    """What to do where a whole header is one column, as with another delimiter."""
    for file in files:
        for delimiter in (";", "\t", "|", ","):
            if len(file.header) == 1 and delimiter in file.header[0]:
                written = "\\t" if delimiter == "\t" else delimiter
                return (
                    f" {file.name} seems to have another delimiter: write "
                    f'[source] delimiter = "{written}".'
                )
    return ""
