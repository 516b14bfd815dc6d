"""Edits of one side of a grid: lines in, lines out, and what was given stays as it was.

Lines are added, netted, boxed, nested, moved, renamed and removed. Whoever edits says which lines
by their places from 0.

Not here: reading what people give as audiences (`given`), the widget, and undoing.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from audiencelab.client.operations.audiences import MOST_LEVELS
from audiencelab.errors import AudienceError
from audiencelab.expressions import Audience, Expression, Leaf, any_of, combine
from audiencelab.render.markup import shorten
from audiencelab.results.banner import Heads
from audiencelab.widgets.crosstab.lines import Lines, as_place
from audiencelab.wording import plural

__all__ = [
    "QuestionError",
    "added",
    "boxed",
    "is_plain",
    "moved",
    "nested",
    "netted",
    "removed",
    "renamed",
]

_NAME_LENGTH = 80
"""Characters of a net's name that is made of those of its lines."""


class QuestionError(AudienceError, ValueError):
    """An edit of what a grid asks that cannot be made; what it asked before stays."""


class _Line(NamedTuple):
    audience: Audience
    heads: Heads
    is_net: bool = False


def added(lines: Lines, new: Lines) -> Lines:
    """The lines with new ones: under heads that are there already, or at the end.

    A line that stands there already, under the same heads and the same name, is not added again.
    """
    kept = _listed(lines)
    known = {(line.heads, line.audience.name, line.audience.expression) for line in kept}
    fresh: dict[Heads, list[_Line]] = {}
    for line in _listed(new):
        key = (line.heads, line.audience.name, line.audience.expression)
        if key not in known:
            known.add(key)
            fresh.setdefault(line.heads, []).append(line)
    for heads, group in fresh.items():
        place = _end_under(kept, heads)
        kept[place:place] = group
    return _joined(kept)


def netted(lines: Lines, places: Iterable[int], name: str = "") -> Lines:
    """The lines with one more for whoever is in any of those at `places`: a net of them.

    It follows the last line under the heads that they have in common. name: what it is called;
    nothing is the names of its lines. Raises `QuestionError` for fewer than two lines, for one that
    is everyone, and for a name that another line under these heads has.
    """
    chosen = _chosen(lines, places)
    if len(chosen) < 2:
        raise QuestionError("A net adds up two lines or more: choose them.")
    kept = _listed(lines)
    members = [kept[place] for place in chosen]
    joined = shorten(" or ".join(each.audience.name for each in members), _NAME_LENGTH)
    audience = Audience(_called(name) or joined, _any(members))
    net = _Line(audience, _common(members), is_net=True)
    _insert_net(kept, net, after=chosen[-1])
    return _joined(kept)


def boxed(
    lines: Lines,
    top: int = 2,
    bottom: int = 2,
    *,
    low_first: bool = True,
    places: Iterable[int] | None = None,
) -> Lines:
    """The lines with top and bottom boxes of each scale: the highest and the lowest answers.

    top, bottom: how many answers each adds up; 0 for none. low_first: whether scales run from the
    lowest to the highest. places: lines of the scales that are meant; None is all of them.

    A scale is the neighbours under the same heads, nets aside. Raises `QuestionError` for boxes
    that a scale does not have room for, and `TypeError` for what is no whole number.
    """
    if as_place(top) is None or as_place(bottom) is None:
        raise TypeError(f"Boxes are whole numbers of answers, not {top!r} and {bottom!r}.")
    kept = _listed(lines)
    wanted = None if places is None else set(_chosen(lines, places))
    boxes: list[tuple[_Line, int]] = []
    for start, stop in _blocks(kept):
        if wanted is not None and wanted.isdisjoint(range(start, stop)):
            continue
        answers = [line for line in kept[start:stop] if not line.is_net]
        if top < 0 or bottom < 0 or not 0 < top + bottom <= len(answers):
            raise QuestionError(
                f"Boxes of {top} and {bottom} answers do not fit {_scale(kept[start])} of "
                f"{plural(len(answers), 'answer')}."
            )
        falling = answers[::-1] if low_first else answers
        for name, members in (
            (f"Top {top}", falling[:top]),
            (f"Bottom {bottom}", falling[len(falling) - bottom :]),
        ):
            if members:
                box = Audience(name, _any(members))
                boxes.append((_Line(box, kept[start].heads, is_net=True), stop - 1))
    # From the end, so that places before it stay true.
    for box, last in sorted(boxes, key=lambda each: -each[1]):
        _insert_net(kept, box, after=last)
    return _joined(kept)


def nested(lines: Lines, under: Sequence[Audience], places: Iterable[int] | None = None) -> Lines:
    """The lines once within each of other audiences, which become the heads over them.

    under: whom the lines are taken within, each with a name of its own. places: the lines that are
    nested, standing where the first of them stood; None is all of them.

    k audiences over n lines are k × n lines, as of `al.nest`. Raises `QuestionError` for nothing to
    nest, for two audiences of one name, and for more levels of heads than a table may have.
    """
    kept = _listed(lines)
    chosen = list(range(len(kept))) if places is None else _chosen(lines, places)
    if not under or not chosen:
        raise QuestionError("Nesting takes lines, and audiences to take them within: choose both.")
    names = [outer.name for outer in under]
    if twice := [name for name in names if names.count(name) > 1]:
        raise QuestionError(f"Two of the audiences to nest under are called {twice[0]!r}.")
    inner = [kept[place] for place in chosen]
    if max(len(line.heads) for line in inner) >= MOST_LEVELS:
        raise QuestionError(f"No more than {MOST_LEVELS} heads stand above each other.")
    within = [
        _Line(_both(outer, line.audience), (outer.name, *line.heads), line.is_net)
        for outer in under
        for line in inner
    ]
    rest = [line for place, line in enumerate(kept) if place not in set(chosen)]
    return _joined([*rest[: chosen[0]], *within, *rest[chosen[0] :]])


def removed(lines: Lines, places: Iterable[int]) -> Lines:
    """The lines without those at `places`."""
    gone = set(_chosen(lines, places))
    return lines.take(place for place in range(len(lines)) if place not in gone)


def moved(lines: Lines, places: Iterable[int], to: int) -> Lines:
    """The lines with those at `places` before the one that stands at `to`, which may be the end.

    They keep their heads, so that a line that leaves its neighbours takes its heads along.
    """
    chosen = _chosen(lines, places)
    if not 0 <= to <= len(lines):
        raise QuestionError(f"There is no place {to} among {plural(len(lines), 'line')}.")
    taken = set(chosen)
    before = [place for place in range(to) if place not in taken]
    after = [place for place in range(to, len(lines)) if place not in taken]
    return lines.take([*before, *chosen, *after])


def renamed(lines: Lines, place: int, name: str) -> Lines:
    """The lines, the one at `place` under another name."""
    (chosen,) = _chosen(lines, [place])
    called = _called(name)
    if not called:
        raise QuestionError("A line needs a name.")
    kept = _listed(lines)
    kept[chosen] = kept[chosen]._replace(audience=kept[chosen].audience.renamed(called))
    return _joined(kept)


def is_plain(expression: Expression | None) -> bool:
    """Whether an expression is a choice of answers to one question, and nothing more."""
    return isinstance(expression, Leaf) and not expression.negated and expression.min_count == 1


def _listed(lines: Lines) -> list[_Line]:
    return [_Line(*each) for each in zip(lines, lines.heads, lines.nets, strict=True)]


def _joined(listed: Sequence[_Line]) -> Lines:
    return Lines(
        (line.audience for line in listed),
        (line.heads for line in listed),
        (line.is_net for line in listed),
    )


def _chosen(lines: Lines, places: Iterable[int]) -> list[int]:
    """Places in their order, each once; `QuestionError` for one that is not there."""
    found = sorted(set(places))
    if wrong := [place for place in found if not 0 <= place < len(lines)]:
        raise QuestionError(f"There is no line {wrong[0]} among {plural(len(lines), 'line')}.")
    return found


def _called(name: object) -> str:
    if not isinstance(name, str):
        raise TypeError(f"A line's name is a text, not {type(name).__name__}.")
    return name.strip()


def _end_under(lines: Sequence[_Line], heads: Heads) -> int:
    """Where another line under these heads belongs: after its nearest kin, else at the end."""
    for shared in range(len(heads), 0, -1):
        for place in range(len(lines) - 1, -1, -1):
            line = lines[place]
            # The nets of a block close it.
            if line.heads[:shared] == heads[:shared] and not (line.is_net and line.heads == heads):
                return place + 1
    return len(lines)


def _blocks(lines: Sequence[_Line]) -> Iterator[tuple[int, int]]:
    """Where neighbours under the same heads begin, and end."""
    start = 0
    for place in range(1, len(lines) + 1):
        if place == len(lines) or lines[place].heads != lines[start].heads:
            yield start, place
            start = place


def _insert_net(lines: list[_Line], net: _Line, *, after: int) -> None:
    """Put a net behind the last neighbour that its heads stand over, from the line `after` on."""
    if any((each.heads, each.audience.name) == (net.heads, net.audience.name) for each in lines):
        raise QuestionError(
            f"{net.audience.name!r} is a line already: give the net a name of its own."
        )
    end = after + 1
    while end < len(lines) and _belongs(lines[end], net, lines[after]):
        end += 1
    lines.insert(end, net)


def _belongs(line: _Line, net: _Line, member: _Line) -> bool:
    """Whether a line comes before a net that follows its last member's neighbours."""
    if net.heads:
        return line.heads[: len(net.heads)] == net.heads
    block = member.heads[:1]
    return line.heads[:1] == block and (bool(block) or line.is_net)


def _common(lines: Sequence[_Line]) -> Heads:
    """The heads that stand over all of the lines."""
    first, *others = (line.heads for line in lines)
    depth = len(first)
    for heads in others:
        depth = next((at for at in range(depth) if heads[at : at + 1] != first[at : at + 1]), depth)
    return first[:depth]


def _any(lines: Sequence[_Line]) -> Expression:
    """Whoever is in any of the lines; answers to one question stay a single condition."""
    parts: list[Expression] = []
    for line in lines:
        if line.audience.expression is None:
            raise QuestionError(f"{line.audience.name!r} is everyone: a net of it would be, too.")
        parts.append(line.audience.expression)
    leaves = [part for part in parts if isinstance(part, Leaf) and is_plain(part)]
    alike = {(leaf.question, leaf.suffixes) for leaf in leaves if leaf.datapoints}
    if len(leaves) == len(parts) and len(alike) == 1 and all(leaf.datapoints for leaf in leaves):
        answers = dict.fromkeys(code for leaf in leaves for code in leaf.datapoints)
        return Leaf(leaves[0].question, tuple(answers), leaves[0].suffixes)
    return parts[0] if len(parts) == 1 else any_of(*parts)


def _both(outer: Audience, inner: Audience) -> Audience:
    return combine([outer], [inner])[0].renamed(inner.name)


def _scale(line: _Line) -> str:
    return f"the scale {line.heads[-1]!r}" if line.heads else "a scale"
