"""Rows or columns as Python: a whole question is one word, and its answers are one call.

Without a catalogue every audience is spelled out.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby
from textwrap import indent, shorten
from typing import NamedTuple, cast

from audiencelab.client.catalogue import Catalogue, CatalogueQuestion
from audiencelab.client.catalogue.called_rows import Row, called_rows
from audiencelab.client.catalogue.code_layout import WIDTH, wrapped
from audiencelab.client.catalogue.named_code import answer_keys, question_key, unnamed_code
from audiencelab.client.catalogue.nested_levels import Group, nests_in
from audiencelab.expressions import Audience, Leaf
from audiencelab.expressions.codes import WAVES, join_code, split_code
from audiencelab.results.banner import Groups
from audiencelab.results.statistic_rows import Statistic

_INDENT = "    "
_SHORTEST_COMMENT = 12
_SHORT_NAME = 30
_WAVE = "Wave"
"""The group of columns that are waves."""
_USED = 9
"""Columns around a call in a list of a call's argument: blanks, and a comma."""


class _Part(NamedTuple):
    """A piece of code, the names of its codes for a comment behind it, and the key before it."""

    code: str
    names: str = ""
    key: str = ""


class _Writer:
    """Writes parts of an axis; looks up each question once."""

    def __init__(self, catalogue: Catalogue | None, waves: Sequence[str] = ()) -> None:
        self._catalogue = catalogue
        self._waves = list(waves)
        self._answers: dict[str, list[Audience]] = {}
        self._known: dict[str, set[Audience]] = {}

    def list(self, items: Sequence[Group]) -> _Part:
        parts = [*self._parts(items)]
        # A list of one unpacked call, or of one nest, is the call itself.
        if len(parts) == 1 and parts[0].code.startswith(("*", "al.nest(")):
            return parts[0]._replace(code=parts[0].code.removeprefix("*"))
        return _bracketed("[]", parts)

    def _parts(self, items: Sequence[Group]) -> Iterator[_Part]:
        for question, run in groupby(items, self._question_of):
            listed = [*run]
            if question is not None and len(listed) > 1:
                answers = self._call(question, listed)
                yield answers._replace(code=f"*{answers.code}")
                continue
            for is_group, some in groupby(listed, lambda item: isinstance(item, dict)):
                for item in some if is_group else ():
                    yield from self._groups(cast("dict[str, list[Group]]", item))
                if not is_group:
                    yield from self._rows([*cast("Iterator[Row]", some)])

    def _rows(self, rows: Sequence[Row]) -> Iterator[_Part]:
        """Rows without groups: calls that make several, and each of the others."""
        if self._catalogue is None:
            yield from map(self._row, rows)
            return
        for some, question, call in called_rows(rows, self._catalogue):
            if question is None or not call:
                yield from map(self._row, some)
                continue
            short = isinstance(some[0], Audience) and len(question.name) <= _SHORT_NAME
            key = question_key(question, self._catalogue) if short else question.code
            yield _Part(f"{'*' if len(some) > 1 else ''}client[{key!r}].{call}")

    def _row(self, row: Row) -> _Part:
        if isinstance(row, Statistic):
            return _Part(f"client{row.code}")
        return _Part(unnamed_code(row, self._catalogue))

    def _groups(self, groups: Mapping[str, Sequence[Group]]) -> Iterator[_Part]:
        """Groups by name; a whole question has its own name, and needs no mapping."""
        for levels, rest in nests_in(groups, self._question_of):
            yield from [self._nest(levels)] if levels else self._mapping(rest)

    def _mapping(self, groups: Mapping[str, Sequence[Group]]) -> Iterator[_Part]:
        named: list[_Part] = []
        for name, below in groups.items():
            part, whole = self._group(below), self._whole(below)
            own = _WAVE if self._are_waves(below) else whole and whole.name
            if own == name:
                if named:
                    yield _bracketed("{}", named)
                    named = []
                yield part
            else:
                named.append(part._replace(key=f"{name!r}: "))
        if named:
            yield _bracketed("{}", named)

    def _nest(self, levels: Sequence[Sequence[Group]]) -> _Part:
        """The call of `al.nest` that makes levels of a banner."""
        lines = "\n".join(_line(self._group(each)) for each in levels)
        code = f"al.nest(\n{indent(lines, _INDENT)}\n)"
        # Without a comment it may be on one line.
        if "  # " not in code:
            code = wrapped(ast.unparse(ast.parse(code, mode="eval")), _USED)
        return _Part(code)

    def _are_waves(self, below: Sequence[Group]) -> bool:
        """Whether these are the waves that the table counts, in their order."""
        leaves = [each.expression for each in below if isinstance(each, Audience)]
        codes = [
            each.datapoints[0]
            for each in leaves
            if isinstance(each, Leaf) and each.question == WAVES and len(each.datapoints) == 1
        ]
        return bool(self._waves) and len(below) == len(codes) and codes == self._waves

    def _group(self, below: Sequence[Group]) -> _Part:
        if self._are_waves(below):
            return _Part(repr(WAVES))
        if whole := self._whole(below):
            return self._question(whole)
        questions = {self._question_of(item) for item in below}
        if len(below) > 1 and len(questions) == 1 and (question := questions.pop()):
            return self._call(question, below)
        return self.list(below)

    def _whole(self, below: Sequence[Group]) -> CatalogueQuestion | None:
        """The question whose answers these are, all of them in its order."""
        if below and (grid := self._grid(below)):
            return grid
        question = self._question_of(below[0]) if below else None
        return question if question and self._all(question) == list(below) else None

    def _grid(self, below: Sequence[Group]) -> CatalogueQuestion | None:
        """The grid that these groups are, all of its items with all points."""
        if len(below) != 1 or not isinstance(below[0], dict):
            return None
        items = below[0]
        item = self._question_of(next(iter(items.values()))[0])
        grid = None if item is None else item.item_of
        made = grid.as_rows() if grid is not None else None
        if not isinstance(made, dict) or list(made) != list(items):
            return None
        return grid if all(list(made[name]) == points for name, points in items.items()) else None

    def _question_of(self, audience: Group) -> CatalogueQuestion | None:
        """The question of which an audience is one answer, under the name of the answer."""
        if self._catalogue is None or not isinstance(audience, Audience):
            return None
        leaf = audience.expression
        if not isinstance(leaf, Leaf) or leaf.question not in self._catalogue:
            return None
        question = self._catalogue[leaf.question]
        # One point for one item of a grid is an answer to the item, a question of its own.
        if question.suffixes and len(leaf.datapoints) == len(leaf.suffixes) == 1:
            namespace, _ = split_code(question.canonical)
            item = join_code(namespace, leaf.datapoints[0])
            if item not in self._catalogue:
                return None
            question = self._catalogue[item]
        self._all(question)
        # The line above has filled `_known`.
        return question if audience in self._known[question.code] else None

    def _all(self, question: CatalogueQuestion) -> list[Audience]:
        if question.code not in self._answers:
            self._answers[question.code] = list(question.audiences())
            self._known[question.code] = set(self._answers[question.code])
        return self._answers[question.code]

    def _call(self, question: CatalogueQuestion, answers: Sequence[Group]) -> _Part:
        """The call that makes these answers of a question."""
        codes: list[str] = []
        if list(answers) != self._all(question):
            leaves = (each.expression for each in answers if isinstance(each, Audience))
            codes = [
                code
                for leaf in leaves
                if isinstance(leaf, Leaf)
                for code in leaf.suffixes or leaf.datapoints
            ]
        keys = answer_keys(codes, question.datapoints) or codes
        names = ", ".join(each.name for each in answers if isinstance(each, Audience))
        code = f"client[{self._question(question).code}].audiences({', '.join(map(repr, keys))})"
        return _Part(code, names if keys == codes else "")

    def _question(self, question: CatalogueQuestion) -> _Part:
        """The name of a question, or its code with the name behind it."""
        key = question_key(question, self._catalogue) if self._catalogue else question.code
        is_told = key == question.code != question.name
        return _Part(repr(key), question.name if is_told else "")


def axis_code(
    axis: Sequence[Group],
    catalogue: Catalogue | None = None,
    argument: str = "",
    waves: Sequence[str] = (),
) -> str:
    """The list as code, with a comma; given `client`, and `audiencelab` as `al`.

    argument: what it is given as: `rows=[…],`. waves: codes of those that are counted, in order.
    """
    written = _Writer(catalogue, waves).list(axis)
    return _line(written, f"{argument}=" if argument else "")


def crosstab_call(arguments: Sequence[str]) -> str:
    """The call that makes a crosstab of arguments as code."""
    lines = indent("\n".join(arguments), _INDENT)
    return f"client.crosstab(\n{lines}\n)" if lines else "client.crosstab()"


def grouped(groups: Sequence[Groups], rows: Sequence[Row]) -> list[Group]:
    """Audiences and statistics in order, those of a group in a mapping."""
    return _grouped(list(zip(groups, rows, strict=True)))


def _grouped(items: list[tuple[Groups, Row]]) -> list[Group]:
    """Rows, and mappings of groups; neighbours of one group go together."""
    found: list[Group] = []
    start = 0
    while start < len(items):
        groups, audience = items[start]
        if not groups:
            found.append(audience)
            start += 1
            continue
        end = start
        while end < len(items) and items[end][0][:1] == groups[:1]:
            end += 1
        below = _grouped([(each[1:], under) for each, under in items[start:end]])
        last = found[-1] if found else None
        # A group that occurs again after another one needs a mapping of its own.
        if isinstance(last, dict) and groups[0] not in last:
            last[groups[0]] = below
        else:
            found.append({groups[0]: below})
        start = end
    return found


def _bracketed(brackets: str, parts: list[_Part]) -> _Part:
    """One part on the line of its brackets if it is short; several below each other."""
    if not parts:
        return _Part(brackets)
    spelled_out = parts[0].code.startswith("al.Audience(") or ").named(" in parts[0].code
    if len(parts) == 1 and "\n" not in parts[0].code and not spelled_out:
        [only] = parts
        return _Part(f"{brackets[0]}{only.key}{only.code}{brackets[1]}", only.names)
    lines = indent("\n".join(_line(part) for part in parts), _INDENT)
    return _Part(f"{brackets[0]}\n{lines}\n{brackets[1]}")


def _line(part: _Part, before: str = "") -> str:
    """A part with its comma, and with the names after it where they fit."""
    before += part.key
    star, bare = ("*", part.code[1:]) if part.code.startswith("*") else ("", part.code)
    if "\n" not in bare:
        bare = wrapped(bare, len(before) + len(star) + 1)
    code = f"{before}{star}{bare},"
    room = WIDTH - len(code) - 4
    if not part.names or "\n" in code or room < _SHORTEST_COMMENT:
        return code
    # Labels are data: one with a line break must not end its comment.
    return f"{code}  # {shorten(' '.join(part.names.split()), room, placeholder=' …')}"
