"""Results of those whose answer is a point of the scale: "Don't know" leaves the base."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Literal, TypeAlias, TypeVar

import numpy as np

from audiencelab.analysis.boxes import question_of_items
from audiencelab.analysis.disjointness import own_rows, require_separate
from audiencelab.analysis.rebase import rebased_to_answered
from audiencelab.expressions import Audience, Expression, Leaf, Q, walk
from audiencelab.results.all_waves import in_one_scale
from audiencelab.results.cells import FIGURES, PLACE, Floats
from audiencelab.results.crosstab import CrosstabData, cells_of
from audiencelab.results.stats import StatsData
from audiencelab.results.who import Described
from audiencelab.schema.scales import Scale

Stats = TypeVar("Stats", bound=StatsData)
Crosstab = TypeVar("Crosstab", bound=CrosstabData)

Of: TypeAlias = Literal["scale"] | None
"""Whom shares are of: those who count in the result, or of these those on the scale."""


def stats_on_scale(result: Stats, of: Of, *, disjoint: bool = False) -> Stats:
    """The result itself, or with "scale" of those who gave a point of the scale.

    Raises `ValueError` for other values, for a question whose scale is not known, and for a result
    without some of its points.
    """
    if not _is_of_scale(of):
        return result
    title = result.labels.question or result.question
    scale = _known(result.labels.scale, title, set(result.datapoints))
    kept = tuple(row for row in result.rows if row.datapoint in scale.points)
    base = _base(result.base_audience, title, Q(result.question).any(*scale.points))
    names = result.labels.datapoints
    words = _without([names.get(code) or code for code in result.datapoints if code in scale.off])
    # With the answers off the scale left out, those who answered are those on the scale.
    made = rebased_to_answered(replace(result, rows=kept), disjoint=disjoint)
    provenance = {**made.provenance, "base_audience": base.name, "rebased": "scale"}
    who = replace(result.who, base=Described(base, words))
    return replace(made, base_audience=base, provenance=provenance, who=who)


def crosstab_on_scale(table: Crosstab, of: Of, *, disjoint: bool = False) -> Crosstab:
    """The same of a crosstab, whose rows must be answers to one question; raises as above."""
    if not _is_of_scale(of):
        return table
    own = own_rows(table)
    answers = [table.rows[row].expression for row in own]
    question, points = question_of_items(answers)
    if question is None or not all(isinstance(each, Leaf) for each in answers):
        raise ValueError(
            'of="scale" needs rows that are the answers to one question. Ask for them alone: '
            f"client.crosstab({_first_question(answers)!r}, columns)."
        )
    title = table.row_groups[own[0]][-1] if table.row_groups[own[0]] else question
    there = frozenset[str]().union(*points)
    scale = _known(table.scales.get(question), title, there)
    on = [row for row, each in zip(own, points, strict=True) if each <= set(scale.points)]
    # The new base is the sum of these rows, which must not count a respondent twice.
    require_separate(table, f"the scale of {title}", on, disjoint)
    off = [table.rows[row].name for row in own if row not in on]
    return _rebased(table, on, _base(table.base_audience, title, _any(answers, own, on)), off)


def _first_question(answers: Sequence[Expression | None]) -> str:
    """The code of the first question that rows are about."""
    leaves = (node for each in answers if each is not None for _, node in walk(each))
    return next((each.question for each in leaves if isinstance(each, Leaf)), "…")


def _is_of_scale(of: object) -> bool:
    if of not in (None, "scale"):
        raise ValueError(f'of must be "scale" or None; got {of!r}.')
    return of == "scale"


def _known(scale: Scale | None, title: str, there: set[str] | frozenset[str]) -> Scale:
    if scale is None or not scale.points:
        raise ValueError(f'of="scale" needs a question of the catalogue; {title!r} is not in it.')
    if missing := [code for code in scale.points if code not in there]:
        raise ValueError(
            f'of="scale" needs all points of the scale of {title!r}, and the result does not have '
            f"{', '.join(missing)}. Ask for the whole question."
        )
    return scale


def _any(answers: Sequence[Expression | None], own: Sequence[int], on: Sequence[int]) -> Expression:
    leaves = [each for row, each in zip(own, answers, strict=True) if row in on]
    codes = [code for leaf in leaves if isinstance(leaf, Leaf) for code in leaf.datapoints]
    first = leaves[0]
    assert isinstance(first, Leaf)
    return replace(first, datapoints=tuple(codes))


def _base(before: Audience | None, title: str, on_scale: Expression) -> Audience:
    name = f"those on the scale of {title}"
    if before is None or before.expression is None:
        return Audience(name, on_scale)
    return Audience(f"{before.name}, {name}", before.expression & on_scale)


def _without(off: Sequence[str]) -> str:
    return f"without {', '.join(off)}" if off else "all answers are on it"


def _rebased(table: Crosstab, on: list[int], base: Audience, off: Sequence[str]) -> Crosstab:
    """The rows of some answers, of those who gave one of them."""
    one_scale = in_one_scale(table)
    figures = {name: table.values(name)[on] for name in FIGURES}
    for side, part in (("column", ""), ("base", "row_")):
        for kind in ("size", "sample"):
            figures[f"{side}_{kind}"] = np.broadcast_to(
                table.values(f"{part}{kind}")[on].sum(axis=0), figures["size"].shape
            )
    size, row = one_scale.values("size")[on], figures["row_size"]
    # The base of each cell is all who gave a point of the scale: the sum of the rows.
    base_size = figures["base_size"]
    with np.errstate(divide="ignore", invalid="ignore"):
        figures["percentage"] = 100 * size / base_size
        figures["column_percentage"] = 100 * figures["size"] / figures["column_size"]
        figures["column_base_percentage"] = 100 * size.sum(axis=0) / base_size
        figures["row_base_percentage"] = 100 * row / base_size
        figures["index"] = 100 * figures["column_percentage"] / figures["row_base_percentage"]
    who = replace(table.who, base=Described(base, _without(off)))
    made = replace(
        table,
        rows=tuple(table.rows[at] for at in on),
        row_groups=tuple(table.row_groups[at] for at in on),
        base_audience=base,
        nets_of={},
        who=who,
        whole=_whole(table, on),
        asked=table.asked and replace(table.asked, scope=replace(table.asked.scope, base=base)),
        provenance={**table.provenance, "base_audience": base.name, "rebased": "scale"},
    )
    down, across = np.indices(made.shape)
    planes = np.stack([figures[name] for name in FIGURES], axis=-1)
    cells_of(made).store(down.ravel(), across.ravel(), planes.reshape(-1, len(FIGURES)))
    return made


def _whole(table: CrosstabData, on: list[int]) -> Floats | None:
    """All of each row: its share is of all who gave one of them."""
    if table.whole is None:
        return None
    whole = table.whole[:, on].copy()
    for kind in ("size", "sample"):
        total = whole[PLACE[kind]].sum()
        whole[PLACE[f"base_{kind}"]] = whole[PLACE[f"column_{kind}"]] = total
    with np.errstate(divide="ignore", invalid="ignore"):
        share = 100 * whole[PLACE["size"]] / whole[PLACE["base_size"]]
    for name in ("percentage", "column_percentage", "row_base_percentage"):
        whole[PLACE[name]] = share
    return whole
