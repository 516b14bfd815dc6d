"""What is typed at a result as if it were its own frame, refused in words that hold the remedy.

`result["index"]` and `result.head()` are what everybody tries who knows pandas. They are not made
to work: a result has more than one table, and which is meant is its reader's to say.
"""

from __future__ import annotations

from abc import abstractmethod
from typing import TYPE_CHECKING, NoReturn, cast

from audiencelab.frames.native import NarwhalsFrame
from audiencelab.wording import articled

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["HasFrame"]


class HasFrame(NarwhalsFrame):
    """A mixin for whatever has a frame, and is none."""

    __slots__ = ()

    @abstractmethod
    def to_frame(self) -> pd.DataFrame:
        """The long frame."""

    # Type checkers are not shown these: to them such a slip is a fault before anything runs.
    if not TYPE_CHECKING:

        def __getitem__(self, key: object) -> NoReturn:
            # A loop over a result without lines of its own comes here too, with 0.
            raise TypeError(f"{_refused(self)} {_taken(self, key)}")

        def __array__(self, dtype: object = None, copy: object = None) -> NoReturn:
            # numpy, and pandas.DataFrame(result), would make an array of Python objects.
            raise TypeError(
                f"{_refused(self)} write .to_frame() in place of pandas.DataFrame(…), and "
                ".to_frame().to_numpy() or one of its columns in place of numpy.asarray(…)."
            )

        def __getattr__(self, name: str) -> NoReturn:
            said = f"{type(self).__name__!r} object has no attribute {name!r}"
            if advice := _called(self, name):
                said = f"{said}. {_refused(self)} {advice}"
            raise AttributeError(said, name=name, obj=self)


def _refused(result: HasFrame) -> str:
    return f"A{articled(type(result).__name__)[1:]} is no frame, but has one:"


def _taken(result: HasFrame, key: object) -> str:
    """What to write for `result[key]`."""
    if isinstance(key, int | slice):
        return f"write .to_frame().iloc[{key if isinstance(key, int) else '…'}]."
    for method in ("to_frame", "to_wide"):
        made: pd.DataFrame | None = getattr(result, method)() if hasattr(result, method) else None
        if made is not None and _holds(made, key):
            return f"write .{method}()[{key!r}]."
    return f"write .to_frame(). Its columns are {', '.join(map(str, result.to_frame()))}."


def _holds(frame: pd.DataFrame, key: object) -> bool:
    keys = cast("list[object]", key) if isinstance(key, list) else [key]
    try:
        return bool(keys) and all(each in frame.columns for each in keys)
    except TypeError:  # nothing that a column could be called
        return False


def _called(result: HasFrame, name: str) -> str:
    """What to write for `result.name`, where a frame would have it; nothing otherwise."""
    if name.startswith("_"):
        return ""  # whoever looks for protocols gets a short answer
    import pandas as pd

    from audiencelab.frames.crosstab import FIGURES
    from audiencelab.wire import METRICS

    # The frame is made for names of figures alone: other libraries try many a name.
    if name in (*FIGURES, *METRICS) and name in result.to_frame():
        return f"write .to_frame()[{name!r}]."
    if not hasattr(pd.DataFrame, name):
        return ""
    return f"write .to_frame().{name}{'(…)' if callable(getattr(pd.DataFrame, name)) else ''}."
