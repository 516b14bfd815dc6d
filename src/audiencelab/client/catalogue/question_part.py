"""What the parts of a question of the catalogue know of it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeAlias

if TYPE_CHECKING:
    from audiencelab.client.responses import Listing
    from audiencelab.expressions import Leaf
    from audiencelab.schema import Datapoint, Question, Suffix

OneOrEach: TypeAlias = Any
"""One row of a crosstab; of a question of items, a tuple with a row for each item. Which of them is
known with the question, and not from the types of the arguments."""


class QuestionPart:
    """Base of the mixins of `CatalogueQuestion`, whose own members these are."""

    __slots__ = ()

    if TYPE_CHECKING:
        record: Question
        code: str
        item_of: Any
        file_coded: bool | None

        @property
        def name(self) -> str: ...

        @property
        def datapoints(self) -> Listing[Datapoint]: ...

        @property
        def suffixes(self) -> Listing[Suffix]: ...

        def any(self, *answers: Any, scale: Any = ()) -> Leaf: ...

        def _datapoint(self, key: str) -> Datapoint: ...

        def _suffix(self, key: str) -> str: ...
