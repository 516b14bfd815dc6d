"""Questions that a client adds to its survey: columns of a frame, and groups of its respondents."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from typing import TYPE_CHECKING, Self

from audiencelab.client.catalogue import Catalogue, CatalogueQuestion
from audiencelab.client.changes import change_survey, check_own_survey
from audiencelab.client.context import ClientContext
from audiencelab.client.definitions import GroupLike, derivation
from audiencelab.import_card import show


class OwnColumns:
    """The part of a client that adds questions to its survey."""

    _context: ClientContext

    # Of `OwnSurvey`, the other base of a client.
    if TYPE_CHECKING:

        @cached_property
        def catalogue(self) -> Catalogue: ...

    def derive(
        self,
        name: str,
        groups: Mapping[str, GroupLike],
        *,
        of: str | CatalogueQuestion | None = None,
        code: str = "",
    ) -> Self:
        """Add a question of groups, such as a life stage, a net or a recode; returns the client.

        name: of the question. groups: by name, each an expression of any questions, an audience,
            or answers of the question `of`; `...` holds all others who were asked.
        of: the question whose answers the groups list.
        code: of the question, by default made of its name.

        A group has the figures that its expression has in a table. A respondent of whom it is known
        of no group whether they are in it was not asked. Where respondents are in two groups, it is
        a question of several answers, and a line says how many. The same name again changes the
        question. The definition stays in the survey, and is applied to waves that are added. The
        survey gets its next version as with `edit`.

        Raises `SurveyError` for a name or code that another question has, and for numbers that the
        survey does not keep; `UnknownCodeError` for unknown questions and answers; `ValueError` or
        `TypeError` for groups of another kind; `LookupError` for a client of a remote
        service. Nothing is changed then.

        >>> import pandas as pd
        >>> frame = pd.DataFrame({"age": [19, 30, 50, 70], "home": ["own", "rent", "own", "own"]})
        >>> client = al.open(frame, to=folder / "derived", quiet=True)
        >>> owner = client["home"] == "own"
        >>> client.derive("Stage", {"Young owner": (client["age"] <= 34) & owner, "Other": ...})
        >>> client.crosstab("Stage").to_wide("sample")["All"].tolist()
        [1.0, 3.0]
        """
        from audiencelab.ingest.deriving import derive_question, record_of, shared_groups

        check_own_survey(self._context)
        made = derivation(lambda each: self._question(each), name, groups, of, code)
        definition = made.definition
        change_survey(
            self._context,
            lambda survey: derive_question(survey, definition),
            record_of(definition),
            made.code,
        )
        service = self._context.service
        card = None if service is None else shared_groups(service.survey, definition.code)
        if card is not None:
            show(card)
        return self

    def _question(self, question: str | CatalogueQuestion) -> CatalogueQuestion:
        known = isinstance(question, CatalogueQuestion)
        return question if known else self.catalogue[question]
