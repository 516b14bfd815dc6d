"""The rules once more, as slowly and plainly as they can be written: pandas, sets and loops.

Shares no code with the engine. Each function is one sentence of the definitions: coverage,
membership, effective waves, samples summed over waves, sizes averaged over them.
"""

from __future__ import annotations

from typing import Any

import pandas as pd

from audiencelab.expressions import And, Expression, Leaf
from audiencelab.survey import SurveyQuestion
from tests.engine.studies import QUESTIONS, WAVE_CODES, Study


def full_code(code: str) -> str:
    return code if "." in code else f"core.{code}"


def coverage(study: Study, expression: Expression | None) -> set[str]:
    """The waves that an expression is about: those that offered enough of its items."""
    return waves_of(study, expression, with_answers=False)


def offered(study: Study, expression: Expression | None) -> set[str]:
    """Of these, the waves that offered any of the answers to a single question."""
    return waves_of(study, expression, with_answers=True)


def waves_of(study: Study, expression: Expression | None, *, with_answers: bool) -> set[str]:
    if expression is None:
        return set(WAVE_CODES)
    if isinstance(expression, Leaf):
        if expression.question == "waves":
            listed = set(expression.datapoints) or set(WAVE_CODES)
            return set(WAVE_CODES) - listed if expression.negated else listed
        question = question_of(expression)
        least = 1 if with_answers else 0
        needed = least if question.kind == "single" else expression.min_count
        items = set(expression.datapoints) or codes_of(question)
        by_wave = study.offered[question.canonical]
        return {wave for wave in by_wave if len(by_wave[wave] & items) >= needed}
    parts = [waves_of(study, each, with_answers=with_answers) for each in expression.children]
    return set.intersection(*parts) if isinstance(expression, And) else set.union(*parts)


def question_of(leaf: Leaf) -> SurveyQuestion:
    code = full_code(leaf.question)
    return next(each for each in QUESTIONS if each.canonical == code)


def codes_of(question: SurveyQuestion) -> set[str]:
    return {point.code for point in question.datapoints}


def members(study: Study, expression: Expression | None) -> pd.Series:
    """Who belongs to an expression: a boolean for each respondent of the study."""
    if expression is None:
        return pd.Series(True, index=study.people.index)
    covered = study.people["wave"].isin(coverage(study, expression))
    if isinstance(expression, Leaf):
        if expression.question == "waves":
            # One wave a respondent: a count above 1 never holds, and its negation always does.
            return covered & (expression.min_count == 1 or expression.negated)
        holds = leaf_holds(study, expression)
    else:
        holds = members(study, expression.children[0])
        for child in expression.children[1:]:
            other = members(study, child)
            holds = holds & other if isinstance(expression, And) else holds | other
    return covered & (~holds if expression.negated else holds)


def valid(study: Study, expression: Expression | None) -> pd.Series:
    """Whose answer to an expression is known, and who can be counted in it at all."""
    covered = study.people["wave"].isin(coverage(study, expression))
    if expression is None or isinstance(expression, Leaf):
        return covered & (True if expression is None else leaf_valid(study, expression))
    found = valid(study, expression.children[0])
    for child in expression.children[1:]:
        other = valid(study, child)
        found = found & other if isinstance(expression, And) else found | other
    return covered & found


def leaf_valid(study: Study, leaf: Leaf) -> pd.Series:
    if leaf.question == "waves" or question_of(leaf).code == "region":
        return pd.Series(True, index=study.people.index)
    question = question_of(leaf)
    code = question.canonical
    outcome = []
    waves = study.people["wave"]
    for wave, given, asked in zip(waves, study.gave[code], study.asked[code], strict=True):
        items = (set(leaf.datapoints) or codes_of(question)) & study.offered[code].get(wave, set())
        if question.kind == "single":
            outcome.append(bool(given))
        elif question.kind == "multiple":
            outcome.append(bool(items) and items <= asked)
        else:
            outcome.append(bool(items) and items <= {item for item, _ in given})
    return pd.Series(outcome, index=study.people.index)


def in_base(study: Study, base: Expression | None, base_of: str) -> pd.Series:
    """Who is in a base audience: what it negates must be known, where those who are valid count."""
    if base_of == "everyone" or base is None:
        return members(study, base)
    if base.negated:
        return members(study, base) & valid(study, base)
    if isinstance(base, Leaf):
        return members(study, base)
    found = in_base(study, base.children[0], base_of)
    for child in base.children[1:]:
        other = in_base(study, child, base_of)
        found = found & other if isinstance(base, And) else found | other
    return found


def leaf_holds(study: Study, leaf: Leaf) -> pd.Series:
    outcome = []
    for given in study.gave[full_code(leaf.question)]:
        counting = {
            datapoint
            for datapoint, suffix in given
            if (not leaf.datapoints or datapoint in leaf.datapoints)
            and (not leaf.suffixes or suffix in leaf.suffixes)
        }
        outcome.append(len(counting) >= leaf.min_count)
    return pd.Series(outcome, index=study.people.index)


def figure(study: Study, who: pd.Series, waves: list[str]) -> tuple[float, int]:
    """Size and sample of some respondents over the effective waves; weight 0 counts nowhere."""
    if not waves:
        return 0.0, 0
    people = study.people
    chosen = people[who & people["wave"].isin(waves) & (people["weight"] > 0)]
    return float(chosen["weight"].sum()) / len(waves), len(chosen)


def in_order(waves: set[str]) -> list[str]:
    return [code for code in WAVE_CODES if code in waves]


def ratio(part: float, whole: float) -> float:
    return 100 * part / whole if whole else 0.0


def within_locations(study: Study, locations: tuple[str, ...]) -> pd.Series:
    if not locations:
        return pd.Series(True, index=study.people.index)
    return leaf_holds(study, Leaf("region", locations))


def crosstab(
    study: Study,
    rows: list[Expression | None],
    columns: list[Expression | None],
    base: Expression | None,
    locations: tuple[str, ...],
    waves: set[str],
    base_of: str = "everyone",
) -> dict[tuple[int, int], dict[str, Any]]:
    """The figures of every cell, by place of row and column."""
    chosen = in_base(study, base, base_of) & within_locations(study, locations)
    in_row = [members(study, row) for row in rows]
    in_column = [members(study, column) for column in columns]
    cells = {}
    for i, row in enumerate(rows):
        for j, column in enumerate(columns):
            effective = in_order(
                waves & coverage(study, base) & coverage(study, row) & coverage(study, column)
            )
            if not {*effective} & offered(study, row) & offered(study, column):
                effective = []
            everyone = chosen
            if base_of == "valid":
                everyone = chosen & valid(study, row) & valid(study, column)
            b, b_n = figure(study, everyone, effective)
            r, r_n = figure(study, everyone & in_row[i], effective)
            c, c_n = figure(study, everyone & in_column[j], effective)
            x, x_n = figure(study, everyone & in_row[i] & in_column[j], effective)
            cells[i, j] = {
                "base_size": b,
                "base_sample": b_n,
                "row_size": r,
                "row_sample": r_n,
                "column_size": c,
                "column_sample": c_n,
                "intersect_size": x,
                "intersect_sample": x_n,
                "row_percentage": ratio(r, b),
                "column_percentage": ratio(c, b),
                "row_intersect_percentage": ratio(x, c),
                "column_intersect_percentage": ratio(x, r),
                "intersect_percentage": ratio(x, b),
                "index": ratio(x * b, r * c),
            }
    return cells


def stats(
    study: Study,
    question: str,
    datapoints: list[str],
    suffixes: tuple[str, ...],
    splitter: str | None,
    segments: list[str],
    segmented_base: bool,
    audiences: list[Expression | None],
    base: Expression | None,
    locations: tuple[str, ...],
    waves: set[str],
    base_of: str = "everyone",
) -> list[dict[str, Any]]:
    """One row for each datapoint × segment × audience, in that order."""
    chosen = in_base(study, base, base_of) & within_locations(study, locations)
    rows = []
    for datapoint in datapoints:
        gave = members(study, Leaf(question, (datapoint,), suffixes))
        asked = coverage(study, Leaf(question, (datapoint,), suffixes))
        for segment in segments if splitter else [None]:
            segment_waves = set(WAVE_CODES)
            inside = pd.Series(True, index=study.people.index)
            if segment is not None:
                inside = members(study, Leaf(splitter, (segment,)))
                segment_waves = coverage(study, Leaf(splitter, (segment,)))
            for audience in audiences:
                effective = in_order(
                    waves
                    & asked
                    & coverage(study, base)
                    & coverage(study, audience)
                    & segment_waves
                )
                could_be = offered(study, audience)
                could_be &= offered(study, Leaf(question, (datapoint,), suffixes))
                if segment is not None:
                    could_be &= offered(study, Leaf(splitter, (segment,)))
                if not {*effective} & could_be:
                    effective = []
                everyone = chosen
                if base_of == "valid":
                    everyone = everyone & valid(study, Leaf(question, (datapoint,), suffixes))
                    everyone = everyone & valid(study, audience)
                    if segment is not None:
                        everyone = everyone & valid(study, Leaf(splitter, (segment,)))
                whole = everyone & inside if segmented_base else everyone
                belongs = everyone & members(study, audience) & inside
                a, a_n = figure(study, belongs, effective)
                p, p_n = figure(study, belongs & gave, effective)
                d, d_n = figure(study, whole & gave, effective)
                b, _ = figure(study, whole, effective)
                rows.append(
                    {
                        "datapoint": datapoint,
                        "segment": segment,
                        "waves": tuple(effective),
                        "positive_size": p,
                        "positive_sample": p_n,
                        "audience_size": a,
                        "audience_sample": a_n,
                        "datapoint_size": d,
                        "datapoint_sample": d_n,
                        "audience_percentage": ratio(p, a),
                        "datapoint_percentage": ratio(p, d),
                        "audience_index": ratio(p * b, a * d),
                    }
                )
    return rows
