"""Saved charts: building the requests, reading the responses.

A field that is not given is not sent, so an update leaves it unchanged; None is sent as null, which
clears it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, NoReturn, TypedDict, cast
from urllib.parse import quote

import msgspec
from msgspec.structs import asdict

from audiencelab.client.catalogue import CatalogueQuestion
from audiencelab.client.exchange import Call
from audiencelab.client.operations.arguments import check_fields, code, codes
from audiencelab.client.operations.audiences import (
    AudienceLike,
    as_list,
    assign_base_name,
    assign_ids,
    assign_names,
    questions_to_name,
    to_audience,
)
from audiencelab.client.operations.decoding import reader, unwrap
from audiencelab.client.retries import Retry
from audiencelab.expressions import Audience, Expression, Labels, Leaf, split_code
from audiencelab.schema import Chart, ChartAttribute, ChartAudience, ChartCalculation, ChartCreated
from audiencelab.schema.http import Request


class _Groups(msgspec.Struct):
    stats: Any = msgspec.UNSET


AttributeLike = ChartAttribute | CatalogueQuestion | Leaf | tuple[str, ...]
"""A datapoint as `catalogue["Gender"]["Female"]`, as `("q2", "q2_2")` with a suffix as an optional
third code, or as a `wire.ChartAttribute`, which is sent unchanged. A question of the catalogue
means all its datapoints."""

_FORMS = (
    'Pass catalogue["Gender"]["Female"], ("q2", "q2_2"), ("q20", "q20_1", "1") with a suffix, '
    'or a whole question, catalogue["Gender"].'
)


@dataclass(frozen=True, slots=True)
class GivenAttribute:
    """An attribute, its position in the argument, and whether its codes are looked up."""

    position: str
    attribute: ChartAttribute
    is_looked_up: bool = True


def chart_attributes(
    attributes: Iterable[AttributeLike], canonical: Callable[[str], str]
) -> list[GivenAttribute]:
    """The attributes on the wire; `canonical` adds the namespace to a question's code.

    Raises `TypeError` or `ValueError`, naming the position, for anything but a datapoint.
    """
    given: object = attributes
    if isinstance(given, (str, ChartAttribute, CatalogueQuestion, Expression)) or (
        isinstance(given, tuple) and _is_codes(cast(tuple[object, ...], given))
    ):
        raise TypeError("attributes must be a list; put it in brackets: attributes=[…].")
    if not isinstance(attributes, Iterable):  # pyright: ignore[reportUnnecessaryIsInstance] -- callers in notebooks are not type-checked
        raise TypeError(f"attributes must be a list of datapoints. {_FORMS}")
    return [
        GivenAttribute(at, made, not isinstance(given, ChartAttribute))
        for at, given in ((f"attributes[{n}]", each) for n, each in enumerate(attributes))
        for made in _attributes(at, given, canonical)
    ]


def _attributes(
    position: str, given: AttributeLike, canonical: Callable[[str], str]
) -> Iterator[ChartAttribute]:
    if isinstance(given, ChartAttribute):
        yield given
    elif isinstance(given, CatalogueQuestion):
        for datapoint in given.datapoints:
            if datapoint.accessible:
                yield _attribute(given.canonical, datapoint.code)
    elif isinstance(given, Leaf):
        yield _of_leaf(position, given, canonical)
    elif isinstance(given, tuple) and len(given) in (2, 3) and _is_codes(given):  # pyright: ignore[reportUnnecessaryIsInstance] -- callers in notebooks are not type-checked
        yield _attribute(canonical(given[0]), *map(str, given[1:]))
    else:
        _refuse(position, given)


def _of_leaf(position: str, leaf: Leaf, canonical: Callable[[str], str]) -> ChartAttribute:
    if leaf.negated or len(leaf.datapoints) != 1 or len(leaf.suffixes) > 1:
        raise ValueError(
            f"{position} must be one datapoint with at most one suffix, not negated. Pass several "
            "one by one."
        )
    return _attribute(canonical(leaf.question), *leaf.datapoints, *leaf.suffixes)


def _attribute(question: str, datapoint: str, suffix: str = "") -> ChartAttribute:
    namespace, code = split_code(question)
    return ChartAttribute(
        datapoint_code=datapoint, namespace_code=namespace, question_code=code, suffix_code=suffix
    )


def _is_codes(given: tuple[object, ...]) -> bool:
    return bool(given) and isinstance(given[0], str)


def _refuse(position: str, given: object) -> NoReturn:
    raise TypeError(f"{position} must be a datapoint; got {type(given).__name__}. {_FORMS}")


class ChartFields(TypedDict, total=False):
    """The fields that a chart may be created with, in addition to its name."""

    attributes: Iterable[AttributeLike] | None
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

    chart: Chart | None
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


_WIRE_NAMES = {"waves": "wave_codes", "locations": "location_codes"}
_LISTS = ("waves", "locations", "segments", "metrics", "dataset_codes", "dataset_names")

_read_created = reader(ChartCreated)
_read_calculation = reader(ChartCalculation)


@dataclass(frozen=True, slots=True)
class ChartRequest:
    """A checked chart, or the changes of one.

    fields: the body without audiences. audiences, base_audience: those of it, each with an id;
        None where they are not given. looks: colour and visibility of each audience, by id.
    attributes: what the chart shows, with their positions; they are part of `fields`.
    """

    fields: dict[str, Any]
    audiences: tuple[Audience, ...] | None = None
    base_audience: Audience | None = None
    looks: Mapping[str, Mapping[str, Any]] = field(default_factory=dict[str, Mapping[str, Any]])
    attributes: tuple[GivenAttribute, ...] = ()

    def all_audiences(self) -> tuple[Audience, ...]:
        """The audiences and the base audience, if given."""
        base = () if self.base_audience is None else (self.base_audience,)
        return (*(self.audiences or ()), *base)

    def questions_to_name(self) -> set[str]:
        """The questions whose names make up the names of nameless audiences."""
        return questions_to_name(self.all_audiences())

    def named(self, labels: Labels) -> ChartRequest:
        """The same with a name for every audience."""
        return replace(
            self,
            audiences=None if self.audiences is None else assign_names(self.audiences, labels),
            base_audience=assign_base_name(self.base_audience, labels),
        )

    def create(self, idempotency_key: str) -> Call[ChartCreated]:
        """POST /v1/charts."""
        headers = {"idempotency-key": idempotency_key}
        request = Request("POST", "/v1/charts", "", headers, self._body())
        return Call(request, _read_created, Retry.CREATE)

    def update(self, chart_id: str) -> Call[str]:
        """PUT /v1/charts/{id}."""
        request = Request("PUT", f"/v1/charts/{_path_id(chart_id)}", body=self._body())
        return Call(request, lambda body: msgspec.json.decode(body, type=str), Retry.ASSIGN)

    def _body(self) -> bytes:
        body = dict(self.fields)
        if self.audiences is not None:
            body["audiences"] = [self._written(each) for each in self.audiences]
        if self.base_audience is not None:
            body["base_audience"] = self._written(self.base_audience)
        return msgspec.json.encode(body)

    def _written(self, audience: Audience) -> dict[str, Any]:
        return {**audience.to_wire("chart"), **self.looks.get(audience.id or "", {})}


def build_chart(
    operation: str,
    whole: str | Chart | None,
    given: Mapping[str, Any],
    kind: type,
    canonical: Callable[[str], str],
) -> ChartRequest:
    """The chart of the given fields; `kind` lists the fields that the operation takes.

    operation: its name in errors. whole: a chart to take fields from, or a name.

    Raises `TypeError` and `ValueError` for what cannot be part of a chart.
    """
    check_fields(operation, given, kind)
    singly = {name: value for name, value in given.items() if name != "chart"}
    given = {**_fields_of(operation, given.get("chart", whole), kind), **singly}
    if not given:
        raise ValueError("Nothing to update: pass fields to change, such as name=… or waves=….")
    audiences, base = given.get("audiences"), given.get("base_audience")
    fields, attributes = _plain_fields(given), given.get("attributes")
    shown = () if attributes is None else tuple(chart_attributes(attributes, canonical))
    if attributes is not None:
        fields["attributes"] = [each.attribute for each in shown]
    taken: set[str] = set()
    looks: dict[str, Mapping[str, Any]] = {}
    return ChartRequest(
        fields,
        None if audiences is None else _with_ids(audiences, "audiences", taken, looks),
        None if base is None else _with_ids([base], "base_audience", taken, looks)[0],
        looks,
        shown,
    )


def build_calculate(chart_id: str) -> Call[ChartCalculation]:
    """POST /v1/charts/{id}/calculate."""
    request = Request("POST", f"/v1/charts/{_path_id(chart_id)}/calculate")
    return Call(request, _read_groups, Retry.COSTLY)


def _read_groups(body: bytes) -> ChartCalculation:
    body = unwrap(body, "stats")
    if msgspec.json.decode(body, type=_Groups).stats is None:
        # A service without groups sends an empty list.
        raise msgspec.ValidationError("its `stats` are null, not a list of groups")
    return _read_calculation(body)


def _fields_of(operation: str, whole: str | Chart | None, kind: type) -> dict[str, Any]:
    """A whole chart as arguments, without the fields that the service sets itself."""
    if whole is None and "chart" in kind.__annotations__:
        return {}
    if isinstance(whole, str):
        return {"name": whole}
    if not isinstance(whole, Chart):  # pyright: ignore[reportUnnecessaryIsInstance] -- callers in notebooks are not type-checked
        raise TypeError(f"{operation} takes a name or a wire.Chart; got {type(whole).__name__}.")
    arguments = {wire: name for name, wire in _WIRE_NAMES.items()}
    given = {arguments.get(name, name): value for name, value in asdict(whole).items()}
    known = {"name", *kind.__annotations__}
    return {name: each for name, each in given.items() if each is not None and name in known}


def _plain_fields(given: Mapping[str, Any]) -> dict[str, Any]:
    """The body without audiences and attributes."""
    fields: dict[str, Any] = {}
    for name, value in given.items():
        if value is None:
            fields[_WIRE_NAMES.get(name, name)] = None
        elif name in _LISTS:
            fields[_WIRE_NAMES.get(name, name)] = codes(name, value)
        elif name == "splitter":
            fields[name] = code(name, value)
        elif name not in ("attributes", "audiences", "base_audience"):
            fields[name] = value
    return fields


def _with_ids(
    audiences: Iterable[AudienceLike | ChartAudience],
    argument: str,
    taken: set[str],
    looks: dict[str, Mapping[str, Any]],
) -> tuple[Audience, ...]:
    given = as_list(argument, audiences)
    plain = [_plain(f"{argument}[{position}]", each) for position, each in enumerate(given)]
    made = assign_ids(plain, argument, taken)
    for audience, each in zip(made, given, strict=True):
        if isinstance(each, ChartAudience):
            looks[audience.id or ""] = _look(each)
    return made


def _plain(position: str, given: AudienceLike | ChartAudience) -> AudienceLike:
    if isinstance(given, ChartAudience):
        return Audience.from_wire(asdict(given))
    return to_audience(position, given)


def _look(audience: ChartAudience) -> dict[str, Any]:
    """The colour and visibility of an audience, if given."""
    look = {"color_index": audience.color_index, "is_hidden": audience.is_hidden}
    return {name: value for name, value in look.items() if value is not None}


def _path_id(chart_id: str) -> str:
    if not isinstance(chart_id, str) or not chart_id:  # pyright: ignore[reportUnnecessaryIsInstance] -- callers in notebooks are not type-checked
        raise TypeError("chart_id must be a str, such as client.charts.create(…).id.")
    return quote(chart_id, safe="")
