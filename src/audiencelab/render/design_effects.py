"""Design effects as a pandas frame and as a static table; pandas is imported here at the top."""

from __future__ import annotations

import numpy as np
import pandas as pd

from audiencelab.analysis.comparison_frames import named_columns
from audiencelab.analysis.design_effects import DesignEffects, effect_words
from audiencelab.render.html import COLUMN_CAP, figure
from audiencelab.render.markup import ROW_CAP, Content, card, element, muted, table
from audiencelab.results.provenance import waves_fact
from audiencelab.wording import plural

__all__ = ["design_frame", "design_html"]


def design_frame(design: DesignEffects) -> pd.DataFrame:
    """See `DesignEffects.to_frame`."""
    shares = design.shares
    rows, columns = (each.ravel() for each in np.indices(shares.shape))
    cells = shares.cells
    figures = {
        "percentage": 100 * cells.share,
        "standard_error": design.standard_errors,
        "design_effect": design.effects,
        "sample": cells.sample,
        "base": cells.sample / design.effects,
    }
    named = named_columns(shares.rows, rows) | named_columns(shares.columns, columns)
    made = pd.DataFrame(named | {name: values.ravel() for name, values in figures.items()})
    made.attrs.update(shares.provenance, recipe=design.recipe)
    return made


def design_html(design: DesignEffects) -> str:
    """The first rows and columns: each cell's effect, to two decimals."""
    rows, columns = design.shares.rows.names, design.shares.columns.names
    heads: list[Content] = ["", *columns[:COLUMN_CAP]]
    lines: list[list[Content]] = [
        [name, *(figure(value, 2) for value in values[:COLUMN_CAP])]
        for name, values in zip(rows[:ROW_CAP], design.effects.tolist(), strict=False)
    ]
    listed = table(
        heads,
        lines,
        numeric=range(1, len(heads)),
        most=ROW_CAP,
        hidden=len(rows) - len(lines),
    )
    hidden = len(columns) - COLUMN_CAP
    waves = waves_fact(design.shares.provenance)
    facts = [effect_words(design.effects), *([waves] if waves else [])]
    facts += [f"… and {plural(hidden, 'more column')}"] if hidden > 0 else []
    recipe = element("div", muted(f"{design.recipe}."), style="max-width:60em")
    return str(card("Design effects", listed, recipe, subtitle=" · ".join(facts)))
