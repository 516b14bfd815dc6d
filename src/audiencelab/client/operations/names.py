"""Codes in place of names: what a call needs to look them up is requested before it is built."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import TypedDict, cast

from audiencelab.client.audiences import AxisLike
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
from audiencelab.client.operations.queries import (
    CrosstabArguments,
    CrosstabRequest,
    GridArguments,
    StatsArguments,
    StatsRequest,
    build_crosstab,
    build_stats,
    fetch_waves,
    location_question,
)
from audiencelab.client.sending import Sender, load_catalogue
from audiencelab.expressions.codes import WAVES


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
) -> StatsRequest:
    """A statistics query with codes in place of names."""
    given = cast(StatsArguments, {name: read_once(each) for name, each in given.items()})
    segments, splitter = given.get("segments"), given.get("splitter")
    answers = [given.get("datapoints"), given.get("suffixes")]
    if segments is not None and splitter == WAVES:
        segments = wave_codes(sender, segments)
    else:
        answers.append(segments)
    scope = scope_codes(sender, given.get("waves"), given.get("locations"))
    needs = names_in(
        given.get("audiences"),
        questions=(question, splitter),
        answers=answers,
        base=given.get("base_audience"),
    )
    names = names_for(sender, needs, lambda known: scope["waves"] or known)
    return build_stats(question, names, **{**given, **scope, "segments": segments})


def crosstab_request(
    sender: Sender,
    rows: AxisLike | None,
    columns: AxisLike | None,
    given: CrosstabArguments,
) -> CrosstabRequest:
    """A crosstab query with codes in place of names."""
    scope = scope_codes(sender, given.get("waves"), given.get("locations"))
    rows, columns = read_once(rows), read_once(columns)
    needs = names_in(rows, columns, base=given.get("base_audience"))
    names = names_for(sender, needs, lambda known: window_codes(scope["waves"], known))
    return build_crosstab(rows, columns, names, **{**given, **scope})


class Scope(TypedDict):
    """The codes of waves and locations; None means the service's default."""

    waves: list[str] | None
    locations: list[str] | None


def scope_codes(sender: Sender, waves: WavesLike, locations: LocationsLike) -> Scope:
    """Waves and locations by their codes; no waves are those of the client's own time window.

    Codes cost no request, names one each, and the client's time window one altogether.
    """
    window, known = sender.options.waves, sender.context.windows
    if waves is not None:
        codes = wave_codes(sender, waves)
    elif window is None:
        codes = None
    else:
        # Waves may lack a weight.
        key = (window, sender.options.weight)
        if key not in known:
            known[key] = wave_codes(sender, window)
        codes = known[key]
    places = None if locations is None else _location_codes(sender, locations)
    return {"waves": codes, "locations": places}


def wave_codes(sender: Sender, given: WavesLike) -> list[str]:
    """The codes of waves; raises `UnknownCodeError` for a name that no wave has.

    What looks like a code is left to the service, unless it is in this process.
    """
    wanted, context = as_codes(given) or [], sender.context
    service = context.service_by(sender.options.weight)
    if not all(is_code(each) for each in wanted):
        known = {wave.code: wave.name for wave in fetch_waves(sender)}
    elif service is not None:
        known = {wave.code: wave.name for wave in service.survey.waves if wave.accessible}
    else:
        known = context.wave_names
    closed = [] if service is None else [each.code for each in service.survey.waves]
    found = find_waves(wanted, known)
    for each in found:
        if each not in known and each not in closed and (service or not is_code(each)):
            raise unknown_wave(each, known)
    return found


def _location_codes(sender: Sender, given: LocationsLike) -> list[str]:
    wanted = as_codes(given) or []
    if all(is_code(each) for each in wanted):
        return wanted
    names = Names(load_catalogue(sender))
    return names.answer_codes("datapoints", location_question(sender), wanted) or []
