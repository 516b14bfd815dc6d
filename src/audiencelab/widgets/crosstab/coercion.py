"""What users add to a grid, as items of an axis: picks, questions, audiences, expressions, widgets.

`how` combines them: "split" makes one item of each audience and of each answer, "and" one item of
the people to whom all of it applies, "or" one of those to whom any of it applies.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain
from typing import TYPE_CHECKING, Literal, cast, get_args

from audiencelab.client.audiences import MOST_LEVELS, StatisticPlace
from audiencelab.client.names import Names
from audiencelab.errors import AudienceError
from audiencelab.expressions import (
    Audience,
    Expression,
    KeptAudience,
    Leaf,
    all_of,
    any_of,
    as_audience,
)
from audiencelab.expressions.labels import ANY_POINT, Labels
from audiencelab.markup import shorten
from audiencelab.results.banner import Groups
from audiencelab.results.statistic_rows import Statistic
from audiencelab.widgets.base import LabWidget
from audiencelab.widgets.crosstab.axis import AxisAudiences, as_axis
from audiencelab.widgets.crosstab.axis_edits import QuestionError, is_plain
from audiencelab.widgets.crosstab.query_protocol import GridRows, How
from audiencelab.wording import articled

if TYPE_CHECKING:
    from audiencelab.client import Catalogue, CatalogueQuestion

_GROUP_LENGTH = 120
"""Maximum length of a group named after a question; some questions are whole sentences."""

_STATISTICS = (Statistic, StatisticPlace)


def group_of(question: CatalogueQuestion) -> str:
    """The name of the group of a question's rows."""
    return shorten(question.name, _GROUP_LENGTH)


def as_items(
    given: object,
    catalogue: Catalogue | None,
    *,
    how: How = "split",
    groups: str | Iterable[str] = (),
    name: str = "",
    grids: GridRows = "distribution",
    statistics: list[StatisticPlace] | None = None,
) -> AxisAudiences:
    """The items that are meant.

    given: a `QuestionPicker`, an `AudienceEditor` or their values; questions of the catalogue, or
        their names or codes; audiences, saved audiences and expressions; and lists and mappings of
        groups of all of these. Items of another grid keep their groups, and remain nets.
    how: see above. Answers to one question are always alternatives: "and" of two genders and two
        ages is people of either gender who are of either age.
    groups: groups above the new items, and above groups that these have. With "split" the answers
        of a question are in a group with its name.
    name: of the one item of "and" or "or"; "" is its description.
    grids: with "split", what a grid becomes that is named or picked: "distribution" is a group of
        the points of its scale for each item, "top_box" the two highest points together, a row for
        each item, "mean" a mean for each item.
    statistics: takes these means, placed among the items; None refuses them.

    Raises `TypeError` for other types, `UnknownCodeError` for a question that the catalogue does
    not have, and `QuestionError` for nothing at all, for another `how`, and for groups that are
    empty or more than a table may have.
    """
    if how not in get_args(How):
        raise QuestionError(f"how must be one of {', '.join(get_args(How))}; got {how!r}.")
    above = _checked_groups(groups)
    found = _flat(given, catalogue, grids if how == "split" else None)
    parts = [each for each in found if not isinstance(each, _STATISTICS)]
    if len(parts) < len(found) and statistics is None:
        raise QuestionError("Means of a grid are rows: add them to the rows.")
    if statistics is not None and how == "split":
        before = 0
        for each in found:
            if isinstance(each, _STATISTICS):
                placed = each if isinstance(each, StatisticPlace) else StatisticPlace(each, 0, ())
                grouped = placed._replace(before=before, groups=(*above, *placed.groups))
                statistics.append(grouped)
            else:
                before += len(_items_of(each, catalogue))
    if statistics and not parts:
        return AxisAudiences()
    items = (
        _split(parts, catalogue)
        if how == "split"
        else AxisAudiences([_one(parts, catalogue, how, name)])
    )
    if not items:
        raise QuestionError("There is nothing to add: pick answers, or name audiences.")
    if len(above) + max(map(len, items.groups)) > MOST_LEVELS:
        raise QuestionError(f"A table may have at most {MOST_LEVELS} levels of groups.")
    return AxisAudiences(items, ((*above, *each) for each in items.groups), items.nets)


def as_base(given: object, catalogue: Catalogue | None) -> Audience:
    """The one audience that is meant, combined with "and"; nothing is everyone."""
    return _one(_flat(given, catalogue, None), catalogue, "and", "")


def _checked_groups(groups: object) -> Groups:
    listed = [groups] if isinstance(groups, str) else groups
    if not isinstance(listed, Iterable):
        raise TypeError(f"groups must be a str or a list of str; got {type(listed).__name__}.")
    checked = tuple(cast("Iterable[object]", listed))
    for group in checked:
        if not isinstance(group, str):
            raise TypeError(f"groups must contain str; got {type(group).__name__}.")
        if not group.strip():
            raise QuestionError("A group needs a name: leave groups out for ungrouped items.")
    return cast("Groups", checked)


def picked(
    leaves: Iterable[Leaf], catalogue: Catalogue | None, grids: GridRows = "distribution"
) -> list[object]:
    """Picked answers as rows or columns, those of a grid as `grids` says; see `as_items`.

    A leaf that picks points of the scale is a row for each item, as it says which points count.
    """
    found: list[object] = []
    for leaf in leaves:
        question = catalogue[leaf.question] if catalogue and leaf.question in catalogue else None
        if question is None or not question.suffixes or leaf.suffixes:
            found.append(leaf)
        else:
            found += _grid(question, leaf.datapoints, grids)
    return found


def _grid(
    question: CatalogueQuestion, items: Iterable[str], grids: GridRows
) -> Sequence[AxisAudiences | StatisticPlace]:
    """The items of a grid, by codes; none means all."""
    group = group_of(question)
    if grids == "distribution":
        answers = cast("dict[str, tuple[Audience, ...]]", question.as_rows(*items))
        points = [(point, (group, item)) for item, listed in answers.items() for point in listed]
        return [AxisAudiences((each for each, _ in points), (above for _, above in points))]
    try:
        made = question.mean(*items) if grids == "mean" else question.top_box(2, *items)
    except ValueError as error:
        raise QuestionError(str(error)) from None
    listed = cast(tuple[object, ...], made) if isinstance(made, tuple) else (made,)
    means = [
        StatisticPlace(each.plain, 0, (group,)) for each in listed if isinstance(each, Statistic)
    ]
    boxes = [each for each in listed if isinstance(each, Audience)]
    return means or [AxisAudiences(boxes, [(group,)] * len(boxes))]


def _question(
    question: CatalogueQuestion, catalogue: Catalogue | None, grids: GridRows | None
) -> list[object]:
    if grids is None or not (question.suffixes or question.item_of):
        return [question.any()]
    if question.suffixes:
        return [*_grid(question, (), grids)]
    return [as_axis(question, "given", lambda: catalogue) or AxisAudiences()]


def _named(given: str, catalogue: Catalogue | None, grids: GridRows | None) -> list[object]:
    if catalogue is None:
        raise AudienceError(f"There is no catalogue to find {given!r} in.")
    if Names(catalogue).levels(given):
        return [as_axis(given, "given", lambda: catalogue) or AxisAudiences()]
    if Names(catalogue).is_total(given):
        return [Audience(given.strip())]
    return _question(catalogue[given], catalogue, grids)


def _flat(given: object, catalogue: Catalogue | None, grids: GridRows | None) -> list[object]:
    """What was given as a flat list of audiences, expressions, axes and statistics.

    grids: what a grid becomes; None is everyone with any answer.
    """
    from audiencelab.client import CatalogueQuestion

    value = (
        cast("object", getattr(given, "value", given)) if isinstance(given, LabWidget) else given
    )
    if isinstance(given, LabWidget) and isinstance(value, tuple) and grids is not None:
        return picked(cast("tuple[Leaf, ...]", value), catalogue, grids)
    if value is None:
        return []
    if isinstance(value, str):
        return _named(value, catalogue, grids)
    if isinstance(value, CatalogueQuestion):
        return _question(value, catalogue, grids)
    if isinstance(value, StatisticPlace):
        return [value]
    if isinstance(value, Statistic):
        return [value.plain]
    if isinstance(value, Audience | Expression | KeptAudience):
        return [cast("object", value)]
    if isinstance(value, Mapping | AxisAudiences):
        return [as_axis(cast("object", value), "given", lambda: catalogue) or AxisAudiences()]
    if isinstance(value, Iterable):
        return [
            one for each in cast("Iterable[object]", value) for one in _flat(each, catalogue, grids)
        ]
    raise TypeError(
        f"given is {articled(type(given).__name__)}: use audiences, expressions such as "
        "al.Q('q4').any('q4_2'), questions of the catalogue, or a picker."
    )


# -- one item of each --------------------------------------------------------------------------


def _split(parts: Iterable[object], catalogue: Catalogue | None) -> AxisAudiences:
    axes = [_items_of(each, catalogue) for each in parts]
    return AxisAudiences(
        chain.from_iterable(axes),
        chain.from_iterable(axis.groups for axis in axes),
        chain.from_iterable(axis.nets for axis in axes),
    )


def _items_of(part: object, catalogue: Catalogue | None) -> AxisAudiences:
    if isinstance(part, AxisAudiences):
        return part
    if isinstance(part, Leaf) and is_plain(part):
        answers = list(_answers(part, catalogue))
        name = catalogue.question_name(part.question) if catalogue else None
        group = shorten(name or part.question, _GROUP_LENGTH)
        return AxisAudiences(answers, [(group,)] * len(answers))
    return AxisAudiences([as_audience(cast("Audience", part), catalogue)])


def _answers(leaf: Leaf, catalogue: Catalogue | None) -> Iterator[Audience]:
    """One audience for each answer of a leaf, with its name."""
    codes = leaf.datapoints
    if not codes and catalogue is not None:
        codes = tuple(each.code for each in catalogue[leaf.question].datapoints if each.accessible)
    if not codes:
        yield as_audience(leaf, catalogue)
        return
    suffixes = [_suffix_name(leaf, code, catalogue) for code in leaf.suffixes]
    with_suffixes = f" ({', '.join(suffixes)})" if suffixes else ""
    if catalogue and not suffixes and catalogue.has_scale(leaf.question):
        with_suffixes = ANY_POINT
    for code in codes:
        name = (catalogue and catalogue.datapoint_name(leaf.question, code)) or code
        yield Audience(f"{name}{with_suffixes}", Leaf(leaf.question, (code,), leaf.suffixes))


def _suffix_name(leaf: Leaf, code: str, labels: Labels | None) -> str:
    return (labels.suffix_name(leaf.question, code) if labels else None) or code


# -- one item of all ---------------------------------------------------------------------------


def _one(
    parts: Iterable[object], catalogue: Catalogue | None, how: Literal["and", "or"], name: str
) -> Audience:
    """One audience of all parts; a single named one stays the same."""
    single = chain.from_iterable(
        each if isinstance(each, AxisAudiences) else [each] for each in parts
    )
    audiences = [as_audience(cast("Audience", each), catalogue) for each in single]
    if len(audiences) == 1:
        return audiences[0].renamed(name) if name else audiences[0]
    expressions = list(dict.fromkeys(audience.expression for audience in audiences))
    if how == "or" and (not audiences or None in expressions):
        raise QuestionError("One of these is everyone, so any of them is everyone: leave it out.")
    # Everyone adds no condition to the others.
    known = [expression for expression in expressions if expression is not None]
    if len(known) < 2:
        expression = next(iter(known), None)
    else:
        expression = all_of(*known) if how == "and" else any_of(*known)
    return as_audience(Audience(name, expression), catalogue)
