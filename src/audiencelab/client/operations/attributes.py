"""What a chart shows, given as people have it in hand: from the catalogue, or by codes."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import NoReturn, cast

from audiencelab.client.catalogue import CatalogueQuestion
from audiencelab.expressions import Expression, Leaf, split_code
from audiencelab.schema import ChartAttribute

__all__ = ["AttributeLike", "GivenAttribute", "chart_attributes"]

AttributeLike = ChartAttribute | CatalogueQuestion | Leaf | tuple[str, ...]
"""A datapoint as the wire has it, as `catalogue["Gender"]["Female"]`, or as `("q2", "q2_2")`, with
a suffix as third if need be; a question of the catalogue stands for all its datapoints. What is
written as on the wire is sent as it is; the codes of the others are looked up where it is cheap."""

_FORMS = (
    'Give catalogue["Gender"]["Female"], ("q2", "q2_2"), ("q20", "q20_1", "1") with a suffix, '
    'or a whole question, catalogue["Gender"].'
)


@dataclass(frozen=True, slots=True)
class GivenAttribute:
    """An attribute, where it was given, and whether its codes are to be looked up."""

    place: str
    attribute: ChartAttribute
    is_looked_up: bool = True


def chart_attributes(
    attributes: Iterable[AttributeLike], canonical: Callable[[str], str]
) -> list[GivenAttribute]:
    """The attributes on the wire; `canonical` adds the namespace to a question's code.

    Raises `TypeError` or `ValueError`, naming the place, for what is no datapoint.
    """
    if isinstance(attributes, (str, tuple, ChartAttribute, CatalogueQuestion, Expression)) and (
        not isinstance(attributes, tuple) or _is_codes(cast(tuple[object, ...], attributes))
    ):
        raise TypeError("attributes needs a list: put it in brackets, attributes=[…].")
    if not isinstance(attributes, Iterable):  # pyright: ignore[reportUnnecessaryIsInstance] -- callers in notebooks are not type-checked
        raise TypeError(f"attributes needs a list of datapoints. {_FORMS}")
    return [
        GivenAttribute(at, made, not isinstance(given, ChartAttribute))
        for at, given in ((f"attributes[{n}]", each) for n, each in enumerate(attributes))
        for made in _attributes(at, given, canonical)
    ]


def _attributes(
    place: str, given: AttributeLike, canonical: Callable[[str], str]
) -> Iterator[ChartAttribute]:
    if isinstance(given, ChartAttribute):
        yield given
    elif isinstance(given, CatalogueQuestion):
        for datapoint in given.datapoints:
            if datapoint.accessible:
                yield _attribute(given.canonical, datapoint.code)
    elif isinstance(given, Leaf):
        yield _of_leaf(place, given, canonical)
    elif isinstance(given, tuple) and len(given) in (2, 3) and _is_codes(given):  # pyright: ignore[reportUnnecessaryIsInstance] -- callers in notebooks are not type-checked
        yield _attribute(canonical(given[0]), *map(str, given[1:]))
    else:
        _refuse(place, given)


def _of_leaf(place: str, leaf: Leaf, canonical: Callable[[str], str]) -> ChartAttribute:
    if leaf.negated or len(leaf.datapoints) != 1 or len(leaf.suffixes) > 1:
        raise ValueError(
            f"{place}: An attribute is one datapoint, with one suffix at most, and not negated. "
            "Give several of them one by one."
        )
    return _attribute(canonical(leaf.question), *leaf.datapoints, *leaf.suffixes)


def _attribute(question: str, datapoint: str, suffix: str = "") -> ChartAttribute:
    namespace, code = split_code(question)
    return ChartAttribute(
        datapoint_code=datapoint, namespace_code=namespace, question_code=code, suffix_code=suffix
    )


def _is_codes(given: tuple[object, ...]) -> bool:
    return bool(given) and isinstance(given[0], str)


def _refuse(place: str, given: object) -> NoReturn:
    raise TypeError(f"{place}: A datapoint is needed here, not {type(given).__name__}. {_FORMS}")
