"""A chart's attribute as its calculation tells it: with its names, and its places in the catalogue.

What the catalogue does not have is told by its code alone: a chart outlives its questions.
"""

from __future__ import annotations

import msgspec

from audiencelab.expressions import join_code
from audiencelab.expressions.codes import WAVES
from audiencelab.schema import CalcAttribute, ChartAttribute, Compatibilities
from audiencelab.service.operations.chart_taxonomy import Taxonomy
from audiencelab.survey import Catalogue, SurveyQuestion

__all__ = ["described", "question_code", "question_of"]


def question_code(attribute: ChartAttribute) -> str:
    """The question's code as queries write it; it may carry its namespace already."""
    code, namespace = attribute.question_code, attribute.namespace_code
    if not namespace or code == WAVES or code.startswith(f"{namespace}."):
        return code
    return join_code(namespace, code)


def described(
    taxonomy: Taxonomy, attribute: ChartAttribute, compatibilities: Compatibilities
) -> CalcAttribute:
    """The attribute as it was asked for, with its names as far as the catalogue has them."""
    labels = taxonomy.catalogue.labels
    code = question_code(attribute)
    question = question_of(taxonomy.catalogue, code)
    datapoint = labels.datapoint_name(code, attribute.datapoint_code) or ""
    suffix = labels.suffix_name(code, attribute.suffix_code) or ""
    name = question.name if question else ""
    text = f"{name}: {datapoint}" if name and datapoint else name or datapoint
    told = CalcAttribute(
        compatibilities_metadata=compatibilities,
        datapoint_code=attribute.datapoint_code,
        datapoint_label=datapoint,
        generated_text=f"{text} ({suffix})" if suffix else text,
        namespace_code=question.namespace_code if question else attribute.namespace_code,
        order=question.order if question else None,
        question_code=question.code if question else attribute.question_code,
        question_description=question.description if question else "",
        question_label=name,
        suffix_code=attribute.suffix_code,
        suffix_label=suffix,
    )
    paths = taxonomy.paths(question, told) if question else []
    return msgspec.structs.replace(told, taxonomy_paths=paths)


def question_of(catalogue: Catalogue, code: str) -> SurveyQuestion | None:
    """The catalogue's question, or None."""
    try:
        return catalogue.question(code)
    except KeyError:
        return None
