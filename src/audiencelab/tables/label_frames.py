"""Wide frames whose rows and columns are found by their labels, with their groups or without.

`table["column"]["Female"]` is the column of `("Gender", "Female")`, where one label is called so.
"""

from __future__ import annotations

from typing import Any, cast

import pandas as pd


class WideFrame(pd.DataFrame):
    """A wide frame with groups above its labels; what is made of it is a frame of pandas."""

    @property
    def _constructor(self) -> type[pd.DataFrame]:
        return pd.DataFrame

    def __getitem__(self, key: Any) -> Any:
        try:
            found: Any = cast(Any, super()).__getitem__(key)
        except KeyError:
            if not _is_label(key):
                raise
            found = cast(Any, by_last_level(self))[key]
        return found

    @property
    def loc(self) -> Any:
        """Values by labels of rows and columns."""
        return _ByLabels(super().loc, pd.DataFrame(self).loc, by_last_level(self).loc)

    @property
    def at(self) -> Any:
        """One value by its labels."""
        return _ByLabels(super().at, pd.DataFrame(self).at, by_last_level(self).at)


class _ByLabels:
    """An indexer of the frame with its groups, and of the same without them."""

    def __init__(self, own: Any, whole: Any, labels: Any) -> None:
        # pandas reads parts of the frame's own indexer, and would find this one there.
        self._own, self._whole, self._labels = own, whole, labels

    def __getitem__(self, key: Any) -> Any:
        try:
            return self._whole[key]
        except (KeyError, TypeError, ValueError):
            return self._labels[key]

    def __setitem__(self, key: Any, value: Any) -> None:
        self._own[key] = value


def _is_label(key: Any) -> bool:
    listed = cast("list[Any]", key if isinstance(key, list) else [key])
    return all(isinstance(each, str) for each in listed)


def with_labels(frame: pd.DataFrame) -> pd.DataFrame:
    """The same frame, found by labels too; one without groups is as it was."""
    if not isinstance(frame.columns, pd.MultiIndex) and not isinstance(frame.index, pd.MultiIndex):
        return frame
    made = WideFrame(frame)
    made.attrs.update(frame.attrs)
    return made


def by_last_level(frame: pd.DataFrame) -> pd.DataFrame:
    """A copy with the labels alone, after their groups where two are called the same."""
    made = pd.DataFrame(frame)
    made.attrs.update(frame.attrs)
    if isinstance(made.index, pd.MultiIndex):
        made.index = pd.Index(_names_of(made.index), name="row")
    if isinstance(made.columns, pd.MultiIndex):
        made.columns = pd.Index(_names_of(made.columns), name="column")
    return made


def _names_of(labels: pd.MultiIndex) -> list[str]:
    last = [each[-1] for each in labels]
    return [
        name if last.count(name) == 1 else " › ".join(filter(None, map(str, whole)))
        for name, whole in zip(last, labels, strict=True)
    ]
