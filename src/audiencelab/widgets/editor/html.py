"""The audience editor for a reader without a kernel: the tree as nested sentences with sizes."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from audiencelab import background
from audiencelab.errors import AudienceError
from audiencelab.expressions import And, Audience, Expression
from audiencelab.expressions.nodes import Combinator
from audiencelab.expressions.rendering import Labels
from audiencelab.render.markup import Html, card, code_block, element, table, text
from audiencelab.wording import half_up

if TYPE_CHECKING:
    from audiencelab.widgets.measuring import Measure, Meter

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
    base = f"Base: {base_audience.name if base_audience else 'All'}"
    tree = table(["Who", "Size", "Sample", "% of base"], rows, numeric=[1, 2, 3], most=200)
    code = code_block(audience.to_code())
    return card(audience.name or "Audience", tree, code, subtitle=base)


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
    # On narrow paper a sentence wraps, and its lines stay behind their place in the tree.
    return element("div", said, style=f"margin-left:{depth * 18}px" if depth else "")


def _figures(measure: Measure | None) -> tuple[str, str, str]:
    if measure is None:
        return "", "", ""
    share = "–" if measure.percentage is None else f"{half_up(measure.percentage, 1):.1f}"
    return f"{half_up(measure.size, 0):,.0f}", f"{measure.sample:,}", share


def _measures(nodes: Sequence[Expression | None], meter: Meter) -> list[Measure | None]:
    """What can be counted within `_PATIENCE`; a slow service must not hold up the page."""
    ended = threading.Event()

    def check() -> None:
        if ended.is_set():
            raise AudienceError("The program ends.")

    def count() -> None:
        try:
            meter.measure(nodes, check)
        except (AudienceError, RuntimeError):
            # The words are worth showing without the numbers; the live view tells what is wrong.
            # A client that is closed, before or meanwhile, says so by the latter.
            return

    if None in meter.known(nodes):
        counting = background.run(count, name="audiencelab-editor-html", cancel=ended.set)
        counting.wait(_PATIENCE)
    return meter.known(nodes)
