"""Adding waves to a panel: import them by themselves, join the catalogues, write the next version.

What the panel holds stays: old labels, codes, weights and their grid. What a new wave says
differently is told, and what would give one code two meanings is refused.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import msgspec

from audiencelab.errors import Fault, list_faults
from audiencelab.panel.catalogue import Catalogue, PanelQuestion
from audiencelab.panel.deriving import code_of
from audiencelab.panel.errors import PanelError, listed
from audiencelab.panel.locks import BUILDING
from audiencelab.panel.reader import Panel
from audiencelab.panel.revising import Revision, asked_questions, revise
from audiencelab.wire import Datapoint, Suffix, Value

if TYPE_CHECKING:
    from audiencelab.panel.importing import Codebook, Progress

__all__ = ["Added", "Joined", "add_wave", "join_catalogues"]

Answer = TypeVar("Answer", Datapoint, Suffix)


@dataclass(slots=True)
class Joined:
    """A catalogue with the questions of another, and what came of it.

    questions: full codes of new ones. answers: new datapoints and suffixes, by their places.
    changes: labels and midpoints that the other gives differently; the old ones are kept.
    """

    catalogue: Catalogue
    questions: list[str] = field(default_factory=list[str])
    answers: list[str] = field(default_factory=list[str])
    changes: list[str] = field(default_factory=list[str])


@dataclass(frozen=True, slots=True)
class Added:
    """What adding waves came to. weight_bits: of the old version and of the new one."""

    panel: Panel
    waves: tuple[str, ...]
    joined: Joined
    weight_bits: tuple[int, int]


def add_wave(
    path: str | Path,
    sources: Sequence[str | Path],
    codebook: Codebook | str | Path,
    *,
    out: str | Path | None = None,
    progress: Progress | None = None,
) -> Added:
    """Import survey files as further waves of a panel; derived questions are made for them too.

    path: the panel's folder. sources, codebook, progress: as for an import. out: a folder for a
    new panel; without it the panel's next version takes its place, and until that is whole the old
    one stands. The weights keep their grid as long as all of them sum exactly on it.

    Raises what an import raises; `PanelError` for a wave that the panel has already, for a question
    of another kind, and for codes that mean something else; `PanelBusyError` if somebody else
    is writing the panel.
    """
    from audiencelab.panel.importing import import_survey

    target = Path(path if out is None else out).expanduser().absolute()
    with ExitStack() as until_written:
        told: list[tuple[tuple[str, ...], Joined, int]] = []

        def plan(panel: Panel) -> Revision:
            # Made under the lock, with a name that the next writer clears away if we are killed.
            folder = until_written.enter_context(
                tempfile.TemporaryDirectory(
                    prefix=f".{target.name}.", suffix=BUILDING, dir=target.parent
                )
            )
            new = import_survey(sources, codebook, Path(folder) / "waves", progress=progress)
            joined = join_catalogues(panel, new)
            told.append(
                (tuple(wave.code for wave in new.waves), joined, panel.manifest.weight_bits)
            )
            return Revision(
                joined.catalogue,
                panel.derived,
                tuple(each.wave(wave.code) for each in (panel, new) for wave in each.waves),
                provenance=_provenance(panel, new),
                report=new.import_report,
            )

        panel = revise(path, plan, out=out)
    [(waves, joined, weight_bits)] = told
    return Added(panel, waves, joined, (weight_bits, panel.manifest.weight_bits))


def _provenance(panel: Panel, new: Panel) -> dict[str, Any]:
    sources: list[Any] = []
    for each in (panel, new):
        sources += each.manifest.provenance.get("sources", [])
    return {"sources": sources}


def join_catalogues(panel: Panel, new: Panel) -> Joined:
    """The catalogue of a panel's own questions with those of another.

    Raises `PanelError` with everything that cannot be joined.
    """
    mine, theirs = asked_questions(panel), new.catalogue
    if faults := list(_faults(panel, new)):
        raise PanelError(list_faults("The waves do not go with the panel:", faults))
    joined = Joined(mine)
    known = {question.canonical: question for question in mine.questions}
    for question in theirs.questions:
        old = known.get(question.canonical)
        if old is None:
            joined.questions.append(question.canonical)
        known[question.canonical] = question if old is None else _extended(old, question, joined)
    joined.catalogue = msgspec.structs.replace(
        mine,
        questions=tuple(known.values()),
        namespaces=_united(mine.namespaces, theirs.namespaces, "code"),
        categories=_united(mine.categories, theirs.categories, "id"),
        datasets=_united(mine.datasets, theirs.datasets, "code"),
    )
    return joined


def _extended(old: PanelQuestion, new: PanelQuestion, joined: Joined) -> PanelQuestion:
    """The old question, with the datapoints and suffixes of the new one that it lacked."""
    if new.name != old.name:
        joined.changes.append(f"{old.canonical}: {old.name!r} is called {new.name!r}")
    return msgspec.structs.replace(
        old,
        datapoints=_more(old, old.datapoints, new.datapoints, joined),
        suffixes=_more(old, old.suffixes, new.suffixes, joined),
    )


def _more(
    question: PanelQuestion, old: tuple[Answer, ...], new: tuple[Answer, ...], joined: Joined
) -> tuple[Answer, ...]:
    known = {answer.code: answer for answer in old}
    for answer in new:
        mine = known.get(answer.code)
        place = f"{question.canonical}, {answer.code}"
        if mine is None:
            joined.answers.append(f"{place}: {answer.name!r}")
            order = Value(len(known) + 1)
            known[answer.code] = msgspec.structs.replace(answer, order=order)
            continue
        if answer.name != mine.name:
            joined.changes.append(f"{place}: {mine.name!r} is called {answer.name!r}")
        if answer.midpoint != mine.midpoint:
            joined.changes.append(f"{place}: another midpoint, which is left out")
    return tuple(known.values())


Named = TypeVar("Named")


def _united(old: tuple[Named, ...], new: tuple[Named, ...], key: str) -> tuple[Named, ...]:
    known = {getattr(each, key) for each in old}
    return (*old, *(each for each in new if getattr(each, key) not in known))


def _faults(panel: Panel, new: Panel) -> Iterator[Fault]:
    mine, theirs = panel.catalogue, new.catalogue
    codes = {wave.code for wave in panel.waves}
    if again := [wave.code for wave in new.waves if wave.code in codes]:
        yield Fault("/waves", f"The panel has {listed(again)} already. Give new waves new codes.")
    if theirs.location_question != mine.location_question:
        yield Fault(
            "/study/location",
            f"The panel's location question is {mine.location_question}, and the codebook's is "
            f"{theirs.location_question}.",
        )
    derived = {code_of(recipe, mine.base_namespace) for recipe in panel.derived}
    for question in theirs.questions:
        try:
            old = mine.question(question.canonical)
        except KeyError:
            continue
        pointer = f"/questions/{question.code}"
        if question.canonical in derived:
            yield Fault(pointer, f"{question.canonical} is derived in the panel, not asked.")
        elif question.kind != old.kind:
            yield Fault(
                pointer, f"{question.canonical} is {old.kind} in the panel, not {question.kind}."
            )
        else:
            yield from _shuffled(f"{pointer}/datapoints", old.datapoints, question.datapoints)
            yield from _shuffled(f"{pointer}/suffixes", old.suffixes, question.suffixes)


def _shuffled(pointer: str, old: Sequence[Answer], new: Sequence[Answer]) -> Iterator[Fault]:
    """Codes whose new label is another code's in the panel: counted on, they would mix answers."""
    known = {answer.code: answer.name for answer in old}
    for answer in new:
        mine = known.get(answer.code, answer.name)
        others = [code for code, name in known.items() if name == answer.name != mine]
        if answer.name and others:
            yield Fault(
                pointer,
                f"{answer.code} is {mine!r} in the panel, and {answer.name!r} is {others[0]}. "
                "Give the codes of the panel in the codebook.",
            )
