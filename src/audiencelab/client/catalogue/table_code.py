"""The names of a catalogue as labels of a table, which can write the code that asks for it."""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence
from typing import Any

from audiencelab.client.catalogue.axis_code import axis_code, crosstab_call, grouped
from audiencelab.client.catalogue.catalogue import Catalogue
from audiencelab.client.catalogue.code_layout import WIDTH, wrapped
from audiencelab.client.catalogue.scope_code import scope_code
from audiencelab.expressions import Audience, Labels
from audiencelab.results.banner import Groups
from audiencelab.results.statistic_rows import Statistic


class TableLabels(Labels):
    """Labels of the questions of a table; implements `WritesCode`.

    scope: the arguments that say whom the table counts. waves: the codes of those that it counts.
    """

    def __init__(
        self, catalogue: Catalogue, scope: Mapping[str, Any], waves: Sequence[str] = ()
    ) -> None:
        self._catalogue, self._scope, self._waves = catalogue, scope, waves

    def question_name(self, code: str) -> str | None:
        return self._catalogue.question_name(code)

    def datapoint_name(self, question: str, code: str) -> str | None:
        return self._catalogue.datapoint_name(question, code)

    def suffix_name(self, question: str, code: str) -> str | None:
        return self._catalogue.suffix_name(question, code)

    def has_scale(self, question: str) -> bool:
        """Whether a question has a scale beside its answers."""
        return self._catalogue.has_scale(question)

    def crosstab_code(
        self,
        rows: Sequence[tuple[Groups, Audience | Statistic]],
        columns: Sequence[tuple[Groups, Audience]],
    ) -> str:
        """Python that asks for a crosstab, given `client`.

        rows, columns: audiences, and among rows statistics, with their groups.
        """
        written = [
            axis_code(grouped(*zip(*side, strict=True)), self._catalogue, name, self._waves)
            for name, side in (("rows", rows), ("columns", columns))
            if side
        ]
        codes = scope_code(self._scope, self._catalogue).items()
        written += [f"{name}={wrapped(code, len(name) + 2)}," for name, code in codes]
        return _on_one_line(crosstab_call(written))


def _on_one_line(call: str) -> str:
    """A call as it is typed, where it is short: `client.crosstab('Pets', 'Gender')`."""
    if len(call) > 2 * WIDTH or "  # " in call:
        return call
    tree = ast.parse(call, mode="eval").body
    assert isinstance(tree, ast.Call), "the code is a call"
    sides = ("rows", "columns")
    for each in [*tree.keywords]:
        if isinstance(each.value, ast.List) and len(each.value.elts) == 1 and each.arg in sides:
            [only] = each.value.elts
            each.value = only if isinstance(only, ast.Constant) else each.value
        # Rows come first: columns alone keep their name.
        if each.arg == "rows" or (each.arg == "columns" and tree.args):
            tree.args.append(each.value)
            tree.keywords.remove(each)
    line = ast.unparse(tree)
    return line if len(line) <= WIDTH else call
