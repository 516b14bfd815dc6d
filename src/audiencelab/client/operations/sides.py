"""A side of a table as people write it: audiences in a list, or under heads, as a banner has them.

A request knows no heads: it carries a flat list. So what is written is laid flat here, and the
heads over each audience are kept beside it for the result.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import TypeAlias, cast

from audiencelab.client.operations.audiences import AudienceLike, listed, to_audience
from audiencelab.expressions import Audience

__all__ = ["MOST_LEVELS", "LaidFlat", "Side", "laid_flat"]

Side: TypeAlias = "Iterable[AudienceLike | Mapping[str, Side]] | Mapping[str, Side]"
"""`[a, b]`, or `{"Gender": [a, b], "Age": {"Young": [c], …}}`, or both: `[a, {"Age": [b, c]}]`."""

MOST_LEVELS = 8
"""Heads above each other; more are a slip, such as a mapping that holds itself."""


@dataclass(frozen=True, slots=True)
class LaidFlat:
    """Audiences in their order; heads: those over each, outermost first, () for none."""

    audiences: list[Audience] = field(default_factory=list[Audience])
    heads: list[tuple[str, ...]] = field(default_factory=list[tuple[str, ...]])


def laid_flat(argument: str, side: Side | None) -> LaidFlat:
    """The audiences of a side in their order, with their heads.

    argument: what the caller calls the side ("columns"), for the place that an error names.
    Raises `TypeError` for what is neither audience, list nor mapping, and `ValueError` for a head
    without a name or without audiences, and for more than `MOST_LEVELS` heads above each other.
    """
    flat = LaidFlat()
    if side is not None:
        _lay(argument, side, (), flat)
    return flat


def _lay(place: str, side: Side, heads: tuple[str, ...], into: LaidFlat) -> None:
    if len(heads) > MOST_LEVELS:
        raise ValueError(f"{place}: no more than {MOST_LEVELS} heads stand above each other.")
    if isinstance(side, Mapping):
        _lay_groups(place, cast("Mapping[object, Side]", side), heads, into)
        return
    for number, each in enumerate(listed(place, cast("Iterable[AudienceLike]", side))):
        at = f"{place}[{number}]"
        if isinstance(cast(object, each), Mapping):
            _lay_groups(at, cast("Mapping[object, Side]", each), heads, into)
        else:
            into.audiences.append(to_audience(at, each))
            into.heads.append(heads)


def _lay_groups(
    place: str, groups: Mapping[object, Side], heads: tuple[str, ...], into: LaidFlat
) -> None:
    for head, side in groups.items():
        if not isinstance(head, str):
            raise TypeError(f"{place}: a head is a text, not {type(head).__name__}.")
        if not head.strip():
            raise ValueError(
                f"{place}: a head needs a name. Audiences without one stand beside the others in "
                'a list: [everyone, {"Gender": genders}].'
            )
        at, before = f"{place}[{head!r}]", len(into.audiences)
        _lay(at, side, (*heads, head), into)
        if len(into.audiences) == before:
            raise ValueError(f"{at} has no audience: give it some, or leave the head out.")
