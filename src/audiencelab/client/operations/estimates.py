"""The analysts' verbs: rows of a crosstab, read one by one with their errors."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import partial
from itertools import chain
from typing import Any, TypeAlias, cast

from audiencelab.analysis.estimates import estimates_of, method_words
from audiencelab.analysis.options import checked_level
from audiencelab.client.audiences import AxisLike
from audiencelab.client.catalogue import CatalogueQuestion
from audiencelab.client.names import QuestionLike, read_once
from audiencelab.client.operations.names import crosstab_request
from audiencelab.client.operations.queries import fetch_crosstab
from audiencelab.client.scope import ScopeArguments
from audiencelab.client.sending import Sender
from audiencelab.expressions import Audience, Expression
from audiencelab.expressions.by_name import ByName, of_question
from audiencelab.results.estimates import Estimate
from audiencelab.tables import CrosstabResult
from audiencelab.tables.estimates import Estimates

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
        if not 0 < each < 1:
            likely = each / 100 if 1 < each < 100 else 0.5
            raise ValueError(
                f"A probability is between 0 and 1; got {each!r}. "
                f"Write client.quantile({questions!r}, {likely:g})."
            )
    # Without the noise of the product: 100 * 0.29 is 28.999999999999996.
    rows = [statistics_of("percentile", questions, round(100 * each, 9)) for each in listed]
    return [row for of_question in zip(*rows, strict=True) for row in of_question]


def fetch_estimates(
    sender: Sender,
    rows: AxisLike,
    by: AxisLike | None,
    level: float,
    given: ScopeArguments,
    code: str = "",
) -> Estimates:
    """The figures of rows for everyone in the base, and for each group.

    code: Python that asks for them again. Raises `TypeError` without any rows.
    """
    checked_level(level)
    ask = partial(_table, sender, read_once(rows), given=given)
    whole = ask(None)
    table = whole if by is None else ask(read_once(by))
    lines = estimates_of(whole, level)
    if by is not None:
        lines = _row_by_row(lines, estimates_of(table, level))
    method = method_words(table, level)
    return Estimates(tuple(lines), table, level, method, code, dict(table.provenance))


def _table(
    sender: Sender, rows: AxisLike, columns: AxisLike | None, *, given: ScopeArguments
) -> CrosstabResult:
    return fetch_crosstab(sender, crosstab_request(sender, rows, columns, given))


def _row_by_row(whole: Sequence[Estimate], parts: Sequence[Estimate]) -> list[Estimate]:
    """The figures of each row together: of everyone, then of the groups."""
    width = len(parts) // len(whole) if whole else 0
    groups = (parts[at * width : (at + 1) * width] for at in range(len(whole)))
    return list(chain.from_iterable((one, *some) for one, some in zip(whole, groups, strict=True)))


def with_arguments(call: str, by: object, scope: ScopeArguments) -> str:
    """Python of a call of a verb, with the groups and whom it counts added."""
    call = call.removesuffix(")")
    named = {} if by is None else {"by": by}
    written = [f"{name}={written_code(each)}" for name, each in {**named, **scope}.items()]
    between = ", " if written and not call.endswith("(") else ""
    return f"{call}{between}{', '.join(written)})"


def written_code(given: object) -> str:
    """Python of an argument, as far as it is short."""
    if isinstance(given, CatalogueQuestion):
        return repr(given.code)
    if isinstance(given, Expression | Audience):
        return given.to_code()
    if isinstance(given, list | tuple):
        return f"[{', '.join(map(written_code, cast('Sequence[object]', given)))}]"
    return repr(given)
