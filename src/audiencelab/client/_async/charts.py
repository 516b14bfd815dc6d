"""The chart operations of a client.

A field that is not given is not sent, so an update leaves it unchanged; None is sent as null, which
clears it.
"""

from __future__ import annotations

import uuid
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple, TypedDict, Unpack, cast
from urllib.parse import quote

import msgspec
from msgspec.structs import asdict

from audiencelab.client._async.sending import (
    AsyncResource,
    AsyncSender,
    ask,
    ask_with_line,
    catalogue_for_hints,
    learn_names,
    require_respondents,
)
from audiencelab.client.arguments import check_fields, code, codes, document_kwargs
from audiencelab.client.audiences import (
    AudienceLike,
    as_list,
    assign_ids,
    assign_names,
    question_codes,
    to_audience,
)
from audiencelab.client.catalogue import CatalogueQuestion
from audiencelab.client.catalogue.labels import did_you_mean, not_accessible
from audiencelab.client.decoding import reader, unwrap
from audiencelab.client.errors import InvalidResponse, UnknownCodeError
from audiencelab.client.exchange import Call
from audiencelab.client.hints import question_hint
from audiencelab.client.retries import Retry
from audiencelab.errors import Fault, list_faults
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
    Chart,
    ChartAttribute,
    ChartAudience,
    ChartCalculation,
    ChartCreated,
    Question,
)
from audiencelab.schema.http import Request
from audiencelab.tables import ChartCalculationResult

AttributeLike = ChartAttribute | CatalogueQuestion | Leaf | tuple[str, ...]
"""A datapoint as `catalogue["Gender"]["Female"]`, as `("q2", "q2_2")` with a suffix as an optional
third code, or as a `schema.ChartAttribute`, which is sent unchanged. A question of the catalogue
means all its datapoints."""

_FORMS = (
    'Pass catalogue["Gender"]["Female"], ("q2", "q2_2"), ("q20", "q20_1", "1") with a suffix, '
    'or a whole question, catalogue["Gender"].'
)
_AS_SAVED = "as saved in the chart"
"""What is unknown of a chart, which somebody else may have saved."""

_WIRE_NAMES = {"waves": "wave_codes", "locations": "location_codes"}
_LISTS = ("waves", "locations", "segments", "metrics", "dataset_codes", "dataset_names")

_read_created = reader(ChartCreated)
_read_calculation = reader(ChartCalculation)


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


class AsyncCharts(AsyncResource):
    """The chart operations of a client."""

    @document_kwargs(ChartFields)
    async def create(self, name: str | Chart, **fields: Unpack[ChartFields]) -> ChartCreated:
        """Save a chart.

        name: its name; or a `wire.Chart`, which is sent without the fields that the service sets
            itself (its id, its owner, its times).
        attributes: what it shows: `catalogue["Gender"]["Female"]`, a whole question of the
            catalogue, `("q20", "q20_1")`, or with a suffix `("q20", "q20_1", "1")`.
        audiences, base_audience: audiences or expressions; a `wire.ChartAudience` has a colour too.
        waves, locations, splitter, segments, segmented_base: as in `stats`.
        metrics, dataset_codes, dataset_names, color, folder_id, group_type, view_type, sort_type,
            sort_parameter_type, sort_parameter_value: kept as given.

        The result holds the chart's `id`, and which audience ids the service replaced. A chart is
        never created twice: a request that may have arrived is not sent again. Raises `TypeError`
        for what cannot be part of a chart, `InvalidRequest` with every fault, and the other
        errors of `ClientError`.

        >>> client.charts.create("Age", attributes=[("q4", "q4_2")]).id is not None
        True

        It sends POST /v1/charts.
        """
        given = _given("charts.create", name, fields, ChartFields)
        body, names = await _build(self._sender, given)
        # One key for all attempts: a service that honours it creates one chart.
        headers = {"idempotency-key": uuid.uuid4().hex}
        request = Request("POST", "/v1/charts", "", headers, msgspec.json.encode(body))
        created = await ask(self._sender, Call(request, _read_created, Retry.CREATE))
        ids = {each.source: each.target for each in created.audience_replacements}
        self._remember(created.id, body, {ids.get(each, each): names[each] for each in names})
        return created

    @document_kwargs(ChartChanges)
    async def update(self, chart_id: str, **fields: Unpack[ChartChanges]) -> str:
        """Assign fields of a chart; returns its id.

        chart: a `wire.Chart`, of which the fields with a value are assigned.
        Other arguments as for `create`. Fields that are not given stay; None clears a field.

        Raises `ValueError` if nothing is given, `NotFound`, and the errors of `create`.

        It sends PUT /v1/charts/{id}.
        """
        given = _given("charts.update", None, fields, ChartChanges)
        body, names = await _build(self._sender, given)
        request = Request("PUT", _path(chart_id), body=msgspec.json.encode(body))
        call = Call(request, msgspec.json.Decoder(str).decode, Retry.ASSIGN)
        updated = await ask(self._sender, call)
        self._remember(updated, body, names)
        return updated

    async def calculate(self, chart_id: str) -> ChartCalculationResult:
        """The metrics of a chart.

        The result holds one group for each attribute; `failures` are those without metrics, and
        `to_frame()` has them all. Sizes are weighted counts, percentages run from 0 to 100. Raises
        `NotFound`, and the other errors of `ClientError`.

        It sends POST /v1/charts/{id}/calculate.
        """
        context = self._sender.context
        request = Request("POST", f"{_path(chart_id)}/calculate")
        call = Call(request, _read_groups, Retry.COSTLY)
        answer, line = await ask_with_line(self._sender, call)
        names = context.charts.get(chart_id, ChartNames()).with_names_of(answer.meta)
        came = sum(max(1, len(group.attributes)) for group in answer.stats)
        if names.attributes is not None and came < names.attributes:
            raise InvalidResponse(
                f"The calculation has metrics for {came:,} of the chart's {names.attributes:,} "
                "attributes, and does not mention the others. If they were removed from the chart "
                "elsewhere, connect again.",
                line,
            )
        splitter = _splitter(answer) or names.splitter or WAVES
        await learn_names(self._sender, [splitter])
        if splitter == WAVES:
            rows = [row for group in answer.stats for row in group.data if row.segment]
            name = context.book.wave_name
            segments = {row.segment: name(row.segment) for row in rows if row.segment}
        else:
            segments = context.book.datapoints(splitter)
        return ChartCalculationResult(
            chart_id=chart_id,
            groups=tuple(answer.stats),
            name=names.name,
            audiences=names.audiences,
            segments=segments,
            meta=answer.meta,
            provenance=context.provenance("chart calculation", None, None)
            | {"chart": chart_id, "base_audience": _AS_SAVED, "locations": _AS_SAVED},
        )

    def _remember(self, chart_id: str, body: Mapping[str, Any], audiences: dict[str, str]) -> None:
        """Keep the names of the chart's parts, which no operation returns later."""
        names: ChartNames = self._sender.context.charts.setdefault(chart_id, ChartNames())
        names.name = body.get("name", names.name) or ""
        names.splitter = body.get("splitter", names.splitter) or ""
        names.audiences = {**names.audiences, **audiences}
        if "attributes" in body:
            names.attributes = len(body["attributes"] or ())


class _Attribute(NamedTuple):
    """An attribute, its position in the argument, and whether its codes are looked up."""

    position: str
    attribute: ChartAttribute
    is_looked_up: bool

    @property
    def question(self) -> str:
        code = self.attribute.question_code
        return WAVES if code == WAVES else join_code(self.attribute.namespace_code, code)


def _given(
    operation: str, whole: str | Chart | None, given: Mapping[str, Any], kind: type
) -> dict[str, Any]:
    """The arguments, with those of a whole chart without the fields that the service sets itself.

    operation: its name in errors. whole: a chart to take fields from, or a name.
    """
    check_fields(operation, given, kind)
    singly = {name: value for name, value in given.items() if name != "chart"}
    whole = given.get("chart", whole)
    if whole is not None or kind is ChartFields:
        if isinstance(whole, str):
            singly = {"name": whole, **singly}
        elif isinstance(whole, Chart):
            arguments = {wire: name for name, wire in _WIRE_NAMES.items()}
            fields = {arguments.get(name, name): each for name, each in asdict(whole).items()}
            known = {"name", *kind.__annotations__}
            singly = {
                name: each for name, each in fields.items() if each is not None and name in known
            } | singly
        else:
            raise TypeError(
                f"{operation} takes a name or a wire.Chart; got {type(whole).__name__}."
            )
    if not singly:
        raise ValueError("Nothing to update: pass fields to change, such as name=… or waves=….")
    return singly


async def _build(
    sender: AsyncSender, given: Mapping[str, Any]
) -> tuple[dict[str, Any], dict[str, str]]:
    """The body of a chart, and the names of its audiences by id; checks its attributes."""
    context = sender.context
    body = _plain_fields(given)
    attributes: list[_Attribute] = []
    if (listed := given.get("attributes")) is not None:
        attributes = _attributes(listed, context.book.canonical)
        body["attributes"] = [each.attribute for each in attributes]
    originals = {
        name: as_list(name, [given[name]] if name == "base_audience" else given[name])
        for name in ("audiences", "base_audience")
        if given.get(name) is not None
    }
    taken: set[str] = set()
    audiences = {
        name: assign_ids(
            [_plain(f"{name}[{position}]", one) for position, one in enumerate(each)], name, taken
        )
        for name, each in originals.items()
    }
    every = [audience for each in audiences.values() for audience in each]
    require_respondents(context, every)
    await _check_attributes(sender, attributes)
    await learn_names(sender, question_codes(every, nameless=True))
    names: dict[str, str] = {}
    for name, each in audiences.items():
        named = assign_names(each, context.describe)
        names |= {audience.id or "": audience.name for audience in named if name == "audiences"}
        written = [
            {**audience.to_wire("chart"), **_look(original)}
            for audience, original in zip(named, originals[name], strict=True)
        ]
        body[name] = written if name == "audiences" else written[0]
    return body, names


def _plain_fields(given: Mapping[str, Any]) -> dict[str, Any]:
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


def _plain(position: str, given: AudienceLike | ChartAudience) -> Audience:
    if isinstance(given, ChartAudience):
        return parse_audience(asdict(given))
    return to_audience(position, given)


def _look(audience: object) -> dict[str, Any]:
    """The colour and visibility of an audience, if given."""
    if not isinstance(audience, ChartAudience):
        return {}
    look = {"color_index": audience.color_index, "is_hidden": audience.is_hidden}
    return {name: value for name, value in look.items() if value is not None}


def _attributes(attributes: object, canonical: Callable[[str], str]) -> list[_Attribute]:
    """The attributes on the wire; `canonical` adds the namespace to a question's code.

    Raises `TypeError` or `ValueError`, naming the position, for anything but a datapoint.
    """
    if isinstance(attributes, (str, ChartAttribute, CatalogueQuestion, Expression)) or _is_codes(
        attributes
    ):
        raise TypeError("attributes must be a list; put it in brackets: attributes=[…].")
    if not isinstance(attributes, Iterable):
        raise TypeError(f"attributes must be a list of datapoints. {_FORMS}")
    return [
        _Attribute(at, made, not isinstance(given, ChartAttribute))
        for at, given in (
            (f"attributes[{n}]", each) for n, each in enumerate(cast(Iterable[object], attributes))
        )
        for made in _attributes_of(at, given, canonical)
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


async def _check_attributes(sender: AsyncSender, attributes: Iterable[_Attribute]) -> None:
    """Raise `UnknownCodeError`, with every fault, for attributes that do not exist.

    The service would keep a chart of any codes and report them when the chart is calculated.
    Checked where that is cheap: in this process, or if the catalogue is loaded already.
    """
    context = sender.context
    wanted = [each for each in attributes if each.is_looked_up]
    if not wanted or not (context.embedded or context.catalogue is not None):
        return
    questions = {each.question for each in wanted}
    await learn_names(sender, questions)
    if not context.book.knows(questions):
        return
    # An unknown question has the same fault for each of its datapoints.
    faults: dict[Fault, str] = {}
    for each in wanted:
        question = context.book.question(each.question)
        if question is not None:
            fault = _fault(question, each.attribute)
        elif each.question != WAVES:
            written = each.question.removeprefix(f"{context.base_namespace}.")
            fault = question_hint(written, await catalogue_for_hints(sender))
        else:
            fault = ""
        if fault:
            faults[Fault(each.position, fault)] = each.question
    if faults:
        message = list_faults("Some attributes of the chart are not valid.", list(faults))
        raise UnknownCodeError(message, dict.fromkeys(faults.values()))


def _fault(question: Question, attribute: ChartAttribute) -> str:
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


def _read_groups(body: bytes) -> ChartCalculation:
    body = unwrap(body, "stats")
    if msgspec.json.decode(body, type=dict[str, Any]).get("stats", ()) is None:
        # A service without groups sends an empty list.
        raise msgspec.ValidationError("its `stats` are null, not a list of groups")
    return _read_calculation(body)


def _splitter(answer: ChartCalculation) -> str:
    """The splitter that the groups name, if any does."""
    metas: list[Any] = [group.meta for group in answer.stats]
    named = [cast(dict[str, Any], m).get("splitter") for m in metas if isinstance(m, dict)]
    return next((each for each in named if isinstance(each, str) and each), "")


def _path(chart_id: str) -> str:
    if not isinstance(chart_id, str) or not chart_id:  # pyright: ignore[reportUnnecessaryIsInstance] -- callers in notebooks are not type-checked
        raise TypeError("chart_id must be a str, such as client.charts.create(…).id.")
    return f"/v1/charts/{quote(chart_id, safe='')}"
