"""Every field that the wire's types declare for answers is sent where it is asked for."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, get_args, get_origin

import msgspec
import numpy as np
import pandas as pd
import pytest

import audiencelab as al
from audiencelab import demo_survey
from audiencelab.schema import (
    CalcAttribute,
    CalcCategory,
    CalcTaxonomyPath,
    Category,
)
from audiencelab.schema.arrays import FloatArray
from audiencelab.service import Service
from audiencelab.service.openapi import document
from audiencelab.service.openapi_examples import BODIES
from audiencelab.service.operations import OPERATIONS
from tests.service.asking import TOKEN, ask

HELD: dict[tuple[str, str], type[msgspec.Struct]] = {
    ("Dataset", "child_categories"): Category,
    ("CalcCategory", "category_children"): CalcCategory,
    ("CalcCategory", "taxonomy_paths"): CalcTaxonomyPath,
    ("CalcPathNode", "category_children"): CalcCategory,
    ("CalcPathNode", "taxonomy_paths"): CalcTaxonomyPath,
    ("CalcQuestion", "attributes"): CalcAttribute,
    ("CalcQuestion", "taxonomy_paths"): CalcTaxonomyPath,
}
"""What is in the arrays that the types leave open."""

REQUEST_ONLY = {("SavedAudience", "folder")}

FieldType = tuple[str, str]


@pytest.fixture(scope="module")
def service() -> Iterator[Service]:
    with Service(demo_survey(), [TOKEN]) as service:
        yield service


@pytest.fixture(scope="module")
def answers(service: Service) -> dict[str, list[Any]]:
    """Answers of each operation, asked for everything."""
    women = {"id": "w", "name": "Women", "expression": {"question": "q2", "datapoints": ["q2_2"]}}
    wanted = dict.fromkeys(("categories", "datapoints", "taxonomy_paths"), True)
    includes = "children,lineage,attribute_count,datasets,descendant_attributes"
    chart = {
        "name": "Everything",
        "attributes": [
            {"question_code": "q20", "datapoint_code": "q20_1", "suffix_code": "1"},
            {"question_code": "gone", "datapoint_code": "gone_1"},
            {"question_code": "q2", "datapoint_code": "q2_1"},
        ],
        "audiences": [women],
        "splitter": "waves",
    }
    saved = service.saved_audiences()[0].id
    created = ask(service, "POST", "/v1/charts", chart)
    made = created.json["id"]
    stats = {"question": "q20", "suffixes": ["1"], "splitter": "q2", "audiences": [women]}
    with Service(demo_survey(), [TOKEN], minimum_base=20_000) as strict:
        few = ask(strict, "POST", "/v1/charts", chart).json["id"]
        withheld = {
            "stats": ask(strict, "POST", "/v2/query/stats", stats).json,
            "cells": ask(strict, "POST", "/v2/query/crosstab", {"rows": [women]}).lines,
            "chart": ask(strict, "POST", f"/v1/charts/{few}/calculate").json,
        }
    return {
        "filter_questions": [
            ask(service, "POST", "/v3/questions/filter", {"include": wanted}).json
        ],
        "get_question": [
            ask(service, "GET", f"/v2/questions/{code}?include=categories,datapoints").json
            for code in ("core.q4", "core.q20")
        ],
        "get_category": [
            ask(service, "GET", f"/v2/categories/{category.id}?include={includes}").json
            for category in service.survey.catalogue.categories
        ],
        "query_stats": [
            ask(service, "POST", "/v2/query/stats", body).json
            for body in (stats, {"question": "q2"})
        ]
        + [withheld["stats"]],
        "query_crosstab": ask(
            service, "POST", "/v2/query/crosstab", {"rows": [women], "columns": [women]}
        ).lines
        + withheld["cells"],
        "create_chart": [created.json],
        "calculate_chart": [
            ask(service, "POST", f"/v1/charts/{made}/calculate").json,
            withheld["chart"],
        ],
        "update_saved_audience": [
            ask(service, "PATCH", f"/v2/saved/audiences/{saved}", {"folder": 3}).json
        ],
        "filter_insights": [ask(service, "POST", "/v3/insights/filter", {}).json],
        **local_answers(service),
    }


def local_answers(service: Service) -> dict[str, list[Any]]:
    """Answers of each local operation."""
    found = {
        each.name: [ask(service, "POST", each.endpoint.path, BODIES[each.endpoint]).json]
        for each in OPERATIONS
        if each.endpoint.path.startswith("/local/")
    }
    pounds = pd.DataFrame({"spent": [n % 50 / 4 for n in range(90)], "sex": ["f", "m", "m"] * 30})
    women = {"id": "f", "expression": {"question": "sex", "datapoints": ["sex_1"]}}
    with al.open(pounds, quiet=True) as client:
        numbers = client.request(
            "POST",
            "/local/numbers",
            json={"question": "spent", "splitter": "sex", "audiences": [women]},
        )
    found["query_numbers"].append(msgspec.json.decode(numbers.body))
    return found


def structs_in(annotation: Any) -> list[type[msgspec.Struct]]:
    if get_origin(annotation) is np.ndarray:
        return [FloatArray]
    if isinstance(annotation, type) and issubclass(annotation, msgspec.Struct):
        return [annotation]
    return [found for each in get_args(annotation) for found in structs_in(each)]


def held(kind: type[msgspec.Struct]) -> dict[str, type[msgspec.Struct]]:
    """What stands in the fields of a type, by their names in JSON."""
    named = {
        field.encode_name: found[0]
        for field in msgspec.structs.fields(kind)
        if (found := structs_in(field.type))
    }
    return named | {name: of for (of_kind, name), of in HELD.items() if of_kind == kind.__name__}


def declared(kind: type[msgspec.Struct], seen: set[type[msgspec.Struct]]) -> Iterator[FieldType]:
    if kind in seen:
        return
    seen.add(kind)
    for name in kind.__struct_encode_fields__:
        yield kind.__name__, name
    for inner in held(kind).values():
        yield from declared(inner, seen)


def sent(kind: type[msgspec.Struct], answer: Any) -> Iterator[FieldType]:
    if isinstance(answer, list):
        for each in answer:
            yield from sent(kind, each)
    elif isinstance(answer, dict):
        inner = held(kind)
        for name, value in answer.items():
            yield kind.__name__, name
            if name in inner:
                yield from sent(inner[name], value)


def all_declared(path: str = "/") -> set[FieldType]:
    """The fields of the answers of operations whose path begins like this."""
    seen: set[type[msgspec.Struct]] = set()
    answered = [each for each in OPERATIONS if each.endpoint.path.startswith(path)]
    kinds = [each.answers for each in answered if each.answers is not str]
    return {field for kind in kinds for field in declared(kind, seen)} - REQUEST_ONLY


def test_every_declared_field_is_sent(answers: dict[str, list[Any]]) -> None:
    kinds = {each.name: each.answers for each in OPERATIONS}
    found = {field for name, each in answers.items() for field in sent(kinds[name], each)}
    assert sorted(all_declared() - found) == []
    assert sorted(found - all_declared()) == []


def test_the_document_declares_the_same_fields() -> None:
    schemas = document()["components"]["schemas"]
    described = {
        (kind, name)
        for kind, schema in schemas.items()
        if kind not in ("AudienceExpression", "Problem", "ProblemFault")
        for name in schema["properties"]
    }
    assert described == {(kind, name) for kind, name in all_declared() if kind in schemas}


def test_the_interface_has_204_fields() -> None:
    # Those of the resources; the one field of an object that only wraps one is not counted.
    local = all_declared() - all_declared("/v")
    wrapped = {kind for kind, _ in all_declared() if kind.endswith("Found")}
    ours = {each for each in all_declared() if each[1] == "suppressed"}
    assert len(all_declared()) - len(local) - len(wrapped) - len(ours) == 204
