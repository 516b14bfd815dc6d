"""The kinds of answer that exercises ask for.

Each kind reads what a student gives (`read`) into plain JSON, which can be kept and checked again,
and says whether two such answers are the same (`same`). Rooms: `kind` what all have in common,
`number`, `name`, `figures`, `people` and `picture` one kind each.
"""

from __future__ import annotations

from audiencelab.course.kinds.figures import Figures
from audiencelab.course.kinds.kind import Kind, is_waiting, shown_type
from audiencelab.course.kinds.name import Name
from audiencelab.course.kinds.number import Number
from audiencelab.course.kinds.people import People
from audiencelab.course.kinds.picture import Picture

__all__ = [
    "Figures",
    "Kind",
    "Name",
    "Number",
    "People",
    "Picture",
    "is_waiting",
    "shown_type",
]
