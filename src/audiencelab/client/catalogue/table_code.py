"""The names of a catalogue as labels of a table, which can write the code that asks for it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from audiencelab.client.catalogue.axis_code import axis_code, crosstab_call, grouped
from audiencelab.client.catalogue.catalogue import Catalogue
from audiencelab.client.catalogue.code_layout import wrapped
from audiencelab.client.catalogue.scope_code import scope_code
from audiencelab.expressions import Audience, Labels
from audiencelab.results.banner import Groups
from audiencelab.results.statistic_rows import Statistic


class TableLabels(Labels):
    """Labels of the questions of a table; implements `WritesCode`."""

    def __init__(self, catalogue: Catalogue) -> None:
        self._catalogue = catalogue

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
        scope: Mapping[str, Any],
    ) -> str:
        """Python that asks for a crosstab, given `client`.

        rows, columns: audiences, and among rows statistics, with their groups.
        scope: the arguments that say whom it counts.
        """
        written = [
            axis_code(grouped(*zip(*side, strict=True)), self._catalogue, name)
            for name, side in (("rows", rows), ("columns", columns))
            if side
        ]
        codes = scope_code(scope, self._catalogue).items()
        written += [f"{name}={wrapped(code, len(name) + 2)}," for name, code in codes]
        return crosstab_call(written)
