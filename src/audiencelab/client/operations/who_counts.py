"""Requests beside a crosstab: what its cells are set against, and who was not asked."""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import closing
from dataclasses import replace
from functools import partial

import numpy as np

from audiencelab.client.audiences import question_codes
from audiencelab.client.context import ClientContext
from audiencelab.client.errors import IncompleteStream, RequestRefused
from audiencelab.client.operations.crosstab_request import CrosstabRequest, alone
from audiencelab.client.sending import Sender
from audiencelab.client.snapshots.replay import SnapshotMiss
from audiencelab.client.stream.collector import ALL_ROWS
from audiencelab.expressions import Audience, Q
from audiencelab.expressions.codes import ASKED
from audiencelab.results.all_waves import compare_with, wide_table
from audiencelab.results.cells import FIGURES
from audiencelab.results.who import Described, NotAsked, Offer, WhoCounts
from audiencelab.schema.breaks import breaks_of
from audiencelab.schema.coverage import asked_in, offered_in
from audiencelab.schema.scope import Scope
from audiencelab.schema.survey_scope import ROUTED_FLAG
from audiencelab.tables import CrosstabResult


def compare_with_all_waves(
    sender: Sender,
    request: CrosstabRequest,
    table: CrosstabResult,
    *,
    part: slice = ALL_ROWS,
) -> None:
    """Ask what columns on some waves are set against, before their cells; see `all_waves`.

    part: the rows that are asked for.

    A recording of an earlier version does not hold it, and a service may not know its expressions:
    there every wave is compared with itself.
    """
    wide = wide_table(table)
    if wide is None:
        return
    try:
        updates = sender.crosstab(partial(request.part, wide), wide, part=part)
        with closing(updates):
            for _ in updates:
                pass
    except (SnapshotMiss, RequestRefused):
        return
    except IncompleteStream as error:
        error.result = table
        raise
    compare_with(table, wide)


def ask_whole(
    sender: Sender, request: CrosstabRequest, table: CrosstabResult, *, part: slice = ALL_ROWS
) -> None:
    """Ask for the rows of a table alone, before its cells, where each counts those who answered.

    part: the rows that are asked for. A recording may not hold it: the table goes without then.
    """
    if not (table.who.valid and request.columns_requested):
        return
    by_none = replace(
        request, columns=alone(request.scope), columns_requested=False, column_groups=()
    )
    rows = replace(
        table,
        columns=by_none.columns,
        columns_requested=False,
        column_groups=(),
        statistics=None,
        whole=None,
    )
    compare_with_all_waves(sender, by_none, rows, part=part)
    if not _filled(sender, by_none, rows, table, part):
        table.who = replace(table.who, misses_whole=True)
        return
    if table.whole is None:
        table.whole = np.full((len(FIGURES), len(table.rows)), np.nan)
    for place, figure in enumerate(FIGURES):
        table.whole[place, part] = rows.values(figure)[part, 0]


def ask_not_asked(sender: Sender, who: WhoCounts, scope: Scope) -> WhoCounts:
    """The same with how many of the base were not asked each question that some were not asked.

    Asked of services of audiencelab alone, where everyone counts. A recording may not hold it.
    """
    # The order of a set differs by process, and a recording knows a request by its body.
    codes = sorted(who.routed)
    if who.valid or not codes or not sender.context.has_local:
        return who
    rows = tuple(
        Audience(who.name(code), Q(code).any(ASKED), f"asked-{number}")
        for number, code in enumerate(codes, 1)
    )
    request = CrosstabRequest(rows, alone(scope), scope, columns_requested=False)
    table = CrosstabResult(rows, request.columns, scope.base, columns_requested=False)
    if not _filled(sender, request, table, table, ALL_ROWS):
        return who
    asked, of = (table.values(name)[:, 0] for name in ("sample", "base_sample"))
    found = zip(codes, who.shown(of - asked).tolist(), of.tolist(), strict=True)
    return replace(who, not_asked={code: NotAsked(count, all_) for code, count, all_ in found})


def who_of(context: ClientContext, codes: Iterable[str], scope: Scope) -> WhoCounts:
    """Who counts in the cells of a query about some questions, by the names that are known."""
    known = {code: found for code in codes if (found := context.names.of_code(code)) is not None}
    offered = {
        code: {
            item: Offer(context.names.datapoint_name(code, item) or item, waves)
            for item, waves in offers.items()
        }
        for code, each in known.items()
        if (offers := offered_in(each.record.flags))
    }
    base = scope.base
    of_base = question_codes([base]) - known.keys()
    about = known | {code: found for code in of_base if (found := context.names.of_code(code))}
    breaks = {code: breaks_of(each.record.flags or ()) for code, each in about.items()}
    asked = {code: asked_in(each.record.flags) for code, each in about.items()}
    return WhoCounts(
        scope.base_of,
        {code: each.name for code, each in known.items()},
        offered,
        {code: waves for code, waves in asked.items() if waves is not None},
        frozenset(code for code, each in known.items() if ROUTED_FLAG in each.record.flags),
        base=None if base is None else Described(base, base.describe(context.names)),
        waves=context.waves_by_date,
        breaks={code: listed for code, listed in breaks.items() if listed},
        minimum_base=0 if context.survey_scope is None else context.survey_scope.minimum_base,
    )


def _filled(
    sender: Sender,
    request: CrosstabRequest,
    table: CrosstabResult,
    of: CrosstabResult,
    part: slice,
) -> bool:
    """Whether the cells of a table beside another came.

    False where a recording has none, and where the request is refused: that for the table itself is
    refused as well, with all that is wrong in it.
    """
    try:
        with closing(sender.crosstab(partial(request.part, table), table, part=part)) as updates:
            for _ in updates:
                pass
    except (SnapshotMiss, RequestRefused):
        return False
    except IncompleteStream as error:
        error.result = of
        raise
    return True
