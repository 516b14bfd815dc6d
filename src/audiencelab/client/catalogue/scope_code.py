"""The arguments of a call that say whom it counts, as code with names."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, cast

from audiencelab.client.catalogue.catalogue import Catalogue
from audiencelab.client.catalogue.named_code import answer_keys, unnamed_code
from audiencelab.expressions import Audience, Expression
from audiencelab.schema.catalogue import LOCATION_FLAG


def scope_code(arguments: Mapping[str, Any], catalogue: Catalogue | None = None) -> dict[str, str]:
    """The code of each argument by its name.

    arguments: as calls take them, such as `Scope.arguments()`. catalogue: the names of codes.

    >>> scope_code({"base_audience": al.Q("q2").any("q2_1"), "waves": ("q4_2025",)})
    {'base_audience': "al.Q('q2').any('q2_1')", 'waves': "['q4_2025']"}
    """
    return {name: _code(name, value, catalogue) for name, value in arguments.items()}


def _code(name: str, value: Any, catalogue: Catalogue | None) -> str:
    if isinstance(value, Audience | Expression):
        return unnamed_code(value, catalogue)
    if name == "locations" and value:
        value = _location_keys(value, catalogue)
    return repr([*cast("tuple[str, ...]", value)]) if isinstance(value, tuple) else repr(value)


def _location_keys(codes: tuple[str, ...], catalogue: Catalogue | None) -> tuple[str, ...]:
    """Locations by their names, where the catalogue says which question holds them."""
    of_locations = (each for each in catalogue or () if LOCATION_FLAG in each.record.flags)
    question = next(of_locations, None)
    return codes if question is None else tuple(answer_keys(codes, question.datapoints) or codes)
