"""The findings of `audiencelab verify` as people read them, and as JSON."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import asdict

from audiencelab.notebook.change import Change
from audiencelab.notebook.verdict import CellVerdict, Exchanges, State, Verification

_MOST_CHANGES, _FEWEST_CHANGES = 8, 3
"""Changes that are shown of one cell, and of one form where several differ."""

_USUAL = ("", "HTML", "text", "error")
"""Forms that readers of the report need no name for."""


def lines(found: Verification, *, verbose: bool = False) -> list[str]:
    """The findings as people read them; verbose: with the cells whose outputs hold."""
    text = [summary(found), *map(_used, found.exchanges)]
    shown: tuple[State, ...] = ("reworded", "moved", "failed", "differs each time", "not replayed")
    for cell in found.cells:
        if cell.state in shown or cell.tag or verbose:
            tag = f"  (tag {cell.tag}: run, not compared)" if cell.tag else ""
            text.append(f"  cell {cell.number}: {cell.state:<17} {cell.title}{tag}")
            text += [f"      {line}" for line in _change_lines(cell)]
    if found.beside:
        text += ["  beside the notebook", *(f"      {each}" for each in found.beside)]
    if found.causes:
        text += ["  why", *(f"      {cause.text}" for cause in found.causes)]
    if found.notes:
        text += ["  note", *(f"      {note}" for note in found.notes)]
    return text


def _change_lines(cell: CellVerdict) -> Iterator[str]:
    """The changes of a cell, each once; then the forms that have the same ones."""
    told = [each for each in cell.changes if not each.repeated]
    shown = {form: [each for each in told if each.form == form] for form in _forms(told)}
    most = max(_FEWEST_CHANGES, _MOST_CHANGES // max(1, len(shown)))
    for form, changes in shown.items():
        name = "" if form in _USUAL else f"{form}: "
        yield from (f"{name}{change}" for change in changes[:most])
        if len(changes) > most:
            yield f"… and {len(changes) - most:,} more{f' in {form}' if name else ''}"
    also = [form for form in _forms(cell.changes) if form not in shown]
    if also:
        yield f"also in: {', '.join(also)}"


def _forms(changes: Iterable[Change]) -> list[str]:
    return [*dict.fromkeys(change.form for change in changes)]


def _used(exchanges: Exchanges) -> str:
    name, used, count = exchanges.snapshot.name, exchanges.used, exchanges.count
    return f"  {name}: {used:,} of {count:,} exchange{'s' * (count != 1)} used"


def summary(found: Verification) -> str:
    """How many outputs hold, in a sentence."""
    compared = sum(cell.state != "left out" for cell in found.cells)
    held = len(found.of("holds", "reworded"))
    if compared == 0:
        words = "there is no output to compare"
    elif compared == 1:
        words = "its one output holds" if held else "its one output does not hold"
    else:
        words = f"{'all ' if held == compared else f'{held} of '}{compared} outputs hold"
    reworded = len(found.of("reworded"))
    also = f"; {reworded} with other words and the same numbers" if reworded else ""
    if not found.replayed:
        also += f"; {len(found.of('not replayed'))} not replayed from the snapshot"
    if left := sum(bool(cell.tag) for cell in found.cells):
        also += f"; {left} left out by {'its tag' if left == 1 else 'their tags'}"
    if found.beside:
        also += "; files beside them say other things"
    return f"{found.notebook}: {words}{also}."


def plain(found: Verification) -> dict[str, object]:
    """The findings as a JSON value."""
    return {
        "notebook": str(found.notebook),
        "holds": found.holds,
        "replayed": found.replayed,
        "cells": [asdict(each) for each in found.cells],
        "reasons": list(found.reasons),
        "causes": [asdict(each) for each in found.causes],
        "exchanges": [
            {"snapshot": str(each.snapshot), "used": each.used, "count": each.count}
            for each in found.exchanges
        ],
        "notes": list(found.notes),
        "beside": list(found.beside),
    }
