"""What all results share: the forms of other programs, and what people type who know frames."""

from __future__ import annotations

from difflib import get_close_matches
from typing import TYPE_CHECKING, Any

from audiencelab.render.text_forms import TextForms
from audiencelab.results.arrow import HasFrame

_OF_THE_FRAME = ("T", "head", "iloc", "loc", "round", "sort_values", "style", "tail", "to_json")
"""What a result has of the frame that it shows; sums and means of percentages are misleading."""

_OF_THE_LONG_FRAME = ("groupby", "melt", "merge", "pivot_table", "query", "to_dict")
"""What only the long frame answers as it is meant."""

_METRICS = {
    **dict.fromkeys(("counts", "n"), "sample"),
    **dict.fromkeys(("pct", "percent", "percentages"), "column"),
}
"""Metrics by the words that people have for them."""

_ELSEWHERE = {
    **dict.fromkeys(("hist", "pie", "plot"), ".chart.bar()"),
    "value_counts": '["sample"]',
    **dict.fromkeys(("letters", "sig", "significance"), ".test()"),
    "index": '["index"], the metric, or .rows, the audiences',
    "save": '.to_excel("table.xlsx")',
    "sum": '.nets({"Name": [rows]})',
    "title": '.to_excel("table.xlsx", title="…")',
}
"""What people look for in a result, by what to write behind it instead."""


class Result(TextForms, HasFrame):
    """Mixin of results: what people type who know data frames."""

    __slots__ = ()

    if not TYPE_CHECKING:  # a type checker would not see a misspelt name any more

        def __getattr__(self, name: str) -> Any:
            if name.startswith("_"):
                raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")
            if name == "to_pandas":
                return self.to_frame
            if name == "df":
                return self.to_frame()
            if name in _OF_THE_LONG_FRAME:
                return getattr(self.to_frame(), name)
            if name in _METRICS and hasattr(type(self), "to_wide"):
                return self.to_wide(_METRICS[name])
            if name in _OF_THE_FRAME:
                wide = getattr(type(self), "to_wide", type(self).to_frame)
                return getattr(wide(self), name)
            message = f"{type(self).__name__!r} object has no attribute {name!r}"
            near = get_close_matches(name, dir(self), n=1, cutoff=0.75)
            if name in _ELSEWHERE:
                message += f". Write result{_ELSEWHERE[name]}"
            elif near:
                message += f". Did you mean {near[0]!r}?"
            else:
                message += ". Its data frame is result.to_frame()"
                message += ", a wide one result.to_wide()" if hasattr(type(self), "to_wide") else ""
            raise AttributeError(message)
