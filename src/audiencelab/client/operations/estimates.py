"""The analysts' verbs: rows of a crosstab, read one by one with their errors."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import partial
from itertools import chain, combinations_with_replacement
from typing import TYPE_CHECKING, Any, TypeAlias, cast

import numpy as np

from audiencelab.analysis.estimates import estimates_of, method_words
from audiencelab.analysis.options import checked_level
from audiencelab.client.audiences import (
    AudienceLike,
    AudiencesLike,
    AxisLike,
    assign_names,
    to_audience,
)
from audiencelab.client.catalogue import CatalogueQuestion
from audiencelab.client.catalogue.amounts import (
    amount_name,
    counts_people,
    paired,
    people,
)
from audiencelab.client.errors import RequestRefused
from audiencelab.client.names import Names, QuestionLike, read_once
from audiencelab.client.operations.call_code import call_code, rows_code
from audiencelab.client.operations.names import as_written, crosstab_request
from audiencelab.client.operations.queries import fetch_crosstab
from audiencelab.client.scope import ScopeArguments
from audiencelab.client.sending import Sender, load_catalogue
from audiencelab.client.snapshots.replay import SnapshotMiss
from audiencelab.expressions import Audience, Expression, is_number
from audiencelab.expressions.by_name import ByName, of_question
from audiencelab.results.estimates import Estimate
from audiencelab.results.statistic_rows import USUAL_LEVEL, Statistic, without_words
from audiencelab.schema.scales import keeps_numbers, scale_of, scores_of
from audiencelab.tables import CrosstabResult
from audiencelab.tables.estimates import Estimates

if TYPE_CHECKING:
    import pandas as pd

Questions: TypeAlias = QuestionLike | Iterable[QuestionLike]


def statistics_of(method: str, questions: Questions, *given: Any, **options: Any) -> list[ByName]:
    """The rows that a method of each question makes."""
    if isinstance(questions, str | CatalogueQuestion):
        questions = [questions]
    return [of_question(method, cast(str, each), *given, **options) for each in questions]


def quantiles_of(questions: Questions, probabilities: float | Iterable[float]) -> list[ByName]:
    """A row for each question and each probability; raises `ValueError` for other numbers."""
    listed = [*probabilities] if isinstance(probabilities, Iterable) else [probabilities]
    for each in listed:
        if not (is_number(each) and 0 < each < 1):
            likely = each / 100 if is_number(each) and 1 < each < 100 else 0.5
            raise ValueError(
                f"A probability is between 0 and 1; got {each!r}. "
                f"Write client.quantile({questions!r}, {likely:g})."
            )
    # Without the noise of the product: 100 * 0.29 is 28.999999999999996.
    rows = [statistics_of("percentile", questions, round(100 * each, 9)) for each in listed]
    return [row for of_question in zip(*rows, strict=True) for row in of_question]


def descriptions_of(questions: Questions) -> list[ByName]:
    """Mean, standard deviation and quartiles of each question."""
    rows = [statistics_of(method, questions) for method in ("mean", "standard_deviation")]
    rows.append(statistics_of("percentile", questions, 25))
    rows += [statistics_of("median", questions), statistics_of("percentile", questions, 75)]
    return [row for of_question in zip(*rows, strict=True) for row in of_question]


def numbered_in(sender: Sender) -> list[QuestionLike]:
    """The questions of one number each: given by respondents, or of every point of a scale."""
    catalogue = load_catalogue(sender)
    chosen = [each for each in catalogue if each.accessible and not each.suffixes]
    found = [each for each in chosen if each.record.kind != "multiple" and _has_numbers(each)]
    if not found:
        raise ValueError("No question has numbers. Write client.catalogue.")
    return [*found]


def _has_numbers(question: CatalogueQuestion) -> bool:
    # A band without an end, such as "55 and over", would be left out of a mean in silence.
    scores, points = scores_of(question.record), scale_of(question.record).points
    return keeps_numbers(question.record) or (bool(scores) and {*points} <= scores.keys())


def totals_of(sender: Sender, what: AudiencesLike) -> list[AxisLike]:
    """Rows of sums of questions with numbers, and of people by answers and in audiences."""
    names = Names(load_catalogue(sender))
    given = [what] if isinstance(what, AudienceLike | str | CatalogueQuestion) else what
    return [_total(sender, names, as_written(sender, each)) for each in given]


def _total(sender: Sender, names: Names, given: Any) -> Any:
    if isinstance(given, str | CatalogueQuestion):
        question = names.question(given)
        if not counts_people(question):
            return question.sum()
        answers = question.as_rows()
        if isinstance(answers, dict):
            return {question.name: {item: _people(answers[item]) for item in answers}}
        return {question.name: _people(answers)}
    [named] = assign_names([to_audience("what", given, names)], sender.context.describe)
    return _people([named])


def _people(audiences: Sequence[Audience]) -> list[Statistic]:
    return [people(each, _row_code("sum", each.expression)) for each in audiences]


def pair_of(sender: Sender, kind: str, first: QuestionLike, second: QuestionLike) -> Statistic:
    """The row of a correlation or a ratio of two questions, each with one amount."""
    names, rows = Names(load_catalogue(sender)), list[Statistic]()
    for each in (first, second):
        question = names.question(each)
        mean: object = question.mean()
        if not isinstance(mean, Statistic):
            item = question.datapoints[0].code
            raise ValueError(
                f"{question.code!r} ({question.name}) has several items, and a {kind} is of one "
                f"amount. Name an item. Write client.{kind}({item!r}, "
                f"{written_code(second if each is first else first)})."
            )
        rows.append(mean.plain)
    return paired(kind, rows[0], rows[1], _row_code(kind, first, second))


def pairs_of(sender: Sender, questions: Questions) -> tuple[list[str], list[Statistic]]:
    """The names of amounts, and rows of the correlations of every two, of each with itself too."""
    names, means = Names(load_catalogue(sender)), list[Statistic]()
    for each in [questions] if isinstance(questions, str | CatalogueQuestion) else questions:
        mean = names.question(each).mean()
        rows = cast("tuple[Statistic, ...]", mean if isinstance(mean, tuple) else (mean,))
        means += [row.plain for row in rows]
    both = combinations_with_replacement(means, 2)
    return list(map(amount_name, means)), [paired("correlation", *each, "") for each in both]


def matrix_of(names: Sequence[str], estimates: Estimates) -> pd.DataFrame:
    """The correlations of every two amounts."""
    import pandas as pd

    found = np.full((len(names), len(names)), np.nan)
    upper = np.triu_indices(len(names))
    found[upper] = found.T[upper] = [line.value for line in estimates.lines]
    made = pd.DataFrame(found, index=list(names), columns=list(names))
    made.attrs.update(estimates.provenance)
    return made


def _row_code(kind: str, *given: object) -> str:
    return f".row_of({', '.join(map(written_code, (kind, *given)))})"


def fetch_estimates(
    sender: Sender,
    rows: AxisLike,
    by: AxisLike | None,
    level: float,
    given: ScopeArguments,
    call: str,
    arguments: Sequence[object] = (),
) -> Estimates:
    """The figures of rows for everyone in the base, and for each group.

    call: the code of a call that asks for them, to which its arguments are added; by default that
    of the rows themselves. Raises `TypeError` without any rows.
    """
    level, rows, by = checked_level(level), read_once(rows), read_once(by)
    ask = partial(_table, sender, rows, given=given)
    whole = ask(None)
    table = whole if by is None else ask(by)
    lines = estimates_of(whole, level)
    if by is not None:
        lines = _row_by_row(lines, estimates_of(table, level))
    method = method_words(table, level)
    left_out = _left_out(sender, whole, given)
    named = {"by": by, "level": None if level == USUAL_LEVEL else level}
    scope = None if table.asked is None else table.asked.scope
    call = call or rows_code(rows, sender.context.names)
    code = call and call_code(sender, call, arguments, named, scope)
    return Estimates(tuple(lines), table, level, method, dict(table.provenance), left_out, code)


def _left_out(sender: Sender, table: CrosstabResult, given: ScopeArguments) -> tuple[str, ...]:
    """The answers without a number, and how many gave one: they are in the base, and in no mean."""
    statistics = table.statistics
    if statistics is None:
        return ()
    names, asked = Names(load_catalogue(sender)), dict[str, tuple[str, Audience]]()
    for row, exact in zip(statistics.rows, statistics.exact, strict=True):
        # Numbers as answered are there for bands without an amount too.
        if exact or row.other is not None or row.audience is not None or not row.amounts:
            continue
        question, known = names.question(row.question), dict(row.amounts)
        answers = question.suffixes or question.datapoints
        codes = [each.code for each in answers if each.code not in known]
        if codes:
            chosen = question.any(row.item, scale=codes) if row.item else question.any(*codes)
            about = (
                f"{question.name}: " if len({row.question for row in statistics.rows}) > 1 else ""
            )
            said = f"{about}{without_words(row.without)}"
            asked[amount_name(row)] = said, Audience(amount_name(row), chosen)
    if not asked:
        return ()
    try:
        found = _table(sender, [audience for _, audience in asked.values()], None, given=given)
    except (SnapshotMiss, RequestRefused):
        return ()
    counts: dict[str, list[float]] = {}
    for (said, _), count in zip(asked.values(), found.values("sample")[:, 0].tolist(), strict=True):
        counts.setdefault(said, []).append(count)
    return tuple(
        f"{said}: {' to '.join(f'{end:,.0f}' for end in sorted({min(of), max(of)}))} left out"
        for said, of in counts.items()
        if max(of) > 0
    )


def _table(
    sender: Sender, rows: AxisLike, columns: AxisLike | None, *, given: ScopeArguments
) -> CrosstabResult:
    return fetch_crosstab(sender, crosstab_request(sender, rows, columns, given))


def _row_by_row(whole: Sequence[Estimate], parts: Sequence[Estimate]) -> list[Estimate]:
    """The figures of each row together: of everyone, then of the groups."""
    width = len(parts) // len(whole) if whole else 0
    groups = (parts[at * width : (at + 1) * width] for at in range(len(whole)))
    return list(chain.from_iterable((one, *some) for one, some in zip(whole, groups, strict=True)))


def written_code(given: object) -> str:
    """Python of an argument, as far as it is short."""
    if isinstance(given, CatalogueQuestion):
        return repr(given.code)
    if isinstance(given, Expression | Audience):
        return given.to_code()
    if isinstance(given, list | tuple):
        return f"[{', '.join(map(written_code, cast('Sequence[object]', given)))}]"
    return repr(given)
