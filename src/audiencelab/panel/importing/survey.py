"""The import itself: files or a frame and a codebook in, panel and report out.

Sources are read first, then looked over question by question, and only then written, so that
whatever is wrong with them is said before a folder is touched.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace as changed
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from audiencelab.panel.answers import Answers
from audiencelab.panel.builder import PanelBuilder
from audiencelab.panel.catalogue import Catalogue, PanelNamespace, PanelQuestion
from audiencelab.panel.errors import PanelError, listed
from audiencelab.panel.importing.codebook import (
    Codebook,
    CodedDatapoint,
    CodedQuestion,
    datapoint_codes,
    load_codebook,
    suffix_codes,
)
from audiencelab.panel.importing.files import read_columns, read_table
from audiencelab.panel.importing.files.frames import frame_source
from audiencelab.panel.importing.meanings import (
    QuestionRules,
    rules_for,
)
from audiencelab.panel.importing.report import (
    ImportReport,
    SourceRead,
    WaveRead,
)
from audiencelab.panel.importing.sampling import design_of
from audiencelab.panel.importing.tables import Progress, Table
from audiencelab.panel.importing.values import found_points, unknown_values
from audiencelab.panel.importing.waves import Segment, WaveRows, columns_of, divide_into_waves
from audiencelab.panel.layout import check_target
from audiencelab.panel.reader import Panel
from audiencelab.wire import Datapoint, Suffix, Value

__all__ = ["from_frame", "import_survey"]

_EVERYWHERE = "location"
"""Code of the location question of a survey that has none of its own."""


def import_survey(
    sources: Sequence[str | Path],
    codebook: Codebook | str | Path,
    out: str | Path,
    *,
    name: str = "",
    replace: bool = False,
    progress: Progress | None = None,
) -> Panel:
    """Import survey files into a new panel at `out`.

    sources: survey files of any format that is read, the waves or parts of one study.
    codebook: read from a .toml or .json file, or already parsed.
    name: of the panel; the codebook's study name where it is left out.
    replace: an existing panel at `out` is replaced once the new one is complete.

    What was read and dropped stands in `panel.import_report`. Raises `SourceError` for a file
    that cannot be imported, naming the row, column and value where they are known;
    `PanelExistsError` if `out` exists, or holds more than the panel to replace; `PanelError` for a
    codebook that does not fit.
    """
    target = Path(out).expanduser()
    check_target(target, replace=replace)
    coded = codebook if isinstance(codebook, Codebook) else load_codebook(Path(codebook))
    tables = _read_all(sources, coded, progress)
    return _build(tables, coded, target, name=name, replace=replace)


def from_frame(
    frame: Any,
    codebook: Codebook | str | Path,
    out: str | Path,
    *,
    name: str = "",
    replace: bool = False,
    progress: Progress | None = None,
) -> Panel:
    """Import a frame of pandas, polars or pyarrow into a new panel at `out`.

    frame: one row a respondent, named columns; anything with `__arrow_c_stream__` will do.
    The rest is as for `import_survey`; rows count from 1 in messages, and the index of a pandas
    frame is no column.
    """
    target = Path(out).expanduser()
    check_target(target, replace=replace)
    coded = codebook if isinstance(codebook, Codebook) else load_codebook(Path(codebook))
    table = read_columns(frame_source(frame), list(columns_of(coded)), progress)
    return _build([table], coded, target, name=name, replace=replace)


def _build(
    tables: Sequence[Table], coded: Codebook, target: Path, *, name: str, replace: bool
) -> Panel:
    _check_columns(coded, tables)
    report = ImportReport()
    report.sources.extend(_source_read(table) for table in tables)
    waves = divide_into_waves(coded, tables, report)
    survey = _Survey(coded, tables)
    kept = survey.look_over(waves, report)
    designs = {wave.wave.code: design_of(coded.design, wave, coded.source) for wave in waves}
    with PanelBuilder(
        target,
        survey.catalogue(kept),
        name=name or coded.study.name,
        description=coded.study.description,
        provenance={"sources": [{"file": s.file, "sha256": s.sha256} for s in report.sources]},
        replace=replace,
    ) as builder:
        for wave in waves:
            answers = _WaveAnswers(survey, wave, kept[wave.wave.code])
            builder.add_wave(wave.wave, wave.weights, answers, designs[wave.wave.code])
            report.waves.append(
                WaveRead(wave.wave.code, len(wave), float(wave.weights.sum()), len(answers))
            )
        return builder.finish(report.to_json())


def _read_all(
    sources: Sequence[str | Path], codebook: Codebook, progress: Progress | None
) -> list[Table]:
    paths = [Path(source).expanduser() for source in sources]
    if not paths:
        raise PanelError("An import needs at least one source file.")
    if len({path.resolve() for path in paths}) < len(paths):
        raise PanelError("A source file is given twice.")
    wanted = list(dict.fromkeys(columns_of(codebook)))
    return [read_table(path, wanted, codebook.source, progress) for path in paths]


def _source_read(table: Table) -> SourceRead:
    unused = [column for column in table.header if column not in table.columns]
    return SourceRead(table.name, table.sha256, table.rows, len(table.header), unused)


def _check_columns(codebook: Codebook, tables: Sequence[Table]) -> None:
    """A column that is in none of the files is a slip in the codebook."""
    found = {column for table in tables for column in table.columns}
    named = [("[design]", column) for column in codebook.design.columns]
    named += [
        (f"question {question.code}", column)
        for question in codebook.questions
        for column in question.columns
    ]
    for part, column in named:
        if column not in found:
            raise PanelError(
                f"The codebook's {part} reads column {column}, which is in none of the files "
                f"({listed([table.name for table in tables])})." + _delimiter_advice(tables)
            )


def _delimiter_advice(tables: Sequence[Table]) -> str:
    """What to do where a whole header is one column, as with another delimiter."""
    for table in tables:
        # As TOML writes it: a tab between the quotation marks would not be seen.
        for delimiter, written in ((";", ";"), ("\t", "\\t"), ("|", "|"), (",", ",")):
            if len(table.header) == 1 and delimiter in table.header[0]:
                return (
                    f" {table.name} seems to have another delimiter: write "
                    f'[source] delimiter = "{written}".'
                )
    return ""


class _Survey:
    """The codebook's questions with their rules, and the catalogue that comes of them."""

    def __init__(self, codebook: Codebook, tables: Sequence[Table]) -> None:
        self._codebook = codebook
        base = codebook.study.namespace
        self.rules: dict[str, QuestionRules] = {}
        self._questions: dict[str, PanelQuestion] = {}
        for order, question in enumerate(codebook.questions, start=1):
            points = question.points or found_points(question, tables, codebook.source)
            if not points:
                raise PanelError(
                    f"Question {question.code} has no datapoints, and column {question.column} "
                    "holds no values to make them from."
                )
            made = _panel_question(question, points, codebook, order)
            if made.canonical in self.rules:
                raise PanelError(f"The codebook has the question {made.canonical} twice.")
            self.rules[made.canonical] = rules_for(question, points, codebook.source)
            self._questions[made.canonical] = made
        location = codebook.study.location
        self.location = f"{base}.{location or _EVERYWHERE}"
        if location is not None and "." in location:
            self.location = location
        self.everywhere = location is None
        if self.everywhere:
            self._add_everywhere(base)

    def _add_everywhere(self, namespace: str) -> None:
        if self.location in self._questions:
            raise PanelError(
                f"The codebook has a question {_EVERYWHERE!r} without saying that it is the "
                f'location: add location = "{_EVERYWHERE}" to [study].'
            )
        self._questions[self.location] = PanelQuestion(
            namespace_code=namespace,
            code=_EVERYWHERE,
            name="Location",
            kind="single",
            datapoints=(Datapoint(f"{_EVERYWHERE}_all", "All"),),
            description="This survey tells no locations apart.",
        )

    def look_over(
        self, waves: Sequence[WaveRows], report: ImportReport
    ) -> dict[str, tuple[str, ...]]:
        """The questions that each wave asked of somebody; unknown values go to the report."""
        kept = {
            wave.wave.code: tuple(code for code in self.rules if self._was_asked(code, wave))
            for wave in waves
        }
        for code, rules in self.rules.items():
            if not any(code in codes for codes in kept.values()):
                report.empty_questions.append(code)
            for wave in waves:
                for segment in wave.segments:
                    report.unknown_values.extend(unknown_values(code, rules, segment))
        if self.everywhere:
            kept = {wave: (self.location, *codes) for wave, codes in kept.items()}
        elif missing := [wave for wave, codes in kept.items() if self.location not in codes]:
            raise PanelError(
                f"The location question {self.location} has no answers in {', '.join(missing)}."
            )
        return kept

    def _was_asked(self, code: str, wave: WaveRows) -> bool:
        # An empty cell means the same in every file, so a segment at a time will do.
        return any(
            self._segment_answers(code, segment).asked_by(len(segment.rows)).any()
            for segment in wave.segments
        )

    def answers(self, code: str, wave: WaveRows) -> Answers:
        """The answers of a wave's respondents to one question."""
        if self.everywhere and code == self.location:
            return Answers(np.zeros(len(wave), np.int8))
        pieces = [self._segment_answers(code, segment) for segment in wave.segments]
        return Answers(
            np.concatenate([piece.values for piece in pieces]),
            np.concatenate([piece.asked_by(len(piece.values)) for piece in pieces]),
        )

    def _segment_answers(self, code: str, segment: Segment) -> Answers:
        rules = self.rules[code]
        columns = {
            name: changed(column, codes=column.codes[segment.rows])
            for name in rules.columns
            if (column := segment.table.columns.get(name)) is not None
        }
        return rules.answers(columns, len(segment.rows))

    def catalogue(self, kept: Mapping[str, tuple[str, ...]]) -> Catalogue:
        """The catalogue of the questions that were asked at all."""
        codebook = self._codebook
        asked = {code for codes in kept.values() for code in codes}
        namespaces = codebook.namespaces or tuple(
            PanelNamespace(code)
            for code in dict.fromkeys(each.namespace_code for each in self._questions.values())
        )
        return Catalogue(
            questions=tuple(each for code, each in self._questions.items() if code in asked),
            location_question=self.location,
            base_namespace=codebook.study.namespace,
            namespaces=namespaces,
            categories=codebook.categories,
            datasets=codebook.datasets,
        )


class _WaveAnswers(Mapping[str, Answers]):
    """The answers of a wave, made when the builder asks for them."""

    def __init__(self, survey: _Survey, wave: WaveRows, codes: Sequence[str]) -> None:
        self._make = partial(survey.answers, wave=wave)
        self._codes = dict.fromkeys(codes)

    def __getitem__(self, code: str) -> Answers:
        if code not in self._codes:
            raise KeyError(code)
        return self._make(code)

    def __iter__(self) -> Iterator[str]:
        return iter(self._codes)

    def __len__(self) -> int:
        return len(self._codes)


def _panel_question(
    question: CodedQuestion, points: Sequence[CodedDatapoint], codebook: Codebook, order: int
) -> PanelQuestion:
    datasets = question.datasets
    if datasets is None:
        datasets = tuple(dataset.code for dataset in codebook.datasets[:1])
    return PanelQuestion(
        namespace_code=question.namespace or codebook.study.namespace,
        code=question.code,
        name=question.name,
        kind=question.kind,
        datapoints=tuple(
            Datapoint(code, point.name, point.accessible, _value(point.midpoint), Value(place))
            for place, (code, point) in enumerate(
                zip(datapoint_codes(question, points), points, strict=True), start=1
            )
        ),
        suffixes=tuple(
            Suffix(code, suffix.name, _value(suffix.midpoint), Value(place))
            for place, (code, suffix) in enumerate(
                zip(suffix_codes(question.suffixes), question.suffixes, strict=True), start=1
            )
        ),
        accessible=question.accessible,
        categories=question.categories,
        datasets=datasets,
        description=question.description,
        knowledge_base=question.knowledge_base,
        message=question.message,
        notice=question.notice,
        warning=question.warning,
        unit=question.unit,
        flags=question.flags,
        order=order,
    )


def _value(number: float | None) -> Value | None:
    return None if number is None else Value(number)
