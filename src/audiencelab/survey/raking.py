"""Raking: weights fitted to known margins, by wave and location.

`rake` applies the arithmetic of `fitting` to a survey and writes the next version.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
from msgspec import UnsetType

from audiencelab.schema.http import UNWEIGHTED
from audiencelab.survey.answers import Raking
from audiencelab.survey.errors import SurveyError, listed
from audiencelab.survey.fitting import FittedWeights, rake_weights
from audiencelab.survey.layout import RAKED_WEIGHTS
from audiencelab.survey.raked_groups import RakedGroup, RakingGroup, in_locations, unmet
from audiencelab.survey.raking_targets import (
    By,
    Margin,
    Target,
    Targets,
    load_targets,
    target_faults,
)
from audiencelab.survey.reader import Survey, WaveData
from audiencelab.survey.update import Revision, all_waves, asked_questions, revise
from audiencelab.survey.weights import Weights

__all__ = [
    "FittedWeights",
    "Margin",
    "RakedGroup",
    "RakingResult",
    "Target",
    "Targets",
    "load_targets",
    "rake",
    "rake_weights",
]


@dataclass(frozen=True, slots=True)
class RakingResult:
    """A survey's new version, and the effect of raking on each group."""

    survey: Survey
    groups: tuple[RakedGroup, ...]


@dataclass(frozen=True, slots=True)
class Raked:
    """What raking makes of a survey: weights and margins by wave, and its effect on each group."""

    weights: dict[str, Weights] = field(default_factory=dict[str, Weights])
    raking: dict[str, Raking] = field(default_factory=dict[str, Raking])
    groups: list[RakedGroup] = field(default_factory=list[RakedGroup])


def rake(
    path: str | Path, targets: Targets | str | Path, *, out: str | Path | None = None
) -> RakingResult:
    """Rake a survey's usual weight; respondents outside all targets keep their weights.

    path: the survey's folder.
    targets: the targets, or a TOML file of them, by codes.
    out: a folder for a new survey; by default the new version replaces the old one.

    Raises `SurveyError` with every target that cannot be met: margins that do not converge, shares
    of datapoints that no respondent gave. `Client.rake` makes a weight beside the usual one, and
    takes labels.

    >>> sex = Margin("sex", {"sex_1": 49, "sex_2": 51})
    >>> rake("my-survey", Targets((Target((sex,)),)))
    """
    wanted = targets if isinstance(targets, Targets) else load_targets(targets)
    groups: list[RakedGroup] = []

    def plan(survey: Survey) -> Revision:
        raked = rake_in_place(survey, wanted)
        groups.extend(raked.groups)
        return revision_in_place(survey, wanted, raked)

    return RakingResult(revise(path, plan, out=out), tuple(groups))


def rake_in_place(survey: Survey, targets: Targets) -> Raked:
    """The usual weight of a survey, raked from what it is now."""
    starts = {wave.code: wave.weights for wave in all_waves(survey)}
    return raked_weights(survey, targets, starts, keeps=True)


def revision_in_place(survey: Survey, targets: Targets, raked: Raked) -> Revision:
    """The next version of a survey whose usual weight was raked."""
    return Revision(
        asked_questions(survey),
        survey.derived,
        all_waves(survey),
        raked.weights,
        raked.raking,
        _provenance(survey, targets),
    )


def revision_beside(survey: Survey, targets: Targets, raked: Raked, name: str) -> Revision:
    """The next version of a survey, with a raked weight beside its others."""
    known = survey.manifest.provenance.get(RAKED_WEIGHTS, {})
    covered = _covered(survey, targets, {})
    return Revision(
        asked_questions(survey),
        survey.derived,
        all_waves(survey),
        provenance={
            RAKED_WEIGHTS: {**known, name: {"raked": _plain(targets), "raked_waves": covered}}
        },
        other_weights={code: {name: each} for code, each in raked.weights.items()},
        other_rakings={code: {name: each} for code, each in raked.raking.items()},
    )


def start_weights(survey: Survey, start: str | UnsetType | None) -> dict[str, Weights]:
    """The weights to rake by wave, float64[n], NaN for none; start: a weight's name, None for 1.

    UNSET is the usual weight before any raking. Raises `SurveyError` for an unknown weight.
    """
    waves = all_waves(survey)
    if start is None:
        return {wave.code: np.ones(wave.respondents) for wave in waves}
    if isinstance(start, UnsetType):
        return {wave.code: _before_raking(wave) for wave in waves}
    if start == survey.manifest.provenance.get("weight"):
        return {wave.code: wave.weights for wave in waves}
    found = {wave.code: wave.other_weights.get(start) for wave in waves}
    known = {code: each for code, each in found.items() if each is not None}
    if not known:
        names = listed(survey.manifest.weight_names) or "none with a name"
        raise SurveyError(
            f"start={start!r} is not valid: {survey.name} has no such weight. Its weights are "
            f"{names}; start=None starts from 1 for every respondent."
        )
    none = {wave.code: np.full(wave.respondents, np.nan) for wave in waves}
    return {**none, **known}


def check_name(survey: Survey, name: str, start: str | UnsetType | None) -> None:
    """Raise `SurveyError` for the name of a weight that raking may not make or replace."""
    manifest = survey.manifest
    raked = manifest.provenance.get(RAKED_WEIGHTS, {})
    if not name or name == UNWEIGHTED or name != name.strip():
        raise SurveyError(f"name={name!r} is not valid: a weight needs a name, such as 'raked'.")
    if name in manifest.weight_names and name not in raked:
        raise SurveyError(
            f"name={name!r} is not valid: the survey has a weight of that name which no raking "
            "made. Choose another name: name='raked'."
        )
    if name == start:
        raise SurveyError(
            f"start={start!r} is not valid: it is the weight that is made. Give another name: "
            f"name='{name}_2'."
        )


def raked_weights(
    survey: Survey,
    targets: Targets,
    starts: Mapping[str, Weights],
    *,
    by: By = "waves",
    keeps: bool = False,
    missing_is_error: bool = False,
) -> Raked:
    """Rake weights of a survey to targets; respondents outside all targets keep theirs.

    starts: the weights to rake, by wave. by: the groups that each meet the targets.
    keeps: whether respondents who are not in the targets stay raked to what they were raked to.
    missing_is_error: whether respondents without an answer to a margin are an error; else they
        keep their share.

    Raises `SurveyError` with everything that cannot be met.
    """
    if faults := [*target_faults(survey, targets)]:
        raise unmet(faults)
    groups = [
        group
        for number, target in enumerate(targets.targets)
        for group in _groups(survey, targets, number, target, starts, by)
    ]
    if faults := [*RakingGroup.faults(groups, missing_is_error=missing_is_error)]:
        raise unmet(faults)
    raked = Raked()
    for group in groups:
        faults.extend(group.fit())
    if faults:
        raise unmet(faults)
    for group in groups:
        raked.groups.append(group.effect())
        for part in group.parts:
            code = part.wave.code
            # A copy, since several targets change parts of one wave.
            mine = raked.weights.setdefault(code, starts[code].copy())
            mine[part.members] = part.weights
            if (known := group.recorded(part, _known(raked, part.wave, keeps=keeps))) is not None:
                raked.raking[code] = known
    if not keeps:
        # Waves without targets are part of a new weight as they are, where they have one at all.
        others = {code: each for code, each in starts.items() if not np.isnan(each).all()}
        raked.weights.update({**others, **raked.weights})
    return raked


def _known(raked: Raked, wave: WaveData, *, keeps: bool) -> Raking | None:
    return raked.raking.get(wave.code) or (wave.design.raking if keeps else None)


def _groups(
    survey: Survey,
    targets: Targets,
    number: int,
    target: Target,
    starts: Mapping[str, Weights],
    by: By,
) -> Iterator[RakingGroup]:
    """The groups of a target, each of which meets it."""
    waves = [survey.wave(code) for code in waves_of(target, survey)]
    pointer = f"/targets/{number}"
    everywhere = survey.catalogue.question(survey.catalogue.location_question)
    chosen: list[tuple[str, ...]] = [target.locations]
    if by == "locations":
        codes = target.locations or tuple(everywhere.datapoint_positions)
        chosen = [(code,) for code in codes]
    for several in [waves] if by == "pooled" else [[wave] for wave in waves]:
        for locations in chosen:
            group = RakingGroup(survey, targets, target, pointer, several, locations, starts)
            # A location that is not in a wave needs no weights there, unless it was asked for.
            if by != "locations" or target.locations or group.size:
                yield group


def _before_raking(wave: WaveData) -> Weights:
    """The usual weight of a wave before it was raked."""
    raking = wave.design.raking
    if raking is None:
        return wave.weights
    return np.where((raking.categories >= 0).any(axis=0), raking.weights, wave.weights)


def waves_of(target: Target, survey: Survey) -> Sequence[str]:
    """The codes of the waves of a target."""
    return target.waves or [wave.code for wave in survey.waves]


def _covered(
    survey: Survey, wanted: Targets, before: Mapping[str, list[str]]
) -> dict[str, list[str]]:
    """For each raked wave the locations that were raked; empty where all respondents were."""
    covered = dict(before)
    for target in wanted.targets:
        for code in waves_of(target, survey):
            known = covered.get(code)
            locations = sorted({*(known or ()), *target.locations})
            everyone = known == [] or not target.locations
            if everyone or in_locations(survey, survey.wave(code), locations).all():
                locations = []
            covered[code] = locations
    return covered


def _provenance(survey: Survey, wanted: Targets) -> dict[str, Any]:
    """The targets, those of before, and the respondents in all of them.

    raked: these targets. raked_before: earlier ones, the first at the front. raked_waves: for each
    wave the locations that were raked; empty where all respondents were.
    """
    known = survey.manifest.provenance
    covered = _covered(survey, wanted, known.get("raked_waves", {}))
    provenance: dict[str, Any] = {"raked": _plain(wanted), "raked_waves": covered}
    if "raked" in known:
        provenance["raked_before"] = [*known.get("raked_before", ()), known["raked"]]
    return provenance


def _plain(wanted: Targets) -> Any:
    """Targets as JSON; shares may be numbers of numpy."""
    return msgspec.to_builtins(wanted, enc_hook=float)
