"""A summary table laid out as a `TableLayout`, and as a frame."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from audiencelab.markup import GAP
from audiencelab.render.cell_text import cell_texts
from audiencelab.render.crosstab_layout import column_cells
from audiencelab.render.table_layout import (
    HeaderCell,
    Metric,
    TableLayout,
    names_alone,
    provenance_fields,
)
from audiencelab.results.provenance import coverage_facts, definitions
from audiencelab.results.summary import SummaryData, SummaryRow
from audiencelab.results.who_counts import base_sentence

if TYPE_CHECKING:
    import pandas as pd

Floats = NDArray[np.float64]

_FIRST = ("column_percentage", "mean", "median", "sample")
"""By which metric rows are sorted: the first that a table has."""

_COUNTED = ("n", "percentage", "mean", "standard_deviation")
"""The columns of figures that every frame has."""

_FRAME_NAMES = {"sample": "n", "column_percentage": "percentage", "mean_error": "standard_error"}


def summary_layout(data: SummaryData) -> TableLayout:
    """The table to print: questions and their answers down; everyone, groups and p across."""
    banner, places, families = _banner(data)
    shown = {form.metric for row in data.rows if row.statistic for form in row.statistic.forms}
    ordered = [*(name for name in _FIRST if name in shown), *sorted(shown - {*_FIRST})]
    metrics = [_metric(data, name, places) for name in ordered]
    if families:
        metrics.append(Metric("p", _p_values(data, len(banner), families)))
    who, base = data.columns.who, data.columns.base_audience
    words = who.base.words if who.base is not None else None
    line = base_sentence(base, words, valid=who.valid)
    stub = tuple(_stub(data))
    own = {row.base_sample for row in stub if row.base_sample == row.base_sample}
    return TableLayout(
        title=data.title,
        stub=stub,
        banner=tuple(banner),
        metrics=tuple(metrics),
        total=data.overall,
        own_bases=own != {data.columns.base_sample},
        facts=(line, *coverage_facts(data.columns.provenance)),
        notes=data.notes,
        definitions=definitions(
            data.columns.labels,
            Base=(base,) if base is not None else (),
            Column=data.columns.columns if data.columns.columns_requested else (),
        ),
        forms=tuple(
            row.statistic.forms if row.figures and row.statistic else () for row in data.rows
        ),
        **provenance_fields(data, line, data.columns.provenance),
    )


def _banner(data: SummaryData) -> tuple[list[HeaderCell], list[int], dict[int, int]]:
    """The columns; the position of each in the figures, -1 of p; the tests of each column of p."""
    table = data.columns
    name = table.base_audience.name if table.base_audience is not None else "Overall"
    cells = [HeaderCell(name, (), table.base_size, table.base_sample)]
    places = [0]
    if not data.overall:
        cells, places = [], []
    families: dict[int, int] = {}
    if not table.columns_requested:
        return cells, places, families
    of_groups = column_cells(table)
    several = len(data.families) > 1
    for number, (family, columns) in enumerate(_families(data)):
        cells += [of_groups[at] for at in columns]
        places += [1 + at for at in columns]
        if data.families:
            families[len(cells)] = number
            cells.append(HeaderCell("p", (family,) if several else (), kind="p"))
            places.append(-1)
    return cells, places, families


def _families(data: SummaryData) -> list[tuple[str, Sequence[int]]]:
    if data.families:
        return [*data.families.items()]
    return [("", range(len(data.columns.columns)))]


def _stub(data: SummaryData) -> Iterator[HeaderCell]:
    for row in data.rows:
        about = (row.question, row.item)
        groups = tuple(filter(None, about))
        base = float(row.base[0]) if row.is_head and row.base is not None else float("nan")
        if row.is_head:
            groups = groups[:-1]
        yield HeaderCell(
            row.answer or row.item or row.question,
            groups,
            decimals=row.decimals if row.statistic and row.statistic.of_amounts else None,
            base_sample=base,
            codes=(row.code,) if row.is_head and not row.item else (),
            off_scale=row.is_missing,
            kind="missing" if row.is_missing else _kind(row),
            head=row.is_head and not (row.item and row.figures),
            shown=_shown(row) if row.is_head else "",
        )


def _kind(row: SummaryRow) -> str:
    """What `decimals=` calls its amounts."""
    if row.statistic is None or not row.statistic.of_amounts or not row.figures:
        return ""
    return "mean" if "mean" in row.statistic.metrics else "median"


def _shown(row: SummaryRow) -> str:
    """What follows the name of a question or item."""
    direction = f" ({row.direction})" if row.direction else ""
    return f"{direction}, {row.shown}" if row.shown else direction


def _metric(data: SummaryData, name: str, places: Sequence[int]) -> Metric:
    values = np.full((len(data.rows), len(places)), np.nan)
    under = np.full(values.shape, np.inf)
    columns = [at for at, place in enumerate(places) if place >= 0]
    taken = [place for place in places if place >= 0]
    for at, row in enumerate(data.rows):
        if name in row.figures:
            values[at, columns] = row.figures[name][taken]
            if row.base is not None:
                under[at, columns] = row.base[taken]
    return Metric(name, values, None if name == "sample" else under)


def _p_values(data: SummaryData, width: int, families: dict[int, int]) -> Floats:
    values = np.full((len(data.rows), width), np.nan)
    for column, number in families.items():
        for at, row in enumerate(data.rows):
            test = row.tests[number] if row.tests else None
            values[at, column] = np.nan if test is None else test.p
    return values


# -- frames ---------------------------------------------------------------------------------------


def summary_frame(data: SummaryData, layout: TableLayout) -> pd.DataFrame:
    """A line for each row with figures and each column of respondents; see `SummaryTable`."""
    import pandas as pd

    banner, places, _ = _banner(data)
    names, tested = names_alone(banner), _tests_by_column(data)
    printed = {position: row for row, position in enumerate(layout.positions)}
    heads: dict[tuple[str, str], SummaryRow] = {}
    others = [form.metric for row in data.rows if row.statistic for form in row.statistic.forms]
    extra = dict.fromkeys(_FRAME_NAMES.get(name, name) for name in others)
    figures = [*_COUNTED, *(name for name in extra if name not in _COUNTED)]
    lines: list[dict[str, Any]] = []
    for at, row in enumerate(data.rows):
        if row.is_head:
            heads[row.code, row.item] = row
        if not row.figures or row.statistic is None:
            continue
        values = {_FRAME_NAMES.get(name, name): each for name, each in row.figures.items()}
        for column, place in enumerate(places):
            if place < 0:
                continue
            number = tested.get(place)
            by_row = row.tests or (() if row.is_missing else heads[row.code, row.item].tests)
            test = by_row[number] if by_row and number is not None else None
            base = np.nan if row.base is None else row.base[place]
            lines.append(
                {
                    "question": row.code,
                    "question_label": row.question,
                    "item": row.item,
                    "answer": row.answer,
                    "statistic": row.statistic.words,
                    "group": names[column],
                    **{name: values[name][place] if name in values else np.nan for name in figures},
                    "base": base,
                    "p": np.nan if test is None else test.p,
                    "test": "" if test is None else test.method,
                    "test_statistic": np.nan if test is None else test.statistic,
                    "df1": np.nan if test is None else test.first,
                    "df2": np.nan if test is None else test.second,
                    "note": "" if test is None else test.note,
                    # Rows that are not printed have no text.
                    "text": _text(layout, printed[at], column) if at in printed else "",
                }
            )
    frame = pd.DataFrame(lines)
    for name in ("n", "base"):
        # Figures that a service withholds are missing.
        frame[name] = frame[name].astype("Int64")
    frame.attrs.update(data.columns.provenance, method_note=" ".join(data.notes))
    return frame


def _tests_by_column(data: SummaryData) -> dict[int, int]:
    """The test of each column in the figures; of everyone the only one there is."""
    found = {1 + at: number for number, each in enumerate(data.families.values()) for at in each}
    return found | ({0: 0} if len(data.families) == 1 else {})


def _text(layout: TableLayout, row: int, column: int) -> str:
    return str(cell_texts(layout, row, column)[0]).replace(GAP, " ")


def summary_wide(data: SummaryData, layout: TableLayout) -> pd.DataFrame:
    """The table as it is printed: texts, with a row for each of its rows."""
    import pandas as pd

    names = names_alone(layout.banner)
    texts = [
        [_text(layout, row, column) for column in range(len(names))]
        for row in range(len(layout.stub))
    ]
    about: list[tuple[str, str]] = []
    for cell, position in zip(layout.stub, layout.positions, strict=True):
        row = data.rows[position]
        about.append(
            (" › ".join(cell.groups) or cell.name, cell.name if cell.groups else row.shown)
        )
    index = pd.MultiIndex.from_tuples(about, names=["question", "row"])
    return pd.DataFrame(texts, index=index, columns=names)
