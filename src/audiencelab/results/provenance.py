"""What a table says of where it comes from: base, waves, locations, time, and who everybody is."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from audiencelab.expressions import Audience, Labels
from audiencelab.expressions.codes import wave_name
from audiencelab.schema.http import UNWEIGHTED


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
    return _several(waves if isinstance(waves, str) else wave_names(provenance), "wave", listed=2)


def wave_names(provenance: Mapping[str, Any]) -> list[str]:
    """The names of the waves that the figures rest on; none where they are not known."""
    waves = provenance.get("waves") or ()
    names: Mapping[str, str] = provenance.get("wave_names") or {}
    named = () if isinstance(waves, str) else waves
    return [names.get(each) or wave_name(str(each)) for each in named]


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


def count_label(provenance: Mapping[str, Any]) -> str:
    """The label of weighted counts; without a weight these are counts, too.

    >>> count_label({"waves": ["w1"]}), count_label({"weight": UNWEIGHTED, "waves": ["w1", "w2"]})
    ('Weighted count', 'Count (average of waves)')
    """
    label = "Count" if provenance.get("weight") == UNWEIGHTED else "Weighted count"
    return labelled_size(label, sizes_words(provenance))


def labelled_size(label: str, words: str) -> str:
    """The label of a size, with what it is over several waves."""
    return f"{label} ({words})" if words else label


def weight_fact(provenance: Mapping[str, Any]) -> str:
    """Which weight the figures rest on, "Weight: wgt"; "" where nothing is known at all.

    A survey whose weight has no name is "Weighted"; a service of another program does not say how
    it weights.

    >>> weight_fact({"weight": "wgt"}), weight_fact({"weight": UNWEIGHTED}), weight_fact({})
    ('Weight: wgt', 'Unweighted', '')
    >>> weight_fact({"survey": "demo survey"}), weight_fact({"service": "https://example.com"})
    ('Weighted', 'Weight not known')
    """
    weight = provenance.get("weight")
    if not weight:
        # Only our own services name the version of their survey.
        if provenance.get("survey") or provenance.get("survey_version"):
            return "Weighted"
        return "Weight not known" if provenance.get("service") else ""
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
