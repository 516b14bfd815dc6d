"""The audience editor for a reader without a kernel: the tree as nested sentences with sizes."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from audiencelab.audience import And, Audience, Expression
from audiencelab.audience.expression import Combinator
from audiencelab.audience.words import Labels
from audiencelab.errors import AudienceError
from audiencelab.widgets.static_html import Html, card, code_block, element, muted, table, text

if TYPE_CHECKING:
    from audiencelab.widgets.editor_measure import Measure, Meter

__all__ = ["editor_html"]

_PATIENCE = 1.0
"""Seconds that showing a widget may wait for numbers; without them the words stand alone."""


def editor_html(
    audience: Audience, meter: Meter, labels: Labels | None, base_audience: Audience | None
) -> Html:
    """The audience as a card: name, one line for each node, code."""
    nodes = list(_lines(audience.expression, 0))
    measures = _measures([node for node, _ in nodes], meter)
    rows = [
        (_words(node, depth, labels), *_figures(measure))
        for (node, depth), measure in zip(nodes, measures, strict=True)
    ]
    base = muted(f"Base: {base_audience.name if base_audience else 'All'}")
    tree = table(["Who", "Size", "Sample", "% of base"], rows, numeric=[1, 2, 3], most=200)
    return card(audience.name or "Audience", base, tree, code_block(audience.to_code()))


def _lines(node: Expression | None, depth: int) -> Iterator[tuple[Expression | None, int]]:
    yield node, depth
    if isinstance(node, Combinator):
        for child in node.children:
            yield from _lines(child, depth + 1)


def _words(node: Expression | None, depth: int, labels: Labels | None) -> Html:
    if isinstance(node, Combinator):
        words = "all of" if isinstance(node, And) else "any of"
        said = element("b", f"not {words}" if node.negated else words)
    else:
        said = text(Audience(expression=node).describe(labels))
    return element("span", said, style=f"padding-left:{depth * 18}px")


def _figures(measure: Measure | None) -> tuple[str, str, str]:
    if measure is None:
        return "", "", ""
    share = "–" if measure.percentage is None else f"{measure.percentage:.1f}"
    return f"{measure.size:,.0f}", f"{measure.sample:,}", share


def _measures(nodes: Sequence[Expression | None], meter: Meter) -> list[Measure | None]:
    """What can be counted within `_PATIENCE`; a slow service must not hold up the page."""

    def count() -> None:
        try:
            meter.measure(nodes)
        except AudienceError:
            # The words are worth showing without the numbers; the live view tells what is wrong.
            return

    if None in meter.known(nodes):
        counting = threading.Thread(target=count, name="audiencelab-editor-html", daemon=True)
        counting.start()
        counting.join(_PATIENCE)
    return meter.known(nodes)
