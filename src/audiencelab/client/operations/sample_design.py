"""What a survey in this process knows of its sample, of those whom a client counts."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, cast

import numpy as np
from numpy.typing import NDArray

from audiencelab.client.operations.names import read_scope
from audiencelab.client.respondents import service_here
from audiencelab.client.sending import Sender
from audiencelab.results.sample_design import DesignOfWave, DesignPart
from audiencelab.wording import plural

if TYPE_CHECKING:
    from audiencelab.engine.engine import WaveFlags
    from audiencelab.engine.variance.design import WaveDesign
    from audiencelab.survey import Survey

_SAME = 1e-5
"""As R's `degf`: singular values below this part of the largest one are 0."""

_COLUMNS = {
    "weight": 'weight="COLUMN"',
    "strata": 'strata="COLUMN"',
    "clusters": 'clusters="COLUMN"',
    "fpc": 'fpc="COLUMN"',
    "replicates": 'replicates="rep*", replicate_method="JK1"',
    "persons": 'person="COLUMN"',
}
"""The parts of a design, with the arguments that name them."""


def fetch_design(sender: Sender) -> dict[str, Any]:
    """The fields of `DesignFacts`; raises `LookupError` where the survey is not here."""
    from audiencelab.engine import CrosstabSpec
    from audiencelab.engine.variance.design import WaveDesign
    from audiencelab.survey.weights import effective_base

    sender.check_usable()
    context = sender.context
    remote = " The tests of its tables rest on its design: table.test() says it."
    service_here(context, otherwise=remote)
    scope = read_scope(sender, {})
    service = service_here(context, scope.weight)
    survey = service.survey
    accessible = tuple(wave.code for wave in survey.waves if wave.accessible)
    scope = replace(scope, waves=accessible if scope.waves is None else scope.waves)
    found = list(service.respondents(CrosstabSpec((), (), scope)))
    designs = WaveDesign.all_of([each.wave for each in found], "adjust")
    waves = [_of_wave(*each) for each in zip(found, designs, strict=True)]
    weights = [each.wave.weights[each.chosen] for each in found]
    joined = np.concatenate([np.zeros(0), *weights])
    base = (
        ""
        if scope.base is None
        else f", {scope.base.name or context.describe(scope.base.expression)}"
    )
    return {
        "of": f"{context.place}{base}",
        "parts": tuple(_parts(survey, found, waves, context.weight, scope.weight)),
        "waves": tuple(waves),
        "respondents": len(joined),
        "effective_base": effective_base(joined),
        "degrees_of_freedom": _freedom(found, designs, waves),
        "method": _method(found),
    }


def _of_wave(found: WaveFlags, design: WaveDesign) -> DesignOfWave:
    from audiencelab.survey.weights import effective_base

    chosen, wave = found.chosen, found.wave
    units, strata = _units(design, chosen)
    freedom = len(units) - len(strata)
    if wave.design.replicates is not None:
        freedom = _rank(wave.design.replicates.weights[:, chosen]) - 1
    return DesignOfWave(
        wave.code,
        wave.wave.name,
        int(np.count_nonzero(chosen)),
        len(strata),
        len(units),
        effective_base(wave.weights[chosen]),
        max(freedom, 0),
    )


def _units(design: WaveDesign, chosen: NDArray[np.bool_]) -> tuple[set[int], set[int]]:
    """The clusters, or respondents, and the strata of those who are chosen."""
    members = np.flatnonzero(chosen)
    units = members if design.cluster is None else design.cluster[members]
    return {*units.tolist()}, {*design.stratum[members].tolist()}


def _rank(weights: NDArray[np.float64]) -> int:
    if not weights.size:
        return 0
    values = np.linalg.svd(weights, compute_uv=False)
    return int(np.count_nonzero(values > _SAME * values[0]))


def _freedom(
    found: Sequence[WaveFlags], designs: Sequence[WaveDesign], waves: Sequence[DesignOfWave]
) -> int:
    """Of all waves: each is a sample of its own, but those of a panel are one."""
    if any(each.wave.design.replicates is not None for each in found):
        return max(each.degrees_of_freedom for each in waves)
    freedom, units, strata = 0, set[int](), set[int]()
    for each, design, wave in zip(found, designs, waves, strict=True):
        if design.panel:
            some = _units(design, each.chosen)
            units, strata = units | some[0], strata | some[1]
        else:
            freedom += wave.degrees_of_freedom
    return freedom + max(len(units) - len(strata), 0)


def _method(found: Sequence[WaveFlags]) -> str:
    from audiencelab.engine.variance.design import in_common_words

    if any(each.wave.design.replicates is not None for each in found):
        return "Tests and intervals rest on the replicate weights."
    raked = any(each.wave.design.raking is not None for each in found)
    margins = " They account for the margins of raking." if raked else ""
    common = in_common_words([each.wave for each in found])
    panel = f" {common[0].upper()}{common[1:]}." if common else ""
    return f"Tests and intervals rest on Taylor linearisation.{margins}{panel}"


def _parts(
    survey: Survey,
    found: Sequence[WaveFlags],
    waves: Sequence[DesignOfWave],
    usual: str,
    chosen: Any,
) -> Iterable[DesignPart]:
    """What is known of each part, as far as waves of the client have it."""
    designs = [each.wave.design for each in found]
    book: dict[str, Any] = survey.codebook or {}
    columns: dict[str, Any] = dict(book.get("design") or {})
    columns["persons"] = columns.pop("person", "")
    columns["weight"] = (book.get("weight") or {}).get("column", "")
    if chosen is None or isinstance(chosen, str):
        columns["weight"] = chosen or ""
    weighed = any(np.ptp(each.wave.weights[each.chosen]) > 0 for each in found if each.chosen.any())
    weight = usual or ("weights without a name" if weighed else "none")
    weight = "none: each respondent counts as one" if chosen is None else weight
    in_waves = f" in {plural(len(waves), 'wave')}" if len(waves) > 1 else ""
    some = next((each.replicates for each in designs if each.replicates is not None), None)
    facts = {
        "weight": chosen if isinstance(chosen, str) else weight,
        "strata": f"{sum(each.strata for each in waves):,}{in_waves}",
        "clusters": f"{sum(each.clusters for each in waves):,}{in_waves}"
        + ", some the same in several" * any(each.recur for each in designs),
        "fpc": "units in the population of each stratum",
        "replicates": "" if some is None else f"{len(some.scales)} weights ({some.method})",
        "persons": "a panel: persons are the same in several waves",
    }
    known = {
        "weight": True,
        "strata": any(each.strata is not None for each in designs),
        "clusters": any(each.clusters is not None for each in designs),
        "fpc": any(each.fpc is not None for each in designs),
        "replicates": some is not None,
        "persons": any(each.persons is not None for each in designs),
    }
    origins = _origins(survey)
    for what, argument in _COLUMNS.items():
        if not known[what]:
            is_wave = what == "strata" and len(waves) > 1
            said = f"none; each of the {len(waves)} waves is one" if is_wave else "none"
            yield DesignPart(what, "", said, argument)
            continue
        column = columns.get(what) or ""
        column = column if isinstance(column, str) else ", ".join(cast("list[str]", column))
        name = column if what not in ("replicates", "weight") else ""
        said = ", ".join(filter(None, [name, facts[what], origins.get(what, "")]))
        changed = "" if what in ("replicates", "persons") else f"{argument.partition('=')[0]}=None"
        yield DesignPart(what, column, said, changed)


def _origins(survey: Survey) -> dict[str, str]:
    """Where each part came from, as the import said it."""
    report: dict[str, Any] = survey.import_report or {}
    origins: dict[str, dict[str, None]] = {}
    for guess in report.get("guesses", ()):
        said = str(guess.get("said", ""))
        for word, origin in _WORDS.items():
            if word in said:
                what = "weight" if guess.get("about") == "weight" else said.partition(":")[0]
                origins.setdefault(what, {})[origin] = None
    return {what: ", ".join(each) for what, each in origins.items()}


_WORDS = {
    "asked for": "as asked for",
    "recur in several waves": "each wave with its own, though codes recur",
    "by its name": "by its name",
    "by its label": "by its label",
    "named like a weight": "by its name",
    "the file declares it": "as the file declares",
}
"""Words of an import about a choice, and those of a design for it."""
