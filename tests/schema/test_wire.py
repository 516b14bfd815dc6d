"""The wire types hold every field of the specification and behave as JSON does."""

from __future__ import annotations

from enum import Enum
from typing import Any, Literal, get_args, get_origin

import msgspec
import pytest

from audiencelab import schema as wire

# Section 2 of the specification, field by field: a stranger's list against ours.
FIELDS: dict[type[msgspec.Struct], str] = {
    wire.Question: "accessible attribute_count categories code datapoints datasets description "
    "flags knowledge_base message name namespace_code notice order suffixes taxonomy_paths unit "
    "warning",
    wire.Datapoint: "accessible code midpoint name order",
    wire.Suffix: "code midpoint name order",
    wire.Dataset: "base_audience_label base_namespace_code child_categories code depth "
    "description is_syndicated name order",
    wire.Category: "attribute_count child_categories child_questions datasets "
    "descendant_attributes description id lineage name order taxonomy_paths",
    wire.TaxonomyPath: "categories_lineage dataset",
    wire.DescendantAttribute: "datapoint_code datapoint_name namespace_code question_code "
    "question_name suffix_code suffix_name",
    wire.AudienceRef: "id name expression",
    wire.StatsRow: "datapoint waves metrics segment audience suffixes",
    wire.StatsMeta: "type question splitter",
    wire.Metrics: "positive_size positive_sample audience_index audience_percentage "
    "audience_sample audience_size datapoint_percentage datapoint_sample datapoint_size",
    wire.CrosstabCell: "audiences base intersect row row_index column column_index",
    wire.AxisFigures: "audience size sample percentage intersect_percentage",
    wire.IntersectFigures: "size sample percentage index",
    wire.SavedChart: "attributes audiences base_audience color created_at dataset_codes "
    "dataset_names folder_id group_type id is_owner is_public is_shared location_codes metrics "
    "name owner_email owner_id segmented_base segments shared_at shared_type sort_parameter_type "
    "sort_parameter_value sort_type splitter updated_at view_type wave_codes",
    wire.ChartAttribute: "datapoint_code namespace_code question_code suffix_code",
    wire.ChartAudience: "color_index expression id is_hidden name",
    wire.StatsGroup: "attributes code data error error_type group_id meta",
    wire.CalcData: "audience metrics segment waves",
    wire.CalcAttribute: "compatibilities_metadata datapoint_code datapoint_label generated_text "
    "namespace_code question_code question_description question_label suffix_code suffix_label "
    "order taxonomy_paths",
    wire.CalcDataset: "base_namespace_code categories code depth description name order",
    wire.CalcCategory: "attributes_count category_children description id name order "
    "question_children taxonomy_paths",
    wire.CalcPathNode: "attributes_count category_children description height id name order "
    "question_children taxonomy_paths",
    wire.CalcQuestion: "accessible attributes average_unit flags has_suffixes knowledge_base "
    "message namespace_code notice order question_code question_description question_label "
    "taxonomy_paths warning",
    wire.SavedAudience: "id v1_id user_id name description datasets expression flags folder_id "
    "folder position shared sharings permissions created_at updated_at",
    wire.Insight: "description id name images",
    wire.Image: "id is_main page_preview_thumb_path page_thumb_path thumb_path",
    wire.InsightsQuery: "filters limit offset order order_by total",
    wire.InsightsPage: "insights limit offset order order_by total",
}


@pytest.mark.parametrize("kind", FIELDS, ids=lambda kind: kind.__name__)
def test_a_type_has_exactly_the_fields_of_the_specification(kind: type[msgspec.Struct]) -> None:
    fields = {field.encode_name for field in msgspec.structs.fields(kind)}
    # Ours, and never sent without a minimum base.
    assert fields - {"suppressed"} == set(FIELDS[kind].split())


def test_a_question_always_carries_its_plain_fields_and_relationships_only_when_asked() -> None:
    written = msgspec.json.decode(msgspec.json.encode(wire.Question(code="q1")))
    assert written["accessible"] is True
    assert written["flags"] == []
    assert written["notice"] == ""
    assert not {"categories", "datapoints", "taxonomy_paths"} & set(written)
    asked = wire.Question(code="q1", datapoints=[])
    assert msgspec.json.decode(msgspec.json.encode(asked))["datapoints"] == []


def test_a_chart_group_carries_its_number_and_code() -> None:
    written = msgspec.json.decode(msgspec.json.encode(wire.StatsGroup()))
    assert (written["group_id"], written["code"]) == (0, 200)


@pytest.mark.parametrize("kind", FIELDS, ids=lambda kind: kind.__name__)
def test_labels_and_codes_are_open(kind: type[msgspec.Struct]) -> None:
    # A label that is new to us is no error: no field of any depth is an enumeration.
    for field in msgspec.structs.fields(kind):
        assert not _closed(field.type), field.name


def _closed(annotation: Any) -> bool:
    if isinstance(annotation, type) and issubclass(annotation, Enum):
        return True
    return get_origin(annotation) is Literal or any(map(_closed, get_args(annotation)))


def test_replacements_are_written_with_the_names_of_the_specification() -> None:
    written = msgspec.json.encode(wire.AudienceReplacement("a", "b"))
    assert written == b'{"from":"a","to":"b"}'
