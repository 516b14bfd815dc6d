"""What a summary table says of its figures and tests: statistics, weights, design, low counts."""

from __future__ import annotations

from collections.abc import Sequence

from audiencelab.analysis.design_effects import sample_words
from audiencelab.analysis.independence import LOW_EXPECTED
from audiencelab.analysis.summary_tests import DIFFERENCE, EQUALITY, INDEPENDENCE, PART
from audiencelab.results.asking import Unanswered, query_of
from audiencelab.results.crosstab import CrosstabData
from audiencelab.results.deviation import SD_FORMULA
from audiencelab.results.provenance import weighted_base
from audiencelab.results.summary import SummaryRow, SummaryTest
from audiencelab.schema.local import VarianceError

_LEADS = {LOW_EXPECTED: "p is unsure for", PART: "p is not of all groups for"}

_NAMED = 6
"""Questions that a note names."""

_METHODS = {
    INDEPENDENCE: "answers by Pearson's χ² with the second-order correction of Rao and Scott",
    DIFFERENCE: "amounts by a t test of their means",
    EQUALITY: "amounts by an adjusted Wald F test of their means",
}


def summary_notes(rows: Sequence[SummaryRow], groups: CrosstabData) -> tuple[str, ...]:
    """The notes of a table; groups: the table of its columns alone."""
    made = [_weight_note(rows, groups), _deviation_note(rows)]
    if banded := [row.question for row in rows if not row.exact]:
        made.append(f"{_listed(banded)}: of the amounts of answers, not of numbers as answered.")
    tests = [(row, test) for row in rows for test in row.tests if test is not None]
    if any(test.p == test.p for _, test in tests):
        made.append(_tests_note(tests, groups))
    by_reason: dict[str, list[str]] = {}
    for row, test in tests:
        if test.note:
            by_reason.setdefault(test.note, []).append(_name(row))
    for reason, names in by_reason.items():
        lead = _LEADS.get(reason, "No p for")
        why = f"{reason[0].lower()}{reason[1:]}".rstrip(".")
        made.append(f"{lead} {_listed(names)}: {why}.")
    return tuple(filter(None, made))


def _weight_note(rows: Sequence[SummaryRow], groups: CrosstabData) -> str:
    if not weighted_base(groups.provenance):
        return "Not weighted."
    shown = {form.metric for row in rows if row.statistic for form in row.statistic.forms}
    others = [
        *(["%"] if "column_percentage" in shown else []),
        *(["means"] if "mean" in shown else []),
        *(["SD"] if "standard_deviation" in shown else []),
        *(["percentiles"] if shown & {"median", "first_quartile", "third_quartile"} else []),
    ]
    if not others:
        return "n counts respondents, unweighted."
    listed, verb = _and(others), "is" if others == ["%"] else "are"
    return f"n counts respondents, unweighted. {listed[0].upper()}{listed[1:]} {verb} weighted."


def _deviation_note(rows: Sequence[SummaryRow]) -> str:
    shown = any(
        row.statistic is not None and "standard_deviation" in row.statistic.metrics
        for row in rows
        if row.figures
    )
    return f"{SD_FORMULA}." if shown else ""


def _tests_note(tests: Sequence[tuple[SummaryRow, SummaryTest]], groups: CrosstabData) -> str:
    methods = {test.method for _, test in tests if test.p == test.p}
    words = [about for method, about in _METHODS.items() if method in methods]
    return (
        f"p: {'; '.join(words)}. Standard errors are those of the sample's design{_design(groups)}."
    )


def _design(groups: CrosstabData) -> str:
    """What is known of the sample, in brackets."""
    query = query_of(groups)
    if groups.ask is None or query is None:
        return ""
    try:
        found = groups.ask.precision(query).linearised
    except (Unanswered, VarianceError):
        return ""
    # Without strata, clusters and unequal weights, nothing is linearised.
    return f" ({'simple random' if found is None else sample_words(found)})"


def _name(row: SummaryRow) -> str:
    return " › ".join(filter(None, (row.question, row.item, row.answer)))


def _listed(names: Sequence[str]) -> str:
    names = list(dict.fromkeys(names))
    more = f" and {len(names) - _NAMED} more" if len(names) > _NAMED else ""
    return f"{', '.join(names[:_NAMED])}{more}"


def _and(words: Sequence[str]) -> str:
    return " and ".join(filter(None, (", ".join(words[:-1]), words[-1])))
