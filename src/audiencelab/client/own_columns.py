"""Questions that a client adds to its survey: columns of a frame, and groups of its respondents."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

from audiencelab.client.catalogue import Catalogue, CatalogueQuestion
from audiencelab.client.changes import change_survey, check_own_survey
from audiencelab.client.context import ClientContext
from audiencelab.client.definitions import GroupLike, derivation
from audiencelab.import_card import show
from audiencelab.keywords import keywords

if TYPE_CHECKING:
    from audiencelab.ingest import Codebook
    from audiencelab.ingest.draft.given import GivenMissing, GivenOrder


class OwnColumns:
    """The part of a client that adds questions to its survey."""

    _context: ClientContext

    # Of `OwnSurvey`, the other base of a client.
    if TYPE_CHECKING:

        @cached_property
        def catalogue(self) -> Catalogue: ...

    @keywords()
    def with_columns(
        self,
        frame: Any,
        key: str,
        *,
        wave: str | None = None,
        weights: str | Iterable[str] = (),
        labels: str | Path | None = None,
        codebook: Codebook | str | Path | None = None,
        missing: GivenMissing | None = None,
        order: GivenOrder | None = None,
        replace: bool = False,
        quiet: bool = False,
    ) -> Self:
        """Add columns of a frame as questions: segments, coded answers, scores; returns the client.

        frame: of pandas, polars or Arrow, a relation of DuckDB, a mapping of columns, a Series of
            pandas, or a file. Each column but `key`, `wave` and `weights` becomes a question, as
            `open` makes it: labels categories, numbers bands beside the numbers themselves, columns
            of ticks one question.
        key: the column that names respondents, called as the first column of
            `client.respondents()` is: the column of the file that names them, otherwise "row". Of
            pandas it may be the index. 1, "1" and 1.0 are one key; "001" is another.
        wave: the column of the waves, by code, name or value of the file; by default "wave", if
            there is one. It is needed where waves share keys, unless these are the persons of a
            panel: a row is then of all waves of its person.
        weights: columns that are weights, which `weight=` then takes beside the others.
        labels, codebook, missing, order: as for `open`, of the frame's columns.
        replace: replace questions and weights of these names; those that a frame brought before are
            always replaced. Answers keep their codes by their labels.
        quiet: show no card of what was taken for granted.

        Respondents without a row were not asked, and have no such weight; the card counts them.
        Questions, sets and labels of the survey stay as they are. The survey gets its next version
        as with `edit`, equal to an import of the file with these columns.

        Raises `SurveyError` with all keys that are twice, empty, unknown or of several waves, for
        another key, for names that the survey has, for answers that are gone and that a derived
        question or a saved audience uses, for a survey without keys, and as `open`; `LookupError`
        for a client of a remote service. Nothing is changed then.

        >>> import pandas as pd
        >>> frame = pd.DataFrame({"respid": [11, 12, 13], "sex": ["f", "m", "f"]})
        >>> client = al.open(frame, to=folder / "joined", quiet=True)
        >>> segments = pd.DataFrame({"respid": [13, 11], "segment": ["Savers", "Spenders"]})
        >>> client = client.with_columns(segments, key="respid", quiet=True)
        >>> client.crosstab("segment").to_wide("sample")["All"].tolist()
        [1.0, 1.0]
        """
        from audiencelab.ingest.added_columns import add_columns, columns_card
        from audiencelab.ingest.frame_columns import FrameColumns

        check_own_survey(self._context)
        columns = FrameColumns.of(
            frame,
            key,
            wave=wave,
            weights=weights,
            labels=labels,
            codebook=codebook,
            missing=missing,
            order=order,
        )
        others = {"wave": wave, "weights": [*columns.weights] or None}
        given = "".join(f", {name}={each!r}" for name, each in others.items() if each)
        change_survey(
            self._context,
            lambda survey: add_columns(survey, columns, replace=replace),
            columns.record,
            f".with_columns(frame, key={key!r}{given})",
            quiet=quiet,
        )
        service = self._context.service
        if service is not None and not quiet:
            show(columns_card(service.survey, columns))
        return self

    @keywords()
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
            Groups that are all named by numbers, such as "0", "1", "2", have these for means.
        of: the question whose answers the groups list.
        code: of the question, by default made of its name.

        The groups have one base: respondents who are in one of them, or known to be in none. Where
        respondents are in two groups, it is a question of several answers, a line says how many,
        and each group has the base and figures of its expression in a table. The same name again
        changes the question. The definition stays in the survey, and is applied to waves that are
        added. The survey gets its next version as with `edit`.

        Raises `SurveyError` for a name or code that another question has, and for numbers that the
        survey does not keep; `UnknownCodeError` for unknown questions and answers; `ValueError` or
        `TypeError` for groups of another kind; `LookupError` for a client of a remote
        service. Nothing is changed then.

        >>> import pandas as pd
        >>> frame = pd.DataFrame({"age": [19, 30, 50, 70], "home": ["own", "rent", "own", "own"]})
        >>> client = al.open(frame, to=folder / "derived", quiet=True)
        >>> young_owner = (client["age"] <= 34) & (client["home"] == "own")
        >>> client = client.derive("Stage", {"Young owner": young_owner, "Other": ...})
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
