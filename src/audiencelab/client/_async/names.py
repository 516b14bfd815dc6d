"""Names in place of codes: the catalogue and the waves are requested where a name needs them."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from typing import TypedDict, TypeVar, cast

from audiencelab.client._async.queries import (
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
from audiencelab.client._async.sending import AsyncSender, load_catalogue
from audiencelab.client.audiences import AxisLike
from audiencelab.client.names import (
    CatalogueNeeded,
    LocationsLike,
    Names,
    QuestionLike,
    WavesLike,
    as_codes,
    is_code,
)
from audiencelab.client.responses import Wave
from audiencelab.expressions.codes import WAVES

T = TypeVar("T")

_LATEST = re.compile(r"(?:latest|last) (\d+)")
_YEAR = re.compile(r"\d{4}")


async def with_names(sender: AsyncSender, build: Callable[[Names], T]) -> T:
    """What `build` makes; the catalogue is loaded if a name needs it."""
    try:
        return build(Names(sender.context.catalogue))
    except CatalogueNeeded:
        pass
    return build(Names(await load_catalogue(sender)))


async def stats_request(
    sender: AsyncSender, question: QuestionLike, given: StatsArguments | GridArguments
) -> StatsRequest:
    """A statistics query with codes in place of names."""
    given = cast(StatsArguments, given)
    segments = given.get("segments")
    if segments is not None and given.get("splitter") == WAVES:
        segments = await wave_codes(sender, segments)
    scope = await scope_codes(sender, given.get("waves"), given.get("locations"))
    given = {**given, **scope, "segments": segments}
    return await with_names(sender, lambda names: build_stats(question, names, **given))


async def crosstab_request(
    sender: AsyncSender,
    rows: AxisLike | None,
    columns: AxisLike | None,
    given: CrosstabArguments,
) -> CrosstabRequest:
    """A crosstab query with codes in place of names."""
    given = {**given, **await scope_codes(sender, given.get("waves"), given.get("locations"))}
    # An iterator can be read once, and `build_crosstab` may be called twice.
    rows = list(rows) if isinstance(rows, Iterator) else rows
    columns = list(columns) if isinstance(columns, Iterator) else columns
    return await with_names(sender, lambda names: build_crosstab(rows, columns, names, **given))


class Scope(TypedDict):
    """The codes of waves and locations; None means the service's default."""

    waves: list[str] | None
    locations: list[str] | None


async def scope_codes(sender: AsyncSender, waves: WavesLike, locations: LocationsLike) -> Scope:
    """Waves and locations by their codes. Codes cost no request, names one each."""
    return {
        "waves": None if waves is None else await wave_codes(sender, waves),
        "locations": None if locations is None else await _location_codes(sender, locations),
    }


async def wave_codes(sender: AsyncSender, given: WavesLike) -> list[str]:
    """The codes of waves."""
    wanted = as_codes(given) or []
    if all(is_code(each) for each in wanted):
        return wanted
    listed = await fetch_waves(sender)
    return list(dict.fromkeys(code for each in wanted for code in _find_waves(each, listed)))


async def _location_codes(sender: AsyncSender, given: LocationsLike) -> list[str]:
    wanted = as_codes(given) or []
    if all(is_code(each) for each in wanted):
        return wanted
    question = await location_question(sender)
    found = await with_names(
        sender, lambda names: names.answer_codes("datapoints", question, wanted)
    )
    return found or []


def _find_waves(wanted: str, listed: Sequence[Wave]) -> list[str]:
    """The codes that one word means; an unknown one is left to the service."""
    codes = [wave.code for wave in listed]
    if wanted in codes:
        return [wanted]
    folded = wanted.casefold().strip()
    if folded == "all":
        return codes
    if latest := _LATEST.fullmatch(folded):
        return codes[-int(latest[1]) :] if int(latest[1]) else []
    if _YEAR.fullmatch(folded):
        of_year = re.compile(rf"(?<!\d){folded}(?!\d)")
        found = [wave.code for wave in listed if of_year.search(f"{wave.code} {wave.name}")]
    else:
        found = [wave.code for wave in listed if wave.name.casefold() == folded]
    return found or [wanted]
