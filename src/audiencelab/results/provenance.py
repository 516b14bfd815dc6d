"""What a table says of where it comes from: base, waves, locations, time, and who everybody is."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from audiencelab.expressions import Audience, Labels


def base_sentence(base: Audience | None) -> str:
    """Whom the figures are about."""
    if base is None:
        return "Base: all respondents"
    told = base.describe()
    known = told in (base.name, "everyone")
    return f"Base: {base.name}" if known else f"Base: {base.name} ({told})"


def coverage_facts(provenance: Mapping[str, Any]) -> list[str]:
    """Which waves and locations the figures rest on, a sentence each."""
    facts = [
        waves_fact(provenance),
        _several(provenance.get("locations"), "location"),
    ]
    return [fact for fact in facts if fact]


def waves_fact(provenance: Mapping[str, Any]) -> str:
    """Which waves the figures rest on; nothing where that is not known."""
    return _several(provenance.get("waves"), "wave")


def _several(values: Any, noun: str) -> str:
    """Codes as words: as they are where they are few, from the first to the last otherwise."""
    if isinstance(values, str):
        return f"{noun.capitalize()}s: {values}"
    listed = [str(value) for value in values or ()]
    if not listed:
        return ""
    if len(listed) == 1:
        return f"{noun.capitalize()}: {listed[0]}"
    told = ", ".join(listed) if len(listed) <= 4 else f"{listed[0]} to {listed[-1]}"
    return f"{len(listed)} {noun}s: {told}"


def source_line(provenance: Mapping[str, Any], *, dated: bool = True) -> str:
    """Service or survey, and when it was asked.

    dated: with the day; without it, a notebook that is run again shows what it showed.
    """
    # Saved tables of 1.0 call the survey a panel.
    names = ("survey", "panel", "service")
    place = next((provenance[name] for name in names if provenance.get(name)), "")
    asked = str(provenance.get("asked_at", ""))[:10] if dated else ""
    told = ", ".join(str(part) for part in (place, f"asked on {asked}" if asked else "") if part)
    return f"Source: {told}" if told else ""


def provenance_pairs(provenance: Mapping[str, Any], base: str) -> tuple[tuple[str, str], ...]:
    """Everything that is known of where the figures come from, as words."""
    pairs = {
        "Version" if name == "audiencelab" else name.replace("_", " ").capitalize(): _words(value)
        for name, value in provenance.items()
        if value is not None
    }
    if base:  # a sentence says more than the name of the audience
        pairs["Base audience"] = base.removeprefix("Base: ")
    return tuple(pairs.items())


def _words(value: Any) -> str:
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
