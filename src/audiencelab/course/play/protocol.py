"""What a simulation sends to the page, and what the page sends back."""

from __future__ import annotations

from types import NoneType

import msgspec

from audiencelab.widgets.rpc_types import Args, Data, PageOperation


class PlayControl(Data):
    """What a user sets: a slider, or a choice between names.

    unit: after the value. choices: the names; `value` is the position of the chosen one then.
    """

    name: str
    label: str
    value: float
    least: float = 0
    most: float = 0
    step: float = 1
    unit: str = ""
    choices: tuple[str, ...] = ()


class PlayFigure(Data):
    """A number beside the image."""

    label: str
    text: str


class Scene(Data):
    """All that a page shows of a simulation.

    svg: the image. alt: what it shows. words: the result as a sentence.
    """

    title: str
    controls: list[PlayControl]
    buttons: list[str]
    svg: str
    alt: str
    words: str
    figures: list[PlayFigure]


class PlayMove(Args):
    """A button that was pressed, or the control of a name with its new value."""

    button: str = ""
    name: str = ""
    value: float = 0


class PlayTraits(msgspec.Struct):
    """The traits of a simulation."""

    scene: Scene


class Plays:
    """Operations of a simulation."""

    move = PageOperation("move", PlayMove, NoneType)
