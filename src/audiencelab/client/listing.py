"""What a client lists: a tuple that shows itself as a table, one line for each entry."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

from audiencelab.results.arrow import HasFrame
from audiencelab.schema import listing
from audiencelab.schema.listing import listed_fields, shown

if TYPE_CHECKING:
    import pandas as pd

Entry = TypeVar("Entry")


class Listing(HasFrame, listing.Listing[Entry]):
    """Waves, locations or answers in order: a tuple in every other way, and a table to look at."""

    def to_frame(self) -> pd.DataFrame:
        """One line for each entry, a column for each field that is listed."""
        import pandas as pd

        lines = [listed_fields(each, self._fields) for each in self]
        return pd.DataFrame(lines, columns=list(self._fields))

    def _repr_html_(self) -> str:
        from audiencelab.markup import card, table
        from audiencelab.wording import plural

        lines = [listed_fields(each, self._fields) for each in self]
        # A column in which nothing stands is no column: few questions have midpoints.
        heads = [name for name in self._fields if any(shown(line[name]) for line in lines)]
        listed = table(
            [head.capitalize() for head in heads],
            [[shown(line[head]) for head in heads] for line in lines],
            numeric=[place for place, head in enumerate(heads) if head not in self._fields[:2]],
        )
        return str(
            card(plural(len(self), type(self[0]).__name__.lower()) if self else "None", listed)
        )
