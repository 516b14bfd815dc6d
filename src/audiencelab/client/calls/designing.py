"""Design effects of a result, from the respondents of the embedded service's panel.

No operation tells of respondents, so that nothing is sent: this is for a client whose panel is at
hand, and says to any other what can be done instead.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

import numpy as np

from audiencelab.client.doors.embedded import crosstab_precision, stats_precision
from audiencelab.client.session import Session
from audiencelab.frames import CrosstabResult, StatsResult

if TYPE_CHECKING:
    from audiencelab.frames.significance.design import (
        DesignEffects,
        DesignMethod,
        Lonely,
        Precision,
    )
    from audiencelab.frames.significance.shares import Shares

__all__ = ["design_effects"]

_ROUNDING = 1e-6
"""Shares of 1 nearer to each other than this are the same, added up in another order."""


def design_effects(
    session: Session,
    result: CrosstabResult | StatsResult,
    method: DesignMethod = "taylor",
    lonely: Lonely = "adjust",
) -> DesignEffects:
    """See `Client.design_effects`."""
    # Frames of significance need scipy, which whoever never asks for them need not have.
    from audiencelab.frames.significance import crosstab_shares, stats_shares
    from audiencelab.frames.significance.design import DESIGN_METHODS, LONELY, DesignEffects

    _check("method", method, DESIGN_METHODS)
    _check("lonely", lonely, LONELY)
    service = session.service
    if service is None:
        raise LookupError(
            f"Design effects are computed from respondents, and those of {session} are not here. "
            "Give the figure that the survey's documentation states, such as design_effect=1.3, or "
            "ask the panel itself: connect(panel=folder)."
        )
    chosen = lonely if method == "taylor" else None
    if isinstance(result, CrosstabResult):
        shares, precision = crosstab_shares(result), crosstab_precision(service, result, chosen)
    elif isinstance(cast(object, result), StatsResult):
        _check_rows(result)
        shares, precision = stats_shares(result), stats_precision(service, result, chosen)
    else:
        raise TypeError(
            "Design effects are those of a crosstab or a stats result, not of type "
            f"{type(result).__name__}. A profile has its crosstab as profile.to_crosstab()."
        )
    _check_figures(shares, precision, session)
    return DesignEffects.of(shares, precision, lonely)


def _check(name: str, given: str, known: tuple[str, ...]) -> None:
    if given not in known:
        raise ValueError(f"No {name} {given!r}. Choose one of {', '.join(known)}.")


def _check_rows(result: StatsResult) -> None:
    if not result.rows:
        raise ValueError("The result has no rows, and so no design effects.")
    if nets := result.provenance.get("nets"):
        raise ValueError(
            f"{', '.join(nets)}: nets are worked out from other rows. Take the design effects of "
            "the result as it was asked for, before nets() or boxes()."
        )


def _check_figures(shares: Shares, precision: Precision, session: Session) -> None:
    """Raise `ValueError` unless the respondents make the very figures of the result."""
    known = ~np.isnan(shares.cells.share)
    same = bool((shares.cells.sample == precision.sample)[known].all())
    if same and precision.linearised is not None:
        apart = np.abs(shares.cells.share - precision.linearised.share)[known]
        same = bool((apart < _ROUNDING).all())
    if not same:
        raise ValueError(
            f"The result's figures are not those of {session}: it was asked of another panel or of "
            "another version of this one, or was worked out from other figures. Ask this client, "
            "and take the result as it comes."
        )
