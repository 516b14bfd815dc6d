"""Compare all columns of a wave with those before it, and say how each difference is read."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import isfinite

from msgspec import structs

from audiencelab.ingest.codebook import canonical_value, number_of
from audiencelab.ingest.drift.differences import (
    differences,
    has_other_text,
    label_reads,
)
from audiencelab.ingest.drift.missing_codes import Difference
from audiencelab.ingest.drift.record import Decide, Decision, Drift
from audiencelab.ingest.drift.seen import Seen, are_close, plain
from audiencelab.ingest.drift.shares import CERTAIN, agrees, follows_labels
from audiencelab.ingest.meaning.guess import quoted
from audiencelab.survey.errors import SurveyError, listed

_STEM = re.compile(r"(.*?[^\d])(\d+)([^\d]*)")
_FEWEST = 3
"""Answers whose shares show that a column without labels has another name."""


@dataclass(frozen=True)
class WaveColumns:
    """The columns of a wave, or of those before it. questions: the code of each column's."""

    columns: Mapping[str, Seen]
    questions: Mapping[str, str]


def compare(
    old: WaveColumns, new: WaveColumns, decide: Decide, call: str, *, by_labels: bool = False
) -> list[Drift]:
    """Every drift between two waves, the order of questions kept.

    decide: how columns are read, by question or column. call: the beginning of the code that
    decides, such as "al.open(…". by_labels: compare nothing but labels and missing codes.
    """
    found: list[Drift] = []
    renamed = dict(_renamed(old, new, by_labels=by_labels))
    found += renamed.values()
    taken = {each.column for each in renamed.values()}
    for name, before in old.columns.items():
        here = renamed[name].column if name in renamed else name
        now = new.columns.get(here)
        if now is not None:
            question = old.questions.get(name) or new.questions.get(here, here)
            decided = decision_of(decide, question, here)
            is_item = _is_item(old, name)
            column = _Column(question, before, now, decided, is_item=is_item)
            if is_item and decided in ("labels", "break") and has_other_text(before, now):
                found.append(column.as_another(_other_name(old, new, here)))
            else:
                found += column.drifts(by_labels=by_labels)
    if by_labels:
        return [_with_code(each, old, new, call) for each in merged(found)]
    gone = [name for name in old.columns if name not in new.columns and name not in renamed]
    added = [name for name in new.columns if name not in old.columns and name not in taken]
    found += _joined_or_left(old, new, gone, added)
    return [_with_code(each, old, new, call) for each in merged(found)]


def _with_code(drift: Drift, old: WaveColumns, new: WaveColumns, call: str) -> Drift:
    """A drift whose decision is a line of code; of some items of a question it names these."""
    own = [name for name, each in old.questions.items() if each == drift.question]
    items = [name for name in own if name in old.columns and name in new.columns]
    is_part = len(own) > 1 and {*drift.columns} < {*items}
    if is_part and (drift.refuses or drift.is_break or drift.reads):
        said = f"{listed(drift.columns, 3)}: {drift.detail}"
        # Shares that are alike from both ends do not show whether these moved too.
        unseen = [
            n for n in items if n not in drift.columns and _may_have_moved(drift, old, new, n)
        ]
        if drift.refuses and drift.reads and unseen:
            said += f"; the shares of {listed(unseen, 3)} fit both"
        drift = structs.replace(drift, detail=said)
    if not drift.fix:
        return drift
    names = drift.columns if is_part else (drift.question,)
    written = ", ".join(f"{quoted(each)}: {drift.fix}" for each in names)
    return structs.replace(drift, fix=f"{call}, decide={{{written}}})")


def _may_have_moved(drift: Drift, old: WaveColumns, new: WaveColumns, name: str) -> bool:
    before, now = old.columns[name], new.columns[name]
    return follows_labels(before.counts, now.counts, drift.reads) > -CERTAIN


def check_decisions(decide: Decide) -> None:
    """Raise `SurveyError` for a decision that is not valid."""
    for name, each in decide.items():
        given = f"decide={{{quoted(name)}: {each!r}}} is not valid: "
        if isinstance(each, str) and each not in ("codes", "labels", "break"):
            raise SurveyError(f'{given}it must be "labels", "codes", "break", values or a factor.')
        if isinstance(each, int | float) and not (isfinite(each) and each > 0):
            raise SurveyError(f"{given}a factor must be above 0.")
        if not isinstance(each, str | int | float | Mapping) or isinstance(each, bool):
            raise SurveyError(f"{given}got {type(each).__name__}.")


def unknown_decisions(decide: Decide, waves: Iterable[WaveColumns]) -> None:
    """Raise `SurveyError` for decisions about what is neither a question nor a column."""
    known = {
        name
        for wave in waves
        for name in (*wave.columns, *wave.questions, *wave.questions.values())
    }
    if odd := [each for each in decide if not any(_is_of(each, name) for name in known)]:
        raise SurveyError(
            f"decide={{{quoted(odd[0])}: …}} is not valid: no question or column is named like "
            "this. The report of the import names those that differ."
        )


def _is_of(name: str, column: str) -> bool:
    return name == column or _is_item_of(column, name)


def decision_of(decide: Decide, question: str, column: str) -> Decision | None:
    """What was decided about a column: by its name, by its question, or by what its name begins."""
    for name in (column, question):
        if name in decide:
            return decide[name]
    return next((each for name, each in decide.items() if _is_item_of(column, name)), None)


# ---- one column ----


class _Column:
    """A column before and now, and what was decided about it."""

    def __init__(
        self,
        question: str,
        old: Seen,
        new: Seen,
        decided: Decision | None,
        *,
        is_item: bool,
    ) -> None:
        self._question = question
        self._old, self._new = old, new
        self._decided = decided
        self._is_item = is_item

    def as_another(self, name: str) -> Drift:
        """Its item as another one, in a column of another name."""
        said = f"{self._new.name} was {self._old.text!r}, and is {self._new.text!r}"
        is_break = self._decided == "break"
        return Drift(
            "renamed question",
            self._question,
            f"{said}: decided: another item",
            is_break=is_break,
            column=self._new.name,
            was=name,
        )

    def drifts(self, *, by_labels: bool) -> Iterator[Drift]:
        """Its drifts as they are read."""
        found = differences(self._old, self._new, by_labels=by_labels, is_item=self._is_item)
        decided, is_read = self._decided, False
        for each in found:
            drift = Drift(
                each.kind,
                self._question,
                each.said,
                is_break=each.is_break,
                refuses=each.refuses,
                fix=self._fix(each),
                column=self._new.name,
                value=each.value,
                label=each.label,
                reads=each.reads,
                missing=self._missing(each),
            )
            if decided is not None:
                drift = self._read(drift, decided)
                # The decision is of all its differences, and values are read by it once.
                drift = structs.replace(drift, reads={}) if is_read else drift
                is_read = is_read or bool(drift.reads)
            yield drift
        if decided is not None and not any(map(_is_decidable, found)):
            drift = Drift("decided", self._question, "", column=self._new.name)
            read = self._read(drift, decided)
            if read.reads or read.is_break:
                yield read

    def _fix(self, found: Difference) -> str:
        if not _is_decidable(found):
            return ""
        # Of a break that is not in doubt, the code is what takes it back.
        decision = found.decision if found.refuses or not found.is_break else "codes"
        written = quoted(decision) if isinstance(decision, str) else repr(decision)
        return written.replace("'", '"') if isinstance(decision, Mapping) else written

    def _missing(self, found: Difference) -> tuple[str, ...]:
        is_still = found.value in self._old.missing and not found.is_break
        return (found.value,) if is_still else ()

    def _read(self, drift: Drift, decided: Decision | str) -> Drift:
        """A drift as it was decided."""
        if drift.kind != "decided" and not (drift.refuses or drift.is_break or drift.reads):
            return drift
        old, new = self._old, self._new
        code = decided if isinstance(decided, str) else ""
        if drift.kind == "missing codes":
            values = (drift.value,) if code != "break" else ()
            missing = values if drift.value in old.missing else ()
            answers = () if missing else values
            changed = {"missing": missing, "answers": answers}
        elif isinstance(decided, Mapping):
            changed = {"reads": _canonical(decided)}
        elif isinstance(decided, int | float):
            changed = {"reads": _multiplied(new, decided)}
        else:
            # A break excuses no answer with the label of another one.
            reads = (
                {}
                if code == "codes"
                else label_reads(old, new, is_decided=True, missing=old.missing)
            )
            changed = {"reads": reads}
        # Labels and values do not decide who was asked.
        is_kept = code == "labels" or (drift.kind == "asked" and code != "codes")
        is_break = code == "break" or (is_kept and drift.is_break)
        said = f"{drift.detail}: " if drift.detail else ""
        return structs.replace(
            drift,
            detail=f"{said}{_said(decided)}",
            is_break=is_break,
            refuses=False,
            fix="",
            **changed,
        )


def _is_decidable(found: Difference) -> bool:
    return found.refuses or found.is_break or bool(found.reads)


def _said(decided: Decision | str) -> str:
    if isinstance(decided, Mapping):
        pairs = [f"{value} as {read}" for value, read in decided.items()]
        return f"decided: {listed(pairs, 5)}"
    if isinstance(decided, int | float):
        return f"decided: times {decided:g}"
    return {
        "codes": "decided: read by codes",
        "labels": "decided: read by labels",
        "break": "decided: figures of earlier waves do not compare",
    }[decided]


def _canonical(decided: Mapping[str | int, str | int]) -> dict[str, str]:
    return {canonical_value(value): canonical_value(read) for value, read in decided.items()}


def _multiplied(seen: Seen, factor: float) -> dict[str, str]:
    """All numbers of a column times a factor, without the noise of floats."""
    found = {value: number_of(value) for value in seen.counts}
    return {
        value: canonical_value(float(f"{number * factor:.12g}"))
        for value, number in found.items()
        if number is not None
    }


# ---- columns that are new, gone or renamed ----


def _renamed(old: WaveColumns, new: WaveColumns, *, by_labels: bool) -> Iterator[tuple[str, Drift]]:
    """Columns that have another name, and the text, labels and shares of before.

    Those that have neither text nor labels are not read as before.
    """
    gone = [each for name, each in old.columns.items() if name not in new.columns]
    added = [each for name, each in new.columns.items() if name not in old.columns]
    pairs = [(one, other) for one in gone for other in added if _is_same(one, other)]
    for one, other in pairs:
        if sum(one is each[0] or other is each[1] for each in pairs) > 1:
            continue
        named = ["text"] * bool(one.text) + ["labels"] * bool(one.labels)
        if by_labels and len(named) < 2:
            continue
        question = old.questions.get(one.name, one.name)
        called = "is called" if named else "may be called"
        said = f"column {one.name} {called} {other.name}, with the same "
        said += f"{' and '.join([*named, 'answers'])} "
        said += f"({one.largest} before, {other.largest} now)"
        was = one.name if named else ""
        yield (
            one.name,
            Drift("renamed question", question, said, column=other.name, was=was),
        )


def _is_same(one: Seen, other: Seen) -> bool:
    if one.form != other.form or one.form != "answers" or not one.answered or not other.answered:
        return False
    has_text = bool(one.text) and plain(one.text) == plain(other.text)
    if one.text and other.text and not has_text and not one.is_part:
        return False
    if {*map(plain, one.labels.values())} != {*map(plain, other.labels.values())}:
        return False
    if not has_text:
        # Shares alone say little of two answers, and of a few respondents.
        many = len(one.counts) >= _FEWEST and are_close(one.name, other.name)
        return many and one.counts.keys() == other.counts.keys() and _fit(one, other)
    return agrees(one.counts, other.counts)


def _fit(one: Seen, other: Seen) -> bool:
    return agrees(one.counts, other.counts)


def _joined_or_left(
    old: WaveColumns, new: WaveColumns, gone: Sequence[str], added: Sequence[str]
) -> Iterator[Drift]:
    """Questions and items that are new or gone, and questions that became sets of columns."""
    left = [name for name in gone if not old.columns[name].is_empty]
    joined = [name for name in added if not new.columns[name].is_empty]
    for name in [*left]:
        items = [each for each in joined if _is_item_of(each, name)]
        if len(items) > 1:
            question = old.questions.get(name, name)
            said = f"it was one column {name} ({old.columns[name].largest}), and is "
            said += f"{len(items)} columns now: {listed(items, 3)}"
            fix = quoted("break")
            yield Drift("type", question, said, is_break=True, refuses=True, fix=fix, column=name)
            left.remove(name)
            joined = [each for each in joined if each not in items]
    stems = {
        stem: old.questions.get(name, name)
        for name in old.columns
        if name in new.columns and (stem := _stem(name)) is not None
    }
    for name in joined:
        seen, question = new.columns[name], stems.get(_stem(name) or ("", ""))
        text = f" {seen.text!r}" if seen.text else ""
        if question is not None and _is_several(old, question):
            said = f"the item {name}{text} ({seen.largest}) is new"
            yield Drift("new answer", question, said, column=name, label=seen.text)
        else:
            said = f"{name}{text} ({seen.largest}) is new"
            code = new.questions.get(name, name)
            yield Drift("new question", code, said, column=name, label=seen.text)
    columns = defaultdict[str, list[str]](list)
    for name in old.columns:
        columns[old.questions.get(name, name)].append(name)
    for question, names in columns.items():
        lost = [name for name in names if name in left]
        if lost and len(lost) == len(names):
            seen = old.columns[lost[0]]
            said = f"{listed(lost, 3)} {_quoted(seen.text)}({seen.largest} before) is gone"
            yield Drift("gone question", question, said)
        for name in lost if len(lost) < len(names) else ():
            seen = old.columns[name]
            said = f"the item {name} {_quoted(seen.text)}({seen.largest} before) is gone"
            yield Drift("gone answer", question, said)


def _quoted(text: str) -> str:
    return f"{text!r} " if text else ""


def _stem(name: str) -> tuple[str, str] | None:
    found = _STEM.fullmatch(name)
    return (found[1], found[3]) if found else None


def _is_several(wave: WaveColumns, question: str) -> bool:
    return sum(each == question for each in wave.questions.values()) > 1


def _is_item(wave: WaveColumns, name: str) -> bool:
    """Whether a column is one of several of its question, as far as questions are known."""
    if name in wave.questions:
        return _is_several(wave, wave.questions[name])
    stem, labels = _stem(name), wave.columns[name].labels
    return stem is not None and any(
        other != name and _stem(other) == stem and seen.labels == labels
        for other, seen in wave.columns.items()
    )


def _other_name(old: WaveColumns, new: WaveColumns, name: str) -> str:
    """The column of an item whose text is not that of its column before: its own, or a free one."""
    text = plain(new.columns[name].text)
    known = [e for e, seen in old.columns.items() if e != name and plain(seen.text) == text]
    taken = {*old.columns, *new.columns}
    if known and (known[0] not in new.columns or _is_moved(old, new, known[0])):
        return known[0]
    start, end = _stem(name) or (f"{name}_", "")
    numbers = [
        int(each[len(start) :]) for each in taken if re.fullmatch(f"{re.escape(start)}\\d+", each)
    ]
    return f"{start}{max(numbers, default=1) + 1}{end}"


def _is_moved(old: WaveColumns, new: WaveColumns, name: str) -> bool:
    """Whether the item of a column is another one."""
    return has_other_text(old.columns[name], new.columns[name])


def _is_item_of(item: str, column: str) -> bool:
    return bool(re.fullmatch(re.escape(column) + r"[_.\-\[ ]?\d+\]?", item))


# ---- what several columns share ----


def merged(drifts: Iterable[Drift]) -> list[Drift]:
    """Drifts, those that are alike in several columns of a question as one."""
    found: dict[tuple[object, ...], list[Drift]] = {}
    for each in drifts:
        own = each.kind in ("new answer", "gone answer") and not each.value
        key = (
            *(each.kind, each.question, each.wave, each.value, each.refuses, each.is_break),
            *(each.missing, each.answers, tuple(each.reads.items()), each.fix),
            *((each.detail,) if own or each.was else ()),
        )
        found.setdefault(key, []).append(each)
    return [_one(alike) for alike in found.values()]


def _one(alike: Sequence[Drift]) -> Drift:
    first = alike[0]
    if len(alike) == 1:
        return first
    also = tuple(each.column for each in alike[1:])
    return structs.replace(first, detail=f"{first.detail} (in {len(alike)} columns)", also=also)
