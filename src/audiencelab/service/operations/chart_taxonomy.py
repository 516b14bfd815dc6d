"""The paths of a calculated attribute in the catalogue: datasets, and categories from the root.

Categories are described with what is directly below them, and no deeper: every group of a chart
has these paths, and a chart has thousands of groups.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import cached_property
from typing import Any

from audiencelab.schema import (
    CalcAttribute,
    CalcCategory,
    CalcDataset,
    CalcPathNode,
    CalcQuestion,
    CalcTaxonomyPath,
    Dataset,
)
from audiencelab.service.operations.catalogue import count_attributes
from audiencelab.survey import Catalogue, SurveyCategory, SurveyQuestion

_CATEGORY = ("id", "name", "description", "order")
_DATASET = ("base_namespace_code", "code", "depth", "description", "name", "order")


class Taxonomy:
    """The paths in one catalogue, for all groups of one calculation."""

    def __init__(self, catalogue: Catalogue) -> None:
        self.catalogue = catalogue
        self._counts: dict[str, int] = {}

    def paths(self, question: SurveyQuestion, attribute: CalcAttribute) -> list[CalcTaxonomyPath]:
        """Each path of a question, which is below its own category, with the attribute."""
        taxonomy = self.catalogue.taxonomy(question)
        described = CalcQuestion(
            accessible=question.accessible,
            attributes=[attribute],
            average_unit=question.unit,
            flags=list(question.flags),
            has_suffixes=bool(question.suffixes),
            knowledge_base=question.knowledge_base,
            message=question.message,
            namespace_code=question.namespace_code,
            notice=question.notice,
            order=question.order,
            question_code=question.code,
            question_description=question.description,
            question_label=question.name,
            taxonomy_paths=_plain_paths(taxonomy),
            warning=question.warning,
        )

        def describe(category: SurveyCategory) -> dict[str, Any]:
            is_parent = category.id in question.categories
            return self._described(category) | {"question_children": [described] * is_parent}

        return [
            CalcTaxonomyPath(
                dataset=CalcDataset(
                    **_plain(dataset, _DATASET),
                    categories=[
                        CalcCategory(**describe(root))
                        for root in self.catalogue.categories_of(dataset.code)
                    ],
                ),
                taxonomy_path=[
                    CalcPathNode(**describe(each), height=self._heights[each.id])
                    for each in lineage
                ],
            )
            for dataset, lineage in taxonomy
        ]

    def _described(self, category: SurveyCategory) -> dict[str, Any]:
        if category.id not in self._counts:
            self._counts[category.id] = count_attributes(self.catalogue, category)
        children = self.catalogue.child_categories(category.id)
        return _plain(category, _CATEGORY) | {
            "attributes_count": self._counts[category.id],
            "category_children": [CalcCategory(**_plain(child, _CATEGORY)) for child in children],
            "taxonomy_paths": _plain_paths(self.catalogue.places_of(category)),
        }

    @cached_property
    def _heights(self) -> dict[str, int]:
        heights = {category.id: 0 for category in self.catalogue.categories}
        for category in self.catalogue.categories:
            for height, each in enumerate(reversed(self.catalogue.lineage(category.id))):
                heights[each.id] = max(heights[each.id], height)
        return heights


def _plain(source: object, names: tuple[str, ...]) -> dict[str, Any]:
    return {name: getattr(source, name) for name in names}


def _plain_paths(
    paths: Iterable[tuple[Dataset, tuple[SurveyCategory, ...]]],
) -> list[CalcTaxonomyPath]:
    return [
        CalcTaxonomyPath(
            dataset=CalcDataset(**_plain(dataset, _DATASET)),
            taxonomy_path=[CalcPathNode(**_plain(each, _CATEGORY)) for each in lineage],
        )
        for dataset, lineage in paths
    ]
