"""A query as one value: what is asked for, with the scope that says whom it counts.

It is made by the client, written as a request's body, and kept by results, widgets and documents.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

from audiencelab.expressions import Audience
from audiencelab.schema.scope import DEFAULT_SCOPE, Scope, audience_to_wire


@dataclass(frozen=True, slots=True)
class CrosstabQuery:
    """Row audiences against column audiences; rows or columns without any are the base.

    >>> from audiencelab.schema.scope import DEFAULT_SCOPE, Scope
    >>> CrosstabQuery(columns=(al.Audience("All", id="all"),), scope=Scope(waves=("w1",))).to_wire()
    {'columns': [{'id': 'all', 'name': 'All'}], 'waves': ['w1']}
    """

    rows: tuple[Audience, ...] = ()
    columns: tuple[Audience, ...] = ()
    scope: Scope = DEFAULT_SCOPE

    def to_wire(self) -> dict[str, Any]:
        """The request's body as a JSON object."""
        axes = {"columns": _listed(self.columns), "rows": _listed(self.rows)}
        return {name: axis for name, axis in axes.items() if axis} | self.scope.to_wire()


@dataclass(frozen=True, slots=True)
class StatsQuery:
    """The datapoints of one question × segments × audiences.

    question: its code, or "waves". datapoints: codes; None is all.
    suffixes: merged into each datapoint; None is any.
    splitter: "waves" or a question's code; segments: its codes, None is all.
    segmented_base: whether each segment is the base of its own rows.
    audiences: none means one row per segment, for everyone in the base.
    """

    question: str
    datapoints: tuple[str, ...] | None = None
    suffixes: tuple[str, ...] | None = None
    splitter: str | None = None
    segments: tuple[str, ...] | None = None
    segmented_base: bool | None = None
    audiences: tuple[Audience, ...] = ()
    scope: Scope = DEFAULT_SCOPE

    def to_wire(self) -> dict[str, Any]:
        """The request's body as a JSON object, without the fields that are None.

        >>> StatsQuery("q2", ("q2_1",)).to_wire()
        {'question': 'q2', 'datapoints': ['q2_1']}
        """
        fields = {
            "question": self.question,
            "datapoints": self.datapoints,
            "suffixes": self.suffixes,
            "splitter": self.splitter,
            "segments": self.segments,
            "segmented_base": self.segmented_base,
            "audiences": _listed(self.audiences) or None,
        }
        written = {
            name: list(value) if isinstance(value, tuple) else value
            for name, value in fields.items()
            if value is not None
        }
        return written | self.scope.to_wire()


Query: TypeAlias = CrosstabQuery | StatsQuery
"""A query of the interface; `.scope` is whom it counts."""


def _listed(audiences: Sequence[Audience]) -> list[dict[str, Any]]:
    return [audience_to_wire(each) for each in audiences]
