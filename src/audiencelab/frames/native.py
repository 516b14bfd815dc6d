"""Results as data frames for libraries that read frames through narwhals, such as altair.

`alt.Chart(result)`, `px.bar(result)` and `narwhals.from_native(result)` all ask for
`__narwhals_dataframe__`, and get the result's own frame.
"""

from __future__ import annotations

from abc import abstractmethod
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["NarwhalsFrame"]


class NarwhalsFrame:
    """A mixin for whatever has a frame."""

    __slots__ = ()

    @abstractmethod
    def to_frame(self) -> pd.DataFrame:
        """The frame that other libraries get."""

    def __narwhals_dataframe__(self) -> Any:
        """The frame as narwhals takes it; narwhals alone calls this, so it is installed."""
        import narwhals

        frame: Any = narwhals.from_native(self.to_frame())
        return frame._compliant_frame
