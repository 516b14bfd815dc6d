"""The base of all simulations: controls, buttons, an image and the result as a sentence."""

from __future__ import annotations

import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import msgspec

from audiencelab.course.errors import CourseError
from audiencelab.course.play.drawing import Drawing
from audiencelab.course.play.protocol import PlayControl, PlayFigure, PlayMove, Plays, Scene
from audiencelab.hidden_members import hide_members
from audiencelab.markup import Form, card, element, image, table
from audiencelab.render.room import NOTEBOOK, Room
from audiencelab.widgets._deps import traitlets
from audiencelab.widgets.base import LabWidget, Synced
from audiencelab.widgets.rpc_types import PageRequest

if TYPE_CHECKING:
    import pandas as pd

AGAIN = "Start again"


@dataclass(frozen=True, slots=True)
class Turn:
    """What a simulation shows: an image with its text alternative, the result, figures."""

    drawing: Drawing
    alt: str
    words: str
    figures: dict[str, str]


@hide_members("add_traits", "client", "kind", "scene")
class Game(LabWidget):
    """A simulation, which the page controls as Python does.

    Subclasses implement `_turn` and `to_frame`, which have the present values of the controls and
    how often a button was pressed.
    """

    kind = traitlets.Unicode("play", read_only=True).tag(sync=True)
    scene = Synced(Scene)

    _title = ""
    _buttons: ClassVar[Mapping[str, int]] = {}
    """How many surveys each button adds."""
    _most = 0
    """Surveys at most."""

    def __init__(self, controls: Sequence[PlayControl], count: int = 0) -> None:
        self._controls = {each.name: each for each in controls}
        self._first = {each.name: self._checked(each, each.value) for each in controls}, count
        self._values, self._count = dict(self._first[0]), self._most_of(count)
        # The page may press a button while a cell does.
        self._lock = threading.RLock()
        super().__init__(scene=self._scene())
        self.channel.on(Plays.move, self._answer_move)

    def press(self, button: str) -> None:
        """Press a button by its label; raises `CourseError` where there is none.

        >>> from audiencelab import course
        >>> game = course.play.ask_again(share=37, n=500)
        >>> game.press("Ask 100 times")
        >>> len(game.to_frame())
        101
        """
        with self._lock:
            if button == AGAIN:
                self._values, self._count = dict(self._first[0]), self._first[1]
            elif button in self._buttons:
                self._count = self._most_of(self._count + self._buttons[button])
            else:
                offered = ", ".join(map(repr, self._labels))
                raise CourseError(f"There is no button {button!r}: press {offered}.")
            self.scene = self._scene()

    def set(self, **values: float | str) -> None:
        """Set controls by name; raises `CourseError` for a value that a control does not have.

        >>> from audiencelab import course
        >>> game = course.play.ask_again(share=37, n=500)
        >>> game.set(n=2000)
        """
        with self._lock:
            for name, value in values.items():
                if name not in self._controls:
                    offered = ", ".join(self._controls)
                    raise CourseError(f"There is no control {name!r}: set {offered}.")
                self._values[name] = self._checked(self._controls[name], value)
            self.scene = self._scene()

    def to_frame(self) -> pd.DataFrame:
        """The figures of the image as a frame."""
        raise NotImplementedError

    def _turn(self) -> Turn:
        raise NotImplementedError

    @property
    def _labels(self) -> list[str]:
        return [*self._buttons, AGAIN]

    def _most_of(self, count: int) -> int:
        return min(count, self._most)

    def _checked(self, control: PlayControl, value: float | str) -> float:
        if control.choices:
            if value in control.choices:
                return control.choices.index(str(value))
            if value in range(len(control.choices)):
                return int(value)
            raise CourseError(
                f"{control.name} must be one of {list(control.choices)}; got {value!r}."
            )
        if not isinstance(value, str) and control.least <= value <= control.most:
            return value
        raise CourseError(
            f"{control.name} must be a number from {control.least:g} to {control.most:g}; "
            f"got {value!r}."
        )

    def _answer_move(self, request: PageRequest[PlayMove]) -> None:
        move = request.args
        if move.button:
            self.press(move.button)
        else:
            self.set(**{move.name: move.value})

    def _scene(self) -> Scene:
        turn = self._turn()
        return Scene(
            title=self._title,
            controls=[self._control(each) for each in self._controls.values()],
            buttons=self._labels,
            svg=str(turn.drawing),
            alt=turn.alt,
            words=turn.words,
            figures=[PlayFigure(*each) for each in turn.figures.items()],
        )

    def _control(self, control: PlayControl) -> PlayControl:
        return msgspec.structs.replace(control, value=self._values[control.name])

    def _describe(self) -> str:
        return f"{self._title}. {self.scene.words}"

    def _static_html(self, room: Room = NOTEBOOK) -> Form:
        scene = self.scene
        set_to = [
            (each.label, each.choices[int(each.value)] if each.choices else written(each))
            for each in scene.controls
        ]
        rows = [*set_to, *((each.label, each.text) for each in scene.figures)]
        return card(
            scene.title,
            image(scene.svg, scene.alt),
            element("div", scene.words),
            table(["", ""], rows, numeric=[1]),
        )


def written(control: PlayControl) -> str:
    """The value of a slider as text."""
    return f"{control.value:,.10g}{control.unit}"
