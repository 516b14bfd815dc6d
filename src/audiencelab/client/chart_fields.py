"""The fields of a chart as callers write them, and as they are sent.

A field that is not given is not sent, so an update leaves it unchanged; None is sent as null, which
clears it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple, TypedDict, cast

import msgspec
from msgspec.structs import asdict

from audiencelab.client.arguments import code, codes
from audiencelab.client.audiences import (
    AudienceLike,
    to_audience,
)
from audiencelab.client.catalogue import CatalogueQuestion
from audiencelab.client.catalogue.labels import did_you_mean, not_accessible
from audiencelab.expressions import (
    Audience,
    Expression,
    Leaf,
    join_code,
    parse_audience,
    split_code,
)
from audiencelab.expressions.codes import WAVES
from audiencelab.schema import (
    ChartAttribute,
    ChartAudience,
    Question,
    SavedChart,
)

AttributeLike = str | ChartAttribute | CatalogueQuestion | Leaf | tuple[str, ...]
"""A datapoint as `client["Gender"]["Female"]`, as `("q2", "q2_2")` with a suffix as an optional
third code, or as a `schema.ChartAttribute`, which is sent unchanged. A question, also by its code
or name, means all its datapoints."""

_FORMS = (
    'Pass catalogue["Gender"]["Female"], ("q2", "q2_2"), ("q20", "q20_1", "1") with a suffix, '
    'or a whole question, catalogue["Gender"].'
)

_WIRE_NAMES = {"waves": "wave_codes", "locations": "location_codes"}
_LISTS = ("waves", "locations", "segments", "metrics", "dataset_codes", "dataset_names")


class ChartFields(TypedDict, total=False):
    """The fields that a chart may be created with, in addition to its name."""

    attributes: Iterable[AttributeLike] | AttributeLike | None
    audiences: Iterable[AudienceLike | ChartAudience] | None
    base_audience: AudienceLike | ChartAudience | None
    waves: Iterable[str] | None
    locations: Iterable[str] | None
    splitter: str | None
    segments: Iterable[str] | None
    segmented_base: bool | None
    metrics: Iterable[str] | None
    dataset_codes: Iterable[str] | None
    dataset_names: Iterable[str] | None
    color: str | None
    folder_id: str | None
    group_type: int | None
    sort_parameter_type: int | None
    sort_parameter_value: str | None
    sort_type: int | None
    view_type: int | None


class ChartChanges(ChartFields, total=False):
    """The fields that an update of a chart may assign; `chart` is a chart to take fields from."""

    chart: SavedChart | None
    name: str | None
    created_at: int | None
    is_owner: bool | None
    is_public: bool | None
    is_shared: bool | None
    owner_email: str | None
    owner_id: int | None
    shared_at: int | None
    shared_type: str | None
    updated_at: int | None


@dataclass(slots=True)
class ChartNames:
    """Names of the parts of a chart that this client has created or updated.

    attributes: how many were sent last, or None if none were.

    No operation reads a chart; its calculation returns ids and codes, and may add names in `meta`,
    whose contents the specification leaves open.
    """

    name: str = ""
    splitter: str = ""
    audiences: Mapping[str, str] = field(default_factory=dict[str, str])
    attributes: int | None = None

    def with_names_of(self, meta: object) -> ChartNames:
        """The same with the names that a calculation's `meta` holds, whatever its form."""
        try:
            found = msgspec.convert(meta, _MetaNames)
        except msgspec.ValidationError:
            return self
        named = {each.id: each.name for each in found.audiences if each.id and each.name}
        return replace(self, name=found.name or self.name, audiences={**self.audiences, **named})


class _MetaAudience(msgspec.Struct, frozen=True):
    id: str = ""
    name: str = ""


class _MetaNames(msgspec.Struct, frozen=True):
    """The names in a calculation's `meta`, as the embedded service writes them."""

    name: str = ""
    audiences: tuple[_MetaAudience, ...] = ()


class PositionedAttribute(NamedTuple):
    """An attribute, its position in the argument, and whether its codes are looked up."""

    position: str
    attribute: ChartAttribute
    is_looked_up: bool

    @property
    def question(self) -> str:
        code = self.attribute.question_code
        return WAVES if code == WAVES else join_code(self.attribute.namespace_code, code)


def given_fields(
    operation: str, whole: str | SavedChart | None, given: Mapping[str, Any], kind: type
) -> dict[str, Any]:
    """The arguments, with those of a whole chart without the fields that the service sets itself.

    operation: its name in errors. whole: a chart to take fields from, or a name.
    """
    singly = {name: value for name, value in given.items() if name != "chart"}
    whole = given.get("chart", whole)
    if whole is not None or kind is ChartFields:
        if isinstance(whole, str):
            singly = {"name": whole, **singly}
        elif isinstance(whole, SavedChart):
            # None in a whole chart is a field that it lacks; sent as null it would be cleared.
            arguments = {wire: name for name, wire in _WIRE_NAMES.items()}
            fields = {arguments.get(name, name): each for name, each in asdict(whole).items()}
            known = {"name", *kind.__annotations__}
            singly = {
                name: each for name, each in fields.items() if each is not None and name in known
            } | singly
        else:
            raise TypeError(
                f"{operation} takes a name or a wire.SavedChart; got {type(whole).__name__}."
            )
    if not singly:
        raise ValueError("Nothing to update: pass fields to change, such as name=… or waves=….")
    return singly


def plain_fields(given: Mapping[str, Any]) -> dict[str, Any]:
    """The body without audiences and attributes."""
    body: dict[str, Any] = {}
    for name, value in given.items():
        if value is not None and name in _LISTS:
            value = codes(name, value)
        elif value is not None and name == "splitter":
            value = code(name, value)
        if value is None or name not in ("attributes", "audiences", "base_audience"):
            body[_WIRE_NAMES.get(name, name)] = value
    return body


def plain_audience(position: str, given: AudienceLike | ChartAudience) -> Audience:
    """The audience of a chart without colour and visibility; `position` is for errors."""
    if isinstance(given, ChartAudience):
        return parse_audience(asdict(given))
    return to_audience(position, given)


def look_of(audience: object) -> dict[str, Any]:
    """The colour and visibility of an audience, if given."""
    if not isinstance(audience, ChartAudience):
        return {}
    look = {"color_index": audience.color_index, "is_hidden": audience.is_hidden}
    return {name: value for name, value in look.items() if value is not None}


def chart_attributes(
    attributes: object, canonical: Callable[[str], str], named: Callable[[str], CatalogueQuestion]
) -> list[PositionedAttribute]:
    """The attributes on the wire; `canonical` adds the namespace to a question's code.

    named: a question of the catalogue by its code or name.

    Raises `TypeError` or `ValueError`, naming the position, for anything but a datapoint.
    """
    if isinstance(attributes, (str, ChartAttribute, CatalogueQuestion, Expression)) or _is_codes(
        attributes
    ):
        attributes = [attributes]
    if not isinstance(attributes, Iterable):
        raise TypeError(f"attributes must be a list of datapoints. {_FORMS}")
    return [
        PositionedAttribute(at, made, not isinstance(given, ChartAttribute))
        for at, given in (
            (f"attributes[{n}]", each) for n, each in enumerate(cast(Iterable[object], attributes))
        )
        for made in _attributes_of(at, named(given) if isinstance(given, str) else given, canonical)
    ]


def _attributes_of(
    position: str, given: object, canonical: Callable[[str], str]
) -> Iterator[ChartAttribute]:
    if isinstance(given, ChartAttribute):
        yield given
    elif isinstance(given, CatalogueQuestion):
        for datapoint in given.datapoints:
            if datapoint.accessible:
                yield _attribute(given.canonical, datapoint.code)
    elif isinstance(given, Leaf):
        if given.negated or len(given.datapoints) != 1 or len(given.suffixes) > 1:
            raise ValueError(
                f"{position} must be one datapoint with at most one suffix, not negated. Pass "
                "several one by one."
            )
        yield _attribute(canonical(given.question), *given.datapoints, *given.suffixes)
    elif _is_codes(given) and len(parts := cast(tuple[str, ...], given)) in (2, 3):
        yield _attribute(canonical(parts[0]), *map(str, parts[1:]))
    else:
        raise TypeError(f"{position} must be a datapoint; got {type(given).__name__}. {_FORMS}")


def _attribute(question: str, datapoint: str, suffix: str = "") -> ChartAttribute:
    namespace, code = split_code(question)
    return ChartAttribute(
        datapoint_code=datapoint, namespace_code=namespace, question_code=code, suffix_code=suffix
    )


def _is_codes(given: object) -> bool:
    return isinstance(given, tuple) and any(
        isinstance(each, str) for each in cast(tuple[object, ...], given)[:1]
    )


def attribute_fault(question: Question, attribute: ChartAttribute) -> str:
    """What is wrong with an attribute of a question that exists, if anything."""
    title = f"{question.code!r} ({question.name})"
    if not question.accessible:
        return not_accessible(f"Question {title}")
    if question.datapoints is None:
        return ""
    for kind, given, listed in (
        ("datapoint", attribute.datapoint_code, question.datapoints),
        ("suffix", attribute.suffix_code, question.suffixes),
    ):
        known = {each.code: each.name for each in listed}
        if given and given not in known:
            return f"Question {title} has no {kind} {given!r}.{did_you_mean(given, known)}"
    return ""
