"""What all results share: the forms of other programs, and what people type who know frames."""

from __future__ import annotations

from collections.abc import Callable
from difflib import get_close_matches
from typing import TYPE_CHECKING, Any

from audiencelab.render.text_forms import TextForms
from audiencelab.results.arrow import HasFrame

if TYPE_CHECKING:
    import pandas as pd

_OF_THE_FRAME = (
    "T",
    "head",
    "iloc",
    "loc",
    "round",
    "sort_values",
    "style",
    "tail",
    "to_json",
    "transpose",
)
"""What a result has of the frame that it shows; sums and means of percentages are misleading."""

_OF_THE_LONG_FRAME = ("groupby", "melt", "merge", "pivot_table", "query", "to_dict")
"""What only the long frame answers as it is meant."""


def _wide(result: Any) -> pd.DataFrame:
    return getattr(result, "to_wide", result.to_frame)()


_SAME: dict[str, Callable[[Any], Any]] = {
    "df": lambda result: result.to_frame(),
    "to_pandas": lambda result: result.to_frame,
    "plot": lambda result: result.chart,
    "letters": lambda result: result.test(),
    **dict.fromkeys(("sig", "significance"), lambda result: result.test),
    **dict.fromkeys(("counts", "n"), lambda result: result.to_wide("sample")),
    **dict.fromkeys(("pct", "percent", "percentages"), lambda result: result.to_wide("column")),
    **{name: lambda result, name=name: getattr(_wide(result), name) for name in _OF_THE_FRAME},
    **{
        name: lambda result, name=name: getattr(result.to_frame(), name)
        for name in _OF_THE_LONG_FRAME
    },
}
"""What other programs call what a result has."""

_OF_A_TABLE = ("save", "to_excel", "to_pptx")
"""What a result that is not a table itself, such as a profile, does as its crosstab."""

_ELSEWHERE = {
    **dict.fromkeys(("hist", "pie"), ".chart.bar()"),
    "value_counts": '["sample"]',
    "index": '["index"], the metric, or .rows, the audiences',
    "to_excel": '.to_frame().to_excel("frame.xlsx"); table.to_excel("tabs.xlsx", '
    "comparison=table.test()) has the letters of a table",
    "sum": '.nets({"Name": [rows]})',
    "title": '.to_excel("table.xlsx", title="…")',
}
"""What people look for in a result, by what to write behind it instead."""


class Result(TextForms, HasFrame):
    """Mixin of results: what people type who know data frames."""

    __slots__ = ()

    if not TYPE_CHECKING:  # a type checker would not see a misspelt name any more

        def __getattr__(self, name: str) -> Any:
            if name.startswith("_") or hasattr(type(self), name):
                # Again, for the error of the property's own code, in place of one about the name.
                return object.__getattribute__(self, name)
            if name in _SAME:
                return _SAME[name](self)
            if name in _OF_A_TABLE and hasattr(type(self), "to_crosstab"):
                return getattr(self.to_crosstab(), name)
            message = f"{type(self).__name__!r} object has no attribute {name!r}"
            near = get_close_matches(name, dir(self), n=1, cutoff=0.75)
            if name == "boxes" and hasattr(type(self), "question"):
                row = f"client[{self.question!r}].top_box(2)"
                message += f". Boxes are rows of a crosstab: client.crosstab({row}, columns)"
            elif name in _ELSEWHERE:
                message += f". Write result{_ELSEWHERE[name]}"
            elif near:
                message += f". Did you mean {near[0]!r}?"
            else:
                message += ". Its data frame is result.to_frame()"
                message += ", a wide one result.to_wide()" if hasattr(type(self), "to_wide") else ""
            raise AttributeError(message)
