"""Equivalent mutants: what the code does stays the same, or what it promises does."""

from __future__ import annotations

from typing import NamedTuple

from tests.mutation.suites import Fault

__all__ = ["EQUIVALENT", "Equivalent", "reason"]


class Equivalent(NamedTuple):
    """path, code: the line as it is. faults: its equivalent mutants. why: the reason."""

    path: str
    code: str
    faults: tuple[str, ...]
    why: str


_CELLS, _OBJECTS, _AXIS = (f"client/stream/{each}.py" for each in ("collector", "objects", "axis"))

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
        "stored = cells_of(table).figures(rows[against[:1]], columns[against[:1]])[0].tolist()",
        ("1 → 2", "1 → 2 (no. 2)"),
        "of what is looked up, the first is taken",
    ),
    Equivalent(
        _CELLS,
        "for name, one, two in zip(FIGURES, stored, figures[against[0]].tolist(), strict=True)",
        ("True → False",),
        "the table and the record have the same figures",
    ),
    Equivalent(
        _CELLS,
        "return self._store(rows[known], columns[known], figures[known], 0)",
        ("0 → 1",),
        "the stream has ended, so that no more useless cells come",
    ),
    Equivalent(
        _CELLS,
        "if len(chunk) <= _PIECE:",
        ("len(chunk) <= _PIECE → len(chunk) < _PIECE",),
        "a piece of this length is fed whole either way",
    ),
    Equivalent(
        _CELLS,
        "figures = figures.reshape(-1, len(FIGURES))",
        ("1 → 2",),
        "numpy takes any negative number as the unknown length",
    ),
    Equivalent(
        _CELLS,
        "start, stop = int(positions[0]), int(positions[0]) + len(positions)",
        ("int(positions[0]) + len(positions) → int(positions[0]) - len(positions)",),
        "no slice is found, and the same cells are stored one by one",
    ),
    # -- objects
    Equivalent(
        _OBJECTS,
        "yield boundary.start() + 1",
        ("boundary.start() + 1 → boundary.start() - 1", "1 → 2"),
        "a wrong boundary cannot be decoded, and brackets are counted then",
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
    # -- axis
    Equivalent(
        _AXIS,
        "UNKNOWN = -1",
        ("1 → 2",),
        "any number does that is no place",
    ),
    Equivalent(
        _AXIS,
        "inside = (keys >= first) & (keys < first + len(self._asked))",
        ("keys < first + len(self._asked) → keys <= first + len(self._asked)",),
        "no key is as large: the last index shows that the service counts from 1",
    ),
    Equivalent(
        _AXIS,
        'return tuple(Audience(f"{index} {key}") for key in range(len(self._asked) + 1))',
        ("1 → 2",),
        "one slot more than there are indices stays empty",
    ),
)


def reason(fault: Fault) -> str | None:
    """Why a mutant is equivalent; None if it is not listed."""
    for each in EQUIVALENT:
        if (each.path, each.code) == (fault.path, fault.mutant.code) and fault.words in each.faults:
            return each.why
    return None
