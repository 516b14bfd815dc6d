"""What a table says of where it comes from: base, waves, locations, time, and who everybody is."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, cast

from audiencelab.expressions import Audience, Labels
from audiencelab.expressions.codes import wave_name
from audiencelab.schema.http import UNWEIGHTED, short_version


def coverage_facts(provenance: Mapping[str, Any]) -> list[str]:
    """Which waves and locations the figures rest on, a sentence each."""
    facts = [
        waves_fact(provenance),
        weight_fact(provenance),
        _several(provenance.get("locations"), "location"),
    ]
    return [fact for fact in facts if fact]


def waves_fact(provenance: Mapping[str, Any]) -> str:
    """Which waves the figures rest on, "4 waves: Q1 2025 to Q4 2025"; "" where it is not known."""
    waves = provenance.get("waves")
    names: Mapping[str, str] = provenance.get("wave_names") or {}
    named = (
        waves
        if isinstance(waves, str)
        else [names.get(each) or wave_name(str(each)) for each in waves or ()]
    )
    return _several(named, "wave", listed=2)


def sizes_words(provenance: Mapping[str, Any]) -> str:
    """What weighted counts over several waves are: "average of waves"; "" where there is one."""
    waves = provenance.get("waves") or ()
    named = len(provenance.get("wave_names") or waves)
    several = len(waves) > 1 if not isinstance(waves, str) else waves != "latest 1" and named > 1
    return f"{provenance.get('sizes', 'average')} of waves" if several else ""


def weighted_base(provenance: Mapping[str, Any]) -> str:
    """The label of weighted bases, "Weighted base (average of waves)"; "" without a weight.

    Each respondent counts as one there, so that a weighted base would repeat the unweighted one.

    >>> weighted_base({"waves": ["w1"]}), weighted_base({"weight": UNWEIGHTED, "waves": ["w1"]})
    ('Weighted base', '')
    """
    if provenance.get("weight") == UNWEIGHTED:
        return ""
    return labelled_size("Weighted base", sizes_words(provenance))


def labelled_size(label: str, words: str) -> str:
    """The label of a size, with what it is over several waves."""
    return f"{label} ({words})" if words else label


def weight_fact(provenance: Mapping[str, Any]) -> str:
    """Which weight the figures rest on, "Weight: wgt"; "" where it has no name.

    >>> weight_fact({"weight": "wgt"}), weight_fact({"weight": UNWEIGHTED}), weight_fact({})
    ('Weight: wgt', 'Unweighted', '')
    """
    weight = provenance.get("weight")
    if not weight:
        return ""
    return "Unweighted" if weight == UNWEIGHTED else f"Weight: {weight}"


def waves_words(provenance: Mapping[str, Any]) -> str:
    """Waves and weight behind other facts of a repr: ", 4 waves: Q1 2025 to Q4 2025"."""
    facts = [waves_fact(provenance), weight_fact(provenance)]
    return "".join(f", {continued(fact)}" for fact in facts if fact)


def continued(fact: str) -> str:
    """A fact within a line: "weight: wgt"."""
    return fact[:1].lower() + fact[1:]


def _several(values: Any, noun: str, listed: int = 4) -> str:
    """Codes as words: each where they are as few as `listed`, else the first to the last."""
    if isinstance(values, str):
        return f"{noun.capitalize()}s: {values}"
    names = [str(value) for value in values or ()]
    if not names:
        return ""
    if len(names) == 1:
        return f"{noun.capitalize()}: {names[0]}"
    words = ", ".join(names) if len(names) <= listed else f"{names[0]} to {names[-1]}"
    return f"{len(names)} {noun}s: {words}"


def source_line(provenance: Mapping[str, Any], *, dated: bool = True) -> str:
    """Service or survey, and when the figures were counted.

    dated: with the day; without it, a notebook that is run again shows what it showed.
    """
    # Saved tables of 1.0 call the survey a panel.
    names = ("survey", "panel", "service")
    place = next((provenance[name] for name in names if provenance.get(name)), "")
    asked = str(provenance.get("asked_at", ""))[:10] if dated else ""
    told = ", ".join(str(part) for part in (place, f"counted on {asked}" if asked else "") if part)
    return f"Source: {told}" if told else ""


def provenance_pairs(provenance: Mapping[str, Any], base: str) -> tuple[tuple[str, str], ...]:
    """Everything that is known of where the figures come from, as words."""
    if "survey_version" in provenance:
        version = short_version(str(provenance["survey_version"]))
        provenance = {**provenance, "survey_version": version}
    pairs = {
        "Version" if name == "audiencelab" else name.replace("_", " ").capitalize(): _words(value)
        for name, value in provenance.items()
        # Files of earlier versions list the weights that could have been chosen.
        if value is not None and name != "weights"
    }
    if base:  # a sentence says more than the name of the audience
        pairs["Base audience"] = base.removeprefix("Base: ")
    return tuple(pairs.items())


def _words(value: Any) -> str:
    if isinstance(value, dict):
        named = cast(dict[str, str], value)
        return ", ".join(f"{code} is {name}" for code, name in named.items())
    if isinstance(value, list | tuple):
        return ", ".join(str(each) for each in value)  # pyright: ignore[reportUnknownVariableType, reportUnknownArgumentType] -- JSON
    return str(value)


def definitions(
    labels: Labels | None = None, **sides: Sequence[Audience]
) -> tuple[tuple[str, str, str, str], ...]:
    """Side, name, sentence and code of each audience; a name alone may mean anything."""
    return tuple(
        (
            side,
            audience.name,
            audience.describe(labels),
            "" if audience.expression is None else audience.expression.to_code(),
        )
        for side, audiences in sides.items()
        for audience in audiences
    )
