"""The code of a call of a client, which its result keeps for `to_code`."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any, cast

from msgspec import UNSET

from audiencelab.client.audiences import AxisLike
from audiencelab.client.catalogue import Catalogue, CatalogueCategory, CatalogueQuestion
from audiencelab.client.catalogue.axis_code import axis_code
from audiencelab.client.catalogue.called_rows import called_rows
from audiencelab.client.catalogue.code_layout import wrapped
from audiencelab.client.catalogue.named_code import answer_keys, question_key, unnamed_code
from audiencelab.client.catalogue.scope_code import scope_code
from audiencelab.client.context import ClientContext
from audiencelab.client.options import ClientOptions
from audiencelab.client.sending import Sender
from audiencelab.expressions import Audience, Expression
from audiencelab.expressions.by_name import ByName
from audiencelab.results.made import value_code
from audiencelab.results.statistic_rows import Statistic
from audiencelab.schema.queries import DEFAULT_WAVES
from audiencelab.schema.query import StatsQuery
from audiencelab.schema.saved import SavedAudience
from audiencelab.schema.scope import Scope
from audiencelab.schema.survey_scope import SurveyScope

_PART = re.compile(r"\[\d+\]$")
"""What follows a call that makes several statistics, for one of them."""


def scope_arguments(
    context: ClientContext, options: ClientOptions, scope: Scope
) -> Mapping[str, Any]:
    """The arguments of a call that counts in a scope, given this client or one without options.

    What the survey does anyway is left out, unless the client has an option that says otherwise.
    """
    survey = context.survey_scope or SurveyScope()
    own = options.scope
    every, counted = ("all",), context.windows.get((("all",), own.weight))
    if survey.waves == "all" and own.waves in (None, every) and scope.waves == counted:
        scope = replace(scope, waves=None)
    if scope.weight is UNSET and own.weight is not UNSET and context.weight in context.weights:
        scope = replace(scope, weight=context.weight)
    if scope.base is not None:
        scope = replace(scope, base=replace(scope.base, id=None))
    return scope.arguments(survey.base_of if options.base_of is None else None)


def call_code(
    sender: Sender,
    call: str,
    given: Sequence[object],
    named: Mapping[str, object],
    scope: Scope | None = None,
) -> str:
    """A call with arguments, such as "client.overlap()"; "" where one cannot be written.

    given, named: arguments, of which None and () are left out. scope: whom it counts.
    """
    catalogue = sender.context.names
    written = [("", argument_code(each, catalogue)) for each in given if each is not None]
    written += [
        (f"{name}=", argument_code(each, catalogue))
        for name, each in named.items()
        if not (each is None or each is UNSET or (isinstance(each, tuple) and not each))
    ]
    if any(code is None for _, code in written):
        return ""
    parts = [f"{name}{code}" for name, code in written]
    if scope is not None:
        arguments = scope_arguments(sender.context, sender.options, scope)
        parts += [f"{name}={code}" for name, code in scope_code(arguments, catalogue).items()]
    opened = call.removesuffix(")")
    between = "" if opened.endswith("(") or not parts else ", "
    return wrapped(f"{opened}{between}{', '.join(parts)})")


def stats_code(
    sender: Sender, method: str, query: StatsQuery, item: CatalogueQuestion | None = None
) -> str:
    """Python of a statistics query, or of a grid, by its method; item: what it was asked of."""
    names, splitter = sender.context.names, query.splitter
    own = {
        "datapoints": _keys(names, query.question, query.datapoints),
        "suffixes": _keys(names, query.question, query.suffixes),
        "splitter": splitter and _named(names, splitter),
        "segments": _keys(names, splitter, query.segments),
        "segmented_base": query.segmented_base,
        # Ids are numbered by the query.
        "audiences": [
            replace(each, id=None) if (each.id or "").startswith("audience-") else each
            for each in query.audiences
        ],
    }
    named = {name: each for name, each in own.items() if each}
    question = item or _named(names, query.question)
    return call_code(sender, f"client.{method}()", [question], named, query.scope)


def _named(names: Catalogue, code: str) -> CatalogueQuestion | str:
    found = names.of_code(code)
    # The same question by another code would be another request.
    return found if found is not None and found.code == code else code


def _keys(
    names: Catalogue, question: str | None, codes: Sequence[str] | None
) -> Sequence[str] | None:
    """Answers, or points of a scale, by their names where these find them."""
    found = names.of_code(question or "")
    if found is None or codes is None:
        return codes
    return next(
        (
            keys
            for among in (found.datapoints, found.suffixes)
            if (keys := answer_keys(codes, among))
        ),
        codes,
    )


def counted_codes(context: ClientContext, scope: Scope) -> Sequence[str]:
    """The waves of a table by columns of waves; () where they are not known."""
    if scope.waves is not None:
        return scope.waves
    survey, known = context.survey_scope, context.waves_by_date
    return known if survey is not None and survey.waves == "all" else known[-DEFAULT_WAVES:]


def argument_code(value: Any, catalogue: Catalogue) -> str | None:
    """An argument as its caller would write it; None where it cannot be written."""
    if isinstance(value, CatalogueQuestion):
        key = repr(question_key(value, catalogue))
        # By its code alone an item is found only where the catalogue has come.
        return f"client[{key}]" if value.item_of else key
    if isinstance(value, SavedAudience):
        value = value.to_audience()
    if isinstance(value, Audience | Expression):
        return _audience_code(value, catalogue)
    if isinstance(value, Statistic):
        return f"client{value.code}" if value.code else None
    if isinstance(value, ByName):
        return repr(value)
    if isinstance(value, Catalogue | CatalogueCategory):
        chosen = value if isinstance(value, Catalogue) else value.all_questions()
        value = [each for each in chosen if each.accessible]
    if isinstance(value, list | tuple | set | frozenset):
        # A tuple of questions may mean something else.
        value = [*cast("Sequence[Any]", value)]
    if isinstance(value, list) and _is_axis(cast(object, value)):
        code = axis_code(cast("list[Any]", value), catalogue)
        # Comments would end the lines of the call.
        return ast.unparse(ast.parse(f"(\n{code}\n)", mode="eval").body)[1:-2]
    if isinstance(value, Mapping | list):
        return value_code(cast(object, value), _writer(catalogue))
    return value_code(value)


def rows_code(rows: AxisLike, catalogue: Catalogue) -> str:
    """The one call of a question that makes these rows of statistics; "" for others."""
    given = rows if isinstance(rows, list) else [rows]
    listed = [each for each in given if isinstance(each, Statistic)]
    if len(listed) < len(given) or not listed:
        return ""
    (some, question, call), *_ = called_rows(listed, catalogue)
    if call and question is not None and len(some) == len(listed):
        return f"client[{question_key(question, catalogue)!r}].{call}"
    code = _PART.sub("", listed[0].code) if len(listed) > 1 else listed[0].code
    # The score itself is a call of its own, without its parts.
    calls = {code, re.sub(r"(, )?parts=True", "", code)}
    is_one = code and {_PART.sub("", each.code) for each in listed[1:]} <= calls
    return f"client{code}" if is_one else ""


def _audience_code(given: Audience | Expression, catalogue: Catalogue) -> str:
    """An audience by the call of its question that makes it, such as `.top_box(2)`, if any does."""
    if isinstance(given, Audience):
        [(_, question, call)] = called_rows([given], catalogue)
        if call and question is not None:
            return f"client[{question_key(question, catalogue)!r}].{call}"
    return unnamed_code(given, catalogue)


def _writer(catalogue: Catalogue) -> Callable[[object], str | None]:
    return lambda value: argument_code(value, catalogue)


def _is_axis(value: object) -> bool:
    """Whether these are audiences and statistics alone, in groups or not."""
    if isinstance(value, Audience | Statistic):
        return True
    if isinstance(value, dict):
        below = cast("dict[str, object]", value).values()
        return all(isinstance(each, list) and _is_axis(cast(object, each)) for each in below)
    listed = cast("list[object]", value) if isinstance(value, list) else []
    return bool(listed) and all(map(_is_axis, listed))
