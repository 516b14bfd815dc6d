"""The places of a calculated attribute in the catalogue: datasets, and categories from the root.

Categories are told with what is directly below them, and no deeper: every group of a chart has
these places, and a chart has thousands of groups.
"""

from __future__ import annotations

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
from audiencelab.service.operations.catalogue import rows_below
from audiencelab.survey import Catalogue, SurveyCategory, SurveyQuestion


class Taxonomy:
    """The places in one catalogue, for all groups of one calculation."""

    def __init__(self, catalogue: Catalogue) -> None:
        self.catalogue = catalogue
        self._rows: dict[str, int] = {}

    def paths(self, question: SurveyQuestion, attribute: CalcAttribute) -> list[CalcTaxonomyPath]:
        """Each place of a question, which stands with the attribute below its own category."""
        asked = self._question(question, attribute)
        return [
            CalcTaxonomyPath(
                dataset=self._dataset(dataset, question, asked),
                taxonomy_path=[
                    CalcPathNode(
                        **self._described(each, question, asked), height=self._heights[each.id]
                    )
                    for each in lineage
                ],
            )
            for dataset, lineage in self.catalogue.taxonomy(question)
        ]

    def _question(self, question: SurveyQuestion, attribute: CalcAttribute) -> CalcQuestion:
        return CalcQuestion(
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
            taxonomy_paths=[
                _plain_path(dataset, lineage)
                for dataset, lineage in self.catalogue.taxonomy(question)
            ],
            warning=question.warning,
        )

    def _dataset(
        self, dataset: Dataset, question: SurveyQuestion, asked: CalcQuestion
    ) -> CalcDataset:
        roots = self.catalogue.categories_of(dataset.code)
        return CalcDataset(
            **_plain_dataset(dataset),
            categories=[CalcCategory(**self._described(each, question, asked)) for each in roots],
        )

    def _described(
        self, category: SurveyCategory, question: SurveyQuestion, asked: CalcQuestion
    ) -> dict[str, Any]:
        children = self.catalogue.child_categories(category.id)
        return _plain(category) | {
            "attributes_count": self._count(category),
            "category_children": [CalcCategory(**_plain(child)) for child in children],
            "question_children": [asked] if category.id in question.categories else [],
            "taxonomy_paths": [
                _plain_path(dataset, lineage)
                for dataset, lineage in self.catalogue.places_of(category)
            ],
        }

    def _count(self, category: SurveyCategory) -> int:
        if category.id not in self._rows:
            self._rows[category.id] = rows_below(self.catalogue, category)
        return self._rows[category.id]

    @cached_property
    def _heights(self) -> dict[str, int]:
        heights = {category.id: 0 for category in self.catalogue.categories}
        for category in self.catalogue.categories:
            lineage = self.catalogue.lineage(category.id)
            for above, each in enumerate(reversed(lineage)):
                heights[each.id] = max(heights[each.id], above)
        return heights


def _plain(category: SurveyCategory) -> dict[str, Any]:
    return {
        "id": category.id,
        "name": category.name,
        "description": category.description,
        "order": category.order,
    }


def _plain_dataset(dataset: Dataset) -> dict[str, Any]:
    return {
        "base_namespace_code": dataset.base_namespace_code,
        "code": dataset.code,
        "depth": dataset.depth,
        "description": dataset.description,
        "name": dataset.name,
        "order": dataset.order,
    }


def _plain_path(dataset: Dataset, lineage: tuple[SurveyCategory, ...]) -> CalcTaxonomyPath:
    return CalcTaxonomyPath(
        dataset=CalcDataset(**_plain_dataset(dataset)),
        taxonomy_path=[CalcPathNode(**_plain(each)) for each in lineage],
    )
