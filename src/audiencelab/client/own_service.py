"""What only services of audiencelab know: who counts in a cell, who was asked, other weights."""

from __future__ import annotations

from collections.abc import Iterable

import msgspec

from audiencelab.client.context import ClientContext
from audiencelab.expressions import Audience, Leaf, walk
from audiencelab.expressions.codes import ASKED
from audiencelab.schema.endpoints import endpoint_of
from audiencelab.schema.http import Request

NOT_COUNTED = (
    "The service did not count base_of='valid': its answer does not repeat it. Write "
    "base_of='everyone', or ask for a newer version of the service."
)
"""Why an answer is not taken."""


class _Query(msgspec.Struct):
    base_of: str = ""


def asks_for_valid(request: Request) -> bool:
    """Whether a request is a query with `base_of="valid"`."""
    if b"base_of" not in request.body or not endpoint_of(request.method, request.path).weighted:
        return False
    try:
        return msgspec.json.decode(request.body, type=_Query).base_of == "valid"
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return False


def unknown_base_of(context: ClientContext) -> str:
    """Why a service of another make is not sent `base_of="valid"`."""
    return (
        f"base_of='valid' is not known by {context}: only services of audiencelab count it, and "
        "others count everyone in the base. base_audience=al.answered(question) counts those who "
        "gave an answer; of a question with several answers it leaves out those who ticked none."
    )


def unknown_asked(question: str, context: ClientContext) -> str:
    """Why a service of another make is not sent `asked`."""
    return (
        f"al.asked({question!r}) is not valid for {context}: it is not a service of audiencelab, "
        f"and others do not know who was asked and gave no answer. Use al.answered({question!r}), "
        "or open the survey itself: connect(survey=folder)."
    )


def unknown_weight(context: ClientContext) -> str:
    """Why a service of another make is not sent a weight."""
    return (
        f"A weight is not valid for {context}: only services of audiencelab count by a weight of "
        "one's choice. Open the survey itself: al.open(folder)."
    )


def question_asked(audiences: Iterable[Audience | None]) -> str:
    """The first question of which audiences name those who were asked it; "" for none."""
    for audience in audiences:
        if audience is None or audience.expression is None:
            continue
        for _, node in walk(audience.expression):
            if isinstance(node, Leaf) and ASKED in node.datapoints:
                return node.question
    return ""
