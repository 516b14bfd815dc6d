"""Faults that are none: what the code does stays the same, or what it promises does."""

from __future__ import annotations

from typing import NamedTuple

from tests.mutation.rooms import Fault

__all__ = ["EQUIVALENT", "Equivalent", "reason"]


class Equivalent(NamedTuple):
    """path, code: the line, as it stands there. faults: those that are none, and why."""

    path: str
    code: str
    faults: tuple[str, ...]
    why: str


_CELLS, _OBJECTS, _PLACES = (
    f"client/stream/{each}.py" for each in ("collector", "objects", "locator")
)

EQUIVALENT: tuple[Equivalent, ...] = (
    Equivalent(
        "expressions/code_parser.py",
        "_MOST_WORK = 10_000_000",
        ("10000000 → 10000001",),
        "a limit of time and no promise; that it holds to the unit is tested with a smaller one",
    ),
    Equivalent(
        "expressions/code_parser.py",
        "nodes, depth, characters = zip(*(size[1:] for size in sizes), strict=True)",
        ("True → False",),
        "each of the sizes has three parts, whatever is asked of zip",
    ),
    # -- cells
    Equivalent(
        _CELLS,
        "_PIECE = 64 * 1024",
        ("64 → 65", "1024 → 1025"),
        "how much is decoded at once is a matter of speed: the update is the same",
    ),
    Equivalent(
        _CELLS,
        "if len(chunk) <= _PIECE:",
        ("len(chunk) <= _PIECE → len(chunk) < _PIECE",),
        "a chunk of just one piece is taken whole either way",
    ),
    *(
        Equivalent(
            _CELLS,
            f"class {name}(msgspec.Struct, gc=False):",
            ("False → True",),
            "whether the garbage collector walks through cells is a matter of speed",
        )
        for name in ("_Side", "_Sides", "_Base", "_Intersect", "_Cell")
    ),
    Equivalent(
        _CELLS,
        "if len(new) < len(rows):",
        ("len(new) < len(rows) → len(new) <= len(rows)",),
        "where all are new, none is compared",
    ),
    Equivalent(
        _CELLS,
        "table.figures(rows[against[:1]], columns[against[:1]])[0].tolist(),",
        ("1 → 2", "1 → 2 (no. 2)"),
        "of what is looked up, the first is taken",
    ),
    Equivalent(
        _CELLS,
        "strict=True,",
        ("True → False",),
        "the table and the record have the same figures",
    ),
    # -- objects
    Equivalent(
        _OBJECTS,
        "_GUESSES = 8",
        ("8 → 9",),
        "when brackets begin to be counted is a matter of speed",
    ),
    Equivalent(
        _OBJECTS,
        "if self._guesses >= _GUESSES:",
        ("self._guesses >= _GUESSES → self._guesses > _GUESSES",),
        "when brackets begin to be counted is a matter of speed",
    ),
    Equivalent(
        _OBJECTS,
        "self._guesses += 1",
        ("1 → 2",),
        "when brackets begin to be counted is a matter of speed",
    ),
    Equivalent(
        _OBJECTS,
        "return cut.start() + 1",
        ("cut.start() + 1 → cut.start() - 1",),
        "a guess inside the object is wrong, and is made again until brackets are counted",
    ),
    Equivalent(
        _OBJECTS,
        "self._guesses = 0",
        ("0 → 1",),
        "the run is the quick way to what guessing finds as well",
    ),
    Equivalent(
        _OBJECTS,
        "self._guesses, self._scanner = 0, None",
        ("0 → 1",),
        "the run is the quick way to what guessing finds as well",
    ),
    Equivalent(
        _OBJECTS,
        "self._searched = 0  # no object that has not been taken ends before this place",
        ("0 → 1",),
        "no object ends before place 1: the shortest takes two bytes",
    ),
    Equivalent(
        _OBJECTS,
        "self._searched = 0",
        ("0 → 1",),
        "no object ends before place 1: the shortest takes two bytes",
    ),
    Equivalent(
        _OBJECTS,
        "self._searched = max(0, self._searched - count)",
        ("0 → 1",),
        "no object ends before place 1: the shortest takes two bytes",
    ),
    Equivalent(
        _OBJECTS,
        "while start < len(self._buffer):",
        ("start < len(self._buffer) → start <= len(self._buffer)",),
        "once more, and nothing is found where nothing is left",
    ),
    Equivalent(
        _OBJECTS,
        "return end if end > self._searched else None",
        ("end > self._searched → end >= self._searched",),
        "a guess that was wrong is wrong again, until brackets are counted",
    ),
    Equivalent(
        _OBJECTS,
        "while place > 0:",
        ("place > 0 → place >= 0", "0 → 1"),
        "an object that begins there has none before it, so the run falls back on guessing",
    ),
    Equivalent(
        _OBJECTS,
        'place = text.rfind(b"{", 0, place)',
        ("0 → 1",),
        "an object that begins with the text has none before it",
    ),
    Equivalent(
        _OBJECTS,
        "reach = 1",
        ("1 → 2",),
        "how far is looked back at once is a matter of speed",
    ),
    Equivalent(
        _OBJECTS,
        "reach *= 2",
        ("2 → 3",),
        "how far is looked back at once is a matter of speed",
    ),
    Equivalent(
        _OBJECTS,
        'self._depth += 1 if mark == b"{" else -1',
        (
            "1 if mark == b'{' else -1 → -1 if mark == b'{' else 1",
            "mark == b'{' → mark != b'{'",
        ),
        "an object ends where as many brackets close as open, whichever count upwards",
    ),
    # -- places
    Equivalent(
        _PLACES,
        "UNKNOWN = -1",
        ("1 → 2",),
        "any number does that is no place",
    ),
    Equivalent(
        _PLACES,
        "inside = (keys >= first) & (keys < first + len(self._asked))",
        ("keys < first + len(self._asked) → keys <= first + len(self._asked)",),
        "no key is as large: the last index shows that the service counts from 1",
    ),
    Equivalent(
        _PLACES,
        'return tuple(Audience(f"{index} {key}") for key in range(len(self._asked) + 1))',
        ("1 → 2",),
        "one slot more than there are indices stays empty",
    ),
)


def reason(fault: Fault) -> str | None:
    """Why a fault is none, if it is known to be none."""
    for each in EQUIVALENT:
        if (each.path, each.code) == (fault.path, fault.mutant.code) and fault.words in each.faults:
            return each.why
    return None
