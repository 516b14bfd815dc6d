"""The order of answers that a further file adds to: where their number or word belongs."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from audiencelab.ingest.codebook import CodedDatapoint, CodedSuffix, meanings_of, number_of

_Answer = CodedDatapoint | CodedSuffix


def joined_order(old: Sequence[str], new: Sequence[str]) -> list[str]:
    """All of two lists: what is new is behind its neighbour, or last where none follows it.

    >>> joined_order(["2", "3", "9"], ["1", "2", "4", "9", "10"])
    ['1', '2', '4', '3', '9', '10']
    """
    found = [*old]
    for place, each in enumerate(new):
        if each in found:
            continue
        following = [other for other in new[place + 1 :] if other in old]
        if not following:
            found.append(each)
        elif place:
            found.insert(found.index(new[place - 1]) + 1, each)
        else:
            found.insert(found.index(following[0]), each)
    return found


def placed(
    answers: Sequence[_Answer], more: Sequence[_Answer], drafted: Sequence[_Answer]
) -> list[str]:
    """The names of answers in order, with further ones.

    drafted: those of the further file alone, in the order of their scale.
    """
    mine = [each.name for each in answers]
    theirs = [each.name for each in drafted]
    known = [name for name in theirs if name in mine]
    if len(known) > 1 and any(number_of(name) is None for name in theirs):
        own = [name for name in mine if name in known]
        if known == own or known[::-1] == own:
            return joined_order(mine, theirs if known == own else theirs[::-1])
    numbers = [_number(each) for each in answers]
    given = [number for number in numbers if number is not None]
    if len(given) < max(2, len(numbers)):
        return [*mine, *(each.name for each in more)]
    rising = all(one < other for one, other in pairwise(given))
    falling = all(one > other for one, other in pairwise(given))
    names = dict(zip(mine, given, strict=True))
    for each in more:
        number = _number(each)
        if number is None or not (rising or falling):
            number = max(names.values()) + 1 if not falling else min(names.values()) - 1
        names[each.name] = number
    if not (rising or falling):
        return [*names]
    return sorted(names, key=lambda name: names[name], reverse=falling)


def _number(answer: _Answer) -> float | None:
    values = meanings_of(answer)
    return number_of(values[0]) if len(values) == 1 else None
