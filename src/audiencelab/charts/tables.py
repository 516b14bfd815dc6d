"""What charts of a crosstab say alike: names of its audiences, base and waves, marks of samples."""

from __future__ import annotations

from typing import cast

from audiencelab.audience import Audience
from audiencelab.charts import wording
from audiencelab.frames import CrosstabResult

__all__ = ["audience_labels", "check_table", "whom"]

_ADVICE = "give what client.crosstab(…) returned, or grid.result, no frame of it"


def check_table(given: object) -> None:
    """Raise `TypeError` with advice for anything but a crosstab."""
    wording.check_result(given, CrosstabResult, _ADVICE)


def audience_labels(audiences: tuple[Audience, ...]) -> list[str]:
    """A short name for each audience, its own even where two are called the same."""
    names = {audience.id or str(place): audience.name for place, audience in enumerate(audiences)}
    return list(wording.distinct(names, names).values())


def whom(table: CrosstabResult) -> str:
    """The line that says whom a crosstab is about: base, its sample, and the waves."""
    base = wording.shorten(table.base_audience.name) if table.base_audience else "all respondents"
    facts = [f"Base: {base}"]
    if len(table):
        facts.append(f"sample {table.base_sample:,.0f}")
    waves = table.provenance.get("waves")
    if isinstance(waves, list):
        facts.append(f"waves {', '.join(map(str, cast(list[object], waves)))}")
    elif waves:
        facts.append(f"waves: {waves}")
    return wording.shorten(" · ".join(facts), 140)
