"""Saved charts: building the requests, reading the answers.

A field that is not given is not sent, so that an update leaves it as it is; None is sent as null,
which clears it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, TypedDict
from urllib.parse import quote

import msgspec
from msgspec.structs import asdict

from audiencelab.client.messages import Call, Request, Retry
from audiencelab.client.operations.attributes import (
    AttributeLike,
    GivenAttribute,
    chart_attributes,
)
from audiencelab.client.operations.audiences import (
    AudienceLike,
    identified,
    listed,
    named,
    named_base,
    questions_to_name,
    to_audience,
)
from audiencelab.client.operations.codes import code, codes
from audiencelab.client.operations.fields import check_fields
from audiencelab.client.operations.reading import reader, unwrapped
from audiencelab.expressions import Audience, Labels
from audiencelab.schema import Chart, ChartAudience, ChartCalculation, ChartCreated

__all__ = ["ChartChanges", "ChartFields", "ChartPlan", "calculate", "plan_chart"]


class _Groups(msgspec.Struct):
    stats: Any = msgspec.UNSET


class ChartFields(TypedDict, total=False):
    """What a chart may be created with, besides its name."""

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
    """What an update of a chart may assign; `chart` is a whole one to take fields from."""

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
class ChartPlan:
    """A chart, or what changes of one, found well-formed.

    fields: the body without audiences. audiences, base_audience: those of it, each with an id;
        None where they are not given. looks: colour and visibility of each audience, by id.
    attributes: what the chart shows, with where each was given; they are in the body already.
    """

    fields: dict[str, Any]
    audiences: tuple[Audience, ...] | None = None
    base_audience: Audience | None = None
    looks: Mapping[str, Mapping[str, Any]] = field(default_factory=dict[str, Mapping[str, Any]])
    attributes: tuple[GivenAttribute, ...] = ()

    def all_audiences(self) -> tuple[Audience, ...]:
        """The audiences and the base audience, as far as they are given."""
        base = () if self.base_audience is None else (self.base_audience,)
        return (*(self.audiences or ()), *base)

    def questions_to_name(self) -> set[str]:
        """The questions whose names make up the names of nameless audiences."""
        return questions_to_name(self.all_audiences())

    def named(self, labels: Labels) -> ChartPlan:
        """The same with a name for every audience."""
        return replace(
            self,
            audiences=None if self.audiences is None else named(self.audiences, labels),
            base_audience=named_base(self.base_audience, labels),
        )

    def create(self, idempotency_key: str) -> Call[ChartCreated]:
        """POST /v1/charts."""
        headers = {"idempotency-key": idempotency_key}
        request = Request("POST", "/v1/charts", {}, self._body(), headers, Retry.CREATE)
        return Call(request, _read_created)

    def update(self, chart_id: str) -> Call[str]:
        """PUT /v1/charts/{id}."""
        path = f"/v1/charts/{_path_id(chart_id)}"
        request = Request("PUT", path, {}, self._body(), retry=Retry.ASSIGN)
        return Call(request, lambda body: msgspec.json.decode(body, type=str))

    def _body(self) -> bytes:
        body = dict(self.fields)
        if self.audiences is not None:
            body["audiences"] = [self._written(each) for each in self.audiences]
        if self.base_audience is not None:
            body["base_audience"] = self._written(self.base_audience)
        return msgspec.json.encode(body)

    def _written(self, audience: Audience) -> dict[str, Any]:
        return {**audience.to_wire("chart"), **self.looks.get(audience.id or "", {})}


def plan_chart(
    operation: str,
    whole: str | Chart | None,
    given: Mapping[str, Any],
    kind: type,
    canonical: Callable[[str], str],
) -> ChartPlan:
    """A plan of what was given, `kind` being the fields that the operation takes.

    operation: what an error calls it. whole: a chart to take fields from, or the name alone.

    Raises `TypeError` and `ValueError` for what cannot be part of a chart.
    """
    check_fields(operation, given, kind)
    singly = {name: value for name, value in given.items() if name != "chart"}
    given = {**_fields_of(operation, given.get("chart", whole), kind), **singly}
    if not given:
        raise ValueError("Nothing to update: give what changes, such as name=… or waves=….")
    audiences, base = given.get("audiences"), given.get("base_audience")
    fields, attributes = _plain_fields(given), given.get("attributes")
    listed = () if attributes is None else tuple(chart_attributes(attributes, canonical))
    if attributes is not None:
        fields["attributes"] = [each.attribute for each in listed]
    taken: set[str] = set()
    looks: dict[str, Mapping[str, Any]] = {}
    return ChartPlan(
        fields,
        None if audiences is None else _identified(audiences, "audiences", taken, looks),
        None if base is None else _identified([base], "base_audience", taken, looks)[0],
        looks,
        listed,
    )


def calculate(chart_id: str) -> Call[ChartCalculation]:
    """POST /v1/charts/{id}/calculate."""
    path = f"/v1/charts/{_path_id(chart_id)}/calculate"
    return Call(Request("POST", path, retry=Retry.COSTLY), _read_groups)


def _read_groups(body: bytes) -> ChartCalculation:
    body = unwrapped(body, "stats")
    if msgspec.json.decode(body, type=_Groups).stats is None:
        # A service that has no groups to give sends an empty list.
        raise msgspec.ValidationError("its `stats` are null and not a list of groups")
    return _read_calculation(body)


def _fields_of(operation: str, whole: str | Chart | None, kind: type) -> dict[str, Any]:
    """A whole chart as arguments; what the operation does not take, the service sets itself."""
    if whole is None and "chart" in kind.__annotations__:
        # An update may do without either.
        return {}
    if isinstance(whole, str):
        return {"name": whole}
    if not isinstance(whole, Chart):  # pyright: ignore[reportUnnecessaryIsInstance] -- callers in notebooks are not type-checked
        raise TypeError(f"{operation} takes a name or a wire.Chart, not {type(whole).__name__}.")
    arguments = {wire: name for name, wire in _WIRE_NAMES.items()}
    given = {arguments.get(name, name): value for name, value in asdict(whole).items()}
    known = {"name", *kind.__annotations__}
    return {name: each for name, each in given.items() if each is not None and name in known}


def _plain_fields(given: Mapping[str, Any]) -> dict[str, Any]:
    """The body but for audiences and attributes that are given."""
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


def _identified(
    audiences: Iterable[AudienceLike | ChartAudience],
    argument: str,
    taken: set[str],
    looks: dict[str, Mapping[str, Any]],
) -> tuple[Audience, ...]:
    given = listed(argument, audiences)
    plain = [_plain(f"{argument}[{place}]", each) for place, each in enumerate(given)]
    made = identified(plain, argument, taken)
    for audience, each in zip(made, given, strict=True):
        if isinstance(each, ChartAudience):
            looks[audience.id or ""] = _look(each)
    return made


def _plain(place: str, given: AudienceLike | ChartAudience) -> AudienceLike:
    if isinstance(given, ChartAudience):
        return Audience.from_wire(asdict(given))
    return to_audience(place, given)


def _look(audience: ChartAudience) -> dict[str, Any]:
    """What a chart knows of an audience besides who belongs to it."""
    look = {"color_index": audience.color_index, "is_hidden": audience.is_hidden}
    return {name: value for name, value in look.items() if value is not None}


def _path_id(chart_id: str) -> str:
    if not isinstance(chart_id, str) or not chart_id:  # pyright: ignore[reportUnnecessaryIsInstance] -- callers in notebooks are not type-checked
        raise TypeError("A chart is named by its id, as text: client.charts.create(…).id.")
    return quote(chart_id, safe="")
