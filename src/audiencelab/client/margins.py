"""Margins to rake to from what people have: mappings, Series, frames, other surveys."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias, cast

from audiencelab.client.catalogue import Catalogue, CatalogueQuestion
from audiencelab.client.errors import UnknownCodeError
from audiencelab.ingest.codebook import canonical_value
from audiencelab.survey.raking_targets import Margin, MarginCell

if TYPE_CHECKING:
    import pandas as pd

MarginName: TypeAlias = str | CatalogueQuestion
"""A question by its name or code, or of the catalogue."""

MarginKey: TypeAlias = MarginName | tuple[MarginName, ...]
"""A question, or several whose combinations of answers are the margin."""

MOST_OF_A_SURVEY = 12
"""Questions that another survey is raked to without being named."""


class OtherSurvey(Protocol):
    """A client of another survey, as far as margins need it."""

    @property
    def catalogue(self) -> Catalogue: ...

    def crosstab(self, rows: Any, columns: Any = None) -> Any: ...


class MarginReader:
    """Reads margins for a survey with that catalogue.

    margins: the questions of a frame or of another survey. count: the column of a frame with
    counts, or 1 for a row that counts one.
    """

    def __init__(
        self,
        catalogue: Callable[[], Catalogue],
        margins: Iterable[MarginKey] | MarginKey | None,
        count: str | int | None,
    ) -> None:
        self._catalogue = catalogue
        self._chosen = [_names(each) for each in _listed(margins)]
        self._count = count

    def read(self, targets: object) -> tuple[Margin, ...]:
        """The margins; raises `TypeError` or `ValueError` for anything else."""
        if isinstance(targets, Mapping):
            named = cast("Mapping[MarginKey, Any]", targets)
            return tuple(self._margin(_names(key), value) for key, value in named.items())
        if _is_client(targets):
            other = cast(OtherSurvey, targets)
            return tuple(_of_client(names, other) for names in self._of_survey(other))
        if hasattr(targets, "columns"):
            return tuple(self._of_whole_frame(_as_pandas(targets)))
        raise TypeError(
            "targets must be a mapping of questions, a frame of the population, or a client of "
            f"another survey; got {type(targets).__name__}. Write "
            '{"Gender": {"Female": 51, "Male": 49}}.'
        )

    def _margin(self, names: tuple[str, ...], given: Any) -> Margin:
        if _is_client(given):
            return _of_client(names, given)
        if hasattr(given, "columns"):
            return self._of_frame(names, _as_pandas(given))
        if hasattr(given, "index") and hasattr(given, "items"):
            given = dict(given.items())
        if not isinstance(given, Mapping):
            raise TypeError(
                f"The target of {' × '.join(names)} must be shares by answer, such as "
                f'{{"Female": 51, "Male": 49}}; got {type(given).__name__}.'
            )
        cells = list(_cells(names, cast("Mapping[Any, Any]", given)))
        return made_margin(names, cells)

    # ---- frames ----

    def _of_frame(self, names: tuple[str, ...], frame: pd.DataFrame) -> Margin:
        """A frame of one margin: columns of answers and of counts, or answers as its index."""
        columns = self._columns(names, frame)
        if columns is None and len(names) == 2 and len(frame.columns) > 2:
            # Answers of the one question down, of the other across.
            return self._margin(names, frame.stack().to_dict())
        numeric = [each for each in frame.columns if _is_number(frame[each])]
        if columns is None and len(names) == 1:
            others = [each for each in frame.columns if each not in numeric]
            counts = self._count if isinstance(self._count, str) else None
            if len(numeric) == 1 and len(others) <= 1:
                counts = counts or numeric[0]
            if counts is not None and len(others) <= 1:
                answers = frame[others[0]] if others else frame.index
                return made_margin(names, _summed([answers], frame[counts]))
        if columns is None:
            raise ValueError(
                f"The frame for {' × '.join(names)} must have a column of answers and one of "
                f"counts; it has {', '.join(map(str, frame.columns))}."
            )
        counts = self._counts(frame, columns)
        return made_margin(names, _summed([frame[each] for each in columns], counts))

    def _of_whole_frame(self, frame: pd.DataFrame) -> Iterator[Margin]:
        """The margins of a population: a row for each person, or for each combination."""
        known = self._catalogue()
        chosen = self._chosen or [(str(each),) for each in frame.columns if str(each) in known]
        if not chosen:
            raise ValueError(
                "The frame has no column that is called as a question: "
                f"{', '.join(map(str, frame.columns))}. Rename its columns, or write "
                '{"Gender": frame}.'
            )
        used = list(dict.fromkeys(name for names in chosen for name in names))
        columns = self._columns(tuple(used), frame)
        if columns is None:
            raise ValueError(
                f"margins= names {', '.join(used)}; the frame has columns "
                f"{', '.join(map(str, frame.columns))}."
            )
        by_name = dict(zip(used, columns, strict=True))
        counts = self._counts(frame, columns)
        for names in chosen:
            cells = _summed([frame[by_name[name]] for name in names], counts)
            yield made_margin(names, shares_of(cells))

    def _columns(self, names: tuple[str, ...], frame: pd.DataFrame) -> list[Any] | None:
        """The columns of questions; None where one has none."""
        found: list[Any] = []
        for name in names:
            called = self._called(name)
            column = [each for each in frame.columns if str(each).casefold() in called]
            if len(column) != 1:
                return None
            found += column
        return found

    def _called(self, name: str) -> set[str]:
        """What a column may be called that holds a question."""
        try:
            question = self._catalogue()[name]
        except UnknownCodeError:
            # The survey refuses it, together with all else that is unknown.
            return {name.casefold()}
        words = (name, question.name, question.code, question.canonical)
        return {each.casefold() for each in words}

    def _counts(self, frame: pd.DataFrame, columns: Sequence[Any]) -> pd.Series[Any]:
        """What each row counts."""
        import pandas as pd

        if isinstance(self._count, str):
            if self._count not in frame.columns:
                raise ValueError(
                    f"count={self._count!r} is not a column of the frame: it has "
                    f"{', '.join(map(str, frame.columns))}."
                )
            return frame[self._count]
        one = pd.Series(1.0, frame.index)
        others = [each for each in frame.columns if each not in columns and _is_number(frame[each])]
        if self._count is not None or not others:
            return one
        # Each combination once: a table of counts, and no persons.
        if len(others) == 1 and not frame.duplicated(list(columns)).any():
            return frame[others[0]]
        raise ValueError(
            f"A row of the frame counts one, or what a column says: write count=1, or "
            f"{' or '.join(f'count={str(each)!r}' for each in others)}."
        )

    # ---- other surveys ----

    def _of_survey(self, other: OtherSurvey) -> list[tuple[str, ...]]:
        """The margins of another survey that are named, or of questions that both have."""
        if self._chosen:
            return self._chosen
        mine, theirs = (
            [each.name for each in catalogue if each.record.kind == "single"]
            for catalogue in (self._catalogue(), other.catalogue)
        )
        both = [(name,) for name in theirs if name in mine]
        if not 0 < len(both) <= MOST_OF_A_SURVEY:
            raise ValueError(
                f"The surveys have {len(both)} questions with one answer and the same name. Name "
                'those to rake to: margins=["Gender", "Age"].'
            )
        return both


def made_margin(names: tuple[str, ...], cells: Iterable[tuple[tuple[str, ...], float]]) -> Margin:
    """A margin of one question or of several."""
    if len(names) == 1:
        return Margin(names[0], {answers[0]: share for answers, share in cells})
    return Margin(questions=names, cells=tuple(MarginCell(*each) for each in cells))


def shares_of(
    cells: Iterable[tuple[tuple[str, ...], float]],
) -> list[tuple[tuple[str, ...], float]]:
    """Counts as shares of their sum, which are not compared with 100."""
    listed = list(cells)
    total = sum(count for _, count in listed)
    return [(answers, count / total if total else count) for answers, count in listed]


def _listed(margins: Iterable[MarginKey] | MarginKey | None) -> list[Any]:
    """Margins as a list; one may be given alone, and a tuple is one of several questions."""
    if margins is None:
        return []
    alone = isinstance(margins, str | tuple | CatalogueQuestion)
    return [margins] if alone else [*cast("Iterable[Any]", margins)]


def _names(key: Any) -> tuple[str, ...]:
    several = _tuple(key)
    names = [each if isinstance(each, str) else getattr(each, "code", None) for each in several]
    if not names or not all(isinstance(each, str) for each in names):
        raise TypeError(f"A margin is of a question, by name or code, or of several; got {key!r}.")
    return tuple(cast("list[str]", names))


def _cells(
    names: tuple[str, ...], given: Mapping[Any, Any]
) -> Iterator[tuple[tuple[str, ...], float]]:
    """The cells of a mapping: by answer, by tuples of answers, or by answers inside each other."""
    for key, value in given.items():
        first = tuple(_answer(each) for each in _tuple(key))
        if isinstance(value, Mapping) and len(names) > len(first):
            inner = _cells(names[len(first) :], cast("Mapping[Any, Any]", value))
            yield from ((first + rest, share) for rest, share in inner)
        else:
            yield first, _share(names, key, value)


def _share(names: tuple[str, ...], key: Any, value: Any) -> float:
    try:
        if isinstance(value, bool | str):
            raise TypeError
        return float(value)
    except (TypeError, ValueError):
        raise TypeError(
            f"The share of {key!r} of {' × '.join(names)} must be a number; got {value!r}."
        ) from None


def _answer(given: Any) -> str:
    """An answer as text, as the values of a file are written."""
    # Numbers of numpy and pandas have types of their own.
    plain = given.item() if hasattr(given, "item") else given
    return canonical_value(plain) if isinstance(plain, str | int | float) else str(plain)


def _summed(answers: Sequence[Any], counts: pd.Series[Any]) -> list[tuple[tuple[str, ...], float]]:
    """The sum of counts of each combination of answers, in the order of the rows."""
    import pandas as pd

    frame = pd.DataFrame({place: pd.Series(each).to_numpy() for place, each in enumerate(answers)})
    frame["count"] = counts.to_numpy()
    columns = list(range(len(answers)))
    known = frame.dropna(subset=columns)
    sums = known.groupby(columns, sort=False, observed=True)["count"].sum()
    keys = [_tuple(each) for each in sums.index]
    return [(tuple(map(_answer, key)), float(each)) for key, each in zip(keys, sums, strict=True)]


def _tuple(given: Any) -> tuple[Any, ...]:
    return cast("tuple[Any, ...]", given) if isinstance(given, tuple) else (given,)


def _is_number(column: Any) -> bool:
    from pandas.api.types import is_bool_dtype, is_numeric_dtype

    return is_numeric_dtype(column) and not is_bool_dtype(column)


def _as_pandas(given: Any) -> pd.DataFrame:
    import pandas as pd

    if isinstance(given, pd.DataFrame):
        return given
    made = given.to_pandas() if hasattr(given, "to_pandas") else given.to_frame()
    return cast("pd.DataFrame", made)


def _is_client(given: object) -> bool:
    return hasattr(given, "crosstab") and hasattr(given, "catalogue")


def _of_client(names: tuple[str, ...], other: OtherSurvey) -> Margin:
    """The margin that another survey has, by its weight and its base."""
    if len(names) > 2:
        raise ValueError(
            f"A margin of another survey is of one question or two; got {' × '.join(names)}. Make "
            "a frame of it: other.respondents(questions=[…])."
        )
    table = other.crosstab(*(other.catalogue[each] for each in names)).to_frame()
    ends = ("row", "column")[: len(names)]
    cells = [
        (tuple(str(each) for each in key), float(size))
        for *key, size in table[[*ends, "size"]].itertuples(index=False)
    ]
    return made_margin(names, shares_of((key, size) for key, size in cells if size > 0))
