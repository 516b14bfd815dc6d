"""Compares the outputs of a cell in two runs, form by form.

An output has several forms, by MIME type, and readers see one or another: JupyterLab draws a page
or what a widget saved, Word is made from Markdown and PNG. All are compared: tables cell by cell,
texts line by line, images by their marks or points. What differs by nature (`sameness`) is left
out.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, cast

from audiencelab.notebook.change import ORDER, SOURCE_LINE, Change
from audiencelab.notebook.html_reading import Table
from audiencelab.notebook.image_reading import as_drawn
from audiencelab.notebook.io import text_of
from audiencelab.notebook.readings import SAVED, Reading, read_forms, read_text
from audiencelab.notebook.sameness import Circumstances, canonical, elsewhere, only_words
from audiencelab.notebook.saved_with import version_of
from audiencelab.notebook.source_lines import contradictions, unwrapped, unwrapped_fields
from audiencelab.notebook.table_diff import (
    Mismatch,
    field_differences,
    line_differences,
    table_differences,
)
from audiencelab.render.mime_payload import CROSSTAB, VIEW
from audiencelab.render.records import of_output
from audiencelab.results.record import Record

_MOST_ORDERED = 8
"""Outputs of a cell of which another order is recognised."""


def compare(
    before: Sequence[Mapping[str, Any]],
    now: Sequence[Mapping[str, Any]],
    circumstances: Circumstances | None = None,
) -> tuple[Change, ...]:
    """How the outputs of a cell differ from those before, in reading order.

    before: outputs as a notebook file stores them.
    now: those to compare with.
    circumstances: None where one version of audiencelab wrote both.
    """
    known = circumstances or Circumstances()
    changes: list[Change] = []
    pairs = [*_paired(_outputs(before), _outputs(now))]
    found = [_output_changes(old, new, known) for old, new in pairs]
    shown = [number for number, (old, _) in enumerate(pairs) if old.kind == "display"]
    moved = [number for number in shown if found[number]]
    if order := _other_order([pairs[number] for number in moved], known):
        before_order, now_order = (
            ", ".join(str(shown.index(moved[n]) + 1) for n in each) for each in order
        )
        changes.append(Change(ORDER, before_order, now_order))
        found = [[] if number in moved else each for number, each in enumerate(found)]
    for number, each in enumerate(found):
        if number in shown and len(shown) > 1:
            name = f", output {shown.index(number) + 1}"
            each = [replace(change, form=change.form + name) for change in each]
        changes += each
    return tuple(changes)


def _other_order(
    pairs: Sequence[tuple[_Output, _Output]], known: Circumstances
) -> tuple[range, list[int]] | None:
    """Where the outputs of a run are those before in another order: both orders."""
    if not 1 < len(pairs) <= _MOST_ORDERED:
        return None
    order: list[int] = []
    for old, _ in pairs:
        same = (
            number
            for number, (_, new) in enumerate(pairs)
            if number not in order and not _output_changes(old, new, known)
        )
        if (found := next(same, None)) is None:
            return None
        order.append(found)
    return range(len(pairs)), order


@dataclass(slots=True)
class Contents:
    """What outputs say: tables, the values that widgets saved, and lines of text."""

    tables: list[Table] = field(default_factory=list[Table])
    saved: list[Table] = field(default_factory=list[Table])
    lines: list[str] = field(default_factory=list[str])


def contents(outputs: Sequence[Mapping[str, Any]]) -> Contents:
    """What outputs say in their form of most detail."""
    found = Contents()
    for output in _outputs(outputs):
        for form in output.forms[:1]:
            found.tables += form.tables
            found.lines += [line for line in map(canonical, form.lines) if line]
        found.saved += [
            table for form in output.forms if form.name == SAVED for table in form.tables
        ]
    return found


@dataclass(slots=True)
class _Output:
    """One output. kind: only those of one kind are paired.

    ours: whether this package made it. version: of this package, where it is named.
    """

    kind: str
    forms: list[Reading] = field(default_factory=list[Reading])
    records: list[dict[str, Any]] = field(default_factory=list[dict[str, Any]])
    ours: bool = False
    version: str = ""


def _outputs(written: Sequence[Mapping[str, Any]]) -> list[_Output]:
    """The displays of a cell in order, then what it printed, each stream as a whole."""
    displays: list[_Output] = []
    printed: dict[str, str] = {}
    for output in written:
        match output.get("output_type"):
            case "stream":
                name = str(output.get("name", "stdout"))
                printed[name] = printed.get(name, "") + text_of(output.get("text"))
            case "error":
                words = f"{output.get('ename')}: {output.get('evalue')}"
                displays.append(_Output("error", [Reading("error", lines=words.split("\n"))]))
            case _:
                displays.append(_display(output))
    names = {"stdout": "text", "stderr": "warnings"}
    streams = [
        _Output(name, [read_text(text, names.get(name, name))]) for name, text in printed.items()
    ]
    return [*displays, *sorted(streams, key=lambda each: each.kind)]


_OURS = re.compile(r"<(?:[A-Z]\w*Result|Chart|Client|Comparison|Estimate)\b")


def _display(output: Mapping[str, Any]) -> _Output:
    data = cast("Mapping[str, Any]", output.get("data") or {})
    records = of_output(dict(output))
    ours = (
        bool(records)
        or CROSSTAB in data
        or VIEW in data
        or "class=mathjax_ignore" in text_of(data.get("text/html"))
        or bool(_OURS.match(text_of(data.get("text/plain"))))
    )
    return _Output("display", read_forms(data), records, ours, version_of(output, records))


def _paired(before: list[_Output], now: list[_Output]) -> Iterator[tuple[_Output, _Output]]:
    """Outputs that belong together: of one kind, in their order; an empty one for none."""
    for kind in dict.fromkeys(each.kind for each in (*before, *now)):
        mine, other = ([each for each in side if each.kind == kind] for side in (before, now))
        for number in range(max(len(mine), len(other))):
            old = mine[number] if number < len(mine) else _Output(kind)
            new = other[number] if number < len(other) else _Output(kind)
            yield old, new


def _output_changes(old: _Output, new: _Output, known: Circumstances) -> list[Change]:
    if not old.forms or not new.forms:
        text = [_first_words(each) for each in (old, new)]
        return [Change("output", *text, form=(old.forms or new.forms)[0].name)] if any(text) else []
    one_version = replace(known, saved_with=old.version or known.saved_with).one_version
    strict = one_version or not (old.ours and new.ours)
    changes: list[Change] = []
    for mine, other in _forms(old.forms, new.forms, strict=strict):
        found = form_changes(mine, other, known, strict=strict)
        changes += _repeated(found, changes)
    for was, this in zip(old.records, new.records, strict=False):
        changes += _repeated([*_record_changes(was, this, strict=strict)], changes)
    for form in old.forms:
        other = next((each for each in new.forms if each.name == form.name), None)
        told = source_changes(form, old.records, other, new.records)
        changes += _repeated([*told], changes)
    return changes


def source_changes(
    before: Reading,
    records: Sequence[Mapping[str, Any]],
    now: Reading | None = None,
    later: Sequence[Mapping[str, Any]] = (),
) -> Iterator[Change]:
    """Where a form says another version, date or software than the record written with it.

    now, later: the form and its records as they were written by the run.
    """
    by_nature = (
        {each.kind for each in contradictions(now.texts(), later, now.of_run)}
        if now
        else set[str]()
    )
    for each in contradictions(before.texts(), records, before.of_run):
        if each.kind not in by_nature:
            said = f"{each.kind} {each.said}", f"{each.kind} {each.recorded} in the record"
            yield Change(SOURCE_LINE, *said, form=before.name)


def _first_words(output: _Output) -> str:
    """What an output begins with, or that it is there."""
    for form in output.forms:
        cells = (cell for table in form.tables for row in table for cell in row)
        for text in (*form.lines, *cells):
            if text.strip():
                return text.strip()
    return output.forms[0].name if output.forms else ""


def _forms(
    before: list[Reading], now: list[Reading], *, strict: bool
) -> Iterator[tuple[Reading, Reading]]:
    """The same form of both. Which forms there are may depend on the version of audiencelab."""
    new = {each.name: each for each in now}
    old = {each.name: each for each in before}
    for name in dict.fromkeys((*old, *new)):
        if strict or (name in old and name in new):
            yield old.get(name, Reading(name)), new.get(name, Reading(name))


def form_changes(
    before: Reading,
    now: Reading,
    known: Circumstances,
    *,
    strict: bool = True,
    worded: Callable[[str, str], bool] | None = None,
) -> list[Change]:
    """How one form differs.

    strict: in how it looks, too. worded: whether two texts of another version say the same.
    """
    if before == now:
        return []
    old, new = _canonical(before, now, known), _canonical(now, now, known)
    name = before.name
    found = [*table_differences(old.tables, new.tables)]
    changes = [Change(*each, form=name) for each in found]
    changes += _line_changes(old, new, name, strict=strict, worded=worded)
    for each in field_differences(old.fields, new.fields):
        # What only a later version says is not compared with anything.
        if not _drawn_otherwise(each, old, new) and (each.before or (strict and name != SAVED)):
            drawn = old.image is not None and old.image.record is None
            words = drawn or (worded or only_words)(each.before, each.now)
            # Names of metrics are words of ours, and say what the figures are.
            wording = not strict and words and _METRICS not in each.where
            changes.append(Change(*each, form=name, is_wording=wording))
    if not changes:
        changes = [*_look_changes(before, now, strict=strict)]
    return changes


def _canonical(reading: Reading, now: Reading, known: Circumstances) -> Reading:
    """A form without what differs by nature. now: the one of the run, whose folders are known."""

    def kept(texts: Iterable[str], others: Iterable[str]) -> list[str]:
        return [canonical(each) for each in elsewhere([*texts], [*others], known.folders)]

    cells = [cell for table in now.tables for row in table for cell in row]
    fields, others = unwrapped_fields(reading.fields), unwrapped_fields(now.fields)
    lines = kept(unwrapped(reading.lines), unwrapped(now.lines))
    return replace(
        reading,
        tables=[[kept(row, cells) for row in table] for table in reading.tables],
        lines=[line for line in lines if line],
        fields=dict(zip(fields, kept(fields.values(), others.values()), strict=True)),
    )


def _line_changes(
    old: Reading,
    new: Reading,
    name: str,
    *,
    strict: bool,
    worded: Callable[[str, str], bool] | None,
) -> Iterator[Change]:
    labels = frozenset[str]() if strict else _labels(old.tables, new.tables)
    first = {each.lines[0] for each in (old, new) if each.lines}  # the title
    for each in line_differences(old.lines, new.lines):
        words = not strict and not {each.before, each.now} & first
        same = worded or partial(only_words, labels=labels)
        wording = words and same(each.before, each.now)
        yield Change(*each, form=name, is_wording=wording)


_METRICS = "looks metrics"
"""Of a saved widget: which metrics it shows."""

_WORD = re.compile(r"[\w'’-]+")


def _labels(*tables: list[Table]) -> frozenset[str]:
    """The words of names, which tables have in the first row and the first column."""
    named = [cell for each in tables for table in each for row in table[1:] for cell in row[:1]]
    named += [cell for each in tables for table in each for row in table[:1] for cell in row]
    return frozenset(word for cell in named for word in _WORD.findall(cell.casefold()))


def _drawn_otherwise(each: Mismatch, old: Reading, new: Reading) -> bool:
    """Whether points differ because of a date or a version that is drawn among them.

    Then what the image is of must be the same, and no point changed after it was drawn.
    """
    if old.image is None or new.image is None or each.where not in {"size", "pixels"}:
        return False
    mine, other = old.image.record, new.image.record
    if mine is None or other is None or "edited" in old.fields:
        return False
    run = ("survey_version", "snapshot", "audiencelab", "counted_at")
    drawn = [(r.line(), [getattr(r, name) for name in run]) for r in (mine, other)]
    return drawn[0][0] != drawn[1][0] and _without_run(mine) == _without_run(other)


def _without_run(record: Record) -> Record:
    return replace(record, survey_version="", snapshot="", audiencelab="", counted_at="")


def _look_changes(old: Reading, new: Reading, *, strict: bool) -> Iterator[Change]:
    """The first difference in how a form looks; of another version only in marks of charts."""
    # In one go: there are many of them.
    mine, other = (
        canonical("\n".join(each for each in form.looks if strict or _MARK in each)).split("\n")
        for form in (old, new)
    )
    if "SVG" in old.name or old.name.endswith(".svg"):
        mine = as_drawn(mine, other)
    found = [*line_differences(mine, other)]
    for each in found[:1]:
        more = f" (and {len(found) - 1} more)" if len(found) > 1 else ""
        yield Change(f"looks{more}", each.before, each.now, form=old.name)


_MARK = 'role="graphics-symbol"'

_OF_THE_RUN = frozenset(
    {"audiencelab", "code", "counted_at", "snapshot", "survey_version", "pixels"}
)


def _record_changes(
    before: Mapping[str, Any], now: Mapping[str, Any], *, strict: bool
) -> Iterator[Change]:
    """How what an output says that it is of differs; nothing where a version said nothing."""
    left_out = _OF_THE_RUN if strict else _OF_THE_RUN | {"version"}
    for name in sorted(before.keys() & now.keys() - left_out):
        was, this = canonical(str(before[name])), canonical(str(now[name]))
        if was != this:
            yield Change(name, was, this, form="record")


_TOKEN = re.compile(r"""[^\s$*\\|"':{}<>(),]+""")


_COMPUTED = re.compile(r"^(?:pixels|size|heat .*)$|saved ")
"""Values that follow from those of the table."""


def _repeated(found: Sequence[Change], before: Sequence[Change]) -> Iterator[Change]:
    """Changes, marked where others before have all their words, or values they are made from."""
    gone = {word for each in before for word in _TOKEN.findall(each.before)}
    come = {word for each in before for word in _TOKEN.findall(each.now)}
    in_table = any(each.where for each in before)
    for each in found:
        mine, other = ({*_TOKEN.findall(text)} for text in (each.before, each.now))
        told = bool(before) and (mine - other) <= gone and (other - mine) <= come
        computed = in_table and bool(_COMPUTED.search(each.where))
        yield replace(each, repeated=told or computed)
