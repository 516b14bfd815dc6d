"""What a word reads that other programs call: a frame and a number that may be called."""

from __future__ import annotations

from typing import Any

import pandas as pd


class CalledFrame(pd.DataFrame):
    """A frame that a word reads, and that may be called as the method of another program.

    The figures of a test have the names that scipy gives them: `p_value`, `statistic`.
    """

    @property
    def _constructor(self) -> type[pd.DataFrame]:
        return pd.DataFrame

    def __call__(self, *_: Any, **__: Any) -> pd.DataFrame:
        return self

    @property
    def p_value(self) -> Any:
        """The p value of a test, a number where there is one."""
        found = self["p"]
        return found.iloc[0] if len(found) == 1 else found

    pvalue = p_values = pvalues = p_value

    @property
    def statistic(self) -> Any:
        """The statistic of a test."""
        found = self["F"]
        return found.iloc[0] if len(found) == 1 else found


class CalledNumber(float):
    """A number that may be called as the method of another program."""

    def __call__(self, *_: Any, **__: Any) -> CalledNumber:
        return self
