"""A workbench as a notebook, as code and as a sentence; and its cells as an audience.

Running the notebook needs this package and access to the same service; it contains no credential.
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from textwrap import indent
from typing import Any

from audiencelab._version import __version__
from audiencelab.client.catalogue import Catalogue
from audiencelab.client.catalogue.axis_code import axis_code
from audiencelab.client.catalogue.code_layout import audience_code, wrapped
from audiencelab.client.catalogue.scope_code import scope_code
from audiencelab.client.names import named_waves
from audiencelab.expressions import (
    Audience,
    Expression,
    Labels,
    all_of,
    any_of,
    as_audience,
    describe_name,
)
from audiencelab.markup import shorten
from audiencelab.schema.scope import BaseOf
from audiencelab.widgets.crosstab.axis import AxisAudiences
from audiencelab.widgets.crosstab.charts import MOST_CELLS, drawn_metric, style_options
from audiencelab.widgets.crosstab.deck import Deck
from audiencelab.widgets.crosstab.protocol import ChartStyle
from audiencelab.widgets.crosstab.query import GridQuery
from audiencelab.widgets.crosstab.widget import Crosstab
from audiencelab.widgets.who_counts import usual_base_of, who_words
from audiencelab.wording import plural

_LISTED_NAMES = 2
_NAME_LENGTH = 40


@dataclass(frozen=True, slots=True)
class NotebookSpec:
    """The content of a notebook.

    connect: Python that connects; source: the service as text. audience: the editor's; left out
    if it is everyone. has_chart: whether the table may be drawn. style: of the chart.
    deck: the code of its slides, without its first and its last line; "" for no deck.
    window: the waves that the client takes where the question names none. usual: who counts in its
    calls that do not say it.
    """

    connect: str
    source: str
    question: GridQuery
    metric: str
    audience: Audience
    has_chart: bool
    style: ChartStyle
    labels: Catalogue | None
    window: str = ""
    usual: BaseOf = "everyone"
    deck: str = ""


def notebook_spec(
    connect: str, grid: Crosstab, audience: Audience, style: ChartStyle, deck: Deck
) -> NotebookSpec:
    """The content for a workbench's grid, audience of the editor, and chart.

    connect: the code that connects.
    """
    rows, columns = grid.value.shape
    client = grid.client
    return NotebookSpec(
        connect=connect,
        source=repr(client).strip("<>"),
        question=grid.value,
        metric=drawn_metric(grid.metrics),
        audience=audience,
        has_chart=0 < rows * columns <= MOST_CELLS,
        style=style,
        labels=grid.labels,
        window=named_waves(client.default_waves),
        usual=usual_base_of(client),
        deck=deck.to_code("deck"),
    )


def notebook_of(spec: NotebookSpec) -> dict[str, Any]:
    """The notebook in nbformat 4.5, without outputs."""
    cells = [_cell(number, *each) for number, each in enumerate(_sources(spec), start=1)]
    python = f"{sys.version_info.major}.{sys.version_info.minor}"
    return {
        "cells": cells,
        "metadata": {
            "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
            "language_info": {"name": "python", "version": python},
        },
        "nbformat": 4,
        "nbformat_minor": 5,
    }


def _sources(spec: NotebookSpec) -> list[tuple[str, str]]:
    """The cells as pairs of type and source."""
    title = f"# {_plain(question_title(spec.question))}\n\n{_provenance(spec)}"
    connect = f"import audiencelab as al\n\nclient = {spec.connect}\nclient"
    cells = [("markdown", title), ("code", connect)]
    audience = spec.audience
    if audience.expression is not None:
        sentence = _plain(audience.describe(spec.labels))
        scope = replace(spec.question.scope, base=None).arguments(spec.usual)
        given = [f"{name}={code}" for name, code in scope_code(scope, spec.labels).items()]
        call = wrapped(f"client.crosstab({', '.join(['rows=[audience]', *given])})")
        code = f"{audience_code(audience, spec.labels)}\n{call}"
        cells += [("markdown", f"## An audience\n\n{sentence}"), ("code", code)]
    cells += [
        ("markdown", "## The table"),
        ("code", f"{spec.question.to_code(spec.labels, spec.usual)}\ntable"),
        ("code", f"table.to_wide({spec.metric!r})"),
    ]
    if spec.has_chart:
        # With the grid's metric: the chart's own default may be another one.
        options = [f"{name}={value!r}" for name, value in style_options(spec.style).items()]
        arguments = ", ".join(["table", repr(spec.metric), *options])
        title = f".properties(title={spec.style.title!r})" if spec.style.title else ""
        cells.append(("code", f"al.charts.{spec.style.kind or 'auto'}({arguments}){title}"))
    if spec.deck:
        code = f'deck = al.Deck(client)\n{spec.deck}\ndeck.to_pptx("deck.pptx")'
        cells += [("markdown", "## The deck"), ("code", code)]
    return [
        *cells,
        ("markdown", "The source of the values, and when they were counted:"),
        ("code", "table.provenance"),
    ]


def _provenance(spec: NotebookSpec) -> str:
    question = spec.question
    base, locations = question.scope.base, question.scope.locations
    facts = [
        f"Base: {'everyone' if base is None else base.describe(spec.labels)}",
        who_words(question.scope),
        question.waves_words(spec.window),
        f"locations: {', '.join(locations) if locations else 'everywhere'}",
        question.weight_words,
        f"source: {spec.source}",
    ]
    return _plain(f"{'; '.join(filter(None, facts))}. Written by audiencelab {__version__}.")


def _plain(words: str) -> str:
    """One line of text with Markdown characters escaped: names come from the survey."""
    joined = " ".join(words.split())
    return "".join(f"\\{letter}" if letter in "\\`*_{}[]<>#|$~!" else letter for letter in joined)


def _cell(number: int, kind: str, text: str) -> dict[str, Any]:
    cell: dict[str, Any] = {
        "cell_type": kind,
        "id": f"cell-{number}",
        "metadata": {},
        "source": text.splitlines(keepends=True),
    }
    return cell | ({"execution_count": None, "outputs": []} if kind == "code" else {})


# -- as code --------------------------------------------------------------------------------------


def workbench_code(
    question: GridQuery,
    settings: dict[str, str],
    catalogue: Catalogue | None,
    usual: BaseOf = "everyone",
) -> str:
    """The call that makes a workbench with this question, given `client` and `al`.

    settings: Python values to assign afterwards, by attribute of the workbench ("grid.metric").
    usual: who counts in a workbench of that client that does not say it.
    """
    arguments = ["client,", *question.arguments(catalogue, usual)]
    if question.bases is not None:
        arguments.append(axis_code(question.bases, catalogue, "bases"))
    call = indent("\n".join(arguments), "    ")
    assignments = [f"workbench.{name} = {code}" for name, code in settings.items()]
    return "\n".join([f"workbench = al.Workbench(\n{call}\n)", *assignments])


# -- in one line ----------------------------------------------------------------------------------


def question_words(query: GridQuery) -> str:
    """The whole question: "Gender (2) × 16 to 17, 18 to 24 and 4 more · of Women · 2 waves"."""
    parts, scope = [question_title(query)], query.scope
    if scope.base is not None:
        parts.append(f"of {_short(scope.base.name)}")
    parts += filter(None, [who_words(scope)])
    if scope.waves:
        parts.append(scope.waves[0] if len(scope.waves) == 1 else plural(len(scope.waves), "wave"))
    if scope.locations:
        parts.append(plural(len(scope.locations), "location"))
    parts += filter(None, [query.weight_words])
    return " · ".join(parts)


def question_title(query: GridQuery) -> str:
    """Rows and columns of the table."""
    return f"{_axis_words(query.rows)} × {_axis_words(query.columns)}"


def _axis_words(axis: AxisAudiences | None) -> str:
    """The outermost groups with their number of items, and the names of ungrouped items."""
    if axis is None:
        return "everyone"
    groups = Counter(names[0] if names else at for at, names in enumerate(axis.groups))
    words = [
        _short(axis[group].name) if isinstance(group, int) else f"{_short(group)} ({count})"
        for group, count in groups.items()
    ]
    if len(words) <= _LISTED_NAMES + 1:
        return " and ".join(filter(None, [", ".join(words[:-1]), *words[-1:]])) or "nothing"
    return f"{', '.join(words[:_LISTED_NAMES])} and {len(words) - _LISTED_NAMES} more"


def _short(name: str) -> str:
    return shorten(" ".join(name.split()), _NAME_LENGTH)


# -- cells as an audience -------------------------------------------------------------------------


def audience_of_cells(
    rows: Sequence[Audience], columns: Sequence[Audience], labels: Labels | None
) -> Audience:
    """The people in some cells of a table: in any of their rows and in any of their columns."""
    axes = [axis for axis in (_any_of(rows), _any_of(columns)) if axis is not None]
    if not axes:
        return as_audience(None)
    expression = axes[0] if len(axes) == 1 else all_of(*axes)
    if len(rows) == len(columns) == 1:
        name = " · ".join(each.name for each in (*rows, *columns) if each.expression is not None)
        return Audience(name, expression)
    return Audience(describe_name(expression, labels), expression)


def _any_of(audiences: Sequence[Audience]) -> Expression | None:
    """The people in any of them; None is everyone."""
    expressions = [audience.expression for audience in audiences]
    known = [expression for expression in expressions if expression is not None]
    if len(known) < len(expressions) or not known:
        return None
    return known[0] if len(known) == 1 else any_of(*known)
