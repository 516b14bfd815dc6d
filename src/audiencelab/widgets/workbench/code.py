"""A workbench as Python that makes it again."""

from __future__ import annotations

from collections.abc import Iterator
from textwrap import indent

from audiencelab.widgets.crosstab.lines import Lines
from audiencelab.widgets.crosstab.query import GridQuery

__all__ = ["making_code"]


def making_code(question: GridQuery, settings: dict[str, str]) -> str:
    """The call that makes a workbench of this question, given `client` and `al`.

    settings: what is set afterwards, as Python, by its place in the workbench ("grid.metric").
    """
    arguments = "\n".join(["client,", *_arguments(question)])
    lines = [f"workbench = al.Workbench(\n{indent(arguments, '    ')}\n)"]
    lines += [f"workbench.{place} = {code}" for place, code in settings.items()]
    return "\n".join(lines)


def _arguments(question: GridQuery) -> Iterator[str]:
    for name, lines in (("rows", question.rows), ("columns", question.columns)):
        if lines is not None:
            yield f"{name}={lines.to_code()},"
    if question.base_audience is not None:
        yield f"base_audience={question.base_audience.to_code()},"
    for name, codes in (("waves", question.waves), ("locations", question.locations)):
        if codes is not None:
            yield f"{name}={list(codes)!r},"
    if question.bases is not None:
        yield f"bases={Lines(question.bases).to_code()},"
