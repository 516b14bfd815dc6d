"""A crosstab as a stream of updates, begun again where the survey changes meanwhile."""

from __future__ import annotations

from collections.abc import Callable, Generator

import numpy as np

from audiencelab.client.one_version import Attempts
from audiencelab.client.operations.crosstab_request import CrosstabRequest
from audiencelab.client.operations.queries import empty_crosstab, fill_crosstab
from audiencelab.client.sending import Sender
from audiencelab.client.stream.collector import CrosstabUpdate
from audiencelab.client.streams import CrosstabStream
from audiencelab.tables import CrosstabResult


def begun(table: CrosstabResult) -> CrosstabUpdate:
    """The update of a table that has no cells yet."""
    none = np.empty(0, dtype=np.intp)
    return CrosstabUpdate(table, none, none, 0, table.expected)


def stream_crosstab(
    sender: Sender,
    build: Callable[[Sender], CrosstabRequest],
    request: CrosstabRequest | None = None,
    *,
    is_known: bool = True,
) -> CrosstabStream[CrosstabResult]:
    """See `Client.crosstab_stream`.

    build: makes the query, with names of the present version. request: the first one, where it is
    made without asking for names. is_known: whether it is what `build` makes; otherwise it is made
    again with the first step.
    """
    attempts = Attempts(sender)

    def begin(sender: Sender) -> tuple[CrosstabRequest, CrosstabResult]:
        request = build(sender)
        return request, empty_crosstab(sender, request)

    if request is None:
        first = attempts.run(begin)
    else:
        first = request, empty_crosstab(attempts.sender, request)
    sender_of_first = attempts.sender

    def fill(sender: Sender) -> Generator[CrosstabUpdate, None]:
        # Another sender is that of another attempt, after the survey has changed.
        is_first = is_known and sender is sender_of_first
        request, table = first if is_first else begin(sender)
        if not is_first:
            yield begun(table)
        yield from fill_crosstab(sender, request, table)

    return CrosstabStream(first[1], attempts.updates(fill))
