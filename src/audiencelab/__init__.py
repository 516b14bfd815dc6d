"""Weighted survey crosstabs in Jupyter, with tests, audiences, charts and widgets.

Questions are named, audiences are made of their answers, and both are counted, tested and drawn:

    import audiencelab as al

    client = al.connect()                        # the demo survey; a service: al.connect("https://…")
    client = al.open("survey.sav", weight="wgt") # your own file, data frame or survey folder
    client.catalogue                             # its questions; client["Age"] is one of them

    young = client["Age"].isin(["18 to 24", "25 to 34"]).named("Young")
    women = client["Gender"] == "Female"         # & is and, | is or, ~ is not
    client.size(young & women)                   # how many people; all figures are weighted
    client.profile(young).standouts()            # what sets them apart; .to_excel("profile.xlsx")

    table = client.crosstab("Finding brands", ["Total", "Gender", "Age"])  # rows, columns
    table["column"]                              # column %; "row", "index", "size", "sample"
    client.crosstab(["Gender", al.mean("Age")], "Market")          # a mean as a row; al.top_box too
    table.test()                                 # which columns differ, as letters
    table.to_excel("tabs.xlsx", letters=True)    # a banner table; or table.test(levels=95)
    client.tab_book(["Gender", "Age"], to="book.xlsx")             # every question by one banner
    table.to_frame()                             # also to_polars, to_arrow, to_csv, to_html
    table.chart.bar()                            # an altair chart; .save("chart.png"), or .svg
    table.to_pptx("deck.pptx", chart="bar")      # a slide with the table and a chart to edit

    trend = client.trend("Sources of news")      # by waves; also datapoints=[…], audiences=young
    trend.test(vs="previous wave")
    trend.chart.trend()                          # client.stats is the same without the waves

    al.Crosstab(client, "Finding brands", "Age") # the same by hand, in a notebook
    al.Workbench(client)                         # picker, audience editor, table and chart

Coding assistants find conventions, traps and tasks with their code in the folder that the command
`audiencelab skill` prints. Importing the package is cheap: pandas, the widgets and the charts load
when first used. Completion and `help()` leave out what needs an extra that is not installed; asked
for by name, it says which.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from functools import partial
from importlib import import_module
from typing import TYPE_CHECKING, Any

from audiencelab._version import __version__
from audiencelab.browser import IN_BROWSER, explain_missing_packages, is_installed
from audiencelab.errors import AudienceError, Fault
from audiencelab.expressions import (
    And,
    Audience,
    Expression,
    InvalidExpression,
    Leaf,
    Or,
    Q,
    all_of,
    any_of,
    combine,
    mean,
    nest,
    net,
    nps,
    parse_expression,
    top_box,
)
from audiencelab.expressions.by_name import of_question
from audiencelab.unknown_names import meant

if TYPE_CHECKING:
    from audiencelab import charts, course
    from audiencelab import ingest as ingest
    from audiencelab import schema as schema
    from audiencelab.client import AsyncClient, Client, connect, connect_async, open  # noqa: A004 -- al.open
    from audiencelab.service.http import serve
    from audiencelab.survey import demo_survey
    from audiencelab.tables import (
        CrosstabResult,
        StatsResult,
        TestOptions,
        answered,
        asked,
        side_by_side,
    )
    from audiencelab.widgets import AudienceEditor, Crosstab, Deck, QuestionPicker, Workbench

__all__ = [
    "And",
    "AsyncClient",
    "Audience",
    "AudienceEditor",
    "AudienceError",
    "Client",
    "Crosstab",
    "CrosstabResult",
    "Deck",
    "Expression",
    "Fault",
    "InvalidExpression",
    "Leaf",
    "Or",
    "Q",
    "QuestionPicker",
    "StatsResult",
    "TestOptions",
    "Workbench",
    "__version__",
    "all_of",
    "answered",
    "any_of",
    "asked",
    "charts",
    "combine",
    "connect",
    "connect_async",
    "course",
    "demo_survey",
    "mean",
    "nest",
    "net",
    "nps",
    "open",
    "parse_expression",
    "serve",
    "side_by_side",
    "top_box",
]

explain_missing_packages()

if "IPython" in sys.modules:
    from audiencelab.tracebacks import hide_our_frames

    hide_our_frames()

# Where each name lives that is not worth its import before somebody asks for it.
_LAZY = {
    "AsyncClient": "client",
    "AudienceEditor": "widgets",
    "Client": "client",
    "Crosstab": "widgets",
    "CrosstabResult": "tables",
    "Deck": "widgets",
    "QuestionPicker": "widgets",
    "StatsResult": "tables",
    "TestOptions": "tables",
    "Workbench": "widgets",
    "answered": "tables",
    "asked": "tables",
    "connect": "client",
    "connect_async": "client",
    "demo_survey": "survey",
    "open": "client",
    "serve": "service.http",
    "side_by_side": "tables",
}

# What only an extra brings, by the part of the package that cannot do without it.
_NEEDS = {
    "charts": () if IN_BROWSER else ("altair", "vl_convert"),
    "service.http": ("anyio", "starlette", "uvicorn"),
    "widgets": ("anywidget",),
}


def _load(name: str) -> Any:
    if name in _LAZY:
        value = getattr(import_module(f"audiencelab.{_LAZY[name]}"), name)
    elif name in ("charts", "course", "ingest", "schema"):
        value = import_module(f"audiencelab.{name}")
    else:
        return meant(sys.modules[__name__], name)
    globals()[name] = value
    return value


if not TYPE_CHECKING:  # a type checker would not see a misspelt name any more
    __getattr__ = _load


# What a question is asked for, and is worth no function of its own here.
def of_a_question(method: str) -> Callable[..., Any]:
    return partial(of_question, method)


# What a client is asked for, also of a file or a frame: al.crosstab(frame, "sex", "brand").
def of_a_client(method: str) -> Callable[..., Any]:
    return partial(_ask, method)


# A crosstab of columns, as of pandas: al.crosstab(frame["sex"], frame["brand"], weights=…).
def of_columns(method: str) -> Callable[..., Any]:
    return import_module("audiencelab.client.of_columns").of_columns(partial(_ask, method))


# R's svydesign(ids=, strata=, weights=, data=).
def opened_by_design(*given: Any, **named: Any) -> Any:
    return import_module("audiencelab.client.of_columns").opened_by_design(*given, **named)


def _ask(method: str, source: Any, *given: Any, **named: Any) -> Any:
    known = isinstance(source, _load("Client")) or hasattr(source, method)
    client = source if known else _load("open")(source)
    return getattr(client, method)(*given, **named)


def __dir__() -> list[str]:
    # What completion offers: names to use, and none of those that this file needs itself. help()
    # gets every one of them, so that it would end at the first whose extra is not installed.
    lacking = {part for part, needed in _NEEDS.items() if not all(map(is_installed, needed))}
    return sorted(name for name in __all__ if _LAZY.get(name, name) not in lacking)
