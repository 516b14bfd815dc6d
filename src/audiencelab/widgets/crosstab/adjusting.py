"""The largest differences of a table whose columns have the composition of the base."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from audiencelab.analysis.adjusted import adjusted_note, index_of, table_tests
from audiencelab.analysis.highlights import of_one_question
from audiencelab.errors import AudienceError
from audiencelab.results.asking import query_of
from audiencelab.results.profile import MOST_LACKING, Adjustment, part_of
from audiencelab.schema.local import VarianceError
from audiencelab.schema.query import CrosstabQuery
from audiencelab.widgets.crosstab.protocol import (
    AdjustArgs,
    AdjustedCells,
    DifferentCell,
    Generation,
)
from audiencelab.widgets.crosstab.query_protocol import AdjustChoices, QuestionChoice
from audiencelab.widgets.crosstab.session import QuerySession
from audiencelab.widgets.rpc_types import PageRequest

if TYPE_CHECKING:
    from audiencelab.client import Client

_MOST_CELLS = 2_000
"""Of a table that is adjusted for the page, which waits some seconds for it."""

_MOST_LISTED = 20
_MOST_ANSWERS = 30
_MOST_QUESTIONS = 200

_ALPHA = 0.05


def answer_choices(
    session: QuerySession, client: Client, request: PageRequest[Generation]
) -> AdjustChoices:
    """The questions of one answer, of not too many answers, in the order of the catalogue."""
    result = session.snapshot_for(request).result
    if result is None or result.ask is None:
        return AdjustChoices([])
    found = [
        QuestionChoice(each.code, each.name)
        for each in client.catalogue
        if each.accessible
        and each.record.kind == "single"
        and 1 < len(each.datapoints) <= _MOST_ANSWERS
    ]
    return AdjustChoices(found[:_MOST_QUESTIONS])


def answer_adjusted(
    session: QuerySession, client: Client, request: PageRequest[AdjustArgs], least: float
) -> AdjustedCells:
    """The cells that differ significantly from everyone else, once both are adjusted.

    least: respondents in the column and its rest. Raises `AudienceError` for tables that cannot be
    adjusted.
    """
    result, (rows, columns) = session.result_for(request), session.axes
    questions = [
        (client.catalogue[code].code, client.catalogue[code].name)
        for code in request.args.questions
    ]
    query = query_of(result)
    if result.ask is None or not isinstance(query, CrosstabQuery):
        raise AudienceError("This table cannot be adjusted: its respondents are not at hand.")
    if result.expected > _MOST_CELLS:
        raise AudienceError(
            f"A table of {result.expected:,} cells is too large to be adjusted here (at most "
            f"{_MOST_CELLS:,}). In Python: client.profile(audience, adjust=…)"
        )
    codes = [code for code, _ in questions]
    try:
        found = result.ask.adjusted(query, codes)
    except VarianceError as error:
        raise AudienceError(str(error)) from None
    tests = table_tests(result, found, least)
    nets = np.array(rows.nets)[:, None] | np.array(columns.nets)
    # -1 is below every |z|, so that such cells come last and are left out.
    z = np.where((tests.p < _ALPHA) & ~of_one_question(result) & ~nets, np.abs(tests.z), -1.0)
    order: list[int] = np.argsort(-z, axis=None, kind="stable")[:_MOST_LISTED].tolist()
    index = index_of(found.share, result.values("row_base_percentage") / 100)
    names: list[tuple[str, ...]] = [tuple(each.full_names) for each in (rows, columns)]
    cells: list[DifferentCell] = []
    for row, column in (divmod(at, result.shape[1]) for at in order):
        if z[row, column] > 0:
            share = float(found.share[row, column])
            base = float(result.values("row_base_percentage")[row, column])
            cells.append(
                DifferentCell(
                    row,
                    column,
                    (names[0][row], names[1][column]),
                    index=float(index[row, column]),
                    difference=100 * share - base,
                    z=float(tests.z[row, column]),
                )
            )
    noted = Adjustment(questions, 0)
    noted.cells, noted.how = found.cells, found.how
    note = adjusted_note(noted, least)
    if lacking := _lacking(columns.full_names, found.absent.tolist()):
        note += f" Without tests, because they lack more of the base: {lacking}."
    return AdjustedCells(cells, note)


def _lacking(names: Sequence[str], absent: Sequence[float]) -> str:
    """The columns that are absent in cells of too much of the base, with its part."""
    return ", ".join(
        f"{name} ({part_of(part)})"
        for name, part in zip(names, absent, strict=True)
        if part > MOST_LACKING
    )
