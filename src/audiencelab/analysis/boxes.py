"""Top and bottom boxes: the answers at the ends of a scale, counted together."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Generic, NamedTuple, TypeVar, cast

from audiencelab.analysis.disjointness import (
    OverlappingAnswers,
    answers_of,
    columns_of,
    own_rows,
    require_disjoint,
)
from audiencelab.analysis.nets import RowNet, nets, with_row_nets
from audiencelab.expressions import And, Expression, Leaf
from audiencelab.expressions.nodes import parts_of
from audiencelab.results.banner import Groups
from audiencelab.results.crosstab import CrosstabData
from audiencelab.results.stats import StatsData
from audiencelab.schema.scales import Scale

Stats = TypeVar("Stats", bound=StatsData)
Crosstab = TypeVar("Crosstab", bound=CrosstabData)
T = TypeVar("T")


class BoxItem(NamedTuple, Generic[T]):
    """What may be in a box: a key of the caller, a name, and the points of the scale in it."""

    key: T
    name: str
    points: frozenset[str]


@dataclass(frozen=True, slots=True)
class Box(Generic[T]):
    """One end of a scale. answers: those in the box, the outermost first."""

    end: str
    answers: tuple[BoxItem[T], ...]

    @property
    def name(self) -> str:
        """What its row is called: "Top 2 (Very satisfied, Rather satisfied)"."""
        names = ", ".join(answer.name for answer in self.answers)
        return f"{self.end} {len(self.answers)} ({names})"

    @property
    def keys(self) -> list[T]:
        """The callers' keys of its answers."""
        return [answer.key for answer in self.answers]


def ends_of_scale(
    title: str,
    answers: Sequence[BoxItem[T]],
    scale: Scale | None,
    top: int,
    bottom: int,
    question: str | None,
) -> list[Box[T]]:
    """The boxes of a scale, without an empty one; answers off the scale are in none.

    title: the scale in errors. scale: None where it is not known. question: the code of the
    question that has it, for the code in errors; None for answers to no one question.

    Raises `TypeError` for numbers that are not int, and `ValueError` for larger boxes than the
    scale has answers, and where the top is not known.
    """
    if not all(isinstance(each, int) for each in cast(tuple[object, ...], (top, bottom))):
        raise TypeError(
            f"Boxes must be int, numbers of answers; got {top!r} and {bottom!r}."
            f"{_boxes_of(question)}"
        )
    off = frozenset[str]() if scale is None else scale.off
    # Items have no points where they answer no one question, which `_rising` reports.
    listed = [each for each in answers if not each.points or each.points - off]
    if top < 0 or bottom < 0 or not 0 < top + bottom <= len(listed):
        count = f"{top} and {bottom} are" if top and bottom else f"{top or bottom} is"
        raise ValueError(
            f"Boxes are taken of the {len(listed)} answers of {title}: {count} not among them."
            f"{_boxes_of(question)}"
        )
    rising = _rising(title, listed, scale, top or bottom, question)
    boxes = (Box("Top", tuple(rising[::-1][:top])), Box("Bottom", tuple(rising[:bottom])))
    return [box for box in boxes if box.answers]


def _rising(
    title: str, listed: list[BoxItem[T]], scale: Scale | None, count: int, question: str | None
) -> list[BoxItem[T]]:
    """The answers from the lowest to the highest, by their lowest points."""
    rising = set[str]() if scale is None else {*(scale.rising or ())}
    if all(not rising.isdisjoint(each.points) for each in listed):
        return _in_order(listed, scale.rising if scale else None)
    if question is None:
        raise ValueError(
            f"{title} has no top: it is not made of answers to one question. Name those that you "
            'mean: .nets({"…": ["…", "…"]}) of a result.'
        )
    # Rows may be sorted; which answer is first is a matter of the survey's list.
    names = [each.name for each in _in_order(listed, scale.points if scale else None)]
    raise no_top(title, names, scale, count, question)


def _in_order(listed: list[BoxItem[T]], points: Sequence[str] | None) -> list[BoxItem[T]]:
    place = {point: at for at, point in enumerate(points or ())}
    after = len(place)
    return sorted(
        listed, key=lambda each: min((place.get(p, after) for p in each.points), default=after)
    )


def _boxes_of(question: str | None) -> str:
    return f" Write client[{question!r}].top_box(2)." if question else ""


def no_top(
    title: str, names: Sequence[str], scale: Scale | None, count: int, question: str
) -> ValueError:
    """The error for a scale without a top, or whose top is not known, with code for either end.

    names: its answers, in order. count: how many are meant.
    """
    first, last = names[0], names[-1]
    of_first, of_last = (
        f"al.net({', '.join(map(repr, (question, *end)))})"
        for end in (names[:count], names[-count:])
    )
    if scale is not None and scale.top == "none":
        return ValueError(
            f"{title} has no top: neither end of it has most of what the question names. Name the "
            f"answers that you mean: {of_first} or {of_last}. Look at them first. "
            f"Write client[{question!r}]."
        )
    return ValueError(
        f"The survey does not say which end of {title} is the top: {first!r} comes first, "
        f'{last!r} last. If {first!r} is the top, write client.edit({question!r}, top="first") in '
        f"a survey of your own, or name it: {of_first}. If {last!r} is, write "
        f'client.edit({question!r}, top="last"), or {of_last}. Look at the answers first. '
        f"Write client[{question!r}]."
    )


def boxes(result: Stats, top: int, bottom: int, *, disjoint: bool) -> Stats:
    """See `StatsResult.boxes`."""
    require_disjoint(result, columns_of(result), disjoint)
    names, title = result.labels.datapoints, result.labels.question or result.question
    answers = [
        BoxItem(code, names.get(code) or code, frozenset([code])) for code in answers_of(result)
    ]
    found = ends_of_scale(repr(title), answers, result.labels.scale, top, bottom, result.question)
    return nets(result, {box.name: box.keys for box in found}, disjoint=disjoint)


def row_boxes(result: Crosstab, top: int, bottom: int, *, disjoint: bool) -> Crosstab:
    """See `CrosstabResult.boxes`."""
    # Rows of one stub group are the answers to one question, with a scale of their own.
    blocks: dict[Groups, list[int]] = {}
    for row in own_rows(result):
        blocks.setdefault(result.row_groups[row], []).append(row)
    wanted: list[RowNet] = []
    for groups, rows in (blocks or {(): []}).items():
        expressions = [result.rows[row].expression for row in rows]
        question, points = question_of_items(expressions)
        answers = [
            BoxItem(row, result.rows[row].name, each)
            for row, each in zip(rows, points, strict=True)
        ]
        title = repr(groups[-1]) if groups else "these rows"
        if question is not None and result.kinds.get(question) == "multiple":
            names = ", ".join(repr(each.name) for each in answers[:2])
            raise ValueError(
                f"{title} takes several answers, which are not a scale. Name those that you mean: "
                f"al.net({question!r}, {names})."
            )
        _refuse_points_of_items(result, question, top, bottom)
        scale = None if question is None else result.scales.get(question)
        found = ends_of_scale(title, answers, scale, top, bottom, question)
        wanted += [RowNet(box.name, groups, tuple(box.keys)) for box in found]
    return with_row_nets(result, wanted, disjoint)


def _refuse_points_of_items(
    result: CrosstabData, question: str | None, top: int, bottom: int
) -> None:
    """Raise `OverlappingAnswers` for several points of a grid's item, which cannot be added up."""
    if question is None or result.kinds.get(question) != "grid" or max(top, bottom) < 2:
        return
    calls = [f"{end}_box({count})" for end, count in (("top", top), ("bottom", bottom)) if count]
    rows = ", ".join(f"client[{question!r}].{call}" for call in calls)
    raise OverlappingAnswers(
        "A table does not say that respondents gave one point to each item of a grid, so boxes of "
        f"its rows cannot be added up. Ask for them as rows: client.crosstab([{rows}], columns)."
    )


# -- rows and columns as points of a scale ---------------------------------------------------------

_Asked = tuple[str, str]
"""A question and, of a grid, its item."""


def question_of_items(
    expressions: Iterable[Expression | None],
) -> tuple[str | None, list[frozenset[str]]]:
    """The question to which neighbouring rows or columns are answers, and the points in each.

    Without one question that they all answer differently, there are neither question nor points.
    """
    answers = [answers_in(each) for each in expressions]
    for asked in answers[0] if answers else ():
        points = [each.get(asked, frozenset[str]()) for each in answers]
        if all(points) and not any(one & other for one, other in combinations(points, 2)):
            return asked[0], points
    return None, [frozenset[str]()] * len(answers)


def answers_in(expression: Expression | None) -> dict[_Asked, frozenset[str]]:
    """The answers that an expression asks for, by question and item; within others too."""
    if expression is not None and (within := parts_of(expression, And)) != (expression,):
        parts = [answers_in(each) for each in within]
        # Reversed, so that the first of two parts on one question is the one that stays.
        return {asked: points for part in reversed(parts) for asked, points in part.items()}
    if not isinstance(expression, Leaf) or expression.negated or expression.min_count != 1:
        return {}
    if not expression.suffixes:
        return {(expression.question, ""): frozenset(expression.datapoints)}
    # Points of several items together are not points of one item's scale.
    if len(expression.datapoints) != 1:
        return {}
    return {(expression.question, expression.datapoints[0]): frozenset(expression.suffixes)}
