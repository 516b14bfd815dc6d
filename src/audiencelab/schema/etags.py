"""Entity tags: which version of a chart or a saved audience an object is.

A tag is a header of the response, not a field: it is neither written nor compared, and pickling and
changing the object leave it out.
"""

from __future__ import annotations

from typing import Any, TypeVar

from audiencelab.schema.charts import ChartCreated, SavedChart
from audiencelab.schema.saved import SavedAudience


class ChartId(str):
    """The id of a chart that was updated."""


T = TypeVar("T", SavedChart, ChartCreated, SavedAudience, ChartId)


def with_etag(tagged: T, etag: str) -> T:
    """The object, marked with the tag of its version."""
    # In the instance's dictionary, which msgspec neither writes nor compares.
    vars(tagged)["etag"] = etag
    return tagged


def etag_of(tagged: object) -> str | None:
    """The tag of an object; None where the service sent none."""
    return vars(tagged).get("etag") if isinstance(tagged, TAGGED) else None


TAGGED: tuple[type[Any], ...] = (SavedChart, ChartCreated, SavedAudience, ChartId)
"""What may have a tag."""
