"""Weights that a client adds to its survey, raked to known margins."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from msgspec import UNSET, UnsetType

from audiencelab.client.catalogue import Catalogue
from audiencelab.client.changes import change_survey, check_own_survey
from audiencelab.client.context import ClientContext
from audiencelab.client.query_lines import rake_line
from audiencelab.client.sending import Sender
from audiencelab.keywords import keywords
from audiencelab.tables.raked_weights import RakedWeights

if TYPE_CHECKING:
    import pandas as pd

    from audiencelab.client.margins import MarginKey
    from audiencelab.survey.reader import Survey


class OwnWeights:
    """The part of a client that makes weights."""

    _context: ClientContext
    _sender: Sender

    # Of `OwnSurvey`, the other base of a client.
    if TYPE_CHECKING:

        @cached_property
        def catalogue(self) -> Catalogue: ...

    @keywords(instead=rake_line)
    def rake(
        self,
        targets: Mapping[Any, Any] | pd.DataFrame | object,
        *,
        name: str = "raked",
        margins: Iterable[MarginKey] | MarginKey | None = None,
        count: str | Literal[1] | None = None,
        start: str | UnsetType | None = UNSET,
        by: Literal["waves", "locations", "pooled"] = "waves",
        waves: str | Iterable[str] = (),
        locations: str | Iterable[str] = (),
        total: float | None = None,
        cap: float | None = None,
        floor: float | None = None,
        trim: float | None = None,
        missing: Literal["keep", "error"] = "keep",
    ) -> RakedWeights:
        """Rake a weight to known margins, beside the weights that the survey has.

        targets: shares by question: `{"Gender": {"Female": 51, "Male": 49}}`, each in any unit
            (percent, shares of 1, counts); a pandas Series, a frame with answers and counts, or
            another client instead of the inner mapping. A tuple of questions has shares for
            combinations of answers: `{("Gender", "Age"): {("Female", "18-34"): 12, …}}`. Or a frame
            of the population as a whole, a row for a person or for a combination, with columns
            called as questions; or a client of another survey, for the questions that both have,
            by its weight. Questions and answers are named by label or code, answers by their value
            in the file too.
        name: of the weight, which `weight=` takes from then on; the survey's usual weight stays.
            The same name again replaces what was raked before.
        margins: the questions of a frame or of another survey to rake to; tuples for combinations.
        count: the column of such a frame with counts; 1 where each row counts one.
        start: the weight to rake; by default the usual one as it was before any raking, None for 1.
        by: who meets the targets by themselves: each of the "waves", "locations" in each wave, or
            all waves together ("pooled").
        waves, locations: those to rake, by default all; others keep the weight of the start.
        total: the sum of the weights, by default that of the start.
        cap, floor: the largest and the smallest weight, as multiples of the mean. All targets are
            still met: what is cut goes to others with the same answers, as in R's `calibrate` with
            bounds.
        trim: cuts weights above this multiple of the mean after raking, and spreads what is cut
            over all others, as R's `trimWeights`; targets are met about.
        missing: "keep" lets respondents without an answer to a margin keep their share; "error"
            refuses them.

        Standard errors account for the margins wherever the weight is chosen, but after `trim` and
        where several waves meet targets together only. The survey gets its next version as with
        `edit`.

        Raises `SurveyError` with everything that is not valid: unknown questions and answers,
        answers without a share or without respondents, shares that do not add up, and margins that
        contradict each other, with the empty combinations; `TypeError` and `ValueError` for
        targets of another kind; `LookupError` for a client of a remote service. Nothing is changed
        then.

        >>> import pandas as pd
        >>> frame = pd.DataFrame({"sex": ["f", "f", "f", "m"], "tea": ["yes", "no", "no", "yes"]})
        >>> client = al.open(frame, to=folder / "rake", quiet=True)
        >>> raked = client.rake({"sex": {"f": 51, "m": 49}})
        >>> raked.to_frame()["after"].round(1).tolist()
        [51.0, 49.0]
        >>> client.crosstab("tea", weight="raked")["column"]["All"].round(1).tolist()
        [34.0, 66.0]
        """
        from audiencelab.client.margins import MarginReader
        from audiencelab.ingest.raking import Rake, rake_survey
        from audiencelab.survey.raking_targets import Target, Targets

        check_own_survey(self._context)
        if self._sender.options.scope.base is not None:
            raise ValueError(
                "rake makes a weight of all respondents, and this client counts a part of them "
                f"({self!r}). Write client.with_options(base_audience=None).rake({targets!r})."
            )
        _check_words(by=by, missing=missing)
        read = MarginReader(lambda: self.catalogue, margins, count).read(targets)
        target = Target(read, _listed(waves), _listed(locations), total)
        wanted = Rake(Targets((target,), cap=cap, floor=floor, trim=trim), name, start, by, missing)
        found: list[Any] = []

        def make(survey: Survey) -> Survey:
            found.append(rake_survey(survey, wanted))
            return found[-1].survey

        change_survey(self._context, make, wanted.record, wanted.code)
        context = self._context
        if context.service is not None:
            known = context.service.survey.manifest.weight_names
            context.weights = known if len(known) > 1 else ()
        elif name not in context.weights:
            context.weights = (*context.weights, name)
        limits = [f"{each}={value:g}" for each, value in (("cap", cap), ("trim", trim)) if value]
        groups = tuple(found[-1].raked.groups) if found else ()
        return RakedWeights(
            name, self, groups, lambda: _weights_of(context, name), _wave_names(context), *limits
        )


def _check_words(**given: str) -> None:
    """Raise `ValueError` for a word that an argument does not take."""
    allowed = {"by": ("waves", "locations", "pooled"), "missing": ("keep", "error")}
    for name, word in given.items():
        if word not in allowed[name]:
            words = " or ".join(f'{name}="{each}"' for each in allowed[name])
            raise ValueError(f"{name}={word!r} is not valid: write {words}.")


def _listed(given: str | Iterable[str]) -> tuple[str, ...]:
    return (given,) if isinstance(given, str) else tuple(given)


def _wave_names(context: ClientContext) -> Mapping[str, str]:
    if context.service is None:
        return {}
    return {each.code: each.name for each in context.service.survey.waves}


def _weights_of(context: ClientContext, name: str) -> pd.Series[float]:
    """See `RakedWeights.weights`."""
    import pandas as pd

    from audiencelab.survey.keys import ROW, as_column, key_name, keys_of

    context.check_open()
    if context.service is None:
        raise LookupError("The weights of respondents are not in a snapshot.")
    survey = context.service.survey
    waves = [survey.wave(wave.code) for wave in survey.waves]
    weights = [wave.other_weights.get(name, np.full(wave.respondents, np.nan)) for wave in waves]
    found = pd.Series(np.concatenate(weights), name=name)
    codes = np.repeat([wave.code for wave in waves], [wave.respondents for wave in waves])
    keys = [key for wave in waves if (key := keys_of(survey, wave)) is not None]
    if len(keys) == len(waves):
        named = key_name([key.name for key in keys])
        values = as_column([each for key in keys for each in key.values.to_list()])
        index: Any = pd.Index(values, name=named)
        if len(waves) > 1:
            index = pd.MultiIndex.from_arrays([codes, values], names=["wave", named])
        found.index = index
        # Rows of one file are in its order again, which locations and waves had changed.
        if named == ROW and len(np.unique(values)) == len(values):
            found = found.iloc[np.argsort(values, kind="stable")]
    elif len(waves) > 1:
        found.index = pd.MultiIndex.from_arrays([codes, found.index], names=["wave", None])
    return found
