"""Whom a query counts, as one value: base, waves, locations and weight.

A query carries its scope whole from the call to the engine, and so does whatever keeps a query: a
result, a widget, a document, the code that a widget writes, a snapshot's header. What is added to a
scope is added here.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any, Literal, Self, get_args
from urllib.parse import quote, unquote

import msgspec
from msgspec import UNSET, UnsetType

from audiencelab.errors import AudienceError
from audiencelab.expressions import Audience, parse_audience
from audiencelab.schema.http import WEIGHT

BaseOf = Literal["everyone", "valid"]

BASES_OF: tuple[BaseOf, ...] = get_args(BaseOf)


@dataclass(frozen=True, slots=True)
class Scope:
    """Whom a query counts.

    base: whom all percentages are of; None is everyone.
    base_of: who of the base counts in a cell: "everyone", or with "valid" those who could have been
        in it.
    waves, locations: by codes; None is the operation's default (the latest waves, everywhere).
    weight: by name; None counts each respondent as one, UNSET is the usual weight of the survey.

    >>> Scope(waves=("w1",)).to_wire()
    {'waves': ['w1']}
    """

    base: Audience | None = None
    base_of: BaseOf = "everyone"
    waves: tuple[str, ...] | None = None
    locations: tuple[str, ...] | None = None
    weight: str | UnsetType | None = UNSET

    def __post_init__(self) -> None:
        if self.base_of not in BASES_OF:
            raise AudienceError(
                f"base_of={self.base_of!r} is not valid. It is one of {', '.join(BASES_OF)}."
            )

    @property
    def by_argument(self) -> dict[str, Any]:
        """All fields by their names in `SCOPE_ARGUMENTS`."""
        return {name: getattr(self, field) for name, field in _FIELDS.items()}

    def arguments(self, usual: BaseOf | None = "everyone") -> dict[str, Any]:
        """The keyword arguments of a call with this scope, without those that have their default.

        usual: the `base_of` of a call that names none; None names it always.

        >>> Scope(waves=("w1",), weight=None).arguments()
        {'waves': ('w1',), 'weight': None}
        >>> Scope().arguments("valid")
        {'base_of': 'everyone'}
        """
        default = {**Scope().by_argument, "base_of": usual}
        return {
            name: getattr(self, field)
            for name, field in _FIELDS.items()
            if getattr(self, field) != default[name]
        }

    @classmethod
    def of(cls, arguments: Mapping[str, Any]) -> Self:
        """The scope of some of `SCOPE_ARGUMENTS`; `KeyError` for another name."""
        return cls(**{_FIELDS[name]: value for name, value in arguments.items()})

    def to_wire(self) -> dict[str, Any]:
        """The fields of a request's body, without those that have their default.

        The weight is not among them: a request names it in a header.
        """
        fields = {
            "locations": None if self.locations is None else list(self.locations),
            "waves": None if self.waves is None else list(self.waves),
            "base_audience": None if self.base is None else audience_to_wire(self.base),
            "base_of": None if self.base_of == "everyone" else self.base_of,
        }
        return {name: value for name, value in fields.items() if value is not None}

    def headers(self) -> dict[str, str]:
        """The header of a request that names the weight; none for the usual weight."""
        return {} if self.weight is UNSET else {WEIGHT: quote(self.weight or "")}

    def to_json(self) -> dict[str, Any]:
        """The scope as a JSON object, for documents and headers; `from_json` reads it."""
        return self.to_wire() | ({} if self.weight is UNSET else {"weight": self.weight})

    @classmethod
    def from_json(cls, fields: Mapping[str, Any]) -> Self:
        """The scope of a JSON object; other fields are ignored, missing ones have their default.

        Raises `InvalidExpression` for the base, and `AudienceError` for other fields.
        """
        base = fields.get("base_audience")
        return cls(
            base=None if base is None else parse_audience(base),
            # Documents of 1.0 and 2.0 have no such field, and count everyone.
            base_of=fields.get("base_of") or "everyone",
            waves=_read(fields, "waves", tuple[str, ...] | None, None),
            locations=_read(fields, "locations", tuple[str, ...] | None, None),
            weight=_read(fields, "weight", str | None, UNSET),
        )


# Calls and the wire have one name for the base, and the class a shorter one.
_FIELDS = {{"base": "base_audience"}.get(each.name, each.name): each.name for each in fields(Scope)}

SCOPE_ARGUMENTS: tuple[str, ...] = tuple(_FIELDS)
"""The names of the fields as arguments of calls, as traits of widgets, and in JSON."""


def _read(fields: Mapping[str, Any], name: str, kind: Any, default: Any) -> Any:
    """A field of a scope. Raises `AudienceError` for another type."""
    try:
        return msgspec.convert(fields[name], kind) if name in fields else default
    except msgspec.ValidationError as error:
        message = str(error)
    raise AudienceError(f"{name} of a scope is not valid: {message}.")


DEFAULT_SCOPE = Scope()
"""Everyone, in the operation's default waves, by the usual weight."""


def named_weight(headers: Mapping[str, str]) -> str | UnsetType | None:
    """The weight that a request's headers name, as `Scope.weight`."""
    given = headers.get(WEIGHT)
    # An empty header asks for no weight; without one it is the usual weight.
    return UNSET if given is None else unquote(given) or None


def audience_to_wire(audience: Audience) -> dict[str, Any]:
    """An audience of a query as a JSON object, in the order in which requests have the fields."""
    expression = audience.expression
    return {
        **({} if audience.id is None else {"id": audience.id}),
        "name": audience.name,
        **({} if expression is None else {"expression": expression.to_wire("query")}),
    }
