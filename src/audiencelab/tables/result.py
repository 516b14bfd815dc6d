"""What all results share: the forms of other programs, and what people type who know frames."""

from __future__ import annotations

from audiencelab.render.text_forms import TextForms
from audiencelab.results.arrow import HasFrame


class Result(TextForms, HasFrame):
    """Mixin of results."""

    __slots__ = ()
