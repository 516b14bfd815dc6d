"""Exporting a survey as Parquet, SPSS or triple-S, for other programs and an import.

One row a respondent, one column a question (single), an item (multiple, grid) or a cell (a grid
whose items have several suffixes). Cells are numbers with labels in the columns' metadata: empty is
not asked, 0 is asked and not chosen. Importing the two files makes the same tables; for triple-S,
see `triple_s_files`.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast
from urllib.parse import unquote

import msgspec
import numpy as np
import numpy.typing as npt

from audiencelab._version import __version__
from audiencelab.files import all_or_none, reserve
from audiencelab.flags import flag
from audiencelab.schema import Value
from audiencelab.schema.breaks import BREAK_FLAG, breaks_of
from audiencelab.schema.scales import RECORD_FLAGS, UNKNOWN_TOP
from audiencelab.survey.catalogue import SurveyQuestion
from audiencelab.survey.errors import SurveyError, SurveyExistsError, listed
from audiencelab.survey.export_columns import (
    SELECTED,
    WAVE,
    WEIGHT,
    AnswerColumn,
    columns_of,
    design_columns,
    measure_names,
    weight_columns,
)
from audiencelab.survey.layout import Replication, writes
from audiencelab.survey.reader import Survey, WaveData
from audiencelab.survey.spss_files import (
    SpssResponseSet,
    SpssVariable,
    syntax,
    variable_name,
    write_sav,
)
from audiencelab.survey.study import study_of
from audiencelab.survey.toml_writer import toml_text
from audiencelab.survey.triple_s_files import variables_of, write_data, write_definitions

if TYPE_CHECKING:
    import pyarrow as pa


@dataclass(frozen=True, slots=True)
class Exported:
    """The files of an export."""

    respondents: Path
    codebook: Path
    rows: int
    columns: int


def export_survey(survey: Survey, out: str | Path, *, replace: bool = False) -> Exported:
    """Write a survey's respondents as Parquet, SPSS or triple-S, for other programs.

    Derived questions are exported like those that were asked; saved audiences, insights and
    definitions are not. Needs pyarrow and tomlkit (the extra `survey`).

    survey: the survey.
    out: a file whose name ends in .parquet or .sav (the codebook that imports it again is
        beside it, ending in .toml, and beside a .sav the syntax of its multiple-response sets,
        ending in .sps); in .sss for triple-S, with the data in a .csv beside it and no
        codebook; or a folder for `respondents.parquet` and `codebook.toml`.
    replace: whether existing files may be replaced.

    Raises `SurveyExistsError`: files exist already; `SurveyError`: the name has another ending, a
    library is missing, replicate weights of waves differ in method, number or scales (not for
    triple-S, which has none), or the files cannot be written.

    >>> export_survey(Survey.open("my-survey"), "answers.parquet")
    """
    flag("replace", replace)
    target = Path(out).expanduser()
    for_spss = target.suffix.lower() == ".sav"
    for_triple_s = target.suffix.lower() == ".sss"
    if for_triple_s:
        # The definitions are what a codebook is elsewhere.
        respondents, codebook = target.with_suffix(".csv"), target
    elif for_spss or target.suffix.lower() == ".parquet":
        respondents, codebook = target, target.with_suffix(".toml")
    elif target.suffix and not target.is_dir():
        raise SurveyError(
            f"{target} must end in .parquet, .sav or .sss, or be a folder: a new folder has no "
            "ending."
        )
    else:
        respondents, codebook = target / "respondents.parquet", target / "codebook.toml"
    files = [respondents, codebook, *([target.with_suffix(".sps")] if for_spss else [])]
    if not replace and (existing := [str(path) for path in files if path.exists()]):
        raise SurveyExistsError(
            f"{listed(existing)} exists already. Choose another name, or replace it with "
            "replace=True."
        )
    # Before anything is written, since a design may be refused.
    design = None if for_triple_s else _coded_design(survey)
    rename = variable_name if for_spss else None
    weights, columns = weight_columns(survey, rename), columns_of(survey, rename)
    # All files or none: a codebook beside other data would import something else.
    with writes(respondents), all_or_none(*map(_beside, files)):
        respondents.parent.mkdir(parents=True, exist_ok=True)
        for path in files:
            _beside(path).unlink(missing_ok=True)
            reserve(_beside(path), like=path)
        if for_spss:
            rows = _write_sav(survey, weights, columns, _beside(respondents))
            sets = syntax(respondents.name, WEIGHT, _response_sets(columns))
            _beside(files[2]).write_text(sets, "utf-8")
        elif for_triple_s:
            variables = variables_of(survey, columns)
            rows = len(variables[0].cells)
            write_data(_beside(respondents), variables)
            write_definitions(_beside(codebook), respondents.name, survey.name, variables)
        else:
            rows = _write_parquet(survey, weights, columns, _beside(respondents))
        if design is not None:
            coded = _coded_codebook(survey, weights, columns, design)
            _write_codebook(coded, _beside(codebook))
        for path in files:
            _beside(path).replace(path)
    known = len(design_columns(survey)) + len(weights) + len(measure_names(survey))
    return Exported(respondents, codebook, rows, len(columns) + 2 + known)


def _beside(path: Path) -> Path:
    """The temporary file that is written first."""
    # In the same folder, as a rename cannot move a file to another file system.
    return path.with_name(f".{path.name}.{os.getpid()}")


# ---- the respondents ----


def _write_parquet(
    survey: Survey, weights: dict[str, str], columns: list[AnswerColumn], path: Path
) -> int:
    """Write a row group for each wave; returns the number of rows."""
    try:
        import pyarrow as pa
        import pyarrow.parquet as pq
    except ModuleNotFoundError:
        raise SurveyError('An export needs pyarrow: pip install "audiencelab[survey]".') from None
    schema = _schema(pa, survey, weights, columns)
    # A wave at a time is in memory.
    with pq.ParquetWriter(path, schema, compression="zstd") as writer:
        for wave in survey.waves:
            data = survey.wave(wave.code)
            n = data.respondents
            arrays: list[Any] = [pa.array([wave.code] * n), pa.array(data.weights)]
            design = data.design.columns()
            known: dict[str, Any] = {
                column: pa.array(design[name], pa.int64())
                if name in design
                else pa.nulls(n, pa.int64())
                for name, column in design_columns(survey).items()
            }
            for name, values in _numbers(survey, weights, data).items():
                known[name] = pa.array(values, mask=np.isnan(values))
            arrays += [known[name] for name in schema.names[2 : 2 + len(known)]]
            for column, kind in zip(columns, schema.types[len(arrays) :], strict=True):
                values = column.values(data)
                arrays.append(pa.array(values, kind, mask=values < 0))
            writer.write_table(pa.Table.from_arrays(arrays, schema=schema))
    return sum(wave.respondents for wave in survey.waves)


def _write_sav(
    survey: Survey, weights: dict[str, str], columns: list[AnswerColumn], path: Path
) -> int:
    """Write all waves as one SPSS file; returns the number of rows."""
    import pandas as pd

    waves = [(wave, survey.wave(wave.code)) for wave in survey.waves]
    cells: dict[str, Any] = {
        WAVE: np.concatenate(
            [np.full(data.respondents, wave.code, object) for wave, data in waves]
        ),
        WEIGHT: np.concatenate([data.weights for _, data in waves]),
    }
    for name, column in design_columns(survey).items():
        parts = (data.design.columns().get(name) for _, data in waves)
        cells[column] = np.concatenate(
            [
                np.full(data.respondents, np.nan) if part is None else np.asarray(part, np.float64)
                for part, (_, data) in zip(parts, waves, strict=True)
            ]
        )
    numbers = [_numbers(survey, weights, data) for _, data in waves]
    for name in (*weights.values(), *measure_names(survey)):
        cells[name] = np.concatenate([each[name] for each in numbers])
    # A weight whose name is not allowed keeps it as its label.
    named = {column: name for name, column in weights.items()}
    variables = [
        SpssVariable(name, named.get(name, name.capitalize()), {}, none=False) for name in cells
    ]
    for column in columns:
        values = np.concatenate([column.values(data) for _, data in waves]).astype(np.float64)
        cells[column.name] = np.where(values < 0, np.nan, values)
        selected = column.labels is SELECTED
        none = {0: "Not selected" if selected else "No answer"}
        labels = {**none, **column.labels}
        variables.append(SpssVariable(column.name, column.label, labels, none=not selected))
    write_sav(path, pd.DataFrame(cells), variables, survey.name)
    return len(cells[WAVE])


def _response_sets(columns: list[AnswerColumn]) -> list[SpssResponseSet]:
    """A set for each question with several answers, and for each item of such a grid."""
    sets: dict[tuple[str, str], list[AnswerColumn]] = {}
    for column in columns:
        if column.labels is SELECTED:
            item = "" if column.suffix is None else str(column.datapoint)
            sets.setdefault((column.question.canonical, item), []).append(column)
    made: list[SpssResponseSet] = []
    for (_, item), members in sets.items():
        question = members[0].question
        taken = [each.name for each in made]
        name = variable_name(f"{question.code}_{item}" if item else question.code, taken)
        # The label of a column ends with its suffix; that of the set is what comes before it.
        label = members[0].label.rpartition(": ")[0] if item else question.name
        made.append(SpssResponseSet(name, label, [each.name for each in members]))
    return made


def _schema(
    arrow: Any, survey: Survey, weights: dict[str, str], columns: list[AnswerColumn]
) -> pa.Schema:
    fields = [
        arrow.field(WAVE, arrow.string(), metadata={"label": "Wave"}),
        arrow.field(WEIGHT, arrow.float64(), metadata={"label": "Weight"}),
    ]
    fields += [arrow.field(column, arrow.float64()) for column in weights.values()]
    fields += [
        arrow.field(column, arrow.int64(), metadata={"label": column.capitalize()})
        for column in design_columns(survey).values()
    ]
    fields += [arrow.field(name, arrow.float64()) for name in measure_names(survey)]
    for column in columns:
        # Codes count from 1 to the number of labels.
        kind = arrow.int16() if len(column.labels) < 2**15 else arrow.int32()
        labels = {"0": "None", **{str(number): name for number, name in column.labels.items()}}
        metadata = {
            "label": column.label,
            "value_labels": json.dumps(labels, ensure_ascii=False),
        }
        fields.append(arrow.field(column.name, kind, metadata=metadata))
    return arrow.schema(fields, {"audiencelab": __version__, "survey": survey.name})


def _numbers(
    survey: Survey, weights: dict[str, str], wave: WaveData
) -> dict[str, npt.NDArray[np.float64]]:
    """The other weights, the fpc and the replicate weights by column, float64[n]; NaN for none."""
    replicates = wave.design.replicates
    found = {column: wave.other_weights.get(name) for name, column in weights.items()}
    measures = {"fpc": wave.design.fpc}
    for number, values in enumerate([] if replicates is None else replicates.weights, start=1):
        measures[f"replicate_{number}"] = values
    found |= {name: measures.get(name) for name in measure_names(survey)}
    none = np.full(wave.respondents, np.nan)
    return {name: none if values is None else values for name, values in found.items()}


def _coded_design(survey: Survey) -> dict[str, Any]:
    """The design in the codebook."""
    named = {"persons": "person"}
    coded: dict[str, Any] = {
        named.get(name, name): column for name, column in design_columns(survey).items()
    }
    names = measure_names(survey)
    coded |= {"fpc": "fpc"} if "fpc" in names else {}
    if any(survey.wave(wave.code).design.recur for wave in survey.waves):
        coded["clusters_recur"] = True
    if replication := _replication(survey):
        coded |= {
            "replicates": [name for name in names if name != "fpc"],
            "replicate_method": replication.method,
            "replicate_scale": 1.0,
            "replicate_scales": list(replication.scales),
        }
    return coded


def _replication(survey: Survey) -> Replication | None:
    """How the replicate weights of all waves that have some were made.

    Raises `SurveyError` where waves differ, since a codebook declares one method.
    """
    known = [(each.wave.code, each.replication) for each in survey.manifest.waves]
    stored = [(code, found) for code, found in known if found is not None]
    for code, found in stored:
        if found != stored[0][1]:
            raise SurveyError(
                f"{survey.name} is not valid for this format: waves {stored[0][0]} and {code} have "
                "replicate weights of different methods, numbers or scales, which one codebook "
                "cannot declare. Import these waves as surveys of their own and export each, or "
                "export to .sss, which has no replicate weights."
            )
    return stored[0][1] if stored else None


# ---- the codebook ----


def _coded_codebook(
    survey: Survey, weights: dict[str, str], columns: list[AnswerColumn], design: dict[str, Any]
) -> dict[str, Any]:
    by_question: dict[str, list[AnswerColumn]] = {}
    for column in columns:
        by_question.setdefault(column.question.canonical, []).append(column)
    catalogue = survey.catalogue
    return {
        "study": {
            "name": survey.name,
            "description": survey.manifest.description,
            "namespace": catalogue.base_namespace,
            "location": catalogue.location_question,
            "base_of": survey.record.base_of,
            "sizes": survey.record.sizes,
            **study_of(survey.manifest),
        },
        # An empty cell is not "not selected", even where all who were asked an item chose it.
        "source": {"not_asked": [""], "not_selected": [0]},
        "weight": {"column": WEIGHT, "others": [*weights.values()]},
        "design": design,
        "wave": {"column": WAVE},
        "waves": [_coded(wave, _WAVE_FIELDS) for wave in survey.waves],
        "namespaces": msgspec.to_builtins(catalogue.namespaces),
        "datasets": msgspec.to_builtins(catalogue.datasets),
        "categories": msgspec.to_builtins(catalogue.categories),
        "questions": [
            _coded_question(survey, question, by_question[question.canonical])
            for question in catalogue.questions
            if question.waves
        ],
    }


def _write_codebook(codebook: dict[str, Any], path: Path) -> None:
    try:
        text = toml_text(_without_none(codebook))
    except ModuleNotFoundError:
        raise SurveyError('An export needs tomlkit: pip install "audiencelab[survey]".') from None
    path.write_text(text, "utf-8")


_WAVE_FIELDS = ("code", "name", "starts", "ends", "accessible")
_TEXT_FIELDS = ("description", "knowledge_base", "message", "notice", "warning", "unit")


def _coded(record: object, fields: Sequence[str]) -> dict[str, Any]:
    return {name: getattr(record, name) for name in fields}


def _coded_question(
    survey: Survey, question: SurveyQuestion, columns: list[AnswerColumn]
) -> dict[str, Any]:
    coded: dict[str, Any] = {"code": question.code, "name": question.name, "kind": question.kind}
    if question.kind == "single":
        coded["column"] = columns[0].name
    elif question.kind == "multiple" or any(column.suffix is not None for column in columns):
        coded["selected"] = [1]
    coded |= {name: text for name, text in _coded(question, _TEXT_FIELDS).items() if text}
    coded |= {
        "namespace": question.namespace_code,
        "categories": list(question.categories),
        "datasets": list(question.datasets),
        "accessible": question.accessible,
        "datapoints": list(_coded_points(survey, question, columns)),
        **_coded_record(question),
    }
    if question.suffixes:
        coded["suffixes"] = [
            {
                "code": suffix.code,
                "name": suffix.name,
                "value": number,
                "midpoint": _number(suffix.midpoint),
            }
            for number, suffix in enumerate(question.suffixes, start=1)
        ]
    return coded


def _coded_record(question: SurveyQuestion) -> dict[str, Any]:
    """What the flags of a question say of its scale, as a codebook writes it; the other flags."""
    coded: dict[str, Any] = {"flags": []}
    of_scale = question.suffixes or question.datapoints
    values = {each.code: number for number, each in enumerate(of_scale, start=1)}
    for each in question.flags:
        name, sign, what = each.partition(":")
        if f"{name}{sign}" not in RECORD_FLAGS:
            coded["flags"].append(each)
        elif f"{name}{sign}" == BREAK_FLAG:
            found = [broken._asdict() for broken in breaks_of([each])]
            coded.setdefault("breaks", []).extend(found)
        elif name == "off_scale":
            coded.setdefault(name, []).extend([values[what]] if what in values else [])
        elif (name, what) != ("top", UNKNOWN_TOP):
            coded[name] = unquote(what)
    return coded


def _coded_points(
    survey: Survey, question: SurveyQuestion, columns: list[AnswerColumn]
) -> Iterator[dict[str, Any]]:
    for number, point in enumerate(question.datapoints, start=1):
        coded: dict[str, Any] = {
            "code": point.code,
            "name": point.name,
            "midpoint": _number(point.midpoint),
            "accessible": point.accessible,
        }
        offers = survey.record.offers
        waves = [each for each in question.waves if offers(each, question.canonical, point.code)]
        # Only where waves differ: a codebook that names none means all.
        if 0 < len(waves) < len(question.waves):
            coded["waves"] = waves
        own = [column for column in columns if column.datapoint == point.code]
        if question.kind == "single":
            coded["value"] = number
        elif own[0].suffix is None:
            coded["column"] = own[0].name
        else:
            coded["columns"] = {column.suffix: column.name for column in own}
        yield coded


def _number(value: Value | None) -> float | None:
    return None if value is None else value.value


def _without_none(value: Any) -> Any:
    """Without the fields without a value, which TOML cannot express."""
    if isinstance(value, dict):
        fields = cast("dict[str, Any]", value)
        return {key: _without_none(each) for key, each in fields.items() if each is not None}
    if isinstance(value, list | tuple):
        return [_without_none(each) for each in cast("Sequence[Any]", value)]
    return value
