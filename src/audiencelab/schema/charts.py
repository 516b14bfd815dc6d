"""Saved charts and their calculation on the wire.

The integer codes (`group_type`, `view_type`, `sort_type`, `sort_parameter_type`) are opaque:
they are stored and returned, never interpreted.
"""

from __future__ import annotations

from typing import Any

import msgspec

from audiencelab.schema.queries import Metrics
from audiencelab.schema.resource import Resource, always


class ChartAttribute(Resource, frozen=True):
    """One datapoint (with its suffix, if any) that a chart shows."""

    datapoint_code: str = always("")
    namespace_code: str = always("")
    question_code: str = always("")
    suffix_code: str = always("")


class ChartAudience(Resource, frozen=True):
    """An audience of a chart; the expression is a JSON object in the chart form."""

    id: str | None = None
    name: str = always("")
    expression: dict[str, Any] | None = None
    color_index: int | None = None
    is_hidden: bool | None = None


class SavedChart(Resource, frozen=True, dict=True):
    """A saved chart; every field may be missing, since an update sends only what changes."""

    attributes: list[ChartAttribute] | None = None
    audiences: list[ChartAudience] | None = None
    base_audience: ChartAudience | None = None
    color: str | None = None
    created_at: int | None = None
    dataset_codes: list[str] | None = None
    dataset_names: list[str] | None = None
    folder_id: str | None = None
    group_type: int | None = None
    id: str | None = None
    is_owner: bool | None = None
    is_public: bool | None = None
    is_shared: bool | None = None
    location_codes: list[str] | None = None
    metrics: list[str] | None = None
    name: str | None = None
    owner_email: str | None = None
    owner_id: int | None = None
    segmented_base: bool | None = None
    segments: list[str] | None = None
    shared_at: int | None = None
    shared_type: str | None = None
    sort_parameter_type: int | None = None
    sort_parameter_value: str | None = None
    sort_type: int | None = None
    splitter: str | None = None
    updated_at: int | None = None
    view_type: int | None = None
    wave_codes: list[str] | None = None


class AudienceReplacement(Resource, frozen=True, rename={"source": "from", "target": "to"}):
    """An audience id that the service changed when it created a chart (`from` → `to`)."""

    source: str
    target: str


class ChartCreated(Resource, frozen=True, dict=True):
    """Answer to the creation of a chart."""

    id: str
    audience_replacements: list[AudienceReplacement] = msgspec.field(
        default_factory=list[AudienceReplacement]
    )


class Compatibilities(Resource, frozen=True):
    """Whether an attribute goes together with the chart's other parts."""

    has_compatibilities: bool = always(False)
    has_incompatibilities: bool = always(False)


class CalcQuestion(Resource, frozen=True):
    """A question as the chart calculation describes it."""

    accessible: bool = always(True)
    attributes: list[Any] | None = None
    average_unit: str = always("")
    flags: list[str] | None = None
    has_suffixes: bool | None = None
    knowledge_base: str = always("")
    message: str = always("")
    namespace_code: str = always("")
    notice: str = always("")
    order: int | None = None
    question_code: str = always("")
    question_description: str = always("")
    question_label: str = always("")
    taxonomy_paths: list[Any] | None = None
    warning: str = always("")


class CalcCategory(Resource, frozen=True):
    """A category as the chart calculation describes it."""

    attributes_count: int | None = None
    category_children: list[Any] | None = None
    description: str = always("")
    id: str = always("")
    name: str = always("")
    order: int | None = None
    question_children: list[CalcQuestion] | None = None
    taxonomy_paths: list[Any] | None = None


class CalcPathNode(CalcCategory, frozen=True):
    """A category on the way from the root to a calculated attribute.

    height: how many levels of categories are below it.
    """

    height: int | None = None


class CalcDataset(Resource, frozen=True):
    """A dataset as the chart calculation describes it."""

    base_namespace_code: str = always("")
    categories: list[CalcCategory] | None = None
    code: str = always("")
    depth: int | None = None
    description: str = always("")
    name: str = always("")
    order: int | None = None


class CalcTaxonomyPath(Resource, frozen=True):
    """The path of a calculated attribute in the taxonomy."""

    dataset: CalcDataset | None = None
    taxonomy_path: list[CalcPathNode] = msgspec.field(default_factory=list[CalcPathNode])


class CalcAttribute(Resource, frozen=True):
    """An attribute of a calculated group, with its labels."""

    compatibilities_metadata: Compatibilities | None = None
    datapoint_code: str = always("")
    datapoint_label: str = always("")
    generated_text: str = always("")
    namespace_code: str = always("")
    order: int | None = None
    question_code: str = always("")
    question_description: str = always("")
    question_label: str = always("")
    suffix_code: str = always("")
    suffix_label: str = always("")
    taxonomy_paths: list[CalcTaxonomyPath] | None = None


class CalcData(Resource, frozen=True):
    """The metrics of one audience in one segment."""

    metrics: Metrics
    audience: str | None = None
    segment: str | None = None
    waves: list[str] = msgspec.field(default_factory=list[str])
    suppressed: bool | None = None


class StatsGroup(Resource, frozen=True):
    """One group of a chart calculation: figures, or the reason why there are none."""

    group_id: int = always(0)
    code: int = always(200)
    attributes: list[CalcAttribute] = msgspec.field(default_factory=list[CalcAttribute])
    data: list[CalcData] = msgspec.field(default_factory=list[CalcData])
    error: str | None = None
    error_type: str | None = None
    meta: Any = None


class ChartCalculation(Resource, frozen=True):
    """Answer to a chart's calculation."""

    stats: list[StatsGroup]
    meta: Any = None
