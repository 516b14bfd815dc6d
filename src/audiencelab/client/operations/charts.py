"""The chart operations of a client."""

from __future__ import annotations

import uuid
from collections.abc import Iterable, Mapping
from typing import Any, Unpack, cast

import msgspec
from msgspec import UNSET

from audiencelab.client.arguments import Seen, if_match_header
from audiencelab.client.audiences import (
    as_list,
    assign_ids,
    assign_names,
    question_codes,
    to_audience,
)
from audiencelab.client.catalogue import Catalogue
from audiencelab.client.chart_fields import (
    ChartChanges,
    ChartFields,
    ChartNames,
    PositionedAttribute,
    attribute_fault,
    chart_attributes,
    given_fields,
    look_of,
    plain_audience,
    plain_fields,
)
from audiencelab.client.decoding import check_about, reader, unwrap
from audiencelab.client.errors import InvalidResponse, UnknownCodeError
from audiencelab.client.exchange import Call
from audiencelab.client.hints import question_hint
from audiencelab.client.names import names_in
from audiencelab.client.one_version import of_one_version
from audiencelab.client.operations.group import OperationGroup
from audiencelab.client.operations.names import names_for
from audiencelab.client.operations.queries import whole_survey
from audiencelab.client.sending import (
    Sender,
    ask,
    ask_with_line,
    catalogue_for_hints,
    load_catalogue,
    load_names,
    require_respondents,
)
from audiencelab.errors import Fault, list_faults
from audiencelab.expressions import within
from audiencelab.expressions.codes import WAVES
from audiencelab.keywords import keywords
from audiencelab.schema import (
    ChartCalculation,
    ChartCreated,
    SavedChart,
)
from audiencelab.schema.endpoints import CALCULATE_CHART, CREATE_CHART, UPDATE_CHART
from audiencelab.schema.etags import ChartId, with_etag
from audiencelab.tables import ChartCalculationResult

_AS_SAVED = "as saved in the chart"
"""What is unknown of a chart, which somebody else may have saved."""


_read_creation = reader(ChartCreated)
_read_calculation = reader(ChartCalculation)


class Charts(OperationGroup):
    """The chart operations of a client."""

    @keywords(ChartFields, UNSET)
    def create(self, name: str | SavedChart, **fields: Unpack[ChartFields]) -> ChartCreated:
        """Save a chart.

        name: its name; or a `wire.SavedChart`, which is sent without the fields that the service
            sets itself (its id, its owner, its times).
        attributes: what it shows: `client["Gender"]["Female"]`, a whole question, also by its code
            or name, `("q20", "q20_1")`, or with a suffix `("q20", "q20_1", "1")`.
        audiences, base_audience: audiences or expressions; a `wire.ChartAudience` has a colour too.
            A filtered client's charts have its base.
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
        given = given_fields("charts.create", name, fields, ChartFields)
        if (own := self._sender.options.scope.base) is not None:
            base = given.get("base_audience")
            given["base_audience"] = within(own, base and plain_audience("base_audience", base))
        body, names = _build(self._sender, given)
        # One key for all attempts: a service that honours it creates one chart.
        headers = {"idempotency-key": uuid.uuid4().hex}
        request = CREATE_CHART.request(headers=headers, body=msgspec.json.encode(body))
        created = ask(self._sender, Call(request, _read_created, CREATE_CHART.retry, with_etag))
        ids = {each.source: each.target for each in created.audience_replacements}
        self._remember(created.id, body, {ids.get(each, each): names[each] for each in names})
        return created

    @keywords(ChartChanges, UNSET)
    def update(
        self, chart_id: str, *, if_match: Seen | None = None, **fields: Unpack[ChartChanges]
    ) -> str:
        """Assign fields of a chart; returns its id.

        chart: a `wire.SavedChart`, of which the fields with a value are assigned.
        if_match: the chart as you read or wrote it: the result of `create` or of another update, or
            `client.service.chart(chart_id)`. If someone else saved it since, nothing is changed and
            `SavedMeanwhile` is raised. Without it, and where the service sends no entity tags, the
            update is made in any case.
        Other arguments as for `create`. Fields that are not given stay; None clears a field.

        Raises `ValueError` if nothing is given, `NotFound`, and the errors of `create`.

        >>> made = client.charts.create("Age", attributes=[("q4", "q4_2")])
        >>> updated = client.charts.update(made.id, name="Aged 18 to 24", if_match=made)
        >>> updated == made.id
        True
        >>> client.charts.update(made.id, name="Young", if_match=updated) == made.id
        True

        It sends PUT /v1/charts/{id}.
        """
        given = given_fields("charts.update", None, fields, ChartChanges)
        body, names = _build(self._sender, given)
        headers = if_match_header(if_match)
        encoded = msgspec.json.encode(body)
        request = UPDATE_CHART.request(_check_id(chart_id), headers=headers, body=encoded)
        call = Call(request, lambda body: _read_id(body, chart_id), UPDATE_CHART.retry, with_etag)
        updated = ask(self._sender, call)
        self._remember(updated, body, names)
        return updated

    @of_one_version
    def calculate(self, chart_id: str) -> ChartCalculationResult:
        """The metrics of a chart.

        They are of whom the saved chart says: its own base, whatever that of this client is.
        The result holds one group for each attribute; `failures` are those without metrics, and
        `to_frame()` has them all. Sizes are weighted counts, percentages run from 0 to 100. Raises
        `NotFound`, and the other errors of `ClientError`.

        >>> made = client.charts.create("Age", attributes=[("q4", "q4_2"), ("q4", "q4_3")])
        >>> client.charts.calculate(made.id).to_frame()["datapoint_label"].tolist()
        ['18 to 24', '25 to 34']

        It sends POST /v1/charts/{id}/calculate.
        """
        context = self._sender.context
        scope = whole_survey(self._sender)
        request = CALCULATE_CHART.request(_check_id(chart_id), headers=scope.headers())
        call = Call(request, _read_groups, CALCULATE_CHART.retry)
        answer, line = ask_with_line(self._sender, call)
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
        if splitter == WAVES:
            rows = [row for group in answer.stats for row in group.data if row.segment]
            name = context.names.wave_name
            segments = {row.segment: name(row.segment) for row in rows if row.segment}
        else:
            load_names(self._sender, [splitter])
            segments = context.names.datapoint_names(splitter)
        return ChartCalculationResult(
            made=f"client.charts.calculate({chart_id!r})",
            chart_id=chart_id,
            groups=tuple(answer.stats),
            name=names.name,
            audiences=names.audiences,
            segments=segments,
            meta=answer.meta,
            provenance=context.provenance("chart calculation", scope)
            | self._sender.version_fact
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


def _build(sender: Sender, given: Mapping[str, Any]) -> tuple[dict[str, Any], dict[str, str]]:
    """The body of a chart, and the names of its audiences by id; checks its attributes."""
    context = sender.context
    body = plain_fields(given)
    attributes: list[PositionedAttribute] = []
    if (listed := given.get("attributes")) is not None:
        attributes = chart_attributes(
            listed, context.names.canonical, lambda name: load_catalogue(sender)[name]
        )
        body["attributes"] = [each.attribute for each in attributes]
    originals = {
        name: as_list(name, [given[name]] if name == "base_audience" else given[name])
        for name in ("audiences", "base_audience")
        if given.get(name) is not None
    }
    plain = {
        name: [plain_audience(f"{name}[{position}]", one) for position, one in enumerate(each)]
        for name, each in originals.items()
    }
    found = names_for(sender, names_in(*plain.values()))
    taken: set[str] = set()
    audiences = {
        name: assign_ids([to_audience(name, one, found) for one in each], name, taken)
        for name, each in plain.items()
    }
    every = [audience for each in audiences.values() for audience in each]
    require_respondents(sender, every)
    _check_attributes(sender, attributes)
    load_names(sender, question_codes(every, nameless=True))
    names: dict[str, str] = {}
    for name, each in audiences.items():
        named = assign_names(each, context.describe)
        names |= {audience.id or "": audience.name for audience in named if name == "audiences"}
        written = [
            {**audience.to_wire("chart"), **look_of(original)}
            for audience, original in zip(named, originals[name], strict=True)
        ]
        body[name] = written if name == "audiences" else written[0]
    return body, names


def _check_attributes(sender: Sender, attributes: Iterable[PositionedAttribute]) -> None:
    """Raise `UnknownCodeError`, with every fault, for attributes that do not exist.

    The service would keep a chart of any codes and report them when the chart is calculated.
    Checked where that is cheap: in this process, or if the catalogue is loaded already.
    """
    catalogue = catalogue_for_hints(sender)
    if catalogue is None:
        return
    # An unknown question has the same fault for each of its datapoints.
    faults: dict[Fault, str] = {}
    for each in attributes:
        if not each.is_looked_up or each.question == WAVES:
            continue
        if found := catalogue.of_code(each.question):
            fault = attribute_fault(found.record, each.attribute)
        else:
            written = each.question.removeprefix(f"{sender.context.base_namespace}.")
            fault = _unknown_question(written, catalogue)
        if fault:
            faults[Fault(each.position, fault)] = each.question
    if faults:
        message = list_faults("Some attributes of the chart are not valid.", list(faults))
        raise UnknownCodeError(message, dict.fromkeys(faults.values()))


def _unknown_question(written: str, catalogue: Catalogue) -> str:
    """Why a code is not that of a question: it is a name, it may not be used, or there is none."""
    try:
        catalogue[written]
    except UnknownCodeError as error:
        return str(error)
    return question_hint(written, catalogue)


def _read_created(body: bytes) -> ChartCreated:
    created = _read_creation(body)
    if not created.id:
        raise msgspec.ValidationError("its id is empty")
    return created


def _read_id(body: bytes, chart_id: str) -> ChartId:
    came = msgspec.json.decode(body, type=str)
    check_about("chart", came, chart_id)
    return ChartId(came)


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


def _check_id(chart_id: str) -> str:
    if not isinstance(chart_id, str) or not chart_id:
        raise TypeError("chart_id must be a str, such as client.charts.create(…).id.")
    return chart_id
