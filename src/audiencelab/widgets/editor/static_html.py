"""Static HTML of the audience editor: the tree as nested sentences with sizes."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from audiencelab import background
from audiencelab.client.catalogue import Catalogue
from audiencelab.client.catalogue.named_code import named_code
from audiencelab.errors import AudienceError
from audiencelab.expressions import And, Audience, Expression
from audiencelab.expressions.labels import Labels
from audiencelab.expressions.nodes import Combinator
from audiencelab.markup import Card, Html, card, code_block, element, table, text
from audiencelab.wording import half_up

if TYPE_CHECKING:
    from audiencelab.widgets.audience_size import NodeSize, SizeCounter

_TIMEOUT = 1.0
"""Seconds to wait for counts; the form has no counts after that."""


def editor_html(
    audience: Audience,
    counter: SizeCounter,
    labels: Catalogue | None,
    base_audience: Audience | None,
) -> Card:
    """The audience as a card: name, one row for each node, code."""
    nodes = list(_nodes(audience.expression, 0))
    sizes = _counted([node for node, _ in nodes], counter)
    rows = [
        (_words(node, depth, labels), *_values(size))
        for (node, depth), size in zip(nodes, sizes, strict=True)
    ]
    base = f"Base: {base_audience.name if base_audience is not None else 'All'}"
    tree = table(
        ["Who", "Weighted count", "Count (n)", "% of base"], rows, numeric=[1, 2, 3], most=200
    )
    code = code_block(named_code(audience, labels))
    return card(audience.name or "Audience", tree, code, subtitle=base)


def _nodes(node: Expression | None, depth: int) -> Iterator[tuple[Expression | None, int]]:
    yield node, depth
    if isinstance(node, Combinator):
        for child in node.children:
            yield from _nodes(child, depth + 1)


def _words(node: Expression | None, depth: int, labels: Labels | None) -> Html:
    if isinstance(node, Combinator):
        words = "all of" if isinstance(node, And) else "any of"
        content = element("b", f"not {words}" if node.negated else words)
    else:
        content = text(Audience(expression=node).describe(labels))
    # A long sentence wraps with the indentation of its node.
    return element("div", content, style=f"margin-left:{depth * 18}px" if depth else "")


def _values(size: NodeSize | None) -> tuple[str, str, str]:
    if size is None:
        return "", "", ""
    share = "–" if size.percentage is None else f"{half_up(size.percentage, 1):.1f}"
    return f"{half_up(size.size, 0):,.0f}", f"{size.sample:,}", share


def _counted(nodes: Sequence[Expression | None], counter: SizeCounter) -> list[NodeSize | None]:
    """Sizes that are counted within `_TIMEOUT`; a slow service must not block the display."""
    ended = threading.Event()

    def check() -> None:
        if ended.is_set():
            raise AudienceError("The program ends.")

    def count() -> None:
        try:
            counter.count(nodes, check)
        except (AudienceError, RuntimeError):
            # The form is shown without counts; the live view shows the error. A closed client
            # raises RuntimeError.
            return

    if None in counter.known(nodes):
        counting = background.run(count, name="audiencelab-editor-html", cancel=ended.set)
        counting.wait(_TIMEOUT)
    return counter.known(nodes)
