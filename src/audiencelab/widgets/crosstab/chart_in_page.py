"""Charts that the page draws with Vega, with values on hover."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from audiencelab.charts.renderer import Spec
    from audiencelab.charts.specification import ChartSpecification


def page_specification(drawing: ChartSpecification) -> Spec:
    """The Vega-Lite specification of a chart that the page draws."""
    # The pane has its own buttons.
    without_menu = {"embedOptions": {"actions": False}}
    return {**drawing.to_dict(), "usermeta": without_menu}


def encoded(specification: Spec) -> bytes:
    """The specification as JSON."""
    return json.dumps(specification, separators=(",", ":")).encode()
