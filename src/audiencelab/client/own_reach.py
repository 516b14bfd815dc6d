"""TURF: what a client of a survey in this process finds in its respondents."""

from __future__ import annotations

from typing import Unpack

from audiencelab.client.audiences import AudiencesLike
from audiencelab.client.one_version import of_one_version
from audiencelab.client.operations.turf import MOST_SETS, SizesLike, fetch_turf
from audiencelab.client.operations.turf_rules import ItemsLike
from audiencelab.client.scope import ScopeArguments
from audiencelab.client.sending import Sender
from audiencelab.keywords import keywords
from audiencelab.tables import TurfResult


class OwnReach:
    """The part of a client that searches for sets of items."""

    _sender: Sender

    @keywords(ScopeArguments)
    @of_one_version
    def turf(
        self,
        items: AudiencesLike,
        size: SizesLike = None,
        *,
        must: ItemsLike = (),
        exclude: ItemsLike = (),
        top: int = MOST_SETS,
        **given: Unpack[ScopeArguments],
    ) -> TurfResult:
        """The sets of items that reach most people, each person once (TURF): the best of all sets.

        items: 2 to 64: a question, for its answers; audiences or expressions; or boxes of a grid,
            such as `client["q4"].top_box(2)`.
        size: the most items of a set: 5 for the best single item, two, three, four and five, which
            is the default. A list names each number of items: [5] for sets of five alone.
        must: items of every set, by their names, codes or as audiences.
        exclude: items of no set; a pair (or more) in a tuple are items of which a set has at most
            one: `exclude=["No pets", ("Cat", "Dog")]`.
        top: how many sets to list of each number of items. Sets of equal reach keep the order of
            the items.
        base_audience, waves, locations, weight: as for `crosstab`.

        No set is left out of the search: 30 items in sets of 5 take a second with 8,000
        respondents. One rule says who counts, as for `overlap`: those who could be in every item,
        in the waves that asked all of them; excluded items do not matter. `notes` say how many
        others there are. Raises `ValueError` for items, sizes and rules that are not valid, with
        all that is wrong, and for a size whose search would take too long: `greedy()` of a smaller
        one adds items up to the last. Raises `LookupError` where the respondents are not in this
        process: `overlap` does the same for up to 8 audiences of a remote service.

        >>> client.turf("Pets", 3, exclude="No pets", must="Fish", waves="latest 1")
        <TurfResult of 7 items: the best 3 reach 59.1% of the base, n = 2,000, wave: Q4 2025,
        weighted>
        """
        return fetch_turf(self._sender, items, size, must, exclude, top, given)
