"""The grid's figures as a notebook saves them beside its static form (`frames/saved.py`).

They are in the order of the query. Letters need the kernel: they stay in the static form.
"""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from audiencelab.render.mime_payload import CROSSTAB, Saving, saved_crosstab
from audiencelab.results.crosstab import CrosstabResult
from audiencelab.widgets.crosstab.lines import Lines
from audiencelab.widgets.crosstab.looks import Looks
from audiencelab.widgets.crosstab.query import GridQuery
from audiencelab.wording import plural

__all__ = ["saved_grid", "scope_of"]


def saved_grid(
    query: GridQuery,
    result: CrosstabResult | None,
    looks: Looks,
    sides: tuple[Lines, Lines],
    room: int,
) -> dict[str, Any]:
    """The saved table by its MIME type; {} while nothing has arrived, or without room for it."""
    if result is None:
        return {}
    rows, columns = ([place for place, is_net in enumerate(side.nets) if is_net] for side in sides)
    saving = Saving(looks=_chosen(looks), nets=(rows, columns), scope=scope_of(query))
    saved = saved_crosstab(result, room, saving)
    return {} if saved is None else {CROSSTAB: saved}


def scope_of(query: GridQuery) -> str:
    """Waves and locations in words: "the last four waves · everywhere"."""
    waves, locations = query.waves, query.locations
    in_waves = "the last four waves" if not waves else f"{plural(len(waves), 'wave')}: "
    in_waves += "" if not waves else ", ".join(waves) if len(waves) < 4 else _ends(waves)
    where = "everywhere" if not locations else plural(len(locations), "location")
    return f"{in_waves} · {where}"


def _ends(waves: tuple[str, ...]) -> str:
    return f"{waves[0]} … {waves[-1]}"


def _chosen(looks: Looks) -> dict[str, Any]:
    """The settings that are not as usual."""
    usual = asdict(Looks())
    metrics = [name for name in looks.metrics if name != "letters"] or ["column_percentage"]
    now = {**asdict(looks), "metrics": metrics}
    usual["metrics"] = list(usual["metrics"])
    return {name: value for name, value in now.items() if value != usual[name]}
