"""The questions that a profile is adjusted for, and its adjusted shares, which are requested."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from audiencelab.client.audiences import question_codes
from audiencelab.client.catalogue import Catalogue, CatalogueQuestion
from audiencelab.client.operations.crosstab_request import CrosstabRequest
from audiencelab.client.sending import Sender, is_ours
from audiencelab.results.all_waves import wide_table
from audiencelab.results.profile import MOST_LACKING, Adjustment, part_of
from audiencelab.schema.local import Adjusted, VarianceError
from audiencelab.schema.query import CrosstabQuery
from audiencelab.tables import CrosstabResult

_EXAMPLE_ANSWERS = 12
"""Answers at most of a question that an error names as an example."""


def check_adjust(sender: Sender, questions: Sequence[CatalogueQuestion]) -> None:
    """Raise `LookupError` for a foreign service, `ValueError` for questions of several answers."""
    if not is_ours(sender):
        raise LookupError(
            f"adjust= needs the respondents, and {sender.context} is not a service of audiencelab. "
            "Open the survey itself, al.open(folder), or leave adjust= out."
        )
    catalogue = sender.context.catalogue
    for question in questions:
        if question.record.kind not in (None, "single"):
            raise ValueError(
                f"adjust={question.name!r} is not valid: respondents can give several answers to "
                f"it, which do not divide the base. {_example(catalogue)}"
            )


def _example(catalogue: Catalogue | None) -> str:
    for each in catalogue or ():
        is_single = each.accessible and each.record.kind == "single"
        if is_single and 1 < len(each.datapoints) <= _EXAMPLE_ANSWERS:
            return f"Adjust for questions of one answer, such as adjust=[{each.name!r}]."
    return "Adjust for questions of one answer."


def fetch_adjusted(
    request: CrosstabRequest,
    table: CrosstabResult,
    part: slice,
    adjustment: Adjustment,
) -> None:
    """Ask for the adjusted shares of some rows of a profile.

    Raises `ValueError` for a composition that the audience does not have, and what requests raise.
    """
    # Columns on some waves are set against all waves, as in the table itself.
    columns = (wide_table(table) or table).columns
    scope = replace(request.scope, base=table.base_audience)
    query = CrosstabQuery(tuple(table.rows[part]), columns, scope)
    assert table.ask is not None
    try:
        found = table.ask.adjusted(query, [code for code, _ in adjustment.questions])
    except VarianceError as error:
        raise ValueError(f"adjust={_names(adjustment)!r} is not valid: {error}") from None
    adjustment.store(part, found)
    _check_composition(adjustment, found, table)


def _names(adjustment: Adjustment) -> list[str]:
    return [name for _, name in adjustment.questions]


def _check_composition(adjustment: Adjustment, found: Adjusted, table: CrosstabResult) -> None:
    names = _names(adjustment)
    refused = f"adjust={names!r} is not valid:"
    for name, part in zip(names, adjustment.unanswered, strict=True):
        if part > MOST_LACKING:
            base = f"client[{name!r}].any()"
            raise ValueError(
                f"{refused} {part_of(part)} of the base gave no answer to {name}. Count those who "
                f"gave one: base_audience={'BASE & ' * (table.base_audience is not None)}{base}."
            )
    if adjustment.absent <= MOST_LACKING:
        return
    own = question_codes(table.columns)
    rest = [
        name
        for (code, name), part in zip(adjustment.questions, found.alone[:, 0], strict=True)
        if part <= MOST_LACKING and code not in own
    ]
    # Each of several may do alone where they do not together.
    kept = rest if rest != names else rest[:1]
    remedy = f"Write adjust={kept!r}" if kept and kept != names else "Leave adjust= out"
    cells = f"{adjustment.empty:,} of {adjustment.cells:,} cells of {adjustment.title}"
    raise ValueError(
        f"{refused} {table.columns[0].name!r} has no respondents in {cells}, which are "
        f"{part_of(adjustment.absent)} of the base; at most {MOST_LACKING:.0%} can be left out. "
        f"{remedy}, or take questions with fewer answers that do not define the audience."
    )
