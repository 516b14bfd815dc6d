"""Design effects of a result, asked of its service."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from audiencelab.client.local import local_operations
from audiencelab.client.sending import Sender
from audiencelab.lines import one_of
from audiencelab.results.asking import query_of
from audiencelab.results.crosstab import CrosstabData
from audiencelab.results.stats import StatsData
from audiencelab.results.table_code import step
from audiencelab.schema.local import VarianceError
from audiencelab.schema.query import Query

if TYPE_CHECKING:
    from audiencelab.analysis.design_effects import DesignEffects, DesignMethod, Lonely


def design_effects(
    sender: Sender,
    result: CrosstabData | StatsData,
    method: DesignMethod = "auto",
    lonely: Lonely = "adjust",
) -> DesignEffects:
    """See `Client.design_effects`."""
    # Tables of significance need scipy, which is not installed everywhere.
    from audiencelab.analysis.design_effects import DESIGN_METHODS, LONELY, effects_of
    from audiencelab.analysis.measured import agrees
    from audiencelab.analysis.proportions import proportions_of

    for name, given, known in (("method", method, DESIGN_METHODS), ("lonely", lonely, LONELY)):
        if given not in known:
            raise ValueError(f"No {name} {given!r}. {one_of(given, known)}")
    place, query = str(sender.context), _query_of(result)
    # The result's own weight: the client's may be another.
    asking = local_operations(sender, query.scope.weight)
    if asking is None:
        raise LookupError(
            f"Design effects are computed from respondents, and {place} is not a service of "
            "audiencelab. Give the one that the survey's documentation states as design=, or open "
            "the survey itself: connect(survey=folder)."
        )
    found = asking.precision(
        query,
        effects=method != "kish",
        lonely=lonely,
        replicates=method in ("auto", "replicates"),
    )
    if found.refused:
        raise VarianceError(found.refused)
    if method == "replicates" and (found.linearised is None or found.linearised.replicates is None):
        raise ValueError(
            f"{place} has no replicate weights for all waves of the result. Import it with them: "
            'al.open(…, replicates="repwt*", replicate_method="BRR").'
        )
    if not agrees(proportions_of(result), found):
        raise _other_values(place)
    chosen = {"method": method, "lonely": lonely}
    named = {name: each for name, each in chosen.items() if each not in ("auto", "adjust")}
    options = "".join(f", {name}={each!r}" for name, each in named.items())
    made = step(result, f"{options})", "client.design_effects(")
    return replace(effects_of(proportions_of(result), found, lonely), made=made)


def _query_of(result: object) -> Query:
    if not isinstance(result, CrosstabData | StatsData):
        raise TypeError(
            "Design effects are those of a crosstab or a stats result, such as "
            "client.design_effects(client.crosstab('question')), not of type "
            f"{type(result).__name__}. A profile has its crosstab as profile.to_crosstab()."
        )
    if isinstance(result, StatsData) and not result.rows:
        raise ValueError("The result has no rows, and so no design effects.")
    if isinstance(result, StatsData) and (nets := result.provenance.get("nets")):
        raise ValueError(
            f"{', '.join(nets)}: nets are worked out from other rows. Take the design effects of "
            "the result as it was asked for, before nets() or boxes()."
        )
    query = query_of(result)
    if query is None:
        raise _other_values("the client")
    return query


def _other_values(place: str) -> ValueError:
    return ValueError(
        f"The result's figures are not those of {place}: it was asked of another survey, of "
        "another version of this one, or was worked out from other figures. Ask this client, "
        "and take the result as it comes."
    )
