"""The category operation: one node of the tree with the relationships asked for."""

from __future__ import annotations

import msgspec

from audiencelab.schema import Category
from audiencelab.schema.http import Response
from audiencelab.service.catalogue import CATEGORY_INCLUDES, category_resource
from audiencelab.service.operations.base import Call, Operation, json_response
from audiencelab.service.problems import NotFoundError

__all__ = ["GET_CATEGORY"]


class CategoryFound(msgspec.Struct):
    """One category."""

    category: Category


def get_category(call: Call) -> Response:
    """One category."""
    catalogue = call.rooms.survey.catalogue
    try:
        category = catalogue.category(call.path["category_id"])
    except KeyError:
        raise NotFoundError("No category has this id.") from None
    return json_response(CategoryFound(category_resource(catalogue, category, call.include)))


GET_CATEGORY = Operation(
    name="get_category",
    method="GET",
    path="/v2/categories/{category_id}",
    answer=get_category,
    summary="One category",
    includes=CATEGORY_INCLUDES,
    answers=CategoryFound,
    errors=(404,),
)
