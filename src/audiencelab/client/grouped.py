"""A client by groups, and its respondents by conditions, as pandas and dplyr write them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any, cast

from audiencelab.client.query_lines import VERBS
from audiencelab.lines import CallCode, code_of, write_instead
from audiencelab.unknown_names import OtherWords

_OF_NUMBERS = (
    *("describe", "mean", "median", "nps", "proportion", "quantile", "ratio"),
    *("standard_deviation", "total"),
)
_COUNTS = ("size", "count", "n", "tally")


class Grouped(OtherWords):
    """A client by groups: `client.groupby("gender")["income"].mean()`.

    A verb of the client gives its estimates by these groups.

    >>> client.groupby("Gender")["Age"].mean().to_frame()["value"].round(1).tolist()[:2]
    [45.3, 46.3]
    """

    __slots__ = ("_by", "_client", "_questions")

    def __init__(self, client: Any, by: Any, questions: Any = None) -> None:
        self._client, self._by, self._questions = client, by, questions

    def __getitem__(self, questions: Any) -> Grouped:
        return Grouped(self._client, self._by, questions)

    __iter__ = None

    def agg(self, *given: Any, **named: Any) -> Any:
        """Statistics by name: `agg("mean")`, `agg({"q3": "mean"})`, `summarise(m=("q3", "mean"))`.

        Of several statistics, which have a table each, the result is a frame of all.
        """
        wanted: list[tuple[Any, Any]] = []
        for each in (*given, *named.values()):
            if isinstance(each, Mapping):
                wanted += cast("Mapping[Any, Any]", each).items()
            elif isinstance(each, tuple):
                wanted.append(cast("tuple[Any, Any]", each))
            elif isinstance(each, list):
                wanted += [(self._questions, one) for one in cast("list[Any]", each)]
            else:
                wanted.append((self._questions, each))
        found = [
            asked_for(self._client, one, question, self._by)
            for question, functions in wanted
            for one in cast("list[Any]", functions if isinstance(functions, list) else [functions])
        ]
        if len(found) == 1:
            return found[0]
        import pandas as pd

        frames = [each.to_frame() if hasattr(each, "to_frame") else each for each in found]
        return pd.concat(frames, ignore_index=True)

    def __dir__(self) -> list[str]:
        return sorted((*_OF_NUMBERS, "agg", "size", "value_counts"))

    def __repr__(self) -> str:
        return f"<{self._client!r} by {self._by!r}>"

    def _phrase(self, name: str) -> Callable[..., Any] | None:
        if name in ("aggregate", "summarise", "summarize"):
            return lambda: self.agg
        if name in _COUNTS:
            return lambda: self._counts
        if name in ("value_counts", "crosstab"):
            return lambda: self._crosstab
        verb = name.removeprefix("survey_").removeprefix("svy")
        known = verb in VERBS or verb in _OF_NUMBERS
        return (lambda: partial(self._verb, verb)) if known else None

    def _verb(self, name: str, *given: Any, **named: Any) -> Any:
        questions, rest = (self._questions, given) if self._questions is not None else (None, given)
        if questions is None and given:
            questions, rest = given[0], given[1:]
        if questions is None:
            call = CallCode("client", "summary_table", (), {"by": self._by})
            write_instead(f"{name}() of groups needs questions.", str(call))
        return asked_for(self._client, name, questions, self._by, *rest, **named)

    def _counts(self, *_: Any, **__: Any) -> Any:
        return self._client.size(self._by)

    def _crosstab(self, rows: Any = None, *_: Any, **named: Any) -> Any:
        return self._client.crosstab(self._questions if rows is None else rows, self._by)


class Located:
    """A client as `loc` of pandas chooses respondents and questions: `client.loc[young, "q3"]`."""

    __slots__ = ("_client",)

    def __init__(self, client: Any) -> None:
        self._client = client

    def __getitem__(self, key: Any) -> Any:
        parts: list[Any] = [*cast("list[Any]", key)] if isinstance(key, tuple) else [key]
        several = len(parts) == 2
        # client.loc[:, "q3"] is of everyone.
        client = self._filtered(parts[0] if several else cast(Any, key))
        questions = parts[1] if several else None
        return client if questions is None else client[questions]

    def _filtered(self, base: object) -> Any:
        everyone = base.__class__ is slice
        return self._client if everyone else self._client.filter(base)


def nested(by: Any) -> Any:
    """Several questions one within the other, as groups of pandas and R are."""
    if not isinstance(by, list | tuple):
        return by
    listed = [*cast("list[Any]", by)]
    codes = [getattr(each, "code", each) for each in listed]
    if len(codes) > 1 and all(isinstance(each, str) for each in codes):
        return " > ".join(codes)
    return listed[0] if len(listed) == 1 else listed


def asked_for(
    client: Any, function: Any, questions: Any, by: Any, *given: Any, **named: Any
) -> Any:
    """What a verb of a client says of questions by groups; the verb may be called otherwise."""
    if not isinstance(function, str) and not hasattr(function, "__name__"):
        write_instead(
            "A statistic of groups is named, with its question.",
            f"client.summary_table(by={code_of(by)})",
        )
    word = str(getattr(function, "__name__", function)).casefold()
    verb = VERBS.get(word, VERBS.get(word.removeprefix("svy"), word.removeprefix("svy")))
    if verb in (*_COUNTS, "len"):
        return client.size(by) if questions is None else client.crosstab(questions, by)
    if questions is None:
        write_instead(
            f"{word} of groups needs a question.", f"client.summary_table(by={code_of(by)})"
        )
    if verb not in _OF_NUMBERS:
        verbs = ", ".join(_OF_NUMBERS)
        write_instead(
            f"{word!r} is not a statistic of a client; they are {verbs}.",
            f"client.describe({code_of(questions)}, by={code_of(nested(by))})",
        )
    if by is not None:
        named["by"] = nested(by)
    return getattr(client, verb)(questions, *given, **named)
