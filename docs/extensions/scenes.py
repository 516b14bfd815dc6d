"""Which widgets stand in the pages, and what is asked of them beforehand.

Each scene is the Python that makes its widget, which is run, and a tour: what a reader may click
there. What no tour thought of says in the page that it was not recorded.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from typing import Any

from edits import documents_near, nodes_of, with_one_more
from recording import Recorder

__all__ = ["SCENES", "Recorded", "Scene", "record"]

Tour = Callable[[Recorder, Any], None]


@dataclass(frozen=True, slots=True)
class Scene:
    """A widget of the guides: `code`, given a client, ends in its name. A page shows this code."""

    code: str
    tour: Tour

    @property
    def whole_code(self) -> str:
        """What runs in an empty notebook."""
        return f"import audiencelab as al\n\nclient = al.connect()\n{self.code}"


@dataclass(frozen=True, slots=True)
class Recorded:
    """What a page needs: the static form, and the recording as `live.js` reads it."""

    html: str
    packed: str


@cache
def record(name: str) -> Recorded:
    """Run a scene and its tour; once in a process."""
    scene = SCENES[name]
    with Recorder() as recorder:
        names: dict[str, Any] = {}
        exec(scene.whole_code, names)
        widget = names[scene.code.split()[-1]]
        scene.tour(recorder, widget)
        data, _ = widget._repr_mimebundle_()
        packed = recorder.pack(widget, scene.whole_code)
        widget.close()
    return Recorded(data["text/html"], packed)


# -- what all of them ask ---------------------------------------------------------------------


def tour_catalogue(recorder: Recorder, widget: Any) -> None:
    """Search, browse, and read about every question."""
    recorder.ask(widget, "catalogue", {"start": 0})
    recorder.ask(widget, "coverage")
    for question in widget.client.catalogue.questions:
        recorder.ask(widget, "question", {"question": question.canonical})
        recorder.ask(widget, "figures", {"question": question.canonical})


def answers_of(widget: Any) -> Iterator[tuple[str, list[str]]]:
    """Every question with each single answer, and with all of them."""
    for question in widget.client.catalogue.questions:
        codes = [each.code for each in question.datapoints]
        yield question.code, codes
        for code in codes:
            yield question.code, [code]


# -- the scenes -------------------------------------------------------------------------------


def tour_picker(recorder: Recorder, picker: Any) -> None:
    recorder.keep(picker)
    tour_catalogue(recorder, picker)
    recorder.ask(picker, "code", {"selection": []})
    for question, codes in answers_of(picker):
        entry = {"question": question, "datapoints": codes, "suffixes": []}
        recorder.ask(picker, "code", {"selection": [entry]})


def tour_editor(recorder: Recorder, editor: Any) -> None:
    """Every tree that a few edits lead to, and one more condition of any kind."""
    recorder.keep(editor)
    tour_catalogue(recorder, editor)
    recorder.ask(editor, "context")
    recorder.ask(editor, "saved_audiences")
    choices = {each.code: [a.code for a in each.datapoints] for each in _questions(editor)}
    start = editor.document["root"]
    near = list(documents_near(start, choices, steps=2))
    added = [with_one_more(start, question, codes) for question, codes in answers_of(editor)]
    name = editor.value.name
    for root in itertools.chain(near, added):
        expression = _alone(root)
        recorder.ask(editor, "words", {"name": name, "id": None, "expression": expression})
    nodes = {str(node): node for root in itertools.chain(near, added) for node in nodes_of(root)}
    recorder.ask_each(editor, "measure", nodes.values(), asked="expressions", answered="measures")


def tour_grid(recorder: Recorder, grid: Any) -> None:
    """All cells, sorted by anything, each in full; what the question bar shows."""
    grid.wait(120)
    recorder.keep(grid)
    tour_catalogue(recorder, grid)
    state = grid.get_state()
    generation = state["_table"]["generation"]
    count = {axis: state["_table"][axis] for axis in ("rows", "columns")}
    asked: dict[str, Any] = {"generation": generation}
    everything = {axis: {"start": 0, "stop": stop} for axis, stop in count.items()}
    for rows, columns in itertools.product(*([all_of_it, []] for all_of_it in everything.values())):
        recorder.ask(grid, "tile", {**asked, "rows": rows, "columns": columns})
    for axis, stop in (*count.items(), ("base", 1)):
        recorder.ask(grid, "names", {**asked, "axis": axis, "start": 0, "stop": stop})
    recorder.ask(grid, "apart", asked)
    recorder.ask(grid, "banners", asked)
    recorder.ask(grid, "forms", asked)
    places = {axis: list(range(stop)) for axis, stop in count.items()}
    # By the blocks in which the page asks for them.
    blocks = (
        [{"start": start, "stop": min(stop, start + size)} for start in range(0, stop, size)]
        for stop, size in zip(count.values(), (32, 16), strict=True)
    )
    levels = (None, *grid._levels)
    for (rows, columns), letters in itertools.product(itertools.product(*blocks), levels):
        recorder.ask(grid, "marks", {**asked, "rows": rows, "columns": columns, "letters": letters})
    for side, of, metric in itertools.product(count, ("largest", "smallest"), _metrics()):
        recorder.ask(grid, "measure", {**asked, "side": side, "of": of, "metric": metric})
    for row, column in itertools.product(*places.values()):
        recorder.ask(grid, "drill", {**asked, "row": row, "column": column})
    recorder.ask(grid, "code", asked)
    recorder.ask(grid, "choices")
    recorder.ask(grid, "saved_audiences")
    for axis in count:
        recorder.ask(grid, "blocks", {"axis": axis})


def _questions(widget: Any) -> Iterable[Any]:
    return widget.client.catalogue.questions


def _metrics() -> tuple[str, ...]:
    from audiencelab.results.metrics import IN_GRID

    return tuple(name for name in IN_GRID if name != "letters")


def _alone(root: dict[str, Any]) -> dict[str, Any] | None:
    """As `documentWire` writes a document: a root with one child is that child."""
    children = root.get("and", root.get("or"))
    return children[0] if len(children) == 1 and "not" not in root else root


SCENES = {
    "picker": Scene(
        """\
picker = al.QuestionPicker(client)
picker
""",
        tour_picker,
    ),
    "editor": Scene(
        """\
young = al.Q("q4").any("q4_2", "q4_3")
active = al.Q("q30").any("q30_6", "q30_7") | al.Q("q31").any("q31_11")
editor = al.AudienceEditor(client, al.Audience("Young and active", young & active))
editor
""",
        tour_editor,
    ),
    "grid": Scene(
        """\
social = client.catalogue["q20"]
apps = [social[each.name].named(each.name) for each in social.datapoints]  # however often
genders, ages = (client.catalogue.audiences(code) for code in ("q2", "q4"))
grid = al.Crosstab(
    client,
    rows={"Social apps": apps},
    columns={"Gender": genders[:2], "Age": ages[1:5]},
)
grid
""",
        tour_grid,
    ),
    "front": Scene(
        """\
brands, ages = (client.catalogue.audiences(name) for name in ("Finding brands", "Age"))
grid = al.Crosstab(client, rows=brands, columns=ages)
grid
""",
        tour_grid,
    ),
}
