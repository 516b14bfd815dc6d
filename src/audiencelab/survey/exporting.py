"""A survey as a Parquet file and a codebook, for other programs and for another import.

One row a respondent, one column a question (single), an item (multiple, grid) or a cell (a grid
whose items got several suffixes). Cells are numbers with their labels in the columns' metadata:
empty is not asked, 0 is asked and not chosen. Importing the two files makes the same tables.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from dataclasses import replace as changed
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import msgspec
import numpy as np
import numpy.typing as npt

from audiencelab._version import __version__
from audiencelab.files import all_or_none, reserve
from audiencelab.flags import flag
from audiencelab.schema import Value
from audiencelab.survey.bits import Bits, unpack
from audiencelab.survey.catalogue import SurveyQuestion
from audiencelab.survey.errors import SurveyError, SurveyExistsError, listed
from audiencelab.survey.reader import Survey, WaveData
from audiencelab.survey.writing import writes

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["Exported", "export_survey"]

_WAVE = "wave"
_WEIGHT = "weight"
_DESIGN = {"strata": "stratum", "clusters": "cluster"}
"""The columns of a sample's design, in the codebook and in the file."""


@dataclass(frozen=True, slots=True)
class Exported:
    """The files of an export."""

    respondents: Path
    codebook: Path
    rows: int
    columns: int


def export_survey(survey: Survey, out: str | Path, *, replace: bool = False) -> Exported:
    """Write a survey's respondents as Parquet, and the codebook that imports them again.

    out: a file whose name ends in .parquet (the codebook stands beside it, ending in .toml), or a
    folder for `respondents.parquet` and `codebook.toml`. replace: files of those names may go.

    Derived questions are exported like those that were asked; saved audiences, insights and
    recipes are not. Needs pyarrow and tomli-w (the extra `survey`).
    Raises `SurveyExistsError` for files that are there, `SurveyError` if a library is missing or
    the files cannot be written.
    """
    respondents, codebook = _targets(Path(out).expanduser(), replace=replace)
    columns = _lay_out(survey)
    with writes(respondents), all_or_none(_beside(respondents), _beside(codebook)):
        respondents.parent.mkdir(parents=True, exist_ok=True)
        for path in (respondents, codebook):
            _beside(path).unlink(missing_ok=True)
            reserve(_beside(path), like=path)
        rows = _write_parquet(survey, columns, _beside(respondents))
        _write_codebook(survey, columns, _beside(codebook))
        _beside(respondents).replace(respondents)
        _beside(codebook).replace(codebook)
    return Exported(respondents, codebook, rows, len(columns) + 2 + len(_design_columns(survey)))


def _targets(out: Path, *, replace: bool) -> tuple[Path, Path]:
    if out.suffix.lower() == ".parquet":
        found = (out, out.with_suffix(".toml"))
    else:
        found = (out / "respondents.parquet", out / "codebook.toml")
    if there := [str(path) for path in found if path.exists() and not flag("replace", replace)]:
        raise SurveyExistsError(
            f"{listed(there)} exists already. Choose another name, or replace it with --replace "
            "(replace=True in Python)."
        )
    return found


def _beside(path: Path) -> Path:
    """Where a file is written before it takes its name."""
    return path.with_name(f".{path.name}.{os.getpid()}")


# ---- which columns there are ----


@dataclass(frozen=True, slots=True)
class _Column:
    """A column: the rows of a question's matrix that it tells, with a number for each.

    datapoint, suffix: what it belongs to; None where it tells them apart.
    """

    name: str
    label: str
    question: SurveyQuestion
    rows: tuple[int, ...]
    numbers: Mapping[int, str]
    datapoint: str | None = None
    suffix: str | None = None

    def values(self, wave: WaveData) -> npt.NDArray[np.int32]:
        """The wave's cells, int32[n], -1 for the empty ones."""
        found, n = wave.question(self.question.canonical), wave.respondents
        if found is None:
            return np.full(n, -1, np.int32)
        values = np.zeros(n, np.int32)
        for number, row in zip(self.numbers, self.rows, strict=True):
            values[unpack(found.matrix[row], n)] = number
        values[~unpack(found.asked, n)] = -1
        return values


def _lay_out(survey: Survey) -> list[_Column]:
    taken = {_WAVE, _WEIGHT, *_design_columns(survey).values()}
    columns: list[_Column] = []
    for question in survey.catalogue.questions:
        for column in _columns_of(survey, question):
            name = _free(column.name, question, taken)
            taken.add(name)
            columns.append(changed(column, name=name))
    return columns


def _design_columns(survey: Survey) -> dict[str, str]:
    """The columns of the design that some wave knows."""
    known = {name for wave in survey.waves for name in survey.wave(wave.code).design.columns()}
    return {name: column for name, column in _DESIGN.items() if name in known}


def _columns_of(survey: Survey, question: SurveyQuestion) -> Iterator[_Column]:
    width = max(1, len(question.suffixes))
    if question.kind == "single":
        numbers = {place: each.name for place, each in enumerate(question.datapoints, start=1)}
        rows = tuple(range(question.rows))
        yield _Column(question.code, question.name, question, rows, numbers)
        return
    for place, point in enumerate(question.datapoints):
        name, label = _item_name(question, point.code), f"{question.name}: {point.name}"
        rows = tuple(range(place * width, (place + 1) * width))
        if question.kind == "multiple":
            yield _Column(name, label, question, rows, {1: "Selected"}, point.code)
        elif not _several(survey, question, rows):
            numbers = {place: each.name for place, each in enumerate(question.suffixes, start=1)}
            yield _Column(name, label, question, rows, numbers, point.code)
        else:
            for suffix, row in zip(question.suffixes, rows, strict=True):
                yield _Column(
                    f"{name}_{suffix.code}",
                    f"{label}: {suffix.name}",
                    question,
                    (row,),
                    {1: "Selected"},
                    point.code,
                    suffix.code,
                )


def _item_name(question: SurveyQuestion, datapoint: str) -> str:
    return datapoint if datapoint.startswith(question.code) else f"{question.code}_{datapoint}"


def _free(name: str, question: SurveyQuestion, taken: set[str]) -> str:
    """A name that no column has: with the namespace if need be, then with a number."""
    if name in taken:
        name = f"{question.namespace_code}.{name}"
    number, free = 2, name
    while free in taken:
        number, free = number + 1, f"{name}_{number}"
    return free


def _several(survey: Survey, question: SurveyQuestion, rows: tuple[int, ...]) -> bool:
    """Whether anybody has more than one suffix of an item."""
    for code in question.waves:
        found = survey.wave(code).question(question.canonical)
        if found is not None and _overlap(found.matrix[rows[0] : rows[-1] + 1]):
            return True
    return False


def _overlap(rows: Bits) -> bool:
    seen = np.zeros_like(rows[0])
    for row in rows:
        if (seen & row).any():
            return True
        seen |= row
    return False


# ---- the respondents ----


def _write_parquet(survey: Survey, columns: list[_Column], path: Path) -> int:
    """Write a row group a wave; returns how many rows there are."""
    try:
        import pyarrow as pa
        import pyarrow.parquet as pq
    except ModuleNotFoundError:
        raise SurveyError('An export needs pyarrow: pip install "audiencelab[survey]".') from None
    schema = _schema(pa, survey, columns)
    with pq.ParquetWriter(path, schema, compression="zstd") as writer:
        for wave in survey.waves:
            data = survey.wave(wave.code)
            n = data.respondents
            arrays: list[Any] = [pa.array([wave.code] * n), pa.array(data.weights)]
            design = data.design.columns()
            arrays += [
                pa.array(design[name]) if name in design else pa.nulls(n, pa.int32())
                for name in _design_columns(survey)
            ]
            for column, kind in zip(columns, schema.types[len(arrays) :], strict=True):
                values = column.values(data)
                arrays.append(pa.array(values, kind, mask=values < 0))
            writer.write_table(pa.Table.from_arrays(arrays, schema=schema))
    return sum(wave.respondents for wave in survey.waves)


def _schema(arrow: Any, survey: Survey, columns: list[_Column]) -> pa.Schema:
    fields = [
        arrow.field(_WAVE, arrow.string(), metadata={"label": "Wave"}),
        arrow.field(_WEIGHT, arrow.float64(), metadata={"label": "Weight"}),
    ]
    fields += [
        arrow.field(column, arrow.int32(), metadata={"label": column.capitalize()})
        for column in _design_columns(survey).values()
    ]
    for column in columns:
        kind = arrow.int16() if len(column.numbers) < 2**15 else arrow.int32()
        labels = {"0": "None", **{str(number): name for number, name in column.numbers.items()}}
        metadata = {
            "label": column.label,
            "value_labels": json.dumps(labels, ensure_ascii=False),
        }
        fields.append(arrow.field(column.name, kind, metadata=metadata))
    return arrow.schema(fields, {"audiencelab": __version__, "survey": survey.name})


# ---- the codebook ----


def _write_codebook(survey: Survey, columns: list[_Column], path: Path) -> None:
    try:
        import tomli_w
    except ModuleNotFoundError:
        raise SurveyError('An export needs tomli-w: pip install "audiencelab[survey]".') from None
    by_question: dict[str, list[_Column]] = {}
    for column in columns:
        by_question.setdefault(column.question.canonical, []).append(column)
    catalogue = survey.catalogue
    codebook = {
        "study": {
            "name": survey.name,
            "description": survey.manifest.description,
            "namespace": catalogue.base_namespace,
            "location": catalogue.location_question,
        },
        "source": {"not_selected": [0]},
        "weight": {"column": _WEIGHT},
        "design": _design_columns(survey),
        "wave": {"column": _WAVE},
        "waves": [
            {
                "code": wave.code,
                "name": wave.name,
                "starts": wave.starts,
                "ends": wave.ends,
                "accessible": wave.accessible,
            }
            for wave in survey.waves
        ],
        "namespaces": msgspec.to_builtins(catalogue.namespaces),
        "datasets": msgspec.to_builtins(catalogue.datasets),
        "categories": msgspec.to_builtins(catalogue.categories),
        "questions": [
            _coded_question(question, by_question[question.canonical])
            for question in catalogue.questions
            if question.waves
        ],
    }
    path.write_text(tomli_w.dumps(_without_none(codebook)), "utf-8")


def _coded_question(question: SurveyQuestion, columns: list[_Column]) -> dict[str, Any]:
    coded: dict[str, Any] = {"code": question.code, "name": question.name, "kind": question.kind}
    if question.kind == "single":
        coded["column"] = columns[0].name
    elif question.kind == "multiple" or any(column.suffix is not None for column in columns):
        coded["selected"] = [1]
    texts = ("description", "knowledge_base", "message", "notice", "warning", "unit")
    coded |= {name: text for name in texts if (text := getattr(question, name))}
    coded |= {
        "namespace": question.namespace_code,
        "categories": list(question.categories),
        "datasets": list(question.datasets),
        "accessible": question.accessible,
        "flags": list(question.flags),
        "datapoints": list(_coded_points(question, columns)),
    }
    if question.suffixes:
        coded["suffixes"] = [
            {
                "code": suffix.code,
                "name": suffix.name,
                "value": place,
                "midpoint": _number(suffix.midpoint),
            }
            for place, suffix in enumerate(question.suffixes, start=1)
        ]
    return coded


def _coded_points(question: SurveyQuestion, columns: list[_Column]) -> Iterator[dict[str, Any]]:
    for place, point in enumerate(question.datapoints, start=1):
        coded: dict[str, Any] = {
            "code": point.code,
            "name": point.name,
            "midpoint": _number(point.midpoint),
            "accessible": point.accessible,
        }
        own = [column for column in columns if column.datapoint == point.code]
        if question.kind == "single":
            coded["value"] = place
        elif own[0].suffix is None:
            coded["column"] = own[0].name
        else:
            coded["columns"] = {column.suffix: column.name for column in own}
        yield coded


def _number(value: Value | None) -> float | None:
    return None if value is None else value.value


def _without_none(value: Any) -> Any:
    """What TOML can say: without the fields that have no value."""
    if isinstance(value, dict):
        fields = cast("dict[str, Any]", value)
        return {key: _without_none(each) for key, each in fields.items() if each is not None}
    if isinstance(value, list | tuple):
        return [_without_none(each) for each in cast("Sequence[Any]", value)]
    return value
