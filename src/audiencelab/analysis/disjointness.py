"""Whether answers or audiences can share a respondent, and the columns of a stats result."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import reduce
from itertools import combinations
from typing import TYPE_CHECKING, TypeVar, cast

import numpy as np
from numpy.typing import NDArray

from audiencelab.errors import AudienceError
from audiencelab.expressions import And, Expression, Leaf, NumberRange, Or
from audiencelab.expressions.codes import WAVES
from audiencelab.expressions.nodes import parts_of
from audiencelab.flags import flag
from audiencelab.results.all_waves import waves_of
from audiencelab.results.crosstab import CrosstabData
from audiencelab.results.dtypes import ordered
from audiencelab.results.stats import StatsData
from audiencelab.schema import StatsRow

if TYPE_CHECKING:
    import pandas as pd

Floats = NDArray[np.float64]
Size = TypeVar("Size", float, Floats)

Kinds = Mapping[str, str]
"""Whether respondents give one answer ("single") or several, by question, where it is known."""

COMMON = ("column_size", "column_sample", "base_size", "base_sample")
"""What the rows of a net have in common if they rest on the same waves."""

_SHORTLIST = 12
"""Names in an error: enough to see what they look like."""

_INDEX_ROUNDING = 0.05
"""Half the last decimal of an index that a service rounds."""


class OverlappingAnswers(AudienceError, ValueError):
    """Answers that a respondent may give together were to be added up."""


@dataclass(frozen=True, slots=True)
class ComparedColumn:
    """One audience in one segment: the rows of its answers by datapoint, without nets."""

    segment: str | None
    audience: str | None
    rows: dict[str, StatsRow]

    @property
    def sample(self) -> float:
        """Respondents in the audience, whether they were asked or not."""
        # Rows that rest on fewer waves have fewer respondents: the largest is the column's.
        return max((row.metrics.audience_sample for row in self.rows.values()), default=0.0)

    @property
    def size(self) -> float:
        """People in the audience."""
        return max((row.metrics.audience_size for row in self.rows.values()), default=0.0)

    @property
    def waves(self) -> list[str]:
        """The waves that the column rests on."""
        return list(dict.fromkeys(wave for row in self.rows.values() for wave in row.waves))

    @property
    def answers(self) -> tuple[float, float]:
        """How many answers were given, by people and by respondents."""
        metrics = [row.metrics for row in self.rows.values()]
        return sum(each.positive_size for each in metrics), sum(
            each.positive_sample for each in metrics
        )


def answers_of(result: StatsData) -> tuple[str, ...]:
    """Datapoint codes of the answers alone, without nets, which contain the same people again."""
    added = result.provenance.get("nets", {})
    return tuple(code for code in result.datapoints if code not in added)


def columns_of(result: StatsData) -> list[ComparedColumn]:
    """The columns of a result in its order."""
    answers = set(answers_of(result))
    made: dict[tuple[str | None, str | None], ComparedColumn] = {}
    for row in result.rows:
        if row.datapoint in answers:
            key = (row.segment, row.audience)
            made.setdefault(key, ComparedColumn(*key, {})).rows[row.datapoint] = row
    return list(made.values())


def column_frame(result: StatsData, columns: Sequence[ComparedColumn]) -> pd.DataFrame:
    """A frame with the columns that identify these columns of the result."""
    import pandas as pd

    named: dict[str, object] = {"question": [result.question] * len(columns)}
    if result.splitter:
        codes = [column.segment or "" for column in columns]
        labels = [result.labels.segments.get(code) or code for code in codes]
        named |= {"segment": codes, "segment_label": ordered(labels)}
    if result.audiences:
        ids = [column.audience or "" for column in columns]
        names = [result.audience_name(each) for each in ids]
        named |= {"audience": ids, "audience_name": ordered(names)}
    return pd.DataFrame(named)


def codes_of(result: StatsData, answers: Iterable[str]) -> list[str]:
    """Datapoint codes of answers given by code or by name.

    Raises `ValueError` for an answer that is not there, and for a name of several datapoints.
    """
    if not isinstance(cast(object, answers), Iterable):
        raise TypeError(f"Answers must be a list of codes or names; got {answers!r}.")
    known, names = answers_of(result), result.labels.datapoints
    codes: dict[str, None] = {}
    for answer in [answers] if isinstance(answers, str) else answers:
        found = [answer] if answer in known else [c for c in known if names.get(c) == answer]
        if len(found) != 1:
            listed = shortlist(f"{code} ({names.get(code) or code})" for code in known)
            raise ValueError(f"No one answer {answer!r} in this result. There are {listed}.")
        codes[found[0]] = None
    return list(codes)


def shortlist(names: Iterable[str]) -> str:
    """The first of some names, and how many more there are."""
    listed = list(names)
    more = len(listed) - _SHORTLIST
    return ", ".join(listed[:_SHORTLIST]) + (f" and {more:,} more" if more > 0 else "")


def require_disjoint(result: StatsData, columns: Sequence[ComparedColumn], disjoint: bool) -> None:
    """Raise `OverlappingAnswers` unless no respondent can have given two of the answers.

    The kind of the question decides if it is known. Otherwise the counts do: each respondent is
    taken to have given one answer if every column has as many answers as respondents, of the same
    weight. By chance answers may add up to the same number, but hardly to the same weight. More
    answers than respondents, or a larger weight than the base's, disprove it.
    """
    if result.kind == "single":
        return
    question = result.question
    advice = (
        "Ask the service for people who gave any of them: "
        f"al.Q({question!r}).any({', '.join(map(repr, answers_of(result)[:2]))}, …)."
    )
    if result.kind is not None:
        raise OverlappingAnswers(
            f"The answers to {question} cannot be added up: respondents may give several "
            f"(it is a {result.kind} question). {advice}"
        )
    for column in columns:
        _, answers = column.answers
        if answers > column.sample:
            raise OverlappingAnswers(
                f"Respondents gave several answers to {question} ({answers:,.0f} answers, "
                f"{column.sample:,.0f} respondents), so they cannot be added up. {advice}"
            )
    if any(_outweighs_base(column) for column in columns):
        raise OverlappingAnswers(
            f"Respondents gave several answers to {question}, if not in these audiences "
            f"then in their base, so they cannot be added up. {advice}"
        )
    if flag("disjoint", disjoint):
        return
    for column in columns:
        people, answers = column.answers
        same_weight = abs(people - column.size) <= rounding(len(column.rows), column.size)
        if answers != column.sample or not same_weight:
            raise OverlappingAnswers(
                f"Nothing tells that {question} takes one answer only ({answers:,.0f} "
                f"answers, {column.sample:,.0f} respondents). If it does, say disjoint=True. "
                f"Otherwise: {advice}"
            )


def _outweighs_base(column: ComparedColumn) -> bool:
    rows = [row.metrics for row in column.rows.values()]
    widest = max(rows, key=lambda row: row.positive_size, default=None)
    if widest is None or not widest.positive_size > 0:
        return False
    # The largest base that the rounded index allows, so that a larger weight proves overlap.
    index = widest.audience_index + _INDEX_ROUNDING
    base = index / 100 * widest.datapoint_size * column.size / widest.positive_size
    return sum(row.datapoint_size for row in rows) > base + rounding(len(rows), base)


def rounding(answers: int, size: Size) -> Size:
    """How far sums of sizes may be off, as services round each to whole people."""
    # Half a person for each answer and for the whole, and the rounding of float64 sums.
    return (answers + 1) / 2 + 1e-9 * size


def separate(one: Expression, other: Expression, kinds: Kinds) -> bool:
    """Whether nobody can be in both; False if that does not follow."""
    for first, second in ((one, other), (other, one)):
        if (parts := parts_of(first, Or)) != (first,):
            return all(separate(part, second, kinds) for part in parts)
        if (parts := parts_of(first, And)) != (first,):
            # One condition that excludes the other suffices: further conditions only narrow.
            return any(separate(part, second, kinds) for part in parts)
    if isinstance(one, NumberRange) and isinstance(other, NumberRange):
        return _apart(one, other)
    return isinstance(one, Leaf) and isinstance(other, Leaf) and _exclude(one, other, kinds)


def _apart(one: NumberRange, other: NumberRange) -> bool:
    if one.question != other.question or (one.negated and other.negated):
        return False
    (low, high), (first, last) = one.closed, other.closed
    if one.negated:
        return low <= first and last <= high
    if other.negated:
        return first <= low and high <= last
    return high < first or last < low


def _exclude(one: Leaf, other: Leaf, kinds: Kinds) -> bool:
    # A leaf without datapoints takes any answer, and so excludes none.
    if one.question != other.question or not (one.datapoints and other.datapoints):
        return False
    first, second = set(one.datapoints), set(other.datapoints)
    # Respondents who gave none of the answers of either are in both.
    if one.negated and other.negated:
        return False
    if one.negated or other.negated:
        none, some = (first, second) if one.negated else (second, first)
        denied = one if one.negated else other
        # "Not two of them" and "not at this point of the scale" leave people with some of them.
        return denied.min_count == 1 and not denied.suffixes and some <= none
    # A respondent is in one wave, as if waves were a question of one answer.
    single = one.question == WAVES or kinds.get(one.question) == "single"
    return single and not first & second


def of_one_question(one: Expression, other: Expression, kinds: Kinds) -> bool:
    """Whether both are answers to one question to which respondents give several."""
    if not (isinstance(one, Leaf) and isinstance(other, Leaf)):
        return False
    several = kinds.get(one.question, "single") != "single"
    return one.question == other.question and several and not (one.negated or other.negated)


def own_rows(result: CrosstabData) -> list[int]:
    """Positions of the rows that are not nets."""
    return [position for position, is_net in enumerate(result.row_nets) if not is_net]


def require_separate(result: CrosstabData, name: str, rows: Sequence[int], disjoint: bool) -> None:
    """Raise unless the rows of a net can be added up.

    `OverlappingAnswers` if a respondent may be in two of them, `ValueError` if the table is not
    complete, or if the rows rest on different waves, over which sizes are averages.
    """
    if not result.complete:
        raise ValueError(
            f"Nets are made of a whole table; {result.count:,} of {result.expected:,} cells are in."
        )
    if len(rows) < 2:
        return
    if not _on_the_same_waves(result, rows):
        raise ValueError(
            f"The rows of {name!r} rest on different waves, over which sizes are averages and "
            f"do not add up. {_advice(result, name, rows)}"
        )
    expressions = [result.rows[row].expression for row in rows]
    known = [each for each in expressions if each is not None]
    pairs = list(combinations(known, 2))
    if len(known) == len(expressions) and all(separate(*pair, result.kinds) for pair in pairs):
        return
    overlaps = any(
        one == other or of_one_question(one, other, result.kinds) for one, other in pairs
    )
    # disjoint=True cannot outweigh a proof that respondents are counted twice.
    if overlaps or _compare_counts(result, rows) > 0:
        raise OverlappingAnswers(
            f"Some respondents are in several rows of {name!r}, so they cannot be added up. "
            f"{_advice(result, name, rows)}"
        )
    if flag("disjoint", disjoint):
        return
    # With the other answers to their question, these rows may be everyone once.
    if _compare_counts(result, _all_answers(result, rows)) != 0:
        raise OverlappingAnswers(
            f"Nothing tells that nobody is in two rows of {name!r}. If you know it, say "
            f"disjoint=True. Otherwise: {_advice(result, name, rows)}"
        )


def _advice(result: CrosstabData, name: str, rows: Sequence[int]) -> str:
    whole = any_of_rows(result, rows)
    code = "a | b | …" if whole is None else whole.to_code()
    code = code if len(code) <= 160 else f"{code[:159]}…"
    return f"Ask the service for people in any of them, as a row: al.Audience({name!r}, {code})."


def any_of_rows(result: CrosstabData, rows: Sequence[int]) -> Expression | None:
    """People in any of the rows; None if one of them is everyone.

    Answers of one question are listed together, as one would write it.
    """
    expressions = [result.rows[row].expression for row in rows]
    known = [each for each in expressions if each is not None]
    if len(known) < len(expressions):
        return None
    answers = [_answers_to(known[0], each) for each in known]
    if not all(answers):
        return reduce(lambda one, other: one | other, known)
    together = dict.fromkeys(answer for each in answers for answer in each)
    return replace(cast(Leaf, known[0]), datapoints=tuple(together))


def _on_the_same_waves(result: CrosstabData, rows: Sequence[int]) -> bool:
    """Whether column and base are the same in all of the rows, up to rounding to whole people.

    Or withheld by the service in all of them. An answer that a wave did not offer has no base
    there, and adds nothing to the others of its question.
    """
    if len({waves_of(result.rows[row]) for row in rows}) > 1:
        return False
    offered = result.values("base_sample")[list(rows)] > 0
    may_lack = _of_one_single_question(result, rows)
    for name in COMMON:
        plane = result.values(name)[list(rows)]
        if may_lack:
            plane = np.where(offered, plane, of_rows(result, name, rows))
        # Respondents are exact; services may round people.
        tolerance = 0.0 if "sample" in name else 1.0
        if not np.allclose(plane, plane[:1], rtol=1e-9, atol=tolerance, equal_nan=True):
            return False
    return True


def of_rows(result: CrosstabData, figure: str, rows: Sequence[int]) -> Floats:
    """A figure that rows have in common, float64[columns]: of the first that has a base there."""
    listed = list(rows)
    first = (result.values("base_sample")[listed] > 0).argmax(axis=0)
    return np.take_along_axis(result.values(figure)[listed], first[None], axis=0)[0]


def _of_one_single_question(result: CrosstabData, rows: Sequence[int]) -> bool:
    leaves = [result.rows[row].expression for row in rows]
    questions = {leaf.question if isinstance(leaf, Leaf) else "" for leaf in leaves}
    return len(questions) == 1 and result.kinds.get(questions.pop()) == "single"


def _compare_counts(result: CrosstabData, rows: Sequence[int]) -> int:
    """Whether the rows together are more (1), as many (0) or fewer (-1) than base and columns.

    More in one column, or a larger weight, prove that somebody is counted twice. As many in all of
    them, with the same weight, are taken to be everybody once: other answers may add up to the
    same number by chance, but hardly to the same weight.
    """
    if not rows:
        return -1
    samples, respondents = _sums_and_wholes(result, rows, "sample")
    sizes, people = _sums_and_wholes(result, rows, "size")
    difference, tolerance = sizes - people, rounding(len(rows), people)
    if bool((samples > respondents).any() or (difference > tolerance).any()):
        return 1
    equal = (samples == respondents) & (np.abs(difference) <= tolerance)
    return 0 if bool(equal.all()) else -1


def _sums_and_wholes(result: CrosstabData, rows: Sequence[int], what: str) -> tuple[Floats, Floats]:
    within, of_base = result.values(what)[list(rows)], result.values(f"row_{what}")[list(rows)]
    whole = (result.values(f"{side}_{what}")[rows[0]] for side in ("column", "base"))
    return np.append(within.sum(axis=0), of_base.sum(axis=0)), np.concatenate([*whole])


def _all_answers(result: CrosstabData, rows: Sequence[int]) -> list[int]:
    """These rows and the others that are further answers to their question.

    Empty if the rows are not different answers to one question.
    """
    first = result.rows[rows[0]].expression
    taken: set[str] = set()
    found: list[int] = []
    # The net's own rows first: unless they are different answers, nothing is found.
    for row in (*rows, *(each for each in own_rows(result) if each not in rows)):
        answers = _answers_to(first, result.rows[row].expression)
        if answers and not taken.intersection(answers):
            found.append(row)
            taken.update(answers)
        elif row in rows:
            return []
    return found


def _answers_to(first: Expression | None, other: Expression | None) -> tuple[str, ...]:
    """The answers of which the other takes any, if they are to the same question as the first's."""
    if not (isinstance(first, Leaf) and isinstance(other, Leaf)):
        return ()
    same = (other.question, other.suffixes) == (first.question, first.suffixes)
    return other.datapoints if same and other.min_count == 1 and not other.negated else ()
