"""Steps of answers by degree, pole and negation: "Rather dissatisfied" is -2.2 of satisfaction.

Steps run from -5 to 5 and only compare; 0 is the middle.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from audiencelab.ingest.meaning.lexicon import PLAIN, LexiconItem

_SMALL = 1.0
"""The amount up to which a degree makes less of it."""

_MEASURES = frozenset({"too", "enough", "right", "lacking"})
_SILENT = frozenset({"filler", "tail", "pole"})


class Step(NamedTuple):
    """The step of an answer.

    how: "" of a usual one, "between" two poles, "neutral", "too", "right", or "bare" of a rest
    alone. denied: its pole is denied. opposed: it is on the other side of a middle.
    """

    value: float
    how: str = ""
    denied: bool = False
    opposed: bool = False


class _Roles(NamedTuple):
    """What the words of an answer do, and the index of each."""

    poles: Sequence[tuple[int, float]]
    amounts: Sequence[tuple[int, float]]
    degrees: Sequence[tuple[int, float]]
    places: dict[str, int]
    """The first index of each other kind of word."""


def grade(items: Sequence[LexiconItem], pair: str | None, rest: str) -> Step | None:
    """The step of an answer on the scale of a pair of poles; None where its words show none.

    pair: None for scales whose pole is not a known word, or which have none: "A lot", "Some".
    rest: what is left of the answer beside its known words.
    """
    roles = _roles_of(items, pair)
    places = roles.places
    # First: "too" makes another scale of the same words, with the best in the middle.
    if not places.keys().isdisjoint(_MEASURES):
        return _measured(roles)
    if middle := _middle(roles):
        return middle
    if pair is not None and rest and not roles.poles:
        return None
    graded = bool(roles.amounts or roles.degrees or places)
    if not (graded or roles.poles):
        return Step(PLAIN, "bare") if pair is None and rest else None
    # The last pole is the verb or adjective that the other words grade.
    sign = -1.0 if roles.poles and roles.poles[-1][1] < 0 else 1.0
    if pair == "yes" and sign < 0:
        # A denial agrees with this "no": "No, rather not".
        size = 5.0 if "not-at-all" in places else _size(roles) or PLAIN
        return Step(-size, denied=True, opposed=True)
    if "not-at-all" in places:
        return Step(-5 * sign, denied=True, opposed=sign < 0)
    if "hardly" in places:
        return Step(-1 * sign, denied=True, opposed=sign < 0)
    if "not" in places:
        return _negated(roles, sign)
    size = _size(roles)
    return None if size is None else Step(size * sign, opposed=bool(roles.poles) and sign < 0)


def _roles_of(items: Sequence[LexiconItem], pair: str | None) -> _Roles:
    poles: list[tuple[int, float]] = []
    amounts: list[tuple[int, float]] = []
    degrees: list[tuple[int, float]] = []
    places: dict[str, int] = {}
    for at, item in enumerate(items):
        if pair is not None and pair in item.poles:
            poles.append((at, item.poles[pair]))
        elif item.kind == "amount":
            amounts.append((at, item.value))
        elif item.kind == "degree":
            degrees.append((at, item.value))
        elif item.kind == "tends":
            # It grades the whole, wherever it is: "그렇지 않은 편이다".
            degrees.append((-1, 2.2))
        elif item.kind == "tail" or (item.kind == "too" and poles and at == len(items) - 1):
            # The verb is complete here: "Stimme eher nicht zu".
            poles = [*poles[:-1], (at, poles[-1][1])] if poles else poles
        elif item.kind not in _SILENT:
            places.setdefault(item.kind, at)
    return _Roles(poles, amounts, degrees, places)


def _measured(roles: _Roles) -> Step | None:
    """Of "too much", "about right" and "too little"."""
    if "too" in roles.places:
        start = roles.places["too"]
        far = next((v for at, v in (*roles.degrees, *roles.amounts) if at < start), 3.0)
        size = PLAIN + (1 if far > PLAIN else -1 if far < PLAIN else 0)
        low = any(value < 0 for _, value in (*roles.poles, *roles.amounts))
        return Step(-size if low else size, "too")
    if "lacking" in roles.places or {"enough", "not"} <= roles.places.keys():
        return Step(-PLAIN, "too")
    if "enough" in roles.places:
        return Step(0, "right")
    is_plain = not (roles.poles or roles.amounts) and "not" not in roles.places
    return Step(0, "right") if is_plain else None


def _middle(roles: _Roles) -> Step | None:
    signs = {value > 0 for _, value in roles.poles if value}
    if "neither" in roles.places or len(signs) > 1:
        return Step(0, "between")
    if "neutral" in roles.places:
        return Step(0, "neutral")
    if "maybe" in roles.places and not roles.poles and "not" not in roles.places:
        return Step(0, "neutral")
    return None


def _negated(roles: _Roles, sign: float) -> Step:
    """Of "not very good", "rather not good", "not good", and "approve, not strongly"."""
    denial = roles.places["not"]
    graded = sorted((*roles.degrees, *roles.amounts))
    before = [value for at, value in graded if at < denial]
    after = [value for at, value in graded if at > denial]
    is_pole_first = bool(roles.poles) and roles.poles[-1][0] < denial
    if after and is_pole_first and not before:
        # "Approve, not strongly": on the pole's own side, below a plain "approve".
        return Step(1.5 * sign)
    if after and not before:
        return Step(-sign, denied=True, opposed=sign < 0)
    if before:
        return Step(-before[-1] * sign, denied=True, opposed=before[-1] < 5 or sign < 0)
    low = 1.0 if "maybe" in roles.places else PLAIN
    return Step(-low * sign, denied=True, opposed=sign < 0)


def _size(roles: _Roles) -> float | None:
    """How far from the middle, without negations; below 0 of "little"."""
    own = abs(roles.poles[-1][1]) if roles.poles else PLAIN
    amount = next((value for _, value in roles.amounts), None)
    degree = next((value for _, value in roles.degrees), None)
    if "maybe" in roles.places:
        degree = 1.0
    if roles.poles and own != PLAIN:
        is_alone = amount is None and degree is None
        # A pole with a value of its own, such as "excellent", has its degree in it.
        return own if is_alone or own > PLAIN else None
    if amount is not None:
        # "Very little" is less than "little", "very mild" less than "mild".
        away = 1.0 if amount > _SMALL else -1.0
        return amount if degree is None else amount + away * (0.9 if degree > PLAIN else -0.5)
    if degree is not None:
        return degree - (0.5 if "almost" in roles.places else 0)
    return own if roles.poles else None


def aside_of(items: Sequence[LexiconItem], pair: str | None, rest: str) -> str:
    """What an answer says beside its step: its unknown words, and poles of other pairs."""
    others = [
        "/".join(name if value > 0 else f"not {name}" for name, value in item.poles.items())
        for item in items
        if item.kind == "pole" and (pair is None or pair not in item.poles)
    ]
    return " ".join((*others, rest)).strip()


def pairs_in(items: Sequence[LexiconItem]) -> Iterator[str]:
    """The pairs of poles that words may belong to."""
    for item in items:
        yield from item.poles
