"""TURF as a card and as a table: the best sets of items by their number."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from audiencelab.markup import QUIET, ROW_CAP, Card, Content, Section, card, element, table
from audiencelab.render.cell_text import value_text
from audiencelab.render.html import low_base_footer
from audiencelab.render.layout import chosen_metrics
from audiencelab.render.table_layout import (
    HeaderCell,
    Metric,
    TableLayout,
    provenance_fields,
)
from audiencelab.results.arrangement import low_base_mark
from audiencelab.results.metrics import metric_of
from audiencelab.results.overlap import Floats
from audiencelab.results.provenance import count_label, coverage_facts, definitions
from audiencelab.results.turf import ItemSet, TurfData
from audiencelab.results.who_counts import base_line
from audiencelab.wording import plural

_METRICS = ("reach", "size", "sample", "frequency", "added")

_NEXT = 5
"""Sets of most items that a card lists behind the best one."""


def turf_card(result: TurfData) -> Card:
    """The best set of each number of items, and the next best of the largest number."""
    mark = low_base_mark(result.base_sample)
    rows: list[Sequence[Content] | Section] = [
        _row(result, count, sets[0], mark) for count, sets in result.best.items()
    ]
    count = max(result.best)
    if others := result.best[count][1 : 1 + _NEXT]:
        rows.append(Section(f"Next best sets of {count}"))
        rows += [_row(result, count, each, mark) for each in others]
    labels = {name: metric_of(name).label_with_unit for name in _METRICS}
    labels["size"] = count_label(result.provenance)
    headers = ("Items", "Set", *labels.values())
    listed = table(headers, rows[:ROW_CAP], numeric=range(2, len(headers)))
    facts = [f"n = {result.base_sample:,.0f}", base_line(result)]
    facts += coverage_facts({**result.provenance, "locations": None})
    notes = [element("div", note, style=QUIET) for note in result.notes if note]
    notes += low_base_footer(bool(mark), result.provenance)
    title = f"Reach of {plural(len(result.items), 'item')} (TURF)"
    return card(title, listed, *notes, subtitle=" · ".join(facts))


def turf_layout(result: TurfData, metrics: Sequence[str] | None) -> TableLayout:
    """All sets as rows, by their number of items."""
    chosen = chosen_metrics(metrics, _METRICS, _METRICS)
    sets = list(_sets(result))
    values = np.array([_values(result, count, each) for count, each in sets])
    under = np.full((len(sets), 1), float(result.base_sample))
    everyone = result.base_audience.name if result.base_audience is not None else "All"
    base = base_line(result)
    return TableLayout(
        title=f"Reach of {plural(len(result.items), 'item')} (TURF)",
        stub=tuple(
            HeaderCell(_name(result, each), (plural(count, "item"),), each.size, each.sample)
            for count, each in sets
        ),
        banner=(HeaderCell(everyone, (), result.base_size, result.base_sample),),
        metrics=tuple(
            Metric(name, _column(values, name), under if name == "reach" else None)
            for name in chosen
        ),
        total=True,
        facts=(base, *coverage_facts(result.provenance)),
        notes=(
            "Reach: in any of the items, each person once. Frequency: items of each of them on "
            "average. Added: to the reach of the best set of one item less.",
            *result.notes,
        ),
        definitions=definitions(
            Base=(result.base_audience,) if result.base_audience is not None else (),
            Item=result.items,
        ),
        **provenance_fields(result, base, result.provenance),
    )


def _sets(result: TurfData) -> Iterator[tuple[int, ItemSet]]:
    return ((count, each) for count, sets in result.best.items() for each in sets)


def _name(result: TurfData, each: ItemSet) -> str:
    return " + ".join(result.names[position] for position in each.positions)


def _values(result: TurfData, count: int, each: ItemSet) -> tuple[float, ...]:
    added = result.percentage(each.size - result.previous(count))
    return result.percentage(each.size), each.size, each.sample, each.frequency, added


def _column(values: Floats, name: str) -> Floats:
    return values[:, [_METRICS.index(name)]]


def _row(result: TurfData, count: int, each: ItemSet, mark: str) -> Sequence[Content]:
    reach, *others = _values(result, count, each)
    texts = [value_text(name, value) for name, value in zip(_METRICS[1:], others, strict=True)]
    return str(count), _name(result, each), value_text("reach", reach) + mark, *texts
