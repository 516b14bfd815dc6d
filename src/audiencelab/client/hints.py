"""Hints for a refused request: which code was wrong, and which one was probably meant.

The service never repeats what was sent to it. Its pointers lead into our own body, and the
catalogue knows the codes there.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, cast

import msgspec

from audiencelab.client.catalogue.labels import did_you_mean
from audiencelab.client.errors import UnknownCodeError
from audiencelab.errors import Fault
from audiencelab.expressions import Condition, Leaf
from audiencelab.expressions.codes import ASKED, BASE_NAMESPACE, WAVES
from audiencelab.schema.endpoints import GET_CATEGORY, GET_QUESTION
from audiencelab.schema.http import Request

if TYPE_CHECKING:
    from audiencelab.client.catalogue import Catalogue, CatalogueQuestion

_LIMIT = re.compile(r"the limit \((rows|columns|cells)\)")
"""How services of audiencelab name a limit."""

_MOST = 5
_MOST_DIGITS = 9
"""Of an index of an array; requests have no longer arrays."""


def find_hints(
    request: Request, faults: Sequence[Fault], catalogue: Catalogue
) -> tuple[tuple[str, ...], bool]:
    """Sentences such as "Unknown question 'q21'. Did you mean 'q20' (Social media)?".

    Returns them and whether they explain everything that is refused.
    """
    if found := GET_QUESTION.match(request.path):
        code = found["question_code"].removeprefix(f"{BASE_NAMESPACE}.")
        return tuple(_question_hints(code, catalogue)), True
    if found := GET_CATEGORY.match(request.path):
        return tuple(_category_hints(found["category_id"], catalogue)), True
    body = msgspec.json.decode(request.body) if request.body else None
    by_fault = [[*_fault_hints(fault, body, catalogue)] for fault in faults]
    hints = tuple(dict.fromkeys(hint for each in by_fault for hint in each))
    whole = all(by_fault) and len(hints) <= _MOST
    return hints[:_MOST], whole and not any(_LIMIT.search(each.detail) for each in faults)


def _fault_hints(fault: Fault, body: Any, catalogue: Catalogue) -> Iterator[str]:
    """Hints for the codes that a pointer leads to, and for a limit of the service."""
    if limit := _LIMIT.search(fault.detail):
        yield _limit_hint(limit[1])
        return
    # RFC 6901 has this order: "~01" is "~1", not "/".
    steps = [step.replace("~1", "/").replace("~0", "~") for step in fault.pointer.split("/")[1:]]
    index = _index(steps.pop()) if steps and _index(steps[-1]) is not None else None
    field = steps.pop() if steps else ""
    for step in steps:
        body = _child(body, step)
    if not isinstance(body, dict):
        return
    node = cast(dict[str, Any], body)
    given, question = node.get(field), node.get("question")
    if field in ("question", "splitter") and isinstance(given, str):
        yield from _question_hints(given, catalogue)
    elif field in ("datapoints", "segments") and isinstance(given, list):
        codes = cast(list[Any], given)
        asked = question if field == "datapoints" else node.get("splitter")
        # A fault of the whole list may be any of its codes.
        for code in codes if index is None else codes[index : index + 1]:
            yield from _datapoint_hints(asked, code, catalogue)
    elif field == "suffixes" and (found := _looked_up(question, catalogue)) is not None:
        known = ", ".join(f"{each.code!r} ({each.name})" for each in found.suffixes)
        yield f"The scale of {question!r}, by codes: {known or 'none'}."
    elif field in (WAVES, "locations") and index is not None:
        yield _code_hint(field)


def _question_hints(code: str, catalogue: Catalogue) -> Iterator[str]:
    if code == WAVES or catalogue.question_name(code) is not None:
        return
    yield question_hint(code, catalogue)


def _category_hints(key: str, catalogue: Catalogue) -> Iterator[str]:
    names = {each.id: each.name for each in catalogue.tree.all_categories()}
    if key in names:
        return
    ids = [repr(id_) for id_, name in names.items() if name.casefold() == key.casefold()]
    if ids:
        yield f"{key!r} is the name of a category; give its id, {' or '.join(ids)}."
    else:
        yield f"Unknown category {key!r}.{did_you_mean(key, names)}"


def question_hint(code: str, catalogue: Catalogue | None) -> str:
    """The hint for a code that no question has: it may be a name, or nearly a code."""
    if catalogue is None or code not in catalogue:
        return f"Unknown question {code!r}.{catalogue.guess(code) if catalogue else ''}"
    try:
        named = catalogue[code]
    except UnknownCodeError as error:
        return str(error)
    return f"{code!r} is the name of a question; give its code, {named.code!r}."


def unknown_codes(condition: Condition, catalogue: Catalogue) -> Iterator[tuple[str, str]]:
    """The codes of a condition that the catalogue does not have, each with its hint."""
    code = condition.question
    if catalogue.question_name(code) is None:
        yield code, question_hint(code, catalogue)
    elif isinstance(condition, Leaf):
        for each in condition.datapoints:
            hints = () if each == ASKED else _datapoint_hints(code, each, catalogue)
            yield from ((each, hint) for hint in hints)


def _datapoint_hints(question: Any, code: Any, catalogue: Catalogue) -> Iterator[str]:
    if not isinstance(question, str) or not isinstance(code, str):
        return
    if question == WAVES:
        yield _code_hint(WAVES)
        return
    asked = _looked_up(question, catalogue)
    if asked is None or catalogue.datapoint_name(question, code) is not None:
        return
    if code in asked:
        (right,) = asked[code].datapoints
        yield f"{code!r} is the name of a datapoint of {question!r}; give its code, {right!r}."
    else:
        yield f"Question {question!r} has no answer {code!r}.{asked.guess(code)}"


def _looked_up(question: Any, catalogue: Catalogue) -> CatalogueQuestion | None:
    """The question of that code or name; None where there is none, or several."""
    if not isinstance(question, str) or question not in catalogue:
        return None
    try:
        return catalogue[question]
    except UnknownCodeError:
        return None


def _limit_hint(name: str) -> str:
    if name == "cells":
        return "Take fewer rows or columns at once."
    return (
        f"The limit is set where the survey is served: al.serve(survey, limits=Limits({name}=…)), "
        "with Limits of audiencelab.service. A survey opened here by al.open takes far more."
    )


def _code_hint(field: str) -> str:
    return f"No {field[:-1]} has this code or name. Write client.{field}()."


def _child(document: Any, step: str) -> Any:
    """What a step of a pointer leads to, if anything."""
    if isinstance(document, dict):
        return cast(dict[str, Any], document).get(step)
    if isinstance(document, list) and (index := _index(step)) is not None:
        return next(iter(cast(list[Any], document)[index : index + 1]), None)
    return None


def _index(step: str) -> int | None:
    """A step of a pointer as an index of an array; the service may write anything."""
    return int(step) if step.isdecimal() and len(step) <= _MOST_DIGITS else None
