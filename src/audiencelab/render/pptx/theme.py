"""Colours of a presentation's theme, and which of them charts take."""

from __future__ import annotations

import colorsys
import re
from collections.abc import Mapping
from dataclasses import dataclass, replace

from audiencelab.render.colours import LIGHT, Look, readable_on
from audiencelab.render.pptx.shapes import FAINT, Colour

SERIES: tuple[Colour, ...] = tuple(f"accent{number}" for number in range(1, 7))
"""Series in order: the theme's own accents, of which there are six."""

_SIDE = (":75", ":60:40", ":40:60", ":20:80")
"""The steps of an accent to each side of a middle, as PowerPoint's own list of colours has them."""

_SCALE = (":50", ":75", "", ":60:40", ":40:60", ":20:80")
"""Those of a scale from none to most, strongest first."""

_OUTSIDE = "tx1:50:50"

_NAMED = re.compile(
    r"<a:(dk1|lt1|dk2|lt2|accent[1-6])>\s*"
    r"<a:(?:srgbClr val|sysClr [^>]*lastClr)=\"([0-9A-Fa-f]{6})\""
)

_ROLES = {"tx1": "dk1", "bg1": "lt1", "tx2": "dk2", "bg2": "lt2"}
"""The colours of text and ground in a master that is dark on light."""

_OFFICE = {
    "dk1": "000000",
    "lt1": "FFFFFF",
    "dk2": "44546A",
    "lt2": "E7E6E6",
    "accent1": "4472C4",
    "accent2": "ED7D31",
    "accent3": "A5A5A5",
    "accent4": "FFC000",
    "accent5": "5B9BD5",
    "accent6": "70AD47",
}


@dataclass(frozen=True, slots=True)
class Theme:
    """The colours of a theme by their names in it. roles: which of them text and ground are.

    look: which colours answers get. Those of a house's template are steps of its accents, so that
    charts follow its theme.
    """

    colours: Mapping[str, str]
    roles: Mapping[str, str]
    look: Look = LIGHT

    @classmethod
    def read(cls, theme: bytes, roles: Mapping[str, str], *, is_own: bool) -> Theme:
        """The theme of a part of a package; a colour that is not there is Office's own."""
        named = dict(_NAMED.findall(theme.decode("utf-8", errors="replace")))
        made = cls(_OFFICE | named, {**_ROLES, **roles})
        return made if is_own else replace(made, look=made.of_house())

    def of_house(self) -> Look:
        """The colours of charts as steps of the theme's accents."""
        one, other = SERIES[:2]
        return replace(
            LIGHT,
            ground=self.hex("bg1"),
            ink=self.hex("tx1"),
            series=tuple(map(self.hex, SERIES)),
            steps=tuple(f"{one}{step}" for step in _SCALE[:5]),
            scale=tuple(f"{one}{step}" for step in _SCALE),
            favourable=tuple(f"{one}{step}" for step in _SIDE),
            unfavourable=tuple(f"{other}{step}" for step in _SIDE),
            neutral=FAINT,
            outside=_OUTSIDE,
        )

    def ink_on(self, fill: Colour) -> Colour:
        """The colour of text on a fill: of ground or of text, whichever has more contrast."""
        look = replace(self.look, ground=self.hex("bg1"), ink=self.hex("tx1"))
        return "bg1" if readable_on(self.hex(fill), look) == look.ground else "tx1"

    def hex(self, colour: Colour) -> str:
        """A colour as it is shown."""
        if colour.startswith("#"):
            return colour
        name, *steps = colour.split(":")
        rgb = self.colours[self.roles.get(name, name)]
        red, green, blue = (int(rgb[at : at + 2], 16) / 255 for at in (0, 2, 4))
        if steps:
            hue, light, saturation = colorsys.rgb_to_hls(red, green, blue)
            light = light * int(steps[0]) / 100 + (int(steps[1]) / 100 if len(steps) > 1 else 0)
            red, green, blue = colorsys.hls_to_rgb(hue, min(light, 1), saturation)
        return "#" + "".join(f"{round(255 * each):02x}" for each in (red, green, blue))


def part_colours(count: int) -> list[Colour]:
    """Colours of the parts of a stack without an order: the accents, then tints of them."""
    return [*SERIES, *(f"{accent}:40:60" for accent in SERIES)][:count]
