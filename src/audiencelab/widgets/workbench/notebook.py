"""A workbench as a notebook: cells that count, show and draw the same without the widget.

`notebook_of` writes them; running them needs this package and access to the same service, and
nothing of a credential stands in them.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass
from typing import Any

from audiencelab._version import __version__
from audiencelab.expressions import Audience, Labels
from audiencelab.widgets.crosstab.chart import ChartKind
from audiencelab.widgets.crosstab.query import GridQuery
from audiencelab.widgets.workbench.sentences import question_title

__all__ = ["Told", "notebook_of"]


@dataclass(frozen=True, slots=True)
class Told:
    """What the notebook tells.

    connect: Python that connects; place: to what, in words. audience: the editor's; everyone is
    not told. chart: the kind that suits the table; None for a table that no picture holds.
    """

    connect: str
    place: str
    question: GridQuery
    metric: str
    audience: Audience
    chart: ChartKind | None
    labels: Labels | None


def notebook_of(told: Told) -> dict[str, Any]:
    """The notebook, as its format (4.5) has it, with no output yet."""
    sources = [*_opening(told), *_audience(told), *_table(told)]
    cells = [_cell(number, kind, text) for number, (kind, text) in enumerate(sources, start=1)]
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


def _opening(told: Told) -> list[tuple[str, str]]:
    title = f"# {_plain(question_title(told.question))}\n\n{_provenance(told)}"
    return [
        ("markdown", title),
        ("code", f"import audiencelab as al\n\nclient = {told.connect}\nclient"),
    ]


def _audience(told: Told) -> list[tuple[str, str]]:
    audience = told.audience
    if audience.expression is None:
        return []
    return [
        ("markdown", f"## An audience\n\n{_plain(audience.describe(told.labels))}"),
        ("code", f"audience = {audience.to_code()}\nclient.crosstab(rows=[audience])"),
    ]


def _table(told: Told) -> list[tuple[str, str]]:
    cells = [
        ("markdown", "## The table"),
        ("code", f"{told.question.to_code()}\ntable"),
        ("code", f"table.to_wide({told.metric!r})"),
    ]
    if told.chart is not None:
        # The metric is the grid's: a chart of its own choice would tell something else.
        cells.append(("code", f"al.charts.{told.chart}(table, {told.metric!r})"))
    return [
        *cells,
        ("markdown", "Where the figures come from, and when they were asked for:"),
        ("code", "table.provenance"),
    ]


def _provenance(told: Told) -> str:
    question = told.question
    base = question.base_audience
    facts = [
        f"Base: {'everyone' if base is None else base.describe(told.labels)}",
        f"waves: {', '.join(question.waves) if question.waves else 'the last four'}",
        f"locations: {', '.join(question.locations) if question.locations else 'everywhere'}",
        f"source: {told.place}",
    ]
    return _plain(f"{'; '.join(facts)}. Written by audiencelab {__version__}.")


def _plain(words: str) -> str:
    """Words that Markdown leaves as they are, on one line: names are not ours."""
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
