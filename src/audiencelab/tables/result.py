"""What all results share: the forms of other programs, and what people type who know frames."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from audiencelab.render.text_forms import TextForms
from audiencelab.results.arrow import HasFrame
from audiencelab.results.record import record_of
from audiencelab.results.record_text import csv_head
from audiencelab.results.table_code import table_code


class Result(TextForms, HasFrame):
    """Mixin of results."""

    __slots__ = ()

    def _phrase(self, name: str) -> Callable[[], Any] | None:
        from audiencelab.tables.phrases import phrase

        return phrase(self, name)

    def _csv_head(self) -> str:
        return csv_head(record_of(self))

    def _as_line(self) -> str:
        return " ".join(table_code(self).split()).replace("( ", "(").replace(", )", ")") or "table"
