"""Tables of percentages as pandas styles them, without formats that take them for shares of 1."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, cast

if TYPE_CHECKING:
    import pandas as pd
    from pandas.io.formats.style import Styler


def styled(frame: pd.DataFrame) -> Styler:
    """A `Styler` of a frame of percentages; its `format` raises `ValueError` for "{:.1%}"."""
    from pandas.io.formats.style import Styler

    class PercentStyler(Styler):
        def format(self, formatter: Any = None, *given: Any, **named: Any) -> Styler:
            listed = (
                cast("Mapping[Any, Any]", formatter).values()
                if isinstance(formatter, Mapping)
                else [formatter]
            )
            for each in listed:
                if isinstance(each, str) and "%}" in each:
                    right = each.replace("%}", "f}%")
                    raise ValueError(
                        f"{each!r} is not valid: percentages run from 0 to 100, and it takes them "
                        f"for shares of 1. Write table.style.format({right!r})."
                    )
            return super().format(cast(Any, formatter), *given, **named)

    return PercentStyler(frame)
