"""The lines of one side of a grid: its audiences in order, the heads over them, and the nets.

A `Lines` is a tuple of audiences that knows what stands over each, so whoever only wants the
audiences takes it as one. It is made of what people write (`as_lines`) and turned back into that
(`to_side`, `to_code`).

Not here: the order that a page shows them in.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from itertools import chain
from numbers import Integral
from typing import Any, TypeAlias, TypeVar, cast

from audiencelab.client.operations.audiences import AxisLike, flatten_banner
from audiencelab.expressions import Audience, Expression, KeptAudience, as_audience
from audiencelab.expressions.rendering import Labels
from audiencelab.results.banner import Heads, told_apart
from audiencelab.wording import articled

__all__ = ["Lines", "as_lines", "as_place"]

T = TypeVar("T")

_Group: TypeAlias = "Audience | dict[str, list[_Group]]"


class Lines(tuple[Audience, ...]):
    """The audiences of one side, in order.

    heads: those over each audience, outermost first; () for one that stands under none.
    nets: which audiences are subtotals of others beside them; the grid keeps those in their place.

    Raises `ValueError` where heads or nets are not one for each audience. Two are equal if
    audiences, heads and nets are; a plain tuple is taken to have neither.
    """

    heads: tuple[Heads, ...]
    nets: tuple[bool, ...]

    def __new__(
        cls,
        audiences: Iterable[Audience] = (),
        heads: Iterable[Heads] | None = None,
        nets: Iterable[bool] | None = None,
    ) -> Lines:
        lines = super().__new__(cls, audiences)
        lines.heads = _for_each(lines, heads, (), "heads")
        lines.nets = _for_each(lines, nets, False, "nets")
        return lines

    def __getnewargs__(self) -> tuple[Any, ...]:
        return tuple(self), self.heads, self.nets

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, tuple):
            return NotImplemented
        if isinstance(other, Lines):
            alike = (self.heads, self.nets) == (other.heads, other.nets)
        else:
            alike = not any(self.heads) and not any(self.nets)
        return alike and super().__eq__(cast("tuple[Audience, ...]", other))

    def __ne__(self, other: object) -> bool:
        equal = self.__eq__(other)
        return equal if equal is NotImplemented else not equal

    def __hash__(self) -> int:
        return super().__hash__()

    @property
    def full_names(self) -> list[str]:
        """Names where there is no room for heads: with them where two would be called the same."""
        return told_apart([audience.name for audience in self], self.heads)

    def take(self, places: Iterable[int]) -> Lines:
        """The lines at these places, in that order."""
        chosen = list(places)
        return Lines(
            (self[place] for place in chosen),
            (self.heads[place] for place in chosen),
            (self.nets[place] for place in chosen),
        )

    def to_side(self) -> AxisLike:
        """As `client.crosstab` takes it: a list, and mappings of heads where there are heads."""
        groups = self._groups()
        only = groups[0] if len(groups) == 1 else None
        return cast("AxisLike", only if isinstance(only, dict) else groups)

    def to_code(self) -> str:
        """Python that makes the side, without its nets' marks, given `audiencelab` as `al`."""
        return _code(self.to_side(), "")

    def _groups(self) -> list[_Group]:
        return _grouped(list(zip(self.heads, self, strict=True)))


def as_lines(value: object, side: str, labels: Callable[[], Labels | None]) -> Lines | None:
    """The lines of one side, as people write them; expressions get a name in words.

    value: audiences or expressions in a list, or under heads as `client.crosstab` takes them.
    labels: asked for only when an expression has to be named.

    Raises `TypeError` that names the position, and what `flatten_banner` raises.
    """
    if value is None or isinstance(value, Lines):
        return value
    if isinstance(value, Audience | Expression):
        raise TypeError(f"{side} needs a list of audiences: write {side}=[…] around this one.")
    if isinstance(value, str) or not isinstance(value, Iterable):
        raise TypeError(
            f"{side} needs a list of al.Audience or expressions, not {type(value).__name__}."
        )
    if isinstance(value, Mapping):
        return _laid(cast("AxisLike", value), side, labels)
    items = list(cast("Iterable[object]", value))
    if any(isinstance(item, Mapping) for item in items):
        return _laid(cast("AxisLike", items), side, labels)
    return Lines(_named(item, f"{side}[{place}]", labels) for place, item in enumerate(items))


def as_place(given: object) -> int | None:
    """A place as Python or numpy write it; None for all else, True and False included."""
    if isinstance(given, bool) or not isinstance(given, Integral):
        return None
    return int(given)


def _laid(value: AxisLike, side: str, labels: Callable[[], Labels | None]) -> Lines:
    flat = flatten_banner(side, value)
    return Lines((_named(audience, side, labels) for audience in flat.audiences), flat.groups)


def _named(item: object, place: str, labels: Callable[[], Labels | None]) -> Audience:
    if isinstance(item, Audience) and item.name:
        return item
    if isinstance(item, Audience | Expression | KeptAudience):
        return as_audience(item, labels())
    raise TypeError(
        f"{place} is {articled(type(item).__name__)}: give an al.Audience(name=…, expression=…) or "
        "an expression such as al.Q('q4').any('q4_2')."
    )


def _for_each(lines: Lines, given: Iterable[T] | None, usual: T, what: str) -> tuple[T, ...]:
    if given is None:
        return (usual,) * len(lines)
    listed = tuple(given)
    if len(listed) != len(lines):
        raise ValueError(f"{what} are {len(lines)}, one for each line in order, not {len(listed)}.")
    return listed


def _grouped(lines: list[tuple[Heads, Audience]]) -> list[_Group]:
    """Audiences and, where heads stand over some, mappings of them; neighbours go together."""
    found: list[_Group] = []
    place = 0
    while place < len(lines):
        heads, audience = lines[place]
        if not heads:
            found.append(audience)
            place += 1
            continue
        end = place
        while end < len(lines) and lines[end][0][:1] == heads[:1]:
            end += 1
        below = _grouped([(each[1:], under) for each, under in lines[place:end]])
        last = found[-1] if found else None
        # A head that comes again after another one needs a mapping of its own.
        if isinstance(last, dict) and heads[0] not in last:
            last[heads[0]] = below
        else:
            found.append({heads[0]: below})
        place = end
    return found


def _code(side: AxisLike, indent: str) -> str:
    inner = f"{indent}    "
    if isinstance(side, Mapping):
        groups = cast("Mapping[str, AxisLike]", side)
        written = (f"{head!r}: {_code(below, inner)}" for head, below in groups.items())
        return _in_lines("{", written, "}", indent)
    items = cast("list[Audience | Mapping[str, AxisLike]]", list(side))
    return _in_lines(
        "[",
        (item.to_code() if isinstance(item, Audience) else _code(item, inner) for item in items),
        "]",
        indent,
    )


def _in_lines(opening: str, written: Iterable[str], closing: str, indent: str) -> str:
    lines = [f"{indent}    {each},\n" for each in written]
    return "".join(chain([opening, "\n"], lines, [indent, closing])) if lines else opening + closing
