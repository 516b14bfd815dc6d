"""Codes in place of names: what a call needs to look them up is requested before it is built."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from msgspec import UNSET

from audiencelab.client.audiences import AxisLike, to_base
from audiencelab.client.catalogue import Catalogue
from audiencelab.client.formulas import is_formula, sides_of
from audiencelab.client.names import (
    LocationsLike,
    Names,
    Needs,
    QuestionLike,
    WavesLike,
    as_codes,
    find_waves,
    is_code,
    names_in,
    read_once,
    unknown_wave,
    window_codes,
)
from audiencelab.client.operations.crosstab_request import CrosstabRequest
from audiencelab.client.operations.queries import (
    GridArguments,
    StatsArguments,
    build_crosstab,
    build_stats,
    fetch_waves,
    location_question,
)
from audiencelab.client.own_scope import is_open, own_scope
from audiencelab.client.own_service import unknown_base_of
from audiencelab.client.responses import Wave
from audiencelab.client.scope import ScopeArguments
from audiencelab.client.sending import Sender, is_ours, load_catalogue
from audiencelab.client.written_conditions import read_condition
from audiencelab.expressions import Audience, within
from audiencelab.expressions.codes import WAVES
from audiencelab.schema.query import StatsQuery
from audiencelab.schema.scope import SCOPE_ARGUMENTS, Scope


def names_for(
    sender: Sender, needs: Needs, chosen: Callable[[Mapping[str, str]], Iterable[str]] = tuple
) -> Names:
    """What a call needs, requested before it is built.

    chosen: the waves that are rows or columns, of the names of all by their codes.
    """
    catalogue = load_catalogue(sender) if needs.catalogue else sender.context.catalogue
    if not needs.waves:
        return Names(catalogue)
    known = {wave.code: wave.name for wave in fetch_waves(sender)}
    return Names(catalogue, waves={code: known.get(code, code) for code in chosen(known)})


def stats_request(
    sender: Sender, question: QuestionLike, given: StatsArguments | GridArguments
) -> StatsQuery:
    """A statistics query with codes in place of names."""
    # Waves may lack a weight.
    sender = sender.with_weight(given.get("weight", UNSET))
    scope = read_scope(sender, given)
    own: Any = {
        name: read_once(each) for name, each in given.items() if name not in SCOPE_ARGUMENTS
    }
    segments, splitter = own.get("segments"), own.get("splitter")
    answers = [own.get("datapoints"), own.get("suffixes")]
    if segments is not None and splitter == WAVES:
        own["segments"] = wave_codes(sender, segments)
    else:
        answers.append(segments)
    needs = names_in(own.get("audiences"), questions=(question, splitter), answers=answers)
    names = names_for(sender, needs, lambda known: scope.waves or known)
    return build_stats(question, scope, names, **own)


def crosstab_request(
    sender: Sender,
    rows: AxisLike | None,
    columns: AxisLike | None,
    given: ScopeArguments,
) -> CrosstabRequest:
    """A crosstab query with codes in place of names."""
    sender = sender.with_weight(given.get("weight", UNSET))
    scope, rows, columns = read_scope(sender, given), read_once(rows), read_once(columns)
    if isinstance(rows, str) and is_formula(rows) and rows not in load_catalogue(sender):
        rows, columns = sides_of(rows, columns)
    needs = names_in(rows, columns)
    names = names_for(sender, needs, lambda known: window_codes(scope.waves, known))
    return build_crosstab(rows, columns, scope, names)


def read_scope(sender: Sender, given: ScopeArguments) -> Scope:
    """Whom a call counts, by codes: what it names, else what the client's own scope does.

    Codes cost no request, names one each, and the client's time window one altogether. Raises
    `LookupError` for what the service does not offer, and the errors of names.
    """
    sender = sender.with_weight(given.get("weight", UNSET))
    own = own_scope(sender, given)
    base, waves, locations = (given.get(each) for each in ("base_audience", "waves", "locations"))
    base = as_written(sender, base)
    scope = _scope(
        own,
        given,
        base=to_base(base, names_for(sender, names_in(base=base))),
        waves=_window(sender, own) if waves is None else wave_codes(sender, waves),
        locations=None if locations is None else _location_codes(sender, locations),
    )
    if scope.base_of != "everyone" and not is_ours(sender):
        raise LookupError(unknown_base_of(sender.context))
    return scope


def known_scope(sender: Sender, given: ScopeArguments) -> tuple[Scope, bool]:
    """The same without a request, and whether it is what `read_scope` returns.

    Waves and locations are codes, names of the base are known. What the client or the survey says
    of a call that names nothing may need a request.
    """
    sender = sender.with_weight(given.get("weight", UNSET))
    context, waves = sender.context, as_codes(given.get("waves"))
    own = context.own_scope(sender.options)
    is_known = context.survey_scope is not None or not is_open(sender, given)
    if waves is None and own.waves is not None:
        waves = context.windows.get((own.waves, own.weight), own.waves)
        if not all(is_code(each) for each in waves):
            waves, is_known = None, False
    base = to_base(as_written(sender, given.get("base_audience")), Names(context.catalogue))
    scope = _scope(own, given, base, waves, as_codes(given.get("locations")))
    if scope.base_of != "everyone" and context.has_local is False:
        raise LookupError(unknown_base_of(context))
    return scope, is_known


def as_written(sender: Sender, given: Any) -> Any:
    """An audience that is a written condition, `"gender = Female and age >= 35"`, as expression.

    Anything else, the name of a question too and a nest "Gender > Age", is returned as it is.
    """
    if not isinstance(given, str) or not re.search("[=<>]", given):
        return given
    catalogue = load_catalogue(sender)
    is_nest = all(each.strip() in catalogue for each in given.split(">"))
    return given if is_nest else read_condition(_Read(sender, catalogue), given)


class _Read(NamedTuple):
    """What a written condition is read with."""

    sender: Sender
    catalogue: Catalogue

    def __getitem__(self, name: Any) -> Any:
        return self.catalogue[name]

    def waves(self) -> Iterable[Wave]:
        """The waves, which a condition may name."""
        return fetch_waves(self.sender)


def _scope(
    own: Scope,
    given: ScopeArguments,
    base: Audience | None,
    waves: Sequence[str] | None,
    locations: Sequence[str] | None,
) -> Scope:
    """The client's own scope with what a call names; no waves are the operation's default.

    A base is within that of the client.
    """
    return Scope(
        base=within(own.base, base),
        base_of=given.get("base_of") or own.base_of,
        waves=None if waves is None else tuple(waves),
        locations=own.locations if locations is None else tuple(locations),
        weight=own.weight,
    )


def _window(sender: Sender, own: Scope) -> tuple[str, ...] | None:
    """The codes of the waves of a client's own scope; None where it has none."""
    known = sender.context.windows
    if own.waves is None:
        return None
    # Waves may lack a weight.
    key = (own.waves, own.weight)
    if key not in known:
        known[key] = tuple(wave_codes(sender, own.waves))
    return known[key]


def wave_codes(sender: Sender, given: WavesLike) -> list[str]:
    """The codes of waves; raises `UnknownCodeError` for a name that no wave has.

    What looks like a code is left to the service, unless it is in this process.
    """
    wanted, context = as_codes(given) or [], sender.context
    service = context.service_by(sender.options.scope.weight)
    if not all(is_code(each) for each in wanted):
        known = {wave.code: wave.name for wave in fetch_waves(sender)}
    elif service is not None:
        known = {wave.code: wave.name for wave in service.survey.waves if wave.accessible}
    else:
        known = context.wave_names
    closed = [] if service is None else [each.code for each in service.survey.waves]
    found = find_waves(wanted, known)
    for each in found:
        # Waves that may not be used are left to the service, which says that of them.
        if each not in known and each not in closed and (service or not is_code(each)):
            raise unknown_wave(each, known)
    return found


def _location_codes(sender: Sender, given: LocationsLike) -> list[str]:
    wanted = as_codes(given) or []
    if all(is_code(each) for each in wanted):
        return wanted
    names = Names(load_catalogue(sender))
    return names.answer_codes("datapoints", location_question(sender), wanted) or []
