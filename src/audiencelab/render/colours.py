"""The colours of charts and slides, light and dark, and which answer gets which.

Every two series differ by a CIEDE2000 of 10 or more for people who see all colours, deuteranopes,
protanopes and tritanopes, and from the ground by a contrast of 3 (`tests/render/test_colours.py`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from audiencelab.schema.scales import Scale


@dataclass(frozen=True, slots=True)
class Look:
    """The colours of one theme.

    ground: behind everything. ink, quiet: text. line: hairlines. accent: a single series.
    series: several without an order, of which every two differ for the colour-blind too; steps:
        several in order, strongest first, in contrast enough for lines.
    scale: the parts of an ordered scale, strongest first; favourable, unfavourable: those towards
        its two ends, strongest first, with neutral between them; outside: answers beside the
        scale, such as "don't know".
    mark: reference marks. under, middle, over: the heat.
    on_accent: text on a cell filled with the accent, from the strength `on_accent_from` (0 to 1),
        where it has more contrast than the ink.
    """

    ground: str
    ink: str
    quiet: str
    line: str
    accent: str
    mark: str
    under: str
    over: str
    middle: str
    on_accent: str
    on_accent_from: float
    series: tuple[str, ...]
    steps: tuple[str, ...]
    scale: tuple[str, ...]
    favourable: tuple[str, ...]
    unfavourable: tuple[str, ...]
    neutral: str
    outside: str


LIGHT = Look(
    ground="#ffffff",
    ink="#1f1f1f",
    quiet="#616161",
    line="#e2e2e2",
    accent="#2b73b3",
    mark="#1f1f1f",
    under="#5b9bd5",
    over="#e8862e",
    middle="#f5f5f5",
    on_accent="#ffffff",
    on_accent_from=0.85,
    series=("#2b73b3", "#b84e13", "#159f86", "#773577", "#bd8b1e", "#45454c"),
    steps=("#1d0836", "#4a2c7c", "#3360a6", "#14808f", "#3f9e62", "#a09210"),
    scale=(
        "#0b3f7a",
        "#14589d",
        "#2b73b3",
        "#4a90c8",
        "#74add9",
        "#9cc7e6",
        "#bfdcf0",
        "#dbebf6",
    ),
    favourable=("#14589d", "#3f86c0", "#7db3dc", "#b5d4ec"),
    unfavourable=("#b4530a", "#da7f2e", "#edac6d", "#f6d1a8"),
    neutral="#e0e0e0",
    outside="#9a9a9a",
)
DARK = Look(
    ground="#111111",
    ink="#ececec",
    quiet="#a8a8a8",
    line="#333333",
    accent="#5ba3dc",
    mark="#ececec",
    under="#2c659a",
    over="#a4530f",
    middle="#262626",
    on_accent="#0c0c0c",
    on_accent_from=0.65,
    series=("#4aa2f2", "#ea7a3e", "#4fd6b0", "#e3a6d6", "#f0da70", "#8f8f98"),
    steps=("#fbf6bf", "#c4e270", "#66cf92", "#38aac6", "#5488e0", "#7656b4"),
    scale=(
        "#b9dcf6",
        "#93c6ee",
        "#6fb0e4",
        "#4f97d0",
        "#3f7fb3",
        "#346894",
        "#2a5275",
        "#213f59",
    ),
    favourable=("#7fbdf0", "#4f97d0", "#38719f", "#294f6f"),
    unfavourable=("#f0a05c", "#c4762f", "#8f5522", "#633e1d"),
    neutral="#4d4d4d",
    outside="#767676",
)


def series_colours(count: int, colours: Look, *, in_order: bool = False) -> list[str]:
    """A colour for each of several series; beyond six their tints, then their shades.

    in_order: whether the series have an order, such as ages; they then are steps of one ramp.
    """
    if in_order and count <= len(colours.steps):
        return evenly(colours.steps, count)
    toward = ((colours.ground, 0.0), (colours.ground, 0.5), (colours.ink, 0.5))
    made = [mixed(each, end, share) for end, share in toward for each in colours.series]
    return [made[place % len(made)] for place in range(count)]


def scale_colours(scale: Scale, answers: Sequence[str], colours: Look) -> list[str]:
    """A colour for each answer of a scale: strongest at its ends, grey for answers off the scale.

    From an attitude to its opposite two hues meet at a neutral middle. Blue and orange say which
    end is the top; where that is not known or there is none, the hues are others. A scale from
    none to most has one hue, strongest at the top.
    """
    ordered = scale.points if scale.rising is None else scale.rising[::-1]
    if scale.ends == "opposite":
        half = len(ordered) // 2
        if scale.rising is None:
            above, below = (_tints(colours.series[place], half, colours) for place in (3, 2))
        else:
            ends = colours.favourable, colours.unfavourable
            # The weakest shades are for long scales: next to the middle they look alike.
            above, below = (evenly(ramp[: half + 1], half) for ramp in ends)
        ramp = [*above, *([] if scale.middle is None else [colours.neutral]), *below[::-1]]
    else:
        ramp = evenly(colours.scale, len(ordered))
        if scale.rising is None:
            ramp.reverse()
    found = dict(zip(ordered, ramp, strict=True))
    return [found.get(each, colours.outside) for each in answers]


def evenly(ramp: Sequence[str], number: int) -> list[str]:
    """So many shades of a ramp, from its first on, as far apart as they can be."""
    last = len(ramp) - 1
    return [ramp[round(each * last / max(number - 1, 1))] for each in range(number)]


def _tints(hue: str, number: int, colours: Look) -> list[str]:
    """So many shades of a hue, strongest first."""
    strong, weak = mixed(hue, colours.ink, 0.25), mixed(hue, colours.ground, 0.5)
    return [mixed(strong, weak, step / max(number - 1, 1)) for step in range(number)]


def mixed(colour: str, other: str, share: float) -> str:
    """A colour between two; share: how much of the other, from 0 to 1."""
    parts = (
        round(int(colour[at : at + 2], 16) * (1 - share) + int(other[at : at + 2], 16) * share)
        for at in (1, 3, 5)
    )
    return "#" + "".join(f"{part:02x}" for part in parts)


def legible(colour: str, colours: Look) -> str:
    """A colour for text: the same, or as much of the ink in it as a contrast of 4.5 takes."""
    ground = _luminance(colours.ground)
    shades = [mixed(colour, colours.ink, share / 10) for share in range(11)]
    return next(each for each in shades if _contrast(_luminance(each), ground) >= 4.5)


def readable_on(fill: str, colours: Look) -> str:
    """The ground's colour or the ink, whichever has more contrast on a fill (after WCAG 2.2)."""
    on = _luminance(fill)
    return max((colours.ground, colours.ink), key=lambda each: _contrast(_luminance(each), on))


def _luminance(colour: str) -> float:
    parts = [int(colour[place : place + 2], 16) / 255 for place in (1, 3, 5)]
    # Relative luminance of sRGB, as WCAG 2.2 defines it.
    red, green, blue = (
        part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts
    )
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def _contrast(one: float, other: float) -> float:
    return (max(one, other) + 0.05) / (min(one, other) + 0.05)
