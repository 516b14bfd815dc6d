"""Respondents of the survey in this process, by the names of questions and audiences."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from audiencelab.client.audiences import (
    AudiencesLike,
    assign_names,
    question_codes,
    to_audiences,
)
from audiencelab.client.catalogue import CatalogueQuestion
from audiencelab.client.names import QuestionLike, names_in, read_once
from audiencelab.client.operations.names import names_for, read_scope
from audiencelab.client.own_texts import TextsLike, named_texts
from audiencelab.client.respondents import respondents_frame, service_here
from audiencelab.client.scope import ScopeArguments
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
    given: ScopeArguments,
    text: TextsLike = False,
) -> pd.DataFrame:
    """See `Client.respondents`."""
    sender.check_usable()
    service_here(sender.context)
    scope = read_scope(sender, given)
    service = service_here(sender.context, scope.weight)

    texts = named_texts(service.survey, text)
    listed, numbers, audiences = _listed(questions), _listed(amounts), read_once(audiences)
    names = names_for(sender, names_in(listed, numbers, audiences))
    codes = [names.question(each).canonical for each in listed]
    rows: list[Statistic] = []
    for each in numbers:
        mean = names.question(each).mean()
        rows += [mean] if isinstance(mean, Statistic) else mean
    found = to_audiences("audiences", audiences, names)
    load_names(sender, question_codes(found, nameless=True))
    named = assign_names(found, sender.context.describe)
    return respondents_frame(service, named, codes, rows, scope, texts)


def _listed(given: Questions) -> list[QuestionLike]:
    return [given] if isinstance(given, str | CatalogueQuestion) else list(given)
