"""What a selection is worth: its value, the value's Python, and how many people it means.

Pure functions of a selection and a client, for the widget and for whatever else answers a page.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Any, Literal

from audiencelab.errors import AudienceError
from audiencelab.expressions import Audience, Leaf, as_audience
from audiencelab.widgets.picker import selection as selections
from audiencelab.widgets.requests import Request

if TYPE_CHECKING:
    from audiencelab.client import Client
    from audiencelab.widgets.measuring import Meter

__all__ = ["Mode", "Value", "code_of", "measured", "selection_in", "value_of"]

Mode = Literal["datapoints", "question", "audience"]

Value = tuple[Leaf, ...] | Audience | None


def selection_in(request: Request) -> list[selections.Picked]:
    """The selection that a page asks about; raises `UnpickableValue`."""
    return selections.checked_selection(request.args.get("selection"))


def value_of(selection: Sequence[selections.Picked], mode: Mode, client: Client) -> Value:
    """A leaf for each picked question, or in `"audience"` mode the one audience, named."""
    leaves = selections.leaves_of(selection)
    if mode != "audience":
        return leaves
    if not leaves:
        return None
    try:
        labels = client.catalogue
    except AudienceError:
        # Codes are names enough where the service cannot be asked.
        labels = None
    return as_audience(selections.as_expression(leaves), labels)


def code_of(value: Value) -> str:
    """Python that evaluates to a value, with `audiencelab` as `al`."""
    if value is None:
        return "None"
    return value.to_code() if isinstance(value, Audience) else selections.tuple_code(value)


def measured(meter: Meter, request: Request) -> dict[str, Any]:
    """The size of the people whom the selection of a page means, as a `Measure`'s fields."""
    leaves = selections.leaves_of(selection_in(request))
    expression = selections.as_expression(leaves)
    return asdict(meter.measure([expression], request.check)[0])
