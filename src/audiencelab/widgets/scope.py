"""What the widgets that count have in common: a base, waves and locations to count in.

Here are the traits and what may be put into them. When to count anew, and what, is for the
widgets to say.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, cast

from audiencelab.errors import AudienceError
from audiencelab.expressions import Audience, as_audience
from audiencelab.widgets.lab_widget import LabWidget
from audiencelab.widgets.libraries import traitlets

if TYPE_CHECKING:
    from audiencelab.client import Catalogue

__all__ = ["ScopedWidget", "as_codes"]


class ScopedWidget(LabWidget):
    """A widget that counts within a base audience, over waves and locations.

    A subclass calls `_answered_by(client)` before this constructor.
    """

    base_audience = traitlets.Any(None, allow_none=True)
    waves = traitlets.Any(None, allow_none=True)
    locations = traitlets.Any(None, allow_none=True)

    @traitlets.validate("base_audience")
    def _check_base(self, proposal: dict[str, Any]) -> Audience | None:
        value = proposal["value"]
        # A named audience needs no catalogue to name it.
        if value is None or (isinstance(value, Audience) and value.name):
            return value
        return as_audience(value, self._catalogue())

    @traitlets.validate("waves", "locations")
    def _check_codes(self, proposal: dict[str, Any]) -> tuple[str, ...] | None:
        return as_codes(proposal["value"], proposal["trait"].name)

    def _base(self) -> Audience:
        return self.base_audience or as_audience(None)

    def _catalogue(self) -> Catalogue | None:
        """The client's catalogue; None while there is none.

        Codes are names enough then: the query itself will say what is wrong with the service.
        """
        try:
            return self._client.catalogue
        except AudienceError:
            return None


def as_codes(value: object, name: str) -> tuple[str, ...] | None:
    """Codes of waves or locations as a tuple; a single string is refused, it would be letters."""
    if value is None:
        return None
    if isinstance(value, str) or not isinstance(value, Iterable):
        raise TypeError(f"{name} needs a list of codes, as in {name}=[{value!r}].")
    codes = tuple(cast("Iterable[object]", value))
    if not all(isinstance(code, str) for code in codes):
        raise TypeError(f"{name} needs codes, which are strings.")
    return cast("tuple[str, ...]", codes)
