"""Respondents of the survey in this process, by the names of questions and audiences."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from audiencelab.client.audiences import (
    AudiencesLike,
    BaseLike,
    assign_names,
    question_codes,
    to_audiences,
    to_base,
)
from audiencelab.client.catalogue import CatalogueQuestion
from audiencelab.client.names import (
    LocationsLike,
    QuestionLike,
    WavesLike,
    names_in,
    read_once,
)
from audiencelab.client.operations.names import names_for, scope_codes
from audiencelab.client.respondents import amount_name, respondents_frame, service_here
from audiencelab.client.sending import Sender, load_names
from audiencelab.results.statistic_rows import Statistic

if TYPE_CHECKING:
    import pandas as pd

Questions = QuestionLike | Iterable[QuestionLike]


def fetch_respondents(
    sender: Sender,
    audiences: AudiencesLike | None,
    questions: Questions,
    amounts: Questions,
    base_audience: BaseLike | None,
    waves: WavesLike,
    locations: LocationsLike,
) -> tuple[pd.DataFrame, list[str]]:
    """The frame of `Client.respondents`, and the names of its amounts."""
    sender.check_usable()
    service = service_here(sender.context, sender.options.weight)
    scope = scope_codes(sender, waves, locations)

    listed, numbers, audiences = _listed(questions), _listed(amounts), read_once(audiences)
    needs = names_in(listed, numbers, audiences, base=base_audience)
    names = names_for(sender, needs)
    codes = [names.question(each).canonical for each in listed]
    rows: list[Statistic] = []
    for each in numbers:
        mean = names.question(each).mean()
        rows += [mean] if isinstance(mean, Statistic) else mean
    given = to_audiences("audiences", audiences, names)
    base = to_base(base_audience, names)
    load_names(sender, question_codes(given, nameless=True))
    named = assign_names(given, sender.context.describe)
    frame = respondents_frame(service, named, codes, rows, base, **scope)
    return frame, [amount_name(row) for row in rows]


def _listed(given: Questions) -> list[QuestionLike]:
    return [given] if isinstance(given, str | CatalogueQuestion) else list(given)
