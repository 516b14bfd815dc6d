"""Whether answers or audiences can share a respondent."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar, cast

import numpy as np
from numpy.typing import NDArray

from audiencelab.errors import AudienceError
from audiencelab.expressions import And, Expression, Leaf, Or
from audiencelab.expressions.codes import WAVES
from audiencelab.flags import flag
from audiencelab.results.stats import StatsData
from audiencelab.schema import StatsRow

Size = TypeVar("Size", float, NDArray[np.float64])


_SHORTLIST = 12
"""Names in an error: enough to see what they look like."""


class OverlappingAnswers(AudienceError, ValueError):
    """Answers were to be added up that a respondent may give together."""


@dataclass(frozen=True, slots=True)
class Column:
    """One audience in one segment: the rows of its answers by datapoint; nets are none."""

    segment: str | None
    audience: str | None
    rows: dict[str, StatsRow]

    @property
    def sample(self) -> float:
        """Respondents in the audience, those who were not asked among them."""
        return max((row.metrics.audience_sample for row in self.rows.values()), default=0.0)

    @property
    def size(self) -> float:
        """People in the audience."""
        return max((row.metrics.audience_size for row in self.rows.values()), default=0.0)

    @property
    def waves(self) -> list[str]:
        """The waves that the column rests on."""
        return list(dict.fromkeys(wave for row in self.rows.values() for wave in row.waves))


def answers_of(result: StatsData) -> tuple[str, ...]:
    """Datapoint codes of the answers alone, without the nets that were added.

    Nets hold the same people once more, so they must not be added up with the answers.
    """
    added = result.provenance.get("nets", {})
    return tuple(code for code in result.datapoints if code not in added)


def columns_of(result: StatsData) -> list[Column]:
    """The columns of a result in its order."""
    answers = set(answers_of(result))
    made: dict[tuple[str | None, str | None], Column] = {}
    for row in result.rows:
        if row.datapoint in answers:
            key = (row.segment, row.audience)
            made.setdefault(key, Column(*key, {})).rows[row.datapoint] = row
    return list(made.values())


def codes_of(result: StatsData, answers: Iterable[str]) -> list[str]:
    """Datapoint codes of answers given by code or by name; `ValueError` for one that is not there.

    A name that several datapoints share names none of them.
    """
    known, names = answers_of(result), result.labels.datapoints
    if isinstance(answers, str):
        answers = [answers]
    if not isinstance(cast(object, answers), Iterable):
        raise TypeError(f"Answers are given in a list, by code or name, not as {answers!r}.")
    codes: dict[str, None] = {}
    for answer in answers:
        found = [answer] if answer in known else [c for c in known if names.get(c) == answer]
        if len(found) != 1:
            told = shortlist(f"{code} ({names.get(code) or code})" for code in known)
            raise ValueError(f"No one answer {answer!r} in this result. There are {told}.")
        codes[found[0]] = None
    return list(codes)


def shortlist(names: Iterable[str]) -> str:
    """The first of some names, and how many more there are."""
    listed = list(names)
    more = len(listed) - _SHORTLIST
    return ", ".join(listed[:_SHORTLIST]) + (f" and {more:,} more" if more > 0 else "")


def require_disjoint(result: StatsData, columns: Sequence[Column], disjoint: bool) -> None:
    """Raise `OverlappingAnswers` unless no respondent can have given two of the answers.

    The kind of the question decides, where the service says it. Otherwise the figures do: where
    every column that has respondents has as many answers as respondents, and its answers
    weigh as much as its people do, each respondent is taken to have given one: a question of
    several answers may come to the same number by chance, in a small column, but hardly to the
    same weight too. More answers than respondents disprove it, and so do answers that weigh more
    than the whole base. Otherwise it takes somebody who knows the question.
    """
    if result.kind == "single":
        return
    advice = (
        "Ask the service for people who gave any of them: "
        f"al.Q({result.question!r}).any({', '.join(map(repr, answers_of(result)[:2]))}, …)."
    )
    if result.kind is not None:
        raise OverlappingAnswers(
            f"The answers to {result.question} cannot be added up: respondents may give several "
            f"(it is a {result.kind} question). {advice}"
        )
    counted = [(_answers(column), column.sample) for column in columns]
    for answers, respondents in counted:
        if answers > respondents:
            raise OverlappingAnswers(
                f"Respondents gave several answers to {result.question} ({answers:,.0f} answers, "
                f"{respondents:,.0f} respondents), so they cannot be added up. {advice}"
            )
    if any(_outweighs_base(column) for column in columns):
        raise OverlappingAnswers(
            f"Respondents gave several answers to {result.question}, if not in these audiences "
            f"then in their base, so they cannot be added up. {advice}"
        )
    if flag("disjoint", disjoint):
        return
    for column, (answers, respondents) in zip(columns, counted, strict=True):
        if answers != respondents or not _weighs_as_its_answers(column):
            raise OverlappingAnswers(
                f"Nothing tells that {result.question} takes one answer only ({answers:,.0f} "
                f"answers, {respondents:,.0f} respondents). If it does, say disjoint=True. "
                f"Otherwise: {advice}"
            )


def _weighs_as_its_answers(column: Column) -> bool:
    sizes = [row.metrics.positive_size for row in column.rows.values()]
    return abs(sum(sizes) - column.size) <= rounding(len(sizes), column.size)


def _outweighs_base(column: Column) -> bool:
    """Whether the answers of the whole base weigh more than the base, as far as it is told."""
    rows = [row.metrics for row in column.rows.values()]
    widest = max(rows, key=lambda row: row.positive_size, default=None)
    if widest is None or not widest.positive_size > 0:
        return False
    # The index tells the base; a service that rounds it to one decimal tells it less exactly.
    index = widest.audience_index + _INDEX_ROUNDING
    base = index / 100 * widest.datapoint_size * column.size / widest.positive_size
    return sum(row.datapoint_size for row in rows) > base + rounding(len(rows), base)


_INDEX_ROUNDING = 0.05


def rounding(answers: int, size: Size) -> Size:
    """By how much sums of sizes may miss their whole: services round each to whole people."""
    return (answers + 1) / 2 + 1e-9 * size


def heads_of(result: StatsData, columns: Sequence[Column]) -> dict[str, Any]:
    """The columns of a frame that say which column of the result a line is about."""
    import pandas as pd

    def ordered(names: list[str]) -> Any:
        return pd.Categorical(names, categories=list(dict.fromkeys(names)), ordered=True)

    heads: dict[str, Any] = {"question": [result.question] * len(columns)}
    if result.splitter:
        codes = [column.segment or "" for column in columns]
        labels = [result.labels.segments.get(code) or code for code in codes]
        heads |= {"segment": codes, "segment_label": ordered(labels)}
    if result.audiences:
        ids = [column.audience or "" for column in columns]
        heads |= {
            "audience": ids,
            "audience_name": ordered([result.audience_name(each) for each in ids]),
        }
    return heads


def _answers(column: Column) -> float:
    return sum(row.metrics.positive_sample for row in column.rows.values())


Kinds = Mapping[str, str]
"""Whether respondents give one answer ("single") or several, by question, where it is known."""


def separate(one: Expression, other: Expression, kinds: Kinds) -> bool:
    """Whether nobody can be in both; False where it does not follow."""
    for first, second in ((one, other), (other, one)):
        if isinstance(first, Or):
            return all(separate(child, second, kinds) for child in first.children)
        if isinstance(first, And):
            return any(separate(child, second, kinds) for child in first.children)
    return isinstance(one, Leaf) and isinstance(other, Leaf) and _apart(one, other, kinds)


def of_one_question(one: Expression, other: Expression, kinds: Kinds) -> bool:
    """Whether both are answers to one question of which respondents give several."""
    if not (isinstance(one, Leaf) and isinstance(other, Leaf)):
        return False
    several = kinds.get(one.question, "single") != "single"
    return one.question == other.question and several and not (one.negated or other.negated)


def _apart(one: Leaf, other: Leaf, kinds: Kinds) -> bool:
    if one.question != other.question or not (one.datapoints and other.datapoints):
        return False
    first, second = set(one.datapoints), set(other.datapoints)
    if one.negated and other.negated:
        return False
    if one.negated or other.negated:
        none, some = (first, second) if one.negated else (second, first)
        denied = one if one.negated else other
        return denied.min_count == 1 and not denied.suffixes and some <= none
    single = one.question == WAVES or kinds.get(one.question) == "single"
    return single and not first & second
