"""Who of the base counts in a cell of a widget: what is chosen, and what could be."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from msgspec import UNSET

from audiencelab.client.operations.call_code import counted_codes
from audiencelab.errors import AudienceError
from audiencelab.expressions import Audience, as_audience
from audiencelab.schema.scope import BaseOf, Scope
from audiencelab.widgets.rpc_types import Data

if TYPE_CHECKING:
    from audiencelab.client import Client


class WhoCountsChoice(Data):
    """Who of the base counts in a cell.

    chosen: everyone in the base, or those with a valid answer. usual: the default of the survey.
    fixed: whether no other may be chosen, as a service of another make counts everyone.
    """

    chosen: BaseOf
    usual: BaseOf
    fixed: bool


def who_counts(client: Client, chosen: BaseOf) -> WhoCountsChoice:
    """What the page shows of `base_of`."""
    usual = usual_base_of(client)
    try:
        return WhoCountsChoice(chosen, usual, fixed=not client.counts_valid)
    except AudienceError:
        # The query itself reports what is wrong with the service.
        return WhoCountsChoice(chosen, usual, fixed=False)


def usual_base_of(client: Client) -> BaseOf:
    """The `base_of` of a widget that names none.

    Everyone where the service cannot be asked: the query itself reports what is wrong with it.
    """
    try:
        return client.default_base_of
    except AudienceError:
        return "everyone"


def stated(client: Client, scope: Scope) -> tuple[Scope, BaseOf | None]:
    """A scope with what the client counts where it names nothing, and the `base_of` that is usual.

    The code of it counts the same with a client of the survey that has no options.
    """
    # Anything that streams a crosstab works as a client.
    sender = getattr(client, "sender", None)
    if sender is None:
        return scope, usual_base_of(client)
    own, windows = sender.options.scope, sender.context.windows
    known = sender.context.survey_scope
    # A replay has the waves of who recorded it, which may be those of the survey.
    usual = known is not None and own.waves == (known.waves,)
    waves = None if usual else windows.get((own.waves, own.weight), own.waves)
    found = replace(
        scope,
        waves=scope.waves or waves,
        weight=own.weight if scope.weight is UNSET else scope.weight,
    )
    return found, None if sender.options.base_of else usual_base_of(client)


def usual_waves(client: Client, scope: Scope) -> Sequence[str]:
    """The waves that a query counts, as far as they are known."""
    sender = getattr(client, "sender", None)
    return () if sender is None else counted_codes(sender.context, scope)


def own_base(client: Client) -> Audience | None:
    """The base of a filtered client, with a name; None for one that counts everyone."""
    # Anything that streams a crosstab works as a client.
    base: Audience | None = getattr(client, "base_audience", None)
    if base is None or base.name:
        return base
    try:
        return as_audience(base, client.catalogue)
    except AudienceError:
        return as_audience(base)


def who_words(scope: Scope) -> str:
    """Who of the base counts, behind other facts: "those who answered"; "" where it is everyone."""
    return "those who answered" if scope.base_of == "valid" else ""
