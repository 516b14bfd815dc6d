"""Respondents of the survey in this process as a frame, for models.

No operation returns respondents, so nothing is sent: this needs the survey in this process.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, cast

import numpy as np
from msgspec import UNSET, UnsetType
from numpy.typing import NDArray

from audiencelab.client.catalogue.amounts import amount_name
from audiencelab.client.context import ClientContext
from audiencelab.expressions import Audience
from audiencelab.results.statistic_rows import Statistic
from audiencelab.schema.scope import Scope

if TYPE_CHECKING:
    import pandas as pd

    from audiencelab.engine.engine import WaveFlags
    from audiencelab.engine.statistic_rows import StatisticKind, StatisticSpec
    from audiencelab.service import Service
    from audiencelab.survey import Survey
    from audiencelab.survey.export_columns import AnswerColumn
    from audiencelab.survey.texts import StoredText


def service_here(
    context: ClientContext, weight: str | UnsetType | None = UNSET, *, otherwise: str = ""
) -> Service:
    """The service in this process, with a weight; raises `LookupError` where there is none.

    otherwise: a sentence that says what a remote service can do.
    """
    service = context.service_by(weight)
    if service is None:
        raise LookupError(
            f"The respondents of {context} are not in this process, and no operation returns them. "
            f"Open the survey itself: al.open(folder).{otherwise}"
        )
    if service.minimum_base:
        raise LookupError(
            f"Figures on fewer than {service.minimum_base:,} respondents of {context} are "
            "withheld, and so are single respondents. Open the survey without minimum_base."
            f"{otherwise}"
        )
    return service


def _statistic_spec(row: Statistic) -> StatisticSpec:
    from audiencelab.engine.statistics import StatisticSpec

    kind = cast("StatisticKind", row.kind)
    return StatisticSpec(kind, row.question, row.item, row.amounts, row.exact, row.percentile)


def respondents_frame(
    service: Service,
    audiences: Sequence[Audience],
    questions: Sequence[str],
    amounts: Sequence[Statistic],
    scope: Scope,
    texts: Sequence[StoredText] = (),
) -> pd.DataFrame:
    """See `Client.respondents`; questions: codes. amounts: means of what each respondent has."""
    import pandas as pd

    from audiencelab.engine import CrosstabSpec
    from audiencelab.engine.statistics import NoAmountsError
    from audiencelab.survey.export_columns import answer_columns

    survey = service.survey
    accessible = [wave.code for wave in survey.waves if wave.accessible]
    spec = CrosstabSpec(
        rows=tuple(audience.expression for audience in audiences),
        columns=(),
        scope=replace(scope, waves=tuple(accessible) if scope.waves is None else scope.waves),
    )
    try:
        found = list(service.respondents(spec, list(map(_statistic_spec, amounts))))
    except NoAmountsError as error:
        named = amounts[error.row]
        raise ValueError(
            f"{amount_name(named)} has neither numbers nor amounts of its answers, which are "
            f"categories. Write client.respondents(questions=[{named.question!r}])."
        ) from None
    asked = [survey.catalogue.question(code) for code in questions]
    answers = [column for each in asked for column in answer_columns(survey, each)]
    sizes = [int(np.count_nonzero(wave.chosen)) for wave in found]
    codes = [wave.wave.code for wave in found]
    columns: list[tuple[str, Any]] = [
        *_keys(survey, found),
        ("wave", _categories(np.repeat(np.arange(len(codes)), sizes), codes)),
        ("weight", _joined([wave.wave.weights[wave.chosen] for wave in found])),
    ]
    columns += _design(found)
    columns += [(audience.name, _flags(found, place)) for place, audience in enumerate(audiences)]
    columns += [
        (amount_name(row), _joined([wave.amounts[place] for wave in found]))
        for place, row in enumerate(amounts)
    ]
    columns += [(column.label, _answers(column, found)) for column in answers]
    columns += [(each.name, _texts(each.name, found)) for each in texts]
    names = _different([name for name, _ in columns])
    return pd.DataFrame(dict(zip(names, (values for _, values in columns), strict=True)))


def _keys(survey: Survey, found: Sequence[WaveFlags]) -> Iterator[tuple[str, Any]]:
    """What names respondents, where every wave has it."""
    from audiencelab.survey.keys import as_column, key_name, keys_of

    named = [keys for wave in found if (keys := keys_of(survey, wave.wave)) is not None]
    if found and len(named) == len(found):
        values = [
            keys.values.ordered(wave.chosen).to_list()
            for keys, wave in zip(named, found, strict=True)
        ]
        flat = [key for each in values for key in each]
        yield key_name([keys.name for keys in named]), as_column(flat)


def _design(found: Sequence[WaveFlags]) -> Iterator[tuple[str, Any]]:
    """Strata, clusters and persons, where every wave has them."""
    from audiencelab.survey.export_columns import DESIGN

    designs = [wave.wave.design.columns() for wave in found]
    for name, title in DESIGN.items():
        if designs and all(name in design for design in designs):
            parts = [design[name][wave.chosen] for design, wave in zip(designs, found, strict=True)]
            yield title, np.concatenate(parts)


def _flags(found: Sequence[WaveFlags], place: int) -> Any:
    """bool, or nullable where it is not known of all whether they are in the audience."""
    import pandas as pd

    held, missing = list[NDArray[np.bool_]](), list[NDArray[np.bool_]]()
    for wave in found:
        inside, known = wave.held[place], wave.known[place]
        nobody = np.zeros(np.count_nonzero(wave.chosen), np.bool_)
        held.append(nobody if inside is None else inside)
        missing.append(~nobody if inside is None else nobody if known is None else ~known)
    flags, unknown = _joined(held, np.bool_), _joined(missing, np.bool_)
    return pd.Series(flags, dtype="boolean").mask(unknown) if unknown.any() else flags


def _answers(column: AnswerColumn, found: Sequence[WaveFlags]) -> Any:
    """Names of answers as categories; whether it was chosen where the column has one answer."""
    import pandas as pd

    from audiencelab.survey.export_columns import SELECTED

    values = _joined([column.values(wave.wave)[wave.chosen] for wave in found], np.int32)
    if column.labels is SELECTED:
        return pd.Series(values == 1, dtype="boolean").mask(values < 0)
    # Answers are numbered from 1, categories of pandas from 0, where -1 is a missing one.
    return _categories(np.maximum(values - 1, -1), _different(list(column.labels.values())))


def _texts(name: str, found: Sequence[WaveFlags]) -> Any:
    """What respondents wrote, missing where they wrote nothing."""
    import pandas as pd

    values: list[str | None] = []
    for wave in found:
        written = wave.wave.text(name)
        if written is None:
            values += [None] * int(np.count_nonzero(wave.chosen))
        else:
            values += written.ordered(wave.chosen).to_list()
    return pd.Series(values, dtype="string")


def _categories(codes: NDArray[np.integer[Any]], names: Sequence[str]) -> Any:
    import pandas

    library: Any = pandas
    return library.Categorical.from_codes(codes, names)


def _joined(parts: Sequence[Any], kind: type[np.generic] = np.float64) -> NDArray[Any]:
    return np.concatenate([np.zeros(0, kind), *parts]).astype(kind, copy=False)


def _different(names: Sequence[str]) -> list[str]:
    """Names, numbered from the second on where several are the same: `Age`, `Age (2)`."""
    seen: Counter[str] = Counter()
    found: list[str] = []
    for name in names:
        seen[name] += 1
        found.append(name if seen[name] == 1 else f"{name} ({seen[name]})")
    return found
