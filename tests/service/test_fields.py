"""Declarative field types: what they read, what they report, and the schema they tell."""

from __future__ import annotations

from typing import Any, cast

import pytest

from audiencelab.engine import Codes
from audiencelab.service import Limits
from audiencelab.service.fields import (
    CODE,
    FLAG,
    NUMBER,
    SUFFIX_CODE,
    FieldType,
    Integer,
    ListOf,
    Record,
    Text,
    ValidationContext,
    choice,
    optional,
    required,
)
from audiencelab.service.operations import OPERATIONS

LIMITS = Limits(items=3)


def read(of: FieldType, value: Any) -> tuple[Any, list[str]]:
    """What a field reads, and the places of the faults it reports."""
    context = ValidationContext(LIMITS, cast(Codes, None))
    return of.read(value, "/at", context), [fault.pointer for fault in context.faults]


@pytest.mark.parametrize(
    ("of", "accepted"),
    [
        (Text(), ["", "a"]),
        (CODE, ["a"]),
        (FLAG, [True, False]),
        (Integer(), [-3, 0, 2**63 - 1]),
        (Integer(least=1, most=5), [1, 5]),
        (NUMBER, [1, 1.5, -0.0]),
        (choice("asc", "desc"), ["asc", "desc"]),
        (ListOf(Integer()), [[], [1, 2, 3]]),
        (Record({"a": optional(FLAG)}), [{}, {"a": True}]),
    ],
)
def test_a_right_value_is_read_as_it_is(of: FieldType, accepted: list[Any]) -> None:
    for value in accepted:
        assert read(of, value) == (value, [])


@pytest.mark.parametrize(
    ("of", "refused"),
    [
        (Text(), [1, None, ["a"], True]),
        (CODE, [""]),
        (SUFFIX_CODE, ["", True, 1.5, None]),
        (FLAG, [0, 1, "true", None]),
        (Integer(), [1.0, "1", True, None, 2**63, -(10**400)]),
        (Integer(least=1, most=5), [0, 6]),
        (NUMBER, ["1", True, None, 10**400]),
        (choice("asc", "desc"), ["ASC", "", 1]),
        (ListOf(Integer()), ["abc", {"0": 1}, None, [1, 2, 3, 4]]),
        (Record({"a": optional(FLAG)}), [[], "a", None]),
    ],
)
def test_a_wrong_value_is_reported_at_its_place_and_read_as_none(
    of: FieldType, refused: list[Any]
) -> None:
    for value in refused:
        assert read(of, value) == (None, ["/at"])


def test_a_suffix_is_read_as_a_string_whichever_way_it_is_written() -> None:
    assert read(ListOf(SUFFIX_CODE), ["1", 2, "x"]) == (["1", "2", "x"], [])


def test_a_wrong_item_keeps_its_place() -> None:
    assert read(ListOf(Integer()), [1, "x", 3]) == ([1, None, 3], ["/at/1"])


def test_a_record_reports_missing_unknown_and_wrong_members_at_once() -> None:
    of = Record({"a": required(FLAG), "b": optional(Integer()), "c": required(Text())})
    assert read(of, {"b": "x", "d": 1, "c": None}) == (
        {"b": None},
        ["/at/d", "/at/a", "/at/b", "/at/c"],
    )


def test_a_schema_says_what_is_read() -> None:
    of = Record(
        {
            "name": required(CODE, "What people read."),
            "order": optional(choice("asc", "desc")),
            "limit": optional(Integer(1, 100)),
            "codes": optional(ListOf(Text())),
        }
    )
    assert of.schema(LIMITS) == {
        "type": "object",
        "properties": {
            "name": {
                "type": "string",
                "minLength": 1,
                "maxLength": 20_000,
                "description": "What people read.",
            },
            "order": {"anyOf": [{"type": "string", "enum": ["asc", "desc"]}, {"type": "null"}]},
            "limit": {"type": ["integer", "null"], "minimum": 1, "maximum": 100},
            "codes": {
                "type": ["array", "null"],
                "items": {"type": "string", "maxLength": 20_000},
                "maxItems": 3,
            },
        },
        "additionalProperties": False,
        "required": ["name"],
    }


CHART = {
    *("attributes", "audiences", "base_audience", "color", "dataset_codes", "dataset_names"),
    *("folder_id", "group_type", "location_codes", "metrics", "name", "segmented_base"),
    *("segments", "sort_parameter_type", "sort_parameter_value", "sort_type", "splitter"),
    *("view_type", "wave_codes"),
}
CHART_ON_UPDATE = {
    *("created_at", "id", "is_owner", "is_public", "is_shared", "owner_email", "owner_id"),
    *("shared_at", "shared_type", "updated_at"),
}


def test_every_body_has_the_members_of_the_specification() -> None:
    declared = {
        operation.name: set(operation.body.schema(Limits())["properties"])
        for operation in OPERATIONS
        if operation.body is not None
    }
    scope = {"locations", "waves", "base_audience"}
    assert declared == {
        "filter_questions": {"include", "questions"},
        "query_stats": scope
        | {"question", "datapoints", "suffixes", "splitter", "segments", "segmented_base"}
        | {"audiences"},
        "query_crosstab": scope | {"rows", "columns"},
        "create_chart": CHART,
        "update_chart": CHART | CHART_ON_UPDATE,
        "update_saved_audience": {"datasets", "expression", "flags", "folder", "folder_id"}
        | {"name", "position", "shared"},
        "filter_insights": {"filters", "limit", "offset", "order", "order_by", "total"},
    }
