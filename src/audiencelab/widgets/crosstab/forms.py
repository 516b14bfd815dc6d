"""The forms in which a question is shown as rows or columns, and the change from one to another.

A grid is the points of its scale for each item, its top two, or means; a question of numbers is
bins, its mean or its median. The rows of a question are a block, which keeps its position and the
order of its items.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple, cast

from audiencelab.client.audiences import StatisticPlace
from audiencelab.client.catalogue.amounts import statistic_rows
from audiencelab.client.catalogue.called_rows import edges_of
from audiencelab.expressions import Audience, Condition, Leaf, walk
from audiencelab.expressions.nodes import And
from audiencelab.ingest.meaning.amounts import amount_of
from audiencelab.results.banner import Groups
from audiencelab.results.statistic_rows import Statistic
from audiencelab.schema.scales import keeps_numbers, scale_of
from audiencelab.widgets.crosstab.axis import AxisAudiences, AxisName
from audiencelab.widgets.crosstab.axis_edits import QuestionError
from audiencelab.widgets.crosstab.coercion import group_of
from audiencelab.widgets.crosstab.placed import PlacedStatistics
from audiencelab.widgets.crosstab.query_protocol import Form

if TYPE_CHECKING:
    from audiencelab.client import Catalogue, CatalogueQuestion

_TOP = 2
_FEWEST_POINTS = 4
"""Of a scale that is worth its top two."""


class _Row(NamedTuple):
    item: Audience | Statistic
    groups: Groups
    is_net: bool = False


@dataclass(frozen=True, slots=True)
class FormBlock:
    """The rows or columns of one question.

    audiences, statistics: their positions, those of nets among them.
    form: the present one; None where the rows are in another than `forms`, which can be chosen.
    """

    axis: AxisName
    question: CatalogueQuestion
    forms: tuple[Form, ...]
    audiences: tuple[int, ...] = ()
    statistics: tuple[int, ...] = ()
    form: Form | None = None
    edges: tuple[float, ...] = ()


class Forms:
    """The forms of the questions of one widget; it remembers what a form has replaced.

    numbers: the questions whose numbers the survey keeps; None where means cannot be counted.
    """

    def __init__(self) -> None:
        self._kept: dict[tuple[AxisName, str, Form], _Kept] = {}

    def changed(
        self,
        block: FormBlock,
        rows: AxisAudiences,
        statistics: PlacedStatistics,
        form: Form,
        made: Sequence[Audience] | None = None,
    ) -> tuple[AxisAudiences, PlacedStatistics]:
        """Rows and statistics with a block in another form.

        made: audiences of bins, instead of the answers of the survey.
        """
        question = block.question
        listed, own = _listed(rows, statistics), _own(block, rows, statistics)
        items = _items([listed[at].item for at in own], question)
        outer = _outer(listed, own, block)
        if block.form is not None:
            inner = [each._replace(groups=each.groups[len(outer) :]) for each in _at(listed, own)]
            key = block.axis, question.canonical, block.form
            self._kept[key] = _Kept(question.record, items, inner)
        kept = self._kept.get((block.axis, question.canonical, form))
        if made is None and kept and (kept.record, kept.items) == (question.record, items):
            fresh = kept.rows
        else:
            fresh = list(_rows(question, form, items, made))
        new = [each._replace(groups=(*outer, *each.groups)) for each in fresh]
        return _joined(listed, own, new)


@dataclass(frozen=True, slots=True)
class _Kept:
    """Rows that another form has replaced, with the question and the items that they were of."""

    record: Any
    items: list[str]
    rows: list[_Row] = field(default_factory=list[_Row])


def forms_of(
    question: CatalogueQuestion, axis: AxisName, numbers: Collection[str] | None
) -> tuple[Form, ...]:
    """The forms that a question can be shown in.

    numbers: the questions whose numbers the survey keeps; None where means cannot be counted.
    """
    found: list[Form] = ["distribution"] if question.datapoints else []
    is_number, scale = keeps_numbers(question.record), scale_of(question.record)
    has_top = scale.rising is not None and len(scale.points) >= _FEWEST_POINTS
    if has_top and (question.suffixes or (scale.is_worded and not is_number)):
        found.append("top_box")
    if axis == "rows" and numbers is not None and statistic_rows(question, "mean", numbers):
        found.append("mean")
        if not scale.is_worded and not question.suffixes:
            found.append("median")
        if statistic_rows(question, "nps", numbers):
            found.append("nps")
    return tuple(found)


def blocks_of(
    axis: AxisName,
    rows: AxisAudiences,
    statistics: PlacedStatistics,
    catalogue: Catalogue,
    numbers: Collection[str] | None,
) -> list[FormBlock]:
    """The blocks of rows or columns."""
    owners = _Owners(catalogue)
    places: dict[str, list[int]] = {}
    means: dict[str, list[int]] = {}
    questions: dict[str, CatalogueQuestion] = {}
    for found, items in ((places, rows), (means, statistics)):
        for at, item in enumerate(items):
            if (question := owners.of(item)) is not None:
                questions[question.canonical] = question
                found.setdefault(question.canonical, []).append(at)
    blocks: list[FormBlock] = []
    for code, question in questions.items():
        own, others = tuple(places.get(code, ())), tuple(means.get(code, ()))
        audiences = [rows[at] for at in own if not rows.nets[at]]
        form = _form(question, audiences) if own else _kind([statistics[at] for at in others])
        edges = tuple(edges_of(audiences) or _stated(question))
        forms = forms_of(question, axis, numbers)
        blocks.append(FormBlock(axis, question, forms, own, others, form, edges))
    return blocks


class _Owners:
    """Whose rows audiences and statistics are; the question of an item is its grid."""

    def __init__(self, catalogue: Catalogue) -> None:
        self._catalogue = catalogue
        self._known: dict[str, CatalogueQuestion | None] = {}

    def of(self, item: Audience | Statistic) -> CatalogueQuestion | None:
        """The one question that an item is of; None for people of several, or of none."""
        if isinstance(item, Statistic):
            return self._question(item.question)
        if item.expression is None:
            return None
        nodes = [node for _, node in walk(item.expression)]
        codes = {node.question for node in nodes if isinstance(node, Condition)}
        if len(codes) != 1 or any(isinstance(node, And) or node.negated for node in nodes):
            return None
        return self._question(codes.pop())

    def _question(self, code: str) -> CatalogueQuestion | None:
        if code not in self._known:
            found = self._catalogue.of_code(code)
            grid = None if found is None else found.item_of
            question = grid or found
            is_one = question is None or question.record.kind == "multiple"
            self._known[code] = None if is_one else question
        return self._known[code]


def _form(question: CatalogueQuestion, audiences: Sequence[Audience]) -> Form | None:
    """The form of audiences of a question."""
    if edges_of(audiences):
        return "distribution"
    leaves = [each.expression for each in audiences if isinstance(each.expression, Leaf)]
    if not leaves or len(leaves) < len(audiences):
        return None
    points = {each.suffixes if question.suffixes else each.datapoints for each in leaves}
    if all(len(each) == 1 for each in points) and all(len(each.datapoints) == 1 for each in leaves):
        return "distribution"
    rising = scale_of(question.record).rising or ()
    is_top = {frozenset(each) for each in points} == {frozenset(rising[-_TOP:])}
    return "top_box" if is_top else None


def _kind(statistics: Sequence[Statistic]) -> Form | None:
    kinds = {(each.kind, each.percentile) for each in statistics}
    if kinds == {("percentile", 50.0)}:
        return "median"
    named: dict[str, Form] = {"mean": "mean", "nps": "nps"}
    return named.get(statistics[0].kind) if len(kinds) == 1 else None


def _stated(question: CatalogueQuestion) -> list[float]:
    """The lower edges that the names of a question's bins state."""
    if not keeps_numbers(question.record):
        return []
    found = [amount_of(each.name or "") for each in question.datapoints]
    return [each.low for each in found if each is not None and each.low is not None]


def _rows(
    question: CatalogueQuestion,
    form: Form,
    items: Sequence[str],
    made: Sequence[Audience] | None,
) -> Iterator[_Row]:
    """The rows of a question in a form, without the groups above its own."""
    try:
        if made is not None:
            found: Any = tuple(made)
        elif form == "distribution":
            found = question.as_rows(*items)
        elif form == "top_box":
            found = question.top_box(_TOP, *items)
        else:
            found = getattr(question, form)(*items)
    except (TypeError, ValueError) as error:
        raise QuestionError(str(error)) from None
    if isinstance(found, dict):
        for name, points in cast("dict[str, tuple[Audience, ...]]", found).items():
            yield from (_Row(each, (name,)) for each in points)
        return
    for each in cast("tuple[Any, ...]", found) if isinstance(found, tuple) else (found,):
        yield _Row(each.plain if isinstance(each, Statistic) else each, ())


def _items(rows: Sequence[Audience | Statistic], question: CatalogueQuestion) -> list[str]:
    """The items of a grid in the order of some of its rows; none for other questions."""
    if not question.suffixes:
        return []
    found: dict[str, None] = {}
    for row in rows:
        if isinstance(row, Statistic):
            found[row.item] = None
        elif isinstance(row.expression, Leaf):
            codes = row.expression.datapoints or [each.code for each in question.datapoints]
            found |= dict.fromkeys(codes)
    return [*found]


def _listed(rows: AxisAudiences, statistics: PlacedStatistics) -> list[_Row]:
    """Audiences and statistics in their order."""
    listed = [_Row(*each) for each in zip(rows, rows.groups, rows.nets, strict=True)]
    for place in reversed(statistics.places):
        listed.insert(place.before, _Row(place.statistic, place.groups))
    return listed


def _own(block: FormBlock, rows: AxisAudiences, statistics: PlacedStatistics) -> list[int]:
    """The positions in the list of a block's rows; statistics beside its audiences are others."""
    before = statistics.before
    if not block.audiences:
        return [at + before[at] for at in block.statistics]
    return [at + sum(each <= at for each in before) for at in block.audiences]


def _at(listed: Sequence[_Row], places: Sequence[int]) -> list[_Row]:
    return [listed[at] for at in places]


def _outer(listed: Sequence[_Row], own: Sequence[int], block: FormBlock) -> Groups:
    """The groups above a block: those of its rows, and of the points of a grid not the item."""
    if not own:
        return (group_of(block.question),)
    groups = listed[own[0]].groups
    of_item = bool(block.question.suffixes) and block.form == "distribution"
    return (groups[:-1] if of_item else groups) or (group_of(block.question),)


def _joined(
    listed: Sequence[_Row], own: Sequence[int], new: Sequence[_Row]
) -> tuple[AxisAudiences, PlacedStatistics]:
    """The list with new rows instead of some; a statistic among these is not there twice."""
    gone, twice = set(own), {(each.item, each.groups) for each in new if _is_statistic(each)}
    kept: list[_Row] = []
    for at, row in enumerate(listed):
        kept += new if own and at == own[0] else ()
        if at not in gone and (row.item, row.groups) not in twice:
            kept.append(row)
    kept += () if own else new
    audiences: list[_Row] = []
    statistics: list[StatisticPlace] = []
    for row in kept:
        if isinstance(row.item, Statistic):
            statistics.append(StatisticPlace(row.item, len(audiences), row.groups))
        else:
            audiences.append(row)
    axis = AxisAudiences(
        (cast("Audience", row.item) for row in audiences),
        (row.groups for row in audiences),
        (row.is_net for row in audiences),
    )
    return axis, PlacedStatistics(statistics)


def _is_statistic(row: _Row) -> bool:
    return isinstance(row.item, Statistic)
