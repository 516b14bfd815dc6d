"""Rows that one call of a question makes, such as `.top_box(2)`, `.mean()` or `.bins([18, 35])`."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import Any, TypeAlias

from audiencelab.client.catalogue.catalogue import Catalogue
from audiencelab.client.catalogue.named_code import answer_keys
from audiencelab.client.catalogue.question import CatalogueQuestion
from audiencelab.expressions import Audience, Leaf, NumberRange
from audiencelab.results.statistic_rows import Statistic

Row: TypeAlias = Audience | Statistic

_PLAIN_CALL = re.compile(r"\]\.(mean|median|nps)\((?:'[^']*')?\)$")
"""The end of the code of a statistic without other arguments than the item of a grid."""


def called_rows(
    rows: Sequence[Row], catalogue: Catalogue
) -> Iterator[tuple[Sequence[Row], CatalogueQuestion | None, str]]:
    """Runs of rows with the question and the call that make each; "" for rows without one."""
    for question, run in groupby(rows, lambda row: _question(row, catalogue)):
        listed = [*run]
        call = "" if question is None else _call(question, listed)
        if call or question is None or len(listed) == 1:
            yield listed, question, call
            continue
        for row in listed:
            # A part of some bins is not a bin by itself.
            of_bins = isinstance(row, Audience) and isinstance(row.expression, NumberRange)
            yield [row], question, "" if of_bins else _call(question, [row])


def edges_of(rows: Sequence[Row]) -> list[float]:
    """The lower edges of bins of numbers; [] for other rows."""
    found: list[float] = []
    for row in rows:
        given = row.expression if isinstance(row, Audience) else None
        if not isinstance(given, NumberRange) or given.negated or {*given.ends} - {"min", "below"}:
            return []
        found += [] if given.min is None else [given.min]
    return found


def _question(row: Row, catalogue: Catalogue) -> CatalogueQuestion | None:
    if isinstance(row, Statistic):
        code = row.question
    elif isinstance(row.expression, Leaf | NumberRange):
        code = row.expression.question
    else:
        return None
    return catalogue.of_code(code)


def _call(question: CatalogueQuestion, rows: Sequence[Row]) -> str:
    if edges := edges_of(rows):
        return _bins(question, rows, edges)
    audiences = [each for each in rows if isinstance(each, Audience)]
    items = [each.item for each in rows if isinstance(each, Statistic)]
    leaves = [each.expression for each in audiences if isinstance(each.expression, Leaf)]
    if not items and question.suffixes:
        items = [each.datapoints[0] for each in leaves if len(each.datapoints) == 1]
        items = items if len(items) == len(rows) else []
    elif question.suffixes and len(items) < len(rows):
        return ""
    chosen = [] if items == [each.code for each in question.datapoints] else items
    for method, given in _methods(question, rows):
        made = _made(question, method, [*given, *filter(None, chosen)])
        if made == [*rows]:
            arguments = ", ".join(map(repr, (*given, *filter(None, chosen))))
            return f"{method}({arguments})"
    return ""


def _methods(
    question: CatalogueQuestion, rows: Sequence[Row]
) -> Iterator[tuple[str, tuple[Any, ...]]]:
    """The calls that may make these rows, without items."""
    first = rows[0]
    if isinstance(first, Statistic):
        if found := _PLAIN_CALL.search(first.code):
            yield found[1], ()
    elif isinstance(first.expression, Leaf) and (question.suffixes or len(rows) == 1):
        leaf = first.expression
        count = len(leaf.suffixes or leaf.datapoints)
        yield "top_box", (count,)
        yield "bottom_box", (count,)
        if not question.suffixes and (keys := answer_keys(leaf.datapoints, question.datapoints)):
            yield "net", tuple(keys)


def _made(question: CatalogueQuestion, method: str, given: Sequence[Any]) -> list[Any]:
    try:
        made = getattr(question, method)(*given)
    except (LookupError, TypeError, ValueError):
        return []
    return [*made] if isinstance(made, tuple) else [made]


def _bins(question: CatalogueQuestion, rows: Sequence[Row], edges: Sequence[float]) -> str:
    try:
        made = [*question.bins(edges)]
    except (TypeError, ValueError):
        return ""
    written = ", ".join(f"{each:g}" if float(f"{each:g}") == each else repr(each) for each in edges)
    call = f"bins([{written}])"
    if made == [*rows]:
        return call
    # The lowest bin is left out where it is empty: from the end they are the same.
    return f"{call}[-{len(rows)}:]" if made[1:] == [*rows] else ""
