"""From a specification to the chart that users get: an object of altair, which is imported then."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from functools import wraps
from typing import TYPE_CHECKING, Any, ParamSpec, cast

from audiencelab.browser import IN_BROWSER, is_installed
from audiencelab.charts.specification import ChartSpecification

if TYPE_CHECKING:
    from audiencelab.charts.chart import Chart

P = ParamSpec("P")


def as_altair(drawn: ChartSpecification) -> Chart:
    """The chart of altair that a specification describes.

    In a browser whose page has not loaded altair it is the specification, which displays itself.
    """
    if IN_BROWSER and not is_installed("altair"):
        return cast(Any, drawn)
    from audiencelab.charts.chart import chart_of

    return chart_of(drawn)


def drawn_by(draw: Callable[P, ChartSpecification]) -> Callable[P, Chart]:
    """A function that draws charts for users, of one that writes their specifications."""

    @wraps(draw)
    def drawing(*args: P.args, **options: P.kwargs) -> Chart:
        return as_altair(draw(*args, **options))

    signature = inspect.signature(draw).replace(return_annotation="Chart")
    drawing.__signature__ = signature  # pyright: ignore[reportAttributeAccessIssue]
    return drawing
