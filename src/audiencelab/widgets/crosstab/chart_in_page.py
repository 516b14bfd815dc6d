"""Charts that the page draws with Vega, with values on hover."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from audiencelab.charts.renderer import Spec
    from audiencelab.charts.specification import ChartSpecification


_BOLD_ROOM = 0.84
"""The part of a chart's width that its title takes: bold letters of the page may be wide."""


def page_specification(drawing: ChartSpecification, width: float | None = None) -> Spec:
    """The Vega-Lite specification of a chart that the page draws; width: in pixels."""
    from audiencelab.charts.captions import title_lines

    # The pane has its own buttons.
    made = {**drawing.to_dict(), "usermeta": {"embedOptions": {"actions": False}}}
    if width is not None:
        lines = title_lines(drawing.title, _BOLD_ROOM * width)
        made["title"] = made["title"] | {"text": lines[0] if len(lines) == 1 else lines}
    return made


def encoded(specification: Spec) -> bytes:
    """The specification as JSON."""
    return json.dumps(specification, separators=(",", ":")).encode()
