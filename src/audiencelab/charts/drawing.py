"""From a specification to the chart that users get: an object of altair, which is imported then."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from functools import wraps
from typing import TYPE_CHECKING, Any, ParamSpec, cast

from audiencelab.browser import IN_BROWSER, is_installed
from audiencelab.charts.specification import ChartSpecification
from audiencelab.results.made import Made, method_code
from audiencelab.results.table_code import step

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


def _made(kind: str, result: object, given: Sequence[object], named: Mapping[str, object]) -> Made:
    """How a chart was drawn: by a method of its result, where that has one."""
    call = method_code(kind, given, named)
    if kind in dir(getattr(result, "chart", None)):
        return step(result, call and f".chart{call}")
    # The function takes the result before the others.
    arguments = call.removeprefix(f".{kind}(").lstrip()
    between = "" if arguments in ("", ")") else ", "
    return step(result, call and f"{between}{arguments}", f"al.charts.{kind}(")


def drawn_by(draw: Callable[P, ChartSpecification]) -> Callable[P, Chart]:
    """A function that draws charts for users, of one that writes their specifications."""
    found = inspect.signature(draw)
    first = next(iter(found.parameters))

    @wraps(draw)
    def drawing(*args: P.args, **options: P.kwargs) -> Chart:
        drawn = draw(*args, **options)
        named = {name: each for name, each in options.items() if name != first}
        result, given = (args[0], args[1:]) if args else (options.get(first), ())
        return as_altair(drawn.made_by(_made(draw.__name__, result, given, named)))

    signature = found.replace(return_annotation="Chart")
    drawing.__signature__ = signature  # pyright: ignore[reportAttributeAccessIssue]
    return drawing
