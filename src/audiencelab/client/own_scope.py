"""Whom calls count that name nothing: what the client says, else what the survey says."""

from __future__ import annotations

from audiencelab.client.errors import SurveyChanged
from audiencelab.client.scope import ScopeArguments
from audiencelab.client.sending import Sender, in_short, load_catalogue
from audiencelab.errors import AudienceError
from audiencelab.schema.scope import Scope


def own_scope(sender: Sender, given: ScopeArguments | None = None) -> Scope:
    """What a call counts where it names nothing; its waves are as they were given to the client.

    given: what the call names. The catalogue of a survey elsewhere says the rest, and is requested
    once. A service that is not known to be of audiencelab can do without: its catalogue may be
    closed to the caller. Where it turns out to be one, the call begins again.
    """
    context = sender.context
    if context.survey_scope is None and is_open(sender, given or {}):
        if context.version:
            load_catalogue(sender)
        elif not context.nameless:
            try:
                load_catalogue(in_short(sender))
            except SurveyChanged:
                raise
            except AudienceError:
                context.assumed = True
    return context.own_scope(sender.options)


def is_open(sender: Sender, given: ScopeArguments) -> bool:
    """Whether neither a call nor its client names what the survey otherwise says."""
    own = sender.options
    base_of, waves = given.get("base_of"), given.get("waves")
    return (base_of or own.base_of) is None or (waves is None and own.scope.waves is None)
