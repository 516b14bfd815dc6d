"""Margins that weights were raked to, and that a later change of the survey made others."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any

import msgspec

from audiencelab.survey.layout import RAKED_CHANGED, RAKED_WEIGHTS
from audiencelab.survey.raking_targets import Targets


def with_changed_margins(
    provenance: Mapping[str, Any],
    again: Collection[str | None],
    is_changed: Callable[[str], bool],
) -> dict[str, Any]:
    """What a manifest says of a survey, with the margins that its next version changes.

    again: the weights that this version rakes, None for the usual one. is_changed: whether it has
    other answers to a question.
    """
    usual = [*provenance.get("raked_before", ()), *filter(None, [provenance.get("raked")])]
    found = _marked(provenance, usual, None in again, is_changed)
    if RAKED_WEIGHTS in found:
        found[RAKED_WEIGHTS] = {
            name: _marked(each, [each["raked"]], name in again, is_changed)
            for name, each in found[RAKED_WEIGHTS].items()
        }
    return found


def _marked(
    record: Mapping[str, Any],
    raked: Sequence[Any],
    is_again: bool,
    is_changed: Callable[[str], bool],
) -> dict[str, Any]:
    """A record of a raked weight, with the margins that are others than those it was raked to."""
    known = () if is_again else record.get(RAKED_CHANGED, ())
    margins = dict.fromkeys(
        code
        for targets in msgspec.convert([*raked], list[Targets])
        for target in targets.targets
        for margin in target.margins
        for code in margin.asked
    )
    changed = [code for code in margins if code in known or (not is_again and is_changed(code))]
    kept = {name: value for name, value in record.items() if name != RAKED_CHANGED}
    return {**kept, RAKED_CHANGED: changed} if changed else kept
