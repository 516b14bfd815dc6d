"""What shares say of the codes of a column: that they mean what they meant, or that they moved.

Each account of the new counts is weighed by its likelihood, given the old ones: the codes are the
same, they are another order of the old ones, or nothing of before is left. In all of them opinions
change: most questions by about 2 points, three of ten by about 6, as standard deviations of a share
of 50%; and people may turn from one answer to another, by about 7 points. So a large sample does
not turn a change of opinion into moved codes, and a small one needs no rule of its own.

Likelihoods are those of the Dirichlet-multinomial distribution: Mosimann, Biometrika 49 (1962).
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from math import exp, lgamma, log, pi, sqrt
from typing import NamedTuple

from audiencelab.ingest.codebook import number_of

_CHANGES = {600.0: log(0.7), 60.0: log(0.3)}
"""Precisions of Dirichlet distributions, with their prior probabilities.

The standard deviation of a share p is √(p(1-p)/(a+1)).
"""

_CERTAIN = log(20)
"""How much likelier an account must be than all others: 95% of the probability."""

_MOVED = log(1e-3)
"""The prior probability that codes without labels moved, and of those with the same labels."""
_MISLABELLED = log(1e-4)
_ANYTHING = log(1e-7)
"""The prior probability that answers to the same question have nothing to do with those before."""
_ANOTHER = log(1e-4)
"""The prior probability that a question or answer of another name is another one."""

_TURN = 0.07
"""The standard deviation of the share of people who turn from one answer to another."""
_TURNED = log(0.1)
_REAL = 0.18
"""A change, as a part of all respondents, that needs no other account: of 15 points, sampled."""

ABSENT = log(1e-4)
"""The probability, of each answer, that it is called new or gone by chance."""
_MOST = 30
"""Of more codes they are a list of regions or brands, or numbers."""

Counts = Mapping[str, int]


class Moved(NamedTuple):
    """An order of the codes: what each new value was before. is_turned: the scale is reversed."""

    reads: Mapping[str, str]
    is_turned: bool


def moved_codes(old: Counts, new: Counts, *, is_labelled: bool) -> Moved | None:
    """How the codes of a column moved, by their shares alone; None where they did not, or may not.

    is_labelled: whether both files have the same labels for them.
    """
    values = sorted({*old, *new}, key=_number)
    if not 2 <= len(values) <= _MOST or not sum(old.values()) or not sum(new.values()):
        return None
    before = [old.get(value, 0) for value in values]
    now = [new.get(value, 0) for value in values]
    prior = _MISLABELLED if is_labelled else _MOVED
    if _distance(before, now) <= _REAL:
        return None
    best, place, is_turned = -float("inf"), (), False
    for order, weight, turned in _orders(values, before, now):
        found = prior + weight + _likelihood([before[each] for each in order], now)
        if found > best:
            best, place, is_turned = found, order, turned
    anything = _ANYTHING + _log_likelihood([1.0] * len(values), now)
    if best < _CERTAIN + _sum_of_logs(_likelihood(before, now), _turns(before, now), anything):
        return None
    reads = {value: values[each] for value, each in zip(values, place, strict=True)}
    return Moved(reads, is_turned)


def follows_labels(
    old: Counts, new: Counts, reads: Mapping[str, str], *, known: Collection[str] = ()
) -> float:
    """How much likelier new shares are if values are read as others: a logarithm, 0 for equally.

    reads: what each new value is by its label. known: the values of before; others are new answers,
    of which no share says anything. Above `CERTAIN` the shares follow the labels, below its
    negative they follow the codes.
    """
    values = [v for v in {*old, *new} if reads.get(v, v) in {*old, *known}]
    now = [new.get(value, 0) for value in values]
    by_label = _likelihood([old.get(reads.get(value, value), 0) for value in values], now)
    return by_label - _likelihood([old.get(value, 0) for value in values], now)


CERTAIN = _CERTAIN


def agrees(old: Counts, new: Counts) -> bool:
    """Whether new counts may be those of the same answers as the old ones."""
    values = sorted({*old, *new})
    if len(values) < 2:
        return True
    now = [new.get(value, 0) for value in values]
    same = _likelihood([old.get(value, 0) for value in values], now)
    return same >= _ANOTHER + _log_likelihood([1.0] * len(values), now)


def stays(old: Counts, new: Counts) -> bool:
    """Whether new counts may be those of the same answers after no more than a small change."""
    values = sorted({*old, *new})
    before, now = ([each.get(value, 0) for value in values] for each in (old, new))
    little, much = (_after(before, now, change) for change in _CHANGES)
    return much - little < _CERTAIN


def absence(count: int, rows: int, other_rows: int) -> float:
    """The logarithm of the probability that none of another sample has what some of this one have.

    Of all respondents who have it, all are among the first `rows` of `rows + other_rows`.
    """
    if not count or not other_rows:
        return 0.0
    return count * log(rows / (rows + other_rows))


# ---- accounts ----


def _orders(
    values: Sequence[str], old: Sequence[int], new: Sequence[int]
) -> Iterator[tuple[tuple[int, ...], float, bool]]:
    """Orders of the codes, with the logarithms of their prior probabilities; is it a turned scale.

    A turned scale is half of the prior; shifted codes, two that were exchanged and all other orders
    are a sixth each.
    """
    size = len(values)
    own = tuple(range(size))
    turned = {own[:start] + own[start:end][::-1] + own[end:] for start, end in _rows(values)}
    for order in turned:
        yield order, log(0.5 / len(turned)), True
    share = log(1 / 6)
    for step in (1, -1) if size > 2 else ():
        yield own[step:] + own[:step], share - log(2), False
    pairs = size * (size - 1) / 2
    for first in own:
        for second in own[first + 1 :]:
            order = list(own)
            order[first], order[second] = second, first
            yield tuple(order), share - log(pairs), False
    # The likeliest of all other orders: by size, the largest share to the largest.
    ranked = sorted(own, key=lambda place: (-old[place], place))
    order = list(own)
    for rank, place in enumerate(sorted(own, key=lambda place: (-new[place], place))):
        order[place] = ranked[rank]
    yield tuple(order), share - lgamma(size + 1), False


def _rows(values: Sequence[str]) -> set[tuple[int, int]]:
    """The parts of the codes that may be a scale: all of them, and rows of integers."""
    size = len(values)
    found = {(0, size)}
    start = 0
    for place in range(1, size + 1):
        if place == size or _number(values[place])[1] != _number(values[place - 1])[1] + 1:
            found |= {(start, place)} if place - start > 2 else set()
            start = place
    return found


def _number(value: str) -> tuple[bool, float, str]:
    number = number_of(value)
    return (number is None, 0.0 if number is None else number, value)


def _likelihood(old: Sequence[int], new: Sequence[int]) -> float:
    """The logarithm of the likelihood of new counts where the answers are those of before."""
    changes = _CHANGES.items()
    return _sum_of_logs(*(prior + _after(old, new, change) for change, prior in changes))


def _after(old: Sequence[int], new: Sequence[int], change: float) -> float:
    """The same after a change of a known size."""
    total = sum(old) + len(old) / 2
    # The old sample is a sample too, whose error adds to the change.
    precision = 1 / (1 / change + 1 / total)
    # Half an answer more of each, so that a rare one may occur: Jeffreys' prior.
    return _log_likelihood([precision * (count + 0.5) / total for count in old], new)


def _distance(old: Sequence[int], new: Sequence[int]) -> float:
    """The share of respondents who would have to answer something else."""
    rows = sum(old), sum(new)
    pairs = zip(old, new, strict=True)
    return sum(abs(before / rows[0] - now / rows[1]) for before, now in pairs) / 2


def _turns(old: Sequence[int], new: Sequence[int]) -> float:
    """The same where people also turned from one answer to another, whichever two these are."""
    size, rows = len(old), sum(new)
    total = sum(old) + size / 2
    shares = [(count + 0.5) / total for count in old]
    found: list[float] = []
    for one in range(size):
        for other in range(one + 1, size):
            both = new[one] + new[other]
            rest = [place for place in range(size) if place not in (one, other)]
            joint = [[each[place] for place in rest] for each in (old, new)]
            together = _likelihood([*joint[0], old[one] + old[other]], [*joint[1], both])
            part = shares[one] / (shares[one] + shares[other])
            error = both * part * (1 - part) * (1 / rows + 1 / total) / rows
            spread = sqrt(_TURN**2 + error)
            off = (new[one] - both * part) / rows / spread
            # The probability of the one count is that of all orders of the respondents.
            orders = lgamma(both + 1) - lgamma(new[one] + 1) - lgamma(new[other] + 1)
            found.append(together - off**2 / 2 - log(spread * rows * sqrt(2 * pi)) - orders)
    return _TURNED + _sum_of_logs(*found) - log(len(found))


def _log_likelihood(alphas: Sequence[float], counts: Sequence[int]) -> float:
    """The Dirichlet-multinomial log-likelihood, but for the coefficient that all orders share."""
    total = sum(alphas)
    found = lgamma(total) - lgamma(total + sum(counts))
    return found + sum(
        lgamma(alpha + count) - lgamma(alpha)
        for alpha, count in zip(alphas, counts, strict=True)
        if count
    )


def _sum_of_logs(*logs: float) -> float:
    most = max(logs)
    return most + log(sum(exp(each - most) for each in logs))
